//! Reads-from consistency by saturation and search, for models that order memory globally: SC, TSO, PSO and
//! SRA [TruSt §4.2, RVF-SMC §4].
//!
//! Nodes are steps of the execution; `before` is a transitively closed order on them. The model enters the edges that
//! always hold. From `rf(r) = w` and the current order, more follows: a write before `r` is before `w`; what `w` is
//! before, `r` is before too; no write comes between a read-modify-write and its source. If this saturates without a
//! cycle and two writes of a location are still unordered, the search tries both orders, the canonical one first. The
//! result is a function of the given part of the graph only.

use crate::closure::write_of;
use crate::{Kept, Orders};
use atropos_event::bits::{BitMatrix, ones};
use atropos_event::{ThreadId, mark};
use atropos_graph::{Clock, Graph, LocId, Slot, clock};
use std::ops::Range;

/// A step: a number below the count that the model gave.
pub type StepId = u32;

/// The accesses of one location, by steps. Write 0 is the initial one, which has no step.
#[derive(Clone, Debug, Default)]
struct Accesses {
    loc: Option<LocId>,
    /// Per write: its slot and the step that puts it into memory.
    writes: Vec<(Slot, StepId)>,
    /// Per read: its step, and the write it reads from.
    reads: Vec<(StepId, u32)>,
    /// Read-modify-writes: source and write.
    pairs: Vec<(u32, u32)>,
}

/// Whether reads are steps of the global order (`fr` counts), or only `co` is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reads {
    Ordered,
    Free,
}

#[derive(Clone, Debug, Default)]
pub struct OrderSearch {
    n_nodes: usize,
    /// Row `a` holds the steps that `a` is before.
    before: BitMatrix,
    /// Row `a` holds the steps before `a`.
    after: BitMatrix,
    locations: Vec<Accesses>,
    n_locations: usize,
    /// The matrices before an order was tried.
    saved: Vec<u64>,
    /// What the model has entered: pairs of steps, and steps in an order that respects them.
    edges: Vec<(StepId, StepId)>,
    topological: Vec<StepId>,
    n_open: Vec<u32>,
}

/// Adds `from` and its row to row `to`.
fn inherit(matrix: &mut BitMatrix, to: usize, from: usize) {
    matrix.union(to, from);
    matrix.set(to, from);
}

impl OrderSearch {
    pub fn start(&mut self, n_nodes: usize) {
        self.n_nodes = n_nodes;
        self.before.reset(n_nodes, n_nodes);
        self.after.reset(n_nodes, n_nodes);
        self.n_locations = 0;
        self.saved.clear();
        self.edges.clear();
    }

    /// Enters that `first` is before `second`. Call [`OrderSearch::close`] when everything is entered.
    pub fn enter(&mut self, first: StepId, second: StepId) {
        self.edges.push((first, second));
    }

    /// Closes the entered pairs under transitivity; `false` if there is a cycle.
    pub fn close(&mut self) -> bool {
        self.edges.sort_unstable();
        self.edges.dedup();
        self.n_open.clear();
        self.n_open.resize(self.n_nodes, 0);
        for &(_, second) in &self.edges {
            self.n_open[second as usize] += 1;
        }
        self.topological.clear();
        self.topological.extend((0..self.n_nodes as StepId).filter(|&node| self.n_open[node as usize] == 0));
        let mut next = 0;
        while let Some(&node) = self.topological.get(next) {
            next += 1;
            for edge in self.edges_from(node) {
                let (_, second) = self.edges[edge];
                inherit(&mut self.after, second as usize, node as usize);
                self.n_open[second as usize] -= 1;
                if self.n_open[second as usize] == 0 {
                    self.topological.push(second);
                }
            }
        }
        for index in (0..self.topological.len()).rev() {
            let node = self.topological[index];
            for edge in self.edges_from(node) {
                inherit(&mut self.before, node as usize, self.edges[edge].1 as usize);
            }
        }
        self.topological.len() == self.n_nodes
    }

