//! Reference counts: it matters which owner is the last, not in which order the others go.
//!
//! A thread that gives up a reference and only asks whether the count was one cannot tell the orders of the others apart.
//! So references that are taken and given up are counts ([`super::counts`]), and TruSt visits one execution for each
//! thread that may be the last one, instead of one for each order. The last one reads the shares of all others, so that
//! it synchronises with them. [ALGORITHMS §L.4] says why this loses nothing.
//!
//! The past of an event may show that its thread is the last one. Otherwise the search learns which threads are
//! candidates, starts over, and chooses one of them, or none, before the first reference is given up. The chosen one waits
//! until all others are gone. If none is chosen and all are gone in the end, the execution is not one of the program.

use super::choice::{Choice, PendingAccess};
use super::counts::{is_update, owner_of, updates};
use super::{TrustRules, TrustWorker};
use crate::engine::Engine;
use crate::learned::{Lesson, SectionName};
use crate::rules::Rules;
use atropos_event::{Access, AnswerUse, Label, Rmw, RmwOp, Run, Step, ThreadId, mark};
use atropos_graph::{Graph, LocId, Slot};
use atropos_model::MemoryModel;

/// The last owner: a thread, and how many references to the same object it has given up before; or none, unless
/// the past of an event shows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastOwner {
    pub loc: LocId,
    pub name: Option<SectionName>,
}

/// More references than that are counted in order.
const MOST_COUNTS: usize = 24;

/// Counts are smaller than that.
const MOST_REFERENCES: i64 = 1 << 16;

/// What an update adds: one or minus one.
fn delta_of(label: Label) -> Option<i64> {
    let Label::Read { access, rmw: Rmw::Fetch { op, operand, .. }, .. } = label else { return None };
    let operand = access.signed(access.truncate(operand));
    let delta = match op {
        RmwOp::Add => operand,
        RmwOp::Sub => operand.checked_neg()?,
        _ => return None,
    };
    (access.size >= 4 && !access.is_wide() && delta.abs() == 1).then_some(delta)
}

/// The number of references before any was taken or given up.
fn first_number(graph: &Graph, loc: LocId) -> Option<i64> {
    let location = graph.location(loc);
    let last = *location.co.last()?;
    let value = location.access.signed(graph.value_of(loc, last));
    (1..MOST_REFERENCES).contains(&value).then_some(value)
}

fn all_updates(graph: &Graph, loc: LocId) -> impl Iterator<Item = Slot> + '_ {
    graph.shares(loc).flat_map(move |share| updates(graph, share))
}

/// The number of references, all updates included.
fn number(graph: &Graph, loc: LocId) -> Option<i64> {
    let deltas = all_updates(graph, loc).map(|update| delta_of(graph.event(update).label));
    deltas.fold(first_number(graph, loc), |sum, delta| Some(sum? + delta?))
}

/// The number of references that the past of an event shows: that at `slot`, which is not counted itself, or the next one
/// of the thread of which `slot` is the last.
fn number_in_past(graph: &Graph, loc: LocId, slot: Option<Slot>, but: Option<Slot>) -> Option<i64> {
    let past = slot.map(|slot| graph.porf(slot));
    let is_past = |&update: &Slot| Some(update) != but && past.is_some_and(|past| graph.is_in(past, update));
    let deltas = all_updates(graph, loc).filter(is_past).map(|update| delta_of(graph.event(update).label));
    deltas.fold(first_number(graph, loc), |sum, delta| Some(sum? + delta?))
}

/// Whether the update at `slot` has been given the last reference.
fn is_last_owner(graph: &Graph, loc: LocId, slot: Slot) -> bool {
    delta_of(graph.event(slot).label) == Some(-1)
        && number_in_past(graph, loc, Some(slot), Some(slot)) == Some(1)
}

/// Whether all references are gone, and no thread was the last owner.
fn is_ownerless(graph: &Graph, loc: LocId) -> bool {
    number(graph, loc) == Some(0) && !all_updates(graph, loc).any(|update| is_last_owner(graph, loc, update))
}

