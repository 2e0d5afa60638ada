//! The deterministic heap: inside a model, the nth allocation of a thread always has the same address.
//!
//! No address is used twice within an execution, so a stale pointer never equals a fresh one. Starting an execution
//! over resets one counter per thread, and abandoned stacks leak nothing. The price is that memory from inside a model
//! must not outlive its execution.

use crate::arena::{self, Bounds};
use crate::perform;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::Range;
use std::ptr;

thread_local! {
    /// The heap of the model thread whose code is running; null outside of a model.
    static CURRENT: Cell<*mut Heap> = const { Cell::new(ptr::null_mut()) };
}

/// What one model thread has allocated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heap {
    start: usize,
    next: usize,
    end: usize,
    /// Everything below has been searched for new objects: see [`crate::object`].
    searched: usize,
}

impl Heap {
    pub fn new(bounds: Bounds) -> Heap {
        let Bounds { heap, end, .. } = bounds;
        Heap { start: heap, next: heap, end, searched: heap }
    }

    /// Frees everything. A later execution does not see what this one has left.
    #[inline]
    pub fn reset(&mut self) {
        // SAFETY: these bytes were allocated here, and the execution that used them is over.
        unsafe { ptr::write_bytes(self.start as *mut u8, 0, self.next - self.start) };
        (self.next, self.searched) = (self.start, self.start);
    }

    /// What is allocated.
    pub fn range(&self) -> Range<usize> {
        self.start..self.next
    }

    /// Goes back to `earlier`: frees everything that was allocated since.
    pub fn restore(&mut self, earlier: Heap) {
        let n_new = self.next.saturating_sub(earlier.next);
        // SAFETY: as above.
        unsafe { ptr::write_bytes(earlier.next as *mut u8, 0, n_new) };
        *self = earlier;
    }

    #[inline]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        let start = self.next.next_multiple_of(layout.align().max(8));
        match start.checked_add(layout.size().max(1)) {
            Some(end) if end <= self.end => {
                self.next = end;
                start as *mut u8
            }
            _ => ptr::null_mut(),
        }
    }

    /// Whether the block that starts at `start` is the latest one, which can grow in place.
    fn is_last(&self, start: usize, size: usize) -> bool {
        start >= self.start && start + size == self.next
    }
}

/// Makes allocations come from `heap` until [`leave`].
#[inline]
pub(crate) fn enter(heap: *mut Heap) {
    CURRENT.set(heap);
}

#[inline]
pub(crate) fn leave() {
    CURRENT.set(ptr::null_mut());
}

/// Runs `f` with the ordinary heap.
#[inline]
pub(crate) fn outside<R>(f: impl FnOnce() -> R) -> R {
    let heap = CURRENT.replace(ptr::null_mut());
    let result = f();
    CURRENT.set(heap);
    result
}

/// Whether [`ModelHeap`] is the global allocator.
pub(crate) fn is_global() -> bool {
    let mut room = [0u64; 8];
    let start = room.as_mut_ptr().addr();
    let end = start + size_of_val(&room);
    let mut heap = Heap { start, next: start, end, searched: start };
    enter(&raw mut heap);
    let probe = std::hint::black_box(Box::new(1u8));
    let is_ours = (start..end).contains(&ptr::from_ref(&*probe).addr());
    drop(probe);
    leave();
    is_ours
}

/// How much the running thread has allocated.
pub(crate) fn mark() -> usize {
    // SAFETY: see `take_fresh`.
    unsafe { CURRENT.get().as_ref() }.map_or(0, |heap| heap.next)
}

/// The memory that the running thread has allocated since the last call.
#[inline]
pub(crate) fn take_fresh() -> Option<(usize, usize)> {
    let heap = CURRENT.get();
    // SAFETY: the heap of the running thread lives as long as its run, and nothing else refers to it now.
    let heap = unsafe { heap.as_mut()? };
    if heap.searched == heap.next {
        return None;
    }
    Some((std::mem::replace(&mut heap.searched, heap.next), heap.next))
}

/// The global allocator that checked programs need. Outside of models it is the system's.
///
/// ```
/// #[global_allocator]
/// static HEAP: atropos_native::ModelHeap = atropos_native::ModelHeap;
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelHeap;

// SAFETY: blocks of a model heap are disjoint, aligned, and stay valid until the execution is over. All others come
// from the system and return to it.
unsafe impl GlobalAlloc for ModelHeap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let heap = CURRENT.get();
        if heap.is_null() {
            // SAFETY: the caller's promise.
            return unsafe { System.alloc(layout) };
        }
        // SAFETY: see `take_fresh`.
        let block = unsafe { (*heap).allocate(layout) };
        if block.is_null() {
            perform::out_of_memory(layout.size());
        }
        block
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // Memory that a model did not allocate may be needed by a later execution.
        if CURRENT.get().is_null() && !arena::is_in_some(block as usize) {
            // SAFETY: the caller's promise, and the block is not from a model heap.
            unsafe { System.dealloc(block, layout) }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let heap = CURRENT.get();
        let is_ours = arena::is_in_some(block as usize);
        if heap.is_null() && !is_ours {
            // SAFETY: the caller's promise.
            return unsafe { System.realloc(block, layout, new_size) };
        }
        if is_ours && new_size <= layout.size() {
            return block;
        }
        // SAFETY: see `take_fresh`.
        let last = unsafe { heap.as_mut() }.filter(|heap| heap.is_last(block as usize, layout.size()));
        if let Some(heap) = last
            && block as usize + new_size <= heap.end
        {
            heap.next = block as usize + new_size;
            return block;
        }
        // SAFETY: the caller promises a valid block and a size that fits a layout.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
            if !new.is_null() {
                ptr::copy_nonoverlapping(block, new, layout.size().min(new_size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}
