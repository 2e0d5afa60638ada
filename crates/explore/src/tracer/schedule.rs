//! Schedules: how a write that came too late for a read is placed before it [Tracer §5.1.2, Algorithm 2].
//!
//! Read-modify-writes, which the paper leaves out, need two more rules.
//!
//! 1. If the source of *e* is taken by another read-modify-write *q*, *e* is not added; but the reads up to *q* get
//!    schedules that perform *e* without *q*. Such a schedule may be impossible, because it brings *e* to a place where
//!    its source is taken. It is dropped when that shows, before anything is explored.
//! 2. A read-modify-write *q* that reads from another one, *e*, because of a schedule stays swappable, by the writes
//!    that happen after *e*. The reason: suppose that *q* must read, in some trace, from a later write *w*. The trace
//!    without *q* is explored below some source of *q* that nothing before *w* has to overtake, the last write present;
//!    unless a read-modify-write *e* before *w* reads that very write. Then *q* has to give way to *e*, and *w* appears
//!    only where it did.
//!
//! Waiting needs another rule, or every conflict on a mutex would double the search.
//!
//! 3. A read that blocks its thread with an overwritten value is not explored: the argument above needs only the last
//!    write present. If a read *q* has to give way to *e* and would wait for a mutex then, it is left for later: the
//!    schedule ends with *e*. Where *q* is added, it reads from *e* or from a write that happens after *e*, and only
//!    such writes serve it later. A thread that would wait moves last ([`crate::waiting`]), so *q* seldom waits then.
//!
//! [ALGORITHMS §E] proves that every execution is visited, and visited once: below one read the traces of two schedules
//! differ in the source of the read or in what happens before that, and the same schedule is never left twice.

use super::explorer::{Swap, TracerWorker};
use super::history::History;
use super::task::NamedSchedule;
use crate::journal::journal;
use atropos_event::{EventId, Label, Run, ThreadId, mark};
use atropos_graph::{Event, LocId, Outcome, Slot, clock};
use rustc_hash::FxHashSet;
use std::sync::{Arc, Mutex, MutexGuard};

/// One event of a schedule. The write of a read-modify-write goes with its read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScheduledEvent {
    pub(crate) thread: ThreadId,
    /// The source of a read; `None` is the initial write.
    pub(crate) source: Option<EventId>,
}

/// What happens before a write, the write, and the read that it serves.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    pub(crate) steps: Vec<ScheduledEvent>,
    /// The read had taken the source of the write, a read-modify-write.
    pub(crate) gives_way: bool,
}

/// A schedule that is to be explored.
#[derive(Clone, Debug)]
pub(crate) enum Postponed {
    /// This worker has left it.
    Own(Schedule),
    /// It came with the present task, so this worker may not know its threads.
    Named(NamedSchedule),
}

/// The schedules of a read: a list that grows while it is processed.
#[derive(Debug, Default)]
pub(crate) struct Schedules {
    pub(super) waiting: Vec<Postponed>,
    pub(super) known: Known,
}

/// The write of every schedule so far. A schedule has only what happens before its write.
#[derive(Debug)]
pub(crate) enum Known {
    Own(FxHashSet<History>),
    /// Other workers have branches of this read, too. They know it by its name.
    Shared(History, SharedWrites),
}

/// The writes of the schedules of a read that several workers share.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedWrites(Arc<Mutex<FxHashSet<History>>>);

impl SharedWrites {
    fn writes(&self) -> MutexGuard<'_, FxHashSet<History>> {
        self.0.lock().expect("no worker panics while it holds the lock")
    }

    /// `false` if it was known.
    pub fn insert(&self, write: History) -> bool {
        self.writes().insert(write)
    }

    pub fn extend(&self, writes: &[History]) {
        self.writes().extend(writes);
    }

    pub fn in_order(&self) -> Vec<History> {
        in_order(&self.writes())
    }
}

pub(super) fn in_order(writes: &FxHashSet<History>) -> Vec<History> {
    let mut all: Vec<History> = writes.iter().copied().collect();
    all.sort_unstable();
    all
}

impl Default for Known {
    fn default() -> Self {
        Known::Own(FxHashSet::default())
    }
}

impl Known {
    /// `false` if it was known.
    fn insert(&mut self, write: History) -> bool {
        match self {
            Known::Own(writes) => writes.insert(write),
            Known::Shared(_, writes) => writes.insert(write),
        }
    }

    fn is_shared(&self) -> bool {
        matches!(self, Known::Shared(..))
    }
}

