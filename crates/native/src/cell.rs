//! Memory that threads share without synchronisation: [`UnsafeCell`] and [`Cell`].
//!
//! An access is an event without a meaningful value; the data is in ordinary memory. Two accesses of different threads,
//! at least one of them a write, are a data race if nothing orders them.

use crate::context::{Where, with};
use crate::object::{InitialBits, Object};
use crate::perform::perform;
use atropos_event::{Access, Label, Position, ReadOrder, Rmw, WriteOrder};
use std::fmt;
use std::panic::Location;

const SIZE: u8 = 1;

/// Data that threads share without synchronisation, as [`std::cell::UnsafeCell`]. Accesses are checked for races.
///
/// ```
/// use atropos::cell::UnsafeCell;
///
/// atropos::model(|| {
///     let cell = UnsafeCell::new(1);
///     cell.with_mut(|data| unsafe { *data = 2 });
///     assert_eq!(cell.with(|data| unsafe { *data }), 2);
/// });
/// ```
pub struct UnsafeCell<T: ?Sized> {
    object: Object,
    data: std::cell::UnsafeCell<T>,
}

// SAFETY: as for the data. The object can be used from every thread.
unsafe impl<T: ?Sized + Send> Send for UnsafeCell<T> {}

impl<T> UnsafeCell<T> {
    /// A cell that holds `data`.
    #[track_caller]
    pub const fn new(data: T) -> UnsafeCell<T> {
        let object = Object::new(SIZE, InitialBits { bits: 0 });
        UnsafeCell { object, data: std::cell::UnsafeCell::new(data) }
    }

    /// The data.
    #[track_caller]
    pub fn into_inner(self) -> T {
        Kind::Write.access(self.object.access(SIZE), Location::caller());
        self.data.into_inner()
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Read,
    Write,
}

impl Kind {
    fn access(self, access: Access, place: Where) {
        let label = match self {
            Kind::Read => Label::Read { access, order: ReadOrder::NotAtomic, rmw: Rmw::None },
            Kind::Write => Label::Write { access, order: WriteOrder::NotAtomic, value: 0, exclusive: false },
        };
        perform(label, place);
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    fn begin(&self, kind: Kind, place: Where) -> Use<T> {
        let access = self.object.access(SIZE);
        kind.access(access, place);
        let since = std::cell::Cell::new(with(|context| context.running().at));
        Use { data: self.object.home(&self.data), access, kind, place, since }
    }

    /// Calls `f` with a pointer to the data, which `f` may read.
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        let reading = self.begin(Kind::Read, Location::caller());
        let result = f(reading.data);
        reading.renew();
        result
    }

    /// Calls `f` with a pointer to the data, which `f` may read and write.
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        let writing = self.begin(Kind::Write, Location::caller());
        let result = f(writing.data);
        writing.renew();
        result
    }

    /// A pointer for reading. The cell is read now, and whenever the pointer is used.
    #[track_caller]
    pub fn get(&self) -> ConstPtr<T> {
        ConstPtr(self.begin(Kind::Read, Location::caller()))
    }

    /// A pointer for writing. The cell is written now, and whenever the pointer is used.
    #[track_caller]
    pub fn get_mut(&self) -> MutPtr<T> {
        MutPtr(self.begin(Kind::Write, Location::caller()))
    }
}

/// An access that lasts.
struct Use<T: ?Sized> {
    data: *mut T,
    access: Access,
    kind: Kind,
    place: Where,
    since: std::cell::Cell<Position>,
}

impl<T: ?Sized> Use<T> {
    /// The access lasts until now. If the thread has performed an event meanwhile, this is another access.
    fn renew(&self) {
        let now = || with(|context| context.running().at);
        if now() != self.since.get() {
            self.kind.access(self.access, self.place);
            self.since.set(now());
        }
    }
}

/// A pointer for reading the data of an [`UnsafeCell`], which must stay where it is meanwhile.
///
/// ```
/// use atropos::cell::UnsafeCell;
///
/// atropos::model(|| {
///     let cell = UnsafeCell::new(1);
///     assert_eq!(unsafe { *cell.get().deref() }, 1);
/// });
/// ```
pub struct ConstPtr<T: ?Sized>(Use<T>);

