//! Data races [RCMC §3.3, Def. 3.10]: two accesses to one location, at least one a write and at least one plain,
//! unordered by happens-before.
//!
//! Races are looked for when an access is added: whatever happens before it is in its `hb` clock, and it
//! happens before nothing yet.

use atropos_event::{Label, ReadOrder, WriteOrder};
use atropos_graph::{Clock, Event, Graph, Slot, clock};

/// An access that races with the one at `added`, whose `hb` clock is given.
pub fn racing_access(graph: &Graph, added: Slot, hb: &Clock) -> Option<Slot> {
    let event = graph.event(added);
    let location = graph.location(event.loc);
    let races = |&other: &Slot| {
        let earlier = graph.event(other);
        other != added && (is_plain(event) || is_plain(earlier)) && !clock::contains(hb, earlier.id)
    };
    let reads = if event.is_write() { &location.reads[..] } else { &[] };
    location.co.iter().skip(1).chain(reads).copied().find(races)
}

fn is_plain(event: &Event) -> bool {
    matches!(
        event.label,
        Label::Read { order: ReadOrder::NotAtomic, .. } | Label::Write { order: WriteOrder::NotAtomic, .. }
    )
}
