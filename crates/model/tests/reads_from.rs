//! Compares models that do not track coherence with their cat files, on random graphs, step by step: a graph is
//! realisable exactly if some coherence order makes the cat file accept it. The same for writes that can be last, for
//! revisits, and for the orders computed for a part of a graph.

mod common;

use atropos_event::mark::take_marks;
use atropos_event::{EventId, Label, Mapping, ThreadId};
use atropos_graph::{Attic, Graph, LocId, Slot, clock};
use atropos_model::{Kept, Orders as Asked, Pso, Ra, Rc11, ReadsFrom, ReleaseSequences, Sc, Sra, Tso};
use common::{Cat, Grown, Kind, Orders, Rng, some_kind, some_label};

/// Trials stop when there are more coherence orders.
const MOST_ORDERS: usize = 150;

/// A graph that grows, with all coherence orders it may have.
struct Trial<M> {
    grown: Grown<M>,
    cat: Cat,
    orders: Vec<Orders>,
    rng: Rng,
    kind: Kind,
}

impl<M: ReadsFrom> Trial<M> {
    fn new(model: M, cat: Cat, seed: u64) -> Self {
        let mut rng = Rng(seed);
        let kind = some_kind(&mut rng);
        let grown = Grown::new(model, kind.n_threads, kind.n_locations);
        Trial { grown, cat, orders: vec![vec![vec![Slot::INIT]; kind.n_locations]], rng, kind }
    }

    fn grow(&mut self, n_steps: usize) {
        for _ in 0..n_steps {
            if self.orders.len() <= MOST_ORDERS {
                self.step();
            }
        }
    }

    fn step(&mut self) {
        let thread = ThreadId::new(1 + self.rng.below(self.kind.n_threads));
        let (label, loc) = some_label(&mut self.rng, self.kind);
        let Some(loc) = loc.map(LocId::new) else {
            self.grown.add(thread, label, LocId::NONE, Slot::INIT, 0);
            return;
        };
        let co = self.grown.graph.location(loc).co.clone();
        match label {
            Label::Read { access, rmw, .. } => {
                let source = self.rng.pick(&co);
                let value = self.grown.graph.value_of(loc, source);
                let is_update = rmw.write_after(access, value).is_some();
                if !is_update || !self.grown.is_taken(loc, source) {
                    self.read(thread, label, loc, source);
                }
            }
            _ => {
                let slot = self.grown.add(thread, label, loc, Slot::INIT, co.len() as u32);
                assert!(self.is_realised(slot), "a plain write can be last");
            }
        }
    }

    /// Adds a read, and its write, if the model accepts it.
    fn read(&mut self, thread: ThreadId, label: Label, loc: LocId, source: Slot) {
        let before = self.orders.clone();
        let read = self.grown.add(thread, label, loc, source, 0);
        if !self.is_realised(read) {
            self.grown.graph.pop();
            return;
        }
        if let Some(label) = self.grown.write_of_last() {
            let place = self.grown.graph.location(loc).co.len() as u32;
            let write = self.grown.add(thread, label, loc, Slot::INIT, place);
            if !self.is_realised(write) {
                self.grown.graph.pop();
                self.grown.graph.pop();
                self.orders = before;
            }
        }
    }

    /// Whether the model finds the graph with `added` realisable. The cat file must agree.
    fn is_realised(&mut self, added: Slot) -> bool {
        let orders = self.cat.extend(&self.grown.graph, added, &self.orders);
        let found = self.grown.model.realisable(&self.grown.graph, added);
        assert_eq!(found, !orders.is_empty(), "with {added:?}: {}", self.shown());
        if found {
            self.orders = orders;
        }
        found
    }

    fn shown(&self) -> String {
        self.grown.shown(&self.cat)
    }

    /// The writes of some accesses can be last exactly if they are last in some order.
    fn check_final(&mut self) {
        let graph = &self.grown.graph;
        let all: Vec<Slot> =
            (0..graph.len()).map(Slot::new).filter(|&slot| graph.event(slot).loc != LocId::NONE).collect();
        if all.is_empty() {
            return;
        }
        let accesses: Vec<Slot> = (0..1 + self.rng.below(3)).map(|_| self.rng.pick(&all)).collect();
        let write = |slot: Slot| if graph.event(slot).is_read() { graph.event(slot).rf } else { slot };
        let is_last = |orders: &Orders| {
            accesses.iter().all(|&slot| orders[graph.event(slot).loc.index()].last() == Some(&write(slot)))
        };
        let expected = self.orders.iter().any(is_last);
        let found = self.grown.model.may_be_final(graph, &accesses);
        assert_eq!(found, expected, "last of {accesses:?}: {}", self.shown());
    }

    /// What stays after a revisit has orders that the cat file accepts, and they do not depend on the rest.
    fn check_coherence(&mut self) {
        let Some((start, prefix)) = self.some_revisit() else { return };
        let kept = Kept { start, prefix: &prefix };
        let orders = asked(&mut self.grown.model, &self.grown.graph, &kept);
        let part = self.grown.graph.restricted_copy(start, &prefix);
        let everything = Kept { start: Slot::new(part.len()), prefix: &vec![0; part.width()] };
        let alone = asked(&mut self.grown.model, &part, &everything);
        assert_eq!(orders, alone, "without {start:?}: {}", self.shown());
        let mut part = part.clone();
        let slot = |part: &Graph, id: Option<EventId>| id.map_or(Slot::INIT, |id| part.slot_of(id));
        let local = orders.iter().map(|order| order.iter().map(|&id| slot(&part, id)).collect()).collect();
        assert!(self.cat.accepts_with(&mut part, &local), "without {start:?}: {}", self.shown());
    }

