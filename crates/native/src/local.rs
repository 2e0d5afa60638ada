//! Thread-local variables.

use crate::context::with;
use crate::lessons;
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// The variables of a thread, in the order of creation.
pub(crate) type Locals = RefCell<Vec<(usize, Rc<dyn Any>)>>;

/// A thread-local variable, as [`std::thread::LocalKey`]. [`atropos::thread_local!`] declares one.
///
/// [`atropos::thread_local!`]: https://docs.rs/atropos
///
/// ```
/// use std::cell::Cell;
///
/// atropos::thread_local!(static N: Cell<u32> = Cell::new(1));
///
/// atropos::model(|| {
///     N.with(|n| n.set(2));
///     assert_eq!(N.with(Cell::get), 2);
/// });
/// ```
pub struct LocalKey<T: 'static> {
    make: fn() -> T,
}

/// The thread is ending, and its variable is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessError;

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the variable of this thread is gone")
    }
}

impl std::error::Error for AccessError {}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn new(make: fn() -> T) -> LocalKey<T> {
        LocalKey { make }
    }

    /// Calls `f` with the variable of the running thread, which is created on first use.
    ///
    /// # Panics
    /// If the variable is gone because the thread is ending.
    pub fn with<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        self.try_with(f).expect("the variable of this thread is there until the thread ends")
    }

    /// As [`LocalKey::with`].
    ///
    /// # Errors
    /// If the variable is gone because the thread is ending.
    #[track_caller]
    pub fn try_with<R>(&'static self, f: impl FnOnce(&T) -> R) -> Result<R, AccessError> {
        lessons::notice_thread();
        let key = std::ptr::from_ref(self) as usize;
        let locals = locals().ok_or(AccessError)?;
        let known =
            locals.borrow().iter().find(|(other, _)| *other == key).map(|(_, value)| Rc::clone(value));
        let value = known.unwrap_or_else(|| {
            let value: Rc<dyn Any> = Rc::new((self.make)());
            locals.borrow_mut().push((key, Rc::clone(&value)));
            value
        });
        Ok(f(value.downcast_ref().expect("the type of the key")))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

/// The variables of the running thread; `None` if they are gone.
fn locals() -> Option<&'static Locals> {
    let (known, is_ending) = with(|context| {
        let library = &context.running().library;
        (library.locals, library.is_ending)
    });
    if known.is_some() || is_ending {
        return known;
    }
    let locals: &'static Locals = Box::leak(Box::default());
    with(|context| context.running().library.locals = Some(locals));
    Some(locals)
}

/// Drops the variables of the running thread, the latest first.
pub(crate) fn end() {
    let locals = with(|context| context.running().library.locals);
    let last = || locals.and_then(|locals| locals.borrow_mut().pop());
    while let Some(value) = last() {
        drop(value);
    }
    with(|context| {
        let library = &mut context.running().library;
        (library.locals, library.is_ending) = (None, true);
    });
}
