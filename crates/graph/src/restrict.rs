//! Backward revisits in place: removes the events that a revisit deletes, and puts them back.
//!
//! [TruSt §5] copies the graph for a backward revisit. Here only the part after the revisited read is saved: the tail
//! of the event vector with its clocks, and the lists of the locations it touches. [`Graph::restore`] puts it back.
//! Space is the sum of the tails of the current revisits, and time is linear in the tail.

use crate::clock;
use crate::event::{Event, Slot};
use crate::graph::{Graph, ThreadState};
use crate::location::LocId;
use atropos_event::Label;

/// Everything that the current revisits have saved, the latest on top.
#[derive(Debug, Default)]
pub struct Attic {
    events: Vec<Event>,
    clocks: Vec<u32>,
    /// Per touched location: its old `co` and `reads` lists, one after the other.
    lists: Vec<Slot>,
    touched: Vec<Touched>,
    /// Reads before the tail whose source was in the tail, with that source's slot.
    sources: Vec<(Slot, Slot)>,
    frees: Vec<Slot>,
    frames: Vec<Frame>,
    /// Scratch: the new slot of each event of the tail, or `INIT` if it is deleted.
    new_slots: Vec<Slot>,
}

#[derive(Debug)]
struct Touched {
    loc: LocId,
    n_writes: u32,
    n_reads: u32,
}

/// The heights of the attic's stacks below the share of one revisit.
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

/// What happens to the first event of the tail.
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
    /// Removes every event after the read at `start` that is not in the set `prefix`. The read itself and the kept
    /// events move together in their old order. Calls `removed` for each removed event and for the read, latest
    /// first. Afterwards the read is the last event of its thread and still has its old source, which may be gone:
    /// [`Graph::set_rf`] gives it a new one.
    pub fn restrict(&mut self, start: Slot, prefix: &[u32], attic: &mut Attic, removed: impl FnMut(&Event)) {
        self.cut(start, First::Keep, prefix, attic, removed);
    }

    /// A copy without the event at `start` and the events after it that are not in the set `prefix`.
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
            drop_from_thread(&mut self.threads, event);
        }
        for (offset, event) in tail.iter().enumerate().rev() {
            if offset == 0 || !clock::contains(prefix, event.id) {
                removed(event);
            }
        }
        self.keep(first, prefix, attic);
        self.relist(start, attic);
    }

    /// Copies the tail from `start` on, and the lists it is part of, to the attic, and cuts off the tail.
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
        attic.clocks.extend_from_slice(self.clocks.rows_from(start));
        self.n_restrictions += 1;
        for index in start.index()..self.events.len() {
            let loc = self.events[index].loc;
            if loc == LocId::NONE {
                continue;
            }
            let location = &mut self.locations[loc.index()];
            if location.touched_by != self.n_restrictions {
                location.touched_by = self.n_restrictions;
                attic.lists.extend_from_slice(&location.co);
                attic.lists.extend_from_slice(&location.reads);
                let (n_writes, n_reads) = (location.co.len() as u32, location.reads.len() as u32);
                attic.touched.push(Touched { loc, n_writes, n_reads });
            }
        }
        self.events.truncate(start.index());
        self.clocks.truncate_rows(start.index());
    }

    /// Puts the read and the events of `prefix` back from the attic, and records their new slots.
    fn keep(&mut self, first: First, prefix: &[u32], attic: &mut Attic) {
        let Attic { events, clocks, frames, new_slots, .. } = attic;
        let frame = frames.last().expect("a frame");
        let tail = &events[frame.events..];
        let rows = &clocks[frame.clocks..];
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
            enter_into_thread(&mut self.threads, event, slot);
            self.clocks.push_row(rows, frame.width, offset);
        }
        // Sources in the tail have moved; a kept event's source is kept.
        for index in frame.start.index()..self.events.len() {
            let rf = self.events[index].rf;
            if !rf.is_init() && rf >= frame.start {
                self.events[index].rf = new_slots[rf.index() - frame.start.index()];
            }
        }
    }

    /// Filters the lists of the touched locations, the allocations and the frees.
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
        if self.n_allocs > 0 {
            for thread in &mut self.threads {
                thread.allocs.retain_mut(moved);
            }
            self.n_allocs = self.threads.iter().map(|thread| thread.allocs.len()).sum();
        }
        self.frees.retain_mut(moved);
    }

    /// Undoes the latest [`Graph::restrict`]. The graph must be as the restriction left it: everything added since
    /// has been removed.
    pub fn restore(&mut self, attic: &mut Attic) {
        let frame = attic.frames.pop().expect("a restriction to undo");
        for event in self.events[frame.start.index()..].iter().rev() {
            drop_from_thread(&mut self.threads, event);
        }
        self.events.truncate(frame.start.index());
        self.clocks.truncate_rows(frame.start.index());
        self.clocks.push_rows(&attic.clocks[frame.clocks..], frame.width);
        let tail = &attic.events[frame.events..];
        self.events.extend_from_slice(tail);
        for (offset, event) in tail.iter().enumerate() {
            enter_into_thread(&mut self.threads, event, Slot::new(frame.start.index() + offset));
        }
        self.restore_allocs(frame.start);
        for &(read, source) in &attic.sources[frame.sources..] {
            self.events[read.index()].rf = source;
        }
        self.restore_lists(&frame, attic);
        attic.events.truncate(frame.events);
        attic.clocks.truncate(frame.clocks);
        attic.sources.truncate(frame.sources);
    }

    /// Rebuilds the list of allocations; few programs have any.
    fn restore_allocs(&mut self, start: Slot) {
        let allocated = |event: &Event| match event.label {
            Label::Alloc { addr, .. } => Some((event.id.thread(), addr)),
            _ => None,
        };
        let is_alloc = |event: &Event| allocated(event).is_some();
        if self.n_allocs == 0 && !self.events[start.index()..].iter().any(is_alloc) {
            return;
        }
        for thread in &mut self.threads {
            thread.allocs.retain(|&slot| slot < start);
        }
        for index in start.index()..self.events.len() {
            if let Some((thread, addr)) = allocated(&self.events[index]) {
                self.list_alloc(Slot::new(index), thread, addr);
            }
        }
        self.n_allocs = self.threads.iter().map(|thread| thread.allocs.len()).sum();
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

/// Takes the event, the last of its thread, out of program order.
#[inline]
fn drop_from_thread(threads: &mut [ThreadState], event: &Event) {
    let thread = &mut threads[event.id.thread().index()];
    thread.slots.pop();
    match event.label {
        Label::Spawn { child, .. } => threads[child.index()].spawn = None,
        Label::Fence { order } if order.is_release() => {
            thread.release_fences.pop();
        }
        _ => {}
    }
}

#[inline]
fn enter_into_thread(threads: &mut [ThreadState], event: &Event, slot: Slot) {
    let thread = &mut threads[event.id.thread().index()];
    thread.slots.push(slot);
    match event.label {
        Label::Spawn { child, .. } => threads[child.index()].spawn = Some(event.id),
        Label::Fence { order } if order.is_release() => thread.release_fences.push(slot),
        _ => {}
    }
}
