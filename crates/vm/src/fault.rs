//! Why a thread cannot continue.

use crate::instr::Instr;
use atropos_event::{
    Addr, Assertion, EndOfLife, FreeError, JoinError, Memory, Misuse, MisuseReason, RefusalReason, SyncClass,
    ThreadId, Violation,
};

/// What went wrong in a step. The statement's own part of the violation is looked up when it is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    // The program is wrong.
    Assertion,
    /// The statement says what is wrong, with `object` if it names one.
    Failure {
        object: u64,
    },
    DividedByZero,
    QuotientOverflows,
    NullPointer {
        addr: u64,
    },
    OutOfBounds {
        addr: u64,
        size: u64,
    },
    Unwritten {
        addr: u64,
    },
    WriteToConstant {
        addr: u64,
    },
    Misaligned {
        addr: u64,
        size: u8,
    },
    NotAFunction {
        addr: u64,
    },
    MissingArguments,
    NoSection,
    /// Not an error: [`crate::sections`] has learned something.
    NewInSection,
    /// Not errors: [`crate::unchanged`] has learned something.
    RepeatsStores,
    SeveralWriters,
    /// Not an error: [`crate::tries`] has learned something.
    TriesMatter,
    NotLocked {
        mutex: u64,
    },
    /// The lock has a value that no usable lock has.
    NotALock {
        mutex: u64,
        is_destroyed: bool,
    },
    LockedTwice {
        mutex: u64,
    },
    NotAThread {
        handle: u64,
    },
    JoinsItself,
    NotJoinable,
    NotAllocated {
        addr: u64,
    },
    ThreadHasEnded {
        addr: u64,
    },
    // The program cannot be checked.
    Declared,
    OthersPrivateSlot {
        addr: u64,
    },
    /// The thread must first read whether the owner of the thread-local has ended.
    OthersThreadLocal {
        addr: u64,
    },
    TooDeep,
    TooManyThreads,
    TooDeeplyNested,
    OutOfMemory {
        size: u64,
    },
    OutOfPrivateMemory,
    TooManyMutexes,
    NoSuchFormat,
    HiddenOutput {
        addr: u64,
    },
    NoLabelInSight,
}

/// What a violation needs in addition to the fault.
pub struct Context<'a> {
    /// The statement that has failed.
    pub statement: &'a Instr,
    /// The memory of this many bytes at an address, as the guilty thread sees it.
    pub memory: &'a dyn Fn(u64, u64) -> Memory,
    /// The library function that the program has called.
    pub call: &'a dyn Fn() -> Option<String>,
    /// What the thread has printed last.
    pub said: &'a dyn Fn() -> String,
}

impl Fault {
    /// Whether the program is wrong, rather than impossible to check.
    pub fn is_violation(self) -> bool {
        match self {
            Fault::Assertion
            | Fault::Failure { .. }
            | Fault::DividedByZero
            | Fault::QuotientOverflows
            | Fault::NullPointer { .. }
            | Fault::OutOfBounds { .. }
            | Fault::Unwritten { .. }
            | Fault::WriteToConstant { .. }
            | Fault::Misaligned { .. }
            | Fault::NotAFunction { .. }
            | Fault::MissingArguments
            | Fault::NoSection
            | Fault::NotLocked { .. }
            | Fault::NotALock { .. }
            | Fault::LockedTwice { .. }
            | Fault::NotAThread { .. }
            | Fault::JoinsItself
            | Fault::NotJoinable
            | Fault::NotAllocated { .. }
            | Fault::ThreadHasEnded { .. } => true,
            Fault::NewInSection
            | Fault::RepeatsStores
            | Fault::SeveralWriters
            | Fault::TriesMatter
            | Fault::Declared
            | Fault::OthersPrivateSlot { .. }
            | Fault::OthersThreadLocal { .. }
            | Fault::TooDeep
            | Fault::TooManyThreads
            | Fault::TooDeeplyNested
            | Fault::OutOfMemory { .. }
            | Fault::OutOfPrivateMemory
            | Fault::TooManyMutexes
            | Fault::NoSuchFormat
            | Fault::HiddenOutput { .. }
            | Fault::NoLabelInSight => false,
        }
    }

