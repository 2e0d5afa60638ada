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
//! The last axiom is decided on *steps*: every event is issued, and a plain write is later committed to
//! memory. Issues of a thread follow program order; a write is committed after its issue and, under TSO,
//! after the thread's earlier writes; a full barrier is issued after all earlier commits. With
//! commit-to-issue edges for `rfe` and commits related by `co`, `ppo` becomes a graph of linear size.
//!
//! Coherence is decided by the windows of [`crate::coherence`]: under TSO with `porf`, which is sound
//! because a FIFO buffer commits in program order; under PSO with `po | sync` only (message passing is
//! not causal there).

use crate::barrier::{Barrier, barrier_of};
use crate::closure::co_next;
use crate::coherence::settled;
use crate::greedy::{Buffers, GreedyRun};
use crate::order_search::{Node, OrderSearch, Reads};
use crate::{Kept, MemoryModel, Orders, ReadsFrom, forced};
use atropos_event::{Label, Mapping};
use atropos_graph::{Clock, Event, Graph, Kind, Slot};

/// Total store order: one FIFO buffer per thread.
pub type Tso = StoreBuffers<false>;

/// Partial store order: one FIFO buffer per thread and location.
pub type Pso = StoreBuffers<true>;

#[derive(Clone, Debug, Default)]
pub struct StoreBuffers<const PER_LOCATION: bool> {
    mapping: Mapping,
    search: Search,
    order: OrderSearch,
    greedy: GreedyRun,
}

/// Scratch space of a backward search over steps.
#[derive(Clone, Debug, Default)]
struct Search {
    seen: Vec<u64>,
    open: Vec<Step>,
}

/// The issue of an event, or the commit of a write. A full-barrier write is issued and committed at once:
/// its only step is its issue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Issue(Slot),
    Commit(Slot),
}

/// Whether the graph's `co` is meant, or still to be found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Memory {
    Ordered,
    Unordered,
}

impl Search {
    fn start(&mut self, n_events: usize) {
        self.open.clear();
        self.seen.clear();
        self.seen.resize((2 * n_events).div_ceil(64), 0);
    }

    fn push(&mut self, step: Step) {
        let number = match step {
            Step::Issue(slot) => 2 * slot.index(),
            Step::Commit(slot) => 2 * slot.index() + 1,
        };
        let (word, bit) = (number / 64, 1 << (number % 64));
        if self.seen[word] & bit == 0 {
            self.seen[word] |= bit;
            self.open.push(step);
        }
    }
}

impl<const PER_LOCATION: bool> StoreBuffers<PER_LOCATION> {
    const BUFFERS: Buffers = if PER_LOCATION { Buffers::PerLocation } else { Buffers::PerThread };

    pub fn new(mapping: Mapping) -> Self {
        StoreBuffers { mapping, ..StoreBuffers::default() }
    }

    fn is_barrier(&self, event: &Event) -> bool {
        barrier_of(event, self.mapping) == Some(Barrier::Full)
    }

    /// The step that makes a write visible.
    fn commit(&self, graph: &Graph, write: Slot) -> Step {
        if self.is_barrier(graph.event(write)) { Step::Issue(write) } else { Step::Commit(write) }
    }

    /// Is there a path from `target` to `from`?
    fn reaches(&mut self, graph: &Graph, target: Step, from: Step) -> bool {
        self.search.start(graph.len());
        self.search.push(from);
        while let Some(step) = self.search.open.pop() {
            if step == target {
                return true;
            }
            match step {
                Step::Issue(slot) => self.before_issue(graph, slot, Memory::Ordered),
                Step::Commit(write) => self.before_commit(graph, write, Memory::Ordered),
            }
        }
        false
    }

    fn before_issue(&mut self, graph: &Graph, slot: Slot, memory: Memory) {
        let event = graph.event(slot);
        if let Some(before) = graph.po_before(slot) {
            self.search.push(Step::Issue(before));
        }
        let is_barrier = self.is_barrier(event);
        if is_barrier {
            self.earlier_commits(graph, event);
        }
        match event.label {
            Label::Begin | Label::Join { .. } => self.search.push(Step::Issue(event.rf)),
            Label::Read { .. } => {
                let is_external = |source: Slot| graph.event(source).id.thread() != event.id.thread();
                if !event.rf.is_init() && is_external(event.rf) {
                    let commit = self.commit(graph, event.rf);
                    self.search.push(commit);
                }
            }
            Label::Write { .. } if is_barrier && memory == Memory::Ordered => {
                self.before_in_memory(graph, event)
            }
            _ => {}
        }
    }

