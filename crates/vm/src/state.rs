//! The state of a thread between two operations, which a snapshot copies.

use crate::mixing::StoredParts;
use crate::private::{PageId, ZERO_PAGE};

/// The state of a thread except for its words.
#[derive(Clone, Copy)]
pub(crate) struct State {
    /// The pending or next operation, and its function.
    pub pc: u32,
    pub function: u32,
    pub frames: FrameStack,
    pub children: Children,
    pub counts: LabelCounts,
    /// The mutexes that the thread holds: a page of their addresses, with zeroes between.
    pub held: PageId,
    /// The offset in the region for the next allocation.
    pub heap: u64,
    /// Objects of the thread from this offset in its region on, in units of `OBJECT_ALIGN`, are known to no other thread;
    /// kept only if some loop forgets stores ([`crate::turns`]).
    pub published: u32,
    /// The parts of cells that its store buffer may hold.
    pub stored_parts: StoredParts,
    pub partial: PartialOperation,
    pub pending: PendingAccess,
    /// The word that the program may keep beside its frames.
    pub word: u64,
    /// The number of atomic sections that the thread is in.
    pub section: u32,
    /// What the thread has last written to some locations, kept in some runs: see [`crate::unchanged`].
    pub written: PageId,
}

/// The start of the topmost frame in a thread's words, and the number of frames.
#[derive(Clone, Copy)]
pub(crate) struct FrameStack {
    pub top: u32,
    pub depth: u32,
}

/// The threads that a thread has created and joined.
#[derive(Clone, Copy)]
pub(crate) struct Children {
    pub n_created: u32,
    pub n_joined: u32,
    /// Those that were joined or detached: a page of bits, by number.
    pub gone: PageId,
}

/// The number of labels that read, and of those that change something others can see.
#[derive(Clone, Copy)]
pub(crate) struct LabelCounts {
    pub n_reads: u32,
    pub n_writes: u32,
    /// Locks that were taken and released, which are not among the writes if no thread sees that a lock is held.
    pub n_locks: u32,
}

/// For an operation that makes several events: the bytes done and the partial value.
#[derive(Clone, Copy)]
pub(crate) struct PartialOperation {
    pub progress: u64,
    pub value: u64,
}

#[derive(Clone, Copy)]
pub(crate) struct PendingAccess {
    /// It is a piece of the access of the operation.
    pub in_pieces: bool,
    /// It checks whether the owner of a thread-local has ended; and whether the answer was no.
    pub asks_life: bool,
    pub knows_life: bool,
}

impl State {
    /// A thread that is about to begin in `function`.
    pub fn at_start_of(function: u32) -> State {
        State {
            pc: 0,
            function,
            frames: FrameStack { top: 0, depth: 1 },
            children: Children { n_created: 0, n_joined: 0, gone: ZERO_PAGE },
            counts: LabelCounts { n_reads: 0, n_writes: 0, n_locks: 0 },
            held: ZERO_PAGE,
            heap: 16,
            published: 0,
            stored_parts: StoredParts::default(),
            partial: PartialOperation { progress: 0, value: 0 },
            pending: PendingAccess { in_pieces: false, asks_life: false, knows_life: false },
            word: 0,
            section: 0,
            written: ZERO_PAGE,
        }
    }
}