impl<T: ?Sized> ConstPtr<T> {
    /// The data.
    ///
    /// # Safety
    /// No thread writes it meanwhile.
    pub unsafe fn deref(&self) -> &T {
        self.0.renew();
        // SAFETY: the caller's promise.
        unsafe { &*self.0.data }
    }

    /// Calls `f` with the pointer.
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        self.0.renew();
        let result = f(self.0.data);
        self.0.renew();
        result
    }
}

/// A pointer for writing the data of an [`UnsafeCell`], which must stay where it is meanwhile.
///
/// ```
/// use atropos::cell::UnsafeCell;
///
/// atropos::model(|| {
///     let cell = UnsafeCell::new(1);
///     unsafe { *cell.get_mut().deref() = 2 };
///     assert_eq!(cell.into_inner(), 2);
/// });
/// ```
pub struct MutPtr<T: ?Sized>(Use<T>);

impl<T: ?Sized> MutPtr<T> {
    /// The data.
    ///
    /// # Safety
    /// No other code uses it meanwhile.
    #[allow(clippy::mut_from_ref, reason = "as for a raw pointer, the caller promises that it may")]
    pub unsafe fn deref(&self) -> &mut T {
        self.0.renew();
        // SAFETY: the caller's promise.
        unsafe { &mut *self.0.data }
    }

    /// Calls `f` with the pointer.
    pub fn with<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        self.0.renew();
        let result = f(self.0.data);
        self.0.renew();
        result
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}

impl<T: ?Sized> fmt::Debug for ConstPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConstPtr").finish_non_exhaustive()
    }
}

impl<T: ?Sized> fmt::Debug for MutPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MutPtr").finish_non_exhaustive()
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    #[track_caller]
    fn default() -> Self {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    #[track_caller]
    fn from(data: T) -> Self {
        UnsafeCell::new(data)
    }
}

/// A value that one thread at a time may read and replace, as [`std::cell::Cell`]. Accesses are checked for races.
///
/// ```
/// use atropos::cell::Cell;
///
/// atropos::model(|| {
///     let cell = Cell::new(1);
///     assert_eq!(cell.replace(2), 1);
///     assert_eq!(cell.get(), 2);
/// });
/// ```
#[derive(Debug, Default)]
pub struct Cell<T> {
    cell: UnsafeCell<T>,
}

impl<T> Cell<T> {
    /// A cell that holds `value`.
    #[track_caller]
    pub const fn new(value: T) -> Cell<T> {
        Cell { cell: UnsafeCell::new(value) }
    }

    /// Replaces the value.
    #[track_caller]
    pub fn set(&self, value: T) {
        self.replace(value);
    }

    /// Replaces the value, and returns the old one.
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        // SAFETY: the threads of a model take turns, and no code of ours has a reference to the value.
        self.cell.with_mut(|data| unsafe { std::mem::replace(&mut *data, value) })
    }

    /// Exchanges the values of two cells.
    #[track_caller]
    pub fn swap(&self, other: &Cell<T>) {
        if !std::ptr::eq(self, other) {
            let first = self.cell.get_mut();
            let second = other.cell.get_mut();
            // SAFETY: these are two cells, and no code of ours has a reference to their values.
            first.with(|first| second.with(|second| unsafe { std::ptr::swap(first, second) }));
        }
    }

    /// The value.
    #[track_caller]
    pub fn into_inner(self) -> T {
        self.cell.into_inner()
    }

    /// A copy of the value.
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        // SAFETY: no code of ours has a reference to the value.
        self.cell.with(|data| unsafe { *data })
    }

    /// The value; the default takes its place.
    #[track_caller]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }
}

impl<T> From<T> for Cell<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Cell::new(value)
    }
}

impl<T: Copy> Clone for Cell<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Cell::new(self.get())
    }
}

impl<T: Copy + PartialEq> PartialEq for Cell<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Copy + Eq> Eq for Cell<T> {}
