//! Threads that are joined by two others. Whoever joins a child of its own twice is told so by the program.

use crate::Report;
use atropos_event::{Label, Violation, ViolationKind};
use atropos_graph::{Graph, Slot};

/// What is wrong with the event at `added`, if it joins a thread that another event joins, too.
pub fn judge(graph: &Graph, added: Slot) -> Option<Report> {
    let Label::Join { child } = graph.event(added).label else { return None };
    let joins = |&slot: &Slot| graph.event(slot).label == Label::Join { child };
    let other = (0..added.index()).map(Slot::new).find(joins)?;
    let message = "the thread is joined by another thread, too".to_string();
    let violation = Violation { kind: ViolationKind::InvalidJoin, message };
    Some(Report { violation, thread: graph.event(added).id.thread(), events: vec![other, added] })
}
