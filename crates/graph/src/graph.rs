//! The execution graph: add an event, remove the last one.
//!
//! Events are in one vector in order of addition. Program order, locations and clocks are kept beside it and follow
//! the same stack discipline. The one exception is a backward revisit, which removes events from the middle: see
//! [`crate::restrict`].

use crate::clock::{self, Clock, ClockKind, Clocks};
use crate::event::{Event, Section, Slot};
use crate::location::{LocId, Location};
use atropos_event::{Access, Addr, EventId, Initial, Label, Position, ThreadId, Value};
use rustc_hash::FxHashMap;

/// What an explorer decides about a new event.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// For reads: the source. For `Begin` and `Join`: the `Spawn` or `End` before it.
    pub rf: Slot,
    /// For writes: the position in `co`.
    pub co: u32,
    pub value: Value,
    /// The position of the thread's run before the event.
    pub before: Position,
}

/// The events of one thread, and the position from which its next one starts.
#[derive(Clone, Debug, Default)]
pub struct ThreadState {
    /// The slots of the thread's events in program order.
    pub slots: Vec<Slot>,
    /// The slots of its `Alloc` events in the order of the addresses.
    pub allocs: Vec<Slot>,
    /// The slots of its fences that release, in program order.
    pub release_fences: Vec<Slot>,
    /// The `Spawn` that created it, while that event is in the graph.
    pub spawn: Option<EventId>,
}

#[derive(Clone, Debug)]
pub struct Graph {
    pub(crate) events: Vec<Event>,
    pub(crate) threads: Vec<ThreadState>,
    pub(crate) locations: Vec<Location>,
    /// For each aligned block of eight bytes, the location of each byte (index + 1; 0 for none).
    blocks: FxHashMap<u64, [u32; 8]>,
    /// All `Free` events in order of addition.
    pub(crate) frees: Vec<Slot>,
    /// The clocks of each event; those of the memory model only if the model keeps clocks.
    pub(crate) clocks: Clocks,
    pub(crate) has_views: bool,
    width: usize,
    /// Counts restrictions, so that each knows which locations it has touched.
    pub(crate) n_restrictions: u64,
    /// The number of `Alloc` events in the graph: most programs have none.
    pub(crate) n_allocs: usize,
    /// All locations in the order of their addresses.
    pub(crate) by_address: Vec<LocId>,
    /// Per thread: its rank among the known threads in the order of their canonical names.
    ranks: Vec<u32>,
}

impl Graph {
    /// An empty graph. `has_views` says whether it keeps the `hb` and `message` clocks.
    pub fn new(has_views: bool) -> Self {
        let width = 4;
        Graph {
            events: Vec::new(),
            threads: vec![ThreadState::default(); width],
            locations: Vec::new(),
            blocks: FxHashMap::default(),
            frees: Vec::new(),
            clocks: Clocks::new(width, has_views),
            has_views,
            width,
            n_restrictions: 0,
            n_allocs: 0,
            by_address: Vec::new(),
            ranks: vec![0; width],
        }
    }

    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    pub fn has_views(&self) -> bool {
        self.has_views
    }

    /// The number of entries in each clock: at least the number of threads.
    pub fn width(&self) -> usize {
        self.width
    }

    pub fn event(&self, slot: Slot) -> &Event {
        &self.events[slot.index()]
    }

    pub fn events(&self) -> &[Event] {
        &self.events
    }

    pub fn last_slot(&self) -> Option<Slot> {
        self.events.len().checked_sub(1).map(Slot::new)
    }

    /// The slots of `thread`'s events in program order.
    pub fn thread(&self, thread: ThreadId) -> &[Slot] {
        &self.threads[thread.index()].slots
    }

    pub fn n_threads(&self) -> usize {
        self.threads.len()
    }

    pub fn thread_allocs(&self, thread: usize) -> &[Slot] {
        &self.threads[thread].allocs
    }

    /// The thread's fences that release, in program order.
    pub fn release_fences(&self, thread: ThreadId) -> &[Slot] {
        &self.threads[thread.index()].release_fences
    }

