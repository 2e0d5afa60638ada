//! Takes up a part of a search: performs the events that lead to it, and continues from there.
//!
//! A part may come from another process, so nothing in it is taken for granted: what does not fit the program is
//! refused.

use super::explorer::{LateRead, OpenRead, Swap, TracerWorker};
use super::schedule::{Anchor, Known, Postponed, ScheduledEvent, Schedules};
use super::task::{NamedEvent, NamedSchedule, NamedSwap, Start, TaskAnchor, TaskFrame, TracerTask};
use crate::engine::Name;
use atropos_event::{EventId, Label, RefusalReason, Run, Step, ThreadId, ThreadKey};
use atropos_graph::Slot;
use std::sync::Arc;

impl<R: Run> TracerWorker<'_, R> {
    /// Does a part of the search.
    pub(crate) fn work_on(&mut self, task: TracerTask) {
        self.origin = Arc::clone(&task.origin);
        self.engine.is_replaying = true;
        let is_there = self.go_to(&task).is_some();
        self.engine.is_replaying = false;
        if !is_there {
            return self.refuse_part();
        }
        let base = match task.start {
            Start::Rest { .. } if task.n_anchors == 0 => 0,
            _ => task.n_anchors.checked_sub(1).map_or(0, |last| self.anchors[last].base),
        };
        if self.begin(task.start) {
            self.visit();
        }
        if self.engine.is_stopped {
            return;
        }
        self.cut_to(base);
        self.drop_to(0);
        self.anchors.clear();
        let root_mark = self.engine.root_mark;
        self.engine.run.release(root_mark);
    }

    /// Only a search that is about to stop or to start over fails to get to its part; otherwise, the part is not one of
    /// this search.
    fn refuse_part(&mut self) {
        if !self.engine.is_stopped && !self.engine.control().must_pause() {
            self.engine.refuse(RefusalReason::OtherSearch);
        }
        self.engine.is_stopped = true;
    }

    /// Performs the path, and opens the reads on it.
    fn go_to(&mut self, task: &TracerTask) -> Option<()> {
        let TracerTask { origin, n_anchors, start } = task;
        self.anchors.clear();
        let mut anchors = origin.anchors[..*n_anchors].iter().peekable();
        let frames = match start {
            Start::Rest { frames, .. } => frames.as_slice(),
            Start::Whole | Start::Source(..) | Start::Schedule(..) => &[],
        };
        let mut frames = frames.iter().peekable();
        let n_steps = task.n_steps();
        for step in 0..=n_steps {
            while let Some(anchor) = anchors.next_if(|anchor| anchor.step == step) {
                self.inherit(anchor)?;
            }
            while let Some(frame) = frames.next_if(|frame| frame.step == step) {
                self.reopen(frame)?;
            }
            if step < n_steps {
                let (event, swap) = origin.path[step];
                let event = self.fit(event)?;
                let swap = self.fit_swap(event.thread, swap)?;
                self.perform(event, swap).then_some(())?;
            }
        }
        let n_all = n_anchors + self.frames.len();
        self.late.clear();
        for &(anchor, read, after) in origin.late.iter().filter(|(anchor, ..)| anchor + 1 < n_all) {
            let read = self.engine.event_named(read)?;
            let after = self.write_named(after).map(|slot| self.engine.graph.event(slot).id)?;
            self.late.push(LateRead { anchor, read, after });
        }
        Some(())
    }

    fn inherit(&mut self, TaskAnchor { thread, id, known, .. }: &TaskAnchor) -> Option<()> {
        let known = Known::Shared(*id, known.clone());
        let (thread, _) = self.next_read(*thread)?;
        self.push_anchor(thread, Schedules { waiting: Vec::new(), known });
        Some(())
    }

    fn push_anchor(&mut self, thread: ThreadId, schedules: Schedules) {
        let graph = &self.engine.graph;
        let read = EventId::new(thread, graph.thread(thread).len());
        let base = graph.len();
        self.anchors.push(Anchor { base, read, schedules });
    }

    /// Opens a read that has branches left.
    fn reopen(&mut self, frame: &TaskFrame) -> Option<()> {
        let (thread, label) = self.next_read(frame.thread)?;
        let loc = self.engine.locate(thread, label.access()?)?;
        let after = match frame.after {
            None => None,
            Some(write) => Some(self.write_named(write).map(|slot| self.engine.graph.event(slot).id)?),
        };
        let (first, mark) = (self.sources.len(), self.engine.run.mark());
        for &source in &frame.sources {
            let source = match source {
                None => Slot::INIT,
                Some(name) => {
                    self.write_named(name).filter(|&slot| self.engine.graph.event(slot).loc == loc)?
                }
            };
            self.sources.push(source);
        }
        let ends_with_read =
            |schedule: &NamedSchedule| schedule.steps.last().is_some_and(|last| last.thread == frame.thread);
        frame.waiting.iter().all(ends_with_read).then_some(())?;
        let waiting = frame.waiting.iter().cloned().map(Postponed::Named).collect();
        let known = match &frame.shared {
            None => Known::Own(frame.known.iter().copied().collect()),
            Some((id, known)) => Known::Shared(*id, known.clone()),
        };
        self.push_anchor(thread, Schedules { waiting, known });
        let end = self.sources.len();
        self.frames.push(OpenRead { mark, thread, label, loc, first, next: first, end, after });
        Some(())
    }

    /// Begins; `false` if nothing is to be explored.
    fn begin(&mut self, start: Start) -> bool {
        match start {
            Start::Whole => true,
            Start::Rest { .. } => self.advance(),
            Start::Source(step, after) => {
                let anchor = self.anchors.len() - 1;
                let Some(is_alive) = self.take_source(anchor, step, after) else {
                    self.refuse_part();
                    return false;
                };
                if !is_alive && !self.engine.is_stopped {
                    self.engine.stats.dead += 1;
                }
                is_alive && !self.engine.is_stopped
            }
            Start::Schedule(schedule, _) => {
                let anchor = self.anchors.len() - 1;
                let is_possible = self.run_named_schedule(anchor, &schedule);
                if !is_possible && !self.engine.is_stopped {
                    self.engine.stats.dead += 1;
                    self.drop_to(self.anchors[anchor].base);
                }
                is_possible && !self.engine.is_stopped
            }
        }
    }

    /// Makes the read of an anchor read from one of its sources; `None` if that does not fit.
    fn take_source(&mut self, anchor: usize, step: NamedEvent, after: Option<Name>) -> Option<bool> {
        let step = self.fit(step)?;
        self.is_read_of(anchor, step).then_some(())?;
        let after = match after {
            None => None,
            Some(write) => Some(self.write_named(write).map(|slot| self.engine.graph.event(slot).id)?),
        };
        if !self.perform(step, Swap::of_branch(anchor, after)) {
            return self.engine.is_stopped.then_some(false);
        }
        let read = self.engine.graph.slot_of(self.anchors[anchor].read);
        Some(!self.engine.is_doomed(read))
    }

    /// Like [`TracerWorker::run_schedule`]. A schedule that does not fit is refused.
    pub(crate) fn run_named_schedule(&mut self, anchor: usize, schedule: &NamedSchedule) -> bool {
        self.engine.stats.revisits += 1;
        let Some(is_possible) = self.try_named_schedule(anchor, schedule) else {
            self.refuse_part();
            return false;
        };
        is_possible
    }

    fn try_named_schedule(&mut self, anchor: usize, schedule: &NamedSchedule) -> Option<bool> {
        let (last, before) = schedule.steps.split_last()?;
        for &step in before {
            let step = self.fit(step)?;
            if !self.perform(step, Swap::No) {
                return Some(false);
            }
        }
        let last = self.fit(*last)?;
        last.source?;
        self.is_read_of(anchor, last).then(|| self.perform_last(anchor, last, schedule.gives_way))
    }

    fn is_read_of(&self, anchor: usize, step: ScheduledEvent) -> bool {
        self.anchors[anchor].read == EventId::new(step.thread, self.engine.graph.thread(step.thread).len())
    }

    /// The thread with that key and the read that it is about to perform.
    fn next_read(&mut self, thread: ThreadKey) -> Option<(ThreadId, Label)> {
        let thread = self.engine.thread_named(thread)?;
        self.engine.graph.exists(thread).then_some(())?;
        match self.engine.run.pending(thread) {
            Step::Do(label) if label.is_read() => Some((thread, label)),
            _ => None,
        }
    }

    /// The write with that name, if it is in the graph.
    fn write_named(&self, name: Name) -> Option<Slot> {
        let event = self.engine.event_named(name)?;
        let graph = &self.engine.graph;
        graph.exists(event.thread()).then_some(())?;
        let slot = *graph.thread(event.thread()).get(event.index())?;
        graph.event(slot).is_write().then_some(slot)
    }

    /// An event that a thread can perform now.
    fn fit(&mut self, NamedEvent { thread, source }: NamedEvent) -> Option<ScheduledEvent> {
        let thread = self.engine.thread_named(thread)?;
        self.engine.graph.exists(thread).then_some(())?;
        let Step::Do(label) = self.engine.run.pending(thread) else { return None };
        if let Label::Join { child } = label {
            self.engine.graph.has_ended(child).then_some(())?;
        }
        let Some(source) = source else { return Some(ScheduledEvent { thread, source: None }) };
        let access = label.access().filter(|_| label.is_read())?;
        let (loc, slot) = (self.engine.locate(thread, access)?, self.write_named(source)?);
        let event = self.engine.graph.event(slot);
        (event.loc == loc).then_some(ScheduledEvent { thread, source: Some(event.id) })
    }

    /// How the next event of `thread` can be served later.
    fn fit_swap(&self, thread: ThreadId, swap: NamedSwap) -> Option<Swap> {
        let graph = &self.engine.graph;
        let event = EventId::new(thread, graph.thread(thread).len());
        match swap {
            NamedSwap::No => Some(Swap::No),
            NamedSwap::Open => {
                let frame = self.anchors.len().checked_sub(1)?;
                let Anchor { base, read, .. } = self.anchors[frame];
                (base == graph.len() && read == event).then_some(Swap::Open { frame: frame as u32 })
            }
            NamedSwap::After { frame, write } => {
                let anchor = self.anchors.get(frame as usize)?;
                let write = graph.event(self.write_named(write)?).id;
                (anchor.read == event).then_some(Swap::After { frame, write })
            }
        }
    }
}
