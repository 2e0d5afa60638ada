//! The processes of a machine with store buffers [Nidhugg §2, ALGORITHMS §F.1].
//!
//! | machine | processes beside the threads |
//! |---|---|
//! | SC | none: a store goes to memory at once |
//! | TSO | one updater per thread, whose buffer holds all its stores |
//! | PSO | one updater per thread and location; of a cell, one for each part that is stored to |
//!
//! Processes are numbered on first use and keep their number when the search goes back, so a process is the same in
//! all traces of a search.

use super::step::{Act, NONE};
use atropos_event::{Access, ThreadId};
use atropos_graph::LocId;

/// The number of a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProcId(u16);

impl ProcId {
    pub fn new(index: usize) -> Self {
        ProcId(u16::try_from(index).expect("fewer than 65536 processes"))
    }

    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Thread,
    /// Moves all stores of its thread to memory.
    Updater,
    /// Moves the stores of its thread to these bytes of a location to memory.
    UpdaterOf(LocId, Access),
}

#[derive(Clone, Debug)]
pub struct Process {
    pub thread: ThreadId,
    pub role: Role,
    /// The positions of its steps in the trace.
    pub steps: Vec<u32>,
    /// For an updater: the stores that entered its buffer. Its n-th step takes the n-th of them, so those from
    /// `steps.len()` on are still buffered.
    pub queue: Vec<u32>,
}

impl Process {
    pub fn new(thread: ThreadId, role: Role) -> Self {
        Process { thread, role, steps: Vec::new(), queue: Vec::new() }
    }

    /// The oldest store in the buffer.
    pub fn oldest(&self) -> Option<u32> {
        self.queue.get(self.steps.len()).copied()
    }

    /// The stores in the buffer.
    pub fn buffered(&self) -> &[u32] {
        &self.queue[self.steps.len()..]
    }
}

/// The machine's view of a thread.
#[derive(Clone, Debug)]
pub struct MachineThread {
    pub proc: ProcId,
    pub updaters: Vec<ProcId>,
    pub n_buffered: u32,
    /// The stores before this place in the trace go to memory before all later ones.
    pub barrier: u32,
    /// Its next step: `None` if it has ended, is blocked or has failed. The machine's list has the details.
    pub act: Option<Act>,
    pub next: u32,
    pub exists: bool,
    pub has_ended: bool,
    /// The step that created it.
    pub spawn: Option<u32>,
    /// The number of its events in the graph of the trace.
    pub n_events: usize,
}

impl MachineThread {
    pub fn new(proc: ProcId) -> Self {
        MachineThread {
            proc,
            updaters: Vec::new(),
            n_buffered: 0,
            barrier: 0,
            act: None,
            next: NONE,
            exists: false,
            has_ended: false,
            spawn: None,
            n_events: 0,
        }
    }
}
