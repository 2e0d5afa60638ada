//! Sequential consistency [Nidhugg §2, TruSt §3.1].
//!
//! ```text
//! acyclic po | rf | sync | co | fr as sc
//! empty rmw & (fr ; co) as atomicity
//! ```
//!
//! The first outgoing edge of a new event leads to the write behind it in `co`; all others follow from
//! there. So one question decides: is the new event reachable from that write?

use crate::closure::{Closure, Edges, co_next};
use crate::{Kept, MemoryModel, Orders};
use atropos_graph::{Clock, Graph, Slot};

#[derive(Clone, Debug, Default)]
pub struct Sc {
    closure: Closure,
}

impl MemoryModel for Sc {
    const HAS_VIEWS: bool = false;

    fn observe(&self, _graph: &mut Graph, _slot: Slot) {}

    fn hb<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock {
        graph.porf(slot)
    }

    fn accepts(&mut self, graph: &Graph, added: Slot) -> bool {
        co_next(graph, added).is_none_or(|next| !self.closure.reaches(graph, next, added, Edges::CoAndFr))
    }

    fn realisable(&mut self, graph: &Graph, added: Slot) -> bool {
        todo!("{graph:?}{added:?}")
    }

    fn may_be_final(&mut self, graph: &Graph, reads: &[Slot]) -> bool {
        todo!("{graph:?}{reads:?}")
    }

    fn coherence(&mut self, graph: &Graph, kept: &Kept<'_>, orders: &mut Orders) {
        todo!("{graph:?}{kept:?}{orders:?}")
    }
}
