//! What every search does, whatever its executions are: it locates accesses, checks threads, reports, refuses, counts
//! executions and obeys limits.

use crate::driver::Search;
use crate::journal::{self, journal, log_restart};
use crate::learned::{Learned, Lesson, Lessons};
use crate::ledger::{Allowance, Ledger, Record};
use crate::pool::Pool;
use crate::progress::{self, Closing};
use crate::tally::Tally;
use crate::{
    Config, Control, EVENTS_BETWEEN_LOOKS, Ending, Execution, LONGEST_THREAD, Observer, ProbedChoice, Report,
    thread_too_long,
};
use atropos_event::{Access, Program, Refusal, RefusalReason, Run, Stats, Step, ThreadId};
use atropos_graph::{Graph, LocId, Slot};
use log::Level;

/// One worker of a search, as far as all algorithms agree.
pub struct Host<'a, R: Run> {
    pub(crate) program: &'a dyn Program,
    pub(crate) config: Config,
    pub(crate) run: R,
    /// The execution for observers.
    pub(crate) graph: Graph,
    pub(crate) stats: Stats,
    /// What earlier starts of this search have learned.
    pub(crate) lessons: Lessons,
    /// This worker does nothing more, because the search is over or starts over.
    pub(crate) is_stopped: bool,
    /// This worker has requested that the search start over.
    pub(crate) must_restart: bool,
    /// On the way to this worker's part of the search. The worker that split it off has already reported violations
    /// there.
    pub(crate) is_replaying: bool,
    shared: Shared<'a>,
    observer: &'a mut dyn Observer,
    tally: Tally,
    /// If there is a ledger: the budget of the current part, and which parts of it were given away.
    allowance: Option<Allowance<'a>>,
    given: Vec<String>,
    /// How many of them, the first ones, are in the hands of other processes.
    n_pieces: usize,
    known: Vec<String>,
}

/// What the workers of a search share.
#[derive(Clone, Copy)]
pub struct Shared<'a> {
    /// The name of the algorithm, for the log.
    pub name: &'static str,
    pub control: &'a Control,
    pub learned: &'a Learned,
}

impl<'a, R: Run> Host<'a, R> {
    pub(crate) fn new(search: &Search<'a, R>, shared: Shared<'a>, observer: &'a mut dyn Observer) -> Self {
        Host {
            program: search.program,
            config: search.config,
            run: (search.start)(),
            graph: Graph::new(false),
            stats: Stats::default(),
            lessons: shared.learned.lessons(),
            is_stopped: false,
            must_restart: false,
            is_replaying: false,
            shared,
            observer,
            tally: Tally::default(),
            allowance: None,
            given: Vec::new(),
            n_pieces: 0,
            known: Vec::new(),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.shared.name
    }

    pub(crate) fn control(&self) -> &'a Control {
        self.shared.control
    }

    pub(crate) fn looks_at_executions(&self) -> bool {
        self.observer.looks_at_executions()
    }

    /// The location of an access. If it partially overlaps a known location, the program must split its accesses, and
    /// the search starts over.
    #[inline]
    pub(crate) fn locate(&mut self, thread: ThreadId, access: Access) -> Option<LocId> {
        let program = self.program;
        match self.graph.locate(access, || program.initial(access)) {
            Ok(loc) => Some(loc),
            Err(known) => {
                self.on_partial_overlap(thread, known, access);
                None
            }
        }
    }

    /// An access of `thread` overlaps a known location partially.
    #[cold]
    fn on_partial_overlap(&mut self, thread: ThreadId, known: Access, access: Access) {
        let program = self.program;
        if self.control().is_stopped() {
            // The search is over, and this replay of another worker's report knows more than that worker did.
            self.is_stopped = true;
        } else if self.run.split(known, access) {
            if journal::is_on(Level::Debug) {
                let [first, second] = [known, access].map(|access| program.name_of_access(access));
                log_restart(format_args!("accesses overlap partially: {first} and {second}"));
            }
            self.start_over();
        } else {
            let key = self.run.key(thread);
            self.refuse(RefusalReason::MixedSizes { accesses: [known, access], thread: key });
        }
    }

    /// Makes all workers start the search over.
    pub(crate) fn start_over(&mut self) {
        self.must_restart = true;
        self.is_stopped = true;
        self.control().interrupt();
    }

    /// Records what the search should know if it starts over.
    pub(crate) fn remember(&mut self, lesson: Lesson) {
        if journal::is_on(Level::Debug) {
            self.log_lesson(&lesson);
        }
        self.shared.learned.learn(lesson);
    }

