//! The receiver of an exploration's findings.

use atropos_event::{Access, Position, Refusal, Run, ThreadId, Violation};
use atropos_graph::{Graph, Slot};

/// How an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ending {
    /// Every thread ran to its end, or ended the program, or was about to join one that did.
    Complete,
    /// Nothing more can happen, and some thread is blocked or has failed.
    Blocked,
}

impl Ending {
    pub fn name(self) -> &'static str {
        match self {
            Ending::Complete => "complete",
            Ending::Blocked => "blocked",
        }
    }
}

/// An execution for an observer: the graph, and the run that produced it.
pub struct Execution<'a> {
    pub graph: &'a Graph,
    pub run: &'a mut dyn Run,
}

/// A violation and the events that show it.
#[derive(Clone, Debug)]
pub struct Report {
    pub violation: Violation,
    /// The thread that goes wrong.
    pub thread: ThreadId,
    /// The guilty events, if any: for a race both accesses, for a read its slot. A thread that fails by
    /// itself has none, and its pending step is the place.
    pub events: Vec<Slot>,
}

/// A choice on the way of a random descent: see [`crate::catalogue::Method::probe`].
#[derive(Clone, Debug)]
pub struct ProbedChoice {
    /// The access whose outcome is chosen: its thread, and the position of its run.
    pub thread: ThreadId,
    pub position: Position,
    pub access: Access,
    pub n_alternatives: usize,
    /// The other threads whose accesses make alternatives possible, one for each of these alternatives.
    pub others: Vec<ThreadId>,
}

/// Receives what an exploration finds. Each worker has its own. It is called once per execution, so explorers use it
/// as a `dyn Observer` and are compiled once.
pub trait Observer {
    /// Whether the observer looks at executions. If not, [`Observer::execution`] need not be called, and an algorithm
    /// whose executions are not graphs need not build any.
    fn looks_at_executions(&self) -> bool {
        true
    }

    fn execution(&mut self, _ending: Ending, _execution: Execution<'_>) {}

    fn violation(&mut self, report: Report, execution: Execution<'_>);

    /// A probe chooses.
    fn choice(&mut self, _choice: &ProbedChoice, _execution: Execution<'_>) {}

    /// A probe has ended. If it led to an execution, [`Observer::execution`] was called before.
    fn probe_ended(&mut self) {}

    /// What it has found since it was last asked, as one line of text, for a [`crate::Ledger`].
    fn take_findings(&mut self) -> String {
        String::new()
    }

    /// The program cannot be checked; exploration stops.
    fn refused(&mut self, refusal: Refusal);
}
