//! Turns violations into sentences. No other code does.

use crate::finding::{Expected, Flaw};
use crate::gaps;
use crate::label::EventKind;
use crate::names::Names;
use crate::operation::readable;
use atropos_event::{
    AbortCause, Access, Addr, AllocKind, Assertion, Diagnostic, EndOfLife, Exception, Extent, FreeError,
    JoinError, Label, Memory, Misuse, MisuseReason, Place, Refusal, RefusalReason, ReplayDifference, Rmw,
    SourceLocation, Step, SyncClass, Violation,
};

/// The violation as a sentence, with the names of the trace for objects.
pub fn sentence(violation: &Violation, names: &Names<'_>) -> String {
    let name = |memory: &Memory| name(memory, names);
    match violation {
        Violation::Assertion(assertion) => assertion_sentence(assertion),
        Violation::Race { bytes } => format!("data race on `{}`", names.name_of_access(*bytes)),
        Violation::UseAfterFree { memory, end } => match end {
            EndOfLife::Freed => "access to an object that has been freed".to_string(),
            EndOfLife::FreedConcurrently => {
                "access to an object that another thread may free at the same time".to_string()
            }
            EndOfLife::ThreadEnded => {
                format!("access to {}, whose thread has ended or may end at the same time", name(memory))
            }
        },
        Violation::DoubleFree { .. } => "the object is freed twice".to_string(),
        Violation::InvalidFree { object, reason } => match reason {
            FreeError::NotAllocated => {
                format!("free of {}, which no allocation returned", object_name(object, names))
            }
            FreeError::NotAnObject => {
                format!("free of {}, which is not the start of a heap object", object_name(object, names))
            }
            FreeError::BeforeAllocation => {
                "the deallocation does not happen after the allocation of its object".to_string()
            }
        },
        Violation::OutOfBounds { size, at, object } => {
            out_of_bounds(*size, at.as_ref(), object.as_ref(), names)
        }
        Violation::AccessBeforeAllocation { .. } => {
            "the access does not happen after the allocation of its object".to_string()
        }
        Violation::NullPointer { addr: Addr(0) } => "access through a null pointer".to_string(),
        Violation::NullPointer { addr } => format!("access through a null pointer, at {addr}"),
        Violation::ConstantWritten { memory } => format!("write to the constant {}", name(memory)),
        Violation::Misaligned { memory, size } => {
            format!("atomic access of {size} bytes at {}, which is not aligned", name(memory))
        }
        Violation::NotAFunction { addr } => format!("call of {addr}, which is not a function"),
        Violation::MissingArguments => "call with too few arguments".to_string(),
        Violation::Uninitialised { memory } => format!("read of {}, which was never written", name(memory)),
        Violation::Leak { object, size } => {
            let size = size.saturating_sub(names.header_at(*object));
            let bytes = if size == 1 { "byte is" } else { "bytes are" };
            format!("{size} {bytes} allocated here and never freed")
        }
        Violation::Deadlock { .. } => "every thread that has not ended waits forever".to_string(),
        Violation::NonTermination { .. } => {
            "the thread spins forever: nothing will change what it reads".to_string()
        }
        Violation::LockMisuse(misuse) => misuse_sentence(misuse, names),
        Violation::InvalidJoin(error) => join_sentence(*error),
        Violation::DivisionByZero => "division by zero".to_string(),
        Violation::QuotientOverflow => "signed overflow: the smallest number is divided by -1".to_string(),
        Violation::Unreachable => "code that must not be reached".to_string(),
        Violation::UncaughtException(exception) => exception_sentence(exception),
        Violation::Abort { cause } => abort_sentence(*cause).to_string(),
        Violation::Flag { name } => format!("the model raises the flag `{name}`"),
    }
}

pub(crate) fn flaw_sentence(flaw: &Flaw) -> String {
    match flaw {
        Flaw::Condition { expected: Expected::Some, condition } => {
            format!("no execution ends as `{condition}` claims")
        }
        Flaw::Condition { expected: Expected::None, condition } => {
            format!("an execution ends as `{condition}` forbids")
        }
        Flaw::Condition { expected: Expected::All, condition } => {
            format!("an execution does not end as `{condition}` claims")
        }
        Flaw::NotRobust { model } => {
            format!("the program is not robust: this execution is possible under {model}, not under sc")
        }
    }
}

