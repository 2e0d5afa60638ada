//! Mutexes: sections that touch nothing in common have no order.
//!
//! What a thread does between locking and unlocking a mutex is a *section*. If two sections of a mutex conflict nowhere, no
//! thread can tell in which order they came, and TruSt visits one execution instead of one for each order. A section takes
//! a share of the mutex ([`atropos_graph::Graph::section_share`]): its thread's own, or that of a group of sections which do conflict. So
//! the search is one of another program; [ALGORITHMS §L.6] says why that program shows the same.
//!
//! The search assumes at first that no sections conflict, and watches: if two do, it starts over with both in one group.
//! If something else shows the order of sections, or if a section may wait, it starts over with all sections of the
//! mutex in order. It also does so, with the sections of all mutexes in order, to report a violation.

use super::{TrustRules, TrustWorker};
use crate::learned::{Lesson, SectionGroup, SectionName};
use atropos_event::{
    FenceOrder, Initial, Label, LockStep, ReadOrder, Rmw, RmwOp, Run, Step, ThreadId, WriteOrder, mark,
};
use atropos_graph::{Clock, LocId, Location, Section, Sharer, Slot};
use atropos_model::{Counting, MemoryModel};
use std::collections::BTreeMap;

/// Sections of a thread from this number on have one name.
const MOST_NAMED: u32 = 8;

/// If the sections of so many mutexes have an order, those of all have.
const MOST_IN_ORDER: usize = 32;

