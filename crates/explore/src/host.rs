//! What every search does, whatever its executions are made of: it locates accesses, looks after threads, reports,
//! refuses, counts executions and obeys limits.

use crate::learned::{Learned, Lessons};
use crate::progress::{self, Closing};
use crate::tally::Tally;
use crate::{
    Config, Control, EVENTS_BETWEEN_LOOKS, Ending, Execution, LONGEST_THREAD, Observer, Report,
    thread_too_long,
};
use atropos_event::{Access, Program, Refusal, RefusalReason, Run, Stats, Step, ThreadId};
use atropos_graph::{Graph, LocId, Slot};

/// One worker of a search, as far as all algorithms agree.
pub struct Host<'a, P: Program> {
    pub(crate) program: &'a P,
    pub(crate) config: Config,
    pub(crate) run: P::Run<'a>,
    /// The execution as observers see it.
    pub(crate) graph: Graph,
    pub(crate) stats: Stats,
    /// What earlier starts of this search have learned.
    pub(crate) lessons: Lessons,
    /// This worker does nothing more, because the search is over or starts over.
    pub(crate) is_stopped: bool,
    /// This worker has asked for the search to start over.
    pub(crate) must_restart: bool,
    /// On the way to this worker's part of the search. The worker that split it off has reported what there is.
    pub(crate) is_replaying: bool,
    shared: Shared<'a>,
    observer: &'a mut dyn Observer,
    tally: Tally,
}

/// What the workers of a search share.
#[derive(Clone, Copy)]
pub struct Shared<'a> {
    pub control: &'a Control,
    pub learned: &'a Learned,
}

impl<'a, P: Program> Host<'a, P> {
    pub(crate) fn new(
        program: &'a P,
        config: Config,
        shared: Shared<'a>,
        observer: &'a mut dyn Observer,
    ) -> Self {
        Host {
            program,
            config,
            run: program.start(),
            graph: Graph::new(false),
            stats: Stats::default(),
            lessons: shared.learned.lessons(),
            is_stopped: false,
            must_restart: false,
            is_replaying: false,
            shared,
            observer,
            tally: Tally::default(),
        }
    }

    pub(crate) fn control(&self) -> &'a Control {
        self.shared.control
    }

    pub(crate) fn looks_at_executions(&self) -> bool {
        self.observer.looks_at_executions()
    }

    /// The location of an access. Where it overlaps a known location only partially, the program is asked to
    /// break its accesses up, and the search starts over.
    pub(crate) fn locate(&mut self, thread: ThreadId, access: Access) -> Option<LocId> {
        let program = self.program;
        let known = match self.graph.locate(access, || program.initial(access)) {
            Ok(loc) => return Some(loc),
            Err(known) => known,
        };
        if self.control().is_stopped() {
            // The search is over, and what another worker has reported is replayed with what is known now.
            self.is_stopped = true;
        } else if self.run.split(known, access) {
            self.start_over();
        } else {
            let key = self.run.key(thread);
            self.refuse(RefusalReason::MixedSizes { accesses: [known, access], thread: key });
        }
        None
    }

    /// Asks all workers to start the search over.
    pub(crate) fn start_over(&mut self) {
        self.must_restart = true;
        self.is_stopped = true;
        self.control().interrupt();
    }

    /// Notes what the search is to know should it start over.
    pub(crate) fn remember(&mut self, lesson: impl FnOnce(&mut Lessons)) {
        self.shared.learned.learn(lesson);
    }

    /// Notes what the search has to know from the start, and starts over.
    pub(crate) fn learn(&mut self, lesson: impl FnOnce(&mut Lessons)) {
        self.remember(lesson);
        self.start_over();
    }

    /// The failure of `thread`, which has just moved, if it has failed. A thread that cannot be checked ends the search.
    #[inline]
    pub(crate) fn failure(&mut self, thread: ThreadId) -> Option<Report> {
        match self.run.pending(thread) {
            Step::Do(_) | Step::Finished | Step::Blocked(_) => {}
            Step::Failed => {
                let violation = self.run.violation(thread);
                return Some(Report { violation, thread, events: Vec::new() });
            }
            Step::Unsupported if self.run.must_start_over() => self.start_over(),
            Step::Unsupported => {
                let reason = self.run.unsupported(thread);
                self.refuse(reason);
            }
        }
        None
    }

    pub(crate) fn report(&mut self, report: Report) {
        if self.is_replaying {
            return;
        }
        if self.control().is_interrupted() {
            // It will be found again in the search that starts over.
            self.is_stopped = true;
            return;
        }
        self.observer.violation(report, Execution { graph: &self.graph, run: &mut self.run });
        if !self.config.keep_going {
            self.stop();
        }
    }

    /// Says why the program cannot be checked, and ends the search.
    pub(crate) fn refuse(&mut self, refusal: impl Into<Refusal>) {
        self.observer.refused(refusal.into());
        self.stop();
    }

    fn stop(&mut self) {
        self.is_stopped = true;
        self.control().stop();
    }

    /// Counts one more execution. The search is over if that is one too many.
    pub(crate) fn admit(&mut self) -> bool {
        let is_admitted = self.tally.admit(&self.config, self.shared.control);
        self.is_stopped |= !is_admitted;
        is_admitted
    }

    /// The execution is over: counts it and shows it. The answer is `false` if it is one more than were asked for; then
    /// it is neither counted nor shown.
    pub(crate) fn finish(&mut self, closing: Closing) -> bool {
        if !self.admit() {
            return false;
        }
        match closing.ending {
            Ending::Complete => self.stats.executions += 1,
            Ending::Blocked => self.stats.blocked += 1,
        }
        self.stats.bounded += u64::from(closing.is_bounded);
        if self.observer.looks_at_executions() {
            self.observer.execution(closing.ending, Execution { graph: &self.graph, run: &mut self.run });
        }
        true
    }

    /// In an execution that cannot go on: what to report if the waiting ones of `threads` wait forever. They do if all
    /// that they wait for has its final value, which is for `is_final` to say.
    pub(crate) fn endless_wait(
        &mut self,
        threads: &[ThreadId],
        is_final: impl FnOnce(&Graph, &[Slot]) -> bool,
    ) -> Option<Report> {
        let stuck = progress::stuck(&self.graph, &mut self.run, threads)?;
        is_final(&self.graph, &stuck.awaited).then(|| stuck.waiting.report(&self.graph, &mut self.run))
    }

    /// Counts an event of `thread`, of which there are `n_events` now in this execution. Looks now and then whether to
    /// stop, for executions may be long, and refuses a thread with more events than have numbers.
    #[inline]
    pub(crate) fn count_event(&mut self, thread: ThreadId, n_events: usize) {
        self.stats.events += 1;
        if self.stats.events.is_multiple_of(EVENTS_BETWEEN_LOOKS) {
            self.flush();
        }
        if n_events > LONGEST_THREAD {
            let key = self.run.key(thread);
            self.refuse(thread_too_long(key));
        }
    }

    /// Looks whether the search is to stop, or to start over.
    pub(crate) fn look_up(&mut self) {
        self.is_stopped |= self.control().must_pause();
    }

    /// Tells the others how far this worker is, and looks whether to stop.
    pub(crate) fn flush(&mut self) {
        self.tally.flush(self.shared.control);
        self.look_up();
    }

    /// Whatever goes wrong with the graph should show as early as possible.
    pub(crate) fn validate(&self) {
        if self.config.validate
            && let Err(broken) = atropos_graph::validate(&self.graph)
        {
            panic!("a malformed graph: {broken:?}");
        }
    }
}
