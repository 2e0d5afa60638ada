//! What every search over execution graphs does in the same way: it takes the next label of a thread, adds it, checks
//! the program for errors, and ends executions. A search built on an [`Engine`] only chooses sources and places, and
//! where to continue.

use crate::host::Host;
use crate::journal::{self, journal};
use crate::learned::Lesson;
use crate::progress::Closing;
use crate::rules::Rules;
use crate::thread_order::{self, Conflicts};
use crate::trust::owners::LastOwner;
use crate::withheld::Withheld;
use crate::{Ending, Report, ThreadOrder, judge, memory};
use atropos_event::{EventId, Label, Position, Run, Step, ThreadId, ThreadKey, Value, Violation, mark};
use atropos_graph::{Graph, LocId, Outcome, Slot};
use atropos_model::MemoryModel;
use log::Level;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

pub struct Engine<'a, R: Run, M, Q> {
    pub(crate) host: Host<'a, R>,
    pub(crate) model: M,
    /// The height of the run's stack before the first event.
    pub(crate) root_mark: Position,
    /// All known threads, in the order of their canonical names.
    pub(crate) threads: Vec<ThreadId>,
    /// The same threads in the order in which they move.
    pub(crate) schedule: Vec<ThreadId>,
    pub(crate) cursor: Cursor,
    conflicts: Conflicts,
    /// No event before this place in the graph is a failure to acquire a mutex.
    pub(crate) waits_from: usize,
    /// The execution has ended early because the observer does not look at the rest: see [`crate::quiet`].
    pub(crate) is_silent: bool,
    /// See [`atropos_event::Program::has_hidden_memory`].
    has_hidden_memory: bool,
    /// What the graph shows, if it can happen: only RCMC is not sure.
    pub(crate) withheld: Vec<Withheld>,
    /// The locations that were seen to count references, and the chosen last owners: see
    /// [`crate::trust::owners`].
    pub(crate) references: Vec<LocId>,
    pub(crate) owners: Vec<LastOwner>,
    /// Last owners have read what others have done.
    pub(crate) has_collected: bool,
    /// Threads have failed while no thread was the last owner.
    pub(crate) has_overlooked: bool,
    rules: PhantomData<Q>,
}

/// Where the search for a thread that can move continues.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    /// The threads before this place in the schedule cannot move, or are quiet.
    pub next: usize,
    /// The first thread that waits to join.
    pub joiner: usize,
}

impl Cursor {
    pub const START: Cursor = Cursor { next: 0, joiner: usize::MAX };
}

impl<'a, R: Run, M, Q> Deref for Engine<'a, R, M, Q> {
    type Target = Host<'a, R>;

    fn deref(&self) -> &Host<'a, R> {
        &self.host
    }
}

impl<'a, R: Run, M, Q> DerefMut for Engine<'a, R, M, Q> {
    fn deref_mut(&mut self) -> &mut Host<'a, R> {
        &mut self.host
    }
}

impl<'a, R: Run, M: MemoryModel, Q: Rules<M>> Engine<'a, R, M, Q> {
    pub(crate) fn new(mut host: Host<'a, R>, model: M) -> Self {
        host.graph = Graph::new(M::HAS_VIEWS || host.program.has_cells());
        let has_hidden_memory = host.program.has_hidden_memory();
        Engine {
            root_mark: host.run.mark(),
            host,
            model,
            threads: vec![ThreadId::MAIN],
            schedule: vec![ThreadId::MAIN],
            cursor: Cursor::START,
            conflicts: Conflicts::default(),
            waits_from: usize::MAX,
            is_silent: false,
            has_hidden_memory,
            withheld: Vec::new(),
            references: Vec::new(),
            owners: Vec::new(),
            has_collected: false,
            has_overlooked: false,
            rules: PhantomData,
        }
    }

    /// The first thread that can move, and its label. Quiet threads come last, and before them those that would wait
    /// for a mutex.
    pub(crate) fn next_event(&mut self) -> Option<(ThreadId, Label)> {
        let next = match Q::DELAYS_WAITERS {
            true if !self.lessons.mutexes.is_empty() => self.next_but_waiting(),
            false if self.waits_from < self.graph.len() => {
                self.next_of_holder().or_else(|| self.first_able())
            }
            _ => self.first_able(),
        };
        next.or_else(|| self.next_quiet()).or_else(|| self.next_held())
    }