impl<R: Run, M: MemoryModel, Q: Rules<M>> Engine<'_, R, M, Q> {
    /// Whether the graph is not one of the program, because no thread is the last owner of something.
    pub(crate) fn lacks_owner(&self) -> bool {
        self.references.iter().any(|&loc| is_ownerless(&self.graph, loc))
    }

    /// How many references of `loc` the thread has given up.
    fn n_given_up(&self, thread: ThreadId, loc: LocId) -> u32 {
        let own =
            all_updates(&self.graph, loc).filter(|&update| self.graph.event(update).id.thread() == thread);
        own.filter(|&update| delta_of(self.graph.event(update).label) == Some(-1)).count() as u32
    }

    fn owner_name(&self, thread: ThreadId, loc: LocId) -> SectionName {
        (self.run.key(thread), self.n_given_up(thread, loc))
    }

    /// Whether `thread`, whose next step is `label`, was chosen as the last owner and has to wait for the others.
    #[inline]
    pub(crate) fn is_held_as_owner(&mut self, thread: ThreadId, label: Label) -> bool {
        !self.owners.is_empty() && self.waits_as_owner(thread, label)
    }

    fn waits_as_owner(&mut self, thread: ThreadId, label: Label) -> bool {
        if delta_of(label) != Some(-1) {
            return false;
        }
        let Some(access) = label.access() else { return false };
        let program = self.program;
        let Ok(loc) = self.host.graph.locate(access, || program.initial(access)) else { return false };
        let Some(owner) = self.owners.iter().find(|owner| owner.loc == loc) else { return false };
        if owner.name != Some(self.owner_name(thread, loc)) {
            return false;
        }
        let last = self.graph.last_of(thread);
        // If the past shows the last one, none need be chosen.
        number(&self.graph, loc) != Some(1) || number_in_past(&self.graph, loc, last, None) == Some(1)
    }

    /// Whether the event at `slot` is the read of another thread's share by the last owner.
    pub(crate) fn is_collecting(&self, slot: Slot) -> bool {
        let event = self.graph.event(slot);
        self.has_collected
            && event.is_read()
            && !event.exclusive
            && self.graph.is_share(event.loc)
            && self.graph.mutex_of(event.loc).is_none()
    }
}

