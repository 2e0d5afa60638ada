//! A worker of a check on many machines.

use super::{build, counted, read_token};
use crate::args::{Cli, Command, WorkArgs};
use crate::exit::Exit;
use crate::input::{Input, ProgramSource};
use crate::options::{CheckOptions, all_cores};
use crate::{interrupt, output};
use anyhow::{Context, Result, bail};
use atropos_check::{Check, Condition, Finds, Settings};
use atropos_cluster::{Endpoint, Link, Presence, WorkerLink};
use atropos_explore::{Control, Record};
use atropos_llvm::compile::Job as Compiler;
use atropos_spread::cluster::{Offer, OnePart, PartExplorer, Task, TaskOutcome, Turn, take_turn};
use clap::Parser;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How often to look whether the search is over, and whether the server still offers it.
const LOOK: Duration = Duration::from_millis(20);
const BETWEEN_QUESTIONS: Duration = Duration::from_secs(5);

pub fn command(args: WorkArgs) -> Result<Exit> {
    let token = args.token_file.as_deref().map(read_token).transpose()?;
    let jobs = args.jobs.map_or_else(all_cores, usize::from);
    let access = Endpoint { url: args.url, token, certificate: args.tls_ca };
    interrupt::listen()?;
    let Some((link, offer)) = join(&access, args.wait)? else { return Ok(Exit::Verified) };
    let options = Arc::new(accept(&offer)?);
    let link = Arc::new(link);
    let presence = Arc::new(Presence::new(Arc::clone(&link), &offer, jobs)?);
    output::note(&format!("{}: exploring with {}", offer.file, counted(jobs as u64, "thread")));
    let done = Arc::new(Done::default());
    for nth in 1..=jobs {
        let explorer = Parts { options: Arc::clone(&options), input: None };
        let (side, done) = (WorkerLink::new(Arc::clone(&presence)), Arc::clone(&done));
        let thread = std::thread::Builder::new().name(format!("worker {nth}"));
        thread.spawn(move || explore(side, explorer, &done)).context("cannot start a thread")?;
    }
    let end = stand_by(&link, &presence, &offer, args.wait);
    presence.leave();
    let (n_parts, n_executions) = (done.parts.load(Relaxed), done.executions.load(Relaxed));
    output::note(&format!("{end}: {}, {}", counted(n_parts, "part"), counted(n_executions, "execution")));
    // Explorers are in the middle of something, and may be.
    Ok(if end == LOST { Exit::BadInput } else { Exit::Verified })
}

/// Why a worker ends.
const OVER: &str = "the check is over";
const INTERRUPTED: &str = "interrupted";
const LOST: &str = "the server is gone";

/// Waits until there is a server with an offer.
fn join(access: &Endpoint, wait: Duration) -> Result<Option<(Link, Offer)>> {
    let start = Instant::now();
    let mut link = None;
    loop {
        let attempt = match link.take() {
            None => Link::connect(access),
            Some(link) => Ok(link),
        };
        let attempt = attempt.and_then(|known| {
            let offer = known.offer();
            link = Some(known);
            offer
        });
        match attempt {
            Ok(Some(offer)) => return Ok(link.map(|link| (link, offer))),
            _ if interrupt::is_interrupted() => return Ok(None),
            Ok(None) if start.elapsed() > wait => bail!("{} offers no check", access.url),
            Err(error) if start.elapsed() > wait => {
                return Err(error).with_context(|| format!("cannot reach {}", access.url));
            }
            _ => std::thread::sleep(Duration::from_millis(50)),
        }
    }
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

/// Works until the process ends.
fn explore(mut side: WorkerLink, mut explorer: Parts, done: &Done) {
    loop {
        match take_turn(&mut side, &mut explorer) {
            Ok(Turn::Waited) => {}
            Ok(Turn::Worked(executions)) => {
                done.parts.fetch_add(1, Relaxed);
                done.executions.fetch_add(executions, Relaxed);
            }
            Err(_) => std::thread::sleep(Duration::from_millis(200)),
        }
    }
}

/// Waits for the end of the check.
fn stand_by(link: &Link, presence: &Presence, offer: &Offer, wait: Duration) -> &'static str {
    let mut heard = Instant::now();
    let mut asked = Instant::now();
    loop {
        if presence.is_over() {
            return OVER;
        }
        if interrupt::is_interrupted() {
            return INTERRUPTED;
        }
        if asked.elapsed() > BETWEEN_QUESTIONS {
            match link.offer() {
                Ok(Some(other)) if other != *offer => return OVER,
                Ok(_) => heard = Instant::now(),
                Err(_) if heard.elapsed() > wait => return LOST,
                Err(_) => {}
            }
            asked = Instant::now();
        }
        std::thread::sleep(LOOK);
    }
}

/// Explores parts of the search.
struct Parts {
    options: Arc<CheckOptions>,
    /// The program, and the lessons that it knows.
    input: Option<(String, Input)>,
}

impl Parts {
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

impl PartExplorer for Parts {
    fn explore(&mut self, task: &Task) -> TaskOutcome {
        let options = Arc::clone(&self.options);
        let input = self.input(&task.lessons);
        let ledger = OnePart::new(&task.lessons, &task.part, task.budget());
        let settings = Settings { jobs: 1, ..options.search.settings(false) };
        let condition = input.litmus().map(|input| input as &dyn Condition);
        let program = input.program();
        let check = Check { program, condition, settings, replay: None, sink: None, ledger: Some(&ledger) };
        let (control, finds) = (Control::default(), Finds::default());
        let search = input.explore(&check, &control, &finds);
        let stats = search.stats;
        let (refusal, findings) = check.unfinished(&finds);
        drop(search);
        match ledger.into_outcome() {
            Some(outcome) => outcome,
            None if refusal.is_some() => TaskOutcome::Refused,
            // Nothing else stops it.
            None => {
                let (part, findings, notes) = (task.part.clone(), findings.to_string(), program.notes());
                TaskOutcome::Violation(Record { part, stats, findings, notes, ..Record::default() })
            }
        }
    }
}
