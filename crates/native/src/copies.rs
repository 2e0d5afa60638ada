//! Data that outlives executions: statics, and what the closure has captured.
//!
//! Each execution works on a copy, made at the first access, so that every execution starts with the same content. All
//! runs of a program agree on the places of the copies.

use crate::context::with;
use crate::{heap, perform};
use rustc_hash::FxHashMap;
use std::alloc::Layout;
use std::cell::UnsafeCell;
use std::ptr;

/// The copies of the current execution, by the address of the original.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// Where each copy is, and its size.
    made: FxHashMap<usize, (usize, usize)>,
}

impl Clone for Copies {
    fn clone(&self) -> Self {
        Copies { made: self.made.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.made.clone_from(&other.made);
    }
}

impl Copies {
    pub fn reset(&mut self) {
        self.made.clear();
    }

    /// Calls `f` with the bounds of each copy.
    pub fn each(&self, mut f: impl FnMut(usize, usize)) {
        self.made.values().for_each(|&(place, size)| f(place, place + size));
    }
}

/// The copy of `data` in the running execution.
#[cold]
pub(crate) fn copy_of<T: ?Sized>(data: &UnsafeCell<T>) -> *mut T {
    let original = data.get();
    // SAFETY: the caller has a reference to it. No code changes originals.
    let layout = unsafe { Layout::for_value(&*original) };
    let copy = heap::outside(|| {
        with(|context| {
            let addr = original.addr();
            let offset = context.shared().offset_of(addr, layout)?;
            context.tracked.is_kept |= std::mem::needs_drop::<T>();
            let place = context.statics() + offset;
            let before = context.names.copies.made.insert(addr, (place, layout.size()));
            Some((place, before.is_none()))
        })
    });
    let (place, is_new) = copy.unwrap_or_else(|| perform::out_of_memory(layout.size()));
    if is_new {
        // SAFETY: the place is reserved for this copy, and is large enough.
        unsafe { ptr::copy_nonoverlapping(original.cast::<u8>(), place as *mut u8, layout.size()) };
    }
    original.map_addr(|_| place)
}
