//! Data races [RCMC §3.3, Def. 3.10]: two accesses to one location, at least one a write and at least one plain,
//! unordered by happens-before. Those to different parts of a cell do not conflict.
//!
//! Races are detected when an access is added: its `hb` clock contains everything that happens before it, and it
//! happens before nothing yet, unless it is a write added for a read to read from.

use crate::Report;
use atropos_event::{Label, ReadOrder, Violation, WriteOrder};
use atropos_graph::{Clock, Event, Graph, Slot, clock};

/// The error of the access at `added`. Calls `hb` only if there are plain accesses.
#[inline]
pub fn judge<'g>(graph: &'g Graph, added: Slot, hb: impl Fn(Slot) -> &'g Clock) -> Option<Report> {
    let event = graph.event(added);
    if !graph.location(event.loc).has_plain {
        return None;
    }
    let other = racing_access(graph, added, hb)?;
    let bytes = event.label.bytes().expect("races are between accesses");
    Some(Report {
        violation: Violation::Race { bytes },
        thread: event.id.thread(),
        events: vec![other, added],
    })
}

/// An access that races with the one at `added`.
fn racing_access<'g>(graph: &'g Graph, added: Slot, hb: impl Fn(Slot) -> &'g Clock) -> Option<Slot> {
    let event = graph.event(added);
    let location = graph.location(event.loc);
    let (past, bytes) = (hb(added), event.label.bytes()?);
    let races = |&other: &Slot| {
        let earlier = graph.event(other);
        let happens_after =
            || earlier.is_read() && earlier.rf == added && clock::contains(hb(other), event.id);
        !clock::contains(past, earlier.id)
            && other != added
            && (is_plain(event) || is_plain(earlier))
            && earlier.label.bytes().is_some_and(|others| others.overlaps(bytes))
            && !happens_after()
    };
    let unknown = |list: &'g [Slot]| &list[graph.n_known(list, past)..];
    let reads = if event.is_write() { unknown(&location.reads) } else { &[] };
    let writes = unknown(&location.co).iter().filter(|write| !write.is_init());
    writes.chain(reads).copied().find(races)
}

fn is_plain(event: &Event) -> bool {
    matches!(
        event.label,
        Label::Read { order: ReadOrder::NotAtomic, .. } | Label::Write { order: WriteOrder::NotAtomic, .. }
    )
}
