//! Condition variables. A notification wakes any one of the threads that wait at that moment, or all of them.
//!
//! The object holds one bit for each thread that has not been woken yet; another object counts how often each thread
//! was woken. Only the mutex synchronises. What it does not protect changes only by read-modify-writes.

use crate::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use crate::choice::choose;
use crate::context::{Where, with};
use crate::mutex::{Mutex, MutexGuard};
use crate::perform;
use atropos_event::{BlockReason, RefusalReason};
use std::panic::Location;
use std::sync::LockResult;
use std::time::Duration;

/// The number of threads that can wait.
const MOST: usize = 64;

/// How often each thread was woken.
static WAKE_UPS: [AtomicU32; MOST] = [const { AtomicU32::new(0) }; MOST];

/// A condition variable, as [`std::sync::Condvar`].
///
/// Threads are not woken without a notification. A wait with a timeout may time out at any moment.
///
/// ```
/// use atropos::sync::{Arc, Condvar, Mutex};
/// use atropos::thread;
///
/// atropos::model(|| {
///     let pair = Arc::new((Mutex::new(false), Condvar::new()));
///     let other = Arc::clone(&pair);
///     thread::spawn(move || {
///         *other.0.lock().unwrap() = true;
///         other.1.notify_one();
///     });
///     let ready = pair.1.wait_while(pair.0.lock().unwrap(), |ready| !*ready).unwrap();
///     assert!(*ready);
/// });
/// ```
#[derive(Debug, Default)]
pub struct Condvar {
    waiting: AtomicU64,
}

/// Whether a wait has timed out, as [`std::sync::WaitTimeoutResult`].
///
/// ```
/// use atropos::sync::{Condvar, Mutex};
/// use std::time::Duration;
///
/// atropos::model(|| {
///     let (mutex, condition) = (Mutex::new(()), Condvar::new());
///     let (_guard, result) =
///         condition.wait_timeout(mutex.lock().unwrap(), Duration::from_secs(1)).unwrap();
///     assert!(result.timed_out());
/// });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the wait has timed out.
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// A thread that has begun to wait.
struct Ticket {
    number: usize,
    n_wake_ups: u32,
}

impl Condvar {
    /// A condition variable that no thread waits for.
    #[track_caller]
    pub const fn new() -> Condvar {
        Condvar { waiting: AtomicU64::new(0) }
    }

    fn begin(&self, place: Where) -> Ticket {
        let number = with(|context| context.running().region());
        if number >= MOST {
            perform::refuse(RefusalReason::TooManyThreads { most: MOST }, place);
        }
        let n_wake_ups = WAKE_UPS[number].load(Relaxed);
        self.waiting.fetch_or(1 << number, Relaxed);
        Ticket { number, n_wake_ups }
    }

    fn wait_for_wake_up(ticket: &Ticket, place: Where) {
        if WAKE_UPS[ticket.number].load(Relaxed) == ticket.n_wake_ups {
            perform::block(BlockReason::Wait { reads: 1 }, place);
        }
    }

    /// Frees the mutex, waits for a notification, and takes the mutex again.
    ///
    /// # Errors
    /// The guard, if the mutex is poisoned.
    #[track_caller]
    pub fn wait<'mutex, T: ?Sized>(&self, guard: MutexGuard<'mutex, T>) -> LockResult<MutexGuard<'mutex, T>> {
        let place = Location::caller();
        let ticket = self.begin(place);
        let mutex: &Mutex<T> = guard.release(place);
        Self::wait_for_wake_up(&ticket, place);
        mutex.lock()
    }

    /// Waits as long as `condition` holds.
    ///
    /// # Errors
    /// The guard, if the mutex is poisoned.
    #[track_caller]
    pub fn wait_while<'mutex, T: ?Sized>(
        &self,
        guard: MutexGuard<'mutex, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'mutex, T>> {
        let mut guard = guard;
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// As [`Condvar::wait`], but may time out at any moment.
    ///
    /// # Errors
    /// The guard, if the mutex is poisoned.
    #[track_caller]
    pub fn wait_timeout<'mutex, T: ?Sized>(
        &self,
        guard: MutexGuard<'mutex, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'mutex, T>, WaitTimeoutResult)> {
        let place = Location::caller();
        if !may_time_out(timeout) {
            let guard = self.wait(guard);
            let with_result = |guard| (guard, WaitTimeoutResult(false));
            return guard
                .map(with_result)
                .map_err(|poisoned| std::sync::PoisonError::new(with_result(poisoned.into_inner())));
        }
        let ticket = self.begin(place);
        let mutex: &Mutex<T> = guard.release(place);
        let bit = 1 << ticket.number;
        let has_timed_out = self.waiting.fetch_and(!bit, Relaxed) & bit != 0;
        if !has_timed_out {
            // A notification is on its way.
            Self::wait_for_wake_up(&ticket, place);
        }
        let result = WaitTimeoutResult(has_timed_out);
        match mutex.lock() {
            Ok(guard) => Ok((guard, result)),
            Err(poisoned) => Err(std::sync::PoisonError::new((poisoned.into_inner(), result))),
        }
    }

    /// Waits as long as `condition` holds, and may time out at any moment.
    ///
    /// # Errors
    /// The guard, if the mutex is poisoned.
    #[track_caller]
    pub fn wait_timeout_while<'mutex, T: ?Sized>(
        &self,
        guard: MutexGuard<'mutex, T>,
        timeout: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'mutex, T>, WaitTimeoutResult)> {
        let mut guard = guard;
        while condition(&mut *guard) {
            let (taken, result) = self.wait_timeout(guard, timeout)?;
            guard = taken;
            if result.timed_out() {
                let result = WaitTimeoutResult(condition(&mut *guard));
                return Ok((guard, result));
            }
        }
        Ok((guard, WaitTimeoutResult(false)))
    }

    /// Wakes one of the threads that wait, if there is one.
    #[track_caller]
    pub fn notify_one(&self) {
        let waiting = self.waiting.load(Relaxed);
        if waiting != 0 {
            let chosen = nth_bit(waiting, choose(waiting.count_ones() as usize));
            match self.waiting.compare_exchange(waiting, waiting & !(1 << chosen), Relaxed, Relaxed) {
                Ok(_) => wake(1 << chosen),
                Err(_) => perform::try_again(Location::caller()),
            }
        }
    }

    /// Wakes all threads that wait.
    #[track_caller]
    pub fn notify_all(&self) {
        if self.waiting.load(Relaxed) != 0 {
            wake(self.waiting.swap(0, Relaxed));
        }
    }
}

/// The number of the `nth` bit that is set.
/// Whether waiting may end because the time is over.
pub(crate) fn may_time_out(timeout: Duration) -> bool {
    timeout.is_zero() || with(|context| context.shared().has_timeouts)
}

fn nth_bit(mut bits: u64, nth: usize) -> u32 {
    for _ in 0..nth {
        bits &= bits - 1;
    }
    bits.trailing_zeros()
}

#[track_caller]
fn wake(mut threads: u64) {
    while threads != 0 {
        WAKE_UPS[threads.trailing_zeros() as usize].fetch_add(1, Relaxed);
        threads &= threads - 1;
    }
}
