//! Reads-from consistency under RC11's `sc` axiom, by a search for a coherence order.
//!
//! Chains ([`crate::chains`]) say which coherence orders a location may have; whether `psc` is acyclic depends on the
//! choice. What SC allows, RC11 allows, so a [greedy run](crate::greedy) may settle it. Otherwise, if every access is
//! SC, RC11 is SC and [`crate::order_search`] decides. If not, the search works on the chains of the locations that
//! `psc` can see, with partially decided orders ([`crate::undecided`]). `psc` grows with `co`, so the search gives up
//! a decided part with a cycle at once; and if one order of a pair of chains gives a cycle, the pair has the other
//! one. The search completes the open pairs canonically. Only if that gives a cycle, it tries both orders of a pair.
//! Programs without SC events never need this.

use crate::chains::Chains;
use crate::greedy::{Buffers, GreedyRun};
use crate::order_search::{OrderSearch, Reads, StepId};
use crate::psc::{Psc, ScEvents};
use crate::undecided::{Pair, Undecided};
use crate::{Kept, Orders};
use atropos_event::{Mapping, mark};
use atropos_graph::{Graph, Slot};

#[derive(Clone, Debug, Default)]
pub struct PscSearch {
    psc: Psc,
    chains: Chains,
    order: OrderSearch,
    greedy: GreedyRun,
    undecided: Undecided,
}

impl PscSearch {
    /// Whether there is a coherence order with acyclic `psc` in which the writes of the accesses `last` are last.
    pub fn succeeds(&mut self, graph: &Graph, last: &[Slot]) -> bool {
        let sc_events = self.psc.survey(graph);
        if sc_events == ScEvents::Few {
            return true;
        }
        if self.greedy.find(graph, None, Buffers::None, Mapping::default())
            && self.greedy.ends_with(graph, last)
        {
            return true;
        }
        if sc_events == ScEvents::AllAccesses {
            return self.enter_sc(graph)
                && self.order.add_last(graph, last)
                && self.order.solve(Reads::Ordered);
        }
        self.find(graph, last)
    }

    /// The coherence orders of the kept part; `false` if `psc` does not constrain it.
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
            ScEvents::Few | ScEvents::Some => self.find(&part, &[]).then(|| self.completed_copy(part)),
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
        self.order.enter_accesses(graph, |_| true, |slot| slot.index() as StepId);
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

    /// The graph with the coherence orders that the search has decided. Those of other locations do not affect `psc`,
    /// and are canonical.
    fn completed_copy(&mut self, mut graph: Graph) -> Graph {
        for loc in graph.locations_by_address().to_vec() {
            let order: Vec<Slot> = match self.undecided.writes(loc) {
                Some(writes) => writes.collect(),
                None => self.chains.order_of(&graph, loc, |slot| graph.hb(slot)),
            };
            graph.set_co(loc, &order);
        }
        graph
    }

    /// Searches for a coherence order of the locations that `psc` sees, with acyclic `psc`, in which the writes of
    /// the accesses `last` are last. The SC events have been surveyed.
    fn find(&mut self, graph: &Graph, last: &[Slot]) -> bool {
        self.psc.prepare(graph);
        self.undecided.start(graph);
        for &loc in graph.locations_by_address() {
            if self.psc.sees(graph, loc)
                && !self.undecided.enter(graph, &mut self.chains, loc, |slot| graph.hb(slot))
            {
                return false;
            }
        }
        self.undecided.put_last(graph, last) && self.solve(graph)
    }

    fn holds(&mut self, graph: &Graph) -> bool {
        self.psc.holds_under(graph, &self.undecided)
    }

    /// Decides the open pairs so that `psc` is acyclic, if that is possible.
    fn solve(&mut self, graph: &Graph) -> bool {
        if !self.holds(graph) {
            return false;
        }
        self.undecided.save();
        self.undecided.complete();
        if self.holds(graph) {
            return true;
        }
        self.undecided.restore();
        self.undecided.drop_saved();
        if !self.saturate(graph) {
            return false;
        }
        let Some(pair) = self.undecided.open_pairs().next() else { return true };
        self.undecided.save();
        if self.undecided.decide(pair) && self.solve(graph) {
            return true;
        }
        mark!("psc search: the second order of a pair");
        self.undecided.restore();
        self.undecided.drop_saved();
        self.undecided.decide(pair.reversed()) && self.solve(graph)
    }

    /// Decides every pair with only one order without a cycle; `false` if a pair has none.
    fn saturate(&mut self, graph: &Graph) -> bool {
        loop {
            let mut has_decided = false;
            let open: Vec<Pair> = self.undecided.open_pairs().collect();
            for pair in open {
                for tried in [pair, pair.reversed()] {
                    self.undecided.save();
                    let is_possible = !self.undecided.decide(tried) || self.holds(graph);
                    self.undecided.restore();
                    self.undecided.drop_saved();
                    if !is_possible {
                        mark!("psc search: a pair that has one order only");
                        has_decided = true;
                        if !self.undecided.decide(tried.reversed()) || !self.holds(graph) {
                            return false;
                        }
                        break;
                    }
                }
            }
            if !has_decided {
                return true;
            }
        }
    }
}