    fn before_commit(&mut self, graph: &Graph, write: Slot, memory: Memory) {
        let event = graph.event(write);
        self.search.push(Step::Issue(write));
        if memory == Memory::Ordered {
            self.before_in_memory(graph, event);
        }
        let thread = graph.thread(event.id.thread());
        if !PER_LOCATION {
            let earlier = thread[..event.id.index()].iter().rev();
            if let Some(&last) = earlier.clone().find(|&&slot| graph.event(slot).is_write()) {
                let commit = self.commit(graph, last);
                self.search.push(commit);
            }
            return;
        }
        // A store barrier at or before the write lets it wait for what is before the barrier.
        let is_store_barrier = |slot: Slot| {
            let other = graph.event(slot);
            barrier_of(other, self.mapping) == Some(Barrier::Stores) && (!other.is_write() || slot == write)
        };
        let last = thread[..=event.id.index()].iter().rposition(|&slot| is_store_barrier(slot));
        if let Some(index) = last {
            self.earlier_commits(graph, graph.event(thread[index]));
        }
    }

    /// The commits of all writes before `event` in its thread.
    fn earlier_commits(&mut self, graph: &Graph, event: &Event) {
        for &slot in graph.thread(event.id.thread())[..event.id.index()].iter().rev() {
            let earlier = graph.event(slot);
            if self.is_barrier(earlier) {
                // It has waited for everything before it.
                return;
            }
            if earlier.is_write() {
                self.search.push(Step::Commit(slot));
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
            let commit = self.commit(graph, before);
            self.search.push(commit);
        }
        for &read in &location.reads {
            if graph.event(read).rf == before {
                self.search.push(Step::Issue(read));
            }
        }
    }
}

impl<const PER_LOCATION: bool> MemoryModel for StoreBuffers<PER_LOCATION> {
    const HAS_VIEWS: bool = PER_LOCATION;

    /// PSO: `hb` is `po | sync`.
    fn observe(&mut self, graph: &mut Graph, slot: Slot) {
        let event = *graph.event(slot);
        if PER_LOCATION && matches!(event.label, Label::Begin | Label::Join { .. }) {
            graph.join_clock(Kind::Hb, slot, Kind::Hb, event.rf);
        }
    }

    fn hb<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock {
        if PER_LOCATION { graph.hb(slot) } else { graph.porf(slot) }
    }

    /// What reads-from tells is over, as on the other machines; `hb` knows nothing of it under PSO, where it serves
    /// coherence only. That a PSO machine may hold a store back for longer is not seen.
    fn past<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock {
        graph.porf(slot)
    }

    fn accepts(&mut self, graph: &Graph, added: Slot) -> bool {
        let Some(next) = co_next(graph, added) else { return true };
        let target = self.commit(graph, next);
        let from = if graph.event(added).is_read() { Step::Issue(added) } else { self.commit(graph, added) };
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
        self.enter(graph, |_| true)
            && self.order.add_last(graph, accesses)
            && self.order.solve(Reads::Ordered)
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
    fn number(&self, step: Step) -> Node {
        match step {
            Step::Issue(slot) => 2 * slot.index() as Node,
            Step::Commit(slot) => 2 * slot.index() as Node + 1,
        }
    }

    /// Enters the steps of the kept events with all edges but `co` and `fr`, and what coherence demands.
    fn enter(&mut self, graph: &Graph, keep: impl Fn(Slot) -> bool) -> bool {
        let mut order = std::mem::take(&mut self.order);
        order.start(2 * graph.len());
        order.enter_accesses(graph, &keep, |slot| {
            let is_read = graph.event(slot).is_read();
            self.number(if is_read { Step::Issue(slot) } else { self.commit(graph, slot) })
        });
        for slot in (0..graph.len()).map(Slot::new).filter(|&slot| keep(slot)) {
            self.search.start(graph.len());
            self.before_issue(graph, slot, Memory::Unordered);
            self.drain(&mut order, Step::Issue(slot));
            if graph.event(slot).is_write() && !self.is_barrier(graph.event(slot)) {
                self.search.start(graph.len());
                self.before_commit(graph, slot, Memory::Unordered);
                self.drain(&mut order, Step::Commit(slot));
            }
        }
        let is_possible = order.enter_program_order_coherence(graph, keep) && order.close();
        self.order = order;
        is_possible
    }

    /// Orders the predecessors just found before `step`.
    fn drain(&mut self, order: &mut OrderSearch, step: Step) {
        while let Some(before) = self.search.open.pop() {
            order.enter(self.number(before), self.number(step));
        }
    }
}
