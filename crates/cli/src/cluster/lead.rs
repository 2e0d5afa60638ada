//! The leader of a check on many machines.

use super::progress::{ClusterProgress, Workers};
use super::{build, counted, read_token};
use crate::args::ServerArgs;
use crate::flags::{Given, Settled};
use crate::input::Input;
use crate::options::CheckOptions;
use crate::output;
use crate::watch::Work;
use anyhow::{Context, Result, bail};
use atropos_cluster::{Endpoint, LeaderLink, Link, Server, ServerOptions};
use atropos_explore::{Budget, Ledger, Record, Resumed};
use atropos_spread::Job;
use atropos_spread::cluster::{End, Leader, Offer, Pace};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long to wait for news before looking up.
const WAIT: Duration = Duration::from_millis(100);

/// How long the server may take to start.
const START: Duration = Duration::from_secs(30);

/// How to serve a check.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    server: ServerOptions,
    /// How the leader itself reaches the server.
    access: Endpoint,
    lease: Duration,
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
            let free = TcpListener::bind(listen).and_then(|listener| listener.local_addr());
            listen = free.with_context(|| format!("cannot listen at {listen}"))?;
        }
        let tls = args.tls_cert.clone().zip(args.tls_key);
        let host =
            if listen.ip().is_unspecified() { "localhost".to_string() } else { listen.ip().to_string() };
        let host = if listen.is_ipv6() && host != "localhost" { format!("[{host}]") } else { host };
        let url = format!("nats://{host}:{}", listen.port());
        let access = Endpoint { url, token: token.clone(), certificate: args.tls_cert };
        let (store, monitor) = (args.store, args.monitor);
        let server = ServerOptions { listen, store, token, tls, monitor };
        let (lease, progress) = (args.lease, args.progress);
        Ok(ServeOptions { server, access, lease, progress, settings: Vec::new(), words: Vec::new() })
    }

    /// Where other machines find the server.
    fn url_for_workers(&self) -> String {
        let listen = self.server.listen;
        match std::fs::read_to_string("/proc/sys/kernel/hostname") {
            Ok(host) if listen.ip().is_unspecified() => format!("nats://{}:{}", host.trim(), listen.port()),
            _ => self.access.url.clone(),
        }
    }

    /// The same for a check with these options.
    pub fn of(self, given: &Given, settled: &Settled) -> ServeOptions {
        let (settings, words) = (given.settings_for_workers(settled), given.words_for_workers(settled));
        ServeOptions { settings, words, ..self }
    }
}

/// What a check on many machines has come to: nothing is left to do, except for the part that shows why the program
/// cannot be checked.
pub struct Served {
    resumed: Resumed,
    /// The most threads that have explored at the same time.
    pub n_explorers: usize,
}

impl Ledger for Served {
    fn budget(&self) -> Budget {
        let time = Duration::from_secs(24 * 3600);
        Budget { time, executions: u64::MAX, n_shed: 0, is_elsewhere: true }
    }

    fn resume(&self) -> Resumed {
        self.resumed.clone()
    }

    fn start_over(&self, _: &str) {}

    fn record(&self, _: Record) {}
}

/// Serves a check until it is over or stopped.
///
/// # Errors
/// If the server cannot be started, or the store is that of another check.
pub fn lead(serve: &ServeOptions, input: &Input, options: &CheckOptions, work: &Work) -> Result<Served> {
    let is_stopped = || work.control.is_stopped();
    let mut server = Server::start(serve.server.clone())?;
    let link = Arc::new(connect(serve, &mut server, &is_stopped)?);
    let offer = agree(&link, offer(serve, input, options)?, serve)?;
    let mut side = LeaderLink::new(Arc::clone(&link), &offer, serve.lease);
    output::note(&format!("workers join with `atropos work {}`", serve.url_for_workers()));
    let most = options.search.config.max_executions;
    let mut leader = resume(&mut side, Pace { elapsed: Duration::ZERO, n_workers: 1 }, most)
        .with_context(|| "the server does not answer")?;
    let inherited = leader.stats().executions + leader.stats().blocked;
    if inherited > 0 {
        output::note(&format!("the check continues after {}", counted(inherited, "execution")));
    }
    let is_shown = options.output.format != crate::args::Format::Json && !crate::logger::is_on();
    let mut progress = ClusterProgress::new(is_shown, serve.progress.as_deref(), inherited)?;
    let mut is_lost = false;
    let (mut workers, mut most_explorers) = (Workers::default(), 1);
    while leader.end().is_none() && !is_stopped() && !leader.has_enough() {
        let (n_processes, n_explorers) = side.n_workers();
        workers = Workers { n_processes, n_explorers };
        most_explorers = n_explorers.max(most_explorers);
        progress.show(&leader, workers, work.survey.estimate());
        let pace = Pace { elapsed: progress.elapsed(), n_workers: n_explorers };
        is_lost |= server.look_after()?;
        if is_lost {
            // The server may have forgotten the last entries, so everything is read again.
            match resume(&mut side, pace, most) {
                Ok(resumed) => (leader, is_lost) = (resumed, false),
                Err(_) => std::thread::sleep(WAIT),
            }
        } else {
            is_lost = leader.step(&mut side, pace, WAIT).is_err();
        }
    }
    side.stop();
    progress.end(&leader, workers, work.survey.estimate());
    let mut resumed = leader.resumed();
    resumed.parts = match leader.end() {
        Some(End::Refused { part }) => vec![part],
        _ => Vec::new(),
    };
    Ok(Served { resumed, n_explorers: most_explorers })
}

/// A leader that knows what is kept.
fn resume(side: &mut LeaderLink, pace: Pace, most: Option<u64>) -> std::io::Result<Leader> {
    side.prepare()?;
    let mut leader = Leader::new(side.sum()?).at_most(most);
    leader.start(side, pace)?;
    Ok(leader)
}

fn connect(serve: &ServeOptions, server: &mut Server, is_stopped: &dyn Fn() -> bool) -> Result<Link> {
    let start = Instant::now();
    loop {
        server.look_after()?;
        match Link::connect(&serve.access) {
            Err(error) if start.elapsed() > START || is_stopped() => {
                return Err(error)
                    .with_context(|| format!("cannot reach nats-server at {}", serve.access.url));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
            Ok(link) => return Ok(link),
        }
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

/// The offer that is on the server already, if it is the same; otherwise makes it.
fn agree(link: &Link, offer: Offer, serve: &ServeOptions) -> Result<Offer> {
    let Some(known) = link.offer()? else {
        link.make_offer(&offer).with_context(|| "the program cannot be offered to workers")?;
        return Ok(offer);
    };
    let differences = offer.job.differences(&known.job);
    if !differences.is_empty() {
        bail!(
            "{} is the store of another check: {}; choose another --store, or delete it to start from the beginning",
            serve.server.store.display(),
            differences.join("; ")
        );
    }
    Ok(known)
}
