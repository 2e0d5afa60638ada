//! Chronological happens-before and its races [Nidhugg §3, ALGORITHMS §F.2, §F.3].
//!
//! Each step knows by a vector clock what happens before it. A new step comes directly after
//!
//! * the step of its process before it, or the creation of its thread (`po`);
//! * an update after its store (`su`); a barrier after the last update of each of its thread's buffers (`uf`); an
//!   update that waits, after the updates it waited for; a join after the end of the joined thread;
//! * a write of memory after the write before it (`uu`);
//! * a read of memory after the write it reads, unless it is of the same thread (`src`);
//! * a write of memory after the reads of what it overwrites, unless of the same thread (`cf`). A load that was
//!   served from the buffer counts as a read of its store from the moment the store is in memory.
//!
//! No edge relates a load to an update of its own thread: that is what makes stores that only their own thread
//! has seen invisible. (But a load that has to wait for a store that merges comes after its update.) A *race* is an edge of the last three kinds between different threads with no step between
//! the two; all others cannot be turned round.

use crate::machine::Machine;
use crate::process::ProcId;
use crate::step::{Act, NONE, Step};

/// Two steps that could come the other way round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    pub first: u32,
    pub second: u32,
}

/// One vector clock per step: for each process, how many of its steps happen before it or are it. It is kept twice,
/// at first without the edges that can be turned round into the step itself.
#[derive(Clone, Debug)]
pub struct Clocks {
    /// Grows only; the first `2 * n_steps` rows are in use.
    rows: Vec<u32>,
    n_steps: usize,
    /// A multiple of four.
    width: usize,
    /// Where the clock begins that is being made.
    top: usize,
}

impl Default for Clocks {
    fn default() -> Self {
        Clocks { rows: Vec::new(), n_steps: 0, width: 4, top: 0 }
    }
}

impl Clocks {
    pub fn row(&self, step: u32) -> &[u32] {
        &self.rows[(2 * step as usize + 1) * self.width..][..self.width]
    }

    /// What happens before the second step of a race when it comes first: a step that overwrites, or reads, what the
    /// first one wrote has none of its conflicts then. (Loads between them that read a store of their own thread, which
    /// the first step does not let into memory earlier, are served from the buffer then.)
    pub fn reversed_row(&self, first: &Step, second: u32) -> &[u32] {
        let row = 2 * second as usize + usize::from(!first.writes);
        &self.rows[row * self.width..][..self.width]
    }

    /// Makes room for `n_procs` processes.
    pub fn widen(&mut self, n_procs: usize) {
        if n_procs <= self.width {
            return;
        }
        let width = n_procs.next_power_of_two();
        let mut rows = vec![0; 2 * self.n_steps * width];
        for (wide, row) in rows.chunks_exact_mut(width).zip(self.rows.chunks_exact(self.width)) {
            wide[..self.width].copy_from_slice(row);
        }
        (self.rows, self.width) = (rows, width);
    }

    /// Begins the clock of the next step with a copy of that of `step`, or an empty one.
    fn push(&mut self, step: Option<u32>) {
        self.top = 2 * self.n_steps * self.width;
        self.n_steps += 1;
        if self.rows.len() < self.top + 2 * self.width {
            self.rows.resize(2 * (self.top + 2 * self.width), 0);
        }
        match step {
            Some(step) => self.copy((2 * step as usize + 1) * self.width),
            None => self.rows[self.top..self.top + self.width].fill(0),
        }
    }

    /// Copies the row that begins at `from` to the top, by fours: rows are too short for a call.
    #[inline]
    fn copy(&mut self, from: usize) {
        for at in (0..self.width).step_by(4) {
            let four: [u32; 4] = self.rows[from + at..from + at + 4].try_into().expect("four of them");
            self.rows[self.top + at..self.top + at + 4].copy_from_slice(&four);
        }
    }

    pub fn pop(&mut self) {
        self.n_steps -= 1;
    }

    /// The step itself is the `index`-th of `proc`, and all edges into it that cannot be turned round are known.
    fn keep_own(&mut self, proc: ProcId, index: u32) {
        let own = self.top;
        self.top += self.width;
        self.copy(own);
        // After the copy, which would have to wait for it.
        self.rows[own + proc.index()] = index;
        self.rows[self.top + proc.index()] = index;
    }

    /// Adds what is before `step` to the last clock.
    fn join(&mut self, step: u32) {
        let (earlier, last) = self.rows.split_at_mut(self.top);
        let from = &earlier[(2 * step as usize + 1) * self.width..][..self.width];
        for (entry, &other) in last.iter_mut().zip(from) {
            *entry = (*entry).max(other);
        }
    }

    fn last_contains(&self, step: &Step) -> bool {
        self.rows[self.top + step.proc.index()] >= step.index
    }
}

impl Machine {
    /// Does the step `first` happen before `second`, or is it the same?
    pub fn happens_before(&self, first: u32, second: u32) -> bool {
        let Step { proc, index, .. } = self.steps[first as usize];
        self.clocks.row(second)[proc.index()] >= index
    }

    /// Computes the clock of the step at `place`, the last one, and its races with earlier steps. Memory and
    /// buffers are as before it.
    pub(crate) fn order(&mut self, place: u32) {
        let Step { proc, index, thread, .. } = self.steps[place as usize];
        let spawn = self.threads[thread.index()].spawn;
        let before = self.procs[proc.index()].steps.last().copied();
        let is_thread = self.threads[thread.index()].proc == proc;
        self.clocks.push(before.or(spawn.filter(|_| is_thread)));
        self.order_after_own(place);
        self.clocks.keep_own(proc, index);
        self.find_rivals(place);
        for rival in 0..self.rivals.len() {
            let first = self.rivals[rival];
            let step = &self.steps[first as usize];
            let is_covered = self.clocks.last_contains(step)
                || self.rivals.iter().any(|&other| other != first && self.happens_before(first, other));
            if !is_covered {
                self.races.push(Race { first, second: place });
            }
        }
        for rival in 0..self.rivals.len() {
            self.clocks.join(self.rivals[rival]);
        }
    }

    /// The edges that cannot be turned round.
    fn order_after_own(&mut self, place: u32) {
        let Step { proc, thread, act, store, .. } = self.steps[place as usize];
        match act {
            Act::Update => {
                self.clocks.join(store);
                let waits = self.steps[store as usize].waits;
                if waits > 0 {
                    self.order_after_awaited(proc, waits);
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
            Act::Load if store != NONE && self.steps[store as usize].merges => {
                self.clocks.join(self.steps[store as usize].updated_at);
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

    /// The steps of other threads that the one at `place` conflicts with.
    fn find_rivals(&mut self, place: u32) {
        self.rivals.clear();
        let Step { thread, loc, reads, writes, .. } = self.steps[place as usize];
        if !reads && !writes {
            return;
        }
        let cell = &self.cells[loc.index()];
        let is_other = |step: u32| self.steps[step as usize].thread != thread;
        if cell.last_write != NONE && is_other(cell.last_write) {
            self.rivals.push(cell.last_write);
        }
        if writes {
            let readers = cell.readers[cell.first_reader as usize..].iter().copied();
            self.rivals.extend(readers.filter(|&reader| is_other(reader)));
        }
    }
}
