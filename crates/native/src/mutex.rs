//! Mutexes: a compare-and-swap that blocks when it fails, and a store.

use crate::atomic::Bits;
use crate::context::{Where, with};
use crate::object::Object;
use crate::perform::{self, perform};
use crate::poison::{Guarded, Taken};
use atropos_event::{BlockReason, Label, ReadOrder, Rmw, WriteOrder};
use std::cell::UnsafeCell;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::{LockResult, TryLockError, TryLockResult};

const FREE: u64 = 0;
const HELD: u64 = 1;
const TAKE: Rmw = Rmw::Cas {
    expected: FREE,
    desired: HELD,
    write_order: WriteOrder::Relaxed,
    failure_order: ReadOrder::Relaxed,
};

/// A lock without data.
pub(crate) struct RawLock(Bits<4>);

impl RawLock {
    #[track_caller]
    pub const fn new() -> RawLock {
        RawLock(Bits::new(FREE))
    }

    pub fn object(&self) -> &Object {
        self.0.object()
    }

    /// Takes the lock if it is free.
    pub fn try_lock(&self, place: Where) -> bool {
        let access = self.0.access();
        perform(Label::Read { access, order: ReadOrder::Acquire, rmw: TAKE }, place) == FREE
    }

    pub fn lock(&self, place: Where) {
        if !self.try_lock(place) {
            perform::block(BlockReason::Lock { reads: 1 }, place);
        }
    }

    pub fn unlock(&self, place: Where) {
        let (access, order) = (self.0.access(), with(|context| context.shared().unlock_order));
        perform(Label::Write { access, order, value: FREE, exclusive: false }, place);
    }
}

/// Data that one thread at a time may use, as [`std::sync::Mutex`].
///
/// A thread that panics while it holds the mutex poisons it.
///
/// ```
/// use atropos::sync::Mutex;
/// use atropos::thread;
///
/// static NUMBERS: Mutex<Vec<u32>> = Mutex::new(Vec::new());
///
/// atropos::model(|| {
///     let thread = thread::spawn(|| NUMBERS.lock().unwrap().push(1));
///     NUMBERS.lock().unwrap().push(2);
///     thread.join().unwrap();
///     assert_eq!(NUMBERS.lock().unwrap().len(), 2);
/// });
/// ```
pub struct Mutex<T: ?Sized> {
    lock: RawLock,
    guarded: UnsafeCell<Guarded<T>>,
}

// SAFETY: as for the mutex of the standard library.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

impl<T: ?Sized> UnwindSafe for Mutex<T> {}
impl<T: ?Sized> RefUnwindSafe for Mutex<T> {}

impl<T> Mutex<T> {
    /// A mutex that is free.
    #[track_caller]
    pub const fn new(data: T) -> Mutex<T> {
        let guarded = UnsafeCell::new(Guarded::new(data));
        Mutex { lock: RawLock::new(), guarded }
    }

    /// The data.
    ///
    /// # Errors
    /// The data, if the mutex is poisoned.
    #[track_caller]
    pub fn into_inner(self) -> LockResult<T> {
        self.guarded.into_inner().into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    fn guarded(&self) -> *mut Guarded<T> {
        self.lock.object().home(&self.guarded)
    }

    fn guard(&self, place: Where) -> LockResult<MutexGuard<'_, T>> {
        let guard = MutexGuard { mutex: self, place, taken: Taken::now() };
        // SAFETY: the threads of a model take turns.
        unsafe { (*self.guarded()).judged(guard) }
    }

    /// Waits until the mutex is free, and locks it.
    ///
    /// # Errors
    /// The guard, if the mutex is poisoned.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let place = Location::caller();
        self.lock.lock(place);
        self.guard(place)
    }

    /// Locks the mutex if it is free.
    ///
    /// # Errors
    /// If it is not, and the guard if the mutex is poisoned.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let place = Location::caller();
        match self.lock.try_lock(place) {
            true => Ok(self.guard(place)?),
            false => Err(TryLockError::WouldBlock),
        }
    }

    /// Whether a thread has panicked while it held the mutex.
    pub fn is_poisoned(&self) -> bool {
        // SAFETY: the threads of a model take turns.
        unsafe { (*self.guarded()).is_poisoned() }
    }

    /// Forgets that a thread has panicked while it held the mutex.
    pub fn clear_poison(&self) {
        // SAFETY: the threads of a model take turns.
        unsafe { (*self.guarded()).clear_poison() };
    }

    /// The data.
    ///
    /// # Errors
    /// The data, if the mutex is poisoned.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        // SAFETY: no other code has a reference to the mutex.
        unsafe { (*self.guarded()).get_mut() }
    }
}

/// The right to use the data of a [`Mutex`]. Dropping the guard unlocks the mutex.
///
/// ```
/// use atropos::sync::Mutex;
///
/// atropos::model(|| {
///     let mutex = Mutex::new(1);
///     let guard = mutex.lock().unwrap();
///     assert!(mutex.try_lock().is_err());
///     drop(guard);
///     assert!(mutex.try_lock().is_ok());
/// });
/// ```
pub struct MutexGuard<'mutex, T: ?Sized> {
    mutex: &'mutex Mutex<T>,
    place: Where,
    taken: Taken,
}

// SAFETY: as for the guard of the standard library.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<'mutex, T: ?Sized> MutexGuard<'mutex, T> {
    /// Unlocks the mutex, and returns it.
    pub(crate) fn release(self, place: Where) -> &'mutex Mutex<T> {
        let guard = ManuallyDrop::new(self);
        guard.mutex.lock.unlock(place);
        guard.mutex
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the thread holds the mutex.
        unsafe { &(*self.mutex.guarded()).data }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the thread holds the mutex.
        unsafe { &mut (*self.mutex.guarded()).data }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the thread holds the mutex.
        unsafe { (*self.mutex.guarded()).poison_since(self.taken) };
        self.mutex.lock.unlock(self.place);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutex").finish_non_exhaustive()
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(data: T) -> Self {
        Mutex::new(data)
    }
}
