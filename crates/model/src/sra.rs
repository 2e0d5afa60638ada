//! Strong release-acquire: release-acquire whose coherence orders agree with each other
//! [TruSt §3.1, Tracer §7].
//!
//! ```text
//! irreflexive hb ; eco? as coherence          (hb = porf)
//! acyclic po | rf | sync | co as strong
//! empty rmw & (fr ; co) as atomicity
//! ```
//!
//! A read has no outgoing edge in the second axiom; a write's first one leads to the next write in `co`.

use crate::closure::{Closure, Edges, co_next};
use crate::{Kept, MemoryModel, Orders};
use atropos_graph::{Clock, Graph, Slot};

#[derive(Clone, Debug, Default)]
pub struct Sra {
    closure: Closure,
}

impl MemoryModel for Sra {
    const HAS_VIEWS: bool = false;

    fn observe(&self, _graph: &mut Graph, _slot: Slot) {}

    fn hb<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock {
        graph.porf(slot)
    }

    fn accepts(&mut self, graph: &Graph, added: Slot) -> bool {
        let event = graph.event(added);
        // After a revisit it is the read's new source that was placed.
        let write = if event.is_read() { event.rf } else { added };
        write.is_init()
            || co_next(graph, write).is_none_or(|next| !self.closure.reaches(graph, next, write, Edges::Co))
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
