//! Why a thread cannot go on, as data; and as a sentence.

use atropos_event::ViolationKind;

/// What went wrong in a step. Messages that the program gives are looked up when somebody asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    // The program is wrong.
    Assertion,
    /// The statement names the kind.
    Failure,
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
    NotLocked {
        mutex: u64,
    },
    /// The value of a lock is none that a lock has while it may be used.
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
    /// Whether its thread has ended must be asked first.
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

/// What the reader of a [`Fault`] is told.
pub enum Verdict {
    Violation(ViolationKind, String),
    Unsupported(String),
}

impl Fault {
    pub fn is_violation(self) -> bool {
        let given = (ViolationKind::Assertion, "");
        matches!(self.verdict(given, &|_| String::new()), Verdict::Violation(..))
    }

    /// `given` is what the statement says; `name` tells what the program calls an address.
    pub fn verdict(self, given: (ViolationKind, &str), name: &dyn Fn(u64) -> String) -> Verdict {
        use ViolationKind as Kind;
        let invalid = |message: String| Verdict::Violation(Kind::InvalidAccess, message);
        let unsupported = |message: &str| Verdict::Unsupported(message.to_string());
        match self {
            Fault::Assertion => Verdict::Violation(Kind::Assertion, given.1.to_string()),
            Fault::Failure => Verdict::Violation(given.0, given.1.to_string()),
            Fault::DividedByZero => Verdict::Violation(Kind::DivisionByZero, "division by zero".to_string()),
            Fault::QuotientOverflows => {
                Verdict::Violation(Kind::Overflow, "the smallest number is divided by -1".to_string())
            }
            Fault::NullPointer { addr: 0 } => invalid("access through a null pointer".to_string()),
            Fault::NullPointer { addr } => invalid(format!("access through a null pointer, at {addr:#x}")),
            Fault::OutOfBounds { addr, size } => {
                invalid(format!("access of {size} bytes at {}, outside of any object", name(addr)))
            }
            Fault::Unwritten { addr } => Verdict::Violation(
                Kind::Uninitialised,
                format!("read of {}, which was never written", name(addr)),
            ),
            Fault::WriteToConstant { addr } => invalid(format!("write to the constant {}", name(addr))),
            Fault::Misaligned { addr, size } => {
                invalid(format!("atomic access of {size} bytes at {}, which is not aligned", name(addr)))
            }
            Fault::NotAFunction { addr } => invalid(format!("call of {addr:#x}, which is no function")),
            Fault::MissingArguments => invalid("call with too few arguments".to_string()),
            Fault::NotLocked { .. }
            | Fault::NotALock { .. }
            | Fault::LockedTwice { .. }
            | Fault::NoSection => Verdict::Violation(Kind::LockMisuse, self.misuse(name)),
            Fault::NotAThread { .. } | Fault::JoinsItself | Fault::NotJoinable => {
                Verdict::Violation(Kind::InvalidJoin, self.misuse(name))
            }
            Fault::NotAllocated { addr } => Verdict::Violation(
                Kind::InvalidFree,
                format!("free of {}, which no allocation returned", name(addr)),
            ),
            Fault::Declared => unsupported(given.1),
            Fault::ThreadHasEnded { addr } => Verdict::Violation(
                Kind::UseAfterFree,
                format!("access to {}, whose thread has ended or may end at the same time", name(addr)),
            ),
            Fault::OthersPrivateSlot { addr } | Fault::OthersThreadLocal { addr } => Verdict::Unsupported(
                format!("{} is private to its thread, but another one uses it", name(addr)),
            ),
            Fault::NewInSection => unsupported("an atomic section accesses memory that none accessed before"),
            Fault::TooDeep => unsupported("calls are nested too deeply"),
            Fault::TooManyThreads => unsupported("more threads than the limit of 1024"),
            Fault::TooDeeplyNested => {
                unsupported("a thread creates too many threads, or threads create threads too deeply")
            }
            Fault::OutOfMemory { size } => {
                Verdict::Unsupported(format!("no room in the thread's address space for {size} bytes"))
            }
            Fault::OutOfPrivateMemory => unsupported("no room for more private stack memory"),
            Fault::TooManyMutexes => unsupported("a thread holds too many mutexes at once"),
            Fault::NoSuchFormat => unsupported("this conversion between numbers and text is not modelled"),
            Fault::HiddenOutput { addr } => {
                Verdict::Unsupported(format!("output from {}, which other threads can see", name(addr)))
            }
            Fault::NoLabelInSight => unsupported(
                "the thread runs on and on without any access to shared memory; give a bound for loops",
            ),
        }
    }

    /// What is wrong with a use of a lock, or of the handle of a thread.
    fn misuse(self, name: &dyn Fn(u64) -> String) -> String {
        match self {
            Fault::NotLocked { mutex } => {
                format!("unlock of {}, which this thread does not hold", name(mutex))
            }
            Fault::NotALock { mutex, is_destroyed: true } => {
                format!("use of the lock {}, which is destroyed", name(mutex))
            }
            Fault::NotALock { mutex, is_destroyed: false } => {
                format!("use of the lock {}, which is not initialised", name(mutex))
            }
            Fault::NoSection => "the end of an atomic section without a beginning".to_string(),
            Fault::LockedTwice { mutex } => {
                format!("lock of the spin lock {}, which this thread holds", name(mutex))
            }
            Fault::NotAThread { handle } => format!("{handle:#x} is joined or detached, which is no thread"),
            Fault::JoinsItself => "a thread joins itself".to_string(),
            Fault::NotJoinable => "the thread was joined or detached before".to_string(),
            fault => unreachable!("{fault:?} is about no lock and no thread"),
        }
    }
}
