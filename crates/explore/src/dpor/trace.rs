//! Chronological happens-before and its races [Nidhugg §3, ALGORITHMS §F.2, §F.3].
//!
//! Each step has a vector clock of what happens before it. A new step comes directly after
//!
//! * the step of its process before it, or the creation of its thread (`po`);
//! * an update after its store (`su`); a barrier after the last update of each of its thread's buffers (`uf`); an
//!   update that waits, after the updates it waited for; a join after the end of the joined thread;
//! * a write of memory after the write before it (`uu`);
//! * a read of memory after the write it reads, unless it is of the same thread (`src`);
//! * a write of memory after the reads of what it overwrites, unless of the same thread (`cf`). A load that was
//!   served from the buffer counts as a read of its store from the moment the store is in memory.
//!
//! No edge relates a load to an update of its own thread: that is what makes stores invisible that only their own
//! thread has seen. [`crate::dpor::parts`] has the rules for stores to parts of a location. A *race* is an edge of the
//! last three kinds between different threads with no step between the two; no other edge can be reversed.
//! [`crate::dpor::mutex`] has the exception, mutexes.

use super::machine::Machine;
use super::process::ProcId;
use super::sleep::Effect;
use super::step::{Act, BufferEffect, MemoryEffect, NONE, TraceStep};

/// Two steps that could have the other order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    pub first: u32,
    pub second: u32,
}

/// One vector clock per step: for each process, how many of its steps happen before it, itself included. A step that
/// accesses memory has a second clock, without the reversible edges into the step itself.
#[derive(Clone, Debug)]
pub struct TraceClocks {
    /// The clocks by fours of processes. Grows only; the first `2 * n_steps` rows are in use.
    rows: Vec<[u32; 4]>,
    n_steps: usize,
    /// The length of a row, in fours.
    width: usize,
    /// The start of the clock under construction.
    top: usize,
}

impl Default for TraceClocks {
    fn default() -> Self {
        TraceClocks { rows: Vec::new(), n_steps: 0, width: 1, top: 0 }
    }
}

impl TraceClocks {
    pub fn row(&self, step: u32) -> &[u32] {
        self.at(2 * step as usize + 1)
    }

    /// The same without the reversible edges into the step. Only for steps that access memory.
    pub fn own_row(&self, step: u32) -> &[u32] {
        self.at(2 * step as usize)
    }

    /// The entries for `proc` in the clocks of `step` and all later steps.
    pub fn entries(&self, step: u32, proc: ProcId) -> impl Iterator<Item = u32> {
        let (four, place) = (proc.index() / 4, proc.index() % 4);
        let end = 2 * self.n_steps * self.width;
        let start = ((2 * step as usize + 1) * self.width + four).min(end);
        self.rows[start..end].iter().step_by(2 * self.width).map(move |entries| entries[place])
    }

    fn at(&self, row: usize) -> &[u32] {
        self.rows[row * self.width..][..self.width].as_flattened()
    }

    /// Makes room for `n_procs` processes.
    pub fn widen(&mut self, n_procs: usize) {
        if n_procs <= 4 * self.width {
            return;
        }
        let width = n_procs.next_power_of_two() / 4;
        let mut rows = vec![[0; 4]; 2 * self.n_steps * width];
        for (wide, row) in rows.chunks_exact_mut(width).zip(self.rows.chunks_exact(self.width)) {
            wide[..self.width].copy_from_slice(row);
        }
        (self.rows, self.width) = (rows, width);
    }

    /// Begins the clock of the next step with a copy of that of `step`, or an empty one.
    fn push(&mut self, step: Option<u32>) {
        self.top = (2 * self.n_steps + 1) * self.width;
        self.n_steps += 1;
        if self.rows.len() < self.top + self.width {
            self.rows.resize(2 * (self.top + self.width), [0; 4]);
        }
        let (earlier, last) = self.rows.split_at_mut(self.top);
        match step {
            Some(step) => copy(&earlier[(2 * step as usize + 1) * self.width..], &mut last[..self.width]),
            None => last[..self.width].fill([0; 4]),
        }
    }

    pub fn pop(&mut self) {
        self.n_steps -= 1;
    }

    /// All irreversible edges into the step are known.
    fn keep_own(&mut self) {
        let (earlier, last) = self.rows.split_at_mut(self.top);
        let own = self.top - self.width;
        copy(last, &mut earlier[own..]);
    }

    /// Adds the step itself, the `index`-th of `proc`, to both clocks.
    fn add_self(&mut self, proc: ProcId, index: u32) {
        let (four, place) = (proc.index() / 4, proc.index() % 4);
        self.rows[self.top - self.width + four][place] = index;
        self.rows[self.top + four][place] = index;
    }

    /// Adds what is before `step` to the last clock.
    pub(crate) fn join(&mut self, step: u32) {
        let (earlier, last) = self.rows.split_at_mut(self.top);
        let from = &earlier[(2 * step as usize + 1) * self.width..];
        for (entries, others) in last[..self.width].iter_mut().zip(from) {
            for (entry, other) in entries.iter_mut().zip(others) {
                *entry = (*entry).max(*other);
            }
        }
    }

    pub(crate) fn last_contains(&self, step: &TraceStep) -> bool {
        let proc = step.proc.index();
        self.rows[self.top + proc / 4][proc % 4] >= step.index
    }
}

/// Copies a row of the length of `to` from the start of `from`: too short for a call.
#[inline]
fn copy(from: &[[u32; 4]], to: &mut [[u32; 4]]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}

