//! Sequential consistency [Nidhugg §2, TruSt §3.1].
//!
//! ```text
//! acyclic po | rf | sync | co | fr as sc
//! empty rmw & (fr ; co) as atomicity
//! ```
//!
//! The first outgoing edge of a new event leads to the next write in `co`; all others follow from there. So one
//! question decides: is the new event reachable from that write?

use crate::closure::{Closure, Edges, co_next};
use crate::coherence::{must_be_last, settled};
use crate::greedy::{Buffers, GreedyRun};
use crate::order_search::{OrderSearch, Reads, StepId};
use crate::{Counting, Kept, MemoryModel, Orders, ReadsFrom, forced};
use atropos_event::Mapping;
use atropos_graph::{Clock, Graph, Slot};

#[derive(Clone, Debug, Default)]
pub struct Sc {
    closure: Closure,
    search: OrderSearch,
    greedy: GreedyRun,
}

impl MemoryModel for Sc {
    const HAS_VIEWS: bool = false;
    const COUNTING: Counting = Counting::Always;
    const CO_FOLLOWS_PORF: bool = true;

    fn observe(&mut self, _graph: &mut Graph, _slot: Slot) {}

    fn hb<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock {
        graph.porf(slot)
    }

    fn accepts(&mut self, graph: &Graph, added: Slot) -> bool {
        co_next(graph, added).is_none_or(|next| !self.closure.reaches(graph, next, added, Edges::CoAndFr))
    }
}

impl ReadsFrom for Sc {
    fn realisable(&mut self, graph: &Graph, added: Slot) -> bool {
        settled(graph, added, |slot| graph.porf(slot))
            .or_else(|| forced::realisable(self, graph, added))
            .unwrap_or_else(|| {
                self.greedy.find(graph, None, Buffers::None, Mapping::default())
                    || (self.enter(graph, |_| true) && self.search.solve(Reads::Ordered))
            })
    }

    fn may_be_final(&mut self, graph: &Graph, accesses: &[Slot]) -> bool {
        must_be_last(graph, accesses, |slot| graph.porf(slot))
            || (self.greedy.find(graph, None, Buffers::None, Mapping::default())
                && self.greedy.ends_with(graph, accesses))
            || (self.enter(graph, |_| true)
                && self.search.add_last(graph, accesses)
                && self.search.solve(Reads::Ordered))
    }

    fn coherence(&mut self, graph: &Graph, kept: &Kept<'_>, orders: &mut Orders) {
        if self.greedy.find(graph, Some(kept), Buffers::None, Mapping::default()) {
            self.greedy.write_orders(graph, orders);
            return;
        }
        let found = self.enter(graph, |slot| kept.contains(graph, slot)) && self.search.solve(Reads::Ordered);
        assert!(found, "a part of a consistent graph is consistent");
        self.search.write_orders(graph, kept, orders);
    }
}

impl Sc {
    /// Enters the kept events, each one step, with `porf`.
    fn enter(&mut self, graph: &Graph, keep: impl Fn(Slot) -> bool) -> bool {
        self.search.start(graph.len());
        self.search.enter_accesses(graph, &keep, |slot| slot.index() as StepId);
        self.search.enter_porf(graph, keep);
        self.search.close()
    }
}
