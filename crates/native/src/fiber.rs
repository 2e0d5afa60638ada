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
        clear(bounds);
        let pointer = |addr| StackPointer::new(addr).expect("no region starts at address 0");
        let stack = RegionStack { base: pointer(bounds.stack), limit: pointer(bounds.guard) };
        Fiber(ManuallyDrop::new(Coroutine::with_stack(stack, move |exit: &Exit, _| body(exit))))
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

/// Clears what earlier executions have left on a stack. Programs may copy bytes that they have not written, and their
/// behaviour must not depend on other executions.
fn clear(bounds: Bounds) {
    const CHUNK: usize = 1 << 8;
    /// A stack may have gaps that nothing was written to; larger ones are rare.
    const GAP: usize = 16;
    let (mut end, mut n_clear) = (bounds.stack, 0);
    while n_clear < GAP && end - CHUNK >= bounds.guard + GUARD {
        end -= CHUNK;
        // SAFETY: the stack belongs to a thread that has not started, and ends above the guard.
        let chunk = unsafe { &mut *(end as *mut [u64; CHUNK / 8]) };
        match chunk.iter().fold(0, |bits, word| bits | word) {
            0 => n_clear += 1,
            _ => (*chunk, n_clear) = ([0; CHUNK / 8], 0),
        }
    }
}
