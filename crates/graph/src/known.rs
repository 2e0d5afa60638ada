//! Parts of the lists of a location that an event certainly knows, so that a thread that works alone need not look at all
//! it has done.
//!
//! An access of a long list records whether all earlier entries happen before it, or are in its `porf`-prefix. An event
//! that comes after such an access comes after all of these, too. A write records whether the writes up to it are a chain
//! of read-modify-writes, which takes all earlier ones as sources. Removing entries keeps all this true: what a chain
//! ends with stays only together with the chain. A write that is placed before others makes it unknown for them.

use crate::clock::{self, Clock, ClockKind};
use crate::event::{Event, Slot};
use crate::graph::Graph;

/// Lists of accesses that are not longer are searched from end to end. Tests, whose programs are small, have shorter ones.
const LONG_LIST: usize = if cfg!(debug_assertions) { 2 } else { 16 };

impl Graph {
    /// Notes what the access at `slot`, just added, knows of the earlier entries of its list, if the list is long.
    #[inline]
    pub fn note_order(&mut self, slot: Slot) {
        let event = &self.events[slot.index()];
        let location = &self.locations[event.loc.index()];
        let list = if event.is_write() { &location.co } else { &location.reads };
        if list.len() > LONG_LIST {
            self.note_order_of_long(slot);
        }
    }

    #[cold]
    fn note_order_of_long(&mut self, slot: Slot) {
        let past = if self.has_views { ClockKind::Hb } else { ClockKind::Porf };
        let is_after_all = self.is_after_all(slot, past);
        let follows_all = is_after_all || (self.has_views && self.is_after_all(slot, ClockKind::Porf));
        let event = self.event(slot);
        let ends_chain = event.exclusive
            && event.is_write()
            && self.is_chain(&self.location(event.loc).co[..=event.co as usize]);
        let event = &mut self.events[slot.index()];
        (event.is_after_all, event.follows_all, event.ends_chain) = (is_after_all, follows_all, ends_chain);
    }

    /// What happens before the event at `slot`, or a part of it.
    pub(crate) fn past(&self, slot: Slot) -> &Clock {
        self.clocks.get(if self.has_views { ClockKind::Hb } else { ClockKind::Porf }, slot)
    }

    /// Whether a clock of the new access at `slot` contains all entries of its list. While it lacks what an earlier access
    /// lacked, it need not look further.
    fn is_after_all(&mut self, slot: Slot, kind: ClockKind) -> bool {
        let Event { loc, label, .. } = *self.event(slot);
        let (location, past) = (self.location(loc), self.clocks.get(kind, slot));
        let (list, of_list) = if label.is_write() { (&location.co, 0) } else { (&location.reads, 1) };
        let of_kind = usize::from(kind == ClockKind::Porf);
        let hint = location.unknown[of_kind][of_list];
        let is_listed = |&slot: &Slot| {
            let event = self.event(slot);
            event.loc == loc && event.is_write() == label.is_write()
        };
        if !clock::contains(past, hint) && self.thread(hint.thread()).get(hint.index()).is_some_and(is_listed)
        {
            return false;
        }
        let n_known = match kind {
            ClockKind::Porf => self.n_enclosed(list, past),
            ClockKind::Hb | ClockKind::Message => self.n_known(list, past),
        };
        let unknown = list[n_known..].iter().copied().find(|&other| !self.is_in(past, other));
        if let Some(unknown) = unknown {
            self.locations[loc.index()].unknown[of_kind][of_list] = self.event(unknown).id;
        }
        unknown.is_none()
    }

    /// Whether `list` is a chain: see [`Event::ends_chain`].
    pub(crate) fn is_chain(&self, list: &[Slot]) -> bool {
        let is_next = |pair: &[Slot]| {
            let read = self.po_before(pair[1]).filter(|_| self.event(pair[1]).exclusive);
            read.is_some_and(|read| self.event(read).rf == pair[0])
        };
        let mut pairs = list.windows(2).rev();
        pairs.next().is_none_or(is_next)
            && match list {
                [.., before, _] if list.len() > LONG_LIST + 1 => self.event(*before).ends_chain,
                _ => pairs.all(is_next),
            }
    }

    /// The latest entry of `list` in the set `past` that has a property; none if the list is short.
    fn last_known(&self, list: &[Slot], past: &Clock, has: impl Fn(&Event) -> bool) -> Option<usize> {
        if list.len() <= LONG_LIST {
            return None;
        }
        let is_known = |&slot: &Slot| {
            !slot.is_init() && has(self.event(slot)) && clock::contains(past, self.event(slot).id)
        };
        list.iter().rposition(is_known)
    }

    /// The length of a part of `list`, the writes or the reads of a location, that is certainly in the set `past`,
    /// which contains what happens before its events. It ends with the latest entry in `past` that comes after all
    /// before it, and is empty if the list is short. So a thread that works alone need not look at all it has done.
    pub fn n_known(&self, list: &[Slot], past: &Clock) -> usize {
        self.last_known(list, past, |event| event.is_after_all).map_or(0, |last| last + 1)
    }

    /// The same for a set that contains the `porf`-prefixes of its events.
    pub fn n_enclosed(&self, list: &[Slot], prefix: &Clock) -> usize {
        self.last_known(list, prefix, |event| event.follows_all).map_or(0, |last| last + 1)
    }

    /// A number of writes, from the first of `writes`, all writes of a location, that are the sources of
    /// read-modify-writes in the set `prefix`, which contains the `porf`-prefixes of its events.
    pub fn n_taken(&self, writes: &[Slot], prefix: &Clock) -> usize {
        self.last_known(writes, prefix, |event| event.ends_chain).unwrap_or(0)
    }
}