    fn first_able(&mut self) -> Option<(ThreadId, Label)> {
        for index in self.cursor.next..self.schedule.len() {
            let thread = self.schedule[index];
            if !self.graph.exists(thread) {
                continue;
            }
            match self.run.pending(thread) {
                Step::Do(Label::Join { child }) if !self.graph.has_ended(child) => {
                    self.cursor.joiner = self.cursor.joiner.min(index);
                }
                Step::Do(Label::Join { .. } | Label::End) if self.is_left_for_last(thread) => {}
                Step::Do(label) if self.is_held_up(thread, label) || self.is_held_as_owner(thread, label) => {
                }
                Step::Do(label) => return Some(self.move_to(index, label)),
                Step::Finished | Step::Blocked(_) | Step::Failed | Step::Unsupported => {}
            }
        }
        None
    }

    /// The thread at place `index` of the schedule moves. Only the end of a thread enables an earlier one, and only
    /// one that waits to join.
    pub(crate) fn move_to(&mut self, index: usize, label: Label) -> (ThreadId, Label) {
        self.cursor.next = match label {
            Label::End => std::mem::replace(&mut self.cursor.joiner, usize::MAX).min(index),
            _ => index,
        };
        (self.schedule[index], label)
    }

    /// Events were taken back: threads that could not move may be able to again.
    pub(crate) fn forget_order(&mut self) {
        self.cursor = Cursor::START;
        if self.waits_from >= self.graph.len() {
            self.waits_from = usize::MAX;
        }
    }

    pub(crate) fn add(&mut self, thread: ThreadId, label: Label, loc: LocId, outcome: Outcome) -> Slot {
        let slot = self.host.graph.add(thread, label, loc, outcome);
        self.model.observe(&mut self.host.graph, slot);
        if loc != LocId::NONE {
            self.host.graph.note_order(slot);
        }
        let index = self.graph.event(slot).id.index();
        self.count_event(thread, index + 1);
        let n_events = self.graph.len();
        self.host.note_size(n_events);
        if journal::is_on(Level::Trace) {
            self.log_added(slot);
        }
        slot
    }

    #[cold]
    fn log_added(&self, slot: Slot) {
        let event = self.graph.event(slot);
        let place = match event.is_write() && Q::TRACKS_CO {
            true => format!(" at place {} of {}", event.co, self.graph.location(event.loc).co.len() - 1),
            false => String::new(),
        };
        self.log(Level::Trace, format_args!("add {}{place}", self.describe(slot)));
    }

    /// Adds the read `label`, which reads from `source`.
    pub(crate) fn add_read(&mut self, thread: ThreadId, label: Label, loc: LocId, source: Slot) -> Slot {
        let value = self.graph.value_for(thread, loc, source);
        let before = self.run.position(thread);
        self.add(thread, label, loc, Outcome { rf: source, co: 0, value, before })
    }

    /// Adds the write `label` at this place of the coherence order.
    pub(crate) fn add_write(&mut self, thread: ThreadId, label: Label, loc: LocId, place: u32) -> Slot {
        let Label::Write { access, value, .. } = label else { unreachable!("{label:?} is no write") };
        let before = self.run.position(thread);
        let value = access.truncate(value);
        self.add(thread, label, loc, Outcome { rf: Slot::INIT, co: place, value, before })
    }

    /// Adds an event without alternatives: `Begin`, `Join`, fences and the like. Returns `false` if the graph is
    /// inconsistent with it, which can only happen with a model that is not extensible.
    pub(crate) fn add_sole(&mut self, thread: ThreadId, label: Label) -> bool {
        let rf = match label {
            Label::Begin => self.graph.spawn_of(thread).expect("a thread runs after its creation"),
            Label::Join { child } => self.graph.last_of(child).expect("a joined thread has ended"),
            _ => Slot::INIT,
        };
        let before = self.run.position(thread);
        let slot = self.add(thread, label, LocId::NONE, Outcome { rf, co: 0, value: 0, before });
        if !M::IS_EXTENSIBLE && !self.is_consistent(slot) {
            return false;
        }
        self.answer(thread, 0);
        if let Label::Spawn { child, .. } = label {
            self.enter(child);
        }
        if matches!(label, Label::Begin | Label::Join { .. }) {
            self.watch_source(slot);
        }
        if let Some(report) =
            memory::judge(&self.host.graph, slot, || self.model.past(&self.host.graph, slot))
        {
            self.report(report);
        }
        true
    }

