//! The leader of a check on many machines.

use super::counted;
use super::notices::Notices;
use super::progress::{ClusterProgress, Workers};
use crate::args::ServerArgs;
use crate::flags::{Given, Settled};
use crate::input::Input;
use crate::options::CheckOptions;
use crate::output;
use crate::watch::Work;
use anyhow::{Context, Result, anyhow, bail};
use atropos_cluster::{Campaign, CampaignOptions, ServerOptions, Unled, build, free_port, read_token};
use atropos_spread::cluster::Offer;
use atropos_spread::{Ended, Job};
use std::path::PathBuf;
use std::time::Duration;

/// How to serve a check.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    server: ServerOptions,
    lease: Duration,
    n_awaited: usize,
    progress: Option<PathBuf>,
    /// What decides which executions there are, by name and as words of a command line.
    settings: Vec<(String, String)>,
    words: Vec<String>,
}

impl ServeOptions {
    /// # Errors
    /// If other machines could connect without a token or could listen.
    pub fn resolve(args: ServerArgs) -> Result<ServeOptions> {
        let is_open = !args.listen.ip().is_loopback();
        if is_open && (args.token_file.is_none() || args.tls_cert.is_none()) {
            bail!(
                "--listen {} is for other machines too, so it needs --token-file, --tls-cert and --tls-key; \
                 docs/cluster.md says how to make them",
                args.listen
            );
        }
        let token = args.token_file.as_deref().map(read_token).transpose()?;
        let mut listen = args.listen;
        if listen.port() == 0 {
            listen = free_port(listen.ip()).with_context(|| format!("cannot listen at {listen}"))?;
        }
        let tls = args.tls_cert.zip(args.tls_key);
        let (store, monitor) = (args.store, args.monitor);
        let server = ServerOptions { listen, store, token, tls, monitor };
        let ServerArgs { lease, n_awaited, progress, .. } = args;
        Ok(ServeOptions { server, lease, n_awaited, progress, settings: Vec::new(), words: Vec::new() })
    }

    /// Where other machines find the server.
    fn url_for_workers(&self) -> String {
        let listen = self.server.listen;
        match std::fs::read_to_string("/proc/sys/kernel/hostname") {
            Ok(host) if listen.ip().is_unspecified() => format!("nats://{}:{}", host.trim(), listen.port()),
            _ => self.server.endpoint().url,
        }
    }

    /// The same for a check with these options.
    pub fn of(self, given: &Given, settled: &Settled) -> ServeOptions {
        let (settings, words) = (given.settings_for_workers(settled), given.words_for_workers(settled));
        ServeOptions { settings, words, ..self }
    }
}

/// What a check on many machines has come to.
pub struct Served {
    pub ended: Ended,
    /// The most threads that have explored at the same time.
    pub n_explorers: usize,
}

/// What to do when workers begin to explore, and when no more is explored.
pub struct OnTurn<'a> {
    pub begin: &'a dyn Fn(),
    pub end: &'a dyn Fn(),
}

/// Serves a check until it is over or stopped.
///
/// # Errors
/// If the server cannot be started, or the store is that of another check.
pub fn lead(
    serve: &ServeOptions,
    input: &Input,
    options: &CheckOptions,
    work: &Work,
    turn: &OnTurn<'_>,
) -> Result<Served> {
    let is_stopped = || work.control().is_stopped();
    let most = options.search.config.max_executions;
    let how = CampaignOptions {
        server: serve.server.clone(),
        lease: serve.lease,
        most,
        n_awaited: serve.n_awaited,
    };
    let campaign = Campaign::start(how, offer(serve, input, options)?, &is_stopped);
    let mut campaign = campaign.map_err(|reason| unled(reason, serve))?;
    let url = serve.url_for_workers();
    output::note(&format!("workers join with `atropos work {url}`"));
    let inherited = campaign.leader().stats().executions + campaign.leader().stats().blocked;
    if inherited > 0 {
        output::note(&format!("the check continues after {}", counted(inherited, "execution")));
    }
    let is_shown = options.output.format != crate::args::Format::Json && !crate::logger::is_on();
    let mut progress = ClusterProgress::new(is_shown, serve.progress.as_deref(), inherited)?;
    let mut notices = Notices::new(&url);
    let (mut workers, mut most_explorers, mut has_begun) = (Workers::default(), 1, false);
    while !campaign.is_over() && !is_stopped() {
        campaign.step().context("the check goes on when it is served again with the same --store")?;
        let (n_processes, n_explorers) = campaign.n_workers();
        if campaign.is_explored() && !has_begun {
            has_begun = true;
            (turn.begin)();
        }
        workers = Workers { n_processes, n_explorers };
        most_explorers = n_explorers.max(most_explorers);
        let trouble = campaign.trouble();
        if let Some(notice) = notices.look(trouble.as_deref(), n_processes) {
            progress.wipe();
            output::note(&notice);
        }
        progress.show(campaign.leader(), workers, work.survey.estimate());
    }
    (turn.end)();
    let leader = campaign.end();
    progress.end(&leader, workers, work.survey.estimate());
    let ended = Ended::new(leader.ending().resumed());
    Ok(Served { ended, n_explorers: most_explorers })
}

fn unled(reason: Unled, serve: &ServeOptions) -> anyhow::Error {
    match reason {
        Unled::Io(error) => error.into(),
        Unled::Other(differences) => anyhow!(
            "{} is the store of another check: {}; choose another --store, or delete it to start from the beginning",
            serve.server.store.display(),
            differences.join("; ")
        ),
    }
}

/// What workers must know.
fn offer(serve: &ServeOptions, input: &Input, options: &CheckOptions) -> Result<Offer> {
    let program = input.text();
    let job = Job::new(&build()?, &program, serve.settings.clone());
    let mut words = serve.words.clone();
    let mut file = options.output.setup.file.clone();
    if let Some(entry) = input.entry() {
        words.extend(["--entry".to_string(), entry.to_string()]);
        file += ".vm";
    }
    Ok(Offer { job, file, program, options: words })
}
