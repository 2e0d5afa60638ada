//! TSO and PSO [Nidhugg §2]: one store buffer per thread, or one per thread and location.
//!
//! ```text
//! acyclic po-loc | rf | co | fr as coherence
//! empty rmw & (fr ; co) as atomicity
//! acyclic ppo | sync | rfe | co | fr as tso (pso)
//! ```
//!
//! where `ppo` is `po` without plain write-to-read pairs (PSO: and without write-to-write pairs to
//! different locations), and barriers are ordered with everything.
//!
//! A store to a part of a cell merges with the rest of it when it goes to memory: there is one more step, by which its
//! reading half is performed. A load of the thread is served from the buffer if the store has written all bytes of the
//! load, and otherwise waits until the store is in memory. Under PSO, a merging store keeps earlier stores and itself
//! before later ones; otherwise, what it merges with could depend on it.
//!
//! The last axiom is decided on *steps*: every event is issued, and a plain write is later committed to
//! memory. Issues of a thread follow program order; a write is committed after its issue and, under TSO,
//! after the thread's earlier writes; a full barrier is issued after all earlier commits. With
//! commit-to-issue edges for `rfe` and commits related by `co`, `ppo` becomes a graph of linear size.
//!
//! Coherence is decided by the windows of [`crate::coherence`]: under TSO with `porf`, which is sound
//! because a FIFO buffer commits in program order; under PSO, and where stores merge, with `po | sync` only (what a
//! merging store reads, the thread does not know yet).

use crate::closure::co_next;
use crate::coherence::{must_be_last, settled};
use crate::greedy::{Buffers, GreedyRun};
use crate::order_search::{OrderSearch, Reads, StepId};
use crate::{Counting, Kept, MemoryModel, Orders, ReadsFrom, forced};
use atropos_event::bits::BitSet;
use atropos_event::{Label, Mapping};
use atropos_graph::barrier::{Barrier, barrier_of};
use atropos_graph::{Clock, ClockKind, Event, Graph, Slot};

/// Total store order: one FIFO buffer per thread.
pub type Tso = StoreBuffers<false>;

/// Partial store order: one FIFO buffer per thread and location.
pub type Pso = StoreBuffers<true>;

#[derive(Clone, Debug, Default)]
pub struct StoreBuffers<const PER_LOCATION: bool> {
    mapping: Mapping,
    search: PathSearch,
    order: OrderSearch,
    greedy: GreedyRun,
}

/// Scratch space of a backward search over steps.
#[derive(Clone, Debug, Default)]
struct PathSearch {
    seen: BitSet,
    open: Vec<BufferStep>,
}

/// The issue of an event, or the commit of a write or of the reading half of a merging store. A full barrier is issued
/// and committed at once: its only step is its issue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BufferStep {
    Issue(Slot),
    Commit(Slot),
}

/// Whether `co` is that of the graph, or still to be found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CoTracking {
    Ordered,
    Unordered,
}

impl PathSearch {
    fn start(&mut self, n_events: usize) {
        self.open.clear();
        self.seen.reset(2 * n_events);
    }

    fn push(&mut self, step: BufferStep) {
        let number = match step {
            BufferStep::Issue(slot) => 2 * slot.index(),
            BufferStep::Commit(slot) => 2 * slot.index() + 1,
        };
        if self.seen.insert(number) {
            self.open.push(step);
        }
    }
}

impl<const PER_LOCATION: bool> StoreBuffers<PER_LOCATION> {
    const BUFFERS: Buffers = if PER_LOCATION { Buffers::PerLocation } else { Buffers::PerThread };

    pub fn new(mapping: Mapping) -> Self {
        StoreBuffers { mapping, ..StoreBuffers::default() }
    }

    fn is_barrier(&self, graph: &Graph, slot: Slot) -> bool {
        barrier_of(graph, slot, self.mapping) == Some(Barrier::Full)
    }

    fn is_committed(&self, graph: &Graph, slot: Slot) -> bool {
        let label = &graph.event(slot).label;
        (label.is_write() || label.is_merge()) && !self.is_barrier(graph, slot)
    }

    /// The step by which an access is performed: for a write, the one that makes it visible.
    fn step_of(&self, graph: &Graph, access: Slot) -> BufferStep {
        if self.is_committed(graph, access) { BufferStep::Commit(access) } else { BufferStep::Issue(access) }
    }

