//! The one interface between programs and exploration algorithms.
//!
//! A thread is a deterministic function from the values it received to its next label [RCMC §3.1]. The explorer owns
//! the loop and *pulls*: it looks at the next step of a thread ([`Run::pending`]), decides the outcome, and hands
//! back a value ([`Run::resume`]). To go back it names an earlier [`Position`] of the thread ([`Run::rewind`]).
//!
//! Positions follow a stack discipline over the whole run. `resume` leads to a position; [`Run::mark`] and
//! [`Run::release`] drop those reached since the mark. Between mark and release a thread may be rewound to *any* live
//! position of its own, earlier or later, in any order. A virtual machine keeps one snapshot per position, so `rewind`
//! is an assignment, and what follows an answer is executed once while there is room. A program that can only be
//! re-executed keeps the answers instead (for each position, its predecessor and the value received), and replays the
//! answers of a thread on demand.

use crate::access::{Access, Addr, Value};
use crate::id::{ThreadId, ThreadKey};
use crate::label::Label;
use crate::refusal::Refusal;
use crate::shape::Named;
use crate::violation::{SourceLocation, Violation};

/// A checkable program, which workers share.
pub trait Program: Sync {
    /// A fresh run: the main thread is before its first label.
    fn start(&self) -> Box<dyn Run + '_>;

    /// Whether threads share memory that the explorer does not see. Then the thread of a read-modify-write must not run on
    /// before its write has a place: until then, what it has read may be impossible, and a lock that it has taken
    /// may be held.
    fn has_hidden_memory(&self) -> bool {
        false
    }

    /// The value of the bytes of `access` before any write to them.
    fn initial(&self, access: Access) -> Initial;

    /// Whether runs started now make accesses to parts of cells ([`Access`]).
    fn has_cells(&self) -> bool {
        false
    }

    /// The name of the bytes at `addr` in the program's text (`x`, `queue.head`, `a[3]`).
    fn name_of(&self, addr: Addr) -> String;

    /// The name of the bytes of an access: a union has several names for the same address.
    fn name_of_access(&self, access: Access) -> String {
        self.name_of(access.part().addr)
    }

    /// The name of a thread in reports. `rank` is its position among the threads of the execution.
    fn name_of_thread(&self, thread: ThreadKey, rank: usize) -> String {
        if thread == ThreadKey::MAIN { "main".to_string() } else { format!("t{rank}") }
    }

    /// Whether the program can allocate memory on the heap, which may leak.
    fn has_heap(&self) -> bool {
        false
    }

    /// Whether `addr` belongs to memory that reads as zero until it is written, although it must be allocated first.
    fn is_zeroed(&self, _addr: Addr) -> bool {
        false
    }

    /// Whether `addr` belongs to a variable that outlives all threads. Heap objects that such variables lead to do
    /// not leak.
    fn is_global(&self, _addr: Addr) -> bool {
        true
    }

    /// Whether a bound has stopped some thread of some run, so that its further behaviour is unknown.
    fn was_cut(&self) -> bool {
        false
    }

    /// The loops whose bound has stopped some thread of some run.
    fn bounded_loops(&self) -> Vec<BoundedLoop> {
        Vec::new()
    }

    /// The loop that some run has repeated most often, if that is so often that it may have no end, and how often at
    /// least.
    fn longest_loop(&self) -> Option<(Place, u64)> {
        None
    }

    /// Whether some thread of some run was stopped because of [`BlockReason::Retry`].
    fn was_cut_at_retry(&self) -> bool {
        false
    }

    /// The words that some run has accessed atomically in several sizes.
    fn mixed_cells(&self) -> Vec<MixedCell> {
        Vec::new()
    }

    /// What runs started from now on know about the program, as words for [`Program::recall`] in another process.
    fn lessons(&self) -> String {
        String::new()
    }

    /// What runs have noted for the report, as words for [`Program::recall`] in another process.
    fn notes(&self) -> String {
        String::new()
    }

