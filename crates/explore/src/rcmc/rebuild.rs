//! A revisit in place [RCMC Defs. 4.3, 4.5].
//!
//! The revisited reads lose everything that depends on them, which may be anywhere after the first of them. So the
//! events from there on are removed, those that stay are added again in their old order, and the reads, now without
//! successors, come last and read from the new write. Runs are rewound, never executed again: every event knows the
//! position of its thread. To undo this, the removed events are put back.

use super::explorer::RcmcWorker;
use super::variant::Variant;
use atropos_event::{EventId, Position, Run, ThreadId};
use atropos_graph::{Event, LocId, Outcome, Slot, clock};
use atropos_model::MemoryModel;

/// What a revisit has removed.
#[derive(Debug)]
pub(super) struct Removed {
    /// The start of the changed part of the graph, and the events that were there, without the new write.
    start: usize,
    tail: Vec<DetachedEvent>,
    /// The coherence orders of the locations they write.
    orders: Vec<(LocId, Vec<Option<EventId>>)>,
    positions: Vec<(ThreadId, Position)>,
    /// How many reads had ceased to be revisitable.
    n_fixed: usize,
}

/// An event that does not depend on slots.
#[derive(Clone, Copy, Debug)]
struct DetachedEvent {
    event: Event,
    source: Option<EventId>,
    is_revisitable: bool,
}

impl<'a, R: Run, V: Variant> RcmcWorker<'a, R, V> {
    /// Makes `reads` read from `write`, the last event, and removes what depends on them.
    pub(super) fn rebuild(&mut self, reads: &[EventId], write: EventId) -> Removed {
        let graph = &self.engine.graph;
        let first = reads.iter().map(|&read| graph.slot_of(read)).min().expect("a read to revisit");
        let lost = |event: &Event, slot| {
            reads.iter().any(|&read| read != event.id && clock::contains(graph.porf(slot), read))
        };
        let tail: Vec<(DetachedEvent, bool)> = (first.index()..graph.len())
            .map(Slot::new)
            .map(|slot| (self.lift(slot), lost(graph.event(slot), slot)))
            .collect();
        let orders = self.orders_of(&tail);
        let exists = |&&thread: &&ThreadId| graph.exists(thread);
        let positions: Vec<_> = self
            .engine
            .threads
            .iter()
            .filter(exists)
            .map(|&thread| (thread, self.engine.run.position(thread)))
            .collect();
        self.take_off(first.index());
        for &(lifted, is_lost) in &tail {
            let id = lifted.event.id;
            if is_lost {
                self.rewind_to_first(id, lifted.event.before, &tail);
            } else if !reads.contains(&id) {
                self.put_back(lifted, lifted.source, lifted.event.value);
            }
        }
        let value = self.engine.graph.event(self.engine.graph.slot_of(write)).value;
        for &(lifted, _) in tail.iter().filter(|(lifted, _)| reads.contains(&lifted.event.id)) {
            self.put_back(lifted, Some(write), value);
            self.engine.run.rewind(lifted.event.id.thread(), lifted.event.before);
        }
        self.restore_orders(&orders);
        let tail =
            tail.into_iter().map(|(lifted, _)| lifted).filter(|lifted| lifted.event.id != write).collect();
        let without =
            |order: Vec<Option<EventId>>| order.into_iter().filter(|&id| id != Some(write)).collect();
        let orders = orders.into_iter().map(|(loc, order)| (loc, without(order))).collect();
        Removed { start: first.index(), tail, orders, positions, n_fixed: self.fixed.len() }
    }

    /// Puts back what a revisit has removed.
    pub(super) fn put_all_back(&mut self, removed: Removed) {
        let Removed { start, tail, orders, positions, n_fixed } = removed;
        self.release(n_fixed);
        self.take_off(start);
        for lifted in tail {
            self.put_back(lifted, lifted.source, lifted.event.value);
        }
        self.restore_orders(&orders);
        for (thread, position) in positions {
            self.engine.run.rewind(thread, position);
        }
    }

    fn lift(&self, slot: Slot) -> DetachedEvent {
        let event = *self.engine.graph.event(slot);
        let source = (!event.rf.is_init()).then(|| self.engine.graph.event(event.rf).id);
        DetachedEvent { event, source, is_revisitable: self.revisitable[slot.index()] }
    }

    fn take_off(&mut self, start: usize) {
        while self.engine.graph.len() > start {
            self.engine.graph.pop();
        }
        self.revisitable.truncate(start);
    }

    fn put_back(&mut self, lifted: DetachedEvent, source: Option<EventId>, value: u64) {
        let Event { label, id, loc, before, .. } = lifted.event;
        let graph = &mut self.engine.host.graph;
        let rf = source.map_or(Slot::INIT, |source| graph.slot_of(source));
        let co = if label.is_write() { graph.location(loc).co.len() as u32 } else { 0 };
        let slot = graph.add(id.thread(), label, loc, Outcome { rf, co, value, before });
        self.engine.model.observe(graph, slot);
        self.revisitable.push(lifted.is_revisitable);
    }

    /// Rewinds a thread to its position before the first event it has lost.
    fn rewind_to_first(&mut self, lost: EventId, before: Position, tail: &[(DetachedEvent, bool)]) {
        let is_first = !tail.iter().any(|&(lifted, is_lost)| {
            let id = lifted.event.id;
            is_lost && id.thread() == lost.thread() && id.index() < lost.index()
        });
        if is_first {
            self.engine.run.rewind(lost.thread(), before);
        }
    }

    fn orders_of(&self, tail: &[(DetachedEvent, bool)]) -> Vec<(LocId, Vec<Option<EventId>>)> {
        let graph = &self.engine.graph;
        let mut locs: Vec<LocId> = tail
            .iter()
            .filter(|(lifted, _)| lifted.event.is_write())
            .map(|(lifted, _)| lifted.event.loc)
            .collect();
        locs.sort_unstable();
        locs.dedup();
        let id = |&write: &Slot| (!write.is_init()).then(|| graph.event(write).id);
        locs.into_iter().map(|loc| (loc, graph.location(loc).co.iter().map(id).collect())).collect()
    }

    /// Restores the old order of the present writes.
    fn restore_orders(&mut self, orders: &[(LocId, Vec<Option<EventId>>)]) {
        for (loc, order) in orders {
            let graph = &mut self.engine.host.graph;
            let is_there = |id: EventId| id.index() < graph.thread(id.thread()).len();
            let slot = |id: &Option<EventId>| match *id {
                None => Some(Slot::INIT),
                Some(id) => is_there(id).then(|| graph.slot_of(id)),
            };
            let order: Vec<Slot> = order.iter().filter_map(slot).collect();
            graph.set_co(*loc, &order);
        }
    }
}