    pub fn frees(&self) -> &[Slot] {
        &self.frees
    }

    pub fn slot_of(&self, id: EventId) -> Slot {
        self.threads[id.thread().index()].slots[id.index()]
    }

    pub fn last_of(&self, thread: ThreadId) -> Option<Slot> {
        self.threads.get(thread.index())?.slots.last().copied()
    }

    /// The previous event of the thread.
    pub fn po_before(&self, slot: Slot) -> Option<Slot> {
        let id = self.event(slot).id;
        id.index().checked_sub(1).map(|index| self.threads[id.thread().index()].slots[index])
    }

    pub fn has_ended(&self, thread: ThreadId) -> bool {
        self.last_of(thread).is_some_and(|slot| matches!(self.event(slot).label, Label::End))
    }

    /// The `Spawn` event that created `thread`; the main thread has none.
    pub fn spawn_of(&self, thread: ThreadId) -> Option<Slot> {
        self.threads.get(thread.index())?.spawn.map(|id| self.slot_of(id))
    }

    /// Whether this is the main thread or a thread that was created.
    pub fn exists(&self, thread: ThreadId) -> bool {
        thread == ThreadId::MAIN
            || self.threads.get(thread.index()).is_some_and(|state| state.spawn.is_some())
    }

    pub fn location(&self, loc: LocId) -> &Location {
        &self.locations[loc.index()]
    }

    pub fn locations(&self) -> &[Location] {
        &self.locations
    }

    /// All locations seen so far in the order of their addresses, which does not depend on the exploration.
    pub fn locations_by_address(&self) -> &[LocId] {
        &self.by_address
    }

    /// A name of an event that does not depend on the order in which threads were seen.
    pub fn canonical_id(&self, slot: Slot) -> (u32, u32) {
        let id = self.event(slot).id;
        (self.ranks[id.thread().index()], id.index() as u32)
    }

    /// The rank of a thread among the known ones, in the order of their canonical names.
    pub fn rank_of(&self, thread: ThreadId) -> u32 {
        self.ranks[thread.index()]
    }

    /// Sets the canonical order of the known threads.
    pub fn rank_threads(&mut self, in_order: &[ThreadId]) {
        for (rank, thread) in in_order.iter().enumerate() {
            self.ranks[thread.index()] = rank as u32;
        }
    }

    /// The `porf`-prefix of an event, itself included.
    pub fn porf(&self, slot: Slot) -> &Clock {
        self.clocks.get(ClockKind::Porf, slot)
    }

    /// The events that happen before an event, itself included, for models that keep it.
    pub fn hb(&self, slot: Slot) -> &Clock {
        self.clocks.get(ClockKind::Hb, slot)
    }

    /// The events that happen before a reader that synchronises with a write, for models that keep it.
    pub fn message(&self, slot: Slot) -> &Clock {
        self.clocks.get(ClockKind::Message, slot)
    }

    /// Adds the events of one clock to another; for memory models, which own these clocks.
    pub fn join_clock(&mut self, kind: ClockKind, slot: Slot, from: ClockKind, source: Slot) {
        self.clocks.join(kind, slot, from, source);
    }

    /// Sets the `hb` clock of an event to that of the previous event of its thread, plus itself.
    pub fn restart_hb(&mut self, slot: Slot) {
        let before = self.po_before(slot);
        self.clocks.restart(ClockKind::Hb, slot, before, self.event(slot).id);
    }

    /// Whether `slot` is in the set `clock`.
    pub fn is_in(&self, clock: &Clock, slot: Slot) -> bool {
        slot.is_init() || clock::contains(clock, self.event(slot).id)
    }

    /// The value that a read of `loc` sees when it reads from `source`.
    pub fn value_of(&self, loc: LocId, source: Slot) -> Value {
        if source.is_init() { self.location(loc).initial_value() } else { self.event(source).value }
    }

