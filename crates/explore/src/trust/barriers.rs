//! Barriers: the threads of a round arrive in a fixed order.
//!
//! A thread that arrives at a barrier does nothing until all threads of the round have arrived, so no thread can tell in
//! which order they came, unless one asks whether it was the last. If the threads that meet at a barrier are always the
//! same, TruSt visits one order: a thread arrives when those before it in the order have arrived, and leaves when the
//! round is complete. Both are then events with one outcome, like joining a thread. [ALGORITHMS §L.5] says why nothing
//! is lost.
//!
//! The search learns which threads meet at a barrier when a round is complete for the first time, and starts over. It
//! watches: if another thread arrives, or an access to the location is unordered with an arrival, it starts over without
//! this order.

use super::choice::{Choice, PendingAccess};
use super::{TrustRules, TrustWorker};
use crate::engine::Engine;
use crate::learned::{Lesson, Party};
use crate::rules::Rules;
use atropos_event::{BarrierStep, Label, Rmw, Run, Step, ThreadId, ThreadKey, mark};
use atropos_graph::{Event, Graph, LocId, Slot};
use atropos_model::MemoryModel;

/// A step at a barrier, with the label of the arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meeting {
    Arrival(Label),
    /// The store after the last arrival of a round, if others wait for it.
    Opening,
    /// The load after an arrival.
    Departure(Label),
}

/// How often threads have arrived at a barrier.
#[derive(Clone, Copy, Debug)]
struct Arrivals {
    all: usize,
    own: usize,
}

impl<R: Run, M: MemoryModel, Q: Rules<M>> Engine<'_, R, M, Q> {
    /// Whether `thread`, whose next step is `label`, has to wait for others at a barrier.
    #[inline]
    pub(crate) fn is_held_up(&mut self, thread: ThreadId, label: Label) -> bool {
        !self.lessons.parties.is_empty()
            && self.meeting_ahead(thread, label).is_some_and(|(_, is_held)| is_held)
    }

    /// The meeting that `label`, the next step of `thread`, is a part of, and whether it has to wait.
    fn meeting_ahead(&mut self, thread: ThreadId, label: Label) -> Option<(Meeting, bool)> {
        let Label::Read { access, .. } = label else { return None };
        self.lessons.party(access)?;
        let program = self.program;
        let loc = self.host.graph.locate(access, || program.initial(access)).ok()?;
        let meeting = self.meeting(thread, label, loc)?;
        let Party { members, .. } = self.lessons.party(access)?;
        let index = members.iter().position(|&key| key == self.run.key(thread))?;
        let n = members.len();
        let is_held = match meeting {
            Meeting::Arrival(arrival) => {
                let Arrivals { all, own } = arrivals(&self.graph, loc, arrival, thread);
                all < own * n + index
            }
            Meeting::Opening => false,
            Meeting::Departure(arrival) => self.end_of_round(thread, loc, arrival, n).is_none(),
        };
        Some((meeting, is_held))
    }

    /// The write that completes the round in which `thread` has arrived last, at a barrier for `n` threads.
    fn end_of_round(&self, thread: ThreadId, loc: LocId, arrival: Label, n: usize) -> Option<Slot> {
        let round = arrivals(&self.graph, loc, arrival, thread).own;
        let last = arrivals_at(&self.graph, loc, arrival).nth((round * n).checked_sub(1)?)?;
        let id = self.graph.event(last).id;
        match self.graph.thread(id.thread()).get(id.index() + 1) {
            Some(&next) if self.takes_step(self.graph.event(next), BarrierStep::Opening) => Some(next),
            Some(_) => Some(last),
            None => {
                let position = self.run.position(id.thread());
                let opens = self.run.barrier_step(id.thread(), position) == Some(BarrierStep::Opening);
                (!opens).then_some(last)
            }
        }
    }

    /// The next event if only threads that wait for others at a barrier can move: all arrive, then all look.
    pub(crate) fn next_held(&mut self) -> Option<(ThreadId, Label)> {
        if self.lessons.parties.is_empty() || self.is_silent {
            return None;
        }
        let mut looking = None;
        for index in 0..self.threads.len() {
            let thread = self.threads[index];
            if !self.graph.exists(thread) {
                continue;
            }
            let Step::Do(label) = self.run.pending(thread) else { continue };
            match self.meeting_ahead(thread, label) {
                Some((Meeting::Arrival(_), _)) => return Some((thread, label)),
                Some((Meeting::Departure(_), _)) => looking = looking.or(Some((thread, label))),
                Some((Meeting::Opening, _)) | None => {}
            }
        }
        looking
    }

    /// What the next step of `thread`, an access to `loc`, is at a barrier.
    fn meeting(&self, thread: ThreadId, label: Label, loc: LocId) -> Option<Meeting> {
        if !matches!(label, Label::Read { rmw: Rmw::Fetch { .. } | Rmw::None, .. } | Label::Write { .. }) {
            return None;
        }
        let step = self.run.barrier_step(thread, self.run.position(thread))?;
        if step == BarrierStep::Arrival {
            return Some(Meeting::Arrival(label));
        }
        let arrival = self.arrival_at(self.graph.last_of(thread)?, loc)?;
        Some(if step == BarrierStep::Opening { Meeting::Opening } else { Meeting::Departure(arrival) })
    }

    /// The label of the arrival at the barrier of `loc` whose write is at `write`.
    fn arrival_at(&self, write: Slot, loc: LocId) -> Option<Label> {
        let event = self.graph.event(write);
        if event.loc != loc || !event.exclusive || !event.is_write() {
            return None;
        }
        let read = self.graph.event(self.graph.po_before(write)?);
        self.takes_step(read, BarrierStep::Arrival).then_some(read.label)
    }

    fn follows_arrival(&self, slot: Slot) -> bool {
        let before = self.graph.po_before(slot);
        before.is_some_and(|before| self.arrival_at(before, self.graph.event(slot).loc).is_some())
    }

    fn takes_step(&self, event: &Event, step: BarrierStep) -> bool {
        self.run.barrier_step(event.id.thread(), event.before) == Some(step)
    }

    /// Whether the event at `slot` is part of a meeting in a fixed order, and so has had no alternative.
    #[inline]
    pub(crate) fn is_settled(&self, slot: Slot) -> bool {
        !self.lessons.parties.is_empty() && self.is_settled_at_barrier(slot) || self.is_collecting(slot)
    }

    fn is_settled_at_barrier(&self, slot: Slot) -> bool {
        let event = self.graph.event(slot);
        if event.loc == LocId::NONE || self.lessons.party(self.graph.location(event.loc).access).is_none() {
            return false;
        }
        match event.label {
            Label::Read { rmw: Rmw::Fetch { .. }, .. } => self.takes_step(event, BarrierStep::Arrival),
            Label::Write { exclusive: true, .. } => self.arrival_at(slot, event.loc).is_some(),
            Label::Read { rmw: Rmw::None, .. } => {
                self.follows_arrival(slot) && self.takes_step(event, BarrierStep::Departure)
            }
            Label::Write { .. } => self.follows_arrival(slot) && self.takes_step(event, BarrierStep::Opening),
            _ => false,
        }
    }
}

