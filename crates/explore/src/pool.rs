//! Passes parts of a search from one worker to another.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard};

/// Open choices from a split to the end of the current execution: a part of the search with fewer is too small to give
/// away.
pub const WORTH_SPLITTING: usize = 4;

/// The tasks that wait for a worker.
#[derive(Debug)]
pub struct Pool<T> {
    n_workers: usize,
    state: Mutex<State<T>>,
    changed: Condvar,
    /// Idle workers minus waiting tasks: how many more tasks are welcome.
    wanted: AtomicUsize,
}

#[derive(Debug)]
struct State<T> {
    tasks: VecDeque<T>,
    n_idle: usize,
    is_over: bool,
}

impl<T> Pool<T> {
    /// A pool for that many workers, at least one, that starts with these tasks.
    pub fn new(n_workers: usize, tasks: Vec<T>) -> Self {
        let state = State { tasks: VecDeque::from(tasks), n_idle: 0, is_over: false };
        Pool {
            n_workers: n_workers.max(1),
            state: Mutex::new(state),
            changed: Condvar::new(),
            wanted: AtomicUsize::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().expect("no worker panics while it holds the lock")
    }

    /// Whether another task would find a worker.
    pub fn wants_task(&self) -> bool {
        self.wanted.load(Relaxed) > 0
    }

    pub fn put(&self, task: T) {
        let mut state = self.lock();
        state.tasks.push_back(task);
        self.note_wanted(&state);
        drop(state);
        self.changed.notify_one();
    }

    /// The next task; `None` once all workers wait, because then nothing is left to do.
    pub fn take(&self) -> Option<T> {
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

    fn note_wanted(&self, state: &State<T>) {
        self.wanted.store(state.n_idle.saturating_sub(state.tasks.len()), Relaxed);
    }
}

/// Runs `work` on each of `jobs` threads; a single worker runs on this one.
pub fn on_workers<T: Send>(jobs: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    if jobs <= 1 {
        return vec![work()];
    }
    std::thread::scope(|scope| {
        // The log shows the names of threads.
        let start = |nth: usize| {
            let builder = std::thread::Builder::new().name(format!("worker {}", nth + 1));
            builder.spawn_scoped(scope, &work).expect("the system can start a thread")
        };
        let workers: Vec<_> = (0..jobs).map(start).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, T>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    })
}