impl<R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'_, R, M, Q> {
    /// What `thread` does with the answer to its next step, if that takes or gives up a reference.
    pub(super) fn use_of_reference(&self, thread: ThreadId, label: Label) -> AnswerUse {
        if delta_of(label).is_none() {
            return AnswerUse::Any;
        }
        self.engine.run.answer_use(thread, self.engine.run.position(thread))
    }

    /// Whether the next event of `thread`, which takes or gives up a reference, leaves no doubt about the last owner:
    /// whatever the order, no reference is given up that does not exist, and only the last of all threads finds one.
    pub(super) fn keeps_count(
        &self,
        thread: ThreadId,
        label: Label,
        own_answer: AnswerUse,
        loc: LocId,
    ) -> bool {
        let graph = &self.engine.graph;
        let Some(first) = first_number(graph, loc) else { return false };
        let Some(own) = delta_of(label) else { return false };
        let is_kept =
            |delta: i64, answer| (delta < 0) == (answer == AnswerUse::IsOne) && answer != AnswerUse::Any;
        if !is_kept(own, own_answer) {
            return false;
        }
        let listed: Vec<Slot> = all_updates(graph, loc).collect();
        let mut deltas = vec![own];
        for &update in &listed {
            let event = graph.event(update);
            let Some(delta) = delta_of(event.label) else { return false };
            let answer = self.engine.run.answer_use(event.id.thread(), event.before);
            if !is_kept(delta, answer) {
                return false;
            }
            deltas.push(delta);
        }
        if listed.len() >= MOST_COUNTS || self.is_one_of_twins(thread) || !self.has_first_number(loc, &listed)
        {
            return false;
        }
        // Which updates come before the nth one: the new one is the first of the list, and before no other.
        let past_of = |n: usize| match n {
            0 => graph.last_of(thread).map(|last| graph.porf(last)),
            n => Some(graph.porf(listed[n - 1])),
        };
        let is_before = |m: usize, n: usize| {
            m > 0 && m != n && past_of(n).is_some_and(|past| graph.is_in(past, listed[m - 1]))
        };
        let all = 0..deltas.len();
        match first + deltas.iter().sum::<i64>() {
            ..0 => false,
            0 => all
                .clone()
                .filter(|&m| !all.clone().any(|n| is_before(m, n)))
                .all(|last| deltas[last] < 0 && are_covered(first - 1, &deltas, Some(last), is_before)),
            _ => are_covered(first - 1, &deltas, None, is_before),
        }
    }

    /// Whether one write is after all others that are no updates, and before all updates.
    fn has_first_number(&self, loc: LocId, updates: &[Slot]) -> bool {
        let graph = &self.engine.graph;
        let Some((&last, earlier)) = graph.location(loc).co[1..].split_last() else { return true };
        let (past, porf) = (self.engine.model.hb(graph, last), graph.porf(last));
        earlier.iter().all(|&write| graph.is_in(past, write))
            && !updates.iter().any(|&update| graph.is_in(porf, update))
    }

    fn is_one_of_twins(&self, thread: ThreadId) -> bool {
        let threads = || (0..self.engine.graph.n_threads()).map(ThreadId::new);
        self.has_twins
            && (self.twin_of(thread).is_some() || threads().any(|other| self.twin_of(other) == Some(thread)))
    }

    /// The next event of `thread` gives up a reference of `loc` and asks whether it was the last one. Returns whether it may
    /// be added now: not if a choice has to be made first, or the search starts over.
    pub(super) fn gives_up(&mut self, thread: ThreadId, label: Label, loc: LocId) -> bool {
        let access = self.engine.graph.location(loc).access;
        let candidates = self.engine.lessons.candidates(access).len();
        let owner = self.engine.owners.iter().find(|owner| owner.loc == loc).copied();
        if owner.is_none() && candidates > 0 {
            let first = self.choices.len();
            self.choices.extend((0..=candidates as u32).map(Choice::LastOwner));
            self.choose(&PendingAccess { thread, label, loc, revisited: None }, first);
            return false;
        }
        let name = self.engine.owner_name(thread, loc);
        let graph = &self.engine.graph;
        let is_shown = number_in_past(graph, loc, graph.last_of(thread), None) == Some(1);
        let is_chosen = owner.is_some_and(|owner| owner.name == Some(name));
        if is_chosen && (is_shown || number(graph, loc) != Some(1)) {
            return false;
        }
        if is_shown || is_chosen {
            return self.collect(thread, label, loc);
        }
        number(graph, loc) != Some(1) || self.are_candidates(thread, loc)
    }

    /// All references of `loc` are gone when `thread` gives up one: whether all threads that may then be the last owner are
    /// known. Otherwise the search starts over.
    fn are_candidates(&mut self, thread: ThreadId, loc: LocId) -> bool {
        let graph = &self.engine.graph;
        let access = graph.location(loc).access;
        let own = graph.last_of(thread).map(|last| graph.porf(last));
        let mut names = vec![self.engine.owner_name(thread, loc)];
        for update in all_updates(graph, loc) {
            let is_followed = own.is_some_and(|past| graph.is_in(past, update))
                || all_updates(graph, loc)
                    .any(|other| other != update && graph.is_in(graph.porf(other), update));
            if !is_followed {
                let thread = graph.event(update).id.thread();
                let (key, n) = self.engine.owner_name(thread, loc);
                names.push((key, n - 1));
            }
        }
        let known = self.engine.lessons.candidates(access);
        let new: Vec<SectionName> = names.into_iter().filter(|name| !known.contains(name)).collect();
        for &name in &new {
            mark!("owners: a thread may be the last owner");
            self.engine.learn(Lesson::Candidate(access, name));
        }
        new.is_empty()
    }

    /// The last owner is about to give up its reference: it synchronises with all others.
    fn collect(&mut self, thread: ThreadId, label: Label, loc: LocId) -> bool {
        let Label::Read { access, order, .. } = label else { return false };
        let graph = &self.engine.graph;
        let mut shares: Vec<LocId> =
            graph.shares(loc).filter(|&share| owner_of(graph, share) != thread).collect();
        shares.sort_by_key(|&share| graph.rank_of(owner_of(graph, share)));
        for share in shares {
            let source = *self.engine.graph.location(share).co.last().expect("the initial write");
            if self.is_past(thread, source) {
                continue;
            }
            if !self.mutexes.is_empty() && !self.watch_conflicts(thread, label, share, None) {
                return false;
            }
            let label = Label::Read { access, order, rmw: Rmw::None };
            let read = self.engine.add_read(thread, label, share, source);
            self.engine.has_collected = true;
            if !self.engine.is_consistent(read) {
                return false;
            }
        }
        true
    }

    /// The number of references that the thread of the update at `read` finds, if it may ask.
    pub(super) fn found_number(&self, read: Slot) -> Option<u64> {
        let graph = &self.engine.graph;
        let event = graph.event(read);
        if self.engine.references.is_empty() || !is_update(graph, read) || graph.mutex_of(event.loc).is_some()
        {
            return None;
        }
        let loc = graph.shared(event.loc).filter(|loc| self.engine.references.contains(loc))?;
        number_in_past(graph, loc, Some(read), Some(read)).and_then(|number| u64::try_from(number).ok())
    }

    /// Nothing can move: whether the graph is no execution of the program, because the last owners are not those that were
    /// chosen. `None` if the search starts over.
    pub(super) fn is_imaginary(&mut self) -> Option<bool> {
        for owner in self.engine.owners.clone() {
            let Some((key, n)) = owner.name else { continue };
            let Some(thread) = self.engine.thread_named(key) else { return Some(true) };
            if self.engine.n_given_up(thread, owner.loc) > n {
                continue;
            }
            if self.engine.graph.exists(thread)
                && let Step::Do(label) = self.engine.run.pending(thread)
                && self.engine.is_held_as_owner(thread, label)
                && number(&self.engine.graph, owner.loc) != Some(1)
                && !self.keeps_count(thread, label, AnswerUse::IsOne, owner.loc)
            {
                self.observe(owner.loc);
                return None;
            }
            return Some(true);
        }
        if self.engine.lacks_owner() {
            return Some(true);
        }
        let threads = if self.engine.has_overlooked { self.engine.threads.clone() } else { Vec::new() };
        let has_failed = |&thread: &ThreadId| {
            self.engine.graph.exists(thread) && self.engine.host.run.pending(thread) == Step::Failed
        };
        if threads.iter().any(has_failed) {
            // It may have failed while no thread was the last owner.
            self.engine.learn(Lesson::CountsNothing);
            return None;
        }
        Some(false)
    }

    /// The alternative of the choice of a last owner.
    pub(super) fn choose_owner(&mut self, loc: LocId, number: u32) {
        let access: Access = self.engine.graph.location(loc).access;
        let names = self.engine.lessons.candidates(access);
        let name = (number as usize).checked_sub(1).and_then(|index| names.get(index).copied());
        self.engine.owners.push(LastOwner { loc, name });
    }
}

