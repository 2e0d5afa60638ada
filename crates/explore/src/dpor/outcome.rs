//! How traces end, and what can be wrong with the program under test.

use crate::dpor::explorer::Explorer;
use crate::{Ending, Execution, Report, memory, progress};
use atropos_event::{Access, BlockReason, Initial, Program, Refusal, RefusalReason, Run, Step, ThreadId};
use atropos_graph::{LocId, Slot};
use atropos_model::closure::co_next;

impl<'a, P: Program> Explorer<'a, P> {
    /// The location of an access. Where it overlaps a known location only partially, the program is asked to
    /// break its accesses up and the search stops, to be started over.
    pub(crate) fn locate(&mut self, thread: ThreadId, access: Access) -> Option<LocId> {
        let program = self.program;
        match self.graph.locate(access, || program.initial(access)) {
            Ok(loc) => {
                let location = self.graph.location(loc);
                self.judges_memory |= location.initial == Initial::Uninitialised;
                self.machine.meet_location(loc, location.initial_value());
                Some(loc)
            }
            Err(known) if self.run.split(known, access) => {
                (self.must_restart, self.is_stopped) = (true, true);
                None
            }
            Err(known) => {
                let key = self.run.key(thread);
                self.refuse(RefusalReason::MixedSizes { accesses: [known, access], thread: key });
                None
            }
        }
    }

    /// The execution is over. It is not looked at if it is one more than were asked for.
    pub(crate) fn finish(&mut self) {
        let is_looked_at = self.observer.looks_at_executions();
        if is_looked_at || self.judges_memory {
            self.record();
        }
        if self.is_stopped || !self.admit() {
            return;
        }
        let mut is_bounded = false;
        let (run, threads) = (&mut self.run, self.machine.threads.iter().enumerate());
        let is_silent = self.is_silent;
        let open = threads.filter(|(_, thread)| thread.exists && !thread.has_ended && !is_silent);
        let ending =
            progress::ending(open.map(|(index, _)| run.pending(ThreadId::new(index))).inspect(|step| {
                is_bounded |= *step == Step::Blocked(BlockReason::Bound);
            }));
        match ending {
            Ending::Complete => self.stats.executions += 1,
            Ending::Blocked => self.stats.blocked += 1,
        }
        self.stats.bounded += u64::from(is_bounded);
        self.stats.largest = self.stats.largest.max(self.machine.n_events as u64);
        if is_looked_at {
            self.observer.execution(ending, Execution { graph: &self.graph, run: &mut self.run });
        }
        if ending == Ending::Blocked {
            self.record();
            self.check_progress();
        }
        self.is_stopped |= self.control.is_stopped();
    }

    /// Counts one more execution. The search is over if that is one too many.
    pub(crate) fn admit(&mut self) -> bool {
        let is_admitted = self.tally.admit(&self.config, self.control);
        self.is_stopped |= !is_admitted;
        is_admitted
    }

    /// Tells how far the search is, and hears whether to stop.
    pub(crate) fn flush_progress(&mut self) {
        self.tally.flush(self.control);
        self.is_stopped |= self.control.is_stopped();
    }

    /// Whether the last step reads memory that has no initial value and that nobody has written.
    pub(crate) fn reads_unwritten(&self) -> bool {
        let step = self.machine.steps.last().expect("the step just taken");
        let label = self.machine.nexts[step.next as usize].label;
        label.is_read()
            && self.graph.location(step.loc).initial == Initial::Uninitialised
            && label.bytes().is_some_and(|bytes| !self.machine.is_written(bytes, step.source))
    }

    /// Misuse of dynamic memory by the event at `added`, the last one of the graph.
    pub(crate) fn check_memory(&mut self, added: Slot) {
        if let Some(report) = memory::judge(&self.graph, added, || self.graph.porf(added)) {
            self.report(report);
        }
    }

    /// In an execution that cannot go on: will the waiting threads wait for ever? They will if all that they
    /// wait for has its final value.
    fn check_progress(&mut self) {
        let threads: Vec<_> = (0..self.machine.threads.len()).map(ThreadId::new).collect();
        let Some(stuck) = progress::stuck(&self.graph, &mut self.run, &threads) else { return };
        if stuck.awaited.iter().all(|&access| co_next(&self.graph, access).is_none()) {
            let report = stuck.waiting.report(&self.graph, &mut self.run);
            self.report(report);
        }
    }

    /// `thread`, which has just moved, has failed.
    pub(crate) fn report_failure(&mut self, thread: ThreadId) {
        self.record();
        if self.is_stopped || self.is_misuse_to_read(thread) {
            return;
        }
        let violation = self.run.violation(thread);
        self.report(Report { violation, thread, events: Vec::new() });
    }

    /// Whether the thread has just read what nobody has written where it should not have read at all: that was
    /// reported, and it is not blamed for what it reads as well.
    fn is_misuse_to_read(&self, thread: ThreadId) -> bool {
        self.graph.last_of(thread).is_some_and(|last| {
            self.graph.reads_unwritten(last)
                && memory::judge(&self.graph, last, || self.graph.porf(last)).is_some()
        })
    }

    pub(crate) fn refuse_thread(&mut self, thread: ThreadId) {
        if self.run.must_start_over() {
            (self.must_restart, self.is_stopped) = (true, true);
            return;
        }
        let reason = self.run.unsupported(thread);
        self.refuse(reason);
    }

    fn report(&mut self, report: Report) {
        self.observer.violation(report, Execution { graph: &self.graph, run: &mut self.run });
        if !self.config.keep_going {
            self.is_stopped = true;
            self.control.stop();
        }
    }

    pub(crate) fn refuse(&mut self, refusal: impl Into<Refusal>) {
        self.observer.refused(refusal.into(), Execution { graph: &self.graph, run: &mut self.run });
        self.is_stopped = true;
        self.control.stop();
    }
}
