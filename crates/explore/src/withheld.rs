//! Reports about graphs that the model may still forbid.
//!
//! RCMC checks the axiom `sc` at the end of an execution only, so a thread may fail, or accesses may race, in a graph
//! that the axiom forbids. A later revisit can delete what makes it so, while what was found stays: the events have the
//! past that they had. So the report is kept with its events, and made at the end of the execution if they are still
//! there. A read that is revisited, and what depends on it, is judged again when it is added again.

use crate::observer::Report;
use atropos_event::{EventId, ThreadId, Violation};
use atropos_graph::{Graph, Slot};

#[derive(Clone, Debug)]
pub(crate) struct Withheld {
    violation: Violation,
    thread: ThreadId,
    /// The guilty events.
    events: Vec<EventId>,
    /// The last event of the thread when it went wrong.
    last: Option<EventId>,
}

impl Withheld {
    pub(crate) fn new(graph: &Graph, report: Report) -> Withheld {
        let id = |slot: Slot| graph.event(slot).id;
        let events = report.events.iter().map(|&slot| id(slot)).collect();
        let last = graph.last_of(report.thread).map(id);
        Withheld { violation: report.violation, thread: report.thread, events, last }
    }

    /// Whether the report still holds right after `reads` were revisited.
    pub(crate) fn outlives(&self, graph: &Graph, reads: &[EventId]) -> bool {
        let is_there = |id: &EventId| graph.thread(id.thread()).len() > id.index() && !reads.contains(id);
        self.events.iter().chain(&self.last).all(is_there)
    }

    pub(crate) fn report(&self, graph: &Graph) -> Report {
        let events = self.events.iter().map(|&id| graph.slot_of(id)).collect();
        Report { violation: self.violation.clone(), thread: self.thread, events }
    }
}