    /// Adds a lesson or a note of another process; `None` if it is not about this program. A word has a kind, a colon
    /// and more.
    fn recall(&self, _word: &str) -> Option<()> {
        None
    }

    /// Everything in the program that cannot be checked, whether or not a run gets there.
    fn not_modelled(&self) -> Vec<Refusal> {
        Vec::new()
    }
}

/// The content of memory at the start of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Initial {
    Value(Value),
    /// Memory that an [`Label::Alloc`] must allocate first; reading it unwritten is a violation, unless the program says
    /// that it starts with zeroes ([`Run::resume_unwritten`]).
    Uninitialised,
}

/// A token for the state of a thread at one point of its past, valid only for the run that created it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position(pub u32);

/// What a thread does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Perform this event. `resume` answers with the value read, or 0 for labels that return nothing.
    Do(Label),
    /// The thread's last event was [`Label::End`].
    Finished,
    /// The thread cannot continue unless one of its reads gets another value.
    Blocked(BlockReason),
    /// The program is wrong here; [`Run::violation`] says how.
    Failed,
    /// The program uses something that cannot be checked; [`Run::unsupported`] says what.
    Unsupported,
}

/// Why a thread is blocked. Except for `Assume`, `Bound`, `Exit` and `Retry`, a thread whose last `reads` read-like labels all
/// saw the final value of their location will never move again. If a spinning thread's reads belong to
/// read-modify-writes, these have written back what they read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BlockReason {
    /// A failed `assume`.
    Assume,
    /// A loop reached its bound.
    Bound,
    /// The thread has ended the program.
    Exit,
    /// A failed compare-and-swap would be tried again with the value that it saw. Another execution has the thread see
    /// this value before its first try.
    Retry,
    /// A loop iteration changed nothing: the thread spins until one of the iteration's `reads` changes.
    Spin { reads: u32 },
    /// Another thread holds the mutex.
    Lock { reads: u32 },
    /// A condition variable, barrier, semaphore or similar is not ready.
    Wait { reads: u32 },
}

/// What a thread does with the answer to a step that counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnswerUse {
    Nothing,
    /// It compares it with a number that is far from all counts, and goes on in the same way after every count from 1 on.
    Size,
    /// It goes on in one way if the count was 1, and in another after every larger count.
    IsOne,
    /// Something else; always a safe answer.
    Any,
}

/// A step at a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BarrierStep {
    /// The read-modify-write by which the thread arrives. If it is the last of its round, the thread goes on, or opens the
    /// barrier in its next step. Otherwise its next step is the departure. Apart from that, what the thread does next does
    /// not depend on what these steps have read.
    Arrival,
    /// A store to the same location, by which the last thread of a round lets the others go on.
    Opening,
    /// A load of the same location, which lets the thread go on when all of its round have arrived.
    Departure,
}

/// A step at a mutex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockStep {
    /// The compare-and-swap by which a thread locks a mutex that is free, and waits forever if it is not.
    Lock,
    /// A releasing store, or exchange, by which a thread unlocks a mutex if it holds it.
    Unlock,
}

/// One run of a program: the current position of each of its threads.
pub trait Run {
    /// The next step of `thread`, which is the main thread or was created by a `Spawn` label that has been answered
    /// and not taken back.
    fn pending(&mut self, thread: ThreadId) -> Step;

    /// Answers the pending label of `thread`, which then runs to its next one. For a read-modify-write the answer is
    /// the value read; the exclusive write needs no answer.
    fn resume(&mut self, thread: ThreadId, value: Value);

    /// Answers a pending read of memory that is [`Initial::Uninitialised`] and was never written. A thread that only
    /// copies the value continues, and its copy is as unwritten as the original. A thread that uses the value fails,
    /// unless the object starts with zeroes ([`Program::is_zeroed`]).
    fn resume_unwritten(&mut self, thread: ThreadId);

    /// The current position of `thread`. Answering a `Spawn` creates the position of the child before its first
    /// label.
    fn position(&self, thread: ThreadId) -> Position;

    fn rewind(&mut self, thread: ThreadId, position: Position);

