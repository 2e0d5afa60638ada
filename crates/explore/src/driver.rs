//! One search on several workers, for every algorithm.
//!
//! Every worker runs the same depth-first search. If a worker is idle, a busy one splits off a part of its own
//! search, as large as possible. Workers share nothing else, and nothing remembers what was visited: the parts are
//! disjoint by construction, so totals do not depend on the number of workers. A single worker never takes the lock.

use crate::host::{Host, Shared};
use crate::journal::{self, log_restart};
use crate::learned::Learned;
use crate::ledger::{Ledger, Resumed};
use crate::pool::{Pool, on_workers};
use crate::{Config, Control, Observer};
use atropos_event::{Program, RefusalReason, Run, Stats};
use log::Level;
use std::sync::Mutex;

/// An algorithm and its settings, which creates workers.
pub trait Strategy<R: Run>: Sync {
    /// The name of the algorithm in the log.
    const NAME: &'static str;

    /// A part of the search; the default is all of it.
    type Part: Default + Send;

    type Worker<'a>: Worker<'a, R, Part = Self::Part>
    where
        Self: 'a,
        R: 'a;

    /// Whether a worker can give away a part of its search. Other algorithms use one worker.
    const CAN_SPLIT: bool = false;

    /// The text of a part; only for algorithms whose parts can be sent to another process.
    fn text_of(_part: &Self::Part) -> String {
        unreachable!("the parts of this algorithm have no text")
    }

    /// The parts with these texts, if there are such parts; `known` are the keys that need not be named again.
    fn read_parts(_texts: &[String], _known: &[String]) -> Option<Vec<Self::Part>> {
        unreachable!("the parts of this algorithm have no text")
    }

    /// A worker; parts that it splits off go to the pool.
    fn start<'a>(&'a self, host: Host<'a, R>, pool: Option<&'a Pool<Self::Part>>) -> Self::Worker<'a>;
}

/// A worker of a search.
pub trait Worker<'a, R: Run> {
    type Part;

    /// Visits all executions of a part of the search.
    fn explore(&mut self, part: Self::Part);

    fn host(&mut self) -> &mut Host<'a, R>;
}

/// The result of a search.
#[derive(Debug)]
pub struct SearchResult<O> {
    pub stats: Stats,
    /// The observers of the workers.
    pub observers: Vec<O>,
}

/// The workers of a search.
#[derive(Clone, Copy)]
pub struct Workers<'a> {
    /// How many of them; algorithms that cannot split their search use one.
    pub jobs: usize,
    /// Where they keep what they have done, if another process may continue the search.
    pub ledger: Option<&'a dyn Ledger>,
}

impl From<usize> for Workers<'_> {
    fn from(jobs: usize) -> Self {
        Workers { jobs, ledger: None }
    }
}

/// Everything about a search except its algorithm.
pub struct Search<'a, R> {
    pub program: &'a dyn Program,
    /// Starts a run of the program.
    pub start: &'a (dyn Fn() -> R + Sync),
    pub config: Config,
    pub control: &'a Control,
    pub workers: Workers<'a>,
    pub observers: &'a dyn Observers,
}

/// The observers of all workers, whatever their type, so that explorers are compiled once for all of them.
pub trait Observers: Sync {
    /// Creates the observer of a worker, which does its `work` with it, and keeps it.
    fn observe(&self, work: &mut dyn FnMut(&mut dyn Observer));

    /// Drops the observers of a search that starts over.
    fn drop_all(&self);
}

/// Observers that `create` creates.
pub(crate) struct Kept<O, F> {
    create: F,
    observers: Mutex<Vec<O>>,
}

impl<O: Observer + Send, F: Fn() -> O + Sync> Kept<O, F> {
    pub fn new(create: F) -> Self {
        Kept { create, observers: Mutex::default() }
    }

    pub fn with(self, stats: Stats) -> SearchResult<O> {
        SearchResult { stats, observers: self.observers.into_inner().expect("no worker has panicked") }
    }
}

impl<O: Observer + Send, F: Fn() -> O + Sync> Observers for Kept<O, F> {
    fn observe(&self, work: &mut dyn FnMut(&mut dyn Observer)) {
        let mut observer = (self.create)();
        work(&mut observer);
        self.observers.lock().expect("no worker panics while it holds the lock").push(observer);
    }

    fn drop_all(&self) {
        self.observers.lock().expect("no worker panics while it holds the lock").clear();
    }
}

/// Explores all executions of `program` on `jobs` workers, each with its own observer.
#[expect(clippy::needless_lifetimes, reason = "the strategy is for the program's runs")]
pub fn search<'p, S, O: Observer + Send>(
    program: &'p dyn Program,
    strategy: &S,
    config: Config,
    control: &Control,
    jobs: usize,
    observer: impl Fn() -> O + Sync,
) -> SearchResult<O>
where
    S: Strategy<Box<dyn Run + 'p>>,
{
    let kept = Kept::new(observer);
    let start = || program.start();
    let search = Search { program, start: &start, config, control, workers: jobs.into(), observers: &kept };
    let stats = search.run(strategy);
    kept.with(stats)
}

