//! Quiet threads, on a [`Stage`]: all that they will ever do is join threads that they have created, and end.
//!
//! They move last. When only they are left, and nobody looks at executions, this one is as good as complete: the search
//! of a program whose main thread joins its workers would spend half of its events there. It is complete because every
//! thread that has not ended is quiet, so each waits at most for threads below it in the tree of creations; from the
//! leaves upwards, all of them end. What was joined before, and by which thread, does not matter.

use crate::Stage;
use atropos_event::{Label, Program, Run, ThreadId, mark};
use atropos_model::MemoryModel;

impl<'a, P: Program, M: MemoryModel> Stage<'a, P, M> {
    /// Is `thread` to move only when no other can?
    pub(crate) fn is_left_for_last(&self, thread: ThreadId) -> bool {
        self.manner.may_be_silent && self.graph.exists(thread) && self.run.is_quiet(thread)
    }

    /// The next event where only quiet threads can move.
    pub(crate) fn next_quiet(&mut self) -> Option<(ThreadId, Label)> {
        if !self.manner.may_be_silent {
            return None;
        }
        let is_open = |thread: ThreadId| self.graph.exists(thread) && !self.graph.has_ended(thread);
        self.is_silent = !self.observer.looks_at_executions()
            && self.schedule.iter().all(|&thread| !is_open(thread) || self.run.is_quiet(thread));
        if self.is_silent {
            mark!("stage: silence");
            return None;
        }
        self.cursor = 0;
        (0..self.schedule.len()).find_map(|index| {
            let thread = self.schedule[index];
            let label = self.enabled(thread)?;
            self.run.is_quiet(thread).then_some((thread, label))
        })
    }
}
