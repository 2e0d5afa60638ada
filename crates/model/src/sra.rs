//! Strong release-acquire: release-acquire whose coherence orders agree with each other [SRA].
//!
//! ```text
//! irreflexive hb ; eco? as coherence          (hb = porf)
//! acyclic po | rf | sync | co as strong
//! empty rmw & (fr ; co) as atomicity
//! ```
//!
//! A read has no outgoing edge in the second axiom; a write's first one leads to the next write in `co`.

use crate::closure::{Closure, Edges, co_next};
use crate::coherence::{must_be_last, settled};
use crate::greedy::{Buffers, GreedyRun};
use crate::order_search::{OrderSearch, Reads, StepId};
use crate::{Counting, Kept, MemoryModel, Orders, ReadsFrom, forced};
use atropos_event::Mapping;
use atropos_graph::{Clock, Graph, Slot};

#[derive(Clone, Debug, Default)]
pub struct Sra {
    closure: Closure,
    search: OrderSearch,
    greedy: GreedyRun,
}

impl MemoryModel for Sra {
    const HAS_VIEWS: bool = false;
    const COUNTING: Counting = Counting::Synchronised;
    const CO_FOLLOWS_PORF: bool = true;

    fn observe(&mut self, _graph: &mut Graph, _slot: Slot) {}

    fn hb<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock {
        graph.porf(slot)
    }

    fn accepts(&mut self, graph: &Graph, added: Slot) -> bool {
        let event = graph.event(added);
        // After a revisit the new source of the read was placed; it comes after the read.
        let write = if event.is_read() { event.rf } else { added };
        let is_new = !write.is_init() && write >= added;
        !is_new
            || co_next(graph, write).is_none_or(|next| !self.closure.reaches(graph, next, write, Edges::Co))
    }
}

impl ReadsFrom for Sra {
    fn realisable(&mut self, graph: &Graph, added: Slot) -> bool {
        settled(graph, added, |slot| graph.porf(slot))
            .or_else(|| forced::realisable(self, graph, added))
            .unwrap_or_else(|| {
                self.runs(graph, None) || (self.enter(graph, |_| true) && self.search.solve(Reads::Free))
            })
    }

    fn may_be_final(&mut self, graph: &Graph, accesses: &[Slot]) -> bool {
        must_be_last(graph, accesses, |slot| graph.porf(slot))
            || (self.runs(graph, None) && self.greedy.ends_with(graph, accesses))
            || (self.enter(graph, |_| true)
                && self.search.add_last(graph, accesses)
                && self.search.solve(Reads::Free))
    }

    fn coherence(&mut self, graph: &Graph, kept: &Kept<'_>, orders: &mut Orders) {
        if self.runs(graph, Some(kept)) {
            self.greedy.write_orders(graph, orders);
            return;
        }
        let found = self.enter(graph, |slot| kept.contains(graph, slot)) && self.search.solve(Reads::Free);
        assert!(found, "a part of a consistent graph is consistent");
        self.search.write_orders(graph, kept, orders);
    }
}

impl Sra {
    /// Whether a greedy run of a machine finds an order. What SC allows, SRA allows.
    fn runs(&mut self, graph: &Graph, kept: Option<&Kept<'_>>) -> bool {
        self.greedy.find(graph, kept, Buffers::None, Mapping::default())
    }

    /// Enters the kept events with `porf`, and the demands of coherence on `co`.
    fn enter(&mut self, graph: &Graph, keep: impl Fn(Slot) -> bool) -> bool {
        self.search.start(graph.len());
        self.search.enter_accesses(graph, &keep, |slot| slot.index() as StepId);
        self.search.enter_porf(graph, &keep);
        self.search.enter_coherence(graph, keep, |slot| graph.porf(slot)) && self.search.close()
    }
}
