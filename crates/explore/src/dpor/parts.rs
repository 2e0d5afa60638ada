//! Locations with stores to parts of them, on machines with store buffers [ALGORITHMS §F.5].
//!
//! Memory and buffers hold bytes. A load takes each byte from the newest own store in the buffer that has it, or else
//! from memory. So a load and an update of its own thread commute, whatever their bytes: the load sees the same before
//! and after the update. Two updates of one thread commute if they share no byte; otherwise they keep their order.
//! Accesses of different threads conflict as if they accessed the same bytes. This may distinguish more traces than
//! there are executions, but loses none. If the newest own store has written all bytes of a load, the load conflicts
//! with nothing while that store is buffered, as for other locations.
//!
//! Since there are no edges here between steps of one thread, the last step does not stand for the earlier ones: the
//! search examines the whole history of a location.

use super::machine::Machine;
use super::process::{ProcId, Role};
use super::step::{Act, BufferEffect, MemoryEffect, NONE, TraceStep};
use super::trace::Race;
use atropos_event::{Access, Label, ThreadId, Value};
use atropos_graph::LocId;
use std::borrow::Cow;

impl Machine {
    /// The bytes of the access at `next` in the list.
    pub(crate) fn bytes(&self, next: u32) -> Access {
        self.nexts[next as usize].label.access().expect("an access").part()
    }

    /// The bytes that the step at `place` reads or writes.
    pub(crate) fn bytes_of(&self, place: u32) -> Access {
        self.bytes(self.steps[place as usize].nexts.next)
    }

    /// Whether these stores write some of the same bytes.
    pub(crate) fn overlap(&self, store: u32, other: u32) -> bool {
        let [first, second] = [store, other].map(|store| self.steps[store as usize].loc);
        first == second && self.bytes_of(store).overlaps(self.bytes_of(other))
    }

    /// The step that issued what the step `write` wrote to memory.
    pub(crate) fn issuer_of(&self, write: u32) -> u32 {
        match write {
            NONE => NONE,
            _ if self.steps[write as usize].act == Act::Update => self.steps[write as usize].buffer.store,
            _ => write,
        }
    }

    /// The step at which what the step `issuer` issued reached memory.
    pub(crate) fn written_at(&self, issuer: u32) -> u32 {
        match self.steps[issuer as usize].act {
            Act::Store => self.steps[issuer as usize].buffer.updated_at,
            _ => issuer,
        }
    }

    /// The value of the cell after a store.
    fn stored(&self, store: u32, value: Value) -> Value {
        let next = self.steps[store as usize].nexts.next;
        match self.nexts[next as usize].label {
            Label::Write { access, value, .. } => access.truncate(value),
            _ => self.merged(next, value),
        }
    }

    /// What `thread` sees of the cell if memory holds `value`.
    pub(crate) fn with_buffered(&self, thread: ThreadId, loc: LocId, value: Value) -> Value {
        let updaters = self.threads[thread.index()].updaters.iter();
        let buffered = updaters.flat_map(|updater| self.procs[updater.index()].buffered());
        let mut own: Vec<u32> =
            buffered.copied().filter(|&store| self.steps[store as usize].loc == loc).collect();
        own.sort_unstable();
        own.into_iter().fold(value, |value, store| self.stored(store, value))
    }

    /// An update comes after the updates, by other updaters, of its thread's older stores to some of the same bytes.
    pub(crate) fn order_after_overlapping(&mut self, proc: ProcId, store: u32) {
        let TraceStep { loc, thread, .. } = self.steps[store as usize];
        if !self.cells[loc.index()].is_mixed {
            return;
        }
        let bytes = self.bytes_of(store);
        for index in 0..self.threads[thread.index()].updaters.len() {
            let updater = self.threads[thread.index()].updaters[index];
            let process = &self.procs[updater.index()];
            let Role::UpdaterOf(of, part) = process.role else { continue };
            let n_older = process.queue.partition_point(|&other| other < store);
            if updater != proc && of == loc && part.overlaps(bytes) && n_older > 0 {
                self.clocks.join(process.steps[n_older - 1]);
            }
        }
    }

