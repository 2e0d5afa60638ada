//! What every search over execution graphs does in the same way: ask the threads what comes next, add it, look
//! for errors of the program, count and tell. The algorithms that have no need of their own way of doing it stand
//! on a [`Stage`] and decide what is left to decide: sources, places, and where to go on.

use crate::school::{Lessons, School};
use crate::tally::Tally;
use crate::thread_order::{self, Conflicts};
use crate::{
    Config, Control, EVENTS_BETWEEN_LOOKS, Ending, Execution, LONGEST_THREAD, Observer, Report, Stats,
    ThreadOrder, judge, memory, progress, thread_too_long,
};
use atropos_event::{
    Access, BlockReason, Label, Position, Program, Refusal, RefusalReason, Run, Step, ThreadId,
};
use atropos_graph::{Graph, LocId, Outcome, Slot};
use atropos_model::MemoryModel;
use std::sync::Arc;

pub struct Stage<'a, P: Program, M> {
    pub program: &'a P,
    pub config: Config,
    control: &'a Control,
    pub model: M,
    pub(crate) observer: &'a mut dyn Observer,
    pub run: P::Run<'a>,
    /// The height of the run's stack before the first event.
    pub root_mark: Position,
    pub graph: Graph,
    pub stats: Stats,
    /// All threads met so far, in the order of their canonical names.
    pub threads: Vec<ThreadId>,
    /// The same threads in the order in which they are to move.
    pub(crate) schedule: Vec<ThreadId>,
    conflicts: Conflicts,
    /// The threads before this place in the schedule cannot move, or are quiet.
    pub(crate) cursor: usize,
    /// No event before this place in the graph is a failure to acquire a mutex.
    pub(crate) waits_from: usize,
    /// The execution has ended because nobody hears the rest: see [`crate::quiet`].
    pub(crate) is_silent: bool,
    pub stopped: bool,
    /// The program has broken up its accesses, or something has been learned that changes the search: it has to
    /// be started over.
    pub restart: bool,
    tally: Tally,
    /// What earlier starts of this search have learned, and where this one adds to it.
    pub(crate) lessons: Lessons,
    pub(crate) school: Arc<School>,
    pub(crate) manner: Manner<M>,
}

/// What a stage has to know of the search that stands on it.
pub struct Manner<M> {
    /// Whether the writes of these accesses (of a read, its source) can be the last ones of their locations.
    pub is_final: fn(&mut M, &Graph, &[Slot]) -> bool,
    /// Whether what the graph shows can happen: asked before an error is reported. Searches whose graphs are
    /// all consistent say yes.
    pub is_real: fn(&mut M, &Graph) -> bool,
    /// Whether executions may end before the joins and ends that nobody looks at.
    pub may_be_silent: bool,
}