    /// Records what the search must know from the start, and starts over.
    pub(crate) fn learn(&mut self, lesson: Lesson) {
        self.remember(lesson);
        self.start_over();
    }

    /// The failure of `thread`, which has just moved, if any. A thread that cannot be checked ends the search.
    #[inline]
    pub(crate) fn failure(&mut self, thread: ThreadId) -> Option<Report> {
        match self.run.pending(thread) {
            Step::Do(_) | Step::Finished | Step::Blocked(_) => None,
            step @ (Step::Failed | Step::Unsupported) => self.judge_failure(thread, step),
        }
    }

    #[cold]
    fn judge_failure(&mut self, thread: ThreadId, step: Step) -> Option<Report> {
        match step {
            Step::Do(_) | Step::Finished | Step::Blocked(_) => {}
            Step::Failed => {
                let violation = self.run.violation(thread);
                return Some(Report { violation, thread, events: Vec::new() });
            }
            Step::Unsupported if self.run.must_start_over() => {
                if journal::is_on(Level::Debug) {
                    log_restart(format_args!("the program has learned how its memory is used"));
                }
                self.start_over();
            }
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
            // The search that starts over will find it again.
            self.is_stopped = true;
            return;
        }
        journal!(
            self,
            Debug,
            "violation: {} in thread {}",
            report.violation.kind(),
            self.run.key(report.thread)
        );
        self.observer.violation(report, Execution { graph: &self.graph, run: &mut self.run });
        if !self.config.keep_going {
            self.stop();
        }
    }

    /// Reports why the program cannot be checked, and ends the search.
    pub(crate) fn refuse(&mut self, refusal: impl Into<Refusal>) {
        let refusal = refusal.into();
        journal!(self, Debug, "the program cannot be checked: {:?}", refusal.reason);
        self.observer.refused(refusal);
        self.stop();
    }

    fn stop(&mut self) {
        self.is_stopped = true;
        self.control().stop();
    }

    /// Counts one more execution. The search is over if that exceeds the limit.
    pub(crate) fn admit(&mut self) -> bool {
        let is_admitted = self.tally.admit(&self.config, self.shared.control);
        self.is_stopped |= !is_admitted;
        is_admitted
    }

    /// How an execution in which nothing can move has ended. Of `threads`, those count that `is_open` says have not
    /// ended.
    pub(crate) fn closing(
        &mut self,
        threads: impl Iterator<Item = ThreadId> + Clone,
        is_open: impl Fn(&Graph, ThreadId) -> bool,
    ) -> Closing {
        let Host { run, graph, .. } = self;
        let open = threads.clone().filter(|&thread| is_open(graph, thread));
        let closing = Closing::of(open.map(|thread| run.pending(thread)));
        if closing.ending == Ending::Blocked && journal::is_on(Level::Debug) {
            for thread in threads {
                if is_open(&self.graph, thread) {
                    self.log_stopped(thread);
                }
            }
        }
        closing
    }

    /// Starts a part of the search, which the ledger will record.
    pub(crate) fn begin_part(&mut self, ledger: &'a dyn Ledger) {
        (self.allowance, self.stats) = (Some(Allowance::of(ledger, self.allowance)), Stats::default());
        self.given.clear();
        self.n_pieces = 0;
        self.known.clear();
    }

    /// Whether there is a ledger.
    pub(crate) fn is_recorded(&self) -> bool {
        self.allowance.is_some()
    }

