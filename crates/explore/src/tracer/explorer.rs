//! The search: `DfVisit` and, below it, `RunSchedule` [Tracer §5.1, Algorithms 1 and 3].
//!
//! The recursion of the paper is a stack of [`OpenRead`]s, one per read. The graph only ever grows and shrinks at its
//! end: a schedule of a read is replayed from the position of the read. What the paper does after the recursion below
//! a write (`DeclarePostponed`) happens when the write is taken back.

use super::history::Histories;
use super::saturated::Saturated;
use super::schedule::{Anchor, Postponed, Schedule, ScheduledEvent, Schedules};
use super::task::{Origin, TracerTask};
use crate::driver::Worker;
use crate::engine::Engine;
use crate::host::Host;
use crate::journal::{self, journal};
use crate::pool::Pool;
use crate::rules::Rules;
use atropos_event::{Access, EventId, Label, Position, Run, ThreadId, mark};
use atropos_graph::{Graph, LocId, Slot, clock};
use atropos_model::{Ra, ReadsFrom};
use log::Level;
use std::sync::Arc;

/// Executions are weak traces.
pub struct WeakTraces;

impl Rules<Ra> for WeakTraces {
    const TRACKS_CO: bool = false;

    fn is_final(model: &mut Ra, graph: &Graph, accesses: &[Slot]) -> bool {
        model.may_be_final(graph, accesses)
    }
}

pub struct TracerWorker<'a, R: Run> {
    pub(crate) engine: Engine<'a, R, Ra, WeakTraces>,
    pub(crate) saturated: Saturated,
    pub(crate) histories: Histories,
    /// The reads that later writes may serve, the first one first: those that came with the task, then those whose
    /// sources are being tried here, in [`TracerWorker::frames`].
    pub(crate) anchors: Vec<Anchor>,
    /// The reads whose sources are being tried, and their sources, one after the other.
    pub(crate) frames: Vec<OpenRead>,
    pub(crate) sources: Vec<Slot>,
    /// The origin of the present task, and schedules left at reads that came with a task.
    pub(crate) origin: Arc<Origin>,
    pub(crate) tasks: Vec<TracerTask>,
    pub(crate) pool: Option<&'a Pool<TracerTask>>,
    /// The time for this part is over: what is left of it is given away.
    pub(crate) is_ending: bool,
    /// Per event of the graph; meaningful for reads only.
    pub(crate) swaps: Vec<Swap>,
    /// The reads that have given way and are not in the graph yet.
    pub(crate) late: Vec<LateRead>,
    /// Scratch space: the `hb`-prefix of a write.
    pub(crate) prefix: Vec<u32>,
}

/// A read whose sources are being tried.
pub(crate) struct OpenRead {
    /// The height of the run's stack before the read.
    pub(crate) mark: Position,
    pub(crate) thread: ThreadId,
    pub(crate) label: Label,
    pub(crate) loc: LocId,
    /// Its sources: `sources[first..]`, up to those of the next frame; those before `next` have been tried, those from
    /// `end` on given away.
    pub(crate) first: usize,
    pub(crate) next: usize,
    pub(crate) end: usize,
    /// The read has given way to this write, and reads from it or from one that happens after it.
    pub(crate) after: Option<EventId>,
}

/// A read that waits for a mutex if it reads from the write that it has given way to. So it is left for later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LateRead {
    /// Where the branch began.
    pub(crate) anchor: usize,
    pub(crate) read: EventId,
    pub(crate) after: EventId,
}

/// Whether a read may be served by a later write [Tracer §5.1.1, `Swappable`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Swap {
    /// A schedule executed it: other schedules take care of it.
    No,
    /// By any write; schedules go to this anchor.
    Open { frame: u32 },
    /// By writes that happen after this one, which it has given way to: both belong to read-modify-writes.
    After { frame: u32, write: EventId },
}

impl Swap {
    /// A read that gets one of its sources: it can be served later, if it has given way, by writes after that one.
    pub(crate) fn of_branch(anchor: usize, after: Option<EventId>) -> Swap {
        let frame = anchor as u32;
        after.map_or(Swap::Open { frame }, |write| Swap::After { frame, write })
    }
}