    /// Whether the event at `slot` reads memory that has no initial value and was never written; of a cell, the part
    /// that it reads.
    pub fn reads_unwritten(&self, slot: Slot) -> bool {
        let event = self.event(slot);
        event.is_read()
            && self.location(event.loc).initial == Initial::Uninitialised
            && !event.label.is_merge()
            && !self.is_share(event.loc)
            && self.writer(slot).is_init()
    }

    /// The write that wrote the bytes which the read at `slot` reads. The source of a read of a cell may have written
    /// another part and kept these bytes.
    pub fn writer(&self, slot: Slot) -> Slot {
        let event = self.event(slot);
        let (part, mut source) = (event.label.access().map(Access::part), event.rf);
        if event.is_read() && self.location(event.loc).has_parts {
            return self.newest_writer(slot);
        }
        while !source.is_init() && self.event(source).exclusive {
            let written = self.event(source).label.bytes();
            if part.zip(written).is_some_and(|(part, written)| part.overlaps(written)) {
                break;
            }
            source = self.po_before(source).map_or(Slot::INIT, |read| self.event(read).rf);
        }
        source
    }

    /// Whether the event at `slot` is half of a store to a part of its cell, rather than of a locked instruction.
    pub fn is_merging(&self, slot: Slot) -> bool {
        let event = self.event(slot);
        let read = if event.exclusive && event.is_write() { self.po_before(slot) } else { Some(slot) };
        read.is_some_and(|read| self.event(read).label.is_merge())
    }

    /// Whether a write has itself written all bytes of an access to its location, rather than merged some.
    pub fn covers(&self, write: Slot, access: Slot) -> bool {
        let bytes = |slot: Slot| self.event(slot).label.bytes();
        match (bytes(write), bytes(access)) {
            (Some(written), Some(asked)) => written.contains(asked),
            _ => false,
        }
    }

    /// The position of a write in its location's coherence order.
    pub fn co_position(&self, write: Slot) -> usize {
        if write.is_init() { 0 } else { self.event(write).co as usize }
    }

    /// The location of `access`, created on first use. Fails for an access that shares some bytes, but not all, with
    /// a known location, and returns the access of that location.
    #[inline]
    pub fn locate(&mut self, access: Access, initial: impl FnOnce() -> Initial) -> Result<LocId, Access> {
        let known =
            self.blocks.get(&(access.addr.0 / 8)).map_or(0, |block| block[(access.addr.0 % 8) as usize]);
        if known != 0 {
            let loc = LocId::new(known as usize - 1);
            let known = self.locations[loc.index()].access;
            if (known.addr, known.size) == (access.addr, access.size) {
                return Ok(loc);
            }
        }
        self.locate_new(access, initial)
    }

    /// The same for an access that is not exactly a known location.
    #[cold]
    fn locate_new(&mut self, access: Access, initial: impl FnOnce() -> Initial) -> Result<LocId, Access> {
        let offset = (access.addr.0 % 8) as usize;
        let bytes = offset..offset + usize::from(access.size);
        if bytes.end > 8 {
            return self.locate_large(access, initial);
        }
        let block = self.blocks.entry(access.addr.0 / 8).or_insert([0; 8]);
        if let Some(&known) = block[bytes.clone()].iter().find(|&&known| known != 0) {
            return Err(self.locations[known as usize - 1].access);
        }
        block[bytes].fill(self.locations.len() as u32 + 1);
        Ok(self.add_location(access, initial()))
    }

    /// The same for bytes that span several blocks: an atomic object that is too large for any instruction.
    fn locate_large(&mut self, access: Access, initial: impl FnOnce() -> Initial) -> Result<LocId, Access> {
        let places = (access.addr.0..).take(usize::from(access.size)).map(|at| (at / 8, (at % 8) as usize));
        let known = places.clone().find_map(|(block, byte)| match self.blocks.get(&block)?[byte] {
            0 => None,
            known => Some(LocId::new(known as usize - 1)),
        });
        if let Some(loc) = known {
            return Err(self.locations[loc.index()].access);
        }
        for (block, byte) in places {
            self.blocks.entry(block).or_insert([0; 8])[byte] = self.locations.len() as u32 + 1;
        }
        Ok(self.add_location(access, initial()))
    }

