//! An object that threads share: an atomic, a cell, a lock.
//!
//! Its value is in the execution graph. Memory holds the value that it was created with, and its name, which moves with
//! the object. Creating an object is a `const fn` that the library does not notice, so the object gets its name later:
//! see [`crate::names`].

use crate::context::{Where, with};
use crate::{copies, names};
use atropos_event::{Access, Value};
use std::cell::{Cell, UnsafeCell};
use std::panic::{Location, RefUnwindSafe};

/// The value that an object was created with. A constant can hold a pointer, but not its bits.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union InitialBits {
    pub bits: Value,
    pub pointer: *mut (),
}

/// The value, above the size, in place of a name that was not given yet. It was chosen at random, so no other data has
/// it.
pub(crate) const UNNAMED: u64 = 0xa7b0_9d3c_5e81_f600;
/// The same for objects of the library, which are named only at their first use.
const UNNAMED_PRESET: u64 = 0x5c21_7fe8_03d9_b400;
const SIZE: u64 = 0xff;
/// The last word of an object. It shows whether an object is intact or partly overwritten.
const SEAL: u64 = 0x93e4_1b7a_c8d2_650f;

/// Whether a word is in place of a name.
pub(crate) fn is_unnamed(word: u64) -> bool {
    word & !SIZE == UNNAMED || word & !SIZE == UNNAMED_PRESET
}

#[repr(C)]
pub(crate) struct Object {
    name: Cell<u64>,
    initial: Cell<InitialBits>,
    created: Where,
    seal: u64,
}

// SAFETY: an object can be used from every thread of a model.
unsafe impl Send for Object {}
// SAFETY: the threads of a model take turns on one thread of the system. Objects that several threads of the system can
// see are outside of arenas, and never change.
unsafe impl Sync for Object {}

impl RefUnwindSafe for Object {}

impl Object {
    /// An object of `size` bytes that holds `initial`.
    #[track_caller]
    pub const fn new(size: u8, initial: InitialBits) -> Object {
        let name = Cell::new(UNNAMED | size as u64);
        Object { name, initial: Cell::new(initial), created: Location::caller(), seal: SEAL }
    }

    /// An object of the library that no thread can use too early, so no event initialises it.
    #[track_caller]
    pub const fn preset(size: u8, initial: InitialBits) -> Object {
        let name = Cell::new(UNNAMED_PRESET | size as u64);
        Object { name, initial: Cell::new(initial), created: Location::caller(), seal: SEAL }
    }

    /// The bytes that represent the object in the execution graph.
    #[inline]
    pub fn access(&self, size: u8) -> Access {
        Access::new(self.name().unwrap_or_else(|| names::register(self, size)), size)
    }

    #[inline]
    pub fn name(&self) -> Option<u64> {
        Some(self.name.get()).filter(|&name| !is_unnamed(name))
    }

    /// Makes it a new object that holds `initial`, which the caller may change.
    pub fn renew(&mut self, size: u8, initial: Value) -> &mut Value {
        self.name.set(UNNAMED | u64::from(size));
        self.initial.set(InitialBits { bits: initial });
        // SAFETY: these are bits.
        unsafe { &mut self.initial.get_mut().bits }
    }

    pub fn set_name(&self, name: u64) {
        self.name.set(name);
    }

    pub fn initial(&self) -> Value {
        // SAFETY: a pointer has as many bits, and all are initialised.
        unsafe { self.initial.get().bits }
    }

    pub fn created(&self) -> Where {
        self.created
    }

    /// The data that the object guards: `data`, or its copy for this execution if it outlives executions.
    #[inline]
    pub fn home<T: ?Sized>(&self, data: &UnsafeCell<T>) -> *mut T {
        let addr = std::ptr::from_ref(self) as usize;
        if with(|context| context.arena().contains(addr)) { data.get() } else { copies::copy_of(data) }
    }

    /// The object at `addr` and its size, if an object without a name is there.
    ///
    /// # Safety
    /// The object, if there is one, stays there as long as the reference is used.
    #[inline]
    pub unsafe fn unnamed_at<'a>(addr: usize) -> Option<(&'a Object, u8)> {
        let first = addr as *const u64;
        // SAFETY: the caller's promise; the address is aligned. The memory may hold anything, or nothing.
        let word = unsafe { first.read_volatile() };
        if word & !SIZE != UNNAMED || word & SIZE == 0 {
            return None;
        }
        let last = (addr + size_of::<Object>() - 8) as *const u64;
        // SAFETY: as above.
        let is_whole = unsafe { last.read_volatile() } == SEAL;
        // SAFETY: only an object has these values.
        is_whole.then(|| (unsafe { &*first.cast() }, (word & SIZE) as u8))
    }
}
