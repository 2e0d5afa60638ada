//! A model thread as a coroutine on the stack of its region.

use crate::arena::{Bounds, GUARD};
use atropos_event::Value;
use corosensei::stack::{Stack, StackPointer};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::mem::ManuallyDrop;

/// Returns control to the run, which resumes the thread with an answer.
pub(crate) type Exit = Yielder<Value, ()>;

/// The stack of a region.
#[derive(Clone, Copy, Debug)]
struct RegionStack {
    base: StackPointer,
    limit: StackPointer,
}

// SAFETY: the region starts with a guard, and its stack is far larger than the minimum.
unsafe impl Stack for RegionStack {
    fn base(&self) -> StackPointer {
        self.base
    }

    fn limit(&self) -> StackPointer {
        self.limit
    }
}

/// A thread that has started. Dropping it abandons its stack as it is: everything it owns is in memory that is reset as
/// a whole.
pub(crate) struct Fiber(ManuallyDrop<Coroutine<Value, (), (), RegionStack>>);

impl Fiber {
    /// Prepares `body` to run on the stack of a region. It must not return or unwind.
    pub fn new(bounds: Bounds, body: impl FnOnce(*const Exit) + 'static) -> Fiber {
        clear_below(bounds.stack, bounds.guard);
        let pointer = |addr| StackPointer::new(addr).expect("no region starts at address 0");
        let stack = RegionStack { base: pointer(bounds.stack), limit: pointer(bounds.guard) };
        Fiber(ManuallyDrop::new(Coroutine::with_stack(stack, move |exit: &Exit, _| body(exit))))
    }

    /// The same thread, which continues from here once more if its stack is what it is now.
    pub fn duplicate(&self) -> Fiber {
        // SAFETY: these are addresses; nothing is dropped.
        Fiber(unsafe { std::ptr::read(&self.0) })
    }

    /// Runs the thread until it returns control.
    #[inline]
    pub fn resume(&mut self, answer: Value) {
        match self.0.resume(answer) {
            CoroutineResult::Yield(()) => {}
            CoroutineResult::Return(()) => unreachable!("a model thread waits at its end"),
        }
    }
}

/// Stacks are searched by chunks of this many words.
const CHUNK: usize = 32;
type Chunk = [u64; CHUNK];
/// A stack may have gaps of this many chunks that nothing was written to; larger ones are rare.
const GAP: usize = 16;

/// Clears what earlier executions have left on a stack below `end`. Programs may copy bytes that they have not written,
/// and their behaviour must not depend on other executions.
pub(crate) fn clear_below(end: usize, guard: usize) {
    used_chunks(end, guard, |chunk| *chunk = [0; CHUNK]);
}

/// Where the part of a stack begins that was written to. Control was returned at `at`.
pub(crate) fn first_used(at: usize, guard: usize) -> usize {
    /// More than what returning control needs.
    const FRAME: usize = 1 << 10;
    let mut first = (at - FRAME) & !(size_of::<Chunk>() - 1);
    used_chunks(first, guard, |chunk| first = chunk.as_ptr().addr());
    first
}

/// Calls `f` with each chunk of a stack below `end` that is not all zeroes. No thread runs on it.
fn used_chunks(mut end: usize, guard: usize, mut f: impl FnMut(&mut Chunk)) {
    let mut n_clear = 0;
    while n_clear < GAP && end - size_of::<Chunk>() >= guard + GUARD {
        end -= size_of::<Chunk>();
        // SAFETY: the stack belongs to a thread that does not run, and ends above the guard.
        let chunk = unsafe { &mut *(end as *mut Chunk) };
        match chunk.iter().fold(0, |bits, word| bits | word) {
            0 => n_clear += 1,
            _ => {
                n_clear = 0;
                f(chunk);
            }
        }
    }
}