    fn add_location(&mut self, access: Access, initial: Initial) -> LocId {
        let loc = LocId::new(self.locations.len());
        let place = self.by_address.partition_point(|&other| self.locations[other.index()].access < access);
        self.by_address.insert(place, loc);
        self.locations.push(Location::new(access.cell(), initial));
        loc
    }

    /// Adds an event at the end of `thread`.
    pub fn add(&mut self, thread: ThreadId, label: Label, loc: LocId, outcome: Outcome) -> Slot {
        self.reserve_thread(thread);
        let slot = Slot::new(self.events.len());
        let state = &mut self.threads[thread.index()];
        let before = state.slots.last().copied();
        let id = EventId::new(thread, state.slots.len());
        state.slots.push(slot);
        self.clocks.push(before, id);
        let exclusive = self.register(slot, id, &label, loc, &outcome);
        let Outcome { rf, co, value, before } = outcome;
        self.events.push(Event {
            label,
            id,
            loc,
            rf,
            co,
            exclusive,
            is_after_all: false,
            follows_all: false,
            ends_chain: false,
            is_read_earlier: false,
            is_alike: false,
            section: Section::None,
            value,
            before,
        });
        slot
    }

    /// Records that the event at `slot` and all earlier ones of its thread are like those of its twin.
    pub fn set_alike(&mut self, slot: Slot) {
        self.events[slot.index()].is_alike = true;
    }

    /// Records where the thread of the event at `slot` then is.
    pub fn set_section(&mut self, slot: Slot, section: Section) {
        self.events[slot.index()].section = section;
    }

    /// How many events of `thread`, from its first, are like those of its twin.
    pub fn n_alike(&self, thread: ThreadId) -> usize {
        self.thread(thread).partition_point(|&slot| self.event(slot).is_alike)
    }

    /// The new event at `slot` comes after all that its source comes after.
    fn follow(&mut self, slot: Slot, rf: Slot) {
        if !rf.is_init() && rf < slot {
            self.clocks.join(ClockKind::Porf, slot, ClockKind::Porf, rf);
        }
    }

    /// Enters a new event into the lists of its location or thread. Returns whether it is half of a read-modify-write.
    #[inline]
    fn register(&mut self, slot: Slot, id: EventId, label: &Label, loc: LocId, outcome: &Outcome) -> bool {
        match *label {
            Label::Read { access, order, rmw } => {
                let location = &mut self.locations[loc.index()];
                location.reads.push(slot);
                location.has_plain |= !order.is_atomic();
                self.follow(slot, outcome.rf);
                return rmw.writes_after(access, outcome.value);
            }
            Label::Write { access, order, exclusive, .. } => {
                let position = outcome.co as usize;
                let location = &mut self.locations[loc.index()];
                location.has_plain |= !order.is_atomic();
                location.has_parts |= !exclusive && !access.is_whole();
                if position == location.co.len() {
                    location.co.push(slot);
                } else {
                    location.co.insert(position, slot);
                    let later = &location.co[position + 1..];
                    later.iter().for_each(|write| self.events[write.index()].forget_list());
                    self.renumber(loc, position + 1);
                }
                return exclusive;
            }
            Label::Alloc { addr, .. } => {
                self.list_alloc(slot, id.thread(), addr);
                self.n_allocs += 1;
            }
            Label::Free { .. } => self.frees.push(slot),
            Label::Spawn { child, .. } => {
                self.reserve_thread(child);
                self.threads[child.index()].spawn = Some(id);
            }
            Label::Fence { order } if order.is_release() => {
                self.threads[id.thread().index()].release_fences.push(slot);
            }
            Label::Begin | Label::Join { .. } => self.follow(slot, outcome.rf),
            Label::End | Label::Fence { .. } => {}
        }
        false
    }