    /// Whether other processes do what is given away.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.allowance.is_some_and(|allowance| allowance.budget.is_elsewhere)
    }

    /// From now on, another worker may name the part with this key, but it need not be explored: see
    /// [`crate::ledger`].
    pub(crate) fn note_known(&mut self, key: String) {
        if self.is_recorded() {
            self.known.push(key);
        }
    }

    /// An execution was explored: whether the budget for this part of the search is spent.
    pub(crate) fn is_over(&mut self) -> bool {
        self.allowance.as_mut().is_some_and(Allowance::spend)
    }

    /// How many pieces of the rest to split off then.
    pub(crate) fn n_to_shed(&self) -> usize {
        self.allowance.map_or(0, |allowance| allowance.budget.n_shed)
    }

    /// How many pieces of this part other processes want at once.
    pub(crate) fn n_wanted(&self) -> usize {
        self.allowance.map_or(0, |allowance| allowance.ledger.n_wanted())
    }

    /// How many executions a piece should have.
    pub(crate) fn n_worthwhile(&self) -> f64 {
        self.allowance.map_or(0.0, |allowance| allowance.n_worthwhile())
    }

    /// No piece is worth giving away now.
    pub(crate) fn keep_pieces(&self) {
        if let Some(allowance) = &self.allowance {
            allowance.ledger.keep_pieces();
        }
    }

    /// Gives them one.
    pub(crate) fn give_piece(&mut self, piece: String) {
        let Some(allowance) = self.allowance else { unreachable!("only a ledger wants pieces") };
        allowance.ledger.give_piece(&piece);
        self.given.insert(self.n_pieces, piece);
        self.n_pieces += 1;
    }

    /// Gives away a part of the current part.
    pub(crate) fn give<P: ToString>(&mut self, pool: &Pool<P>, part: P) {
        if self.allowance.is_some() {
            self.given.push(part.to_string());
        }
        if self.allowance.is_none_or(|allowance| !allowance.budget.is_elsewhere) {
            pool.put(part);
        }
    }

    /// The record of a part that is done.
    pub(crate) fn end_part(&mut self, part: String) -> Record {
        Record {
            part,
            stats: self.stats,
            findings: self.observer.take_findings(),
            notes: self.program.notes(),
            known: std::mem::take(&mut self.known),
            rest: std::mem::take(&mut self.given),
        }
    }

    /// The execution is over: counts it and shows it. Returns `false` if it exceeds the limit; then it is neither
    /// counted nor shown.
    pub(crate) fn finish(&mut self, closing: Closing) -> bool {
        if !self.admit() {
            return false;
        }
        match closing.ending {
            Ending::Complete => self.stats.executions += 1,
            Ending::Blocked => self.stats.blocked += 1,
        }
        self.stats.bounded += u64::from(closing.is_bounded);
        let Stats { executions, blocked, .. } = self.stats;
        journal!(self, Debug, "execution {} ends: {}", executions + blocked, closing.ending.name());
        if self.observer.looks_at_executions() {
            self.observer.execution(closing.ending, Execution { graph: &self.graph, run: &mut self.run });
        }
        true
    }

    /// The report for an execution in which nothing can move, if the waiting ones of `threads` wait forever. They do
    /// if every value that they wait for is final, which `is_final` decides.
    pub(crate) fn endless_wait(
        &mut self,
        threads: &[ThreadId],
        is_final: impl FnOnce(&Graph, &[Slot]) -> bool,
    ) -> Option<Report> {
        let stuck = progress::stuck(&self.graph, &mut self.run, threads)?;
        is_final(&self.graph, &stuck.awaited).then(|| stuck.waiting.report(&self.graph, &mut self.run))
    }

    /// A probe chooses.
    pub(crate) fn probed(&mut self, choice: &ProbedChoice) {
        self.observer.choice(choice, Execution { graph: &self.graph, run: &mut self.run });
    }

    pub(crate) fn end_probe(&mut self) {
        self.observer.probe_ended();
    }

    /// Notes how many events an execution has.
    pub(crate) fn note_size(&mut self, n_events: usize) {
        self.stats.largest = self.stats.largest.max(n_events as u64);
    }

    /// Counts an event of `thread`, which now has `n_events` in this execution. Checks from time to time whether to
    /// stop, because executions may be long, and refuses a thread with too many events.
    #[inline]
    pub(crate) fn count_event(&mut self, thread: ThreadId, n_events: usize) {
        self.stats.events += 1;
        if self.stats.events.is_multiple_of(EVENTS_BETWEEN_LOOKS) || n_events > LONGEST_THREAD {
            self.look_closer(thread, n_events);
        }
    }

    #[cold]
    fn look_closer(&mut self, thread: ThreadId, n_events: usize) {
        if self.stats.events.is_multiple_of(EVENTS_BETWEEN_LOOKS) {
            self.flush();
        }
        if n_events > LONGEST_THREAD {
            let key = self.run.key(thread);
            self.refuse(thread_too_long(key));
        }
    }

    /// Checks whether the search must stop or start over.
    pub(crate) fn look_up(&mut self) {
        self.is_stopped |= self.control().must_pause();
    }

    /// Publishes the progress of this worker, and checks whether to stop.
    pub(crate) fn flush(&mut self) {
        self.tally.flush(self.shared.control);
        self.look_up();
    }

    /// Validates the graph, if that is asked for, so that errors in it show as early as possible.
    pub(crate) fn validate(&self) {
        if self.config.validate
            && let Err(broken) = atropos_graph::validate(&self.graph)
        {
            panic!("a malformed graph: {broken:?}");
        }
    }
}
