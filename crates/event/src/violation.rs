//! What can be wrong with a program, as data.
//!
//! A violation is made where it is discovered and carries its operands: addresses, sizes, reasons. This crate and the
//! engine make no sentences of it; reports do, because they know the names of objects.

use crate::access::{Access, Addr};
use crate::id::ThreadKey;
use crate::misuse::Misuse;
use crate::program::LibraryCall;
use std::fmt;

/// A place in the program's source, if the front-end knows it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SourceLocation {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl SourceLocation {
    /// File and line; of a header without the folder that all headers are in.
    pub fn short(&self) -> String {
        let file = self.file.rsplit("/include/").next().unwrap_or(&self.file);
        format!("{file}:{}", self.line)
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Defines an enum whose variants have names that scripts and program texts rely on.
macro_rules! named_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The name that scripts see.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }

            pub fn from_name(name: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|known| known.name() == name)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use named_enum;

named_enum! {
    /// The kinds of violation. If threads wait in several ways, the one that comes first here is reported.
    pub enum ViolationKind {
        Assertion = "assertion",
        Race = "race",
        UseAfterFree = "use-after-free",
        DoubleFree = "double-free",
        InvalidFree = "invalid-free",
        InvalidAccess = "invalid-access",
        Uninitialised = "uninitialised",
        Leak = "leak",
        Deadlock = "deadlock",
        LockMisuse = "lock-misuse",
        InvalidJoin = "invalid-join",
        NonTermination = "non-termination",
        DivisionByZero = "division-by-zero",
        Overflow = "overflow",
        Unreachable = "unreachable",
        UncaughtException = "uncaught-exception",
        Abort = "abort",
        /// A model of the user's own has raised a flag.
        Flag = "flag",
    }
}

/// A violation; the explorer adds the execution that leads to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    Assertion(Assertion),
    /// Two accesses to these bytes are not ordered.
    Race {
        bytes: Access,
    },
    UseAfterFree {
        memory: Memory,
        end: EndOfLife,
    },
    DoubleFree {
        object: Addr,
    },
    InvalidFree {
        object: Memory,
        reason: FreeError,
    },
    /// An access of `size` bytes leaves `object`, or hits none. `at` is missing if the front-end has found it by itself.
    OutOfBounds {
        size: u64,
        at: Option<Memory>,
        object: Option<Extent>,
    },
    /// The access does not happen after the allocation of its object.
    AccessBeforeAllocation {
        memory: Memory,
        object: Addr,
    },
    NullPointer {
        addr: Addr,
    },
    ConstantWritten {
        memory: Memory,
    },
    Misaligned {
        memory: Memory,
        size: u64,
    },
    /// A call through a pointer that is not the address of a function.
    NotAFunction {
        addr: Addr,
    },
    /// A call with fewer arguments than the function has parameters.
    MissingArguments,
    Uninitialised {
        memory: Memory,
    },
    Leak {
        object: Addr,
        size: u64,
    },
    /// No thread that has not ended will ever move again: all of them, and what each waits for.
    Deadlock {
        waits: Vec<Wait>,
    },
    /// The same, but every thread that waits for a value does so in a loop.
    NonTermination {
        waits: Vec<Wait>,
    },
    LockMisuse(Misuse),
    InvalidJoin(JoinError),
    DivisionByZero,
    /// The smallest number divided by -1.
    QuotientOverflow,
    Unreachable,
    UncaughtException(Exception),
    Abort {
        cause: AbortCause,
    },
    Flag {
        name: String,
    },
}

impl Violation {
    pub fn kind(&self) -> ViolationKind {
        match self {
            Violation::Assertion(_) => ViolationKind::Assertion,
            Violation::Race { .. } => ViolationKind::Race,
            Violation::UseAfterFree { .. } => ViolationKind::UseAfterFree,
            Violation::DoubleFree { .. } => ViolationKind::DoubleFree,
            Violation::InvalidFree { .. } => ViolationKind::InvalidFree,
            Violation::OutOfBounds { .. }
            | Violation::AccessBeforeAllocation { .. }
            | Violation::NullPointer { .. }
            | Violation::ConstantWritten { .. }
            | Violation::Misaligned { .. }
            | Violation::NotAFunction { .. }
            | Violation::MissingArguments => ViolationKind::InvalidAccess,
            Violation::Uninitialised { .. } => ViolationKind::Uninitialised,
            Violation::Leak { .. } => ViolationKind::Leak,
            Violation::Deadlock { .. } => ViolationKind::Deadlock,
            Violation::NonTermination { .. } => ViolationKind::NonTermination,
            Violation::LockMisuse(_) => ViolationKind::LockMisuse,
            Violation::InvalidJoin(_) => ViolationKind::InvalidJoin,
            Violation::DivisionByZero => ViolationKind::DivisionByZero,
            Violation::QuotientOverflow => ViolationKind::Overflow,
            Violation::Unreachable => ViolationKind::Unreachable,
            Violation::UncaughtException(_) => ViolationKind::UncaughtException,
            Violation::Abort { .. } => ViolationKind::Abort,
            Violation::Flag { .. } => ViolationKind::Flag,
        }
    }
}