    fn edges_from(&self, node: StepId) -> Range<usize> {
        let start = self.edges.partition_point(|&(first, _)| first < node);
        start..start + self.edges[start..].partition_point(|&(first, _)| first == node)
    }

    /// Enters the kept accesses of every location, in the order of their addresses. `step` is the step of a
    /// read, or the one that puts a write into memory.
    pub fn enter_accesses(
        &mut self,
        graph: &Graph,
        keep: impl Fn(Slot) -> bool,
        step: impl Fn(Slot) -> StepId,
    ) {
        for &loc in graph.locations_by_address() {
            let location = graph.location(loc);
            if self.locations.len() == self.n_locations {
                self.locations.push(Accesses::default());
            }
            let accesses = &mut self.locations[self.n_locations];
            accesses.loc = Some(loc);
            accesses.writes.clear();
            accesses.reads.clear();
            accesses.pairs.clear();
            for &write in location.co.iter().filter(|&&write| keep(write)) {
                accesses.writes.push((write, if write.is_init() { StepId::MAX } else { step(write) }));
            }
            // The list follows the order of addition; the search must not depend on it.
            accesses.writes[1..].sort_unstable_by_key(|&(write, _)| graph.canonical_id(write));
            let number = |accesses: &Accesses, write: Slot| {
                let found = accesses.writes.iter().position(|&(other, _)| other == write);
                found.expect("the source of a kept read is kept") as u32
            };
            for &read in location.reads.iter().filter(|&&read| keep(read)) {
                let source = number(accesses, graph.event(read).rf);
                accesses.reads.push((step(read), source));
            }
            for write in 1..accesses.writes.len() {
                let slot = accesses.writes[write].0;
                if graph.event(slot).exclusive {
                    let read = graph.po_before(slot).expect("an exclusive write follows its read");
                    let source = number(accesses, graph.event(read).rf);
                    accesses.pairs.push((source, write as u32));
                }
            }
            if accesses.writes.len() > 1 {
                self.n_locations += 1;
            }
        }
    }

    fn is_before(&self, first: StepId, second: StepId) -> bool {
        self.before.has(first as usize, second as usize)
    }

    /// Orders `first` before `second`, and all that follows by transitivity; `false` if that makes a cycle.
    pub fn add(&mut self, first: StepId, second: StepId) -> bool {
        if first == second || self.is_before(second, first) {
            return false;
        }
        if self.is_before(first, second) {
            return true;
        }
        let (first, second) = (first as usize, second as usize);
        // Everything up to `first` is now before everything from `second` on.
        for source in ones(self.after.row(first)).chain([first]) {
            inherit(&mut self.before, source, second);
        }
        for target in ones(self.before.row(second)).chain([second]) {
            inherit(&mut self.after, target, first);
        }
        true
    }

    /// Orders write `first` of a location before write `second`.
    fn add_co(&mut self, location: usize, first: u32, second: u32) -> bool {
        let writes = &self.locations[location].writes;
        match (first, second) {
            (_, 0) => false,
            (0, _) => true,
            _ => {
                let (first, second) = (writes[first as usize].1, writes[second as usize].1);
                self.add(first, second)
            }
        }
    }

    fn is_co(&self, location: usize, first: u32, second: u32) -> bool {
        let writes = &self.locations[location].writes;
        match (first, second) {
            (_, 0) => false,
            (0, _) => true,
            _ => self.is_before(writes[first as usize].1, writes[second as usize].1),
        }
    }

    /// Orders a location's write, given by its slot, before another one; `false` if that is impossible.
    fn enter_co_of(&mut self, location: usize, first: Slot, second: Slot) -> bool {
        if first == second || first.is_init() {
            return true;
        }
        let writes = &self.locations[location].writes;
        let step = |write: Slot| writes.iter().find(|&&(other, _)| other == write).expect("a kept write").1;
        if !second.is_init() {
            self.edges.push((step(first), step(second)));
        }
        !second.is_init()
    }

