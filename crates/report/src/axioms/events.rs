//! The memory order of an event, as far as models need it.

use atropos_event::{FenceOrder, Label, ReadOrder, Rmw, WriteOrder};
use atropos_graph::Event;

/// The properties of C11's orders that models need.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Order {
    /// At least relaxed: atomic.
    pub is_atomic: bool,
    pub is_acquire: bool,
    pub is_release: bool,
    pub is_seq_cst: bool,
}

impl Order {
    const RELAXED: Order = Order { is_atomic: true, is_acquire: false, is_release: false, is_seq_cst: false };

    /// The order of an event in this execution: a failed compare-and-swap has its failure order.
    pub fn of(event: &Event) -> Order {
        match event.label {
            Label::Read { rmw: Rmw::Cas { failure_order, .. }, .. } if !event.exclusive => {
                Order::of_read(failure_order)
            }
            Label::Read { order, .. } => Order::of_read(order),
            Label::Write { order, .. } => Order {
                is_atomic: order != WriteOrder::NotAtomic,
                is_release: matches!(order, WriteOrder::Release | WriteOrder::SeqCst),
                is_seq_cst: order == WriteOrder::SeqCst,
                is_acquire: order == WriteOrder::SeqCst,
            },
            Label::Fence { order } => Order {
                is_acquire: order != FenceOrder::Release,
                is_release: order != FenceOrder::Acquire,
                is_seq_cst: order == FenceOrder::SeqCst,
                ..Order::RELAXED
            },
            Label::Begin
            | Label::End
            | Label::Spawn { .. }
            | Label::Join { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => Order::default(),
        }
    }

    fn of_read(order: ReadOrder) -> Order {
        Order {
            is_atomic: order != ReadOrder::NotAtomic,
            is_acquire: matches!(order, ReadOrder::Acquire | ReadOrder::SeqCst),
            is_release: order == ReadOrder::SeqCst,
            is_seq_cst: order == ReadOrder::SeqCst,
        }
    }
}
