//! Why a program cannot be checked, as data.

use crate::access::{Access, Addr, Value};
use crate::diagnostic::Diagnostic;
use crate::gap::Gap;
use crate::id::{EventId, ThreadKey};
use crate::label::{AllocKind, Label};
use crate::program::{Place, Step};
use crate::violation::{Memory, SourceLocation};

/// Something that cannot be checked, and where the program reaches it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    pub reason: RefusalReason,
    /// The statement, if one is responsible.
    pub place: Option<Place>,
    /// The place in a library's source, if the statement calls a library.
    pub inner: Option<SourceLocation>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RefusalReason {
    /// A statement needs something that is not modelled.
    NotModelled(Gap),
    /// A thread uses memory that is private to another one.
    PrivateToAnother(Memory),
    /// The program prints memory that other threads can see.
    VisibleOutput(Memory),
    /// The program has learned something, and the search should have started over.
    Learned,
    ConversionNotModelled,
    CallsTooDeep,
    TooManyThreads {
        most: usize,
    },
    /// A thread creates too many threads, or threads create threads too deeply.
    TooManyDescendants,
    /// A thread's address space has no room for an object of so many bytes.
    OutOfAddresses {
        size: u64,
    },
    OutOfPrivateMemory,
    TooManyMutexes,
    /// A thread loops without accessing shared memory.
    NoAccess,
    /// One thread has more than `most` events.
    ThreadTooLong {
        thread: ThreadKey,
        most: usize,
    },
    /// Accesses of different sizes to the same bytes, the second one by `thread`.
    MixedSizes {
        accesses: [Access; 2],
        thread: ThreadKey,
    },
    /// RVF does not judge memory that one thread frees and another one uses.
    FreedAndShared {
        object: Addr,
        kind: AllocKind,
    },
    /// Run again with the same values, the thread did something else.
    NotDeterministic {
        thread: ThreadKey,
        /// What it did the first time, and then, if known.
        steps: Option<[Step; 2]>,
    },
    /// The program does not have the execution to replay under this model: they differ at this event.
    OtherExecution {
        thread: ThreadKey,
        index: usize,
        difference: ReplayDifference,
    },
    /// A part of a search that was kept is not one of this search.
    OtherSearch,
    /// The user's model cannot be evaluated.
    Model(Diagnostic),
    /// The user's model refuses an event that comes last in its thread and in coherence order.
    NotExtensible {
        model: String,
        event: EventId,
    },
}

/// How a program differs from an execution that it is to replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReplayDifference {
    /// The thread was not created, or it has ended, failed or waits.
    Absent,
    /// The thread does something else.
    Does(Label),
    /// The source of a read is no write of what it reads.
    Source,
    /// The access reads another value from its source.
    Value { access: Access, value: Value },
    /// The coherence order does not list the write.
    Coherence,
    /// The memory model forbids the event.
    Forbidden,
    /// The event comes after itself.
    Cycle,
    /// The thread continues after its last event, and nothing has gone wrong.
    GoesOn(Label),
    /// A store to a part of a cell, in one piece.
    Part,
}

impl From<RefusalReason> for Refusal {
    fn from(reason: RefusalReason) -> Refusal {
        Refusal { reason, place: None, inner: None }
    }
}
