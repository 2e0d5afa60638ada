//! One search on several workers, for every algorithm.
//!
//! Every worker runs the same depth-first search. If a worker is idle, a busy one splits off a part of its own
//! search, as large as possible. Workers share nothing else, and nothing remembers what was visited: the parts are
//! disjoint by construction, so totals do not depend on the number of workers. A single worker never takes the lock.

use crate::host::{Host, Shared};
use crate::journal::{self, log_restart};
use crate::learned::Learned;
use crate::pool::{Pool, on_workers};
use crate::{Config, Control, Observer};
use atropos_event::{Program, Stats};
use log::Level;

/// An algorithm and its settings, which creates workers.
pub trait Strategy<P: Program>: Sync {
    /// The name of the algorithm in the log.
    const NAME: &'static str;

    /// A part of the search; the default is all of it.
    type Part: Default + Send;

    type Worker<'a>: Worker<'a, P, Part = Self::Part>
    where
        Self: 'a,
        P: 'a;

    /// Whether a worker can give away a part of its search. Other algorithms use one worker.
    const CAN_SPLIT: bool = false;

    /// A worker; parts that it splits off go to the pool.
    fn start<'a>(&'a self, host: Host<'a, P>, pool: Option<&'a Pool<Self::Part>>) -> Self::Worker<'a>;
}

/// A worker of a search.
pub trait Worker<'a, P: Program> {
    type Part;

    /// Visits all executions of a part of the search.
    fn explore(&mut self, part: Self::Part);

    fn host(&mut self) -> &mut Host<'a, P>;
}

/// The result of a search.
#[derive(Debug)]
pub struct SearchResult<O> {
    pub stats: Stats,
    /// The observers of the workers.
    pub observers: Vec<O>,
}

/// Explores all executions of `program` on `jobs` workers. The search starts over, with fresh observers, when it
/// learns something that changes it: see [`crate::learned`], and [`atropos_event::Run::split`].
pub fn search<P: Program, S: Strategy<P>, O: Observer + Send>(
    program: &P,
    strategy: &S,
    config: Config,
    control: &Control,
    jobs: usize,
    observer: impl Fn() -> O + Sync,
) -> SearchResult<O> {
    let jobs = if S::CAN_SPLIT { jobs } else { 1 };
    let learned = Learned::default();
    loop {
        let pool = Pool::new(jobs, S::Part::default());
        let work = || {
            let mut observer = observer();
            let shared = Shared { name: S::NAME, control, learned: &learned };
            let host = Host::new(program, config, shared, &mut observer);
            let mut worker = strategy.start(host, (jobs > 1).then_some(&pool));
            while let Some(part) = pool.take() {
                worker.explore(part);
                worker.host().flush();
            }
            let Host { stats, must_restart, .. } = *worker.host();
            drop(worker);
            (stats, must_restart, observer)
        };
        let results = on_workers(jobs, work);
        if results.iter().any(|(_, must_restart, _)| *must_restart) && !control.is_stopped() {
            control.start_over();
            if journal::is_on(Level::Debug) {
                log_restart(format_args!("the search starts over"));
            }
            continue;
        }
        let mut search = SearchResult { stats: Stats::default(), observers: Vec::new() };
        for (stats, _, observer) in results {
            search.stats += stats;
            search.observers.push(observer);
        }
        return search;
    }
}
