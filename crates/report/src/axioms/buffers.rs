//! Machines with store buffers: `ppo | sync | rfe | merged | co | fr` of `models/tso.cat` and `models/pso.cat`.
//!
//! Few edges generate the preserved program order of a thread: for each event, those from the last load, the last
//! full barrier, and the last store that it may not overtake.

use super::digraph::Digraph;
use super::{add_co, add_fr};
use atropos_event::{Label, Mapping, ThreadId};
use atropos_graph::barrier::{Barrier, barrier_of};
use atropos_graph::{Graph, LocId, Slot};
use std::collections::HashMap;

pub(crate) fn is_tso(graph: &Graph, mapping: Mapping) -> bool {
    let mut edges = between_threads(graph);
    for thread in 0..graph.n_threads() {
        let mut last = Last::default();
        for &slot in graph.thread(ThreadId::new(thread)) {
            let kind = BufferRole::of(graph, slot, mapping);
            last.order(&mut edges, slot, kind);
            if kind.is_store || kind.is_full {
                last.store.into_iter().for_each(|store| edges.add(store, slot.index()));
            }
            if kind.is_store {
                last.store = Some(slot.index());
            }
            last.note(slot, kind);
        }
    }
    edges.is_acyclic()
}

pub(crate) fn is_pso(graph: &Graph, mapping: Mapping) -> bool {
    let mut edges = between_threads(graph);
    for thread in 0..graph.n_threads() {
        let mut last = Last::default();
        let mut stores = Stores::default();
        for &slot in graph.thread(ThreadId::new(thread)) {
            let kind = BufferRole::of(graph, slot, mapping);
            last.order(&mut edges, slot, kind);
            stores.order(&mut edges, graph, slot, kind);
            last.note(slot, kind);
        }
    }
    edges.is_acyclic()
}

/// `sync | rfe | merged | co | fr`.
fn between_threads(graph: &Graph) -> Digraph {
    let mut edges = Digraph::new(graph.len());
    add_co(graph, &mut edges);
    add_fr(graph, &mut edges);
    for (index, event) in graph.events().iter().enumerate() {
        if event.rf.is_init() {
            continue;
        }
        let is_ordered = match event.label {
            Label::Begin | Label::Join { .. } => true,
            Label::Read { .. } => {
                let is_external = graph.event(event.rf).id.thread() != event.id.thread();
                is_external || (graph.is_merging(event.rf) && !graph.covers(event.rf, Slot::new(index)))
            }
            _ => false,
        };
        if is_ordered {
            edges.add(event.rf.index(), index);
        }
    }
    edges
}

/// The role of an event for a store buffer.
#[derive(Clone, Copy)]
struct BufferRole {
    /// A read that does not merge.
    is_load: bool,
    /// A write, or the read of a store to a part of its location.
    is_store: bool,
    /// Waits until the buffers are empty.
    is_full: bool,
    /// Keeps stores in order.
    is_store_barrier: bool,
    is_merging_write: bool,
    is_fence: bool,
}

impl BufferRole {
    fn of(graph: &Graph, slot: Slot, mapping: Mapping) -> BufferRole {
        let event = graph.event(slot);
        let is_merging = graph.is_merging(slot);
        let barrier = barrier_of(graph, slot, mapping);
        let is_store = event.is_write() || is_merging;
        BufferRole {
            is_load: event.is_read() && !is_store,
            is_store,
            is_full: barrier == Some(Barrier::Full),
            is_store_barrier: barrier == Some(Barrier::Stores),
            is_merging_write: event.is_write() && is_merging,
            is_fence: matches!(event.label, Label::Fence { .. }),
        }
    }
}

/// The last events of a thread that later ones may not overtake.
#[derive(Clone, Copy, Default)]
struct Last {
    load: Option<usize>,
    barrier: Option<usize>,
    store: Option<usize>,
}

impl Last {
    /// The rules of all models: nothing overtakes a load or a barrier, and a barrier overtakes nothing.
    fn order(&self, edges: &mut Digraph, slot: Slot, kind: BufferRole) {
        self.barrier.into_iter().for_each(|barrier| edges.add(barrier, slot.index()));
        if kind.is_load || kind.is_store || kind.is_full {
            self.load.into_iter().for_each(|load| edges.add(load, slot.index()));
        }
    }

    fn note(&mut self, slot: Slot, kind: BufferRole) {
        if kind.is_load {
            self.load = Some(slot.index());
        }
        if kind.is_full {
            self.barrier = Some(slot.index());
        }
    }
}

/// The stores of a thread, if stores to different locations may overtake each other.
#[derive(Default)]
struct Stores {
    of_location: HashMap<LocId, usize>,
    /// A node after all stores so far.
    all: Option<usize>,
    /// A node after all stores that no later store overtakes.
    floor: Option<usize>,
}

impl Stores {
    fn order(&mut self, edges: &mut Digraph, graph: &Graph, slot: Slot, kind: BufferRole) {
        if kind.is_fence && kind.is_store_barrier {
            self.floor = self.all;
        }
        if kind.is_full || (kind.is_store && kind.is_store_barrier) {
            self.all.into_iter().for_each(|all| edges.add(all, slot.index()));
        }
        if !kind.is_store {
            return;
        }
        self.floor.into_iter().for_each(|floor| edges.add(floor, slot.index()));
        if let Some(before) = self.of_location.insert(graph.event(slot).loc, slot.index()) {
            edges.add(before, slot.index());
        }
        let all = edges.node();
        self.all.into_iter().for_each(|before| edges.add(before, all));
        edges.add(slot.index(), all);
        self.all = Some(all);
        if kind.is_merging_write {
            self.floor = Some(all);
        }
    }
}
