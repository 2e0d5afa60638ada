//! An object that threads share: an atomic, a cell, a lock.
//!
//! Its value lives in the execution graph. What lies in memory is the value that it was created with, and its name,
//! which moves along when the object does. Creating an object is a `const fn` that no code of ours notices, so it gets
//! its name later: see [`crate::names`].

use crate::context::Where;
use crate::names;
use atropos_event::{Access, Value};
use std::cell::Cell;
use std::panic::Location;

/// The value that an object was created with. A constant can hold a pointer, but not its bits.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union Initial {
    pub bits: Value,
    pub pointer: *mut (),
}

/// What stands in the place of a name that was not given yet, above the size. Nothing else has this value: it was drawn
/// at random.
pub(crate) const UNNAMED: u64 = 0xa7b0_9d3c_5e81_f600;
const SIZE: u64 = 0xff;

#[repr(C)]
pub(crate) struct Object {
    name: Cell<u64>,
    initial: Cell<Initial>,
    created: Where,
}

// SAFETY: an object can be used from every thread of a model.
unsafe impl Send for Object {}
// SAFETY: the threads of a model take turns on one thread of the system. Objects that several threads of the system can
// see lie outside of arenas, and are never changed.
unsafe impl Sync for Object {}

impl Object {
    /// An object of `size` bytes that holds `initial`.
    #[track_caller]
    pub const fn new(size: u8, initial: Initial) -> Object {
        let name = Cell::new(UNNAMED | size as u64);
        Object { name, initial: Cell::new(initial), created: Location::caller() }
    }

    /// The bytes that the execution graph has in its place.
    #[inline]
    pub fn access(&self, size: u8) -> Access {
        Access::new(self.name().unwrap_or_else(|| names::register(self)), size)
    }

    #[inline]
    pub fn name(&self) -> Option<u64> {
        let name = self.name.get();
        (name & !SIZE != UNNAMED).then_some(name)
    }

    /// Makes it a new object that holds `initial`, which the caller may change.
    pub fn renew(&mut self, size: u8, initial: Value) -> &mut Value {
        self.name.set(UNNAMED | u64::from(size));
        self.initial.set(Initial { bits: initial });
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

    /// The object at `addr` and its size, if an object without a name lies there.
    ///
    /// # Safety
    /// The object, if it is one, stays there as long as the reference is used.
    pub unsafe fn unnamed_at<'a>(addr: usize) -> Option<(&'a Object, u8)> {
        let pointer = addr as *const u64;
        // SAFETY: the caller's promise; the address is aligned. The memory may hold anything, or nothing.
        let word = unsafe { pointer.read_volatile() };
        // SAFETY: nothing but an object has this value.
        (word & !SIZE == UNNAMED).then(|| (unsafe { &*pointer.cast() }, (word & SIZE) as u8))
    }
}