/// Why a program cannot be checked, at the place in its source if that is known.
pub fn refusal(refusal: &Refusal, names: &Names<'_>) -> Diagnostic {
    let inner = refusal.inner.as_ref().map(|inner| format!(" (in {})", inner.short())).unwrap_or_default();
    let reason = reason_sentence(&refusal.reason, names);
    match &refusal.place {
        Some(Place { source: Some(SourceLocation { file, line, column }), .. }) => {
            Diagnostic::error(format!("{reason}{inner}")).at_line(file, *line, *column)
        }
        Some(place) => Diagnostic::error(format!("{}: {reason}{inner}", place.text)),
        None => Diagnostic::error(format!("{reason}{inner}")),
    }
}

fn reason_sentence(reason: &RefusalReason, names: &Names<'_>) -> String {
    match reason {
        RefusalReason::NotModelled(gap) => gaps::sentence(gap),
        RefusalReason::PrivateToAnother(memory) => {
            format!("{} is private to its thread, but another one uses it", name(memory, names))
        }
        RefusalReason::VisibleOutput(memory) => {
            format!("output from {}, which other threads can see", name(memory, names))
        }
        RefusalReason::Learned => "the search should start over with what it has learned".to_string(),
        RefusalReason::ConversionNotModelled => {
            "this conversion between numbers and text is not modelled".to_string()
        }
        RefusalReason::CallsTooDeep => "calls are nested too deeply".to_string(),
        RefusalReason::TooManyThreads { most } => format!("more threads than the limit of {most}"),
        RefusalReason::TooManyDescendants => {
            "a thread creates too many threads, or threads create threads too deeply".to_string()
        }
        RefusalReason::OutOfAddresses { size } => {
            format!("no room in the thread's address space for {size} bytes")
        }
        RefusalReason::OutOfPrivateMemory => "no room for more private stack memory".to_string(),
        RefusalReason::TooManyMutexes => "a thread holds too many mutexes at once".to_string(),
        RefusalReason::NoAccess => {
            "the thread loops without accessing shared memory; bound its loops with --unroll N".to_string()
        }
        RefusalReason::ThreadTooLong { thread, most } => format!(
            "thread {thread} has more than {most} events in one execution: bound its loops with --unroll"
        ),
        RefusalReason::MixedSizes { accesses: [known, access], thread } => format!(
            "accesses of different sizes to the same bytes of `{}` ({} bytes at {}, {} bytes at {}) in thread {thread}",
            names.name(access.addr),
            known.size,
            known.addr,
            access.size,
            access.addr
        ),
        RefusalReason::FreedAndShared { object, kind } => {
            let what = match kind {
                AllocKind::Heap => "an object on the heap",
                AllocKind::Stack => "a variable of a function that returns",
            };
            format!(
                "rvf cannot judge memory that one thread frees and another uses ({what} at {object}): use --algorithm \
                 trust"
            )
        }
        RefusalReason::NotDeterministic { thread, steps } => {
            let differs = match steps.map(|steps| steps.map(|step| step_clause(step, names))) {
                Some([first, again]) => format!("thread {thread} first {first}, and then {again}"),
                None => format!("thread {thread} does something else"),
            };
            format!(
                "the program under test is not deterministic: when it runs again with the same values, {differs}"
            )
        }
        RefusalReason::OtherExecution { thread, index, difference } => {
            format!(
                "event {thread}[{index}] is not what the program does: {}",
                difference_sentence(difference, names)
            )
        }
        RefusalReason::OtherSearch => "what was kept of the search is not about this program".to_string(),
        RefusalReason::Model(complaint) => complaint.to_string(),
        RefusalReason::NotExtensible { model, event } => format!(
            "{model}: the model is not maximally extensible: it refuses event {event}, which comes last in its thread \
             and in coherence order; its executions cannot be explored by adding events"
        ),
    }
}

/// An event with its order, as part of a sentence.
pub fn event(label: &Label, names: &Names<'_>) -> String {
    let name = |access: Access| names.name_of_access(access);
    match *label {
        Label::Write { access, value, order, .. } => {
            let value = access.part().signed(access.narrow(value));
            format!("a write of {value} to `{}` ({order})", name(access))
        }
        Label::Read { access, order, .. } => {
            format!("a read of `{}` ({order})", name(access))
        }
        Label::Fence { order } => format!("`fence` ({order})"),
        Label::Begin
        | Label::End
        | Label::Spawn { .. }
        | Label::Join { .. }
        | Label::Alloc { .. }
        | Label::Free { .. } => format!("`{}`", EventKind::of(label).name()),
    }
}

