//! Coherence orders for an execution explored up to `rf`, which has none.
//!
//! Any order that the model accepts will do, and the caller checks it. So simple ideas come first: an interleaving in
//! which every read sees the last write; and what `hb` and read-modify-writes force, completed in order of addition. The
//! first works if the execution is sequentially consistent and a greedy run does not get stuck. The second finds an
//! order whenever there is one if only coherence is demanded.

use crate::axioms::AxiomClocks;
use atropos_event::{Label, ThreadId};
use atropos_graph::{Graph, LocId, Slot};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

/// Writes that must be the last ones of their locations.
pub type Finals = BTreeMap<LocId, Slot>;

/// For each location all its writes, the initial one first.
pub type CoherenceOrders = Vec<(LocId, Vec<Slot>)>;

fn locations(graph: &Graph) -> impl Iterator<Item = LocId> + '_ {
    (0..graph.locations().len()).map(LocId::new).filter(|&loc| graph.location(loc).co.len() > 1)
}

/// Whether the writes of `finals` are the last ones.
pub(crate) fn are_last(graph: &Graph, finals: &Finals) -> bool {
    finals.iter().all(|(&loc, write)| graph.location(loc).co.last() == Some(write))
}

/// The orders that `hb` and read-modify-writes force; `None` if they contradict each other.
pub fn forced(graph: &Graph, clocks: &AxiomClocks, finals: &Finals) -> Option<CoherenceOrders> {
    locations(graph)
        .map(|loc| Some((loc, forced_in(graph, clocks, loc, finals.get(&loc).copied())?)))
        .collect()
}

/// A read-modify-write comes right after its source, so writes form chains, and chains are ordered.
fn forced_in(graph: &Graph, clocks: &AxiomClocks, loc: LocId, last: Option<Slot>) -> Option<Vec<Slot>> {
    let location = graph.location(loc);
    let chains = Chains::of(graph, &location.co)?;
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); chains.list.len()];
    let mut n_before = vec![0usize; chains.list.len()];
    let mut add = |from: usize, to: usize| {
        after[from].push(to);
        n_before[to] += 1;
    };
    for (before, behind) in forced_pairs(graph, clocks, loc) {
        let ((from, rank), (to, other)) = (chains.place(before), chains.place(behind));
        match from == to {
            true if rank > other => return None,
            true => {}
            false => add(from, to),
        }
    }
    (1..chains.list.len()).for_each(|chain| add(0, chain));
    if let Some(last) = last {
        let (chain, _) = chains.place(last);
        if chains.list[chain].last() != Some(&last) {
            return None;
        }
        (0..chains.list.len()).filter(|&other| other != chain).for_each(|other| add(other, chain));
    }
    // Sort the chains accordingly, in order of addition where possible.
    let key = |chain: usize| Reverse((chains.list[chain].first().copied().filter(|_| chain > 0), chain));
    let mut ready: BinaryHeap<_> =
        (0..n_before.len()).filter(|&chain| n_before[chain] == 0).map(key).collect();
    let mut order = Vec::with_capacity(location.co.len());
    while let Some(Reverse((_, chain))) = ready.pop() {
        order.extend_from_slice(&chains.list[chain]);
        for &next in &after[chain] {
            n_before[next] -= 1;
            if n_before[next] == 0 {
                ready.push(key(next));
            }
        }
    }
    (order.len() == location.co.len()).then_some(order)
}

/// The writes of a location in chains; the first one begins with the initial write.
struct Chains {
    list: Vec<Vec<Slot>>,
    /// The chain of a write and its place there.
    places: HashMap<Slot, (usize, usize)>,
}

impl Chains {
    /// `None` if two read-modify-writes read from the same write.
    fn of(graph: &Graph, writes: &[Slot]) -> Option<Chains> {
        let source = |write: Slot| {
            let read = graph.po_before(write).filter(|_| graph.event(write).exclusive);
            read.map(|read| graph.event(read).rf)
        };
        let mut next: HashMap<Slot, Slot> = HashMap::new();
        for &write in &writes[1..] {
            if let Some(source) = source(write)
                && next.insert(source, write).is_some()
            {
                return None;
            }
        }
        let mut chains = Chains { list: Vec::new(), places: HashMap::new() };
        let heads = writes.iter().copied().filter(|&write| write.is_init() || source(write).is_none());
        for head in heads {
            let mut chain = vec![head];
            while let Some(&write) = chain.last().and_then(|last| next.get(last)) {
                chain.push(write);
            }
            let number = chains.list.len();
            chains.places.extend(chain.iter().enumerate().map(|(rank, &write)| (write, (number, rank))));
            chains.list.push(chain);
        }
        // A cycle of read-modify-writes has no head.
        (chains.places.len() == writes.len()).then_some(chains)
    }

    fn place(&self, write: Slot) -> (usize, usize) {
        self.places[&write]
    }
}

/// Pairs of different writes whose order is forced: an access of the first happens before an access of the second.
/// Pairs that follow from others are left out.
fn forced_pairs(graph: &Graph, clocks: &AxiomClocks, loc: LocId) -> Vec<(Slot, Slot)> {
    let location = graph.location(loc);
    let mut of_threads: Vec<Vec<(usize, Slot)>> = vec![Vec::new(); graph.n_threads()];
    let accesses = location.co[1..].iter().chain(&location.reads);
    for &slot in accesses.clone() {
        let id = graph.event(slot).id;
        of_threads[id.thread().index()].push((id.index(), slot));
    }
    of_threads.iter_mut().for_each(|accesses| accesses.sort_unstable());
    let write_of = |slot: Slot| if graph.event(slot).is_write() { slot } else { graph.event(slot).rf };
    let mut pairs = Vec::new();
    for &slot in accesses {
        let id = graph.event(slot).id;
        for (thread, others) in of_threads.iter().enumerate() {
            let known = clocks.of_event(slot)[thread] as usize;
            let bound = if thread == id.thread().index() { id.index() } else { known };
            let n_before = others.partition_point(|&(index, _)| index < bound);
            let Some(&(_, before)) = others[..n_before].last() else { continue };
            let (first, second) = (write_of(before), write_of(slot));
            if first != second {
                pairs.push((first, second));
            }
        }
    }
    pairs
}

