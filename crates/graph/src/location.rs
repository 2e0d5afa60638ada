//! Shared locations: the accesses to the same bytes, with their coherence order.

use crate::event::Slot;
use crate::sections::Sharer;
use atropos_event::{Access, EventId, Initial, ThreadId, Value};

/// A location, numbered in the order of first use. Numbers stay when events are removed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocId(u32);

impl LocId {
    pub const NONE: LocId = LocId(u32::MAX);

    pub fn new(index: usize) -> Self {
        debug_assert!(index < u32::MAX as usize);
        LocId(index as u32)
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
pub struct Location {
    pub access: Access,
    pub initial: Initial,
    /// All writes in coherence order, the initial write ([`Slot::INIT`]) first. If coherence is not tracked, writes
    /// are in order of addition.
    pub co: Vec<Slot>,
    /// All reads in order of addition.
    pub reads: Vec<Slot>,
    /// Whether this location has ever had a plain access, in this or an earlier graph: only then can there be races.
    pub has_plain: bool,
    /// Whether a part of it was ever stored to by an event of its own ([`crate::parts`]).
    pub has_parts: bool,
    /// The shares of threads in it, and the location of which it is one: see [`crate::counters`].
    pub(crate) shares: Vec<(ThreadId, LocId)>,
    pub(crate) share_of: Option<LocId>,
    /// The shares of sections in it, if it is a mutex: see [`crate::sections`].
    pub(crate) sections: Vec<(Sharer, LocId)>,
    pub shared_by: Option<Sharer>,
    /// Scratch of [`crate::known`]: per clock, a write and a read that a late entry of the list did not know.
    pub(crate) unknown: [[EventId; 2]; 2],
    /// Scratch of [`crate::restrict`]: the restriction that touched this location last.
    pub(crate) touched_by: u64,
}

impl Location {
    pub fn new(access: Access, initial: Initial) -> Self {
        let (co, reads) = (vec![Slot::INIT], Vec::new());
        let unknown = [[EventId::new(ThreadId::MAIN, 0); 2]; 2];
        Location {
            access,
            initial,
            co,
            reads,
            has_plain: false,
            has_parts: false,
            shares: Vec::new(),
            share_of: None,
            sections: Vec::new(),
            shared_by: None,
            unknown,
            touched_by: 0,
        }
    }

    /// The value of the initial write; 0 if memory starts uninitialised (reading it is a violation).
    pub fn initial_value(&self) -> Value {
        match self.initial {
            Initial::Value(value) => value,
            Initial::Uninitialised => 0,
        }
    }
}
