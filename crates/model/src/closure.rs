//! Reachability against the edges of `po ∪ rf ∪ sync ∪ co (∪ fr)`, as a clock.
//!
//! The set of events from which a given event can be reached is closed under `po`, so a clock describes it, and the
//! `porf` clocks already contain `rf` and thread edges. What remains are `co` and `fr`, from each write in the set to
//! its `co`-predecessor and the readers of that predecessor. Every event is visited once; nothing is allocated once
//! the scratch clocks have grown.

use atropos_graph::{Graph, Slot, clock};

/// Which edges beside `porf` are followed backwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edges {
    Co,
    CoAndFr,
}

#[derive(Clone, Debug, Default)]
pub struct Closure {
    goal: Vec<u32>,
    done: Vec<u32>,
}

impl Closure {
    /// Whether there is a path from `target` to `from`.
    pub fn reaches(&mut self, graph: &Graph, target: Slot, from: Slot, edges: Edges) -> bool {
        let target = graph.event(target).id;
        self.goal.clear();
        self.goal.extend_from_slice(graph.porf(from));
        self.done.clear();
        self.done.resize(graph.width(), 0);
        loop {
            if clock::contains(&self.goal, target) {
                return true;
            }
            let Some(thread) = (0..self.goal.len()).find(|&thread| self.done[thread] < self.goal[thread])
            else {
                return false;
            };
            let slots = graph.thread(atropos_event::ThreadId::new(thread));
            while self.done[thread] < self.goal[thread] {
                let slot = slots[self.done[thread] as usize];
                self.done[thread] += 1;
                if graph.event(slot).is_write() {
                    self.follow_coherence(graph, slot, edges);
                }
            }
        }
    }

    fn follow_coherence(&mut self, graph: &Graph, write: Slot, edges: Edges) {
        let event = graph.event(write);
        let location = graph.location(event.loc);
        let before = location.co[event.co as usize - 1];
        if !before.is_init() {
            self.include(graph, before);
        }
        if edges == Edges::CoAndFr {
            for &read in &location.reads {
                if graph.event(read).rf == before {
                    self.include(graph, read);
                }
            }
        }
    }

    fn include(&mut self, graph: &Graph, slot: Slot) {
        if !clock::contains(&self.goal, graph.event(slot).id) {
            clock::join(&mut self.goal, graph.porf(slot));
        }
    }
}

/// The write of an access: itself, or the source of a read.
pub fn write_of(graph: &Graph, access: Slot) -> Slot {
    let event = graph.event(access);
    if event.is_read() { event.rf } else { access }
}

/// The next write in coherence order: for a write the one after it, for a read the one after its source. The event is
/// maximal if there is none.
pub fn co_next(graph: &Graph, slot: Slot) -> Option<Slot> {
    let event = graph.event(slot);
    let position = if event.is_read() { graph.co_position(event.rf) } else { event.co as usize };
    if !event.is_read() && !event.is_write() {
        return None;
    }
    graph.location(event.loc).co.get(position + 1).copied()
}
