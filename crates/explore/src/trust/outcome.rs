//! What can be wrong with an extension, beside inconsistency: the errors of the program under test.

use super::{Equivalence, Explorer};
use crate::{Ending, Execution, Report, judge, memory, progress};
use atropos_event::{Access, Program, Refusal, RefusalReason, Run, Step, ThreadId, Violation};
use atropos_graph::{LocId, Slot};
use atropos_model::MemoryModel;

impl<'a, P: Program, M: MemoryModel, Q: Equivalence<M>> Explorer<'a, P, M, Q> {
    /// The location of an access. Where it overlaps a known location only partially, the program is asked
    /// to break its accesses up and exploration stops, to be started over.
    pub(super) fn locate(&mut self, thread: ThreadId, access: Access) -> Option<LocId> {
        let program = self.program;
        match self.graph.locate(access, || program.initial(access)) {
            Ok(loc) => Some(loc),
            // The search is over, and what another worker has reported is replayed with what is known now.
            Err(_) if self.control.is_stopped() => {
                self.stopped = true;
                None
            }
            Err(known) => {
                if self.run.split(known, access) {
                    self.start_over();
                } else {
                    let key = self.run.key(thread);
                    self.refuse(RefusalReason::MixedSizes { accesses: [known, access], thread: key });
                }
                None
            }
        }
    }

    pub(super) fn start_over(&mut self) {
        self.restart = true;
        self.stopped = true;
        self.control.interrupt();
    }

    /// Looks whether `thread`, which has just moved, has failed.
    pub(super) fn watch(&mut self, thread: ThreadId) {
        match self.run.pending(thread) {
            Step::Do(_) | Step::Finished | Step::Blocked(_) => {}
            Step::Failed => {
                let violation = self.run.violation(thread);
                self.report(Report { violation, thread, events: Vec::new() });
            }
            Step::Unsupported if self.run.must_start_over() => self.start_over(),
            Step::Unsupported => {
                let reason = self.run.unsupported(thread);
                self.refuse(reason);
            }
        }
    }

    /// Judges the access at `added`; answers whether it is wrong.
    pub(super) fn check_access(&mut self, added: Slot) -> bool {
        let judged = judge::access(&self.model, &self.graph, added, &self.config);
        let Some(reports) = judged else { return false };
        for report in reports.into_iter().flatten() {
            if !self.stopped {
                self.report(report);
            }
        }
        true
    }

    pub(super) fn check_memory(&mut self, added: Slot) -> bool {
        let past = || self.model.past(&self.graph, added);
        if let Some(report) = memory::judge(&self.graph, added, past) {
            self.report(report);
            return true;
        }
        false
    }

    /// In an execution that cannot go on: will the waiting threads wait for ever? They will if all that they
    /// wait for has its final value.
    pub(super) fn check_progress(&mut self) {
        let Some(stuck) = progress::stuck(&self.graph, &mut self.run, &self.schedule) else { return };
        if Q::is_final(&mut self.model, &self.graph, &stuck.awaited) {
            let report = stuck.waiting.report(&self.graph, &mut self.run);
            self.report(report);
        }
    }

    /// Reports the flags that the model raises about an execution that is over. A race is one by its name.
    pub(super) fn report_flags(&mut self, ending: Ending) {
        for mut flag in self.model.flagged(&self.graph, ending == Ending::Complete) {
            // What is about no event in particular shows at the end.
            let last = self.graph.len().checked_sub(1).map(Slot::new);
            let Some(shown) = flag.events.last().copied().or(last) else { continue };
            if flag.events.is_empty() {
                flag.events.push(shown);
            }
            if self.stopped {
                return;
            }
            let event = self.graph.event(shown);
            let violation = match (flag.name.as_str(), event.label.bytes(), flag.events.len()) {
                ("race", Some(bytes), 2) => Violation::Race { bytes },
                (name, ..) => Violation::Flag { name: name.to_string() },
            };
            self.report(Report { violation, thread: event.id.thread(), events: flag.events });
        }
    }

    pub(super) fn report(&mut self, report: Report) {
        if self.n_replayed < self.root.choices.len() {
            // On the way to this worker's part of the search: whoever split it off has reported this.
            return;
        }
        if self.control.is_interrupted() {
            // It will be found again in the search that starts over.
            self.stopped = true;
            return;
        }
        self.observer.violation(report, Execution { graph: &self.graph, run: &mut self.run });
        if !self.config.keep_going {
            self.stopped = true;
            self.control.stop();
        }
    }

    pub(super) fn refuse(&mut self, refusal: impl Into<Refusal>) {
        self.observer.refused(refusal.into(), Execution { graph: &self.graph, run: &mut self.run });
        self.stopped = true;
        self.control.stop();
    }
}