/// The order of the writes in an interleaving in which every read sees the last write before it, if a greedy run
/// finds one.
pub fn interleaved(graph: &Graph, finals: &Finals) -> Option<CoherenceOrders> {
    let mut run = Interleaving::new(graph, finals);
    while run.n_done < graph.len() {
        while (0..graph.n_threads()).any(|thread| run.advance(thread, Turn::AllButWrites)) {}
        if run.n_done < graph.len() && !run.write() {
            return None;
        }
    }
    Some(locations(graph).map(|loc| (loc, std::mem::take(&mut run.orders[loc.index()]))).collect())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    AllButWrites,
    Any,
}

struct Interleaving<'a> {
    graph: &'a Graph,
    finals: &'a Finals,
    /// By thread, the number of its events that are done.
    done: Vec<usize>,
    n_done: usize,
    orders: Vec<Vec<Slot>>,
    /// By location and write, the number of its reads that are not done.
    readers: HashMap<(LocId, Slot), usize>,
}

impl<'a> Interleaving<'a> {
    fn new(graph: &'a Graph, finals: &'a Finals) -> Self {
        let mut readers = HashMap::new();
        for event in graph.events().iter().filter(|event| event.is_read()) {
            *readers.entry((event.loc, event.rf)).or_insert(0) += 1;
        }
        let orders = vec![vec![Slot::INIT]; graph.locations().len()];
        Interleaving { graph, finals, done: vec![0; graph.n_threads()], n_done: 0, orders, readers }
    }

    fn next(&self, thread: usize) -> Option<Slot> {
        self.graph.thread(ThreadId::new(thread)).get(self.done[thread]).copied()
    }

    fn is_done(&self, slot: Slot) -> bool {
        let id = self.graph.event(slot).id;
        id.index() < self.done[id.thread().index()]
    }

    fn current(&self, loc: LocId) -> Slot {
        *self.orders[loc.index()].last().expect("the initial write")
    }

    fn n_readers(&self, loc: LocId) -> usize {
        self.readers.get(&(loc, self.current(loc))).copied().unwrap_or(0)
    }

    /// Runs a thread as far as it can; returns whether it has moved.
    fn advance(&mut self, thread: usize, turn: Turn) -> bool {
        let before = self.n_done;
        while let Some(slot) = self.next(thread) {
            if !self.may_come(slot, turn) {
                break;
            }
            self.take(thread, slot);
            if turn == Turn::Any {
                break;
            }
        }
        self.n_done > before
    }

    fn may_come(&self, slot: Slot, turn: Turn) -> bool {
        let event = self.graph.event(slot);
        match event.label {
            Label::Begin | Label::Join { .. } => event.rf.is_init() || self.is_done(event.rf),
            // A read-modify-write is one step.
            Label::Read { .. } if event.exclusive && self.writes_next(slot) => {
                turn == Turn::Any
                    && self.current(event.loc) == event.rf
                    && self.n_readers(event.loc) == 1
                    && self.may_be_next(event.loc, self.write_of(slot))
            }
            Label::Read { .. } => self.current(event.loc) == event.rf,
            Label::Write { .. } => {
                turn == Turn::Any && self.n_readers(event.loc) == 0 && self.may_be_next(event.loc, slot)
            }
            _ => true,
        }
    }

    fn write_of(&self, read: Slot) -> Slot {
        let id = self.graph.event(read).id;
        self.graph.thread(id.thread())[id.index() + 1]
    }

    fn writes_next(&self, read: Slot) -> bool {
        let id = self.graph.event(read).id;
        self.graph.thread(id.thread()).len() > id.index() + 1
    }

    fn may_be_next(&self, loc: LocId, write: Slot) -> bool {
        let is_last = self.orders[loc.index()].len() + 1 == self.graph.location(loc).co.len();
        self.finals.get(&loc).is_none_or(|&last| (last == write) == is_last)
    }

    fn take(&mut self, thread: usize, slot: Slot) {
        let event = self.graph.event(slot);
        self.done[thread] += 1;
        self.n_done += 1;
        if event.is_read() {
            if let Some(n_left) = self.readers.get_mut(&(event.loc, event.rf)) {
                *n_left -= 1;
            }
            if event.exclusive && self.writes_next(slot) {
                let write = self.write_of(slot);
                self.take(thread, write);
            }
        } else if event.is_write() {
            self.orders[event.loc.index()].push(slot);
        }
    }

    /// Makes one thread write, preferably a write that a read waits for.
    fn write(&mut self) -> bool {
        let wanted: HashSet<Slot> = (0..self.graph.n_threads())
            .filter_map(|thread| Some(self.graph.event(self.next(thread)?)))
            .filter(|event| event.is_read())
            .map(|event| event.rf)
            .collect();
        let mut threads: Vec<usize> = (0..self.graph.n_threads()).collect();
        threads.sort_by_key(|&thread| {
            let slot = self.next(thread);
            let is_wanted = slot.is_some_and(|slot| wanted.contains(&slot));
            (!is_wanted, slot)
        });
        threads.into_iter().any(|thread| self.advance(thread, Turn::Any))
    }
}
