//! How traces end, and the errors of the program under test.

use super::explorer::DporWorker;
use crate::{Ending, memory};
use atropos_event::{Access, Initial, Run, ThreadId};
use atropos_graph::{Graph, LocId, Slot};
use atropos_model::closure::co_next;

impl<R: Run> DporWorker<'_, R> {
    /// The location of an access.
    pub(crate) fn locate(&mut self, thread: ThreadId, access: Access) -> Option<LocId> {
        let loc = self.host.locate(thread, access)?;
        let location = self.host.graph.location(loc);
        self.judges_memory |= location.initial == Initial::Uninitialised;
        self.machine.meet_location(loc, location.initial_value());
        Some(loc)
    }

    /// The execution is over.
    pub(crate) fn finish(&mut self) {
        if self.judges_memory || self.host.looks_at_executions() {
            self.record();
        }
        if self.host.is_stopped {
            return;
        }
        let (is_silent, threads) = (self.is_silent, &self.machine.threads);
        let closing = self.host.closing((0..threads.len()).map(ThreadId::new), |_, thread| {
            let thread = &threads[thread.index()];
            thread.exists && !thread.has_ended && !is_silent
        });
        if !self.host.finish(closing) {
            return;
        }
        let n_events: usize = self.machine.threads.iter().map(|thread| thread.n_events).sum();
        self.host.note_size(n_events);
        if closing.ending == Ending::Blocked {
            self.record();
            let threads: Vec<_> = (0..self.machine.threads.len()).map(ThreadId::new).collect();
            let is_final =
                |graph: &Graph, awaited: &[Slot]| awaited.iter().all(|&access| is_last(graph, access));
            if let Some(report) = self.host.endless_wait(&threads, is_final) {
                self.host.report(report);
            }
        }
        self.host.look_up();
    }

    /// Whether the last step reads memory that has no initial value and was never written.
    pub(crate) fn reads_unwritten(&self) -> bool {
        let step = self.machine.steps.last().expect("the step just taken");
        let label = self.machine.nexts[step.nexts.next as usize].label;
        label.is_read()
            && self.host.graph.location(step.loc).initial == Initial::Uninitialised
            && label.bytes().is_some_and(|bytes| !self.machine.is_written(bytes, step.memory.source))
    }

    /// Misuse of dynamic memory by the event at `added`, the last one of the graph.
    pub(crate) fn check_memory(&mut self, added: Slot) {
        if let Some(report) = memory::judge(&self.host.graph, added, || self.host.graph.porf(added)) {
            self.host.report(report);
        }
    }

    /// `thread`, which has just moved, has failed.
    pub(crate) fn report_failure(&mut self, thread: ThreadId) {
        self.record();
        if self.host.is_stopped || self.is_misuse_to_read(thread) {
            return;
        }
        if let Some(report) = self.host.failure(thread) {
            self.host.report(report);
        }
    }

    /// Whether the thread has just read unwritten memory in an access that is itself misuse. That was reported, and
    /// the value read is not reported as well.
    fn is_misuse_to_read(&self, thread: ThreadId) -> bool {
        self.host.graph.last_of(thread).is_some_and(|last| {
            self.host.graph.reads_unwritten(last)
                && memory::judge(&self.host.graph, last, || self.host.graph.porf(last)).is_some()
        })
    }
}

/// Whether nothing will change what `access` has read or written. Own stores that it has seen change nothing.
fn is_last(graph: &Graph, access: Slot) -> bool {
    let event = graph.event(access);
    let location = graph.location(event.loc);
    if !location.has_parts || !event.is_read() {
        return co_next(graph, access).is_none();
    }
    let n_later = location.co.len() - 1 - graph.co_position(event.rf);
    graph.own_stores_seen(access).count() == n_later
}
