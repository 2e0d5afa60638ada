//! Gives parts of a search away: to an idle worker, or all that is left when the time for a part is over.

use super::explorer::{OpenRead, Swap, TracerWorker};
use super::history::History;
use super::schedule::{Known, Postponed, Schedule, ScheduledEvent, SharedWrites, in_order};
use super::task::{
    NamedEvent, NamedSchedule, NamedSwap, Origin, Start, TaskAnchor, TaskFrame, TracerTask, key,
};
use crate::engine::Name;
use crate::journal::journal;
use crate::pool::WORTH_SPLITTING;
use atropos_event::{Run, ThreadKey};
use atropos_graph::Slot;
use std::fmt::Write;
use std::sync::Arc;

impl<R: Run> TracerWorker<'_, R> {
    /// Gives away a part of the search if a worker is idle, and the largest ones if the time for this part is over.
    pub(crate) fn offer(&mut self) {
        let Some(pool) = self.pool else { return };
        let n_wanted = if self.is_ending { self.engine.n_to_shed() } else { usize::from(pool.wants_task()) };
        for _ in 0..n_wanted {
            let task = if self.tasks.is_empty() { self.split_off() } else { self.tasks.pop() };
            let Some(task) = task else { break };
            self.give(task);
        }
        if !self.is_ending {
            self.give_pieces();
        }
    }

    /// Gives pieces of the part to other processes.
    fn give_pieces(&mut self) {
        for _ in 0..self.engine.n_wanted() {
            let Some(task) = self.split_off() else { break };
            journal!(self.engine, Debug, "gives the part {task} to another process");
            self.engine.give_piece(task.to_string());
        }
    }

    fn give(&mut self, task: TracerTask) {
        let Some(pool) = self.pool else { unreachable!("parts are given to a pool") };
        journal!(self.engine, Debug, "gives away the part {task}");
        self.engine.give(pool, task);
    }

    /// Splits off a branch of the first read that has one left, which has the largest part of the search below it.
    fn split_off(&mut self) -> Option<TracerTask> {
        let depth = (0..self.frames.len()).find(|&depth| self.is_open(depth))?;
        if self.frames.len() - depth < WORTH_SPLITTING {
            return None;
        }
        let anchor = self.anchors.len() - self.frames.len() + depth;
        let start = match self.anchors[anchor].schedules.take() {
            Some(Postponed::Own(schedule)) => Start::Schedule(self.named_schedule(&schedule), None),
            Some(Postponed::Named(schedule)) => Start::Schedule(schedule, None),
            None => {
                let OpenRead { thread, end, after, .. } = &mut self.frames[depth];
                *end -= 1;
                let (thread, source, after) = (*thread, self.sources[*end], *after);
                let source = (!source.is_init()).then(|| self.engine.graph.event(source).id);
                let after = after.map(|write| self.engine.name_of(write));
                Start::Source(self.named(ScheduledEvent { thread, source }), after)
            }
        };
        let origin = Arc::new(self.origin_of(anchor));
        Some(TracerTask { origin, n_anchors: anchor + 1, start })
    }

    /// A schedule was left at a read that others share: it becomes a part.
    pub(crate) fn give_schedule(&mut self, anchor: usize, schedule: &Schedule, write: History) {
        let is_inherited = anchor < self.anchors.len() - self.frames.len();
        let origin = if is_inherited { Arc::clone(&self.origin) } else { Arc::new(self.origin_of(anchor)) };
        let is_recorded = self.engine.is_recorded();
        let start = Start::Schedule(self.named_schedule(schedule), is_recorded.then_some(write));
        let task = TracerTask { origin, n_anchors: anchor + 1, start };
        match is_recorded {
            true => self.give(task),
            false => self.tasks.push(task),
        }
    }

    /// Gives away all that is left, and drops it.
    pub(crate) fn give_rest(&mut self) {
        let n_inherited = self.anchors.len() - self.frames.len();
        let last = self.anchors.last().expect("the read of a frame");
        let mut origin = self.path_to(last.base, n_inherited);
        origin.late = self.named_late(self.anchors.len() - 1);
        let mut named = Vec::new();
        for anchor in &origin.anchors {
            // Workers of the same process share what they know anyway, and not all of it is in a record yet.
            named.push(if self.engine.is_elsewhere() { anchor.known.in_order() } else { Vec::new() });
        }
        let frames = (0..self.frames.len()).map(|depth| self.named_frame(depth)).collect();
        let start = Start::Rest { named, frames };
        self.give(TracerTask { origin: Arc::new(origin), n_anchors: n_inherited, start });
        self.frames.clear();
        self.sources.clear();
        self.anchors.truncate(n_inherited);
        self.drop_to(0);
    }

    fn named_frame(&self, depth: usize) -> TaskFrame {
        let OpenRead { thread, next, end, after, .. } = self.frames[depth];
        let anchor = &self.anchors[self.anchors.len() - self.frames.len() + depth];
        let graph = &self.engine.graph;
        let source = |&slot: &Slot| (!slot.is_init()).then(|| self.engine.name_of(graph.event(slot).id));
        let schedule = |waiting: &Postponed| match waiting {
            Postponed::Own(schedule) => self.named_schedule(schedule),
            Postponed::Named(schedule) => schedule.clone(),
        };
        let (shared, known) = match &anchor.schedules.known {
            Known::Own(writes) => (None, in_order(writes)),
            Known::Shared(id, writes) => {
                let known = if self.engine.is_elsewhere() { writes.in_order() } else { Vec::new() };
                (Some((*id, writes.clone())), known)
            }
        };
        TaskFrame {
            step: self.n_steps_to(anchor.base),
            thread: self.engine.run.key(thread),
            after: after.map(|write| self.engine.name_of(write)),
            sources: self.sources[next..end].iter().map(source).collect(),
            waiting: anchor.schedules.waiting.iter().map(schedule).collect(),
            shared,
            known,
        }
    }

    /// The origin of the branches of an anchor. From now on, others share it, and those before it.
    fn origin_of(&mut self, anchor: usize) -> Origin {
        self.share(anchor);
        let mut origin = self.path_to(self.anchors[anchor].base, anchor + 1);
        origin.late = self.named_late(anchor);
        origin
    }

    /// Shares the anchors up to this one.
    fn share(&mut self, last: usize) {
        for nth in 0..=last {
            if let Known::Own(_) = &self.anchors[nth].schedules.known {
                let id = self.identify(nth);
                let known = &mut self.anchors[nth].schedules.known;
                let Known::Own(writes) = std::mem::take(known) else { unreachable!("it is not shared") };
                let shared = SharedWrites::default();
                shared.extend(&in_order(&writes));
                *known = Known::Shared(id, shared);
                for write in in_order(&writes) {
                    self.engine.note_known(key(id, write));
                }
            }
        }
    }

    /// The name of an anchor: a fingerprint of everything that leads there.
    fn identify(&self, anchor: usize) -> History {
        let Origin { path, .. } = self.path_to(self.anchors[anchor].base, 0);
        let mut text = String::new();
        for (event, swap) in path {
            let _ = write!(text, "{event} {swap:?} ");
        }
        let bases: Vec<usize> = self.anchors[..=anchor].iter().map(|anchor| anchor.base).collect();
        let read = self.engine.name_of(self.anchors[anchor].read);
        let _ = write!(text, "{read:?} {bases:?} {:?}", self.named_late(anchor));
        History::of_text(&text)
    }

    fn path_to(&self, base: usize, n_anchors: usize) -> Origin {
        let graph = &self.engine.graph;
        let steps = (0..base).map(Slot::new).filter(|&slot| !self.is_half(slot));
        let path = steps.map(|slot| {
            let event = graph.event(slot);
            let source = (event.is_read() && !event.rf.is_init()).then(|| graph.event(event.rf).id);
            let swap = match self.swaps[slot.index()] {
                Swap::No => NamedSwap::No,
                Swap::Open { .. } => NamedSwap::Open,
                Swap::After { frame, write } => NamedSwap::After { frame, write: self.engine.name_of(write) },
            };
            (self.named(ScheduledEvent { thread: event.id.thread(), source }), swap)
        });
        let path = path.collect();
        let anchors = self.anchors[..n_anchors].iter().map(|anchor| {
            let Known::Shared(id, known) = &anchor.schedules.known else { unreachable!("it is shared") };
            let thread = self.engine.run.key(anchor.read.thread());
            TaskAnchor { step: self.n_steps_to(anchor.base), thread, id: *id, known: known.clone() }
        });
        Origin { path, anchors: anchors.collect(), late: Vec::new() }
    }

    /// The late reads of the branches of anchors before this one.
    fn named_late(&self, anchor: usize) -> Vec<(usize, Name, Name)> {
        let late = self.late.iter().filter(|late| late.anchor < anchor);
        late.map(|late| (late.anchor, self.engine.name_of(late.read), self.engine.name_of(late.after)))
            .collect()
    }

    /// Whether this is the write of a read-modify-write, which belongs to its read.
    fn is_half(&self, slot: Slot) -> bool {
        let event = self.engine.graph.event(slot);
        event.is_write() && event.exclusive
    }

    fn n_steps_to(&self, base: usize) -> usize {
        (0..base).filter(|&index| !self.is_half(Slot::new(index))).count()
    }

    fn named_schedule(&self, schedule: &Schedule) -> NamedSchedule {
        let steps = schedule.steps.iter().map(|&step| self.named(step)).collect();
        NamedSchedule { steps, gives_way: schedule.gives_way }
    }

    fn named(&self, ScheduledEvent { thread, source }: ScheduledEvent) -> NamedEvent {
        let source = source.map(|id| self.engine.name_of(id));
        let thread: ThreadKey = self.engine.run.key(thread);
        NamedEvent { thread, source }
    }
}