/// Memory that a violation is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Memory {
    /// `size` is 0 if only the address is known.
    At { addr: Addr, size: u64 },
    /// A variable that only the guilty thread can see, by its name.
    Local { name: String },
}

impl Memory {
    /// The bytes that the program asks for by `access`.
    pub fn of(access: Access) -> Memory {
        let part = access.part();
        Memory::At { addr: part.addr, size: u64::from(part.size) }
    }

    pub fn addr(&self) -> Option<Addr> {
        match self {
            Memory::At { addr, .. } => Some(*addr),
            Memory::Local { .. } => None,
        }
    }
}

/// An object and its size in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    pub object: Memory,
    pub size: u64,
}

/// What the program requires, in its own words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Assertion {
    /// A message.
    Message(String),
    /// The condition that does not hold.
    Condition(String),
    /// The function that the program calls to report an error, such as `reach_error`.
    Call(String),
}

named_enum! {
    /// How the life of an object ended that the program still uses.
    pub enum EndOfLife {
        /// It was freed before.
        Freed = "freed",
        /// Another thread may free it at the same time.
        FreedConcurrently = "freed-concurrently",
        /// Its thread has ended, or may end at the same time.
        ThreadEnded = "thread-ended",
    }
}

named_enum! {
    /// Why something cannot be freed.
    pub enum FreeError {
        NotAllocated = "not-allocated",
        /// It is not the start of an object of the heap.
        NotAnObject = "not-an-object",
        /// The deallocation does not happen after the allocation.
        BeforeAllocation = "before-allocation",
    }
}

/// Why a thread cannot be joined or detached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinError {
    NotAThread {
        handle: u64,
    },
    Itself,
    /// It was joined or detached before.
    NotJoinable,
}

impl JoinError {
    /// The name that scripts see.
    pub fn name(self) -> &'static str {
        match self {
            JoinError::NotAThread { .. } => "not-a-thread",
            JoinError::Itself => "itself",
            JoinError::NotJoinable => "not-joinable",
        }
    }
}

/// What is known about an exception that nothing catches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exception {
    /// The name of its type.
    pub name: Option<String>,
    /// The function of the library that throws it.
    pub thrower: Option<String>,
    /// What the exception says of itself.
    pub what: Option<String>,
}

named_enum! {
    /// Why a program ends itself.
    pub enum AbortCause {
        Call = "abort-call",
        Trap = "trap",
        Terminate = "terminate",
        /// `throw;` where no exception is being handled.
        ThrowOutsideHandler = "throw-outside-handler",
        /// `std::rethrow_exception` of a null pointer.
        RethrowOfNothing = "rethrow-of-nothing",
        PureVirtualCall = "pure-virtual-call",
        /// `catch (...)` has caught the end of a thread, and not thrown it again.
        ThreadEndCaught = "thread-end-caught",
    }
}

/// A thread that waits forever, and what for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    pub thread: ThreadKey,
    pub awaited: Awaited,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// Other values of these bytes, within these calls of the library.
    Values { reason: WaitReason, bytes: Vec<Access>, calls: Vec<LibraryCall> },
    /// The end of this thread.
    End(ThreadKey),
}

named_enum! {
    /// How a thread waits for values.
    pub enum WaitReason {
        Lock = "lock",
        /// A condition variable, barrier, semaphore or similar.
        Wait = "wait",
        /// A loop whose iterations change nothing.
        Spin = "spin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_their_names() {
        for &kind in ViolationKind::ALL {
            assert_eq!(ViolationKind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(ViolationKind::from_name("rase"), None);
    }
}