impl<R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'_, R, M, Q> {
    /// Whether sections may have no order.
    pub(super) fn may_part(&self) -> bool {
        self.engine.config.locks
            && M::COUNTING != Counting::Never
            && !self.engine.lessons.parts_nothing
            && !self.engine.program.has_cells()
    }

    /// The location of the next access of `thread`, which is to `loc`: a share if this locks or unlocks a mutex whose
    /// sections need no order. `None` if the search starts over because of the access.
    #[inline]
    pub(super) fn parted(&mut self, thread: ThreadId, label: Label, loc: LocId) -> Option<LocId> {
        let may_lock = matches!(label, Label::Read { rmw: Rmw::Cas { .. }, .. }) && self.parts_sections;
        if may_lock || !self.mutexes.is_empty() { self.part(thread, label, loc) } else { Some(loc) }
    }

    fn part(&mut self, thread: ThreadId, label: Label, loc: LocId) -> Option<LocId> {
        if matches!(label, Label::Write { exclusive: true, .. }) {
            return Some(loc);
        }
        if let Some(counter) = self.engine.graph.shared(loc) {
            let is_mutex = self.engine.graph.section_shares(counter).next().is_some();
            return if is_mutex { self.put_in_order(counter) } else { Some(loc) };
        }
        let step = self.engine.run.lock_step(thread, self.engine.run.position(thread));
        let taken = self.share_of(thread);
        match label {
            Label::Read { rmw: Rmw::Cas { expected, .. }, .. } if step == Some(LockStep::Lock) => {
                if let Some(share) = taken {
                    return self.put_in_order(share);
                }
                if !self.engine.lessons.in_order.contains(&self.engine.graph.location(loc).access) {
                    return self.lock(thread, loc, expected);
                }
            }
            Label::Write { value, .. }
            | Label::Read { rmw: Rmw::Fetch { op: RmwOp::Exchange, operand: value, .. }, .. }
                if step == Some(LockStep::Unlock) =>
            {
                if let Some(share) = taken
                    && self.engine.graph.mutex_of(share) == Some(loc)
                    && self.engine.graph.location(share).initial_value() == value
                {
                    return Some(share);
                }
            }
            _ => {}
        }
        if !self.looks_beside_sections(thread, loc) {
            return self.put_in_order(loc);
        }
        let may_go_on = self.watch_sc(label);
        (may_go_on && self.watch_conflicts(thread, label, loc, step)).then_some(loc)
    }

    /// The share for the section of the mutex `loc` that `thread` enters next.
    fn lock(&mut self, thread: ThreadId, loc: LocId, free: u64) -> Option<LocId> {
        if !self.mutexes.contains(&loc) {
            self.mutexes.push(loc);
        }
        if !self.is_free_for(thread, loc, free) {
            return self.put_in_order(loc);
        }
        let name = self.name_of_next(thread, loc);
        let mutex = self.engine.graph.location(loc).access;
        let groups = &self.engine.lessons.groups;
        let group = groups.iter().position(|group| group.mutex == mutex && group.sections.contains(&name));
        let sharer = group.map_or(Sharer::Thread(thread), Sharer::Group);
        let share = self.engine.host.graph.section_share(loc, sharer, free);
        let graph = &self.engine.graph;
        let is_past =
            |other: LocId| graph.location(other).co[1..].iter().all(|&slot| self.is_past(thread, slot));
        let is_parted = graph.section_shares(loc).any(|other| other != share && !is_past(other));
        self.engine.stats.parted += u64::from(is_parted);
        Some(share)
    }

    /// Whether all accesses to the mutex `loc` that are no sections happen before the next event of `thread`, and have
    /// left it free before there were sections.
    fn is_free_for(&self, thread: ThreadId, loc: LocId, free: u64) -> bool {
        let graph = &self.engine.graph;
        let location = graph.location(loc);
        let writes = &location.co[1..];
        let is_free = match writes.split_last() {
            None => location.initial == Initial::Value(free),
            Some((&last, earlier)) => {
                let past = self.engine.model.hb(graph, last);
                graph.event(last).value == free
                    && earlier.iter().all(|&write| graph.is_in(past, write))
                    && !self.entered(past).any(|entered| entered == loc)
            }
        };
        is_free
            && graph.shares(loc).next().is_none()
            && location.reads.iter().chain(writes).all(|&slot| self.is_past(thread, slot))
    }

    /// The name of the section of the mutex `loc` that `thread` enters next. Twins have the same names.
    fn name_of_next(&self, thread: ThreadId, loc: LocId) -> SectionName {
        self.name_of_section(thread, loc, self.engine.graph.thread(thread).len())
    }

    /// The name of the section that `thread` enters by its event at `index`.
    fn name_of_section(&self, thread: ThreadId, loc: LocId, index: usize) -> SectionName {
        let graph = &self.engine.graph;
        let is_entry =
            |&&slot: &&Slot| graph.takes_share(slot) && graph.mutex_of(graph.event(slot).loc) == Some(loc);
        let earlier = &graph.thread(thread)[..index];
        let n = earlier.iter().filter(is_entry).take(MOST_NAMED as usize).count() as u32;
        let mut first = thread;
        while self.has_twins
            && let Some(twin) = self.twin_of(first)
        {
            first = twin;
        }
        (self.engine.run.key(first), n)
    }

    /// The share of the section that `thread` is inside.
    fn share_of(&self, thread: ThreadId) -> Option<LocId> {
        let graph = &self.engine.graph;
        let last = graph.last_of(thread)?;
        (graph.event(last).section == Section::Inside).then(|| graph.share_taken(last))
    }

    /// Whether the next access of `thread`, to `loc`, is no access to a mutex with shares, or all sections happen before it
    /// and are over.
    fn looks_beside_sections(&self, thread: ThreadId, loc: LocId) -> bool {
        let graph = &self.engine.graph;
        graph.section_shares(loc).all(|share| {
            let location = graph.location(share);
            let is_over = location.co[1..].last().is_some_and(|&last| graph.frees_share(last));
            is_over && location.reads.iter().chain(&location.co[1..]).all(|&slot| self.is_past(thread, slot))
        })
    }

    /// The event at `slot` was added: its thread may have entered or left a section, or may do next what no section does.
    #[inline]
    pub(super) fn follow_section(&mut self, slot: Slot) {
        if !self.mutexes.is_empty() {
            self.note_section(slot);
        }
    }

    fn note_section(&mut self, slot: Slot) {
        let graph = &self.engine.graph;
        let event = *graph.event(slot);
        let before = graph.po_before(slot).map_or(Section::None, |before| graph.event(before).section);
        let section = match event.label {
            _ if graph.mutex_of(event.loc).is_none() => before,
            Label::Write { .. } if graph.frees_share(slot) => Section::Left,
            _ if event.exclusive => Section::Inside,
            _ => before,
        };
        self.engine.host.graph.set_section(slot, section);
        // The thread of a read-modify-write may not run on yet.
        let is_first_half = event.exclusive && event.is_read();
        if section == Section::Inside && !is_first_half {
            let thread = event.id.thread();
            if !self.goes_on(thread) {
                mark!("locks: a section may wait");
                let share = self.engine.graph.share_taken(slot);
                self.put_in_order(share);
            }
        }
    }

    /// Whether the next step of `thread`, which is inside a section, is one that never waits, and of this thread.
    fn goes_on(&mut self, thread: ThreadId) -> bool {
        let position = self.engine.run.position(thread);
        match self.engine.run.pending(thread) {
            Step::Do(Label::Join { .. } | Label::Spawn { .. } | Label::Begin | Label::End) => false,
            Step::Do(_) => {
                self.engine.run.lock_step(thread, position) != Some(LockStep::Lock)
                    && self.engine.run.barrier_step(thread, position).is_none()
            }
            Step::Finished | Step::Blocked(_) => false,
            Step::Failed | Step::Unsupported => true,
        }
    }

    /// Whether the next access of `thread`, to `loc`, is ordered with all accesses that conflict with it, as far as the
    /// order of sections depends on it. Otherwise the search starts over.
    pub(super) fn watch_conflicts(
        &mut self,
        thread: ThreadId,
        label: Label,
        loc: LocId,
        step: Option<LockStep>,
    ) -> bool {
        let graph = &self.engine.graph;
        let last = graph.last_of(thread);
        let is_inside = last.is_some_and(|last| graph.event(last).section == Section::Inside);
        let past = last.map(|last| self.engine.model.hb(graph, last));
        let location = graph.location(loc);
        let is_write = !matches!(label, Label::Read { rmw: Rmw::None, .. });
        let unordered = |list: &'_ [Slot]| -> Vec<Slot> {
            let rest = &list[past.map_or(0, |past| graph.n_known(list, past))..];
            let is_other = |&slot: &Slot| {
                !slot.is_init()
                    && !past.is_some_and(|past| graph.is_in(past, slot))
                    && self.depends(thread, is_inside, slot)
            };
            rest.iter().copied().filter(is_other).collect()
        };
        let mut others = unordered(&location.co);
        if is_write {
            others.extend(unordered(&location.reads));
        }
        if !is_inside {
            others.retain(|&other| !self.follows_reads_from((label, step), other));
        }
        others.is_empty() || self.order_conflicts(thread, &others)
    }

    /// Whether reads-from orders the next access, outside of sections, with the one at `other`, in any case: both lock or
    /// unlock a mutex, or both are read-modify-writes, and nothing is sequentially consistent under RC11.
    fn follows_reads_from(&mut self, (label, step): (Label, Option<LockStep>), other: Slot) -> bool {
        let graph = &self.engine.graph;
        let event = graph.event(other);
        let is_update = matches!(label, Label::Read { rmw: Rmw::Fetch { .. }, .. });
        let other_locks = self.locks(other);
        if event.section == Section::Inside || step.is_some() && !is_update && other_locks {
            return event.section != Section::Inside;
        }
        let is_update = is_update || step == Some(LockStep::Lock);
        let is_any_sc = || is_sc(&label) || graph.events().iter().any(|event| is_sc(&event.label));
        let follows = is_update
            && (event.exclusive || other_locks)
            && !(M::COUNTING == Counting::ByOrder && is_any_sc());
        self.has_unordered_updates |= follows;
        follows
    }

    /// Whether the event at `slot` locks a mutex, or unlocks it by a store.
    fn locks(&self, slot: Slot) -> bool {
        let graph = &self.engine.graph;
        let event = graph.event(slot);
        let first = if event.exclusive && event.is_write() { graph.po_before(slot) } else { Some(slot) };
        first.map(|first| graph.event(first)).is_some_and(|first| {
            !matches!(first.label, Label::Read { rmw: Rmw::Fetch { .. }, .. })
                && self.engine.run.lock_step(first.id.thread(), first.before).is_some()
        })
    }

    /// The event `label` is about to be added, or was added: if it is sequentially consistent, and the graph has
    /// read-modify-writes that only reads-from orders, all mutexes get their order.
    pub(super) fn watch_sc(&mut self, label: Label) -> bool {
        if M::COUNTING != Counting::ByOrder || !self.has_unordered_updates || !is_sc(&label) {
            return true;
        }
        let graph = &self.engine.graph;
        let is_unordered = |location: &Location| {
            let reads = || location.reads.iter().filter(|&&read| graph.event(read).exclusive);
            location.shared_by.is_none()
                && reads().enumerate().any(|(n, &read)| {
                    let past = graph.po_before(read).map(|before| self.engine.model.hb(graph, before));
                    reads().take(n).any(|&other| !past.is_some_and(|past| graph.is_in(past, other)))
                })
        };
        if !graph.locations().iter().any(is_unordered) {
            return true;
        }
        for loc in self.mutexes.clone() {
            self.put_in_order(loc);
        }
        false
    }

    /// Whether the order of some sections may depend on that of the next event of `thread` and the one at `other`,
    /// which conflict and are not ordered by what happens before.
    fn depends(&self, thread: ThreadId, is_inside: bool, other: Slot) -> bool {
        let graph = &self.engine.graph;
        let last = graph.last_of(thread);
        let porf = last.map(|last| graph.porf(last));
        if graph.event(other).section == Section::Inside {
            // Under PSO, what happens before does not show that a section is over.
            let end = graph.section_end(other).filter(|_| M::COUNTING == Counting::Always);
            return !end.zip(porf).is_some_and(|(end, porf)| graph.is_in(porf, end));
        }
        is_inside
            || M::COUNTING != Counting::Always
                && (porf.is_some_and(|porf| self.entered(porf).next().is_some())
                    || self.entered(graph.porf(other)).next().is_some())
    }

    /// The mutexes of which a section is in the set.
    fn entered<'b>(&'b self, past: &'b Clock) -> impl Iterator<Item = LocId> + 'b {
        let graph = &self.engine.graph;
        let is_entered =
            move |share: LocId| graph.location(share).reads.iter().any(|&read| graph.is_in(past, read));
        self.mutexes.iter().copied().filter(move |&loc| graph.section_shares(loc).any(is_entered))
    }

    /// The next event of `thread` conflicts with those at `others`: the search starts over. Returns `false`.
    #[cold]
    fn order_conflicts(&mut self, thread: ThreadId, others: &[Slot]) -> bool {
        let graph = &self.engine.graph;
        let own = self.share_of(thread);
        let share_of =
            |other: Slot| (graph.event(other).section == Section::Inside).then(|| graph.share_taken(other));
        let mutex = |share: LocId| graph.mutex_of(share);
        let is_met = |&other: &Slot| {
            share_of(other).is_some_and(|share| own != Some(share) && own.and_then(mutex) == mutex(share))
        };
        if self.is_first_execution()
            && others.iter().all(is_met)
            && let Some(loc) = own.and_then(mutex)
        {
            mark!("locks: sections conflict");
            let access = graph.location(loc).access;
            let name = |thread, index| self.name_of_section(thread, loc, self.entry(thread, index));
            let first = name(thread, graph.thread(thread).len() - 1);
            let others = others.iter().map(|&other| graph.event(other).id);
            let others: Vec<_> = others.map(|other| name(other.thread(), other.index())).collect();
            others.into_iter().for_each(|other| self.engine.learn(Lesson::Together(access, [first, other])));
            return false;
        }
        mark!("locks: the order of sections shows elsewhere");
        let mut shown: Vec<LocId> =
            own.into_iter().chain(others.iter().filter_map(|&other| share_of(other))).collect();
        if shown.is_empty() {
            let pasts = others.iter().copied().chain(graph.last_of(thread)).map(|slot| graph.porf(slot));
            shown = pasts.flat_map(|past| self.entered(past)).collect();
        }
        for loc in shown {
            self.put_in_order(loc);
        }
        false
    }

    /// An execution is over, and none was complete before: whether there are more groups. If all sections of a mutex, but
    /// those of the main thread, have turned out to be in one group, the mutex is taken in order: that costs nothing.
    pub(super) fn are_sections_grouped(&mut self) -> bool {
        if !self.is_first_execution() {
            return false;
        }
        if self.groups_grow() {
            return true;
        }
        let graph = &self.engine.graph;
        let is_main = |share: LocId| self.sharer_is_main(share);
        let grouped: Vec<LocId> = self
            .mutexes
            .iter()
            .copied()
            .filter(|&loc| {
                let mut shares = graph.section_shares(loc).filter(|&share| !is_main(share));
                shares.next().is_some_and(|share| !graph.is_own_share(share)) && shares.next().is_none()
            })
            .collect();
        for &loc in &grouped {
            self.put_in_order(loc);
        }
        !grouped.is_empty()
    }

    /// Whether two threads, neither of them the main one, have sections of a mutex that conflict and are in no group yet:
    /// groups have put them in order here, but may not do so elsewhere. Then the search starts over.
    fn groups_grow(&mut self) -> bool {
        let graph = &self.engine.graph;
        // By mutex and location: whether it is a write, the thread, and the section.
        let mut accesses = BTreeMap::<_, Vec<(bool, ThreadId, SectionName)>>::new();
        for thread in (1..graph.n_threads()).map(ThreadId::new) {
            let mut entered = None;
            for (index, &slot) in graph.thread(thread).iter().enumerate() {
                let event = graph.event(slot);
                if graph.takes_share(slot)
                    && let Some(mutex) = graph.mutex_of(event.loc)
                {
                    entered = Some((mutex, self.name_of_section(thread, mutex, index)));
                } else if let Some((mutex, name)) = entered
                    && event.section == Section::Inside
                    && event.loc != LocId::NONE
                    && !graph.is_share(event.loc)
                {
                    let key = (mutex.index(), event.loc.index());
                    accesses.entry(key).or_default().push((event.is_write(), thread, name));
                }
            }
        }
        let mut lessons = Vec::new();
        for ((mutex, _), list) in accesses {
            let access = graph.location(LocId::new(mutex)).access;
            let conflict = list.iter().any(|&(is_write, ..)| is_write)
                && list.iter().any(|&(_, thread, _)| thread != list[0].1);
            let groups = &self.engine.lessons.groups;
            let is_known = |names: [SectionName; 2]| {
                let has_both = |group: &SectionGroup| names.iter().all(|name| group.sections.contains(name));
                groups.iter().any(|group| group.mutex == access && has_both(group))
            };
            let pairs = list.iter().map(|&(.., name)| [list[0].2, name]);
            lessons.extend(
                pairs
                    .filter(|&names| conflict && !is_known(names))
                    .map(|names| Lesson::Together(access, names)),
            );
        }
        let grow = !lessons.is_empty();
        lessons.into_iter().for_each(|lesson| self.engine.learn(lesson));
        grow
    }

    fn sharer_is_main(&self, share: LocId) -> bool {
        self.engine.graph.location(share).shared_by == Some(Sharer::Thread(ThreadId::MAIN))
    }

    /// Whether no execution has been completed. Later, all sections of a mutex get an order at once, so that the search
    /// starts over only once more, and no matter which of several workers sees what first.
    pub(super) fn is_first_execution(&self) -> bool {
        self.root.turns.is_empty() && self.engine.stats.executions == 0
    }

    /// The index of the event by which `thread` has entered the section in which its event at `index` is.
    fn entry(&self, thread: ThreadId, index: usize) -> usize {
        let graph = &self.engine.graph;
        let events = &graph.thread(thread)[..=index];
        events
            .iter()
            .rposition(|&slot| graph.takes_share(slot))
            .expect("a thread inside a section has entered it")
    }

    /// All sections of the mutex `loc`, or of the one of which it is a share, get an order: the search starts over.
    #[cold]
    fn put_in_order(&mut self, loc: LocId) -> Option<LocId> {
        let graph = &self.engine.graph;
        let mutex = graph.mutex_of(loc).unwrap_or(loc);
        let access = graph.location(mutex).access;
        let is_last = self.engine.lessons.in_order.len() >= MOST_IN_ORDER;
        self.engine.learn(if is_last { Lesson::PartsNothing } else { Lesson::InOrder(access) });
        None
    }
}

fn is_sc(label: &Label) -> bool {
    match label {
        Label::Read { order: ReadOrder::SeqCst, .. }
        | Label::Read { rmw: Rmw::Fetch { write_order: WriteOrder::SeqCst, .. }, .. }
        | Label::Write { order: WriteOrder::SeqCst, .. }
        | Label::Fence { order: FenceOrder::SeqCst } => true,
        Label::Read { rmw: Rmw::Cas { write_order, failure_order, .. }, .. } => {
            *write_order == WriteOrder::SeqCst || *failure_order == ReadOrder::SeqCst
        }
        _ => false,
    }
}
