//! Errors of an access: misuse of memory, and races.
//!
//! A search may let the read of a read-modify-write read what another read-modify-write has overwritten, only to revisit
//! that one. No execution contains both, so [`access`] reports nothing about such a read. Nothing is lost: the write that
//! follows the read once the other one has given way is judged too, and it conflicts with whatever the read conflicts
//! with. It accesses the same bytes, the same events happen before both, and what happens after the read happens after
//! the write.

use crate::{Config, Report, memory, race};
use atropos_event::Initial;
use atropos_graph::{Graph, Slot};
use atropos_model::MemoryModel;

/// The errors of the access at `added`, the last event of its thread, in reporting order; usually `None`.
#[inline]
pub fn access<M: MemoryModel>(
    model: &M,
    graph: &Graph,
    added: Slot,
    config: &Config,
) -> Option<[Option<Report>; 2]> {
    let location = graph.location(graph.event(added).loc);
    let may_race = location.has_plain && config.detect_races;
    (may_race || location.initial == Initial::Uninitialised).then(|| judge(model, graph, added, config))?
}

fn judge<M: MemoryModel>(
    model: &M,
    graph: &Graph,
    added: Slot,
    config: &Config,
) -> Option<[Option<Report>; 2]> {
    let misuse = memory::judge(graph, added, || model.past(graph, added));
    let race = match config.detect_races {
        true => race::judge(graph, added, |slot| model.hb(graph, slot)),
        false => None,
    };
    let is_wrong = (misuse.is_some() || race.is_some()) && !has_rival(graph, added);
    is_wrong.then(|| memory::in_order(misuse, race))
}

/// Whether the event at `added` is the read of a read-modify-write whose source another one has overwritten.
fn has_rival(graph: &Graph, added: Slot) -> bool {
    let read = graph.event(added);
    let is_rival = |&write: &Slot| {
        let event = graph.event(write);
        let source = || graph.po_before(write).map(|read| graph.event(read).rf);
        event.exclusive && source() == Some(read.rf)
    };
    read.exclusive && read.is_read() && graph.location(read.loc).co.iter().skip(1).any(is_rival)
}
