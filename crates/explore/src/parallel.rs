//! One search on several workers.
//!
//! Every worker runs the same depth-first search. When one has nothing to do, a busy one splits off its
//! shallowest open alternative as a [`Task`], which has the largest part of its search below it. Workers
//! share nothing else, and nobody remembers what was visited: the parts are disjoint by construction, so
//! totals do not depend on the number of workers. A single worker never meets the lock.

use crate::trust::{Equivalence, Explorer, Task};
use crate::{Config, Control, Observer, School, Stats};
use atropos_event::Program;
use atropos_model::MemoryModel;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// What a search came to.
#[derive(Debug)]
pub struct Search<O> {
    pub stats: Stats,
    /// The observers of the workers.
    pub observers: Vec<O>,
}

/// The tasks that wait for a worker.
#[derive(Debug)]
pub struct Pool {
    n_workers: usize,
    state: Mutex<State>,
    changed: Condvar,
    /// Workers without a task, less the tasks that wait: how many more tasks are welcome.
    wanted: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    tasks: VecDeque<Task>,
    n_idle: usize,
    is_over: bool,
}

impl Pool {
    fn new(n_workers: usize) -> Self {
        let state = State { tasks: VecDeque::from([Task::default()]), ..State::default() };
        Pool { n_workers, state: Mutex::new(state), changed: Condvar::new(), wanted: AtomicUsize::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no worker panics while it holds the lock")
    }

    /// Would another task find a worker?
    pub fn wants_task(&self) -> bool {
        self.wanted.load(Relaxed) > 0
    }

    pub fn put(&self, task: Task) {
        let mut state = self.lock();
        state.tasks.push_back(task);
        self.note_wanted(&state);
        drop(state);
        self.changed.notify_one();
    }

    /// The next task; `None` once all workers wait, for then nothing is left to do.
    fn take(&self) -> Option<Task> {
        let mut state = self.lock();
        state.n_idle += 1;
        loop {
            if let Some(task) = state.tasks.pop_front() {
                state.n_idle -= 1;
                self.note_wanted(&state);
                return Some(task);
            }
            if state.is_over || state.n_idle == self.n_workers {
                state.is_over = true;
                drop(state);
                self.changed.notify_all();
                return None;
            }
            self.note_wanted(&state);
            state = self.changed.wait(state).expect("no worker panics while it holds the lock");
        }
    }

    fn note_wanted(&self, state: &State) {
        self.wanted.store(state.n_idle.saturating_sub(state.tasks.len()), Relaxed);
    }
}

/// Explores all executions of `program` under `model` on `jobs` workers. The search starts over, with fresh
/// observers, when it learns something that changes it: see [`School`], and [`atropos_event::Run::split`].
pub fn explore<'p, P, M, Q, O>(
    program: &'p P,
    model: &M,
    config: Config,
    control: &'p Control,
    jobs: usize,
    observer: impl Fn() -> O + Sync,
) -> Search<O>
where
    P: Program,
    M: MemoryModel + Clone + Sync,
    Q: Equivalence<M>,
    O: Observer<P::Run<'p>> + Send,
{
    let school = Arc::new(School::default());
    loop {
        let pool = Arc::new(Pool::new(jobs.max(1)));
        let work = || {
            let mut explorer = Explorer::<P, M, Q, O>::new(
                program,
                model.clone(),
                config,
                control,
                Arc::clone(&school),
                observer(),
            );
            while let Some(task) = pool.take() {
                explorer.explore(task, (jobs > 1).then(|| Arc::clone(&pool)));
            }
            (explorer.stats, explorer.restart, explorer.observer)
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

/// Runs `work` on each of `jobs` threads; a single worker runs on this one.
fn on_workers<T: Send>(jobs: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    if jobs <= 1 {
        return vec![work()];
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(&work)).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, T>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    })
}
