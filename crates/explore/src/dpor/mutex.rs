//! Mutexes: a thread that would only wait for one does not move.
//!
//! A mutex is a compare-and-swap that blocks if it fails, and a store. If failures were steps like any other, every
//! release would race with the next acquisition, and reversing that race only makes a thread fail. So under
//! [`Config::abandon_doomed`](crate::Config) an acquisition is a step that is *disabled* while the mutex is held
//! [ALGORITHMS §F.6]:
//!
//! * The release that enables an acquisition comes before it, irreversibly. The acquisition races with the write that
//!   has taken the mutex: before that one it was last enabled.
//! * When nothing else that is awake can move, acquisitions that are disabled fail, to see whether their threads wait
//!   forever. Such a failure races with the write that has taken the mutex, too. It is no part of a planned sequence,
//!   because nothing depends on it and its thread may succeed there.
//!
//! Which locations are mutexes is not known in advance: see [`crate::learned`].

use super::explorer::DporWorker;
use super::machine::Machine;
use super::process::{MachineThread, ProcId};
use super::step::{Act, MemoryEffect, NONE, NextsBefore, TraceStep};
use crate::learned::Lesson;
use atropos_event::{Access, BlockReason, Label, Rmw, Run, Step, ThreadId, Value};

impl<R: Run> DporWorker<'_, R> {
    /// The value with which `label`, the next one of `thread`, fails and makes the thread wait for a mutex.
    #[inline]
    pub(crate) fn held_value(&mut self, thread: ThreadId, label: Label) -> Option<Value> {
        let Label::Read { access, rmw: Rmw::Cas { expected, desired, .. }, .. } = label else { return None };
        if !access.is_whole() || expected == desired || !self.host.lessons.is_intact_mutex(access.addr) {
            return None;
        }
        let held = access.truncate(desired);
        let (before, mark) = (self.host.run.position(thread), self.host.run.mark());
        self.host.run.resume(thread, held);
        let waits = self.waits_for_mutex(thread);
        self.host.run.rewind(thread, before);
        self.host.run.release(mark);
        waits.then_some(held)
    }

    fn waits_for_mutex(&mut self, thread: ThreadId) -> bool {
        matches!(self.host.run.pending(thread), Step::Blocked(BlockReason::Lock { .. }))
    }

    /// Watches the last step, of `thread`, for a mutex that was not known.
    pub(crate) fn watch_mutexes(&mut self, thread: ThreadId) {
        let step = self.machine.steps.last().expect("the step just taken");
        if step.act != Act::Rmw || step.memory.writes || !self.host.config.abandon_doomed {
            return;
        }
        let label = self.machine.nexts[step.nexts.next as usize].label;
        if !self.host.program.has_hidden_memory()
            && self.host.lessons.may_watch(&label)
            && let Some(access) = label.access()
            && self.waits_for_mutex(thread)
        {
            self.host.learn(Lesson::Mutex(access.addr));
        }
    }

    /// A mutex that is a part of a cell is none of ours: see [`super::parts`].
    #[inline]
    pub(crate) fn watch_cells(&mut self, access: Access) {
        if !access.is_whole() && self.host.lessons.is_intact_mutex(access.addr) {
            self.host.learn(Lesson::Bypass(access.addr));
        }
    }
}

impl Machine {
    /// Whether the next step of the thread is the acquisition of a mutex that is held.
    pub(crate) fn waits(&self, thread: &MachineThread) -> bool {
        if !thread.exists || thread.act != Some(Act::Rmw) || thread.n_buffered > 0 {
            return false;
        }
        let next = &self.nexts[thread.next as usize];
        next.held.is_some_and(|held| self.memory(next.loc).0 == held)
    }

    /// A thread that waits for a mutex.
    pub(crate) fn first_waiting(&self) -> Option<ProcId> {
        self.threads.iter().find(|&thread| self.waits(thread)).map(|thread| thread.proc)
    }

    /// Whether the step at `place` is a failure to acquire a mutex.
    pub(crate) fn is_vain(&self, place: u32) -> bool {
        let TraceStep { act, memory: MemoryEffect { writes, value_read, .. }, nexts, .. } =
            self.steps[place as usize];
        act == Act::Rmw && !writes && self.nexts[nexts.next as usize].held == Some(value_read)
    }

    /// If the step at `place`, the last one, is an acquisition that was disabled right before the last write of its
    /// location, or still is: the write since which it was, or [`NONE`] if the mutex was held from the start. Memory is
    /// as before the step.
    pub(crate) fn disabled_since(&self, place: u32) -> Option<u32> {
        let TraceStep { act, loc, nexts: NextsBefore { next, .. }, .. } = self.steps[place as usize];
        if act != Act::Rmw {
            return None;
        }
        let held = self.nexts[next as usize].held?;
        let writes = &self.cells[loc.index()].writes;
        let is_held_after = |n_writes: usize| {
            let source = n_writes.checked_sub(1).map_or(NONE, |last| writes[last]);
            self.value_of(loc, source) == held
        };
        let n_writes = (writes.len().saturating_sub(1)..=writes.len()).rev().find(|&n| is_held_after(n))?;
        let start = (0..n_writes).rev().take_while(|&n| is_held_after(n)).last().unwrap_or(n_writes);
        Some(start.checked_sub(1).map_or(NONE, |taken| self.written_at(writes[taken])))
    }
}
