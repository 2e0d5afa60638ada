//! Random execution graphs, grown event by event, and all coherence orders that a cat file allows for them.
#![allow(dead_code, reason = "each test uses a part of it")]

use atropos_cat::Model;
use atropos_cat::bridge::structure;
use atropos_event::{
    Access, FenceOrder, Initial, Label, Mapping, Position, ReadOrder, Rmw, RmwOp, ThreadId, WriteOrder,
};
use atropos_graph::{Graph, LocId, Outcome, Slot};
use atropos_model::MemoryModel;

/// Splitmix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, options: &[T]) -> T {
        options[self.below(options.len())]
    }
}

/// Parameters of random graphs.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub n_threads: usize,
    pub n_locations: usize,
    pub n_accesses: usize,
    pub read_percent: usize,
    pub rmw_percent: usize,
    pub fence_percent: usize,
    /// How many of the accesses and fences are sequentially consistent; the others have any order.
    pub sc_percent: usize,
}

/// A kind of graph for a seed: in every other one, two or three threads send messages through fences.
pub fn some_kind(rng: &mut Rng) -> Kind {
    if rng.chance(50) {
        return Kind {
            n_threads: 2 + rng.below(2),
            n_locations: 2,
            n_accesses: 6 + rng.below(5),
            read_percent: 50,
            rmw_percent: rng.pick(&[0, 0, 25]),
            fence_percent: rng.pick(&[20, 35, 45]),
            sc_percent: rng.pick(&[0, 20, 60]),
        };
    }
    Kind {
        n_threads: 2 + rng.below(4),
        n_locations: 1 + rng.below(3),
        n_accesses: 5 + rng.below(6),
        read_percent: rng.pick(&[30, 50, 60]),
        rmw_percent: rng.pick(&[0, 10, 30]),
        fence_percent: rng.pick(&[0, 0, 15, 30]),
        sc_percent: rng.pick(&[0, 30, 60, 100]),
    }
}

pub fn access(loc: usize) -> Access {
    Access::new(16 * (loc as u64 + 1), 4)
}

/// A graph of threads created by the main one, with its model's clocks.
pub struct Grown<M> {
    pub graph: Graph,
    pub model: M,
}

impl<M: MemoryModel> Grown<M> {
    pub fn new(model: M, n_threads: usize, n_locations: usize) -> Self {
        let mut grown = Grown { graph: Graph::new(M::HAS_VIEWS), model };
        for loc in 0..n_locations {
            grown.graph.locate(access(loc), || Initial::Value(0)).expect("a location of its own");
        }
        for thread in (1..=n_threads).map(ThreadId::new) {
            let spawn = grown.add(
                ThreadId::MAIN,
                Label::Spawn { child: thread, drains: true },
                LocId::NONE,
                Slot::INIT,
                0,
            );
            grown.add(thread, Label::Begin, LocId::NONE, spawn, 0);
        }
        let names: Vec<_> = (0..=n_threads).map(ThreadId::new).collect();
        grown.graph.rank_threads(&names);
        grown
    }

    pub fn add(&mut self, thread: ThreadId, label: Label, loc: LocId, rf: Slot, co: u32) -> Slot {
        let value = match label {
            Label::Read { .. } => self.graph.value_of(loc, rf),
            Label::Write { value, .. } => value,
            _ => 0,
        };
        let outcome = Outcome { rf, co, value, before: Position(0) };
        let slot = self.graph.add(thread, label, loc, outcome);
        self.model.observe(&mut self.graph, slot);
        slot
    }

    /// For people.
    pub fn shown(&self, cat: &Cat) -> String {
        let events = self.graph.events().iter().enumerate();
        let line = |(slot, event): (usize, &atropos_graph::Event)| {
            format!("#{slot} {} {:?} rf {:?} co {}\n", event.id, event.label, event.rf, event.co)
        };
        format!("{}\n{}", cat.model.name, events.map(line).collect::<String>())
    }

    /// Whether a successful read-modify-write already reads from `source`.
    pub fn is_taken(&self, loc: LocId, source: Slot) -> bool {
        let takes = |&read: &Slot| self.graph.event(read).exclusive && self.graph.event(read).rf == source;
        self.graph.location(loc).reads.iter().any(takes)
    }

