//! Parts of the lists of a location that an event certainly knows, so that a thread that works alone need not look at all
//! it has done.
//!
//! An access of a long list records whether all earlier entries happen before it. An event that happens after such an
//! access happens after all of these, too. Removing entries keeps this true; a write that is placed before others makes
//! it unknown for them.

use crate::clock::{self, Clock, ClockKind};
use crate::event::Slot;
use crate::graph::Graph;

/// Lists of accesses that are not longer are searched from end to end. Tests, whose programs are small, have shorter ones.
const LONG_LIST: usize = if cfg!(debug_assertions) { 2 } else { 16 };

impl Graph {
    /// Notes whether the access at `slot`, just added, comes after all earlier entries of its list, if the list is long.
    #[inline]
    pub fn note_order(&mut self, slot: Slot) {
        let event = &self.events[slot.index()];
        let location = &self.locations[event.loc.index()];
        let list = if event.is_write() { &location.co } else { &location.reads };
        if list.len() > LONG_LIST {
            self.events[slot.index()].is_after_all = self.is_after_all(list, slot);
        }
    }

    /// What happens before the event at `slot`, or a part of it.
    pub(crate) fn past(&self, slot: Slot) -> &Clock {
        self.clocks.get(if self.has_views { ClockKind::Hb } else { ClockKind::Porf }, slot)
    }

    #[cold]
    fn is_after_all(&self, list: &[Slot], slot: Slot) -> bool {
        let [earlier @ .., last] = list else { return false };
        let past = self.past(slot);
        let n_known = if earlier.len() > LONG_LIST { self.n_known(earlier, past) } else { 0 };
        *last == slot && earlier[n_known..].iter().all(|&other| self.is_in(past, other))
    }

    /// The length of a part of `list`, the writes or the reads of a location, that is certainly in the set `past`,
    /// which contains what happens before its events. It ends with the latest entry in `past` that comes after all
    /// before it, and is empty if the list is short. So a thread that works alone need not look at all it has done.
    pub fn n_known(&self, list: &[Slot], past: &Clock) -> usize {
        if list.len() <= LONG_LIST {
            return 0;
        }
        let is_known = |&slot: &Slot| {
            !slot.is_init() && self.event(slot).is_after_all && clock::contains(past, self.event(slot).id)
        };
        list.iter().rposition(is_known).map_or(0, |last| last + 1)
    }
}
