//! Backward revisits in place: remove the events that a revisit deletes, and put them back.
//!
//! [TruSt §5] copies the graph for a backward revisit. Here only what stands behind the revisited read
//! is set aside: the tail of the event vector with its clocks, and the lists of the locations it touches.
//! [`Graph::restore`] puts it all back. Space is the sum of the tails of the revisits the current graph
//! is built on, and time is linear in the tail.

use crate::clock;
use crate::event::{Event, Slot};
use crate::graph::Graph;
use crate::location::LocId;
use atropos_event::Label;

/// Everything set aside by the revisits under way, the latest on top.
#[derive(Debug, Default)]
pub struct Attic {
    events: Vec<Event>,
    clocks: Vec<u32>,
    /// Per touched location: its `co` and `reads` lists as they were, behind each other.
    lists: Vec<Slot>,
    touched: Vec<Touched>,
    /// Reads before the tail whose source was in the tail, with that source's slot.
    sources: Vec<(Slot, Slot)>,
    frees: Vec<Slot>,
    frames: Vec<Frame>,
    /// Scratch: the new slot of each event of the tail, `INIT` when it is deleted.
    new_slots: Vec<Slot>,
}

#[derive(Debug)]
struct Touched {
    loc: LocId,
    n_writes: u32,
    n_reads: u32,
}

/// The heights of the attic's stacks below one revisit's share.
#[derive(Debug)]
struct Frame {
    events: usize,
    clocks: usize,
    lists: usize,
    touched: usize,
    sources: usize,
    frees: usize,
    /// The slot of the revisited read, where the tail starts, and the clock width at that time.
    start: Slot,
    width: usize,
}

/// What happens to the event where the tail starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum First {
    Keep,
    Drop,
}

impl Attic {
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }
}

impl Graph {
    /// Removes every event behind the read at `start` that is not in the set `prefix`. The read itself
    /// and the kept events close ranks in their old order; `removed` is called for each removed event and
    /// for the read, latest first. Afterwards the read is the last event of its thread and still has its
    /// old source, which may be gone: [`Graph::set_rf`] gives it a new one.
    pub fn restrict(&mut self, start: Slot, prefix: &[u32], attic: &mut Attic, removed: impl FnMut(&Event)) {
        self.cut(start, First::Keep, prefix, attic, removed);
    }

    /// A copy without the event at `start` and the events behind it that are not in the set `prefix`.
    pub fn restricted_copy(&self, start: Slot, prefix: &[u32]) -> Graph {
        let mut copy = self.clone();
        copy.cut(start, First::Drop, prefix, &mut Attic::default(), |_| {});
        copy
    }

    fn cut(
        &mut self,
        start: Slot,
        first: First,
        prefix: &[u32],
        attic: &mut Attic,
        mut removed: impl FnMut(&Event),
    ) {
        self.set_aside(start, attic);
        let frame = attic.frames.last().expect("the frame just pushed");
        let tail = &attic.events[frame.events..];
        for event in tail.iter().rev() {
            self.drop_from_thread(event);
        }
        for (offset, event) in tail.iter().enumerate().rev() {
            if offset == 0 || !clock::contains(prefix, event.id) {
                removed(event);
            }
        }
        self.keep(first, prefix, attic);
        self.relist(start, attic);
    }

    /// Takes the event, the last of its thread, out of program order.
    fn drop_from_thread(&mut self, event: &Event) {
        self.threads[event.id.thread().index()].slots.pop();
        if let Label::Spawn { child } = event.label {
            self.threads[child.index()].spawn = None;
        }
    }

    fn enter_into_thread(&mut self, event: &Event, slot: Slot) {
        self.threads[event.id.thread().index()].slots.push(slot);
        if let Label::Spawn { child } = event.label {
            self.threads[child.index()].spawn = Some(event.id);
        }
    }

    /// Copies the tail from `start` on, and the lists it is part of, to the attic, and cuts the tail off.
    fn set_aside(&mut self, start: Slot, attic: &mut Attic) {
        attic.frames.push(Frame {
            events: attic.events.len(),
            clocks: attic.clocks.len(),
            lists: attic.lists.len(),
            touched: attic.touched.len(),
            sources: attic.sources.len(),
            frees: attic.frees.len(),
            start,
            width: self.width(),
        });
        attic.frees.extend_from_slice(&self.frees);
        attic.events.extend_from_slice(&self.events[start.index()..]);
        attic.clocks.extend_from_slice(self.porf.rows_from(start));
        if self.has_views() {
            attic.clocks.extend_from_slice(self.hb.rows_from(start));
            attic.clocks.extend_from_slice(self.message.rows_from(start));
        }
        let first_touched = attic.touched.len();
        for index in start.index()..self.events.len() {
            let loc = self.events[index].loc;
            let known = loc == LocId::NONE || attic.touched[first_touched..].iter().any(|touched| touched.loc == loc);
            if !known {
                let location = self.location(loc);
                attic.lists.extend_from_slice(&location.co);
                attic.lists.extend_from_slice(&location.reads);
                let (n_writes, n_reads) = (location.co.len() as u32, location.reads.len() as u32);
                attic.touched.push(Touched { loc, n_writes, n_reads });
            }
        }
        self.events.truncate(start.index());
        for clocks in [&mut self.porf, &mut self.hb, &mut self.message] {
            clocks.truncate_rows(start.index());
        }
    }

