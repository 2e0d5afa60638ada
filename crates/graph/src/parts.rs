//! Stores to parts of a cell that are single events.
//!
//! On a machine whose store buffers hold bytes, such a store knows nothing of the rest of its cell. It is one event, a
//! write of its part; its value, which is that of the whole cell after it, follows from `co`. A load takes each byte
//! from the newest store of its own thread if that was still buffered, and otherwise from memory. Its source is the
//! last write of another thread that was in memory, or an own store that has written all bytes of the load; the load
//! also sees earlier stores of its own thread that `co` puts behind that source. So `rf` and `co` determine where each
//! byte comes from [ALGORITHMS §F.5].
//!
//! Explorers that build graphs without knowing `co` make two events of such a store instead; the first one reads the
//! rest of the cell. Locations of their graphs have no parts in this sense.

use crate::event::Slot;
use crate::graph::Graph;
use crate::location::LocId;
use atropos_event::{Access, Label, Value};

impl Graph {
    /// Whether any location has stores to parts.
    pub fn has_parts(&self) -> bool {
        self.locations().iter().any(|location| location.has_parts)
    }

    /// Whether the event is a store to a part of its cell, as a single event.
    pub fn is_part_store(&self, slot: Slot) -> bool {
        matches!(self.event(slot).label, Label::Write { access, exclusive: false, .. } if !access.is_whole())
    }

    fn writes_some_of(&self, write: Slot, bytes: Access) -> bool {
        write.is_init() || self.event(write).label.bytes().is_some_and(|written| written.overlaps(bytes))
    }

    /// The stores of the thread of `read` that it sees although its source is before them in `co`, newest first.
    pub fn own_stores_seen(&self, read: Slot) -> impl Iterator<Item = Slot> + '_ {
        let event = self.event(read);
        let earlier = self.thread(event.id.thread())[..event.id.index()].iter().rev().copied();
        let position = self.co_position(event.rf);
        earlier.filter(move |&slot| {
            let store = self.event(slot);
            store.is_write() && store.loc == event.loc && store.co as usize > position
        })
    }

    /// The write that `bytes` come from when `read` reads them. Every write to the location has written all of these
    /// bytes or none.
    pub fn writer_of(&self, read: Slot, bytes: Access) -> Slot {
        let event = self.event(read);
        let own = self.own_stores_seen(read).find(|&store| self.writes_some_of(store, bytes));
        own.unwrap_or_else(|| {
            let in_memory = self.location(event.loc).co[..=self.co_position(event.rf)].iter().rev();
            in_memory.copied().find(|&write| self.writes_some_of(write, bytes)).unwrap_or(Slot::INIT)
        })
    }

    /// The newest write from which a read of a location with parts has seen some bytes.
    pub(crate) fn newest_writer(&self, read: Slot) -> Slot {
        let asked = self.event(read).label.bytes();
        let is_seen = |&store: &Slot| asked.is_some_and(|asked| self.writes_some_of(store, asked));
        let own = self.own_stores_seen(read).find(is_seen);
        own.or_else(|| self.sources(read).next()).unwrap_or(Slot::INIT)
    }

    /// The writes in memory that a read of a location with parts may have seen: those that have written some of its
    /// bytes, from its source back to one that has written all of them.
    pub fn sources(&self, read: Slot) -> impl Iterator<Item = Slot> + '_ {
        let event = self.event(read);
        let asked = event.label.access().map_or(self.location(event.loc).access, Access::part);
        let covers =
            move |write: Slot| self.event(write).label.bytes().is_some_and(|written| written.contains(asked));
        let mut is_covered = false;
        let in_memory = self.location(event.loc).co[1..=self.co_position(event.rf)].iter().rev().copied();
        let seen = in_memory.filter(move |&write| self.writes_some_of(write, asked));
        seen.take_while(move |&write| !std::mem::replace(&mut is_covered, covers(write)))
    }

    /// The immediate edges of `rf`, `co` and `fr`, by bytes, between the accesses to a location with parts.
    pub fn edges_by_bytes(&self, loc: LocId) -> Vec<(Slot, Slot)> {
        let location = self.location(loc);
        let mut edges = Vec::new();
        for byte in (0..location.access.size).map(|at| Access::new(location.access.addr.0 + u64::from(at), 1))
        {
            let writes: Vec<Slot> =
                location.co.iter().copied().filter(|&write| self.writes_some_of(write, byte)).collect();
            edges.extend(writes.windows(2).map(|pair| (pair[0], pair[1])));
            for &read in &location.reads {
                if !self.event(read).label.bytes().is_some_and(|asked| asked.overlaps(byte)) {
                    continue;
                }
                let writer = self.writer_of(read, byte);
                edges.push((writer, read));
                let later =
                    writes.iter().copied().find(|&write| self.co_position(write) > self.co_position(writer));
                edges.extend(later.map(|later| (read, later)));
            }
        }
        edges.retain(|(from, _)| !from.is_init());
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The value of a read of a location with parts; bytes that it does not read are those of the cell at that point.
    pub fn value_seen(&self, read: Slot) -> Value {
        let event = self.event(read);
        let mut own: Vec<Slot> = self.own_stores_seen(read).collect();
        own.reverse();
        own.into_iter()
            .fold(self.value_of(event.loc, event.rf), |value, store| self.value_after(store, value))
    }

    /// The value of the cell after the write at `slot`, if it was `value` before.
    pub(crate) fn value_after(&self, slot: Slot, value: Value) -> Value {
        match self.event(slot).label {
            Label::Write { access, value: cell, .. } => access.merge(value, access.narrow(cell)),
            _ => value,
        }
    }

    /// Gives the events of a location with parts the values that follow from its coherence order. The value of a store
    /// to a part needs to be right only in that part before.
    pub fn settle_parts(&mut self, loc: LocId) {
        let mut value = self.location(loc).initial_value();
        for position in 1..self.location(loc).co.len() {
            let write = self.location(loc).co[position];
            value = self.value_after(write, value);
            let event = &mut self.events[write.index()];
            if let Label::Write { value: stored, exclusive: false, .. } = &mut event.label {
                (*stored, event.value) = (value, value);
            }
        }
        for index in 0..self.location(loc).reads.len() {
            let read = self.location(loc).reads[index];
            self.events[read.index()].value = self.value_seen(read);
        }
    }
}
