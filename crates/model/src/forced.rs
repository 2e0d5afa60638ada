//! Reads-from consistency without a search, if only one coherence order is possible.
//!
//! Coherence never contradicts happens-before. So if `hb` orders all writes of every location, the order of addition
//! is the only possible one; this is so if each location has one writer or is written under a lock. The graph is then
//! consistent up to `rf` iff it is consistent with that order, which a model decides at once.

use crate::{MemoryModel, coherence};
use atropos_graph::{Graph, Slot, clock};

/// Whether the graph, which was consistent before `added`, is consistent with some coherence order. `None` if only a
/// search can tell.
pub(crate) fn realisable<M: MemoryModel>(model: &mut M, graph: &Graph, added: Slot) -> Option<bool> {
    let event = graph.event(added);
    if !is_forced(model, graph) {
        return None;
    }
    if event.is_read() {
        let floor = graph
            .po_before(added)
            .map_or(0, |before| coherence::floor(graph, event.loc, model.hb(graph, before)));
        return Some(graph.co_position(event.rf) >= floor && model.accepts(graph, added));
    }
    // A new write is the last one; no write may come between a read-modify-write and its source.
    let source = graph.po_before(added).map_or(Slot::INIT, |read| graph.event(read).rf);
    Some(!event.exclusive || graph.co_position(source) + 1 == graph.co_position(added))
}

/// Whether `hb` orders the writes of each location as they are listed.
fn is_forced<M: MemoryModel>(model: &M, graph: &Graph) -> bool {
    graph.locations().iter().all(|location| {
        location
            .co
            .get(1..)
            .unwrap_or_default()
            .windows(2)
            .all(|pair| clock::contains(model.hb(graph, pair[1]), graph.event(pair[0]).id))
    })
}
