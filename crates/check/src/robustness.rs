//! Whether an execution of a weaker machine is sequentially consistent: the axiom of `models/sc.cat` for a whole graph
//! with a coherence order.

use atropos_graph::{Graph, LocId, Slot};

/// `acyclic po | rf | sync | co | fr`.
pub fn is_sequentially_consistent(graph: &Graph) -> bool {
    let mut n_before = vec![0_u32; graph.len()];
    let mut after = vec![Vec::new(); graph.len()];
    let mut edge = |from: Slot, to: Slot| {
        n_before[to.index()] += 1;
        after[from.index()].push(to);
    };
    for slot in (0..graph.len()).map(Slot::new) {
        let event = graph.event(slot);
        if let Some(before) = graph.po_before(slot) {
            edge(before, slot);
        }
        if event.loc != LocId::NONE && graph.location(event.loc).has_parts {
            continue;
        }
        if !event.rf.is_init() {
            edge(event.rf, slot);
        }
        if let Some(next) = atropos_model::closure::co_next(graph, slot) {
            edge(slot, next);
        }
    }
    for loc in (0..graph.locations().len()).map(LocId::new).filter(|&loc| graph.location(loc).has_parts) {
        graph.edges_by_bytes(loc).into_iter().for_each(|(from, to)| edge(from, to));
    }
    let mut free: Vec<_> = (0..graph.len()).filter(|&event| n_before[event] == 0).collect();
    let mut n_ordered = 0;
    while let Some(event) = free.pop() {
        n_ordered += 1;
        for next in &after[event] {
            n_before[next.index()] -= 1;
            if n_before[next.index()] == 0 {
                free.push(next.index());
            }
        }
    }
    n_ordered == graph.len()
}
