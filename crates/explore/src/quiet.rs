//! Quiet threads, on an [`Engine`]: they will only join threads that they have created, and end.
//!
//! They move last. If only they are left and the observer does not look at executions, the execution counts as
//! complete: the search of a program whose main thread joins its workers would otherwise spend half of its events
//! there. It is complete because every thread that has not ended is quiet, so each waits only for threads below it in
//! the tree of creations; from the leaves upwards, all of them end. It does not matter what was joined before, and by
//! which thread.

use crate::engine::Engine;
use crate::rules::Rules;
use atropos_event::{Label, Run, ThreadId, mark};
use atropos_model::MemoryModel;

impl<R: Run, M: MemoryModel, Q: Rules<M>> Engine<'_, R, M, Q> {
    /// Whether `thread` moves only if no other can.
    #[inline]
    pub(crate) fn is_left_for_last(&self, thread: ThreadId) -> bool {
        Q::MAY_BE_SILENT && self.graph.exists(thread) && self.run.is_quiet(thread)
    }

    /// The next event if only quiet threads can move.
    pub(crate) fn next_quiet(&mut self) -> Option<(ThreadId, Label)> {
        self.is_silent = false;
        if !Q::MAY_BE_SILENT {
            return None;
        }
        let is_done = |thread: ThreadId| {
            !self.graph.exists(thread) || self.run.is_quiet(thread) || self.graph.has_ended(thread)
        };
        let is_heard = self.looks_at_executions() || self.model.has_flags();
        self.is_silent = !is_heard && self.schedule.iter().all(|&thread| is_done(thread));
        if self.is_silent {
            mark!("engine: silence");
            return None;
        }
        for index in 0..self.schedule.len() {
            let thread = self.schedule[index];
            if let Some(label) = self.enabled(thread)
                && self.run.is_quiet(thread)
            {
                return Some(self.move_to(index, label));
            }
        }
        None
    }
}
