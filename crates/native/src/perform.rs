//! What code on the stack of a model thread can do: perform events, create threads, wait, fail.

use crate::context::{Body, Failure, FailureCause, Panics, Where, with};
use crate::fiber::Exit;
use crate::spread::NoNumber;
use crate::{arena, heap, lessons, local, names, quiet, tracked};
use atropos_event::{BlockReason, Label, RefusalReason, SourceLocation, Step, ThreadId, Value, Violation};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};

/// The whole life of a model thread, on its own stack.
#[track_caller]
pub(crate) fn run(body: Body, exit: *const Exit) {
    with(|context| context.running().exit = exit);
    let result = catch_unwind(AssertUnwindSafe(|| match body {
        // SAFETY: the program outlives its runs.
        Body::Main(body) => unsafe { (*body)() },
        // SAFETY: it was a box, and a thread begins once in an execution.
        Body::Child(body) => unsafe { Box::from_raw(body)() },
    }));
    let result = result.and_then(|()| catch_unwind(local::end));
    if let Err(payload) = result {
        // It is in memory that is reset as a whole.
        std::mem::forget(payload);
        fail_by_panic(Location::caller());
    }
    tracked::at_end(Location::caller());
    perform(Label::End, Location::caller());
    unreachable!("the end of a thread is not answered");
}

/// Performs `label`, and returns the answer.
#[inline]
pub(crate) fn perform(label: Label, place: Where) -> Value {
    let (is_quiet, is_late) = with(|context| {
        let is_late = label.access().is_some_and(|access| context.tracked.is_buried(access.addr.0));
        (
            context.running().is_probing()
                && !context.is_trying()
                && context.running().panics.n_unwinding == 0,
            is_late,
        )
    });
    if is_quiet {
        return quiet::perform(label, place);
    }
    if is_late {
        lessons::learn_late_access(label.access().expect("an access").addr.0, place);
    }
    names::register_fresh(place);
    reach(Step::Do(label), place)
}

/// Reaches `step`, and returns the answer.
pub(crate) fn reach(step: Step, place: Where) -> Value {
    if with(|context| context.is_trying()) {
        return with(|context| context.tried_answer(step)).unwrap_or_else(|| abandon());
    }
    let (is_unwinding, is_probing) = with(|context| {
        let thread = context.running();
        (thread.panics.fatal.is_some(), thread.is_probing())
    });
    if is_unwinding {
        if std::thread::panicking() {
            // The panic is the violation. What destructors would do meanwhile does not matter.
            fail_by_panic(place);
        }
        with(|context| context.running().panics = Panics::default());
    }
    if is_probing {
        lessons::learn_counts(place);
    }
    let answer = with(|context| context.reach(step, place)).unwrap_or_else(suspend);
    if let Step::Do(label) = step {
        with(|context| {
            let idle = &mut context.running().idle;
            idle.note(label, answer);
            if changes(label, answer) {
                idle.clear();
            }
        });
    }
    answer
}

/// Whether a thread that performs this label and gets the answer has changed something.
#[inline]
fn changes(label: Label, answer: Value) -> bool {
    match label {
        Label::Read { access, rmw, .. } => {
            rmw.write_after(access, answer).is_some_and(|(written, _)| written != answer)
        }
        Label::Begin | Label::End | Label::Fence { .. } | Label::Join { .. } => false,
        Label::Write { .. } | Label::Spawn { .. } | Label::Alloc { .. } | Label::Free { .. } => true,
    }
}

#[inline]
fn suspend() -> Value {
    let here = 0u8;
    let exit = with(|context| {
        let thread = context.running();
        thread.stack = (&raw const here).addr();
        thread.exit
    });
    // SAFETY: it lies at the bottom of the stack that this code runs on.
    unsafe { (*exit).suspend(()) }
}

/// Returns control for good: the live execution starts anew.
pub(crate) fn abandon() -> ! {
    suspend();
    unreachable!("an abandoned thread is not resumed");
}

/// Waits for a value to change.
pub(crate) fn block(reason: BlockReason, place: Where) -> ! {
    reach(Step::Blocked(reason), place);
    unreachable!("a blocked thread is not resumed");
}

/// The running thread has read a value, then has failed to exchange it, and has done nothing else meanwhile. In another
/// execution it reads the new value at once, so nothing is lost here [ALGORITHMS §L.2].
pub(crate) fn try_again(place: Where) -> ! {
    block(BlockReason::Retry, place)
}

/// Makes the running thread fail.
pub(crate) fn fail(failure: Failure, place: Where) -> ! {
    if with(|context| context.is_trying()) {
        abandon();
    }
    let step = match failure.cause {
        FailureCause::Violation(_) => Step::Failed,
        FailureCause::Refusal(_) => Step::Unsupported,
    };
    heap::outside(|| {
        with(|context| {
            let at = context.running().at;
            if context.failure_at(at).is_none() {
                context.failures.push((at, failure));
            }
            context.reach(step, place);
        });
    });
    suspend();
    unreachable!("a thread that has failed is not resumed");
}

fn fail_by_panic(place: Where) -> ! {
    let panic = with(|context| context.running().panics.fatal.take());
    fail(panic.expect("the hook has noted the panic"), place)
}

pub(crate) fn violate(violation: Violation, place: Where) -> ! {
    fail(Failure { cause: FailureCause::Violation(violation), source: None }, place)
}

pub(crate) fn refuse(reason: RefusalReason, place: Where) -> ! {
    fail(Failure { cause: FailureCause::Refusal(Box::new(reason.into())), source: None }, place)
}

/// Records the panic that begins to unwind the running thread.
pub(crate) fn note_panic(violation: Violation, source: Option<SourceLocation>) {
    with(|context| {
        let panics = &mut context.running().panics;
        panics.n_unwinding += 1;
        if panics.n_catching == 0 {
            panics.fatal = Some(Failure { cause: FailureCause::Violation(violation), source });
        }
    });
}

/// Waits for the end of `child`.
pub(crate) fn join(child: ThreadId, place: Where) {
    perform(Label::Join { child }, place);
    heap::outside(|| with(|context| context.note_join(child)));
}

/// Creates a thread that runs `body`; `drains` as in [`Label::Spawn`].
pub(crate) fn spawn(body: Box<dyn FnOnce()>, drains: bool, place: Where) -> ThreadId {
    let child = heap::outside(|| {
        with(|context| {
            let parent = context.running();
            parent.n_children += 1;
            let key = parent.key.child(parent.n_children).ok_or(Err(RefusalReason::TooManyDescendants))?;
            let child = context.enter(key).map_err(|reason| match reason {
                NoNumber::TooMany => Err(RefusalReason::TooManyThreads { most: arena::REGIONS }),
                NoNumber::Unknown => Ok(key),
            })?;
            context.thread(child).body = Some(Body::Child(Box::into_raw(body)));
            Ok(child)
        })
    });
    let child = child.unwrap_or_else(|reason| match reason {
        Ok(key) => lessons::learn(|lessons| lessons.numbers.add_thread(key), place),
        Err(reason) => refuse(reason, place),
    });
    perform(Label::Spawn { child, drains }, place);
    child
}

/// The allocator has no room for `size` more bytes.
#[cold]
pub(crate) fn out_of_memory(size: usize) -> ! {
    refuse(RefusalReason::OutOfAddresses { size: size as u64 }, Location::caller())
}
