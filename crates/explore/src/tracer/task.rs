//! A part of a search as a value, for another worker.
//!
//! A worker can give away a branch of a read: one of its sources, or one of its schedules. The search below a branch
//! leaves schedules at that read and at those before it, so these reads are part of the task as [`Anchor`]s, whose
//! sets of known writes are shared. A worker that is the first to leave a schedule at such a read does not send it
//! back: it becomes a task, as good as any other, because branches do not depend on their order.
//!
//! Workers number threads as they see them, so a task names them by their keys.

use super::explorer::{LateRead, OpenRead, Swap, TracerWorker};
use super::schedule::{Anchor, Schedule, ScheduledEvent};
use crate::engine::Name;
use crate::pool::WORTH_SPLITTING;
use atropos_event::{EventId, Run, ThreadKey};
use atropos_graph::Slot;
use std::sync::Arc;

/// A branch of the last of `n_anchors` reads; the whole search, if there are none.
#[derive(Debug, Default)]
pub struct TracerTask {
    origin: Arc<Origin>,
    n_anchors: usize,
    branch: Option<TaskBranch>,
}

/// The origin of tasks: all tasks that lead to one of these anchors share it.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    /// All events, with `None` for the writes of read-modify-writes, which belong to their reads.
    path: Vec<Option<(NamedEvent, NamedSwap)>>,
    /// The reads that may be swapped.
    anchors: Vec<Anchor>,
    /// The reads that have given way: the anchor, the read, and the write.
    late: Vec<(usize, Name, Name)>,
}

#[derive(Debug)]
enum TaskBranch {
    /// A source of the read, and the write that the read has given way to.
    Source(NamedEvent, Option<Name>),
    Schedule {
        steps: Vec<NamedEvent>,
        gives_way: bool,
    },
}

/// A [`ScheduledEvent`] that means the same to every worker.
#[derive(Clone, Copy, Debug)]
struct NamedEvent {
    thread: ThreadKey,
    source: Option<Name>,
}

/// A [`Swap`] that means the same to every worker.
#[derive(Clone, Copy, Debug)]
enum NamedSwap {
    No,
    Open { frame: u32 },
    After { frame: u32, write: Name },
}

impl<'a, R: Run> TracerWorker<'a, R> {
    /// Gives away a part of the search if a worker is idle.
    pub(crate) fn offer(&mut self) {
        let Some(pool) = self.pool.filter(|pool| pool.wants_task()) else { return };
        let task = if self.tasks.is_empty() { self.split_off() } else { self.tasks.pop() };
        if let Some(task) = task {
            pool.put(task);
        }
    }

    /// Splits off a branch of the first read that has one left, which has the largest part of the search below it.
    fn split_off(&mut self) -> Option<TracerTask> {
        let n_inherited = self.anchors.len() - self.frames.len();
        let is_open = |&depth: &usize| {
            let frame = &self.frames[depth];
            frame.next < frame.end || self.anchors[n_inherited + depth].schedules.has_waiting()
        };
        let depth = (0..self.frames.len()).find(is_open)?;
        if self.frames.len() - depth < WORTH_SPLITTING {
            return None;
        }
        let anchor = n_inherited + depth;
        let branch = match self.anchors[anchor].schedules.take() {
            Some(schedule) => self.named_schedule(&schedule),
            None => {
                let OpenRead { thread, end, after, .. } = &mut self.frames[depth];
                *end -= 1;
                let (thread, source, after) = (*thread, self.sources[*end], *after);
                let source = (!source.is_init()).then(|| self.engine.graph.event(source).id);
                let after = after.map(|write| self.engine.name_of(write));
                TaskBranch::Source(self.named(ScheduledEvent { thread, source }), after)
            }
        };
        let origin = Arc::new(self.origin_of(anchor));
        Some(TracerTask { origin, n_anchors: anchor + 1, branch: Some(branch) })
    }

    /// A task for a schedule that was left at an anchor that came with the present task.
    pub(crate) fn schedule_task(&self, anchor: usize, schedule: &Schedule) -> TracerTask {
        let branch = Some(self.named_schedule(schedule));
        TracerTask { origin: Arc::clone(&self.origin), n_anchors: anchor + 1, branch }
    }