impl<'a, R: Run> Worker<'a, R> for TracerWorker<'a, R> {
    type Part = TracerTask;

    /// Does a part of the search, and the schedules that arise meanwhile.
    fn explore(&mut self, task: TracerTask) {
        if self.engine.graph.is_empty() {
            self.engine.watch(ThreadId::MAIN);
        }
        self.is_ending = false;
        self.tasks.push(task);
        while !self.engine.is_stopped
            && let Some(task) = self.tasks.pop()
        {
            self.work_on(task);
        }
    }

    fn host(&mut self) -> &mut Host<'a, R> {
        &mut self.engine.host
    }
}

impl<'a, R: Run> TracerWorker<'a, R> {
    pub(super) fn new(engine: Engine<'a, R, Ra, WeakTraces>, pool: Option<&'a Pool<TracerTask>>) -> Self {
        TracerWorker {
            engine,
            saturated: Saturated::default(),
            histories: Histories::default(),
            anchors: Vec::new(),
            frames: Vec::new(),
            sources: Vec::new(),
            origin: Arc::default(),
            tasks: Vec::new(),
            pool,
            is_ending: false,
            swaps: Vec::new(),
            late: Vec::new(),
            prefix: Vec::new(),
        }
    }

    /// Algorithm 1, `DfVisit`.
    pub(crate) fn visit(&mut self) {
        loop {
            self.engine.validate();
            let extended = match self.engine.next_event() {
                Some((thread, label)) => match label.access() {
                    Some(access) if label.is_read() => {
                        self.open(thread, label, access);
                        false
                    }
                    Some(access) => self.write(thread, label, access),
                    None => self.add_sole(thread, label),
                },
                None => {
                    let closing = self.engine.closing();
                    self.engine.finish(closing);
                    self.is_ending = !self.engine.is_stopped && self.engine.is_over();
                    false
                }
            };
            if self.engine.is_stopped || (!extended && !self.advance()) {
                return;
            }
        }
    }

    fn add_sole(&mut self, thread: ThreadId, label: Label) -> bool {
        let added = Slot::new(self.engine.graph.len());
        self.engine.add_sole(thread, label);
        self.note(added, Swap::No);
        self.saturated.skip();
        true
    }

    fn write(&mut self, thread: ThreadId, label: Label, access: Access) -> bool {
        let Some(loc) = self.engine.locate(thread, access) else { return false };
        self.saturated.look(&self.engine.graph, thread, loc);
        let write = self.add_write(thread, label, loc);
        self.saturated.write(loc, self.engine.graph.event(write).id, write);
        self.engine.answer(thread, 0);
        self.engine.check_access(write);
        true
    }

    fn add_write(&mut self, thread: ThreadId, label: Label, loc: LocId) -> Slot {
        let place = self.engine.graph.location(loc).co.len() as u32;
        let write = self.engine.add_write(thread, label, loc, place);
        self.note(write, Swap::No);
        self.engine.watch_order(write);
        write
    }

    /// Adds the per-event data of the event just added.
    fn note(&mut self, added: Slot, swap: Swap) {
        self.histories.push(&self.engine.graph, added);
        self.swaps.push(swap);
    }

    /// Algorithm 1, the read case: finds the readable writes. Makes a read-modify-write that has taken one of them
    /// give way, if possible.
    fn open(&mut self, thread: ThreadId, label: Label, access: Access) {
        let Some(loc) = self.engine.locate(thread, access) else { return };
        let Label::Read { rmw, .. } = label else { unreachable!("{label:?} is no read") };
        let (first, base, mark) = (self.sources.len(), self.engine.graph.len(), self.engine.run.mark());
        self.saturated.look(&self.engine.graph, thread, loc);
        let after = self.gave_way_to(thread);
        self.saturated.push_readable(&self.engine.graph, loc, &mut self.sources);
        let mut end = first;
        for index in first..self.sources.len() {
            let source = self.sources[index];
            if !after.is_none_or(|write| self.comes_after(source, write)) {
                continue;
            }
            let value = self.engine.graph.value_of(loc, source);
            if !rmw.writes_after(access, value) || self.saturated.is_free(loc, source) {
                self.sources[end] = source;
                end += 1;
            } else {
                self.force(thread, label, loc, source);
            }
        }
        self.sources.truncate(end);
        let read = EventId::new(thread, self.engine.graph.thread(thread).len());
        self.anchors.push(Anchor { base, read, schedules: Schedules::default() });
        self.frames.push(OpenRead { mark, thread, label, loc, first, next: first, end, after });
    }