impl<'a, P: Program, M: MemoryModel> Stage<'a, P, M> {
    pub fn new(
        program: &'a P,
        model: M,
        config: Config,
        (control, school): (&'a Control, Arc<School>),
        observer: &'a mut dyn Observer,
        manner: Manner<M>,
    ) -> Self {
        let run = program.start();
        Stage {
            program,
            config,
            control,
            model,
            observer,
            root_mark: run.mark(),
            run,
            graph: Graph::new(M::HAS_VIEWS || program.has_cells()),
            stats: Stats::default(),
            threads: vec![ThreadId::MAIN],
            schedule: vec![ThreadId::MAIN],
            conflicts: Conflicts::default(),
            cursor: 0,
            waits_from: usize::MAX,
            is_silent: false,
            stopped: false,
            restart: false,
            tally: Tally::default(),
            lessons: school.lessons(),
            school,
            manner,
        }
    }

    /// The first thread that can move, and its label; threads that would wait for a mutex come last.
    pub fn next_event(&mut self) -> Option<(ThreadId, Label)> {
        let next = if self.lessons.mutexes.is_empty() { self.first_able() } else { self.next_but_waiting() };
        next.or_else(|| self.next_quiet())
    }

    fn first_able(&mut self) -> Option<(ThreadId, Label)> {
        for index in self.cursor..self.schedule.len() {
            let thread = self.schedule[index];
            if !self.graph.exists(thread) {
                continue;
            }
            match self.run.pending(thread) {
                Step::Do(Label::Join { child }) if !self.graph.has_ended(child) => {}
                Step::Do(Label::Join { .. } | Label::End) if self.is_left_for_last(thread) => {}
                Step::Do(label) => {
                    // Only the end of a thread lets an earlier one go on.
                    self.cursor = if label == Label::End { 0 } else { index };
                    return Some((thread, label));
                }
                Step::Finished | Step::Blocked(_) | Step::Failed | Step::Unsupported => {}
            }
        }
        None
    }

    /// Something was taken back: threads that could not move may be able to again.
    pub fn forget_order(&mut self) {
        self.cursor = 0;
        if self.waits_from >= self.graph.len() {
            self.waits_from = usize::MAX;
        }
    }

    pub fn add(&mut self, thread: ThreadId, label: Label, loc: LocId, outcome: Outcome) -> Slot {
        let slot = self.graph.add(thread, label, loc, outcome);
        self.model.observe(&mut self.graph, slot);
        self.stats.events += 1;
        if self.stats.events.is_multiple_of(EVENTS_BETWEEN_LOOKS) {
            // Executions may be long, or all of them inconsistent.
            self.flush_progress();
        }
        if self.graph.event(slot).id.index() >= LONGEST_THREAD {
            let key = self.run.key(thread);
            self.refuse(thread_too_long(key));
        }
        self.stats.largest = self.stats.largest.max(self.graph.len() as u64);
        slot
    }

    /// Adds an event without alternatives: `Begin`, `Join`, fences and the like.
    pub fn add_sole(&mut self, thread: ThreadId, label: Label) {
        let rf = match label {
            Label::Begin => self.graph.spawn_of(thread).expect("a thread runs after its creation"),
            Label::Join { child } => self.graph.last_of(child).expect("a joined thread has ended"),
            _ => Slot::INIT,
        };
        let before = self.run.position(thread);
        let slot = self.add(thread, label, LocId::NONE, Outcome { rf, co: 0, value: 0, before });
        self.answer(thread, 0);
        if let Label::Spawn { child, .. } = label {
            self.enter(child);
        }
        if matches!(label, Label::Begin | Label::Join { .. }) {
            self.watch_source(slot);
        }
        self.check_memory(slot);
    }

    /// Keeps the lists of threads in their orders.
    fn enter(&mut self, child: ThreadId) {
        if !self.threads.contains(&child) {
            let key = self.run.key(child);
            let place = self.threads.partition_point(|&other| self.run.key(other) < key);
            self.threads.insert(place, child);
            self.graph.rank_threads(&self.threads);
            let priority = |key| (thread_order::rank(key, self.config.thread_order, &self.lessons), key);
            let place = self.schedule.partition_point(|&other| priority(self.run.key(other)) < priority(key));
            self.schedule.insert(place, child);
        }
        self.cursor = 0;
        self.watch(child);
    }

    /// Notes that a write of `writer` makes the search go back to a read of `reader` and do that many events again.
    pub fn note_conflict(&mut self, reader: ThreadId, writer: ThreadId, n_events: usize) {
        let is_fixed = self.config.thread_order != ThreadOrder::Learned;
        if is_fixed || self.lessons.thread_order.is_some() || self.conflicts.is_over() {
            return;
        }
        let order: Vec<_> = self.schedule.iter().map(|&thread| self.run.key(thread)).collect();
        let (reader, writer) = (self.run.key(reader), self.run.key(writer));
        if let Some(order) = self.conflicts.note(reader, writer, n_events, &order) {
            self.school.learn(|lessons| lessons.thread_order = Some(order));
            self.start_over();
        }
    }

    /// Takes back the last event, and with it the thread's last step.
    pub fn pop(&mut self) {
        let event = self.graph.pop();
        self.run.rewind(event.id.thread(), event.before);
    }

    /// Hands `value` to `thread`, which runs to its next label.
    pub fn answer(&mut self, thread: ThreadId, value: u64) {
        self.run.resume(thread, value);
        self.watch(thread);
    }

    /// The location of an access. Where it overlaps a known location only partially, the program is asked to
    /// break its accesses up and the search stops, to be started over.
    pub fn locate(&mut self, thread: ThreadId, access: Access) -> Option<LocId> {
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

    pub(crate) fn start_over(&mut self) {
        self.restart = true;
        self.stopped = true;
        self.control.interrupt();
    }

    /// Looks whether `thread`, which has just moved, has failed.
    pub fn watch(&mut self, thread: ThreadId) {
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

    /// Hands the thread of the read at `read` its value, and judges the access. One that should not have been made
    /// at all is not blamed for what it reads as well.
    pub fn answer_read(&mut self, read: Slot) {
        let event = self.graph.event(read);
        let (thread, value) = (event.id.thread(), event.value);
        if self.graph.reads_unwritten(read) {
            self.run.resume_unwritten(thread);
            if !self.check_access(read) {
                self.watch(thread);
            }
        } else {
            self.answer(thread, value);
            self.check_access(read);
        }
    }

    /// Judges the access at `added`, the last of its thread, by what happens before it; answers whether it is wrong.
    pub fn check_access(&mut self, added: Slot) -> bool {
        let judged = judge::access(&self.model, &self.graph, added, &self.config);
        let Some(reports) = judged else { return false };
        for report in reports.into_iter().flatten() {
            if !self.stopped {
                self.report(report);
            }
        }
        true
    }

    fn check_memory(&mut self, added: Slot) -> bool {
        let past = || self.model.past(&self.graph, added);
        if let Some(report) = memory::judge(&self.graph, added, past) {
            self.report(report);
            return true;
        }
        false
    }

    /// How the execution, which cannot go on, has ended.
    pub fn ending(&mut self) -> Ending {
        if self.is_silent {
            return Ending::Complete;
        }
        let (graph, run) = (&self.graph, &mut self.run);
        let open = self.threads.iter().filter(|&&thread| graph.exists(thread) && !graph.has_ended(thread));
        progress::ending(open.map(|&thread| run.pending(thread)))
    }

    /// The execution is over. It is not looked at if it is one more than were asked for.
    pub fn finish(&mut self, ending: Ending) {
        if !self.tally.admit(&self.config, self.control) {
            self.stopped = true;
            return;
        }
        match ending {
            Ending::Complete => self.stats.executions += 1,
            Ending::Blocked => self.stats.blocked += 1,
        }
        if ending == Ending::Blocked {
            let bound = Step::Blocked(BlockReason::Bound);
            let is_bounded = self
                .threads
                .iter()
                .any(|&thread| self.graph.exists(thread) && self.run.pending(thread) == bound);
            self.stats.bounded += u64::from(is_bounded);
        }
        if !std::mem::take(&mut self.is_silent) {
            self.observer.execution(ending, Execution { graph: &self.graph, run: &mut self.run });
        }
        if ending == Ending::Blocked {
            self.check_progress();
        }
    }

    /// In an execution that cannot go on: will the waiting threads wait for ever? They will if all that they
    /// wait for has its final value.
    fn check_progress(&mut self) {
        let Some(stuck) = progress::stuck(&self.graph, &mut self.run, &self.threads) else { return };
        if (self.manner.is_final)(&mut self.model, &self.graph, &stuck.awaited) {
            let report = stuck.waiting.report(&self.graph, &mut self.run);
            self.report(report);
        }
    }

    fn report(&mut self, report: Report) {
        if !(self.manner.is_real)(&mut self.model, &self.graph) {
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

    fn refuse(&mut self, refusal: impl Into<Refusal>) {
        self.observer.refused(refusal.into(), Execution { graph: &self.graph, run: &mut self.run });
        self.stopped = true;
        self.control.stop();
    }

    /// Is the search to stop, or to start over?
    pub fn must_pause(&self) -> bool {
        self.control.must_pause()
    }

    /// Hears whether the search is to stop, or to start over.
    pub fn look_up(&mut self) {
        self.stopped |= self.control.must_pause();
    }

    /// Tells how far this worker is, and hears whether to stop.
    pub fn flush_progress(&mut self) {
        self.tally.flush(self.control);
        self.look_up();
    }
}