impl<R: Run> Search<'_, R> {
    /// Explores all executions. The search starts over, with fresh observers, when it learns something that changes it:
    /// see [`crate::learned`], and [`atropos_event::Run::split`].
    pub fn run<S: Strategy<R>>(&self, strategy: &S) -> Stats {
        let learned = Learned::default();
        let mut total = Stats::default();
        let mut parts = match self.workers.ledger {
            None => vec![S::Part::default()],
            Some(ledger) => match self.resume::<S>(ledger, &learned, &mut total) {
                Some(parts) => parts,
                None => return self.refuse_parts(),
            },
        };
        loop {
            let results = self.explore(strategy, parts, &learned);
            if results.iter().any(|&(_, must_restart)| must_restart) && !self.control.is_stopped() {
                self.observers.drop_all();
                self.control.start_over();
                if journal::is_on(Level::Debug) {
                    log_restart(format_args!("the search starts over"));
                }
                if let Some(ledger) = self.workers.ledger {
                    ledger.start_over(&learned.to_text(self.program));
                    if ledger.budget().is_elsewhere {
                        return Stats::default();
                    }
                }
                (parts, total) = (vec![S::Part::default()], Stats::default());
                continue;
            }
            results.into_iter().for_each(|(stats, _)| total += stats);
            return total;
        }
    }

    /// Explores the `parts`. Each worker returns what it has counted, and whether the search must start over.
    fn explore<S: Strategy<R>>(
        &self,
        strategy: &S,
        parts: Vec<S::Part>,
        learned: &Learned,
    ) -> Vec<(Stats, bool)> {
        let Workers { jobs, ledger } = self.workers;
        let jobs = if S::CAN_SPLIT { jobs } else { 1 };
        let pool = Pool::new(jobs, parts);
        let gives_away = jobs > 1 || ledger.is_some();
        let work = || {
            let (mut stats, mut must_restart) = (Stats::default(), false);
            self.observers.observe(&mut |observer| {
                let shared = Shared { name: S::NAME, control: self.control, learned };
                let host = Host::new(self, shared, observer);
                let mut worker = strategy.start(host, gives_away.then_some(&pool));
                while let Some(part) = pool.take() {
                    match ledger {
                        None => worker.explore(part),
                        Some(ledger) => stats += explore_recorded::<R, S>(&mut worker, part, ledger),
                    }
                    worker.host().flush();
                }
                match ledger {
                    None => stats = worker.host().stats,
                    Some(ledger) => {
                        while let Some(part) = next_part::<R, S>(&mut worker, ledger) {
                            // The records say what became of the parts before it.
                            stats = explore_recorded::<R, S>(&mut worker, part, ledger);
                            worker.host().flush();
                        }
                    }
                }
                must_restart = worker.host().must_restart;
            });
            (stats, must_restart)
        };
        on_workers(jobs, work)
    }

    /// The parts that an earlier search has left, if they are parts of this one.
    fn resume<S: Strategy<R>>(
        &self,
        ledger: &dyn Ledger,
        learned: &Learned,
        total: &mut Stats,
    ) -> Option<Vec<S::Part>> {
        let Resumed { lessons, parts, stats, known, .. } = ledger.resume();
        learned.recall(&lessons, self.program)?;
        self.control.inherit(stats.executions + stats.blocked);
        *total = stats;
        S::read_parts(&parts, &known)
    }

    #[cold]
    fn refuse_parts(&self) -> Stats {
        self.observers.observe(&mut |observer| observer.refused(RefusalReason::OtherSearch.into()));
        Stats::default()
    }
}

/// Explores a part and records it, unless the search has stopped. Returns what was counted in it.
fn explore_recorded<'a, R: Run + 'a, S: Strategy<R> + 'a>(
    worker: &mut S::Worker<'a>,
    part: S::Part,
    ledger: &'a dyn Ledger,
) -> Stats {
    let text = S::text_of(&part);
    worker.host().begin_part(ledger);
    worker.explore(part);
    if !worker.host().is_stopped {
        ledger.record(worker.host().end_part(text));
    }
    worker.host().stats
}

/// The next part that the ledger has for a worker that has not stopped.
fn next_part<'a, R: Run + 'a, S: Strategy<R> + 'a>(
    worker: &mut S::Worker<'a>,
    ledger: &dyn Ledger,
) -> Option<S::Part> {
    let host = worker.host();
    if host.is_stopped {
        return None;
    }
    let text = ledger.next_part()?;
    let part = S::read_parts(&[text], &[]).and_then(|mut parts| parts.pop());
    if part.is_none() {
        host.refuse(RefusalReason::OtherSearch);
    }
    part
}