    /// The races of the step at `place`, which accesses a mixed location in memory.
    pub(crate) fn find_races_by_bytes(&mut self, place: u32) {
        let TraceStep {
            thread,
            loc,
            memory: MemoryEffect { writes, .. },
            buffer: BufferEffect { store, .. },
            ..
        } = self.steps[place as usize];
        let mut rivals = std::mem::take(&mut self.rivals);
        rivals.clear();
        let cell = &self.cells[loc.index()];
        // A load reads nothing that was in memory before its own store.
        let seen_from =
            if writes || store == NONE { 0 } else { self.steps[store as usize].buffer.updated_at };
        let written = cell.writes.iter().map(|&issuer| self.written_at(issuer));
        let readers = cell.readers.iter().copied().filter(|_| writes);
        rivals.extend(written.filter(|&write| write >= seen_from).chain(readers));
        rivals.sort_unstable_by_key(|&rival| std::cmp::Reverse(rival));
        for &first in &rivals {
            let step = &self.steps[first as usize];
            if step.thread != thread && !self.clocks.last_contains(step) {
                self.clocks.join(first);
                self.races.push(Race { first, second: place });
            }
        }
        self.rivals = rivals;
    }

    /// What happens before the second step of a race when it comes first. A step that overwrites, or reads, what the
    /// first one wrote then only has its conflicts by other parts of the location. (Loads between them that read a
    /// store of their own thread are then served from the buffer, if the first step keeps that store out of memory.)
    #[inline]
    pub(crate) fn reversed_row(&self, race: Race) -> Cow<'_, [u32]> {
        if !self.steps[race.first as usize].memory.writes {
            return Cow::Borrowed(self.clocks.row(race.second));
        }
        let is_mixed = || self.cells[self.steps[race.second as usize].loc.index()].is_mixed;
        if self.has_mixed && is_mixed() {
            return Cow::Owned(self.reversed_row_by_bytes(race));
        }
        Cow::Borrowed(self.clocks.own_row(race.second))
    }

    fn reversed_row_by_bytes(&self, race: Race) -> Vec<u32> {
        let mut clock = self.clocks.own_row(race.second).to_vec();
        for other in race.first + 1..self.steps.len() as u32 {
            if other != race.second && self.stays_before(other, race) {
                let others = self.clocks.row(other);
                clock.iter_mut().zip(others).for_each(|(entry, &other)| *entry = other.max(*entry));
            }
        }
        clock
    }

    /// Whether the second step of a race still conflicts with the step `other` when it comes before the first one.
    /// After the second step, only a load of the first one's thread can be such a step.
    fn stays_before(&self, other: u32, race: Race) -> bool {
        let Race { first, second } = race;
        let TraceStep { thread, loc, .. } = self.steps[second as usize];
        // A compare-and-swap that fails may then succeed, and so conflict with loads that it does not conflict with
        // now.
        let writes = self.writes_if_reversed(race);
        let step = &self.steps[other as usize];
        if step.thread == thread || step.loc != loc || self.happens_before(first, other) {
            return false;
        }
        let is_in_memory = |store: u32| {
            let updated_at = self.steps[store as usize].buffer.updated_at;
            updated_at < second && !self.happens_before(first, updated_at)
        };
        match step.act {
            Act::Load => writes && (step.buffer.store == NONE || is_in_memory(step.buffer.store)),
            _ => step.memory.writes || (step.memory.reads && writes),
        }
    }

    /// The earlier races whose meaning the step at `place` changes: those between an update of its thread and a
    /// compare-and-swap that fails but succeeds if it comes first. The step, a load from memory, then comes before it.
    pub(crate) fn races_to_plan_again(&self, place: u32) -> impl Iterator<Item = Race> + '_ {
        let TraceStep { act, thread, loc, memory: MemoryEffect { reads, .. }, .. } =
            self.steps[place as usize];
        let is_concerned = act == Act::Load && reads && self.cells[loc.index()].is_mixed;
        self.races.iter().copied().filter(move |&race| {
            let Race { first, second } = race;
            let (update, rmw) = (&self.steps[first as usize], &self.steps[second as usize]);
            is_concerned
                && (update.act, update.thread, update.loc) == (Act::Update, thread, loc)
                && rmw.act == Act::Rmw
                && !rmw.memory.writes
                && second < place
                && !self.happens_before(first, place)
                && self.writes_if_reversed(race)
        })
    }

    /// Whether the second step of a race writes to memory when it comes first. A compare-and-swap then reads another
    /// value.
    pub(crate) fn writes_if_reversed(&self, race: Race) -> bool {
        let step = &self.steps[race.second as usize];
        let TraceStep { replaced, memory: MemoryEffect { writes, .. }, .. } = self.steps[race.first as usize];
        if step.act == Act::Rmw
            && writes
            && let Label::Read { access, rmw, .. } = self.nexts[step.nexts.next as usize].label
        {
            let value = self.value_of(step.loc, self.issuer_of(replaced.write));
            return rmw.writes_after(access, self.with_parts_kept(race, value));
        }
        step.memory.writes
    }

    /// What the location holds when the second step of a race comes first, if it is `value` before the first one:
    /// includes what other updates have written between them.
    fn with_parts_kept(&self, Race { first, second }: Race, value: Value) -> Value {
        let loc = self.steps[second as usize].loc;
        if !self.cells[loc.index()].is_mixed {
            return value;
        }
        let is_kept = |&place: &u32| {
            let TraceStep { act, loc: written, .. } = self.steps[place as usize];
            act == Act::Update && written == loc && !self.happens_before(first, place)
        };
        let kept = (first + 1..second).filter(is_kept);
        kept.fold(value, |value, place| self.stored(self.steps[place as usize].buffer.store, value))
    }

    /// The writes of a mixed location in memory order, by the steps that issued them. Updates of one thread without an
    /// access of another thread between them are in the order of their stores, so that equivalent traces have the same
    /// order; what is still buffered comes last.
    pub(crate) fn memory_order(&self, loc: LocId) -> Vec<u32> {
        let mut order: Vec<u32> = Vec::new();
        let mut group = 0;
        for (place, step) in (0..).zip(&self.steps).filter(|(_, step)| step.loc == loc) {
            let is_foreign = |&write: &u32| self.steps[write as usize].thread != step.thread;
            if (step.memory.reads || step.memory.writes) && order.last().is_some_and(is_foreign) {
                order[group..].sort_unstable();
                group = order.len();
            }
            if step.memory.writes {
                order.push(self.issuer_of(place));
            }
        }
        order[group..].sort_unstable();
        let is_buffered = |&(_, step): &(u32, &TraceStep)| {
            step.act == Act::Store && step.loc == loc && step.buffer.updated_at == NONE
        };
        order.extend((0..).zip(&self.steps).filter(is_buffered).map(|(place, _)| place));
        order
    }

    /// The source of the step at `place`, which reads a mixed location, as in all equivalent traces: an own store that
    /// has written all bytes of the access, or the last write of another thread; for a read-modify-write, the last
    /// write. `order` is the memory order.
    pub(crate) fn source_by_bytes(&self, place: u32, order: &[u32]) -> u32 {
        let TraceStep {
            thread,
            act,
            buffer: BufferEffect { store, .. },
            memory: MemoryEffect { reads, .. },
            ..
        } = self.steps[place as usize];
        if act == Act::Load && !reads {
            return store;
        }
        let may_be_source = |&&write: &&u32| {
            let is_seen = act != Act::Load || write == store || self.steps[write as usize].thread != thread;
            is_seen && self.written_at(write) < place
        };
        order.iter().rev().find(may_be_source).copied().unwrap_or(NONE)
    }
}