    /// The write that the next read of this thread has given way to.
    fn gave_way_to(&self, thread: ThreadId) -> Option<EventId> {
        let read = EventId::new(thread, self.engine.graph.thread(thread).len());
        self.late.iter().rev().find(|late| late.read == read).map(|late| late.after)
    }

    /// Whether the write at `slot` is `write`, or happens after it.
    fn comes_after(&self, slot: Slot, write: EventId) -> bool {
        !slot.is_init() && clock::contains(self.engine.graph.porf(slot), write)
    }

    /// Continues with the latest read that has something left to try; `false` if there is none.
    pub(crate) fn advance(&mut self) -> bool {
        self.offer();
        while let Some(frame) = self.frames.len().checked_sub(1) {
            let anchor = self.anchors.len() - 1;
            self.cut_to(self.anchors[anchor].base);
            self.late.truncate(self.late.partition_point(|late| late.anchor < anchor));
            if self.engine.is_stopped {
                return false;
            }
            self.engine.run.release(self.frames[frame].mark);
            let OpenRead { thread, label, loc, first, next, end, after, .. } = self.frames[frame];
            if self.is_ending && self.is_open(frame) {
                self.give_rest();
                return false;
            }
            if next < end {
                self.frames[frame].next += 1;
                if end - first > 1 && journal::is_on(Level::Trace) {
                    self.log_choice(frame);
                }
                self.saturated.look(&self.engine.graph, thread, loc);
                let swap = Swap::of_branch(anchor, after);
                let read = self.read(thread, label, loc, self.sources[next], swap);
                if self.engine.is_doomed(read) && !self.engine.is_stopped {
                    mark!("tracer: a doomed execution");
                    self.engine.stats.dead += 1;
                    continue;
                }
                return !self.engine.is_stopped;
            }
            if let Some(schedule) = self.anchors[anchor].schedules.take() {
                let is_possible = match &schedule {
                    Postponed::Own(schedule) => self.run_schedule(anchor, schedule),
                    Postponed::Named(schedule) => self.run_named_schedule(anchor, schedule),
                };
                if is_possible {
                    return !self.engine.is_stopped;
                }
                if self.engine.is_stopped {
                    return false;
                }
                mark!("tracer: a schedule whose source is taken");
                journal!(self.engine, Debug, "abandoned: the source of a read-modify-write is taken");
                // A read-modify-write came too late for its source: nothing has been explored.
                self.engine.stats.dead += 1;
                self.drop_to(self.anchors[anchor].base);
                continue;
            }
            self.anchors.pop();
            self.frames.pop();
            self.sources.truncate(first);
        }
        false
    }

    /// Algorithm 3, `RunSchedule`: performs the steps, and makes the last one, the read of the frame, read from the
    /// write before it. `false` if the source of a read-modify-write is taken.
    fn run_schedule(&mut self, anchor: usize, Schedule { steps, gives_way }: &Schedule) -> bool {
        let Some((last, before)) = steps.split_last() else { unreachable!("a schedule ends with its read") };
        self.engine.stats.revisits += 1;
        if journal::is_on(Level::Debug) {
            self.log_schedule(*last, before.len());
        }
        before.iter().all(|&step| self.perform(step, Swap::No))
            && self.perform_last(anchor, *last, *gives_way)
    }

    /// The source that a read is about to get.
    #[cold]
    fn log_choice(&self, frame: usize) {
        let OpenRead { thread, label, first, next, end, .. } = self.frames[frame];
        let event = EventId::new(thread, self.engine.graph.thread(thread).len());
        let what = self.engine.describe_next(event, &label);
        let source = self.engine.spell_slot(self.sources[next - 1]);
        let (nth, all) = (next - first, end - first);
        self.engine.log(Level::Trace, format_args!("choose {nth} of {all} for {what}: read from {source}"));
    }

    /// A schedule that makes `read` read from a later write is about to be performed.
    #[cold]
    fn log_schedule(&self, read: ScheduledEvent, n_before: usize) {
        let read_name = EventId::new(read.thread, self.engine.graph.thread(read.thread).len());
        let (read_name, source) =
            (self.engine.spell(read_name), read.source.expect("a schedule serves its read"));
        let line = format_args!("{} serves {read_name}, after {n_before} steps", self.engine.spell(source));
        self.engine.log(Level::Debug, line);
    }