    /// The height of the stack of positions, to return to with `release`.
    fn mark(&self) -> Position;

    /// Drops the positions reached since `mark`, at once or when room is needed. The explorer has rewound every thread
    /// to an older one.
    fn release(&mut self, mark: Position);

    /// Reports two accesses of this run that share some bytes but not all. Returns whether runs started from now on
    /// will split plain accesses into pieces and treat atomic ones as parts of a larger one, so that these no longer
    /// overlap partially; the explorer then starts over. `false` means that the program cannot do so, and is refused.
    fn split(&self, _first: Access, _second: Access) -> bool {
        false
    }

    /// Whether a thread that cannot be checked only signals that the program has learned something. Runs started from
    /// now on know it, and the explorer starts over.
    fn must_start_over(&self) -> bool {
        false
    }

    /// The canonical name of a known thread.
    fn key(&self, thread: ThreadId) -> ThreadKey;

    /// The violation of a thread whose step is [`Step::Failed`].
    fn violation(&mut self, thread: ThreadId) -> Violation;

    /// What stopped a thread whose step is [`Step::Unsupported`].
    fn unsupported(&mut self, thread: ThreadId) -> Refusal;

    /// The source location and text of the step of `thread` at `position`, which is one of its live positions.
    fn place_at(&mut self, thread: ThreadId, position: Position) -> Place;

    /// The source location and text of the pending step of `thread`.
    fn place(&mut self, thread: ThreadId) -> Place {
        let position = self.position(thread);
        self.place_at(thread, position)
    }

    /// The calls of the library that the pending step of `thread` is part of, outermost first. Reports ask for them when
    /// they replay an execution.
    fn library_calls(&self, _thread: ThreadId) -> Vec<LibraryCall> {
        Vec::new()
    }

    /// Whether the main thread has ended the program; threads that are then blocked are not an error.
    fn has_exited(&self) -> bool {
        false
    }

    /// Whether it did so inside its functions, whose variables are then still alive.
    fn has_called_exit(&self) -> bool {
        false
    }

    /// Whether `thread` will only join its own children and end, so it cannot affect other threads. `false` is always
    /// a safe answer.
    fn is_quiet(&self, _thread: ThreadId) -> bool {
        false
    }

    /// Whether the threads that the `Spawn` steps at these positions of a thread create are interchangeable: they run the
    /// same code on the same arguments and never learn their names. `false` is always a safe answer.
    fn are_twins(&self, _first: Position, _second: Position) -> bool {
        false
    }

    /// Whether `thread` never uses the answer to its step at `position`, which is one of its live positions. `false` is
    /// always a safe answer.
    fn ignores_answer(&self, _thread: ThreadId, _position: Position) -> bool {
        false
    }

    /// What `thread` does with the answer to its step at `position`, which is one of its live positions.
    fn answer_use(&self, _thread: ThreadId, _position: Position) -> AnswerUse {
        AnswerUse::Any
    }

    /// What the step of `thread` at `position`, which is one of its live positions, does at a barrier, if no caller asks
    /// whether it was the last. `None` is always a safe answer.
    fn barrier_step(&self, _thread: ThreadId, _position: Position) -> Option<BarrierStep> {
        None
    }

    /// What the step of `thread` at `position`, which is one of its live positions, does at a mutex. `None` is always a
    /// safe answer.
    fn lock_step(&self, _thread: ThreadId, _position: Position) -> Option<LockStep> {
        None
    }

    /// The threads that `thread` joins from its pending step on before it does anything else, as far as that is known.
    fn joins_ahead(&self, _thread: ThreadId) -> Vec<ThreadId> {
        Vec::new()
    }

    /// What `thread` has printed between the previous position and the current one.
    fn shown(&self, _thread: ThreadId) -> String {
        String::new()
    }
}

