//! Sections of mutexes whose order is left open.
//!
//! A thread takes a *share* of the mutex instead of the mutex: one that is its own, or one that the sections of a group
//! have in common. Sections with the same share have an order. Other accesses to the mutex happen before all sections or
//! after them, so a mutex is free whenever a share of it is first taken.

use crate::event::Slot;
use crate::graph::Graph;
use crate::location::{LocId, Location};
use atropos_event::{Initial, Label, Rmw, ThreadId, Value};

/// Which sections take a share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharer {
    /// Sections of this thread.
    Thread(ThreadId),
    /// Sections of the group with this number.
    Group(usize),
}

impl Graph {
    /// The share of `sharer` in the mutex `loc`, created on first use; `free` is the value of a mutex that is free.
    pub fn section_share(&mut self, loc: LocId, sharer: Sharer, free: Value) -> LocId {
        let location = &self.locations[loc.index()];
        if let Some(&(_, share)) = location.sections.iter().find(|&&(other, _)| other == sharer) {
            return share;
        }
        let share = LocId::new(self.locations.len());
        let of = Location::new(location.access, Initial::Value(free));
        self.locations.push(Location { share_of: Some(loc), shared_by: Some(sharer), ..of });
        if let Sharer::Group(number) = sharer {
            // Unlike those of one thread, these are locations whose writes a search may have to order.
            let access = self.locations[share.index()].access;
            let rank = |location: &Location| match location.shared_by {
                Some(Sharer::Group(number)) => number + 1,
                Some(Sharer::Thread(_)) | None => 0,
            };
            let is_earlier = |&other: &LocId| {
                let other = &self.locations[other.index()];
                (other.access, rank(other)) < (access, number + 1)
            };
            let place = self.by_address.partition_point(is_earlier);
            self.by_address.insert(place, share);
        }
        self.locations[loc.index()].sections.push((sharer, share));
        share
    }

    /// The mutex of which the location is a share.
    #[inline]
    pub fn mutex_of(&self, loc: LocId) -> Option<LocId> {
        if loc == LocId::NONE {
            return None;
        }
        let location = self.location(loc);
        location.share_of.filter(|_| location.shared_by.is_some())
    }

    /// Whether the location is a share that one thread alone takes or updates.
    pub fn is_own_share(&self, loc: LocId) -> bool {
        self.is_share(loc) && !matches!(self.location(loc).shared_by, Some(Sharer::Group(_)))
    }

    /// The shares of the mutex `loc` that have been taken.
    pub fn section_shares(&self, loc: LocId) -> impl Iterator<Item = LocId> + '_ {
        let shares = self.location(loc).sections.iter().map(|&(_, share)| share);
        shares.filter(|&share| !self.location(share).reads.is_empty())
    }

    /// Whether there are sections whose order is left open.
    pub fn has_sections(&self) -> bool {
        self.locations().iter().any(|location| location.shared_by.is_some() && !location.reads.is_empty())
    }

    /// The share that the thread of the event at `slot`, which is inside a section, has taken.
    pub fn share_taken(&self, slot: Slot) -> LocId {
        let id = self.event(slot).id;
        let earlier = self.thread(id.thread())[..=id.index()].iter().rev();
        let taken = earlier.map(|&slot| self.event(slot).loc).find(|&loc| self.mutex_of(loc).is_some());
        taken.expect("a thread inside a section has entered it")
    }

    /// Whether the event at `slot` is the read by which a section begins.
    pub fn takes_share(&self, slot: Slot) -> bool {
        let event = self.event(slot);
        event.exclusive
            && matches!(event.label, Label::Read { rmw: Rmw::Cas { .. }, .. })
            && self.mutex_of(event.loc).is_some()
    }

    /// Whether the event at `slot`, an access to a share, is the write by which a section ends.
    pub fn frees_share(&self, slot: Slot) -> bool {
        let event = self.event(slot);
        event.is_write() && event.value == self.location(event.loc).initial_value()
    }

    /// The end of the section in which the event at `slot` is.
    pub fn section_end(&self, slot: Slot) -> Option<Slot> {
        let id = self.event(slot).id;
        let share = self.share_taken(slot);
        let is_end = |&&slot: &&Slot| self.event(slot).loc == share && self.frees_share(slot);
        self.thread(id.thread())[id.index()..].iter().find(is_end).copied()
    }
}
