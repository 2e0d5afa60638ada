//! The machine: memory, buffers, and the trace that led to their state; one step forward, one step back.
//!
//! Everything follows the trace's stack discipline: [`Machine::push_thread`] and [`Machine::push_update`] perform a
//! step, [`Machine::pop`] takes the last one back. Nothing is allocated once the vectors have grown.

use super::Buffers;
use super::enabled::Busy;
use super::process::{MachineThread, ProcId, Process, Role};
use super::sleep::Move;
use super::step::{
    Act, BufferEffect, MemoryEffect, NONE, Next, NextsBefore, Replaced, RunPositions, TraceStep,
};
use super::trace::{Race, TraceClocks};
use atropos_event::{Access, Label, Mapping, Position, Rmw, ThreadId, Value};
use atropos_graph::barrier::{Barrier, barrier_of_label};
use atropos_graph::{LocId, Slot};

/// A location of memory.
#[derive(Clone, Debug)]
pub struct Cell {
    pub initial: Value,
    /// The step that wrote it last.
    pub last_write: u32,
    /// The steps that issued its writes, in memory order.
    pub writes: Vec<u32>,
    /// Steps that read it, or count as reads; those from `first_reader` on read the last write.
    pub readers: Vec<u32>,
    pub first_reader: u32,
    /// Whether parts of it have been stored to, in this trace or an earlier one.
    pub is_mixed: bool,
}

pub struct Machine {
    pub buffers: Buffers,
    pub mapping: Mapping,
    pub procs: Vec<Process>,
    pub(crate) busy: Busy,
    /// By thread number.
    pub threads: Vec<MachineThread>,
    /// By location number.
    pub cells: Vec<Cell>,
    pub steps: Vec<TraceStep>,
    /// The same as moves, for optimal-DPOR, which looks at them again and again.
    pub(crate) moves: Vec<Move>,
    pub(crate) keeps_moves: bool,
    /// What the steps of threads did and do next. Entries do not move while the trace grows.
    pub nexts: Vec<Next>,
    pub clocks: TraceClocks,
    /// The races of the trace, in the order of their second steps.
    pub races: Vec<Race>,
    /// Whether some cell is mixed.
    pub has_mixed: bool,
    /// Scratch space: the steps that the latest one conflicts with.
    pub(crate) rivals: Vec<u32>,
}

impl Machine {
    pub fn new(buffers: Buffers, mapping: Mapping) -> Self {
        let mut machine = Machine {
            buffers,
            mapping,
            procs: Vec::new(),
            busy: Busy::default(),
            threads: Vec::new(),
            cells: Vec::new(),
            steps: Vec::new(),
            moves: Vec::new(),
            keeps_moves: false,
            nexts: Vec::new(),
            clocks: TraceClocks::default(),
            races: Vec::new(),
            has_mixed: false,
            rivals: Vec::new(),
        };
        machine.meet(ThreadId::MAIN);
        machine.threads[ThreadId::MAIN.index()].exists = true;
        machine
    }

    /// Makes room for a thread.
    pub fn meet(&mut self, thread: ThreadId) {
        while self.threads.len() <= thread.index() {
            let number = ThreadId::new(self.threads.len());
            let proc = self.add_process(Process::new(number, Role::Thread));
            self.threads.push(MachineThread::new(proc));
        }
    }

    /// Makes room for a location.
    pub fn meet_location(&mut self, loc: LocId, initial: Value) {
        if loc.index() == self.cells.len() {
            let (writes, readers) = (Vec::new(), Vec::new());
            let cell = Cell { initial, last_write: NONE, writes, readers, first_reader: 0, is_mixed: false };
            self.cells.push(cell);
        }
        debug_assert!(loc.index() < self.cells.len(), "locations are met in the order of their numbers");
    }

    fn add_process(&mut self, process: Process) -> ProcId {
        let proc = ProcId::new(self.procs.len());
        self.busy.meet(proc, process.role);
        self.procs.push(process);
        self.clocks.widen(self.procs.len());
        proc
    }