/// The explorers are compiled for this type, and for the run of the virtual machine.
impl Run for Box<dyn Run + '_> {
    fn pending(&mut self, thread: ThreadId) -> Step {
        (**self).pending(thread)
    }

    fn resume(&mut self, thread: ThreadId, value: Value) {
        (**self).resume(thread, value);
    }

    fn resume_unwritten(&mut self, thread: ThreadId) {
        (**self).resume_unwritten(thread);
    }

    fn position(&self, thread: ThreadId) -> Position {
        (**self).position(thread)
    }

    fn rewind(&mut self, thread: ThreadId, position: Position) {
        (**self).rewind(thread, position);
    }

    fn mark(&self) -> Position {
        (**self).mark()
    }

    fn release(&mut self, mark: Position) {
        (**self).release(mark);
    }

    fn split(&self, first: Access, second: Access) -> bool {
        (**self).split(first, second)
    }

    fn must_start_over(&self) -> bool {
        (**self).must_start_over()
    }

    fn key(&self, thread: ThreadId) -> ThreadKey {
        (**self).key(thread)
    }

    fn violation(&mut self, thread: ThreadId) -> Violation {
        (**self).violation(thread)
    }

    fn unsupported(&mut self, thread: ThreadId) -> Refusal {
        (**self).unsupported(thread)
    }

    fn place_at(&mut self, thread: ThreadId, position: Position) -> Place {
        (**self).place_at(thread, position)
    }

    fn place(&mut self, thread: ThreadId) -> Place {
        (**self).place(thread)
    }

    fn library_calls(&self, thread: ThreadId) -> Vec<LibraryCall> {
        (**self).library_calls(thread)
    }

    fn has_exited(&self) -> bool {
        (**self).has_exited()
    }

    fn has_called_exit(&self) -> bool {
        (**self).has_called_exit()
    }

    fn is_quiet(&self, thread: ThreadId) -> bool {
        (**self).is_quiet(thread)
    }

    fn are_twins(&self, first: Position, second: Position) -> bool {
        (**self).are_twins(first, second)
    }

    fn ignores_answer(&self, thread: ThreadId, position: Position) -> bool {
        (**self).ignores_answer(thread, position)
    }

    fn answer_use(&self, thread: ThreadId, position: Position) -> AnswerUse {
        (**self).answer_use(thread, position)
    }

    fn barrier_step(&self, thread: ThreadId, position: Position) -> Option<BarrierStep> {
        (**self).barrier_step(thread, position)
    }

    fn lock_step(&self, thread: ThreadId, position: Position) -> Option<LockStep> {
        (**self).lock_step(thread, position)
    }

    fn joins_ahead(&self, thread: ThreadId) -> Vec<ThreadId> {
        (**self).joins_ahead(thread)
    }

    fn shown(&self, thread: ThreadId) -> String {
        (**self).shown(thread)
    }
}

/// The place of a step, for reports.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    pub source: Option<SourceLocation>,
    /// The step in the program's own terms, such as `atomic_store(&x, 1)`; empty if unknown.
    pub text: String,
    /// For a step that allocates an object: what the program knows about it.
    pub object: Option<Named>,
    /// For a step of a library that the user has not written: where it is there. `source` is then the user's call.
    pub library: Option<SourceLocation>,
}

/// A loop with a bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundedLoop {
    pub place: Place,
    /// How many times it may repeat.
    pub times: u32,
}

/// A call of the program's library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LibraryCall {
    pub function: String,
    /// Its first argument: for the thread library, the object that the call is about.
    pub object: Addr,
    /// Tells the statements of the library apart.
    pub statement: u64,
}

/// Bytes that a program accesses atomically in several sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MixedCell {
    pub name: String,
    pub size: u8,
    /// The sizes of the parts, smallest first, and where one of the first size is accessed.
    pub parts: Vec<u8>,
    pub place: Place,
    pub mixing: Mixing,
}

/// How the parts of a cell are accessed where other threads may look.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mixing {
    /// It is accessed in different parts, or in parts and as a whole.
    pub in_several_parts: bool,
    /// A part of it is stored to.
    pub stores_to_part: bool,
    /// A thread loads more of it, or something else, than it has stored to before.
    pub loads_beside_own_store: bool,
}