impl Machine {
    /// Whether the step `first` happens before `second`, or equals it.
    pub fn happens_before(&self, first: u32, second: u32) -> bool {
        let TraceStep { proc, index, .. } = self.steps[first as usize];
        self.clocks.row(second)[proc.index()] >= index
    }

    /// The steps behind `first` that do not happen after it, and are no failures to acquire a mutex.
    pub fn steps_beside(&self, first: u32) -> impl Iterator<Item = u32> {
        let TraceStep { proc, index, .. } = self.steps[first as usize];
        let entries = (first + 1..).zip(self.clocks.entries(first + 1, proc));
        let beside = entries.filter(move |&(_, entry)| entry < index).map(|(place, _)| place);
        let may_be_vain =
            |place: u32| self.moves.get(place as usize).is_none_or(|step| step.effect == Effect::Read);
        beside.filter(move |&place| !may_be_vain(place) || !self.is_vain(place))
    }

    /// Computes the clock of the step at `place`, the last one, and its races with earlier steps. Memory and
    /// buffers are as before it.
    pub(crate) fn order(&mut self, place: u32) {
        let TraceStep { proc, index, thread, loc, memory: MemoryEffect { reads, writes, .. }, .. } =
            self.steps[place as usize];
        let spawn = self.threads[thread.index()].spawn;
        let before = self.procs[proc.index()].steps.last().copied();
        let is_thread = self.threads[thread.index()].proc == proc;
        self.clocks.push(before.or(spawn.filter(|_| is_thread)));
        self.order_after_own(place);
        if !reads && !writes {
            self.clocks.add_self(proc, index);
            return;
        }
        self.clocks.keep_own();
        self.clocks.add_self(proc, index);
        let n_races = self.races.len();
        if self.has_mixed && self.cells[loc.index()].is_mixed {
            self.find_races_by_bytes(place);
        } else if let Some(since) = self.disabled_since(place) {
            self.find_races_with(place, since);
            // The release that has enabled the acquisition.
            let last_write = self.cells[loc.index()].last_write;
            if last_write != NONE {
                self.clocks.join(last_write);
            }
        } else if writes {
            self.find_races_with(place, self.cells[loc.index()].last_write);
        } else {
            self.find_race_of_read(place);
        }
        // An edge that is not a race is implied anyway.
        for race in n_races..self.races.len() {
            self.clocks.join(self.races[race].first);
        }
    }

    /// A read comes after the last write, if that is another thread's.
    fn find_race_of_read(&mut self, place: u32) {
        let TraceStep { thread, loc, .. } = self.steps[place as usize];
        let first = self.cells[loc.index()].last_write;
        if first == NONE {
            return;
        }
        let write = &self.steps[first as usize];
        if write.thread != thread && !self.clocks.last_contains(write) {
            self.races.push(Race { first, second: place });
        }
    }

    /// A step comes after a write, and if it writes itself, after the reads of the last write, those of other threads.
    fn find_races_with(&mut self, place: u32, write: u32) {
        let TraceStep { thread, loc, memory: MemoryEffect { writes, .. }, .. } = self.steps[place as usize];
        let cell = &self.cells[loc.index()];
        let readers = cell.readers[cell.first_reader as usize..].iter().copied().filter(|_| writes);
        let rivals = Some(write).filter(|&write| write != NONE).into_iter().chain(readers);
        self.rivals.clear();
        self.rivals.extend(rivals.filter(|&step| {
            let step = &self.steps[step as usize];
            step.thread != thread && !self.clocks.last_contains(step)
        }));
        for &first in &self.rivals {
            if !self.rivals.iter().any(|&other| other != first && self.happens_before(first, other)) {
                self.races.push(Race { first, second: place });
            }
        }
    }

    /// The irreversible edges.
    fn order_after_own(&mut self, place: u32) {
        let TraceStep { proc, thread, act, buffer: BufferEffect { store, .. }, .. } =
            self.steps[place as usize];
        match act {
            Act::Update => {
                self.clocks.join(store);
                let waits = self.steps[store as usize].buffer.waits;
                if waits > 0 {
                    self.order_after_awaited(proc, waits);
                }
                if self.has_mixed {
                    self.order_after_overlapping(proc, store);
                }
            }
            Act::Direct | Act::Rmw | Act::Barrier | Act::Join(_) => {
                for updater in 0..self.threads[thread.index()].updaters.len() {
                    let updater = self.threads[thread.index()].updaters[updater];
                    if let Some(&last) = self.procs[updater.index()].steps.last() {
                        self.clocks.join(last);
                    }
                }
                if let Act::Join(child) = act {
                    let child = self.threads[child.index()].proc;
                    let end = self.procs[child.index()].steps.last();
                    self.clocks.join(*end.expect("a joined thread has ended"));
                }
            }
            Act::Load | Act::Store | Act::StoreBarrier | Act::Local => {}
        }
    }

    /// The updates of the stores before `waits`, except those of `proc` itself.
    fn order_after_awaited(&mut self, proc: ProcId, waits: u32) {
        let thread = self.procs[proc.index()].thread.index();
        for updater in 0..self.threads[thread].updaters.len() {
            let process = &self.procs[self.threads[thread].updaters[updater].index()];
            let n_awaited = process.queue.partition_point(|&store| store < waits);
            if self.threads[thread].updaters[updater] != proc && n_awaited > 0 {
                let last = process.steps[n_awaited - 1];
                self.clocks.join(last);
            }
        }
    }
}
