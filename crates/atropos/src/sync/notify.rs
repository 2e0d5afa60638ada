//! A notification that one thread waits for.

use super::atomic::{AtomicU32, Ordering};
use atropos_native::wait_until;

/// A notification that one thread waits for, as in loom.
///
/// ```
/// use atropos::sync::{Arc, Notify};
/// use atropos::thread;
///
/// atropos::model(|| {
///     let notify = Arc::new(Notify::new());
///     let other = Arc::clone(&notify);
///     thread::spawn(move || other.notify());
///     notify.wait();
/// });
/// ```
#[derive(Debug, Default)]
pub struct Notify {
    is_notified: AtomicU32,
}

impl Notify {
    /// A notification that was not sent.
    #[track_caller]
    pub const fn new() -> Notify {
        Notify { is_notified: AtomicU32::new(0) }
    }

    /// Wakes a thread that waits, now or later.
    #[track_caller]
    pub fn notify(&self) {
        self.is_notified.swap(1, Ordering::Release);
    }

    /// Waits for a notification, and consumes it.
    #[track_caller]
    pub fn wait(&self) {
        let taken = self.is_notified.compare_exchange(1, 0, Ordering::Acquire, Ordering::Relaxed);
        wait_until(taken.is_ok());
    }
}