    /// Puts the read and the events of `prefix` back from the attic, noting their new slots.
    fn keep(&mut self, first: First, prefix: &[u32], attic: &mut Attic) {
        let Attic { events, clocks, frames, new_slots, .. } = attic;
        let frame = frames.last().expect("a frame");
        let tail = &events[frame.events..];
        let rows = ClockRows { rows: &clocks[frame.clocks..], width: frame.width, n_events: tail.len() };
        new_slots.clear();
        for (offset, event) in tail.iter().enumerate() {
            let is_first = offset == 0 && first == First::Keep;
            if !is_first && !clock::contains(prefix, event.id) {
                new_slots.push(Slot::INIT);
                continue;
            }
            let slot = Slot::new(self.events.len());
            new_slots.push(slot);
            self.events.push(*event);
            self.enter_into_thread(event, slot);
            self.push_saved_clocks(&rows, offset);
        }
        // Sources in the tail have moved; a kept event's source is kept.
        for index in frame.start.index()..self.events.len() {
            let rf = self.events[index].rf;
            if !rf.is_init() && rf >= frame.start {
                self.events[index].rf = new_slots[rf.index() - frame.start.index()];
            }
        }
    }

    fn push_saved_clocks(&mut self, rows: &ClockRows<'_>, offset: usize) {
        self.porf.push_row(rows.row(0, offset));
        if self.has_views() {
            self.hb.push_row(rows.row(1, offset));
            self.message.push_row(rows.row(2, offset));
        }
    }

    /// Filters the lists of the touched locations, the allocations and the frees to what is left.
    fn relist(&mut self, start: Slot, attic: &mut Attic) {
        let Attic { touched, frames, new_slots, sources, .. } = attic;
        let frame = frames.last().expect("a frame");
        let moved = |slot: &mut Slot| {
            if !slot.is_init() && *slot >= start {
                *slot = new_slots[slot.index() - start.index()];
                return !slot.is_init();
            }
            true
        };
        for touched in &touched[frame.touched..] {
            let location = &mut self.locations[touched.loc.index()];
            location.co.retain_mut(moved);
            location.reads.retain_mut(moved);
            for &read in location.reads.iter().take_while(|&&read| read < start) {
                let rf = &mut self.events[read.index()].rf;
                if !rf.is_init() && *rf >= start {
                    sources.push((read, *rf));
                    *rf = new_slots[rf.index() - start.index()];
                }
            }
            self.renumber(touched.loc, 1);
        }
        for thread in &mut self.threads {
            thread.allocs.retain_mut(moved);
        }
        self.frees.retain_mut(moved);
    }

    /// Undoes the latest [`Graph::restrict`]. The graph is what the restriction left: everything added
    /// since has been taken back.
    pub fn restore(&mut self, attic: &mut Attic) {
        let frame = attic.frames.pop().expect("a restriction to undo");
        for index in (frame.start.index()..self.events.len()).rev() {
            let event = self.events[index];
            self.drop_from_thread(&event);
        }
        self.events.truncate(frame.start.index());
        for clocks in [&mut self.porf, &mut self.hb, &mut self.message] {
            clocks.truncate_rows(frame.start.index());
        }
        for thread in &mut self.threads {
            thread.allocs.retain(|&slot| slot < frame.start);
        }
        let tail = &attic.events[frame.events..];
        let rows = ClockRows { rows: &attic.clocks[frame.clocks..], width: frame.width, n_events: tail.len() };
        for (offset, event) in tail.iter().enumerate() {
            let slot = Slot::new(self.events.len());
            self.enter_into_thread(event, slot);
            if matches!(event.label, Label::Alloc { .. }) {
                self.threads[event.id.thread().index()].allocs.push(slot);
            }
            self.events.push(*event);
            self.push_saved_clocks(&rows, offset);
        }
        for &(read, source) in &attic.sources[frame.sources..] {
            self.events[read.index()].rf = source;
        }
        self.restore_lists(&frame, attic);
        attic.events.truncate(frame.events);
        attic.clocks.truncate(frame.clocks);
        attic.sources.truncate(frame.sources);
    }

    fn restore_lists(&mut self, frame: &Frame, attic: &mut Attic) {
        let mut next = frame.lists;
        for index in frame.touched..attic.touched.len() {
            let Touched { loc, n_writes, n_reads } = attic.touched[index];
            let location = &mut self.locations[loc.index()];
            location.co.clear();
            location.co.extend_from_slice(&attic.lists[next..next + n_writes as usize]);
            next += n_writes as usize;
            location.reads.clear();
            location.reads.extend_from_slice(&attic.lists[next..next + n_reads as usize]);
            next += n_reads as usize;
            self.renumber(loc, 1);
        }
        self.frees.clear();
        self.frees.extend_from_slice(&attic.frees[frame.frees..]);
        attic.touched.truncate(frame.touched);
        attic.lists.truncate(frame.lists);
        attic.frees.truncate(frame.frees);
    }
}

/// The clocks of a tail as set aside: all `porf` rows, then all `hb` rows, then all `message` rows.
struct ClockRows<'attic> {
    rows: &'attic [u32],
    width: usize,
    n_events: usize,
}

impl<'attic> ClockRows<'attic> {
    fn row(&self, kind: usize, offset: usize) -> &'attic [u32] {
        let start = (kind * self.n_events + offset) * self.width;
        &self.rows[start..start + self.width]
    }
}