    fn origin_of(&mut self, anchor: usize) -> Origin {
        let graph = &self.engine.graph;
        let slots = (0..self.anchors[anchor].base).map(Slot::new);
        let path = slots.map(|slot| {
            let event = graph.event(slot);
            let is_half = event.is_write() && event.exclusive;
            let source = (event.is_read() && !event.rf.is_init()).then(|| graph.event(event.rf).id);
            let swap = match self.swaps[slot.index()] {
                Swap::No => NamedSwap::No,
                Swap::Open { frame } => NamedSwap::Open { frame },
                Swap::After { frame, write } => NamedSwap::After { frame, write: self.engine.name_of(write) },
            };
            let thread = event.id.thread();
            (!is_half).then(|| (self.named(ScheduledEvent { thread, source }), swap))
        });
        let path = path.collect();
        let late = self.late.iter().filter(|late| late.anchor < anchor);
        let late =
            late.map(|late| (late.anchor, self.engine.name_of(late.read), self.engine.name_of(late.after)));
        let late = late.collect();
        Origin { path, anchors: self.anchors[..=anchor].iter_mut().map(Anchor::share).collect(), late }
    }

    fn named_schedule(&self, schedule: &Schedule) -> TaskBranch {
        let steps = schedule.steps.iter().map(|&step| self.named(step)).collect();
        TaskBranch::Schedule { steps, gives_way: schedule.gives_way }
    }

    fn named(&self, ScheduledEvent { thread, source }: ScheduledEvent) -> NamedEvent {
        let source = source.map(|id| self.engine.name_of(id));
        NamedEvent { thread: self.engine.run.key(thread), source }
    }

    fn known_event(&self, name: Name) -> EventId {
        self.engine.event_named(name).expect("a part of a search names threads that exist")
    }

    fn local(&self, NamedEvent { thread, source }: NamedEvent) -> ScheduledEvent {
        let source = source.map(|name| self.known_event(name));
        ScheduledEvent {
            thread: self.engine.thread_named(thread).expect("a part of a search names threads that exist"),
            source,
        }
    }

    /// Does a part of the search.
    pub(crate) fn work_on(&mut self, TracerTask { origin, n_anchors, branch }: TracerTask) {
        self.anchors = origin.anchors[..n_anchors].iter().map(Anchor::again).collect();
        self.origin = Arc::clone(&origin);
        let base = self.anchors.last().map_or(0, |anchor| anchor.base);
        self.engine.is_replaying = true;
        let is_there = origin.path[..base].iter().flatten().all(|&(step, swap)| {
            let swap = match swap {
                NamedSwap::No => Swap::No,
                NamedSwap::Open { frame } => Swap::Open { frame },
                NamedSwap::After { frame, write } => Swap::After { frame, write: self.known_event(write) },
            };
            let step = self.local(step);
            self.perform(step, swap)
        });
        self.engine.is_replaying = false;
        if !is_there {
            // Only a search that is about to stop or to start over fails to get there.
            assert!(self.engine.is_stopped || self.engine.control().must_pause(), "a task leads to a read");
            self.engine.is_stopped = true;
            return;
        }
        let late = origin.late.iter().filter(|&&(anchor, ..)| anchor + 1 < n_anchors);
        self.late = late
            .map(|&(anchor, read, after)| LateRead {
                anchor,
                read: self.known_event(read),
                after: self.known_event(after),
            })
            .collect();
        if self.begin(branch) {
            self.visit();
        }
        if self.engine.is_stopped {
            return;
        }
        self.cut_to(base);
        self.drop_to(0);
        let root_mark = self.engine.root_mark;
        self.engine.run.release(root_mark);
    }

    /// Takes the branch; `false` if nothing is to be explored below it.
    fn begin(&mut self, branch: Option<TaskBranch>) -> bool {
        let Some(branch) = branch else { return true };
        let anchor = self.anchors.len() - 1;
        let base = self.anchors[anchor].base;
        let is_alive = match branch {
            TaskBranch::Source(step, after) => {
                let step = self.local(step);
                let after = after.map(|write| self.known_event(write));
                self.perform(step, Swap::of_branch(anchor, after)) && {
                    let read = self.engine.graph.last_of(step.thread).expect("the read just added");
                    !self.engine.is_doomed(read)
                }
            }
            TaskBranch::Schedule { steps, gives_way } => {
                let (last, before) = steps.split_last().expect("a schedule ends with its read");
                self.engine.stats.revisits += 1;
                let is_possible = before.iter().all(|&step| {
                    let step = self.local(step);
                    self.perform(step, Swap::No)
                }) && {
                    let last = self.local(*last);
                    self.perform_last(anchor, last, gives_way)
                };
                if !is_possible && !self.engine.is_stopped {
                    self.drop_to(base);
                }
                is_possible
            }
        };
        if !is_alive && !self.engine.is_stopped {
            self.engine.stats.dead += 1;
        }
        is_alive && !self.engine.is_stopped
    }
}
