//! The threads of the program under test: their steps so far, and taking them back.
//!
//! A step is a label with its answer. Accesses are also nodes of the [`Instance`](super::instance::Instance); other
//! steps have no choice, and only add to program order. The next node of a thread comes after its *frontier*: its own
//! last node, and the last nodes of the threads that created it or that it has joined since.

use super::instance::AccessId;
use super::order::OrderMark;
use super::sources::Read;
use atropos_event::{Label, Position, Value};
use atropos_graph::LocId;

#[derive(Clone, Debug)]
pub struct ThreadStep {
    pub label: Label,
    pub loc: LocId,
    /// The value read or written; 0 for other labels.
    pub value: Value,
    /// The position of the run before.
    pub before: Position,
    /// Of an access: the order before its node was added.
    pub mark: Option<OrderMark>,
    /// For an access, which clears it: the thread's frontier before, without its own last node.
    pub frontier: Vec<AccessId>,
    /// For a join, which extends it: its length before.
    pub n_frontier: usize,
}

impl ThreadStep {
    pub fn new(label: Label, before: Position) -> Self {
        ThreadStep {
            label,
            loc: LocId::NONE,
            value: 0,
            before,
            mark: None,
            frontier: Vec::new(),
            n_frontier: 0,
        }
    }

    /// The number of its events in the graph.
    pub fn n_events(&self) -> usize {
        1 + usize::from(self.label.exclusive_write(self.value).is_some())
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadTrace {
    /// It is the main thread or has been created.
    pub exists: bool,
    /// The thread that created it, and at which of its steps.
    pub creation: (usize, usize),
    pub steps: Vec<ThreadStep>,
    /// The number of their events.
    pub n_events: usize,
    /// The nodes of other threads that its next node comes after.
    pub frontier: Vec<AccessId>,
    /// Its next read, if that is its next step.
    pub next_read: Option<Read>,
}

impl ThreadTrace {
    pub fn has_ended(&self) -> bool {
        self.steps.last().is_some_and(|step| step.label == Label::End)
    }
}