    /// Whether there is a path from `target` to `from`.
    fn reaches(&mut self, graph: &Graph, target: BufferStep, from: BufferStep) -> bool {
        self.search.start(graph.len());
        self.search.push(from);
        while let Some(step) = self.search.open.pop() {
            if step == target {
                return true;
            }
            match step {
                BufferStep::Issue(slot) => self.before_issue(graph, slot, CoTracking::Ordered),
                BufferStep::Commit(write) => self.before_commit(graph, write, CoTracking::Ordered),
            }
        }
        false
    }

    fn before_issue(&mut self, graph: &Graph, slot: Slot, memory: CoTracking) {
        let event = graph.event(slot);
        if let Some(before) = graph.po_before(slot) {
            self.search.push(BufferStep::Issue(before));
        }
        let is_barrier = self.is_barrier(graph, slot);
        if is_barrier {
            self.earlier_commits(graph, event);
        }
        match event.label {
            Label::Begin | Label::Join { .. } => self.search.push(BufferStep::Issue(event.rf)),
            Label::Read { .. } if !event.rf.is_init() && !self.is_committed(graph, slot) => {
                let is_external = graph.event(event.rf).id.thread() != event.id.thread();
                if is_external || !graph.covers(event.rf, slot) {
                    let commit = self.step_of(graph, event.rf);
                    self.search.push(commit);
                }
            }
            Label::Write { .. } if is_barrier && memory == CoTracking::Ordered => {
                self.before_in_memory(graph, event)
            }
            _ => {}
        }
    }

    fn before_commit(&mut self, graph: &Graph, write: Slot, memory: CoTracking) {
        let event = graph.event(write);
        self.search.push(BufferStep::Issue(write));
        if event.is_read() && !event.rf.is_init() {
            let commit = self.step_of(graph, event.rf);
            self.search.push(commit);
        }
        if event.is_write() && memory == CoTracking::Ordered {
            self.before_in_memory(graph, event);
        }
        let thread = graph.thread(event.id.thread());
        if !PER_LOCATION {
            let earlier = thread[..event.id.index()].iter().rev();
            if let Some(&last) = earlier.clone().find(|&&slot| graph.event(slot).is_write()) {
                let commit = self.step_of(graph, last);
                self.search.push(commit);
            }
            return;
        }
        // A store barrier at or before the write makes it wait for what is before the barrier.
        let is_earlier_merge =
            |slot: Slot| slot != write && graph.event(slot).is_write() && graph.is_merging(slot);
        let is_store_barrier = |slot: Slot| {
            let is_access = graph.event(slot).label.access().is_some();
            barrier_of(graph, slot, self.mapping) == Some(Barrier::Stores) && (!is_access || slot == write)
        };
        // A full barrier has waited for everything before it.
        let is_full = |slot: Slot| self.is_barrier(graph, slot);
        let earlier = thread[..=event.id.index()].iter().copied().rev();
        let mut recent = earlier.take_while(|&slot| !is_full(slot));
        let Some(last) = recent.find(|&slot| is_earlier_merge(slot) || is_store_barrier(slot)) else {
            return;
        };
        if is_earlier_merge(last) {
            let step = self.step_of(graph, last);
            self.search.push(step);
        }
        self.earlier_commits(graph, graph.event(last));
    }

    /// The commits of all writes before `event` in its thread.
    fn earlier_commits(&mut self, graph: &Graph, event: &Event) {
        for &slot in graph.thread(event.id.thread())[..event.id.index()].iter().rev() {
            let earlier = graph.event(slot);
            if self.is_barrier(graph, slot) {
                // It has waited for everything before it.
                return;
            }
            if earlier.is_write() {
                self.search.push(BufferStep::Commit(slot));
                if !PER_LOCATION {
                    return;
                }
            }
        }
    }

    /// `co` and `fr` into a write.
    fn before_in_memory(&mut self, graph: &Graph, write: &Event) {
        let location = graph.location(write.loc);
        let before = location.co[write.co as usize - 1];
        if !before.is_init() {
            let commit = self.step_of(graph, before);
            self.search.push(commit);
        }
        for &read in &location.reads {
            if graph.event(read).rf == before {
                let step = self.step_of(graph, read);
                self.search.push(step);
            }
        }
    }
}

