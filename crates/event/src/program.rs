//! The one interface between programs and exploration algorithms.
//!
//! A thread is a deterministic function from the values it was given to its next label [RCMC §3.1]. The
//! explorer owns the loop and *pulls*: it looks at what a thread wants to do ([`Run::pending`]), decides
//! the outcome, and hands back a value ([`Run::resume`]). To go back it names an earlier [`Position`] of
//! the thread ([`Run::rewind`]).
//!
//! Positions follow a stack discipline over the whole run. Every `resume` creates one new position on
//! top of all positions there are; [`Run::mark`] and [`Run::release`] drop those created since the mark.
//! Between mark and release a thread may be rewound to *any* live position of its own, earlier or later,
//! in any order. A virtual machine keeps one snapshot per position, so `rewind` is an assignment and
//! nothing is ever executed twice. A program that can only be re-executed keeps the answers instead (each
//! position: its predecessor and the value given), and replays a thread's answers when it is next asked.

use crate::access::{Access, Addr, Value};
use crate::id::{ThreadId, ThreadKey};
use crate::label::Label;
use crate::refusal::Refusal;
use crate::shape::Named;
use crate::violation::{SourceLocation, Violation};

/// A checkable program: what explorers share between workers.
pub trait Program: Sync {
    type Run<'program>: Run
    where
        Self: 'program;

    /// A fresh run: the main thread stands before its first label.
    fn start(&self) -> Self::Run<'_>;

    /// What the bytes of `access` hold before anything is written to them.
    fn initial(&self, access: Access) -> Initial;

    /// Whether runs started now make accesses to parts of cells ([`Access`]).
    fn has_cells(&self) -> bool {
        false
    }

    /// How the program's text calls the bytes at `addr` (`x`, `queue.head`, `a[3]`).
    fn name_of(&self, addr: Addr) -> String;

    /// How it calls the bytes that an access asks for: a union has several names for the same address.
    fn name_of_access(&self, access: Access) -> String {
        self.name_of(access.part().addr)
    }
}

/// The content of memory at the start of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Initial {
    Value(Value),
    /// Memory that only an [`Label::Alloc`] brings to life: reading it unwritten is a violation.
    Uninitialised,
}

/// A thread's state at one point of its past: a token that only the run that made it understands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position(pub u32);

/// What a thread wants to do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Perform this event; `resume` answers with the value read, or 0 for labels that return nothing.
    Do(Label),
    /// The thread's last event was [`Label::End`].
    Finished,
    /// The thread cannot go on unless one of its reads is answered otherwise.
    Blocked(BlockReason),
    /// The program is wrong here; [`Run::violation`] says how.
    Failed,
    /// The program uses something that cannot be checked; [`Run::unsupported`] says what.
    Unsupported,
}

/// Why a thread is blocked. Except for `Assume`, `Bound` and `Exit`, a thread whose `reads` last read-like labels
/// all saw the final value of their location will never move again. Those of a spinning thread that belong to
/// read-modify-writes have written back what they read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BlockReason {
    /// A failed `assume`.
    Assume,
    /// A loop reached its bound.
    Bound,
    /// The thread has ended the program.
    Exit,
    /// A loop iteration changed nothing: the thread spins until one of the iteration's `reads` changes.
    Spin { reads: u32 },
    /// The mutex is held by another thread.
    Lock { reads: u32 },
    /// A condition variable, barrier, semaphore or similar is not ready.
    Wait { reads: u32 },
}

/// One run of a program: the current position of each of its threads.
pub trait Run {
    /// What `thread` wants to do next. The thread is the main one or was created by a `Spawn` label that
    /// has been answered and not taken back.
    fn pending(&mut self, thread: ThreadId) -> Step;

    /// Answers the pending label of `thread`, which then runs to its next one. For a read-modify-write
    /// the answer is the value read; the exclusive write needs no answer.
    fn resume(&mut self, thread: ThreadId, value: Value);

    /// Answers a pending read of memory that is [`Initial::Uninitialised`] and that nobody has written. A thread
    /// that only copies what it reads goes on, and its copy is as unwritten as the original; one that uses the
    /// value fails.
    fn resume_unwritten(&mut self, thread: ThreadId);

    /// The current position of `thread`. For a child, its position before its first label is created when
    /// the `Spawn` is answered.
    fn position(&self, thread: ThreadId) -> Position;

    fn rewind(&mut self, thread: ThreadId, position: Position);

    /// The number of live positions: a point to come back to with `release`.
    fn mark(&self) -> Position;

    /// Drops all positions created since `mark`. The explorer has rewound every thread to an older one.
    fn release(&mut self, mark: Position);

    /// Two accesses of this run touch some of the same bytes but not all. Answers whether the program will, in runs
    /// started from now on, break plain accesses into pieces and take atomic ones as parts of a larger one, so that
    /// these no longer overlap partially; the explorer then starts over. `false` means that it cannot, and the program
    /// is refused.
    fn split(&self, _first: Access, _second: Access) -> bool {
        false
    }

    /// Whether a thread that cannot be checked only tells that something was learned: runs started from now on know it,
    /// and the explorer starts over.
    fn must_start_over(&self) -> bool {
        false
    }

    /// The canonical name of a thread met so far.
    fn key(&self, thread: ThreadId) -> ThreadKey;

    /// The violation of a thread whose step is [`Step::Failed`].
    fn violation(&mut self, thread: ThreadId) -> Violation;

    /// What stopped a thread whose step is [`Step::Unsupported`].
    fn unsupported(&mut self, thread: ThreadId) -> Refusal;

    /// Where in its source and text the pending step of `thread` stands.
    fn place(&mut self, thread: ThreadId) -> Place;

    /// Whether the main thread has ended the program: threads that still wait then are not at fault.
    fn has_exited(&self) -> bool {
        false
    }

    /// Whether it has done so from within its functions, whose variables are still alive then.
    fn has_called_exit(&self) -> bool {
        false
    }

    /// Whether `thread` stands where all it will ever do is join threads that it has created itself, and end, so
    /// that nobody learns anything from it any more. To say no is always right.
    fn is_quiet(&self, _thread: ThreadId) -> bool {
        false
    }

    /// What `thread` has written for people to read, on its way from the position before to where it stands.
    fn shown(&self, _thread: ThreadId) -> String {
        String::new()
    }
}

/// Where a step stands, for reports.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    pub source: Option<SourceLocation>,
    /// The step in the program's own terms, e.g. `atomic_store(&x, 1)`; empty when unknown.
    pub text: String,
    /// For a step that brings an object to life: what the program knows about it.
    pub object: Option<Named>,
}
