//! Wrong calls of the thread library, as data: the call, the object, and the reason.

use crate::violation::{Memory, named_enum};

/// A call whose behaviour POSIX or the C++ standard leaves undefined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misuse {
    /// The library function that the program called, if it called one.
    pub call: Option<String>,
    pub class: SyncClass,
    /// The place of the object, if the misuse concerns one.
    pub object: Option<Memory>,
    pub reason: MisuseReason,
}

named_enum! {
    /// The classes of objects of the thread library.
    pub enum SyncClass {
        Mutex = "mutex",
        SpinLock = "spin-lock",
        ReadWriteLock = "read-write-lock",
        ConditionVariable = "condition-variable",
        Barrier = "barrier",
        Latch = "latch",
        Semaphore = "semaphore",
        Attributes = "attributes",
        Key = "key",
        OnceFlag = "once-flag",
        /// What `setjmp` fills.
        JumpBuffer = "jump-buffer",
        /// Statements that take effect at once.
        AtomicSection = "atomic-section",
    }
}

named_enum! {
    /// Why a call is wrong.
    pub enum MisuseReason {
        NotInitialised = "not-initialised",
        AlreadyInitialised = "already-initialised",
        /// It is initialised although threads use it.
        InUse = "in-use",
        Destroyed = "destroyed",
        /// One of the two: the bytes do not show which.
        DestroyedOrNotInitialised = "destroyed-or-not-initialised",
        Held = "held",
        /// The thread that locks it holds it.
        HeldByCaller = "held-by-caller",
        /// The thread that unlocks it, or waits with it, does not hold it.
        NotHeld = "not-held",
        /// Threads wait for it.
        Awaited = "awaited",
        /// Threads wait for it with different mutexes.
        DifferentMutexes = "different-mutexes",
        GivenTwice = "given-twice",
        /// The end of something that has not begun.
        NotBegun = "not-begun",
        /// A number that is not a valid count of the object.
        InvalidCount = "invalid-count",
        /// A number by which the counter cannot change.
        InvalidNumber = "invalid-number",
        CounterTooSmall = "counter-too-small",
        CounterTooLarge = "counter-too-large",
        ForeignToken = "foreign-token",
        /// A token of a phase that is neither the current nor the last one.
        OldToken = "old-token",
        TooManyArrivals = "too-many-arrivals",
        OfAnotherThread = "of-another-thread",
        /// It belongs to a call of a function that has returned.
        OfAnEndedCall = "of-an-ended-call",
    }
}