    /// A read, and the prefix of a later write of another thread; the prefix does not contain the read.
    fn some_revisit(&mut self) -> Option<(Slot, Vec<u32>)> {
        let graph = &self.grown.graph;
        let reads: Vec<Slot> =
            (0..graph.len()).map(Slot::new).filter(|&slot| graph.event(slot).is_read()).collect();
        let thread = ThreadId::new(1 + self.rng.below(self.kind.n_threads));
        let last = graph.last_of(thread)?;
        let prefix = graph.porf(last).to_vec();
        let free: Vec<Slot> =
            reads.into_iter().filter(|&read| !clock::contains(&prefix, graph.event(read).id)).collect();
        let start = (!free.is_empty()).then(|| self.rng.pick(&free))?;
        Some((start, prefix))
    }

    /// Makes a new write revisit a read.
    fn check_revisit(&mut self) -> bool {
        let Some((start, prefix)) = self.some_revisit() else { return false };
        let graph = &self.grown.graph;
        let Label::Read { access, rmw, .. } = graph.event(start).label else { unreachable!("a read") };
        let (id, loc) = (graph.event(start).id, graph.event(start).loc);
        let thread = (1..=self.kind.n_threads)
            .map(ThreadId::new)
            .find(|&thread| graph.last_of(thread).is_some_and(|last| graph.porf(last) == prefix.as_slice()));
        let Some(thread) = thread else { return false };
        let value = self.rng.below(2) as u64;
        let order = self.rng.pick(&atropos_event::WriteOrder::ALL);
        let label = Label::Write { access, order, value, exclusive: false };
        self.grown.graph.restrict(start, &prefix, &mut Attic::default(), |_| {});
        let place = self.grown.graph.location(loc).co.len() as u32;
        let write = self.grown.add(thread, label, loc, Slot::INIT, place);
        let read = self.grown.graph.slot_of(id);
        self.grown.graph.set_rf(read, write, value);
        self.grown.model.observe(&mut self.grown.graph, read);
        let Some(orders) = self.cat.all_orders(&self.grown.graph) else { return false };
        let found = self.grown.model.realisable(&self.grown.graph, read);
        assert_eq!(found, !orders.is_empty(), "{read:?} revisited: {}", self.shown());
        self.orders = orders;
        found && rmw.write_after(access, value).is_none()
    }
}

/// The orders of all locations, by events.
fn asked<M: ReadsFrom>(model: &mut M, graph: &Graph, kept: &Kept<'_>) -> Vec<Vec<Option<EventId>>> {
    let mut orders = Asked::default();
    orders.locs.extend((0..graph.locations().len()).map(LocId::new));
    model.coherence(graph, kept, &mut orders);
    let id = |&write: &Slot| (!write.is_init()).then(|| graph.event(write).id);
    (0..orders.locs.len()).map(|index| orders.order(index).iter().map(id).collect()).collect()
}

fn check<M: ReadsFrom>(model: impl Fn() -> M, name: &str, mapping: Mapping, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut trial = Trial::new(model(), Cat::new(name, mapping), seed);
        let n_steps = trial.kind.n_accesses;
        trial.grow(n_steps);
        if trial.orders.len() > MOST_ORDERS {
            continue;
        }
        trial.check_final();
        trial.check_coherence();
        if trial.check_revisit() {
            trial.grow(3);
            trial.check_final();
        }
    }
}

/// Asserts that this thread has passed a mark.
fn demand(mark: &str) {
    assert!(take_marks().contains(mark) || cfg!(not(debug_assertions)), "not reached: {mark}");
}

#[test]
fn sequential_consistency_is_that_of_its_file() {
    check(Sc::default, "sc", Mapping::Compiled, 0..1500);
    demand("greedy run: stuck");
}

#[test]
fn total_store_order_is_that_of_its_file() {
    for mapping in [Mapping::Compiled, Mapping::Raw] {
        check(|| Tso::new(mapping), "tso", mapping, 0..800);
    }
}

#[test]
fn partial_store_order_is_that_of_its_file() {
    for mapping in [Mapping::Compiled, Mapping::Raw] {
        check(|| Pso::new(mapping), "pso", mapping, 0..1500);
    }
}

#[test]
fn release_acquire_is_that_of_its_file() {
    check(Ra::default, "ra", Mapping::Compiled, 0..800);
}

#[test]
fn strong_release_acquire_is_that_of_its_file() {
    check(Sra::default, "sra", Mapping::Compiled, 0..1500);
}

#[test]
fn rc11_is_that_of_its_file() {
    check(|| Rc11::new(ReleaseSequences::Cpp20), "rc11", Mapping::Compiled, 0..1500);
    check(|| Rc11::new(ReleaseSequences::C11), "rc11-c11", Mapping::Compiled, 0..500);
    demand("psc search: a pair that has one order only");
}
