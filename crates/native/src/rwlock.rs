//! Read-write locks: the word holds how many more threads may read. A thread that writes takes it all.

use crate::atomic::Bits;
use crate::context::{Where, with};
use crate::object::Object;
use crate::perform::{self, perform};
use crate::poison::{Guarded, Taken};
use atropos_event::{BlockReason, Label, ReadOrder, Rmw, RmwOp, WriteOrder};
use std::cell::UnsafeCell;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::{LockResult, TryLockError, TryLockResult};

/// The most readers at a time.
const FREE: u64 = 1 << 20;
const WRITING: u64 = 0;

struct RawRwLock(Bits<4>);

impl RawRwLock {
    fn object(&self) -> &Object {
        self.0.object()
    }

    fn exchange(&self, expected: u64, desired: u64, place: Where) -> bool {
        let rmw = Rmw::Cas {
            expected,
            desired,
            write_order: WriteOrder::Relaxed,
            failure_order: ReadOrder::Relaxed,
        };
        let access = self.0.access();
        perform(Label::Read { access, order: ReadOrder::Acquire, rmw }, place) == expected
    }

    fn try_read(&self, place: Where) -> bool {
        let rmw = Rmw::Fetch { op: RmwOp::UnsignedSubtractIf, operand: 1, write_order: WriteOrder::Relaxed };
        let access = self.0.access();
        perform(Label::Read { access, order: ReadOrder::Acquire, rmw }, place) != WRITING
    }

    fn try_write(&self, place: Where) -> bool {
        self.exchange(FREE, WRITING, place)
    }

    fn block(place: Where) -> ! {
        perform::block(BlockReason::Lock { reads: 1 }, place)
    }

    /// A reader is gone.
    fn leave(&self, place: Where) {
        let rmw = Rmw::Fetch { op: RmwOp::Add, operand: 1, write_order: WriteOrder::Release };
        let access = self.0.access();
        perform(Label::Read { access, order: ReadOrder::Relaxed, rmw }, place);
    }

    /// The writer is gone, and `n` threads may read.
    fn open(&self, n: u64, place: Where) {
        let (access, order) = (self.0.access(), with(|context| context.shared().unlock_order));
        perform(Label::Write { access, order, value: n, exclusive: false }, place);
    }
}

/// Data that one thread may write or several may read, as [`std::sync::RwLock`].
///
/// A thread that panics while it writes poisons the lock.
///
/// ```
/// use atropos::sync::RwLock;
///
/// atropos::model(|| {
///     let lock = RwLock::new(1);
///     *lock.write().unwrap() += 1;
///     assert_eq!(*lock.read().unwrap(), 2);
/// });
/// ```
pub struct RwLock<T: ?Sized> {
    lock: RawRwLock,
    guarded: UnsafeCell<Guarded<T>>,
}

// SAFETY: as for the lock of the standard library.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

impl<T: ?Sized> UnwindSafe for RwLock<T> {}
impl<T: ?Sized> RefUnwindSafe for RwLock<T> {}

impl<T> RwLock<T> {
    /// A lock that is free.
    #[track_caller]
    pub const fn new(data: T) -> RwLock<T> {
        let guarded = UnsafeCell::new(Guarded::new(data));
        RwLock { lock: RawRwLock(Bits::new(FREE)), guarded }
    }

    /// The data.
    ///
    /// # Errors
    /// The data, if the lock is poisoned.
    pub fn into_inner(self) -> LockResult<T> {
        self.guarded.into_inner().into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    fn guarded(&self) -> *mut Guarded<T> {
        self.lock.object().home(&self.guarded)
    }

    fn judged<G>(&self, guard: G) -> LockResult<G> {
        // SAFETY: the threads of a model take turns.
        unsafe { (*self.guarded()).judged(guard) }
    }

    /// Waits until no thread writes, and takes the lock for reading.
    ///
    /// # Errors
    /// The guard, if the lock is poisoned.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let place = Location::caller();
        if !self.lock.try_read(place) {
            RawRwLock::block(place);
        }
        self.judged(RwLockReadGuard { lock: self, place })
    }

