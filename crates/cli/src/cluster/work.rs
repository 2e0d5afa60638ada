//! A worker of a check on many machines.

use super::counted;
use crate::args::{Cli, Command, WorkArgs};
use crate::exit::Exit;
use crate::input::{Input, ProgramSource};
use crate::options::{CheckOptions, all_cores};
use crate::{interrupt, output};
use anyhow::{Context, Result, bail};
use atropos_check::{Check, Condition, Finds, Settings};
use atropos_cluster::{
    Departure, Endpoint, Membership, Timeline, WaitTimes, WorkerThread, build, read_token,
};
use atropos_explore::Control;
use atropos_llvm::compile::Job as Compiler;
use atropos_spread::cluster::{Offer, PartExplorer, Parts, Successors, Takers, Task, TaskOutcome};
use clap::Parser;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub fn command(args: WorkArgs) -> Result<Exit> {
    let token = args.token_file.as_deref().map(read_token).transpose()?;
    let jobs = args.jobs.map_or_else(all_cores, usize::from);
    let access = Endpoint { url: args.url, token, certificate: args.tls_ca };
    interrupt::listen()?;
    let (wait, is_interrupted) = (WaitTimes::new(args.wait), &interrupt::is_interrupted);
    let membership = Membership { access, wait, is_interrupted, note: &output::note };
    let Some(joined) = membership.join(&|_| true)? else { return Ok(Exit::Verified) };
    let options = Arc::new(accept(&joined.offer)?);
    let timeline = args
        .timeline
        .as_deref()
        .map(|path| Timeline::open(path).with_context(|| format!("cannot write {}", path.display())));
    let timeline = Arc::new(timeline.transpose()?);
    let explorers = ready(&options, jobs);
    let presence = joined.appear(jobs)?;
    output::note(&format!("{}: exploring with {}", joined.offer.file, counted(jobs as u64, "thread")));
    let done = Arc::new(Done::default());
    for (mut parts, nth) in explorers.into_iter().zip(1..) {
        let (presence, done, timeline) = (Arc::clone(&presence), Arc::clone(&done), Arc::clone(&timeline));
        let explore = move || {
            let timeline = timeline.as_ref().as_ref().map(|timeline| (timeline, nth));
            WorkerThread { presence, timeline }.work(&mut parts, &|| true, &|n| done.count(n));
        };
        let thread = std::thread::Builder::new().name(format!("worker {nth}"));
        thread.spawn(explore).context("cannot start a thread")?;
    }
    let departure = membership.stand_by(&joined, &presence);
    presence.leave();
    let (n_parts, n_executions) = (done.parts.load(Relaxed), done.executions.load(Relaxed));
    let (reason, exit) = match departure {
        Departure::Over => ("the check is over", Exit::Verified),
        Departure::Interrupted => ("interrupted", Exit::Verified),
        Departure::Lost => ("the server is gone", Exit::BadInput),
    };
    output::note(&format!("{reason}: {}, {}", counted(n_parts, "part"), counted(n_executions, "execution")));
    // Explorers are in the middle of something, and may be.
    Ok(exit)
}

/// The options of the check that is offered, if this program can take part in it.
fn accept(offer: &Offer) -> Result<CheckOptions> {
    if let Some(difference) = offer.job.refusal(&build()?, &offer.program) {
        bail!("this worker cannot take part: {difference}");
    }
    let words = ["atropos", "check"].map(String::from).into_iter();
    let words = words.chain(offer.options.iter().cloned()).chain([offer.file.clone()]);
    let cli = Cli::try_parse_from(words).context("the server has options that this worker does not know")?;
    let Command::Check(args) = cli.command else { bail!("the server offers something else than a check") };
    let source = ProgramSource::with_text(&args.file, offer.program.clone())?;
    CheckOptions::resolve(*args, source)
}

/// What the explorers of this worker have done.
#[derive(Default)]
struct Done {
    parts: AtomicU64,
    executions: AtomicU64,
}

impl Done {
    fn count(&self, n_executions: u64) {
        self.parts.fetch_add(1, Relaxed);
        self.executions.fetch_add(n_executions, Relaxed);
    }
}

/// Explores parts of the search.
struct TextExplorer {
    options: Arc<CheckOptions>,
    /// The program, and the lessons that it knows.
    input: Option<(String, Input)>,
}

/// Explorers that are ready for their first parts.
fn ready(options: &Arc<CheckOptions>, jobs: usize) -> Vec<TextExplorer> {
    let load = || {
        let mut parts = TextExplorer { options: Arc::clone(options), input: None };
        parts.input("");
        parts
    };
    std::thread::scope(|scope| {
        let loading: Vec<_> = (0..jobs).map(|_| scope.spawn(load)).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, TextExplorer>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        loading.into_iter().map(join).collect()
    })
}

impl TextExplorer {
    /// The program as it is with these lessons. One with others would be searched in another way.
    fn input(&mut self, lessons: &str) -> &Input {
        if self.input.as_ref().is_none_or(|(known, _)| known != lessons) {
            let model = &self.options.output.setup.model;
            let input = Input::load(&self.options.input, model, &Compiler::default());
            let input = input.expect("the leader has loaded the same program");
            self.input = Some((lessons.to_string(), input));
        }
        &self.input.as_ref().expect("just loaded").1
    }
}

impl PartExplorer for TextExplorer {
    fn explore(&mut self, task: &Task, takers: &dyn Takers, successors: &dyn Successors) -> TaskOutcome {
        let options = Arc::clone(&self.options);
        let input = self.input(&task.lessons);
        let ledger = Parts::of(task, takers).then(successors);
        let settings = Settings { jobs: 1, ..options.search.settings(false) };
        let condition = input.litmus().map(|input| input as &dyn Condition);
        let program = input.program();
        let check = Check { program, condition, settings, replay: None, sink: None, ledger: Some(&ledger) };
        let (control, finds) = (Control::default(), Finds::default());
        let search = input.explore(&check, &control, &finds);
        ledger.conclude(&check, &finds, search)
    }
}