fn difference_sentence(difference: &ReplayDifference, names: &Names<'_>) -> String {
    let step = |label: &Label| event(label, names);
    match difference {
        ReplayDifference::Absent => "its thread was not created, has ended or waits".to_string(),
        ReplayDifference::Does(label) => format!("its thread does {} instead", step(label)),
        ReplayDifference::Source => "it reads from something that is no write to the same bytes".to_string(),
        ReplayDifference::Value { access, value } => {
            format!("it reads the value {} from this source", access.part().signed(access.narrow(*value)))
        }
        ReplayDifference::Coherence => "no `co` line lists it".to_string(),
        ReplayDifference::Forbidden => "the memory model forbids it".to_string(),
        ReplayDifference::Cycle => "it comes after itself".to_string(),
        ReplayDifference::GoesOn(label) => {
            format!("nothing goes wrong up to here, and its thread continues with {}", step(label))
        }
        ReplayDifference::Part => {
            "stores to parts of a location, as the dpor algorithms make them, cannot be replayed".to_string()
        }
    }
}

/// The name of the bytes.
pub fn name(memory: &Memory, names: &Names<'_>) -> String {
    match memory {
        Memory::At { addr, size } => names.name_of_bytes(*addr, *size),
        Memory::Local { name } => name.clone(),
    }
}

/// The name of the object that begins there.
pub(crate) fn object_name(memory: &Memory, names: &Names<'_>) -> String {
    match memory {
        Memory::At { addr, .. } => names.object_name(*addr),
        Memory::Local { name } => name.clone(),
    }
}

/// What a thread does.
fn step_clause(step: Step, names: &Names<'_>) -> String {
    match step {
        Step::Do(Label::Read { access, rmw: Rmw::None, .. }) => {
            format!("reads `{}`", names.name_of_access(access))
        }
        Step::Do(Label::Read { access, .. }) => format!("changes `{}`", names.name_of_access(access)),
        Step::Do(Label::Write { access, value, .. }) => {
            format!("writes {} to `{}`", access.signed(value), names.name_of_access(access))
        }
        Step::Do(Label::Fence { .. }) => "performs a fence".to_string(),
        Step::Do(Label::Spawn { .. }) => "creates a thread".to_string(),
        Step::Do(Label::Join { .. }) => "joins a thread".to_string(),
        Step::Do(Label::Alloc { .. }) => "allocates memory".to_string(),
        Step::Do(Label::Free { .. }) => "frees memory".to_string(),
        Step::Do(Label::Begin) => "begins".to_string(),
        Step::Do(Label::End) | Step::Finished => "ends".to_string(),
        Step::Blocked(_) => "waits".to_string(),
        Step::Failed => "fails".to_string(),
        Step::Unsupported => "does what is not supported".to_string(),
    }
}

fn assertion_sentence(assertion: &Assertion) -> String {
    match assertion {
        Assertion::Message(text) => text.clone(),
        Assertion::Condition(condition) => format!("`{condition}` does not hold"),
        Assertion::Call(function) => format!("{function}() is called"),
    }
}

fn out_of_bounds(bytes: u64, at: Option<&Memory>, object: Option<&Extent>, names: &Names<'_>) -> String {
    match (at, object) {
        (Some(at), Some(Extent { object, size })) => match at.addr().zip(object.addr()) {
            Some((addr, start)) if addr < start => {
                let (before, size) = (start.0 - addr.0, size.saturating_sub(names.header_at(start)));
                format!("access of {bytes} bytes that starts {before} bytes before an object of {size} bytes")
            }
            Some((addr, start)) => {
                let header = names.header_at(start);
                let offset = addr.0.wrapping_sub(start.0).wrapping_sub(header);
                let size = size.saturating_sub(header);
                format!("access of {bytes} bytes at offset {offset} of an object of {size} bytes")
            }
            None => format!("access of {bytes} bytes at {}, outside its object", name(at, names)),
        },
        (None, Some(Extent { object, size })) => {
            let size = size.saturating_sub(object.addr().map_or(0, |start| names.header_at(start)));
            format!("access of {bytes} bytes outside {}, which has {size}", object_name(object, names))
        }
        (Some(at), None) => format!("access of {bytes} bytes at {}, outside any object", name(at, names)),
        (None, None) => format!("access of {bytes} bytes outside any object"),
    }
}

fn join_sentence(error: JoinError) -> String {
    match error {
        JoinError::NotAThread { handle } => {
            format!("{handle:#x} is joined or detached, but is not a thread")
        }
        JoinError::Itself => "a thread joins itself".to_string(),
        JoinError::NotJoinable => "the thread was joined or detached before".to_string(),
    }
}

