//! Coherence by computed windows: which writes a read may read from, and where a write may be placed.
//!
//! `irreflexive(hb ; eco)`: a new event must not be `eco`-before anything it happens after. Everything it
//! happens after at its location lies at or below a *floor* in the coherence order, the largest position
//! of a write that happens before it or is read by a read that does. A read may read from the floor
//! upwards; a write may be placed above it. A new event has no `hb`-successors, so nothing bounds it from
//! above, and no candidate has to be generated and rejected.

use crate::MemoryModel;
use atropos_event::ThreadId;
use atropos_graph::{Clock, Graph, LocId, clock};

/// The floor at `loc` for an event that happens after exactly the events of `hb`.
pub fn floor(graph: &Graph, loc: LocId, hb: &Clock) -> usize {
    let location = graph.location(loc);
    let mut floor = 0;
    for (position, &write) in location.co.iter().enumerate().skip(1).rev() {
        if clock::contains(hb, graph.event(write).id) {
            floor = position;
            break;
        }
    }
    if floor + 1 < location.co.len() {
        for &read in &location.reads {
            let event = graph.event(read);
            if clock::contains(hb, event.id) {
                floor = floor.max(graph.co_position(event.rf));
            }
        }
    }
    floor
}

/// The floor at `loc` for the next event of `thread`.
pub fn floor_of_next<M: MemoryModel>(model: &M, graph: &Graph, thread: ThreadId, loc: LocId) -> usize {
    match graph.last_of(thread) {
        Some(last) if M::IS_COHERENT => floor(graph, loc, model.hb(graph, last)),
        _ => 0,
    }
}
