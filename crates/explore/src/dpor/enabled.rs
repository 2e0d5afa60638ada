//! Which processes can move.
//!
//! A thread is *quiet* if it will only join threads that it has created, and end. It moves last. If only quiet
//! threads are left and the observer does not look at executions, the execution counts as complete.
//!
//! A process is *busy* while it has something to do: an updater a store in its buffer, a thread a next step. Only
//! busy processes are tested for being enabled. Processes with numbers below 64 have a bit each; all others count as
//! busy.

use super::machine::Machine;
use super::process::{MachineThread, ProcId, Role};
use super::sleep::{Sleep, bit};
use super::step::{Act, BufferEffect, TraceStep};

#[derive(Clone, Debug, Default)]
pub(crate) struct Busy {
    bits: u64,
    updaters: u64,
    /// The threads whose next step is a quiet one.
    quiet: u64,
    /// The threads whose next step waits for nothing.
    free: u64,
}

impl Busy {
    pub(crate) fn meet(&mut self, proc: ProcId, role: Role) {
        if role != Role::Thread {
            self.updaters |= bit(proc);
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, proc: ProcId, is_busy: bool) {
        let bit = bit(proc);
        self.bits = if is_busy { self.bits | bit } else { self.bits & !bit };
    }

    /// Sets the next step of the thread `proc`. On a machine without buffers, nothing waits for them.
    #[inline]
    pub(crate) fn set_next(&mut self, proc: ProcId, act: Act, is_quiet: bool, has_buffers: bool) {
        let bit = bit(proc);
        let is_free = match act {
            Act::Load | Act::Store | Act::StoreBarrier | Act::Local => true,
            Act::Direct | Act::Barrier => !has_buffers,
            Act::Rmw | Act::Join(_) | Act::Update => false,
        };
        self.bits |= bit;
        self.free = if is_free { self.free | bit } else { self.free & !bit };
        self.quiet = if is_quiet { self.quiet | bit } else { self.quiet & !bit };
    }

    /// The thread `proc` has no next step.
    #[inline]
    pub(crate) fn set_idle(&mut self, proc: ProcId) {
        let bit = bit(proc);
        self.bits &= !bit;
        self.free &= !bit;
        self.quiet &= !bit;
    }
}

impl Machine {
    /// A process that can move and is not asleep; updaters first, and quiet threads last. If there is none, a
    /// thread that waits for a mutex.
    pub fn any_enabled(&self, sleep: &Sleep) -> Option<ProcId> {
        let awake = self.busy.bits & !sleep.bits();
        self.first_enabled(awake & self.busy.updaters)
            .or_else(|| self.first_late(sleep, |role| role != Role::Thread))
            .or_else(|| self.first_enabled(awake & !self.busy.updaters & !self.busy.quiet))
            .or_else(|| self.first_late(sleep, |role| role == Role::Thread))
            .or_else(|| self.first_enabled(awake & self.busy.quiet))
            .or_else(|| self.first_waiting())
    }

    pub fn is_quiet(&self, proc: ProcId) -> bool {
        self.busy.quiet & bit(proc) != 0
    }

    /// Whether only joins and ends of threads are left that no thread but their creators waits for. `false` is always
    /// a safe answer; it is the answer if there are processes without a bit.
    pub fn is_silent(&self) -> bool {
        let is_open = |thread: &&MachineThread| thread.exists && !thread.has_ended;
        let is_quiet =
            |thread: &MachineThread| thread.act.is_some() && self.nexts[thread.next as usize].is_quiet;
        self.procs.len() <= 64
            && self.busy.bits & !self.busy.quiet == 0
            && self.threads.iter().filter(is_open).all(is_quiet)
    }

    /// The first process among these bits that can move.
    fn first_enabled(&self, mut bits: u64) -> Option<ProcId> {
        while bits != 0 {
            let proc = ProcId::new(bits.trailing_zeros() as usize);
            if self.busy.free & bit(proc) != 0 || self.is_enabled(proc) {
                return Some(proc);
            }
            bits &= bits - 1;
        }
        None
    }

    /// The same among the processes that have no bit.
    fn first_late(&self, sleep: &Sleep, has_role: impl Fn(Role) -> bool) -> Option<ProcId> {
        let late = (64..self.procs.len()).map(ProcId::new);
        let mut able = late.filter(|&proc| has_role(self.procs[proc.index()].role) && !sleep.has(proc));
        able.find(|&proc| self.is_enabled(proc))
    }

    #[inline]
    pub fn is_enabled(&self, proc: ProcId) -> bool {
        let process = &self.procs[proc.index()];
        let thread = &self.threads[process.thread.index()];
        match process.role {
            Role::Updater | Role::UpdaterOf(..) => {
                process.oldest().is_some_and(|store| self.may_update(thread, store))
            }
            Role::Thread if !thread.exists => false,
            Role::Thread => match thread.act {
                None => false,
                Some(Act::Load | Act::Store | Act::StoreBarrier | Act::Local) => true,
                Some(Act::Direct | Act::Barrier) => thread.n_buffered == 0,
                Some(Act::Rmw) => thread.n_buffered == 0 && !self.waits(thread),
                Some(Act::Join(child)) => thread.n_buffered == 0 && self.threads[child.index()].has_ended,
                Some(Act::Update) => unreachable!("threads do not update"),
            },
        }
    }

    /// Whether all stores that must leave the buffers before `store`, the oldest in its buffer, have left.
    fn may_update(&self, thread: &MachineThread, store: u32) -> bool {
        let TraceStep { loc, buffer: BufferEffect { waits, .. }, .. } = self.steps[store as usize];
        let is_mixed = self.has_mixed && self.cells[loc.index()].is_mixed;
        (waits == 0 && !is_mixed)
            || thread.updaters.iter().all(|updater| {
                let oldest = self.procs[updater.index()].oldest();
                let goes_first =
                    |other: u32| other < waits || (is_mixed && other < store && self.overlap(other, store));
                oldest.is_none_or(|other| other == store || !goes_first(other))
            })
    }
}