    /// The write that completes the read-modify-write whose exclusive read is at `read`.
    pub(crate) fn completion(&self, read: Slot) -> (ThreadId, Label) {
        let event = self.graph.event(read);
        let write = event.label.exclusive_write(event.value).expect("an exclusive read");
        (event.id.thread(), write)
    }

    /// Whether the graph, which was consistent before, is consistent with the event at `added`.
    pub(crate) fn is_consistent(&mut self, added: Slot) -> bool {
        let is_consistent = Q::is_consistent(&mut self.model, &self.host.graph, added);
        if !is_consistent && let Some(complaint) = self.model.complaint() {
            self.refuse(complaint);
        }
        if !is_consistent {
            journal!(self, Trace, "the model forbids {}", self.describe(added));
        }
        is_consistent
    }

    /// Keeps the lists of threads in their orders.
    fn enter(&mut self, child: ThreadId) {
        if !self.threads.contains(&child) {
            let Host { run, graph, config, lessons, .. } = &mut self.host;
            let key = run.key(child);
            let place = self.threads.partition_point(|&other| run.key(other) < key);
            self.threads.insert(place, child);
            graph.rank_threads(&self.threads);
            let priority = |key| (thread_order::rank(key, config.thread_order, lessons), key);
            let place = self.schedule.partition_point(|&other| priority(run.key(other)) < priority(key));
            self.schedule.insert(place, child);
        }
        self.cursor.next = 0;
        self.watch(child);
    }

    /// Records that a write of `writer` makes the search go back to a read of `reader` and repeat that many events.
    pub(crate) fn note_conflict(&mut self, reader: ThreadId, writer: ThreadId, n_events: usize) {
        let is_fixed = self.config.thread_order != ThreadOrder::Learned;
        if is_fixed || self.lessons.thread_order.is_some() || self.conflicts.is_over() {
            return;
        }
        let order: Vec<_> = self.schedule.iter().map(|&thread| self.run.key(thread)).collect();
        let (reader, writer) = (self.run.key(reader), self.run.key(writer));
        if let Some(order) = self.conflicts.note(reader, writer, n_events, &order) {
            mark!("engine: another order of threads");
            self.learn(Lesson::ThreadOrder(order));
        }
    }

    /// Takes back the last events until there are `len`, and with them the steps of their threads.
    pub(crate) fn cut_to(&mut self, len: usize) {
        while self.graph.len() > len {
            self.pop();
        }
    }

    /// Takes back the last event, and with it the thread's last step.
    pub(crate) fn pop(&mut self) {
        let (thread, before) = self.host.graph.pop();
        self.host.run.rewind(thread, before);
    }

    /// Passes `value` to `thread`, which runs to its next label.
    #[inline]
    pub(crate) fn answer(&mut self, thread: ThreadId, value: Value) {
        self.host.run.resume(thread, value);
        self.watch(thread);
    }

    /// Passes `value` to the thread of the read at `read`.
    #[inline]
    pub(crate) fn pass(&mut self, read: Slot, value: Value) {
        let thread = self.graph.event(read).id.thread();
        self.host.run.resume(thread, value);
        if !self.runs_late(read) {
            self.watch(thread);
        }
    }

    /// Whether the event at `slot` is a half of a read-modify-write whose thread runs on when the write has a place.
    #[inline]
    pub(crate) fn runs_late(&self, slot: Slot) -> bool {
        self.has_hidden_memory && self.graph.event(slot).exclusive
    }

    /// The write at `write` has a place, so a thread that runs late runs on.
    pub(crate) fn run_on(&mut self, write: Slot) {
        if self.runs_late(write)
            && let Some(read) = self.graph.po_before(write)
        {
            self.watch(self.graph.event(read).id.thread());
            self.watch_answered(read);
        }
    }

    /// Checks whether `thread`, which has just moved, has failed.
    #[inline]
    pub(crate) fn watch(&mut self, thread: ThreadId) {
        if let Some(report) = self.failure(thread) {
            if self.lacks_owner() {
                // The thread has failed in an execution that is not one of the program.
                self.has_overlooked = true;
                return;
            }
            self.report(report);
        }
    }

    /// Passes its value to the thread of the read at `read`, and judges the access. If the access is misuse of memory,
    /// the value that it reads is not reported as well.
    pub(crate) fn answer_read(&mut self, read: Slot) {
        let event = self.graph.event(read);
        let (thread, value) = (event.id.thread(), event.value);
        if self.graph.reads_unwritten(read) {
            self.host.run.resume_unwritten(thread);
            if !self.check_access(read) && !self.is_stopped {
                self.watch(thread);
            }
        } else {
            self.pass(read, value);
            self.check_access(read);
        }
    }