    /// Enters an allocation into its thread's list, which is in the order of addresses.
    pub(crate) fn list_alloc(&mut self, slot: Slot, thread: ThreadId, addr: Addr) {
        let events = &self.events;
        let is_above = |other: &&Slot| match events[other.index()].label {
            Label::Alloc { addr: other, .. } => other > addr,
            ref label => unreachable!("{label:?} in the list of allocations"),
        };
        let allocs = &mut self.threads[thread.index()].allocs;
        let n_above = allocs.iter().rev().take_while(is_above).count();
        allocs.insert(allocs.len() - n_above, slot);
    }

    /// Updates the `co` positions of the writes from `position` on after a change of the list.
    pub(crate) fn renumber(&mut self, loc: LocId, position: usize) {
        for (index, &write) in self.locations[loc.index()].co.iter().enumerate().skip(position.max(1)) {
            self.events[write.index()].co = index as u32;
        }
    }

    /// Removes the last event. Returns its thread and the position of the thread's run before it.
    pub fn pop(&mut self) -> (ThreadId, Position) {
        let last = self.events.len() - 1;
        let event = &self.events[last];
        let taken_back = (event.id.thread(), event.before);
        let state = &mut self.threads[event.id.thread().index()];
        state.slots.pop();
        match event.label {
            Label::Read { .. } => {
                self.locations[event.loc.index()].reads.pop();
            }
            Label::Write { .. } => {
                let (loc, place) = (event.loc, event.co as usize);
                let co = &mut self.locations[loc.index()].co;
                if place + 1 == co.len() {
                    co.pop();
                } else {
                    co.remove(place);
                    self.renumber(loc, place);
                }
            }
            Label::Alloc { .. } => {
                let place = state.allocs.iter().rposition(|&alloc| alloc.index() == last);
                state.allocs.remove(place.expect("an allocation is listed"));
                self.n_allocs -= 1;
            }
            Label::Free { .. } => {
                self.frees.pop();
            }
            Label::Spawn { child, .. } => self.threads[child.index()].spawn = None,
            Label::Fence { order } if order.is_release() => {
                state.release_fences.pop();
            }
            Label::Begin | Label::End | Label::Fence { .. } | Label::Join { .. } => {}
        }
        self.events.truncate(last);
        self.clocks.pop();
        taken_back
    }

    /// Gives a location another coherence order of the same writes.
    pub fn set_co(&mut self, loc: LocId, order: &[Slot]) {
        let co = &mut self.locations[loc.index()].co;
        debug_assert_eq!(co.len(), order.len());
        co.copy_from_slice(order);
        order[1..].iter().for_each(|write| self.events[write.index()].forget_list());
        self.renumber(loc, 1);
    }

    /// Makes `read`, the last event of its thread, read from `write`, and recomputes its clock. The model does the
    /// same for its own clocks.
    pub fn set_rf(&mut self, read: Slot, write: Slot, value: Value) {
        debug_assert_eq!(self.last_of(self.event(read).id.thread()), Some(read));
        let before = self.po_before(read);
        let event = &mut self.events[read.index()];
        let Label::Read { access, rmw, .. } = event.label else { panic!("set_rf of {:?}", event.label) };
        event.rf = write;
        event.forget_list();
        event.is_alike = false;
        event.section = Section::None;
        event.value = value;
        event.exclusive = rmw.writes_after(access, value);
        let id = event.id;
        self.clocks.restart(ClockKind::Porf, read, before, id);
        if !write.is_init() {
            self.events[write.index()].is_read_earlier |= read < write;
            self.clocks.join(ClockKind::Porf, read, ClockKind::Porf, write);
        }
    }

    /// Makes room for `thread` in the per-thread lists and the clocks.
    #[inline]
    fn reserve_thread(&mut self, thread: ThreadId) {
        if thread.index() >= self.width {
            self.widen(thread);
        }
    }

    #[cold]
    fn widen(&mut self, thread: ThreadId) {
        let least = (thread.index() + 1).max(self.width + self.width / 4);
        self.width = least.next_multiple_of(4);
        self.threads.resize(self.width, ThreadState::default());
        self.ranks.resize(self.width, 0);
        self.clocks.widen(self.width);
    }
}