/// Where schedules are left: at a read before which the graph has `base` events.
#[derive(Debug)]
pub(crate) struct Anchor {
    pub(crate) base: usize,
    pub(crate) read: EventId,
    pub(crate) schedules: Schedules,
}

impl Schedules {
    pub(crate) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(crate) fn take(&mut self) -> Option<Postponed> {
        self.waiting.pop()
    }
}

impl<'a, R: Run> TracerWorker<'a, R> {
    /// The read-modify-write `label` could read from `source` if another one had not: makes that one give way.
    pub(crate) fn force(&mut self, thread: ThreadId, label: Label, loc: LocId, source: Slot) {
        let graph = &mut self.engine.host.graph;
        let reads = graph.location(loc).reads.iter().rev().copied();
        let taker = reads
            .into_iter()
            .find(|&read| graph.event(read).exclusive && graph.event(read).rf == source)
            .expect("a write that is not the last of its chain has been taken");
        let value = graph.value_of(loc, source);
        let before = self.engine.host.run.position(thread);
        let read = graph.add(thread, label, loc, Outcome { rf: source, co: 0, value, before });
        self.histories.push(graph, read);
        let label = label.exclusive_write(value).expect("a read-modify-write");
        let Label::Write { access, value, .. } = label else { unreachable!("{label:?} is no write") };
        let (value, co) = (access.truncate(value), graph.location(loc).co.len() as u32);
        let write = graph.add(thread, label, loc, Outcome { rf: Slot::INIT, co, value, before });
        self.histories.push(graph, write);
        self.declare(write, Some(taker));
        for _ in [write, read] {
            self.histories.pop();
            self.engine.graph.pop();
        }
    }

    /// Algorithm 2, `DeclarePostponed`: leaves a schedule at every read that `write`, the last event, comes too late
    /// for; if it needs the source of `taker`, only at those that make `taker` go away.
    pub(crate) fn declare(&mut self, write: Slot, taker: Option<Slot>) {
        let graph = &self.engine.graph;
        let loc = graph.event(write).loc;
        self.prefix.clear();
        self.prefix.extend_from_slice(graph.porf(write));
        let history = self.histories.of(write);
        let n_inherited = self.anchors.len() - self.frames.len();
        let is_recorded = self.engine.is_recorded();
        let mut elsewhere = Vec::new();
        let mut conflict = None;
        let reads = &graph.location(loc).reads;
        for &read in reads.iter().rev() {
            let &Event { id, is_after_all, .. } = graph.event(read);
            if clock::contains(&self.prefix, id) {
                if is_after_all {
                    break;
                }
                continue;
            }
            if taker.is_some_and(|taker| read > taker) {
                continue;
            }
            let frame = match self.swaps[read.index()] {
                Swap::No => continue,
                Swap::Open { frame } => frame,
                Swap::After { frame, write } if clock::contains(&self.prefix, write) => {
                    mark!("tracer: an update that gave way is swapped again");
                    frame
                }
                Swap::After { .. } => continue,
            };
            let Anchor { base, schedules, .. } = &mut self.anchors[frame as usize];
            if !schedules.known.insert(history) {
                // It came too late for this read before, and then for all earlier ones, which are the same.
                break;
            }
            journal!(
                self.engine,
                Debug,
                "{} comes too late for {}: a schedule is left there",
                self.engine.describe(write),
                self.engine.spell(id)
            );
            let mut steps = Vec::new();
            for slot in (*base..=write.index()).map(Slot::new) {
                let event = graph.event(slot);
                let is_half = event.is_write() && event.exclusive;
                if !is_half && clock::contains(&self.prefix, event.id) {
                    let source = (event.is_read() && !event.rf.is_init()).then(|| graph.event(event.rf).id);
                    steps.push(ScheduledEvent { thread: event.id.thread(), source });
                }
            }
            let n_postponed = (write.index() + 1 - *base).saturating_sub(steps.len());
            conflict = Some((id.thread(), graph.event(write).id.thread(), n_postponed));
            steps.push(ScheduledEvent { thread: id.thread(), source: Some(graph.event(write).id) });
            let schedule = Schedule { steps, gives_way: taker == Some(read) };
            // Records name the schedules of shared reads, so that none is explored twice.
            if (frame as usize) < n_inherited || is_recorded && schedules.known.is_shared() {
                elsewhere.push((frame as usize, schedule));
            } else {
                schedules.waiting.push(Postponed::Own(schedule));
            }
        }
        for (anchor, schedule) in elsewhere {
            self.give_schedule(anchor, &schedule, history);
        }
        if let Some((reader, writer, n_postponed)) = conflict {
            self.engine.note_conflict(reader, writer, n_postponed);
        }
    }
}
