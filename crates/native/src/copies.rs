//! Data that outlives executions: statics, and what the closure has captured.
//!
//! Each execution works on a copy, made at the first access, so that every execution starts with the same content. All
//! runs of a program agree on the places of the copies.

use crate::context::with;
use crate::{heap, perform};
use rustc_hash::FxHashSet;
use std::alloc::Layout;
use std::cell::UnsafeCell;
use std::ptr;

/// The copies of the current execution, by the address of the original.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    made: FxHashSet<usize>,
}

impl Copies {
    pub fn reset(&mut self) {
        self.made.clear();
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
            Some((context.statics() + offset, context.names.copies.made.insert(addr)))
        })
    });
    let (place, is_new) = copy.unwrap_or_else(|| perform::out_of_memory(layout.size()));
    if is_new {
        // SAFETY: the place is reserved for this copy, and is large enough.
        unsafe { ptr::copy_nonoverlapping(original.cast::<u8>(), place as *mut u8, layout.size()) };
    }
    original.map_addr(|_| place)
}