fn exception_sentence(exception: &Exception) -> String {
    let Exception { name, thrower, what } = exception;
    let what_text = what.as_ref().map(|what| format!(" ({what})")).unwrap_or_default();
    match (name, thrower) {
        (Some(name), Some(thrower)) => format!("{thrower} throws {name}{what_text}, which is not caught"),
        (Some(name), None) if what.is_some() => {
            format!("{name}{what_text}, thrown by the C++ library, is not caught")
        }
        (Some(name), None) => format!("an exception of type {name} is not caught"),
        (None, Some(thrower)) => format!("the C++ library throws an exception ({thrower})"),
        (None, None) => "an exception is not caught".to_string(),
    }
}

fn abort_sentence(cause: AbortCause) -> &'static str {
    match cause {
        AbortCause::Call => "abort() is called",
        AbortCause::Trap => "a trap is reached",
        AbortCause::Terminate => "std::terminate is called",
        AbortCause::ThrowOutsideHandler => "`throw;` outside any handler: std::terminate is called",
        AbortCause::RethrowOfNothing => "std::rethrow_exception of nothing",
        AbortCause::PureVirtualCall => "a pure virtual function is called",
        AbortCause::ThreadEndCaught => {
            "`catch (...)` catches the end of a thread and does not throw it again"
        }
    }
}

fn misuse_sentence(misuse: &Misuse, names: &Names<'_>) -> String {
    let Misuse { call, class, object, reason } = misuse;
    let object = object.as_ref().map(|object| format!(" `{}`", object_name(object, names)));
    let subject = format!("the {}{}", class_noun(*class), object.unwrap_or_default());
    let wrong = reason_clause(*reason, *class, &subject);
    match call {
        Some(call) => format!("{}: {wrong}", readable(call)),
        None => wrong,
    }
}

fn class_noun(class: SyncClass) -> &'static str {
    match class {
        SyncClass::Mutex => "mutex",
        SyncClass::SpinLock => "spin lock",
        SyncClass::ReadWriteLock => "read-write lock",
        SyncClass::ConditionVariable => "condition variable",
        SyncClass::Barrier => "barrier",
        SyncClass::Latch => "latch",
        SyncClass::Semaphore => "semaphore",
        SyncClass::Attributes => "attributes object",
        SyncClass::Key => "key",
        SyncClass::OnceFlag => "once flag",
        SyncClass::JumpBuffer => "buffer of setjmp",
        SyncClass::AtomicSection => "atomic section",
    }
}

fn reason_clause(reason: MisuseReason, class: SyncClass, subject: &str) -> String {
    match reason {
        MisuseReason::NotInitialised => format!("{subject} is not initialised"),
        MisuseReason::AlreadyInitialised => format!("{subject} is already initialised"),
        MisuseReason::InUse => format!("{subject} is initialised while it is in use"),
        MisuseReason::Destroyed => format!("{subject} is destroyed"),
        MisuseReason::DestroyedOrNotInitialised if class == SyncClass::Key => {
            format!("{subject} is deleted, or was never created")
        }
        MisuseReason::DestroyedOrNotInitialised => {
            format!("{subject} is destroyed, or was never initialised")
        }
        MisuseReason::Held => format!("{subject} is held"),
        MisuseReason::HeldByCaller => format!("the thread already holds {subject}"),
        MisuseReason::NotHeld => format!("the thread does not hold {subject}"),
        MisuseReason::Awaited => format!("threads wait for {subject}"),
        MisuseReason::DifferentMutexes => format!("threads wait for {subject} with different mutexes"),
        MisuseReason::GivenTwice => format!("{subject} is given twice"),
        MisuseReason::NotBegun => format!("{subject} ends without a beginning"),
        MisuseReason::InvalidCount => "the count is negative or more than max()".to_string(),
        MisuseReason::InvalidNumber if class == SyncClass::Barrier => {
            "the number is not positive".to_string()
        }
        MisuseReason::InvalidNumber => "the number is negative".to_string(),
        MisuseReason::CounterTooSmall => "the counter would be less than zero".to_string(),
        MisuseReason::CounterTooLarge => "the counter would be more than max()".to_string(),
        MisuseReason::ForeignToken => "the token is of another barrier".to_string(),
        MisuseReason::OldToken => "the token's phase is neither the current nor the last one".to_string(),
        MisuseReason::TooManyArrivals => "more threads arrive than the phase waits for".to_string(),
        MisuseReason::OfAnotherThread => format!("{subject} was filled by another thread"),
        MisuseReason::OfAnEndedCall => format!("{subject} was filled by a function that has returned"),
    }
}