    /// Enters `porf` between the kept events, when steps are events.
    pub fn enter_porf(&mut self, graph: &Graph, keep: impl Fn(Slot) -> bool) {
        for slot in (0..graph.len()).map(Slot::new).filter(|&slot| keep(slot)) {
            if let Some(before) = graph.po_before(slot) {
                self.enter(before.index() as StepId, slot.index() as StepId);
            }
            let source = graph.event(slot).rf;
            if !source.is_init() {
                self.enter(source.index() as StepId, slot.index() as StepId);
            }
        }
    }

    /// Enters what `irreflexive(hb ; eco)` demands of `co`: the source of an access comes before that of a later
    /// access.
    pub fn enter_coherence<'g>(
        &mut self,
        graph: &'g Graph,
        keep: impl Fn(Slot) -> bool,
        hb: impl Fn(Slot) -> &'g Clock,
    ) -> bool {
        let source = |slot: Slot| if graph.event(slot).is_read() { graph.event(slot).rf } else { slot };
        for location in 0..self.n_locations {
            let list = graph.location(self.locations[location].loc.expect("an entered location"));
            let accesses = || list.co.iter().skip(1).chain(&list.reads).copied().filter(|&slot| keep(slot));
            for later in accesses() {
                for earlier in accesses().filter(|&earlier| earlier != later) {
                    let is_before = clock::contains(hb(later), graph.event(earlier).id);
                    if is_before && !self.enter_co_of(location, source(earlier), source(later)) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// The same for `po` alone: each thread sees a location's writes in coherence order.
    pub fn enter_program_order_coherence(&mut self, graph: &Graph, keep: impl Fn(Slot) -> bool) -> bool {
        for location in 0..self.n_locations {
            let loc = self.locations[location].loc.expect("an entered location");
            for thread in 0..graph.n_threads() {
                let mut last_source = Slot::INIT;
                for &slot in graph.thread(ThreadId::new(thread)) {
                    let event = graph.event(slot);
                    if event.loc != loc || !keep(slot) {
                        continue;
                    }
                    let source = if event.is_read() { event.rf } else { slot };
                    if !self.enter_co_of(location, last_source, source) {
                        return false;
                    }
                    last_source = source;
                }
            }
        }
        true
    }

    /// Orders the writes of `accesses` after all other writes of their locations.
    pub fn add_last(&mut self, graph: &Graph, accesses: &[Slot]) -> bool {
        for &access in accesses {
            let (wanted, last) = (graph.event(access).loc, write_of(graph, access));
            let Some((location, _)) = self.locations().find(|&(_, loc)| loc == wanted) else { continue };
            let writes = &self.locations[location].writes;
            let n_writes = writes.len() as u32;
            let last = writes.iter().position(|&(write, _)| write == last).expect("a kept write") as u32;
            if !(0..n_writes).all(|write| write == last || self.add_co(location, write, last)) {
                return false;
            }
        }
        true
    }

    /// The locations entered, by their numbers here.
    pub fn locations(&self) -> impl Iterator<Item = (usize, LocId)> + '_ {
        self.locations[..self.n_locations]
            .iter()
            .enumerate()
            .map(|(number, accesses)| (number, accesses.loc.expect("an entered location")))
    }

    /// Applies the rules until nothing changes; `false` if they lead to a cycle.
    fn saturate(&mut self, reads: Reads) -> bool {
        loop {
            let mut changed = false;
            for location in 0..self.n_locations {
                if reads == Reads::Ordered {
                    for index in 0..self.locations[location].reads.len() {
                        match self.saturate_read(location, index) {
                            Some(read_changed) => changed |= read_changed,
                            None => return false,
                        }
                    }
                }
                for index in 0..self.locations[location].pairs.len() {
                    match self.saturate_pair(location, index) {
                        Some(pair_changed) => changed |= pair_changed,
                        None => return false,
                    }
                }
            }
            if !changed {
                return true;
            }
        }
    }

    /// A write before the read is before its source; what the source is before, the read is before.
    fn saturate_read(&mut self, location: usize, index: usize) -> Option<bool> {
        let (read, source) = self.locations[location].reads[index];
        let mut changed = false;
        for write in 1..self.locations[location].writes.len() as u32 {
            if write == source {
                continue;
            }
            let node = self.locations[location].writes[write as usize].1;
            if self.is_before(node, read) && !self.is_co(location, write, source) {
                changed = true;
                if !self.add_co(location, write, source) {
                    return None;
                }
            }
            // The write of the read's own read-modify-write may be the same step.
            if node != read && self.is_co(location, source, write) && !self.is_before(read, node) {
                changed = true;
                if !self.add(read, node) {
                    return None;
                }
            }
        }
        Some(changed)
    }

    /// No write comes between a read-modify-write and its source.
    fn saturate_pair(&mut self, location: usize, index: usize) -> Option<bool> {
        let (source, own) = self.locations[location].pairs[index];
        let mut changed = false;
        if !self.is_co(location, source, own) {
            changed = true;
            if !self.add_co(location, source, own) {
                return None;
            }
        }
        for write in 1..self.locations[location].writes.len() as u32 {
            if write == source || write == own {
                continue;
            }
            if self.is_co(location, write, own) && !self.is_co(location, write, source) {
                changed = true;
                if !self.add_co(location, write, source) {
                    return None;
                }
            }
            if self.is_co(location, source, write) && !self.is_co(location, own, write) {
                changed = true;
                if !self.add_co(location, own, write) {
                    return None;
                }
            }
        }
        Some(changed)
    }

    /// Whether there is a total order per location. On success `before` holds one.
    pub fn solve(&mut self, reads: Reads) -> bool {
        if !self.saturate(reads) {
            return false;
        }
        let Some((location, first, second)) = self.unordered() else { return true };
        let height = self.saved.len();
        self.saved.extend_from_slice(self.before.words());
        self.saved.extend_from_slice(self.after.words());
        if self.add_co(location, first, second) && self.solve(reads) {
            return true;
        }
        mark!("order search: the second order of a pair");
        let (before, after) = self.saved[height..].split_at(self.before.words().len());
        self.before.words_mut().copy_from_slice(before);
        self.after.words_mut().copy_from_slice(after);
        self.saved.truncate(height);
        self.add_co(location, second, first) && self.solve(reads)
    }

    /// The first pair of unordered writes.
    fn unordered(&self) -> Option<(usize, u32, u32)> {
        (0..self.n_locations).find_map(|location| {
            let n = self.locations[location].writes.len() as u32;
            (1..n).flat_map(|first| (first + 1..n).map(move |second| (first, second))).find_map(
                |(first, second)| {
                    let is_ordered =
                        self.is_co(location, first, second) || self.is_co(location, second, first);
                    (!is_ordered).then_some((location, first, second))
                },
            )
        })
    }

    /// After a successful [`OrderSearch::solve`]: the requested orders.
    pub fn write_orders(&self, graph: &Graph, kept: &Kept<'_>, orders: &mut Orders) {
        for index in 0..orders.locs.len() {
            orders.begin_next();
            let loc = orders.locs[index];
            let found = self.locations().find(|&(_, other)| other == loc);
            let Some((location, _)) = found else {
                let co = graph.location(loc).co.iter().copied();
                orders.writes.extend(co.filter(|&write| kept.contains(graph, write)));
                continue;
            };
            let n = self.locations[location].writes.len() as u32;
            let rank = |write: u32| (0..n).filter(|&other| self.is_co(location, other, write)).count();
            let start = orders.writes.len();
            orders.writes.resize(start + n as usize, Slot::INIT);
            for write in 0..n {
                orders.writes[start + rank(write)] = self.locations[location].writes[write as usize].0;
            }
        }
    }
}