    /// Judges the access at `added`, the last of its thread, by what happens before it; returns whether it is misuse of
    /// memory.
    #[inline]
    pub(crate) fn check_access(&mut self, added: Slot) -> bool {
        let Host { graph, config, .. } = &self.host;
        match judge::access(&self.model, graph, added, config) {
            None => false,
            Some(reports) => self.report_access(reports),
        }
    }

    #[cold]
    fn report_access(&mut self, reports: [Option<Report>; 2]) -> bool {
        let is_race = |report: &Report| matches!(report.violation, Violation::Race { .. });
        let is_misuse = reports.iter().flatten().any(|report| !is_race(report));
        for report in reports.into_iter().flatten() {
            if !self.is_stopped {
                self.report(report);
            }
        }
        is_misuse
    }

    /// How the execution, in which nothing can move, has ended.
    pub(crate) fn closing(&mut self) -> Closing {
        if self.is_silent {
            return Closing::COMPLETE;
        }
        let is_open = |graph: &Graph, thread| graph.exists(thread) && !graph.has_ended(thread);
        self.host.closing(self.threads.iter().copied(), is_open)
    }

    /// The execution is over: counts it, shows it, judges it, and checks whether to stop.
    pub(crate) fn finish(&mut self, closing: Closing) {
        if !self.host.finish(closing) {
            return;
        }
        if closing.ending == Ending::Blocked {
            let is_final = |graph: &Graph, awaited: &[Slot]| Q::is_final(&mut self.model, graph, awaited);
            if let Some(report) = self.host.endless_wait(&self.threads, is_final) {
                self.report(report);
            }
        }
        if self.model.has_flags() {
            self.report_flags(closing.ending);
        }
        self.look_up();
    }

    /// Reports the flags that the model raises about an execution that is over. A flag named `race` is a race.
    fn report_flags(&mut self, ending: Ending) {
        for mut flag in self.model.flagged(&self.host.graph, ending == Ending::Complete) {
            // A flag without events is shown at the end.
            let last = self.graph.len().checked_sub(1).map(Slot::new);
            let Some(shown) = flag.events.last().copied().or(last) else { continue };
            if flag.events.is_empty() {
                flag.events.push(shown);
            }
            if self.is_stopped {
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

    /// Reports what the graph shows, if it can happen.
    fn report(&mut self, report: Report) {
        if !self.is_replaying && self.leaves_order_open() {
            // A search with everything in order finds it, if it can happen, and can show it.
            self.put_in_order();
            return;
        }
        if Q::is_real(&self.host.graph) {
            self.host.report(report);
        } else {
            self.withheld.push(Withheld::new(&self.host.graph, report));
        }
    }

    /// Whether the graph stands for several executions, with updates or sections in different orders.
    pub(crate) fn leaves_order_open(&self) -> bool {
        self.config.rmws && self.graph.has_counts() || self.config.locks && self.graph.has_sections()
    }

    /// The search starts over with all updates, and all sections, in order.
    pub(crate) fn put_in_order(&mut self) {
        if self.graph.has_counts() {
            self.learn(Lesson::CountsNothing);
        }
        if self.graph.has_sections() {
            self.learn(Lesson::PartsNothing);
        }
    }

    /// The known thread with that name.
    pub(crate) fn thread_named(&self, key: ThreadKey) -> Option<ThreadId> {
        self.threads.iter().copied().find(|&thread| self.run.key(thread) == key)
    }

    /// The event with this canonical name, if its thread is known.
    pub(crate) fn event_named(&self, (key, index): Name) -> Option<EventId> {
        Some(EventId::new(self.thread_named(key)?, index as usize))
    }

    /// The canonical name of an event. Workers number threads as they see them.
    pub(crate) fn name_of(&self, event: EventId) -> Name {
        (self.run.key(event.thread()), event.index() as u32)
    }
}

/// The canonical name of an event: that of its thread, and its position there.
pub(crate) type Name = (ThreadKey, u32);

/// Reads the name of an event, like `0.1[3]`.
pub(crate) fn read_name(text: &str) -> Option<Name> {
    let (key, index) = text.strip_suffix(']')?.split_once('[')?;
    let index = index.parse().ok().filter(|&index: &u32| (index as usize) < EventId::INDEX_LIMIT)?;
    Some((key.parse().ok()?, index))
}