    /// Takes the lock for reading if no thread writes.
    ///
    /// # Errors
    /// If a thread writes, and the guard if the lock is poisoned.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let place = Location::caller();
        match self.lock.try_read(place) {
            true => Ok(self.judged(RwLockReadGuard { lock: self, place })?),
            false => Err(TryLockError::WouldBlock),
        }
    }

    /// Waits until no thread reads or writes, and takes the lock for writing.
    ///
    /// # Errors
    /// The guard, if the lock is poisoned.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let place = Location::caller();
        if !self.lock.try_write(place) {
            RawRwLock::block(place);
        }
        self.judged(RwLockWriteGuard { lock: self, place, taken: Taken::now() })
    }

    /// Takes the lock for writing if no thread reads or writes.
    ///
    /// # Errors
    /// If one does, and the guard if the lock is poisoned.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let place = Location::caller();
        match self.lock.try_write(place) {
            true => Ok(self.judged(RwLockWriteGuard { lock: self, place, taken: Taken::now() })?),
            false => Err(TryLockError::WouldBlock),
        }
    }

    /// Whether a thread has panicked while it wrote.
    pub fn is_poisoned(&self) -> bool {
        // SAFETY: the threads of a model take turns.
        unsafe { (*self.guarded()).is_poisoned() }
    }

    /// Forgets that a thread has panicked while it wrote.
    pub fn clear_poison(&self) {
        // SAFETY: the threads of a model take turns.
        unsafe { (*self.guarded()).clear_poison() };
    }

    /// The data.
    ///
    /// # Errors
    /// The data, if the lock is poisoned.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        // SAFETY: no other code has a reference to the lock.
        unsafe { (*self.guarded()).get_mut() }
    }
}

/// The right to read the data of an [`RwLock`], until the guard is dropped.
///
/// ```
/// use atropos::sync::RwLock;
///
/// atropos::model(|| {
///     let lock = RwLock::new(1);
///     let _reader = lock.read().unwrap();
///     assert!(lock.try_read().is_ok() && lock.try_write().is_err());
/// });
/// ```
pub struct RwLockReadGuard<'lock, T: ?Sized> {
    lock: &'lock RwLock<T>,
    place: Where,
}

/// The right to write the data of an [`RwLock`], until the guard is dropped.
///
/// ```
/// use atropos::sync::RwLock;
///
/// atropos::model(|| {
///     let lock = RwLock::new(1);
///     let _writer = lock.write().unwrap();
///     assert!(lock.try_read().is_err());
/// });
/// ```
pub struct RwLockWriteGuard<'lock, T: ?Sized> {
    lock: &'lock RwLock<T>,
    place: Where,
    taken: Taken,
}

impl<'lock, T: ?Sized> RwLockWriteGuard<'lock, T> {
    /// Keeps the lock for reading only; no other thread writes in between.
    pub fn downgrade(guard: Self) -> RwLockReadGuard<'lock, T> {
        let guard = ManuallyDrop::new(guard);
        guard.lock.lock.open(FREE - 1, guard.place);
        RwLockReadGuard { lock: guard.lock, place: guard.place }
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the thread holds the lock.
        unsafe { &(*self.lock.guarded()).data }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the thread holds the lock.
        unsafe { &(*self.lock.guarded()).data }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the thread holds the lock, and it alone.
        unsafe { &mut (*self.lock.guarded()).data }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.lock.leave(self.place);
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the thread holds the lock.
        unsafe { (*self.lock.guarded()).poison_since(self.taken) };
        self.lock.lock.open(FREE, self.place);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RwLock").finish_non_exhaustive()
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> Self {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(data: T) -> Self {
        RwLock::new(data)
    }
}