impl<R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'_, R, M, Q> {
    /// If the read `label` of `thread` is a step at a barrier with a fixed order: takes its one outcome, and returns whether
    /// the graph has been extended. `None` for other reads.
    pub(super) fn visit_meeting(&mut self, thread: ThreadId, label: Label, loc: LocId) -> Option<bool> {
        let access = self.engine.graph.location(loc).access;
        if self.engine.lessons.parties.is_empty() || self.engine.lessons.party(access).is_none() {
            return None;
        }
        let Some(meeting) = self.engine.meeting(thread, label, loc) else {
            return if self.looks_in_turn(thread, loc) { None } else { Some(self.disperse(loc)) };
        };
        let key = self.engine.run.key(thread);
        let members = self.engine.lessons.party(access).map(|party| &party.members)?;
        let (n, is_member) = (members.len(), members.contains(&key));
        let source = match meeting {
            Meeting::Arrival(arrival) => {
                if !is_member || !self.arrives_in_turn(thread, loc, arrival) {
                    return Some(self.disperse(loc));
                }
                let graph = &self.engine.graph;
                let is_first = arrivals(graph, loc, arrival, thread).all.is_multiple_of(n);
                let last = graph.location(loc).co.last().copied();
                self.engine.stats.gathered += u64::from(!is_first);
                last
            }
            Meeting::Opening => return None,
            Meeting::Departure(arrival) => {
                let end = self.engine.end_of_round(thread, loc, arrival, n);
                end.or_else(|| self.engine.graph.location(loc).co.last().copied())
            }
        };
        let first = self.choices.len();
        let source =
            source.filter(|source| !source.is_init()).map(|source| self.engine.graph.event(source).id);
        self.choices.push(Choice::Source(source));
        Some(self.choose(&PendingAccess { thread, label, loc, revisited: None }, first))
    }

    /// Whether the write `label` of `thread` to `loc` may be made.
    pub(super) fn writes_in_turn(&self, thread: ThreadId, label: Label, loc: LocId) -> bool {
        matches!(label, Label::Write { exclusive: true, .. })
            || self.engine.lessons.parties.is_empty()
            || self.engine.meeting(thread, label, loc) == Some(Meeting::Opening)
            || self.looks_in_turn(thread, loc)
    }

    /// Whether the next access of `thread` to `loc`, which is no step at the barrier there, may be made: all arrivals
    /// happen before it.
    fn looks_in_turn(&self, thread: ThreadId, loc: LocId) -> bool {
        let graph = &self.engine.graph;
        if self.engine.lessons.party(graph.location(loc).access).is_none() {
            return true;
        }
        let arrivals = graph.location(loc).co[1..].iter().copied();
        let mut arrivals = arrivals.filter(|&write| self.engine.arrival_at(write, loc).is_some());
        arrivals.all(|arrival| self.is_past(thread, arrival))
    }

    /// Whether `thread` may arrive at the barrier of `loc`: whatever else has accessed the location happens before, and all
    /// threads arrive in the same way.
    fn arrives_in_turn(&self, thread: ThreadId, loc: LocId, arrival: Label) -> bool {
        let location = self.engine.graph.location(loc);
        location.co[1..].iter().chain(&location.reads).all(|&slot| {
            let event = self.engine.graph.event(slot);
            match self.engine.is_settled(slot) {
                true => {
                    !matches!(event.label, Label::Read { rmw: Rmw::Fetch { .. }, .. })
                        || event.label == arrival
                }
                false => self.is_past(thread, slot),
            }
        })
    }

    /// The order of the arrivals at the barrier of `loc` matters: the search starts over.
    pub(super) fn disperse(&mut self, loc: LocId) -> bool {
        mark!("barriers: the order of arrivals matters");
        let access = self.engine.graph.location(loc).access;
        self.engine.learn(Lesson::Crowd(access));
        false
    }

    /// The write at `write` was added: if it is an arrival, others may be able to move. If it completes the first round of
    /// a barrier, the search starts over and knows which threads meet there.
    pub(super) fn watch_arrival(&mut self, write: Slot) {
        let event = self.engine.graph.event(write);
        if !self.engine.config.barriers || self.engine.program.has_cells() || !M::IS_COHERENT {
            return;
        }
        let loc = event.loc;
        if self.engine.takes_step(event, BarrierStep::Opening) {
            self.engine.cursor.next = 0;
        }
        let Some(arrival) = self.engine.arrival_at(write, loc) else { return };
        self.engine.cursor.next = 0;
        let access = self.engine.graph.location(loc).access;
        let waits = self.waits_after(write, loc);
        if let Some(party) = self.engine.lessons.party(access) {
            let n_arrivals = arrivals_at(&self.engine.graph, loc, arrival).count();
            if waits == n_arrivals.is_multiple_of(party.members.len()) {
                self.disperse(loc);
            }
        } else if !waits && !self.engine.lessons.crowds.contains(&access) {
            self.learn_party(write, arrival);
        }
    }

    /// Whether the thread of the arrival at `write` has to wait: its next step is, or was, the departure.
    fn waits_after(&mut self, write: Slot, loc: LocId) -> bool {
        let id = self.engine.graph.event(write).id;
        if let Some(&next) = self.engine.graph.thread(id.thread()).get(id.index() + 1) {
            let event = self.engine.graph.event(next);
            return event.loc == loc && self.engine.takes_step(event, BarrierStep::Departure);
        }
        let access = self.engine.graph.location(loc).access;
        match self.engine.run.pending(id.thread()) {
            Step::Do(label) if label.access() == Some(access) => {
                matches!(self.engine.meeting(id.thread(), label, loc), Some(Meeting::Departure(_)))
            }
            _ => false,
        }
    }

    /// The arrival at `write` may be the last of the first round at a barrier. It is if the threads before it have to wait;
    /// then the search starts over and knows which threads meet there.
    fn learn_party(&mut self, write: Slot, arrival: Label) {
        let loc = self.engine.graph.event(write).loc;
        let arrivals: Vec<Slot> = arrivals_at(&self.engine.graph, loc, arrival).collect();
        if !arrivals.iter().all(|&other| other == write || self.waits_after(other, loc)) {
            return;
        }
        let key_of = |&write: &Slot| self.engine.run.key(self.engine.graph.event(write).id.thread());
        let mut members: Vec<ThreadKey> = arrivals.iter().map(key_of).collect();
        members.sort_unstable();
        members.dedup();
        if members.len() == arrivals.len() {
            mark!("barriers: a round is complete");
            let access = self.engine.graph.location(loc).access;
            self.engine.learn(Lesson::Party(Party { access, members }));
        }
    }
}

/// The writes of the arrivals with this label at the barrier of `loc`.
fn arrivals_at(graph: &Graph, loc: LocId, arrival: Label) -> impl Iterator<Item = Slot> + '_ {
    let is_arrival = move |&write: &Slot| {
        graph.event(write).exclusive
            && graph.po_before(write).is_some_and(|read| graph.event(read).label == arrival)
    };
    graph.location(loc).co[1..].iter().copied().filter(is_arrival)
}

fn arrivals(graph: &Graph, loc: LocId, arrival: Label, thread: ThreadId) -> Arrivals {
    let own = |&write: &Slot| graph.event(write).id.thread() == thread;
    let all = arrivals_at(graph, loc, arrival);
    Arrivals { all: all.count(), own: arrivals_at(graph, loc, arrival).filter(own).count() }
}