    /// The effect of `label` here. The model decides what is a barrier.
    #[inline]
    fn act_of(&self, label: &Label, barrier: Option<Barrier>) -> Act {
        let is_buffered = self.buffers != Buffers::None && barrier != Some(Barrier::Full);
        match *label {
            Label::Read { rmw: Rmw::None, .. } => Act::Load,
            Label::Read { rmw: Rmw::Merge { .. }, .. } if is_buffered => Act::Store,
            Label::Read { .. } => Act::Rmw,
            Label::Write { .. } if is_buffered => Act::Store,
            Label::Write { .. } => Act::Direct,
            Label::Join { child } => Act::Join(child),
            Label::Begin
            | Label::End
            | Label::Spawn { .. }
            | Label::Fence { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => match barrier {
                Some(Barrier::Full) => Act::Barrier,
                Some(Barrier::Stores) => Act::StoreBarrier,
                None => Act::Local,
            },
        }
    }

    /// The next step of `thread` is `label`; called once per step.
    #[inline]
    pub fn set_next(
        &mut self,
        thread: ThreadId,
        label: Label,
        loc: LocId,
        is_quiet: bool,
        held: Option<Value>,
    ) {
        let barrier = barrier_of_label(label, self.mapping);
        let act = self.act_of(&label, barrier);
        let is_release = act == Act::Store && barrier == Some(Barrier::Stores);
        let merges = act == Act::Store && label.is_merge();
        let state = &mut self.threads[thread.index()];
        self.busy.set_next(state.proc, act, is_quiet, self.buffers != Buffers::None);
        (state.act, state.next) = (Some(act), self.nexts.len() as u32);
        self.nexts.push(Next { act, label, loc, is_release, merges, is_quiet, held });
    }

    /// `thread` has no next step.
    pub fn set_idle(&mut self, thread: ThreadId) {
        let state = &mut self.threads[thread.index()];
        self.busy.set_idle(state.proc);
        (state.act, state.next) = (None, self.nexts.len() as u32);
    }

    /// The newest store of `thread` to any of these bytes of `loc` that has entered a buffer.
    pub fn newest_store(&self, thread: ThreadId, loc: LocId, bytes: Access) -> u32 {
        let updaters = self.threads[thread.index()].updaters.iter();
        let newest = |process: &Process| match process.role {
            Role::Thread => None,
            Role::Updater => {
                let is_wanted = |&store: &u32| {
                    let step = &self.steps[store as usize];
                    step.loc == loc && (!step.memory.merges || self.bytes_of(store).overlaps(bytes))
                };
                process.queue.iter().copied().rev().find(is_wanted)
            }
            Role::UpdaterOf(of, part) if of == loc && part.overlaps(bytes) => process.queue.last().copied(),
            Role::UpdaterOf(..) => None,
        };
        updaters.filter_map(|updater| newest(&self.procs[updater.index()])).max().unwrap_or(NONE)
    }

    /// The updater of the bytes that a store of `thread` to `loc`, at `next` in the list, writes.
    #[inline]
    fn updater_of(&mut self, thread: ThreadId, loc: LocId, next: u32) -> ProcId {
        let is_per_location = self.buffers == Buffers::PerLocation;
        let is_it = |updater: &&ProcId| match self.procs[updater.index()].role {
            Role::UpdaterOf(of, part) => of == loc && part == self.bytes(next),
            Role::Updater | Role::Thread => true,
        };
        if let Some(&known) = self.threads[thread.index()].updaters.iter().find(is_it) {
            return known;
        }
        let role = if is_per_location { Role::UpdaterOf(loc, self.bytes(next)) } else { Role::Updater };
        let proc = self.add_process(Process::new(thread, role));
        self.threads[thread.index()].updaters.push(proc);
        proc
    }

    /// The value of `loc` in memory, and the step that issued it.
    pub fn memory(&self, loc: LocId) -> (Value, u32) {
        let cell = &self.cells[loc.index()];
        let source = cell.writes.last().copied().unwrap_or(NONE);
        (self.value_of(loc, source), source)
    }

    /// The value of the write that the step `source` issued.
    pub fn value_of(&self, loc: LocId, source: u32) -> Value {
        if source == NONE {
            self.cells[loc.index()].initial
        } else {
            self.steps[source as usize].memory.value_written
        }
    }

    /// Whether some of `bytes` are written if memory holds what `source` issued, or what that has merged with.
    pub fn is_written(&self, bytes: Access, mut source: u32) -> bool {
        while source != NONE {
            let step = &self.steps[source as usize];
            match self.nexts[step.nexts.next as usize].label {
                Label::Read { access, .. } if !access.part().overlaps(bytes) => source = step.memory.source,
                _ => return true,
            }
        }
        false
    }

    /// Performs the next step of `thread`, whose run is at `before`; returns the value for the thread.
    #[inline]
    pub fn push_thread(&mut self, thread: ThreadId, before: Position, mark: Position) -> Value {
        let MachineThread { proc, next: place, barrier, .. } = self.threads[thread.index()];
        let Next { act, label, loc, is_release, merges, .. } = self.nexts[place as usize];
        let mut step = self.blank(proc, act, loc);
        (step.nexts.next, step.nexts.n_before) = (place, self.nexts.len() as u32);
        (step.run.before, step.run.mark) = (before, mark);
        match label {
            Label::Read { .. } if merges => {
                // Until the store is in memory, only the bytes that it writes itself are meaningful.
                (step.memory.merges, step.memory.value_written) = (true, self.merged(place, 0));
                step.buffer.waits = if is_release { self.steps.len() as u32 } else { barrier };
            }
            Label::Read { access, rmw, .. } => {
                let may_forward = act == Act::Load && self.buffers != Buffers::None;
                let newest = if may_forward { self.newest_store(thread, loc, access.part()) } else { NONE };
                let is_buffered = newest != NONE && self.steps[newest as usize].buffer.updated_at == NONE;
                let own = if newest != NONE && self.covers(newest, place) { newest } else { NONE };
                let is_forwarded = is_buffered && own != NONE;
                (step.memory.value_read, step.memory.source) =
                    if is_forwarded { (self.value_of(loc, own), own) } else { self.memory(loc) };
                (step.buffer.store, step.memory.reads) = (own, !is_forwarded);
                if act == Act::Load && step.memory.reads && self.cells[loc.index()].is_mixed {
                    step.memory.value_read = self.with_buffered(thread, loc, step.memory.value_read);
                    step.memory.source = if is_buffered { newest } else { step.memory.source };
                }
                if let Some((value, _)) = rmw.write_after(access, step.memory.value_read) {
                    (step.memory.value_written, step.memory.writes) = (value, true);
                }
            }
            Label::Write { access, value, .. } => {
                step.memory.value_written = access.truncate(value);
                step.memory.writes = act == Act::Direct;
                step.buffer.waits = if is_release { self.steps.len() as u32 } else { barrier };
            }
            _ => {}
        }
        let value = step.memory.value_read;
        self.threads[thread.index()].n_events += n_events(&step);
        self.enter(step);
        self.apply(self.steps.len() - 1);
        match label {
            Label::Spawn { child, .. } => {
                self.meet(child);
                let child = &mut self.threads[child.index()];
                (child.exists, child.spawn) = (true, Some(self.steps.len() as u32 - 1));
            }
            Label::End => self.threads[thread.index()].has_ended = true,
            _ => {}
        }
        value
    }

    /// Moves the oldest store of the updater's buffer to memory.
    pub fn push_update(&mut self, proc: ProcId) {
        let store = self.procs[proc.index()].oldest().expect("a buffered store");
        let mut step = self.blank(proc, Act::Update, self.steps[store as usize].loc);
        (step.buffer.store, step.memory.writes) = (store, true);
        if self.steps[store as usize].memory.merges {
            self.merge(store);
        }
        self.enter(step);
        self.apply(self.steps.len() - 1);
    }

    /// The store to a part, about to leave its buffer, takes the value of the whole cell.
    fn merge(&mut self, store: u32) {
        let TraceStep { loc, nexts: NextsBefore { next, .. }, .. } = self.steps[store as usize];
        let (value, source) = self.memory(loc);
        let merged = self.merged(next, value);
        let step = &mut self.steps[store as usize];
        (step.memory.source, step.memory.value_written) = (source, merged);
    }

    /// Whether the step `store` has written all bytes of the load at `next` in the list.
    pub fn covers(&self, store: u32, next: u32) -> bool {
        let asked = self.nexts[next as usize].label.access().map(Access::part);
        !self.steps[store as usize].memory.merges
            || asked.is_some_and(|asked| self.bytes_of(store).contains(asked))
    }

    /// The value of the cell after a store to a part, at `next` in the list, if it was `value`.
    pub fn merged(&self, next: u32, value: Value) -> Value {
        let Label::Read { access, rmw, .. } = self.nexts[next as usize].label else {
            unreachable!("a store to a part begins with a read")
        };
        rmw.write_after(access, value).map_or(value, |(merged, _)| merged)
    }

    #[inline]
    fn blank(&self, proc: ProcId, act: Act, loc: LocId) -> TraceStep {
        let process = &self.procs[proc.index()];
        TraceStep {
            proc,
            index: process.steps.len() as u32 + 1,
            thread: process.thread,
            act,
            loc,
            memory: MemoryEffect {
                reads: false,
                writes: false,
                merges: false,
                source: NONE,
                value_read: 0,
                value_written: 0,
            },
            buffer: BufferEffect { updated_at: NONE, store: NONE, waits: 0, forwarded: NONE },
            replaced: Replaced { write: NONE, readers: (0, 0), barrier: 0 },
            nexts: NextsBefore { next: NONE, n_before: 0 },
            run: RunPositions { before: Position(0), after: Position(0), mark: Position(0) },
            slot: Slot::INIT,
            n_races: 0,
        }
    }

    /// Appends a step to the trace and orders it; memory and buffers are as before it.
    #[inline]
    fn enter(&mut self, step: TraceStep) {
        let (place, proc) = (self.steps.len() as u32, step.proc);
        if self.keeps_moves {
            self.moves.push(self.move_of(&step));
        }
        self.steps.push(step);
        self.order(place);
        self.steps[place as usize].n_races = self.races.len() as u32;
        self.procs[proc.index()].steps.push(place);
    }

    /// The effect of the step at `place` on memory and buffers.
    #[inline]
    fn apply(&mut self, place: usize) {
        let TraceStep {
            proc,
            act,
            thread,
            loc,
            memory: MemoryEffect { reads, writes, merges, .. },
            buffer: BufferEffect { store, .. },
            nexts: NextsBefore { next, .. },
            ..
        } = self.steps[place];
        if loc != LocId::NONE {
            let cell = &self.cells[loc.index()];
            self.steps[place].replaced.write = cell.last_write;
            self.steps[place].replaced.readers = (cell.readers.len() as u32, cell.first_reader);
        }
        match act {
            Act::Store => {
                let updater = self.updater_of(thread, loc, next);
                self.procs[updater.index()].queue.push(place as u32);
                self.busy.set(updater, true);
                self.threads[thread.index()].n_buffered += 1;
                if merges {
                    (self.has_mixed, self.cells[loc.index()].is_mixed) = (true, true);
                }
            }
            Act::StoreBarrier => {
                let thread = &mut self.threads[thread.index()];
                self.steps[place].replaced.barrier = thread.barrier;
                thread.barrier = place as u32;
            }
            Act::Update => {
                self.threads[thread.index()].n_buffered -= 1;
                self.busy.set(proc, self.procs[proc.index()].oldest().is_some());
                self.steps[store as usize].buffer.updated_at = place as u32;
                self.write(place as u32, store);
            }
            Act::Load if !reads => {
                self.steps[place].buffer.forwarded = self.steps[store as usize].buffer.forwarded;
                self.steps[store as usize].buffer.forwarded = place as u32;
            }
            Act::Load | Act::Rmw | Act::Direct => {
                if writes {
                    self.write(place as u32, place as u32);
                } else {
                    self.cells[loc.index()].readers.push(place as u32);
                }
            }
            Act::Barrier | Act::Join(_) | Act::Local => {}
        }
    }

    /// The step at `place` writes to memory what the step `issuer` issued. Loads that were served from the
    /// buffer read it, and what overwrites it conflicts with them.
    fn write(&mut self, place: u32, issuer: u32) {
        let TraceStep { loc, .. } = self.steps[place as usize];
        let cell = &mut self.cells[loc.index()];
        cell.last_write = place;
        cell.writes.push(issuer);
        cell.first_reader = cell.readers.len() as u32;
        if place != issuer {
            let mut load = self.steps[issuer as usize].buffer.forwarded;
            while load != NONE {
                self.cells[loc.index()].readers.push(load);
                load = self.steps[load as usize].buffer.forwarded;
            }
        }
    }

    /// Takes the last step back; the caller rewinds the run of its thread.
    #[inline]
    pub fn pop(&mut self) {
        let place = self.steps.len() - 1;
        let step = self.steps[place];
        self.steps.truncate(place);
        self.moves.pop();
        self.procs[step.proc.index()].steps.pop();
        self.clocks.pop();
        let n_races = self.steps.last().map_or(0, |before| before.n_races);
        self.races.truncate(n_races as usize);
        if step.memory.reads || step.memory.writes {
            let cell = &mut self.cells[step.loc.index()];
            let (n_readers, first_reader) = step.replaced.readers;
            cell.readers.truncate(n_readers as usize);
            if step.memory.writes {
                (cell.last_write, cell.first_reader) = (step.replaced.write, first_reader);
                cell.writes.pop();
            }
        }
        let thread = &mut self.threads[step.thread.index()];
        match step.act {
            Act::Store => {
                thread.n_buffered -= 1;
                let updater = self.updater_of(step.thread, step.loc, step.nexts.next);
                self.procs[updater.index()].queue.pop();
                self.busy.set(updater, self.procs[updater.index()].oldest().is_some());
            }
            Act::StoreBarrier => thread.barrier = step.replaced.barrier,
            Act::Update => {
                thread.n_buffered += 1;
                self.busy.set(step.proc, true);
                self.steps[step.buffer.store as usize].buffer.updated_at = NONE;
                return;
            }
            Act::Load if !step.memory.reads => {
                self.steps[step.buffer.store as usize].buffer.forwarded = step.buffer.forwarded
            }
            Act::Load | Act::Rmw | Act::Direct | Act::Barrier | Act::Join(_) | Act::Local => {}
        }
        self.nexts.truncate(step.nexts.n_before as usize);
        let thread = &mut self.threads[step.thread.index()];
        thread.n_events -= n_events(&step);
        (thread.act, thread.next) = (Some(step.act), step.nexts.next);
        let next = &self.nexts[step.nexts.next as usize];
        self.busy.set_next(step.proc, step.act, next.is_quiet, self.buffers != Buffers::None);
        match next.label {
            Label::Spawn { child, .. } => {
                let child = &mut self.threads[child.index()];
                (child.exists, child.spawn) = (false, None);
                self.busy.set_idle(child.proc);
            }
            Label::End => thread.has_ended = false,
            _ => {}
        }
    }
}

/// The number of events of the graph for a step of a thread.
fn n_events(step: &TraceStep) -> usize {
    if step.act == Act::Rmw && step.memory.writes { 2 } else { 1 }
}
