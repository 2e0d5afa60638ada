//! Steps of a trace: what a thread does next, and what a process has done.

use super::process::ProcId;
use atropos_event::{Label, Position, ThreadId, Value};
use atropos_graph::{LocId, Slot};

/// No step.
pub const NONE: u32 = u32::MAX;

/// The effect of a step on the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Reads memory, and what own buffered stores will change in it; not memory at all if the newest of them that
    /// writes any of the bytes writes all of them.
    Load,
    /// Puts a store into a buffer.
    Store,
    /// Writes memory at once; waits for the thread's buffers to be empty.
    Direct,
    /// A read-modify-write on memory; waits for the buffers.
    Rmw,
    /// Waits for the buffers, and does nothing else to memory.
    Barrier,
    /// Waits for the end of a thread, and for the own buffers.
    Join(ThreadId),
    /// Keeps earlier stores before later ones; under PSO only.
    StoreBarrier,
    /// Nothing that other threads could see.
    Local,
    /// An updater moves a store to memory.
    Update,
}

/// What a thread does in its next step, or has done in one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Next {
    pub act: Act,
    pub label: Label,
    pub loc: LocId,
    /// A store that goes to memory after all earlier ones of its thread.
    pub is_release: bool,
    /// A store to a part of its cell that goes to a buffer.
    pub merges: bool,
    /// The thread will only join its children, starting now, and end.
    pub is_quiet: bool,
    /// For the acquisition of a mutex: the value with which it is disabled.
    pub held: Option<Value>,
}

/// A step of the trace, with what is needed to take it back.
#[derive(Clone, Copy, Debug)]
pub struct TraceStep {
    pub proc: ProcId,
    /// Counts the steps of the process from 1.
    pub index: u32,
    /// The thread whose step it is, or whose store is updated.
    pub thread: ThreadId,
    pub act: Act,
    pub loc: LocId,
    pub memory: MemoryEffect,
    pub buffer: BufferEffect,
    pub replaced: Replaced,
    pub nexts: NextsBefore,
    pub run: RunPositions,
    /// The event of the step in the graph; of a read-modify-write, the write. Valid once the graph is up to date.
    pub slot: Slot,
    /// The number of races of the trace whose second step is this one or an earlier one.
    pub n_races: u32,
}

/// What a step reads and writes.
#[derive(Clone, Copy, Debug)]
pub struct MemoryEffect {
    /// Whether it read memory, unlike a load served from the buffer.
    pub reads: bool,
    /// Whether it wrote memory.
    pub writes: bool,
    /// For stores: whether it writes a part of its cell. Its value is that of the cell once it is in memory.
    pub merges: bool,
    /// For reads: the step that issued the write read from, or [`NONE`] for the initial one. For a load that sees own
    /// stores beside memory: the newest of them. For a store to a part: what it has overwritten.
    pub source: u32,
    pub value_read: Value,
    /// The value that a store, a direct write or a read-modify-write issues.
    pub value_written: Value,
}

/// What a step has to do with the store buffer of its thread.
#[derive(Clone, Copy, Debug)]
pub struct BufferEffect {
    /// For stores: the step that wrote them to memory, [`NONE`] while they are buffered.
    pub updated_at: u32,
    /// For updates: the store. For loads: the newest store of the thread to any of the bytes asked for, if that writes
    /// all of them.
    pub store: u32,
    /// For stores: the thread's stores before this place in the trace go to memory first.
    pub waits: u32,
    /// For stores: the latest load that was served from the buffer; for such a load: the one before it.
    pub forwarded: u32,
}

/// What the machine had in place of a step.
#[derive(Clone, Copy, Debug)]
pub struct Replaced {
    pub write: u32,
    pub readers: (u32, u32),
    pub barrier: u32,
}

/// For steps of threads: the place of the action in the machine's list, and the length of the list before.
#[derive(Clone, Copy, Debug)]
pub struct NextsBefore {
    pub next: u32,
    pub n_before: u32,
}

/// The position of the thread's run before and after a step, and the height of the run's stack before.
#[derive(Clone, Copy, Debug)]
pub struct RunPositions {
    pub before: Position,
    pub after: Position,
    pub mark: Position,
}
