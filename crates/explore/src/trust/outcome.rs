//! What can be wrong with an extension, beside inconsistency: the errors of the program under test.

use super::{Equivalence, Explorer};
use crate::{Execution, Observer, Report, memory, progress, race};
use atropos_event::{Access, Initial, Program, Run, Step, ThreadId, Violation, ViolationKind};
use atropos_graph::{LocId, Slot};
use atropos_model::MemoryModel;

impl<'a, P: Program, M: MemoryModel, Q: Equivalence<M>, O: Observer<P::Run<'a>>> Explorer<'a, P, M, Q, O> {
    /// The location of an access. Where it overlaps a known location only partially, the program is asked
    /// to break its accesses up and exploration stops, to be started over.
    pub(super) fn locate(&mut self, thread: ThreadId, access: Access) -> Option<LocId> {
        let program = self.program;
        match self.graph.locate(access, || program.initial(access)) {
            Ok(loc) => Some(loc),
            Err(known) => {
                if program.split(known, access) {
                    self.start_over();
                } else {
                    let name = program.name_of(access.addr);
                    self.refuse(format!(
                        "accesses of different sizes to the same bytes of `{name}` ({} bytes at {}, {} bytes at {}) in thread {}",
                        known.size, known.addr, access.size, access.addr, self.run.key(thread)
                    ));
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
            Step::Unsupported => {
                let reason = self.run.unsupported(thread);
                self.refuse(reason);
            }
        }
    }

    /// Judges the access at `added`; answers whether it is wrong.
    pub(super) fn check_access(&mut self, added: Slot) -> bool {
        let is_misuse = self.check_memory(added);
        let location = self.graph.location(self.graph.event(added).loc);
        if !self.config.detect_races || !location.has_plain || self.stopped {
            return is_misuse;
        }
        if let Some(other) = race::racing_access(&self.graph, added, self.model.hb(&self.graph, added)) {
            let event = self.graph.event(added);
            let access = event.label.access().expect("races are between accesses");
            let message = format!("data race on `{}`", self.program.name_of(access.addr));
            let violation = Violation { kind: ViolationKind::Race, message };
            self.report(Report { violation, thread: event.id.thread(), events: vec![other, added] });
            return true;
        }
        is_misuse
    }

    pub(super) fn check_memory(&mut self, added: Slot) -> bool {
        let event = self.graph.event(added);
        if event.loc != LocId::NONE && self.graph.location(event.loc).initial != Initial::Uninitialised {
            return false;
        }
        if let Some((violation, other)) =
            memory::misuse(&self.graph, added, self.model.past(&self.graph, added))
        {
            let events = other.into_iter().chain([added]).collect();
            let thread = self.graph.event(added).id.thread();
            self.report(Report { violation, thread, events });
            return true;
        }
        false
    }

    /// In an execution that cannot go on: will the waiting threads wait for ever? They will if all that they
    /// wait for has its final value.
    pub(super) fn check_progress(&mut self) {
        let Some(stuck) = progress::stuck(&self.graph, &mut self.run, &self.schedule) else { return };
        if Q::is_final(&mut self.model, &self.graph, &stuck.awaited) {
            self.report(stuck.report());
        }
    }

    pub(super) fn report(&mut self, report: Report) {
        if self.n_replayed < self.root.choices.len() {
            // On the way to this worker's part of the search: whoever split it off has reported this.
            return;
        }
        self.observer.violation(report, Execution { graph: &self.graph, run: &mut self.run });
        if !self.config.keep_going {
            self.stopped = true;
            self.control.stop();
        }
    }

    pub(super) fn refuse(&mut self, reason: String) {
        self.observer.refused(reason, Execution { graph: &self.graph, run: &mut self.run });
        self.stopped = true;
        self.control.stop();
    }
}
