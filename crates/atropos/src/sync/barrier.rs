//! Barriers: threads wait for each other.

use super::atomic::{AtomicU32, Ordering};
use atropos_native::wait_until;

/// Makes threads wait until a given number of them has arrived, as [`std::sync::Barrier`].
///
/// ```
/// use atropos::sync::atomic::{AtomicUsize, Ordering::Relaxed};
/// use atropos::sync::{Arc, Barrier};
/// use atropos::thread;
///
/// atropos::model(|| {
///     let shared = Arc::new((Barrier::new(2), AtomicUsize::new(0)));
///     let other = Arc::clone(&shared);
///     thread::spawn(move || {
///         other.1.store(1, Relaxed);
///         other.0.wait();
///     });
///     shared.0.wait();
///     assert_eq!(shared.1.load(Relaxed), 1);
/// });
/// ```
#[derive(Debug)]
pub struct Barrier {
    n_threads: u32,
    /// The number of arrivals, in all rounds.
    n_arrived: AtomicU32,
}

/// The result of [`Barrier::wait`], as [`std::sync::BarrierWaitResult`].
///
/// ```
/// use atropos::sync::Barrier;
///
/// atropos::model(|| assert!(Barrier::new(1).wait().is_leader()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Whether the thread was the last to arrive.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// A barrier for `n` threads.
    #[track_caller]
    pub const fn new(n: usize) -> Barrier {
        let n_threads = if n == 0 { 1 } else { n as u32 };
        Barrier { n_threads, n_arrived: AtomicU32::new(0) }
    }

    /// Waits until enough threads have arrived.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let before = self.n_arrived.fetch_add(1, Ordering::AcqRel);
        let goal = (before / self.n_threads + 1) * self.n_threads;
        let is_last = before + 1 == goal;
        if !is_last {
            wait_until(self.n_arrived.load(Ordering::Acquire) >= goal);
        }
        BarrierWaitResult(is_last)
    }
}
