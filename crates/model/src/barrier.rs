//! Which events are barriers to store buffers: the table of [`Mapping`].

use atropos_event::{FenceOrder, Label, Mapping, Rmw, WriteOrder};
use atropos_graph::Event;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Barrier {
    /// Waits until the thread's buffers are empty.
    Full,
    /// Keeps earlier stores before later ones; a store that is one, before itself.
    Stores,
}

pub fn barrier_of(event: &Event, mapping: Mapping) -> Option<Barrier> {
    let is_compiled = mapping == Mapping::Compiled;
    match event.label {
        Label::Begin | Label::End | Label::Spawn { .. } | Label::Join { .. } => Some(Barrier::Full),
        Label::Read { rmw, .. } => (rmw != Rmw::None).then_some(Barrier::Full),
        Label::Write { exclusive: true, .. } => Some(Barrier::Full),
        Label::Fence { .. } if !is_compiled => Some(Barrier::Full),
        Label::Fence { order: FenceOrder::SeqCst } => Some(Barrier::Full),
        Label::Fence { order } => order.is_release().then_some(Barrier::Stores),
        Label::Write { order: WriteOrder::SeqCst, .. } if is_compiled => Some(Barrier::Full),
        Label::Write { order: WriteOrder::Release, .. } if is_compiled => Some(Barrier::Stores),
        Label::Write { .. } | Label::Alloc { .. } | Label::Free { .. } => None,
    }
}
