//! Reads-from consistency without a search: where only one coherence order is possible.
//!
//! Coherence never contradicts happens-before. So if `hb` orders all writes of every location, as it does where each
//! location has one writer or is written under a lock, the order they were added in is the only one; and whether
//! the graph is consistent up to `rf` is whether it is with that order, which a model answers at once.

use crate::{MemoryModel, coherence};
use atropos_graph::{Graph, Slot, clock};

/// Is the graph, which was so before `added`, consistent with some coherence order? `None` if that takes a search.
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
    // A new write is the last one; nothing may come between a read-modify-write and its source.
    let source = graph.po_before(added).map_or(Slot::INIT, |read| graph.event(read).rf);
    Some(!event.exclusive || graph.co_position(source) + 1 == graph.co_position(added))
}

/// Are the writes of each location ordered by `hb`, as they are listed?
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
