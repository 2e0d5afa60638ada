//! Asynchronous code.

use crate::sync::{Mutex, Notify};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

struct Wakes(Notify);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.notify();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.notify();
    }
}

/// Runs a future to its end.
///
/// ```
/// atropos::model(|| {
///     assert_eq!(atropos::future::block_on(async { 1 + 1 }), 2);
/// });
/// ```
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let wakes = Arc::new(Wakes(Notify::new()));
    let waker = Waker::from(Arc::clone(&wakes));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        wakes.0.wait();
    }
}

/// The waker of a task that waits, which other threads replace and wake.
///
/// ```
/// use atropos::future::{AtomicWaker, block_on};
/// use atropos::sync::Arc;
/// use atropos::sync::atomic::{AtomicBool, Ordering::SeqCst};
/// use atropos::thread;
/// use std::task::Poll;
///
/// atropos::model(|| {
///     let shared = Arc::new((AtomicBool::new(false), AtomicWaker::new()));
///     let other = Arc::clone(&shared);
///     thread::spawn(move || {
///         other.0.store(true, SeqCst);
///         other.1.wake();
///     });
///     block_on(std::future::poll_fn(|context| {
///         shared.1.register_by_ref(context.waker());
///         if shared.0.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }
///     }));
/// });
/// ```
#[derive(Debug, Default)]
pub struct AtomicWaker {
    waker: Mutex<Option<Waker>>,
}

impl AtomicWaker {
    /// Holds no waker.
    #[track_caller]
    pub const fn new() -> AtomicWaker {
        AtomicWaker { waker: Mutex::new(None) }
    }

    #[track_caller]
    fn replace(&self, waker: Option<Waker>) -> Option<Waker> {
        let mut known = self.waker.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        std::mem::replace(&mut *known, waker)
    }

    /// Replaces the waker.
    #[track_caller]
    pub fn register(&self, waker: Waker) {
        self.replace(Some(waker));
    }

    /// Replaces the waker by a copy of this one.
    #[track_caller]
    pub fn register_by_ref(&self, waker: &Waker) {
        self.register(waker.clone());
    }

    /// Wakes the task, if there is one.
    #[track_caller]
    pub fn wake(&self) {
        if let Some(waker) = self.take_waker() {
            waker.wake();
        }
    }

    /// Takes the waker, if there is one.
    #[track_caller]
    pub fn take_waker(&self) -> Option<Waker> {
        self.replace(None)
    }
}
