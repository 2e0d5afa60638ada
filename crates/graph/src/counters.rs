//! Counters: locations that threads update without looking, so that the order of the updates does not matter.
//!
//! Each thread updates its own *share* of a counter, a location that no other thread accesses. The other accesses to the
//! counter happen before all updates in question or after them; a read sees the value of its source with the updates in
//! between. Shares have the access of their counter, so misuse of its memory shows, and have no place among the locations
//! by address: no search for a coherence order has anything to decide about them.

use crate::clock;
use crate::event::Slot;
use crate::graph::Graph;
use crate::location::{LocId, Location};
use atropos_event::{Label, Rmw, ThreadId, Value};

impl Graph {
    /// The share of `thread` in the counter `loc`, created on first use.
    pub fn share(&mut self, loc: LocId, thread: ThreadId) -> LocId {
        let location = &self.locations[loc.index()];
        if let Some(&(_, share)) = location.shares.iter().find(|&&(owner, _)| owner == thread) {
            return share;
        }
        let share = LocId::new(self.locations.len());
        let of = Location::new(location.access, location.initial);
        self.locations.push(Location { share_of: Some(loc), ..of });
        self.locations[loc.index()].shares.push((thread, share));
        share
    }

    /// Whether the location is a share of a counter, or of a mutex.
    pub fn is_share(&self, loc: LocId) -> bool {
        loc != LocId::NONE && self.location(loc).share_of.is_some()
    }

    /// The counter, or mutex, of which the location is a share.
    pub fn shared(&self, loc: LocId) -> Option<LocId> {
        self.location(loc).share_of
    }

    /// The shares of the counter `loc` in which there are updates.
    pub fn shares(&self, loc: LocId) -> impl Iterator<Item = LocId> + '_ {
        let shares = self.location(loc).shares.iter().map(|&(_, share)| share);
        shares.filter(|&share| !self.location(share).reads.is_empty())
    }

    /// Whether there are updates of counters.
    pub fn has_counts(&self) -> bool {
        let is_count = |location: &Location| location.share_of.is_some() && location.shared_by.is_none();
        self.locations().iter().any(|location| is_count(location) && !location.reads.is_empty())
    }

    /// The value that the next read of `thread` sees at `loc` if it reads from `source`.
    #[inline]
    pub fn value_for(&self, thread: ThreadId, loc: LocId, source: Slot) -> Value {
        let value = self.value_of(loc, source);
        if self.location(loc).shares.is_empty() {
            return value;
        }
        let past = self.last_of(thread).map(|last| self.past(last));
        self.counted(loc, source, value, |update| past.is_some_and(|past| self.is_in(past, update)))
    }

    /// The value that the read at `slot` sees.
    pub(crate) fn value_at(&self, slot: Slot) -> Value {
        let event = self.event(slot);
        let value = self.value_of(event.loc, event.rf);
        let past = self.po_before(slot).map(|before| self.past(before));
        self.counted(event.loc, event.rf, value, |update| past.is_some_and(|past| self.is_in(past, update)))
    }

    /// The value of the counter `loc` after the write at `source` and all updates.
    pub fn final_value(&self, loc: LocId, source: Slot) -> Value {
        self.counted(loc, source, self.value_of(loc, source), |_| true)
    }

    /// `value`, which `source` has written, after those of the later updates that `is_wanted`.
    fn counted(&self, loc: LocId, source: Slot, value: Value, is_wanted: impl Fn(Slot) -> bool) -> Value {
        let is_later =
            |update: Slot| source.is_init() || !clock::contains(self.past(source), self.event(update).id);
        let updates = self.shares(loc).flat_map(|share| self.location(share).reads.iter().copied());
        updates.filter(|&update| is_later(update) && is_wanted(update)).fold(
            value,
            |value, update| match self.event(update).label {
                Label::Read { access, rmw: Rmw::Fetch { op, operand, .. }, .. } => {
                    op.apply(access, value, operand)
                }
                _ => value,
            },
        )
    }
}
