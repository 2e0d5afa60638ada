//! Which events are barriers for store buffers: the table of [`Mapping`].

use crate::event::Slot;
use crate::graph::Graph;
use atropos_event::{FenceOrder, Label, Mapping, Rmw, WriteOrder};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Barrier {
    /// Waits until the thread's buffers are empty.
    Full,
    /// Keeps earlier stores before later ones; a store that is one also keeps them before itself.
    Stores,
}

/// The barrier of an event. Both halves of a store to a part of a cell count as the store.
pub fn barrier_of(graph: &Graph, slot: Slot, mapping: Mapping) -> Option<Barrier> {
    match graph.event(slot).label {
        Label::Write { order, .. } if graph.is_merging(slot) => barrier_of_store(order, mapping),
        label => barrier_of_label(label, mapping),
    }
}

/// The same for a label other than the second half of such a store.
pub fn barrier_of_label(label: Label, mapping: Mapping) -> Option<Barrier> {
    let is_compiled = mapping == Mapping::Compiled;
    match label {
        Label::Begin | Label::End | Label::Spawn { drains: true, .. } | Label::Join { .. } => {
            Some(Barrier::Full)
        }
        Label::Read { rmw: Rmw::Merge { write_order, .. }, .. } => barrier_of_store(write_order, mapping),
        Label::Read { rmw, .. } => (rmw != Rmw::None).then_some(Barrier::Full),
        Label::Write { exclusive: true, .. } => Some(Barrier::Full),
        Label::Fence { .. } if !is_compiled => Some(Barrier::Full),
        Label::Fence { order: FenceOrder::SeqCst } => Some(Barrier::Full),
        Label::Fence { order } => order.is_release().then_some(Barrier::Stores),
        Label::Write { order, .. } => barrier_of_store(order, mapping),
        Label::Alloc { .. } | Label::Free { .. } | Label::Spawn { drains: false, .. } => None,
    }
}

fn barrier_of_store(order: WriteOrder, mapping: Mapping) -> Option<Barrier> {
    match (mapping, order) {
        (Mapping::Compiled, WriteOrder::SeqCst) => Some(Barrier::Full),
        (Mapping::Compiled, WriteOrder::Release) => Some(Barrier::Stores),
        _ => None,
    }
}