    /// The write of the read-modify-write whose read is the last event.
    pub fn write_of_last(&self) -> Option<Label> {
        let event = self.graph.event(self.graph.last_slot()?);
        let Label::Read { access, rmw, .. } = event.label else { return None };
        let (value, order) = rmw.write_after(access, event.value)?;
        Some(Label::Write { access, order, value, exclusive: true })
    }
}

/// A random next label of a thread.
pub fn some_label(rng: &mut Rng, kind: Kind) -> (Label, Option<usize>) {
    let is_sc = rng.chance(kind.sc_percent);
    if rng.chance(kind.fence_percent) {
        let order = if is_sc { FenceOrder::SeqCst } else { rng.pick(&FenceOrder::ALL) };
        return (Label::Fence { order }, None);
    }
    let loc = rng.below(kind.n_locations);
    let order = if is_sc { ReadOrder::SeqCst } else { rng.pick(&ReadOrder::ALL) };
    let write_order = if is_sc { WriteOrder::SeqCst } else { rng.pick(&WriteOrder::ALL) };
    let value = rng.below(2) as u64;
    if rng.chance(kind.rmw_percent) {
        let (order, write_order) = (order.max(ReadOrder::Relaxed), write_order.max(WriteOrder::Relaxed));
        let failure_order = rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst]);
        let rmw = if rng.chance(50) {
            Rmw::Fetch { op: RmwOp::Exchange, operand: value, write_order }
        } else {
            Rmw::Cas { expected: 0, desired: 1, write_order, failure_order }
        };
        return (Label::Read { access: access(loc), order, rmw }, Some(loc));
    }
    let label = if rng.chance(kind.read_percent) {
        Label::Read { access: access(loc), order, rmw: Rmw::None }
    } else {
        Label::Write { access: access(loc), order: write_order, value, exclusive: false }
    };
    (label, Some(loc))
}

/// A memory model's specification.
pub struct Cat {
    pub model: Model,
    pub mapping: Mapping,
}

/// One coherence order per location.
pub type Orders = Vec<Vec<Slot>>;

impl Cat {
    pub fn new(name: &str, mapping: Mapping) -> Self {
        Cat { model: Model::builtin(name).expect("a model"), mapping }
    }

    pub fn accepts(&self, graph: &Graph) -> bool {
        self.model.is_consistent(&structure(graph, self.mapping)).expect("a model that can be evaluated")
    }

    pub fn accepts_with(&self, graph: &mut Graph, orders: &Orders) -> bool {
        for (index, order) in orders.iter().enumerate() {
            graph.set_co(LocId::new(index), order);
        }
        self.accepts(graph)
    }

    /// The extensions by `added` of the orders of the graph before it.
    pub fn extend(&self, graph: &Graph, added: Slot, orders: &[Orders]) -> Vec<Orders> {
        let (mut graph, event) = (graph.clone(), *graph.event(added));
        let mut candidates = Vec::new();
        for order in orders {
            if !event.is_write() {
                candidates.push(order.clone());
                continue;
            }
            let loc = event.loc.index();
            for place in 1..=order[loc].len() {
                let mut longer = order.clone();
                longer[loc].insert(place, added);
                candidates.push(longer);
            }
        }
        candidates.retain(|candidate| self.accepts_with(&mut graph, candidate));
        candidates
    }

    /// All orders of a graph, if there are few enough to try.
    pub fn all_orders(&self, graph: &Graph) -> Option<Vec<Orders>> {
        let mut all: Vec<Orders> = vec![Vec::new()];
        for location in graph.locations() {
            let permuted = permutations(&location.co[1..]);
            if all.len() * permuted.len() > 600 {
                return None;
            }
            let longer = |orders: &Orders| {
                let (orders, all) = (orders.clone(), permuted.iter().cloned());
                all.map(move |mut order: Vec<Slot>| {
                    order.insert(0, Slot::INIT);
                    orders.iter().cloned().chain([order]).collect()
                })
                .collect::<Vec<Orders>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        let mut graph = graph.clone();
        all.retain(|orders| self.accepts_with(&mut graph, orders));
        Some(all)
    }
}

fn permutations(writes: &[Slot]) -> Vec<Vec<Slot>> {
    let Some((&first, rest)) = writes.split_first() else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for shorter in permutations(rest) {
        for place in 0..=shorter.len() {
            let mut longer = shorter.clone();
            longer.insert(place, first);
            all.push(longer);
        }
    }
    all
}
