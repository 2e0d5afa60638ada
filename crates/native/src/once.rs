//! Values that are initialised once: [`Once`], [`OnceLock`] and [`LazyLock`].

use crate::atomic::Bits;
use crate::context::Where;
use crate::perform::{self, perform};
use atropos_event::{BlockReason, Label, ReadOrder, Rmw, WriteOrder};
use std::cell::UnsafeCell;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;

const NEW: u64 = 0;
const RUNNING: u64 = 1;
const DONE: u64 = 2;
const BEGIN: Rmw = Rmw::Cas {
    expected: NEW,
    desired: RUNNING,
    write_order: WriteOrder::Relaxed,
    failure_order: ReadOrder::Acquire,
};

/// An initialisation that one thread runs and others wait for, as [`std::sync::Once`].
///
/// ```
/// use atropos::sync::Once;
/// use atropos::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// use atropos::thread;
///
/// static ONCE: Once = Once::new();
/// static N: AtomicU32 = AtomicU32::new(0);
///
/// atropos::model(|| {
///     let once = || ONCE.call_once(|| drop(N.fetch_add(1, Relaxed).to_string()));
///     let thread = thread::spawn(once);
///     once();
///     assert_eq!(N.load(Relaxed), 1);
///     thread.join().unwrap();
/// });
/// ```
pub struct Once {
    state: Bits<4>,
}

impl Once {
    /// An initialisation that has not run.
    #[track_caller]
    pub const fn new() -> Once {
        Once { state: Bits::new(NEW) }
    }

    /// Calls `f`, unless it was called before. Waits for another thread that is calling it.
    #[track_caller]
    pub fn call_once(&self, f: impl FnOnce()) {
        self.call_at(f, Location::caller());
    }

    fn call_at(&self, f: impl FnOnce(), place: Where) {
        let access = self.state.access();
        match perform(Label::Read { access, order: ReadOrder::Acquire, rmw: BEGIN }, place) {
            NEW => {
                f();
                let order = WriteOrder::Release;
                perform(Label::Write { access, order, value: DONE, exclusive: false }, place);
            }
            RUNNING => perform::block(BlockReason::Wait { reads: 1 }, place),
            _ => {}
        }
    }

    /// Whether a call has completed.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        let label = Label::Read { access: self.state.access(), order: ReadOrder::Acquire, rmw: Rmw::None };
        perform(label, Location::caller()) == DONE
    }
}

impl Default for Once {
    #[track_caller]
    fn default() -> Self {
        Once::new()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

/// A value that is set once, as [`std::sync::OnceLock`].
///
/// ```
/// use atropos::sync::OnceLock;
///
/// atropos::model(|| {
///     let lock = OnceLock::new();
///     assert_eq!(*lock.get_or_init(|| 1), 1);
///     assert_eq!(lock.set(2), Err(2));
/// });
/// ```
pub struct OnceLock<T> {
    once: Once,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: as for the type of the standard library.
unsafe impl<T: Send> Send for OnceLock<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// A lock without a value.
    #[track_caller]
    pub const fn new() -> OnceLock<T> {
        OnceLock { once: Once::new(), value: UnsafeCell::new(None) }
    }

    fn value(&self) -> *mut Option<T> {
        self.once.state.object().home(&self.value)
    }

    /// The value, if there is one.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        // SAFETY: a value that was set does not change.
        if self.once.is_completed() { unsafe { (*self.value()).as_ref() } } else { None }
    }

    /// The value, if there is one, for exclusive use.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        // SAFETY: no other code has a reference to the lock.
        unsafe { (*self.value()).as_mut() }
    }

    /// The value; `f` makes it if there is none.
    #[track_caller]
    pub fn get_or_init(&self, f: impl FnOnce() -> T) -> &T {
        let place = Location::caller();
        let value = self.value();
        // SAFETY: only one thread gets here, and the others wait for it.
        self.once.call_at(|| unsafe { *value = Some(f()) }, place);
        // SAFETY: a value that was set does not change.
        unsafe { (*value).as_ref() }.expect("the call has come to its end")
    }

    /// Sets the value.
    ///
    /// # Errors
    /// The value, if there is one already.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.get_or_init(|| value.take().expect("it is taken once"));
        value.map_or(Ok(()), Err)
    }

    /// Takes the value, if there is one.
    pub fn take(&mut self) -> Option<T> {
        std::mem::take(self).into_inner()
    }

    /// The value, if there is one.
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }
}

impl<T> Default for OnceLock<T> {
    #[track_caller]
    fn default() -> Self {
        OnceLock::new()
    }
}

impl<T> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceLock").finish_non_exhaustive()
    }
}

/// A value that is initialised at its first use, as [`std::sync::LazyLock`].
///
/// A static one is initialised anew in every execution.
///
/// ```
/// use atropos::sync::LazyLock;
///
/// static NAME: LazyLock<String> = LazyLock::new(|| "a".repeat(2));
///
/// atropos::model(|| assert_eq!(*NAME, "aa"));
/// ```
pub struct LazyLock<T, F = fn() -> T> {
    value: OnceLock<T>,
    make: F,
}

impl<T, F: Fn() -> T> LazyLock<T, F> {
    /// A value that `make` will initialise.
    #[track_caller]
    pub const fn new(make: F) -> LazyLock<T, F> {
        LazyLock { value: OnceLock::new(), make }
    }

    /// The value.
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        this.value.get_or_init(&this.make)
    }
}

impl<T, F: Fn() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazyLock").finish_non_exhaustive()
    }
}