    /// The violation, if the program is wrong.
    pub fn violation(self, context: &Context<'_>) -> Option<Violation> {
        let at = |addr| (context.memory)(addr, 0);
        Some(match self {
            Fault::Assertion => match context.statement {
                Instr::Assert { message, .. } => Violation::Assertion(Assertion::Message(message.clone())),
                _ => return None,
            },
            Fault::Failure { object } => match context.statement {
                Instr::Fail { failure } => failure.violation(&|| at(object), context),
                _ => return None,
            },
            Fault::DividedByZero => Violation::DivisionByZero,
            Fault::QuotientOverflows => Violation::QuotientOverflow,
            Fault::NullPointer { addr } => Violation::NullPointer { addr: Addr(addr) },
            Fault::OutOfBounds { addr, size } => {
                Violation::OutOfBounds { size, at: Some(at(addr)), object: None }
            }
            Fault::Unwritten { addr } => Violation::Uninitialised { memory: at(addr) },
            Fault::WriteToConstant { addr } => Violation::ConstantWritten { memory: at(addr) },
            Fault::Misaligned { addr, size } => Violation::Misaligned { memory: at(addr), size: size.into() },
            Fault::NotAFunction { addr } => Violation::NotAFunction { addr: Addr(addr) },
            Fault::MissingArguments => Violation::MissingArguments,
            Fault::NotAThread { handle } => Violation::InvalidJoin(JoinError::NotAThread { handle }),
            Fault::JoinsItself => Violation::InvalidJoin(JoinError::Itself),
            Fault::NotJoinable => Violation::InvalidJoin(JoinError::NotJoinable),
            Fault::NotAllocated { addr } => {
                Violation::InvalidFree { object: at(addr), reason: FreeError::NotAllocated }
            }
            Fault::ThreadHasEnded { addr } => {
                Violation::UseAfterFree { memory: at(addr), end: EndOfLife::ThreadEnded }
            }
            fault => Violation::LockMisuse(fault.misuse(context)?),
        })
    }

    /// Why a use of a lock or a similar object is wrong.
    fn misuse(self, context: &Context<'_>) -> Option<Misuse> {
        let (lock, operation) = match context.statement {
            Instr::Lock { kind, .. } => (kind.class(), Some("lock")),
            Instr::TryLock { kind, .. } => (kind.class(), Some("trylock")),
            Instr::Unlock { kind, .. } => (kind.class(), Some("unlock")),
            _ => (SyncClass::Mutex, None),
        };
        let (class, reason, object) = match self {
            Fault::NotLocked { mutex } => (lock, MisuseReason::NotHeld, Some(mutex)),
            Fault::NotALock { mutex, is_destroyed: true } => (lock, MisuseReason::Destroyed, Some(mutex)),
            Fault::NotALock { mutex, .. } => (lock, MisuseReason::NotInitialised, Some(mutex)),
            Fault::LockedTwice { mutex } => (lock, MisuseReason::HeldByCaller, Some(mutex)),
            Fault::NoSection => (SyncClass::AtomicSection, MisuseReason::NotBegun, None),
            _ => return None,
        };
        let call = (context.call)().or_else(|| operation.map(str::to_string));
        Some(Misuse { call, class, object: object.map(|object| (context.memory)(object, 0)), reason })
    }

    /// Why the program cannot be checked, if it cannot.
    pub fn refusal(self, context: &Context<'_>) -> Option<RefusalReason> {
        let at = |addr| (context.memory)(addr, 0);
        Some(match self {
            Fault::Declared => match context.statement {
                Instr::Unsupported { gap } => RefusalReason::NotModelled((**gap).clone()),
                _ => return None,
            },
            Fault::OthersPrivateSlot { addr } | Fault::OthersThreadLocal { addr } => {
                RefusalReason::PrivateToAnother(at(addr))
            }
            Fault::HiddenOutput { addr } => RefusalReason::VisibleOutput(at(addr)),
            Fault::OutOfMemory { size } => RefusalReason::OutOfAddresses { size },
            Fault::NewInSection | Fault::RepeatsStores | Fault::SeveralWriters | Fault::TriesMatter => {
                RefusalReason::Learned
            }
            Fault::TooDeep => RefusalReason::CallsTooDeep,
            Fault::TooManyThreads => RefusalReason::TooManyThreads { most: ThreadId::LIMIT },
            Fault::TooDeeplyNested => RefusalReason::TooManyDescendants,
            Fault::OutOfPrivateMemory => RefusalReason::OutOfPrivateMemory,
            Fault::TooManyMutexes => RefusalReason::TooManyMutexes,
            Fault::NoSuchFormat => RefusalReason::ConversionNotModelled,
            Fault::NoLabelInSight => RefusalReason::NoAccess,
            _ => return None,
        })
    }
}
