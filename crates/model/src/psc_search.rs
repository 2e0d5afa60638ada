//! Reads-from consistency under RC11's `sc` axiom, by enumerating coherence orders.
//!
//! Chains ([`crate::chains`]) say which coherence orders a location may have; whether `psc` is acyclic
//! depends on the choice. What SC allows, RC11 allows, so a [greedy run](crate::greedy) may settle it. If not: when
//! every access is SC, RC11 is SC and [`crate::order_search`] decides. Otherwise the orders of the locations that matter are tried one after the other, in canonical order,
//! until `psc` is acyclic. Programs without SC events never come here.

use crate::chains::Chains;
use crate::closure::write_of;
use crate::greedy::{Buffers, GreedyRun};
use crate::order_search::{Node, OrderSearch, Reads};
use crate::psc::{Psc, ScEvents};
use crate::{Kept, Orders};
use atropos_event::Mapping;
use atropos_graph::{Graph, LocId, Slot};

#[derive(Clone, Debug, Default)]
pub struct PscSearch {
    psc: Psc,
    chains: Chains,
    order: OrderSearch,
    greedy: GreedyRun,
}

impl PscSearch {
    /// Is there a coherence order with acyclic `psc` in which the writes of the accesses `last` are last?
    pub fn succeeds(&mut self, graph: &Graph, last: &[Slot]) -> bool {
        let sc_events = self.psc.survey(graph);
        if sc_events == ScEvents::Few {
            return true;
        }
        if last.is_empty() && self.greedy.find(graph, None, Buffers::None, Mapping::default()) {
            return true;
        }
        if sc_events == ScEvents::AllAccesses {
            return self.enter_sc(graph)
                && self.order.add_last(graph, last)
                && self.order.solve(Reads::Ordered);
        }
        self.find(graph.clone(), last).is_some()
    }

    /// The coherence orders of the kept part; `false` when `psc` says nothing about it.
    pub fn orders(&mut self, graph: &Graph, kept: &Kept<'_>, orders: &mut Orders) -> bool {
        if self.psc.survey(graph) == ScEvents::Few || self.psc.keeps_few(graph, kept) {
            return false;
        }
        if self.greedy.find(graph, Some(kept), Buffers::None, Mapping::default()) {
            self.greedy.write_orders(graph, orders);
            return true;
        }
        let part = graph.restricted_copy(kept.start, kept.prefix);
        let found = match self.psc.survey(&part) {
            ScEvents::AllAccesses => {
                (self.enter_sc(&part) && self.order.solve(Reads::Ordered)).then(|| self.ordered_copy(part))
            }
            ScEvents::Few | ScEvents::Some => self.find(part, &[]),
        };
        let found = found.expect("a part of a consistent graph is consistent");
        for index in 0..orders.locs.len() {
            orders.begin_next();
            let writes = found.location(orders.locs[index]).co.iter();
            orders.writes.extend(writes.map(|&write| match write {
                Slot::INIT => Slot::INIT,
                write => graph.slot_of(found.event(write).id),
            }));
        }
        true
    }

    fn enter_sc(&mut self, graph: &Graph) -> bool {
        self.order.start(graph.len());
        self.order.enter_accesses(graph, |_| true, |slot| slot.index() as Node);
        self.order.enter_porf(graph, |_| true);
        self.order.close()
    }

    /// The graph with the coherence orders that the search found.
    fn ordered_copy(&self, mut graph: Graph) -> Graph {
        let everything = Kept { start: Slot::new(graph.len()), prefix: &[] };
        let mut orders = Orders::default();
        orders.locs.extend_from_slice(graph.locations_by_address());
        self.order.write_orders(&graph, &everything, &mut orders);
        for (index, &loc) in orders.locs.iter().enumerate() {
            graph.set_co(loc, orders.order(index));
        }
        graph
    }

    /// Tries all coherence orders that the chains allow.
    fn find(&mut self, mut graph: Graph, last: &[Slot]) -> Option<Graph> {
        let locs: Vec<LocId> = graph.locations_by_address().to_vec();
        let mut choices = Vec::new();
        for &loc in &locs {
            let all = self.chains.all_orders(&graph, loc, |slot| graph.hb(slot));
            let is_wanted = |order: &Vec<Slot>| {
                last.iter().all(|&access| {
                    graph.event(access).loc != loc || order.last() == Some(&write_of(&graph, access))
                })
            };
            let wanted: Vec<_> = all.into_iter().filter(is_wanted).collect();
            if wanted.is_empty() {
                return None;
            }
            choices.push(wanted);
        }
        let mut taken = vec![0; locs.len()];
        loop {
            for (index, &loc) in locs.iter().enumerate() {
                graph.set_co(loc, &choices[index][taken[index]]);
            }
            if self.psc.holds(&graph) {
                return Some(graph);
            }
            // The next combination, the last location changing fastest.
            let index = (0..locs.len()).rev().find(|&index| taken[index] + 1 < choices[index].len())?;
            taken[index] += 1;
            taken[index + 1..].fill(0);
        }
    }
}
