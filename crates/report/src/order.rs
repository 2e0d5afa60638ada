//! A total order of the events of a graph, for reading and for replaying.
//!
//! Any order that extends `porf` will do for a replay. For readers the best one extends `co` and `fr` too: it is an
//! interleaving, and every read sees the last write above it. Weak behaviours have none; then `porf` alone decides.
//! Among the possible next events, one of the same thread is preferred, so that the steps of a thread stay together.

use atropos_event::Label;
use atropos_graph::{Graph, LocId, Slot};
use std::collections::BTreeSet;

/// All events in an order that extends `porf`, and also `co` and `fr` if possible.
///
/// # Panics
/// `porf` has a cycle, which no explorer produces.
pub(crate) fn total_order(graph: &Graph, tracks_co: bool) -> Vec<Slot> {
    let interleaving = || {
        let edges = interleaved(graph);
        sort(graph, &in_one_step(graph, &edges)).or_else(|| sort(graph, &edges))
    };
    let interleaving = if tracks_co { interleaving() } else { None };
    interleaving.or_else(|| sort(graph, &porf(graph))).expect("porf is acyclic")
}

/// Whether an order extends `porf`, `co` and `fr`. Then every read sees the last write before it.
pub(crate) fn is_interleaving(graph: &Graph) -> bool {
    sort(graph, &interleaved(graph)).is_some()
}

pub(crate) type Edges = Vec<(Slot, Slot)>;

/// Immediate edges of `po`, `rf` and thread creation and join.
pub(crate) fn porf(graph: &Graph) -> Edges {
    let mut edges = Edges::new();
    for (index, event) in graph.events().iter().enumerate() {
        let slot = Slot::new(index);
        edges.extend(graph.po_before(slot).map(|before| (before, slot)));
        let follows = event.is_read() || matches!(event.label, Label::Begin | Label::Join { .. });
        if follows && !event.rf.is_init() {
            edges.push((event.rf, slot));
        }
        if event.is_read() && graph.location(event.loc).has_parts {
            edges.extend(graph.sources(slot).map(|source| (source, slot)));
        }
    }
    edges
}

/// `porf`, followed by the immediate edges of `co` and `fr`.
pub(crate) fn interleaved(graph: &Graph) -> Edges {
    let mut edges = porf(graph);
    for (index, location) in graph.locations().iter().enumerate() {
        if location.has_parts {
            edges.extend(graph.edges_by_bytes(LocId::new(index)));
            continue;
        }
        let later = |write: Slot| location.co.get(graph.co_position(write) + 1).copied();
        let writes = location.co.iter().skip(1).filter_map(|&write| Some((write, later(write)?)));
        let reads = location.reads.iter().filter_map(|&read| {
            let later = later(graph.event(read).rf)?;
            // `po` already orders a read-modify-write before its own write.
            Some((read, later))
        });
        edges.extend(writes.chain(reads));
    }
    edges
}

/// The edges, and what keeps the halves of read-modify-writes together: what comes before the write comes before the
/// read.
fn in_one_step(graph: &Graph, edges: &Edges) -> Edges {
    let read_of = |write: Slot| match graph.event(write).label {
        Label::Write { exclusive: true, .. } => graph.po_before(write),
        _ => None,
    };
    let early =
        edges.iter().filter_map(|&(from, to)| Some((from, read_of(to).filter(|&read| read != from)?)));
    edges.iter().copied().chain(early).collect()
}

/// A linear extension of `edges`; `None` if they have a cycle.
fn sort(graph: &Graph, edges: &[(Slot, Slot)]) -> Option<Vec<Slot>> {
    let mut n_before = vec![0usize; graph.len()];
    let mut after = vec![Vec::new(); graph.len()];
    for &(from, to) in edges {
        n_before[to.index()] += 1;
        after[from.index()].push(to);
    }
    let mut ready: BTreeSet<Slot> =
        (0..graph.len()).map(Slot::new).filter(|slot| n_before[slot.index()] == 0).collect();
    let mut order = Vec::with_capacity(graph.len());
    while let Some(&first) = ready.first() {
        let follows = |next: &Slot| order.last().is_some_and(|&last| graph.po_before(*next) == Some(last));
        let next = ready.iter().copied().find(follows).unwrap_or(first);
        ready.remove(&next);
        order.push(next);
        for &slot in &after[next.index()] {
            n_before[slot.index()] -= 1;
            if n_before[slot.index()] == 0 {
                ready.insert(slot);
            }
        }
    }
    (order.len() == graph.len()).then_some(order)
}