    /// The last step of a schedule: the read of the anchor. If it gives way to its source and would wait for a mutex
    /// there, it is left for later.
    pub(crate) fn perform_last(&mut self, anchor: usize, read: ScheduledEvent, gives_way: bool) -> bool {
        let write = read.source.expect("the read of a schedule reads from its write");
        let slot = self.engine.graph.slot_of(write);
        if gives_way && self.engine.is_intact_mutex(slot) && self.would_wait(read.thread, slot) {
            mark!("tracer: a read that gives way is left for later");
            let next = EventId::new(read.thread, self.engine.graph.thread(read.thread).len());
            journal!(self.engine, Debug, "{} would wait, and is left for later", self.engine.spell(next));
            self.late.push(LateRead { anchor, read: next, after: write });
            return !self.engine.is_stopped;
        }
        let swap = match self.engine.graph.event(slot).exclusive {
            true => Swap::After { frame: anchor as u32, write },
            false => Swap::No,
        };
        self.perform(read, swap)
    }

    /// Whether the next read of `thread` waits for a mutex if it reads from the write at `source`.
    fn would_wait(&mut self, thread: ThreadId, source: Slot) -> bool {
        let value = self.engine.graph.value_of(self.engine.graph.event(source).loc, source);
        let (positions, before) = (self.engine.run.mark(), self.engine.run.position(thread));
        self.engine.run.resume(thread, value);
        let is_waiting = self.engine.waits_for_mutex(thread);
        self.engine.run.rewind(thread, before);
        self.engine.run.release(positions);
        is_waiting
    }

    /// Whether something is left of a read.
    pub(crate) fn is_open(&self, frame: usize) -> bool {
        let anchor = self.anchors.len() - self.frames.len() + frame;
        let OpenRead { next, end, .. } = self.frames[frame];
        next < end || self.anchors[anchor].schedules.has_waiting()
    }

    pub(crate) fn perform(&mut self, ScheduledEvent { thread, source }: ScheduledEvent, swap: Swap) -> bool {
        let atropos_event::Step::Do(label) = self.engine.run.pending(thread) else {
            unreachable!("a scheduled thread can move")
        };
        let Label::Read { access, rmw, .. } = label else {
            return match label.access() {
                Some(access) => self.write(thread, label, access),
                None => self.add_sole(thread, label),
            };
        };
        let Some(loc) = self.engine.locate(thread, access) else { return false };
        let source = source.map_or(Slot::INIT, |id| self.engine.graph.slot_of(id));
        self.saturated.look(&self.engine.graph, thread, loc);
        let value = self.engine.graph.value_of(loc, source);
        let is_possible = self.saturated.is_readable(&self.engine.graph, loc, source)
            && (!rmw.writes_after(access, value) || self.saturated.is_free(loc, source));
        if is_possible {
            self.read(thread, label, loc, source, swap);
        }
        is_possible && !self.engine.is_stopped
    }

    /// Adds a read from `source`, and the write of a read-modify-write; the thread has been looked at.
    fn read(&mut self, thread: ThreadId, label: Label, loc: LocId, source: Slot, swap: Swap) -> Slot {
        let read = self.engine.add_read(thread, label, loc, source);
        self.note(read, swap);
        self.saturated.read(loc, source);
        self.engine.answer_read(read);
        self.engine.watch_source(read);
        if let Some(write) = label.exclusive_write(self.engine.graph.event(read).value) {
            let write = self.add_write(thread, write, loc);
            self.saturated.write_exclusive(loc, source, write);
            self.engine.run_on(write);
            self.engine.check_access(write);
        }
        read
    }

    /// Takes events back. Each write among them is declared as postponed to the reads that it comes too late for.
    pub(crate) fn cut_to(&mut self, len: usize) {
        while let Some(last) = self.engine.graph.last_slot().filter(|last| last.index() >= len) {
            if self.engine.graph.event(last).is_write() {
                self.declare(last, None);
            }
            self.drop_last(last);
        }
        self.engine.forget_order();
    }

    pub(crate) fn drop_to(&mut self, len: usize) {
        while let Some(last) = self.engine.graph.last_slot().filter(|last| last.index() >= len) {
            self.drop_last(last);
        }
        self.engine.forget_order();
    }

    fn drop_last(&mut self, last: Slot) {
        self.saturated.pop(&self.engine.graph, last);
        self.histories.pop();
        self.swaps.pop();
        self.engine.pop();
    }
}
