//! One search on several workers.
//!
//! Every worker runs the same depth-first search. When one has nothing to do, a busy one splits off its
//! shallowest open alternative as a [`Task`], which has the largest part of its search below it. Workers
//! share nothing else, and nobody remembers what was visited: the parts are disjoint by construction, so
//! totals do not depend on the number of workers. A single worker never meets the lock.

use crate::pool::{Pool, on_workers};
use crate::trust::{Equivalence, Explorer, Task};
use crate::{Config, Control, Observer, School, Stats};
use atropos_event::Program;
use atropos_model::MemoryModel;
use std::sync::Arc;

/// What a search came to.
#[derive(Debug)]
pub struct Search<O> {
    pub stats: Stats,
    /// The observers of the workers.
    pub observers: Vec<O>,
}

/// Explores all executions of `program` under `model` on `jobs` workers. The search starts over, with fresh
/// observers, when it learns something that changes it: see [`School`], and [`atropos_event::Run::split`].
pub fn explore<P, M, Q, O>(
    program: &P,
    model: &M,
    config: Config,
    control: &Control,
    jobs: usize,
    observer: impl Fn() -> O + Sync,
) -> Search<O>
where
    P: Program,
    M: MemoryModel + Clone + Sync,
    Q: Equivalence<M>,
    O: Observer + Send,
{
    let school = Arc::new(School::default());
    loop {
        let pool = Arc::new(Pool::new(jobs, Task::default()));
        let work = || {
            let mut observer = observer();
            let school = Arc::clone(&school);
            let mut explorer =
                Explorer::<P, M, Q>::new(program, model.clone(), config, control, school, &mut observer);
            while let Some(task) = pool.take() {
                explorer.explore(task, (jobs > 1).then(|| Arc::clone(&pool)));
            }
            let (stats, restart) = (explorer.stats, explorer.restart);
            drop(explorer);
            (stats, restart, observer)
        };
        let results = on_workers(jobs, work);
        let must_restart = results.iter().any(|(_, restart, _)| *restart);
        if must_restart && !control.is_stopped() {
            control.start_over();
            continue;
        }
        let mut search = Search { stats: Stats::default(), observers: Vec::new() };
        for (stats, _, observer) in results {
            search.stats += stats;
            search.observers.push(observer);
        }
        return search;
    }
}