/// Whether each reference that is given up, but that at `except`, can have one of its own: one of the first ones, or one
/// that was taken before. Then no order has fewer than one left.
fn are_covered(
    n_first: i64,
    deltas: &[i64],
    except: Option<usize>,
    is_before: impl Fn(usize, usize) -> bool,
) -> bool {
    let mut taken_for: Vec<Option<usize>> = vec![None; deltas.len()];
    let given_up = (0..deltas.len()).filter(|&n| deltas[n] < 0 && Some(n) != except);
    let n_uncovered = given_up
        .filter(|&n| !cover(n, deltas, &is_before, &mut taken_for, &mut vec![false; deltas.len()]))
        .count();
    n_uncovered as i64 <= n_first
}

/// Finds a reference for the nth update, if need be by finding others for others.
fn cover(
    n: usize,
    deltas: &[i64],
    is_before: &impl Fn(usize, usize) -> bool,
    taken_for: &mut [Option<usize>],
    is_tried: &mut [bool],
) -> bool {
    for m in (0..deltas.len()).filter(|&m| deltas[m] > 0 && is_before(m, n)) {
        if std::mem::replace(&mut is_tried[m], true) {
            continue;
        }
        if taken_for[m].is_none_or(|other| cover(other, deltas, is_before, taken_for, is_tried)) {
            taken_for[m] = Some(n);
            return true;
        }
    }
    false
}