impl<const PER_LOCATION: bool> MemoryModel for StoreBuffers<PER_LOCATION> {
    const HAS_VIEWS: bool = PER_LOCATION;
    const COUNTING: Counting = Counting::Always;
    const CO_FOLLOWS_PORF: bool = true;

    /// `hb` is `po | sync`, where it is not `porf`.
    fn observe(&mut self, graph: &mut Graph, slot: Slot) {
        let event = *graph.event(slot);
        if graph.has_views() && matches!(event.label, Label::Begin | Label::Join { .. }) {
            graph.join_clock(ClockKind::Hb, slot, ClockKind::Hb, event.rf);
        }
    }

    fn hb<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock {
        if graph.has_views() { graph.hb(slot) } else { graph.porf(slot) }
    }

    /// The events that reads-from shows to be over, as on the other machines. Under PSO, `hb` is for coherence only and
    /// does not contain them. This misses that PSO may delay a store even longer.
    fn past<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock {
        graph.porf(slot)
    }

    fn accepts(&mut self, graph: &Graph, added: Slot) -> bool {
        let Some(next) = co_next(graph, added) else { return true };
        let target = self.step_of(graph, next);
        let from = self.step_of(graph, added);
        !self.reaches(graph, target, from)
    }
}

impl<const PER_LOCATION: bool> ReadsFrom for StoreBuffers<PER_LOCATION> {
    fn realisable(&mut self, graph: &Graph, added: Slot) -> bool {
        settled(graph, added, |slot| self.hb(graph, slot))
            .or_else(|| forced::realisable(self, graph, added))
            .unwrap_or_else(|| {
                self.greedy.find(graph, None, Self::BUFFERS, self.mapping)
                    || (self.enter(graph, |_| true) && self.order.solve(Reads::Ordered))
            })
    }

    fn may_be_final(&mut self, graph: &Graph, accesses: &[Slot]) -> bool {
        must_be_last(graph, accesses, |slot| self.hb(graph, slot))
            || (self.greedy.find(graph, None, Self::BUFFERS, self.mapping)
                && self.greedy.ends_with(graph, accesses))
            || (self.enter(graph, |_| true)
                && self.order.add_last(graph, accesses)
                && self.order.solve(Reads::Ordered))
    }

    fn coherence(&mut self, graph: &Graph, kept: &Kept<'_>, orders: &mut Orders) {
        if self.greedy.find(graph, Some(kept), Self::BUFFERS, self.mapping) {
            self.greedy.write_orders(graph, orders);
            return;
        }
        let found = self.enter(graph, |slot| kept.contains(graph, slot)) && self.order.solve(Reads::Ordered);
        assert!(found, "a part of a consistent graph is consistent");
        self.order.write_orders(graph, kept, orders);
    }
}

impl<const PER_LOCATION: bool> StoreBuffers<PER_LOCATION> {
    fn number(&self, step: BufferStep) -> StepId {
        match step {
            BufferStep::Issue(slot) => 2 * slot.index() as StepId,
            BufferStep::Commit(slot) => 2 * slot.index() as StepId + 1,
        }
    }

    /// Enters the steps of the kept events with all edges but `co` and `fr`, and what coherence demands.
    fn enter(&mut self, graph: &Graph, keep: impl Fn(Slot) -> bool) -> bool {
        let mut order = std::mem::take(&mut self.order);
        order.start(2 * graph.len());
        order.enter_accesses(graph, &keep, |slot| self.number(self.step_of(graph, slot)));
        for slot in (0..graph.len()).map(Slot::new).filter(|&slot| keep(slot)) {
            self.search.start(graph.len());
            self.before_issue(graph, slot, CoTracking::Unordered);
            self.drain(&mut order, BufferStep::Issue(slot));
            if self.is_committed(graph, slot) {
                self.search.start(graph.len());
                self.before_commit(graph, slot, CoTracking::Unordered);
                self.drain(&mut order, BufferStep::Commit(slot));
            }
        }
        let is_possible = order.enter_program_order_coherence(graph, keep) && order.close();
        self.order = order;
        is_possible
    }

    /// Orders the predecessors just found before `step`.
    fn drain(&mut self, order: &mut OrderSearch, step: BufferStep) {
        while let Some(before) = self.search.open.pop() {
            order.enter(self.number(before), self.number(step));
        }
    }
}
