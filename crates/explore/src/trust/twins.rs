//! Symmetry: of the executions that differ only in which of several identical threads does what, TruSt visits one.
//!
//! *Twins* are two threads that a thread creates one right after the other, that run the same code on the same
//! arguments, and that are interchangeable ([`Run::are_twins`]). The earlier one leads: an event of the later one comes
//! after the corresponding event of its twin for as long as both have done the same. Where they differ for the first
//! time, the later one must not read an earlier write, or write earlier, than its twin. [ALGORITHMS §L.3] says why this
//! loses nothing: the dependence of one twin on the other is part of every prefix, and the rest is one more axiom.
//!
//! Events carry a flag: it and all before it are like those of the twin ([`atropos_graph::Event`]).

use super::{TrustRules, TrustWorker};
use crate::learned::Lesson;
use atropos_event::{EventId, Label, Rmw, Run, Step, ThreadId, mark};
use atropos_graph::{Graph, LocId, Slot, clock};
use atropos_model::MemoryModel;

impl<R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'_, R, M, Q> {
    /// An event without alternatives was added.
    pub(super) fn watch_twins(&mut self, label: Label) {
        let added = self.engine.graph.last_slot().expect("the event just added");
        match label {
            Label::Begin if self.is_twin(added) => {
                self.engine.host.graph.set_alike(added);
                self.has_twins = true;
            }
            Label::Begin => {}
            Label::Join { .. } => {
                self.compare_with_twin(added);
                self.watch_join(added);
            }
            _ => self.compare_with_twin(added),
        }
    }

    /// Whether the thread that begins at `begin` has a twin: the thread that its creator has created just before.
    fn is_twin(&self, begin: Slot) -> bool {
        let graph = &self.engine.graph;
        let spawn = graph.event(begin).rf;
        let Some(before) = graph.po_before(spawn) else { return false };
        let (first, second) = (graph.event(before), graph.event(spawn));
        let is_same = match (first.label, second.label) {
            (Label::Spawn { drains: first, .. }, Label::Spawn { drains: second, .. }) => first == second,
            _ => false,
        };
        is_same
            && M::IS_COHERENT
            && !self.engine.program.has_cells()
            && !self.engine.lessons.distinct.contains(&self.engine.run.key(second.id.thread()))
            && self.engine.run.are_twins(first.before, second.before)
    }

    /// The thread that leads `thread`.
    pub(super) fn twin_of(&self, thread: ThreadId) -> Option<ThreadId> {
        let graph = &self.engine.graph;
        let begin = *graph.thread(thread).first()?;
        if !graph.event(begin).is_alike {
            return None;
        }
        match graph.event(graph.po_before(graph.event(begin).rf)?).label {
            Label::Spawn { child, .. } => Some(child),
            _ => None,
        }
    }

    /// The event of the twin of `thread` at `index`, if everything before was alike.
    fn counterpart(&self, thread: ThreadId, index: usize) -> Option<Slot> {
        let graph = &self.engine.graph;
        let &before = graph.thread(thread).get(index.checked_sub(1)?)?;
        if !graph.event(before).is_alike {
            return None;
        }
        graph.thread(self.twin_of(thread)?).get(index).copied()
    }

    /// The event of its twin that corresponds to the next one of `thread`, if everything before was alike.
    pub(super) fn counterpart_of_next(&self, thread: ThreadId) -> Option<Slot> {
        if !self.has_twins {
            return None;
        }
        self.counterpart(thread, self.engine.graph.thread(thread).len())
    }

    /// The event of its twin that corresponds to that at `slot`, if everything before was alike.
    pub(super) fn counterpart_of(&self, slot: Slot) -> Option<Slot> {
        if !self.has_twins {
            return None;
        }
        let id = self.engine.graph.event(slot).id;
        self.counterpart(id.thread(), id.index())
    }

    /// Sets the flag of the event at `added`.
    pub(super) fn compare_with_twin(&mut self, added: Slot) {
        let Some(leading) = self.counterpart_of(added) else { return };
        let graph = &self.engine.graph;
        let (first, second) = (graph.event(leading), graph.event(added));
        if first.label != second.label {
            self.distinguish(second.id.thread());
            return;
        }
        let is_alike = match second.label {
            Label::Read { rmw: Rmw::Merge { .. }, .. } | Label::Spawn { .. } | Label::Alloc { .. } => false,
            Label::Read { .. } => has_same_source(graph, leading, added),
            Label::Write { .. } if graph.is_own_share(second.loc) => true,
            Label::Write { exclusive, .. } => !Q::TRACKS_CO && !exclusive,
            Label::Begin | Label::End | Label::Fence { .. } | Label::Join { .. } | Label::Free { .. } => true,
        };
        if is_alike {
            self.engine.host.graph.set_alike(added);
        }
    }

    /// The children of the creator of `thread` are not interchangeable after all.
    fn distinguish(&mut self, thread: ThreadId) {
        let parent =
            self.engine.graph.spawn_of(thread).map(|spawn| self.engine.graph.event(spawn).id.thread());
        let parent = self.engine.run.key(parent.unwrap_or(ThreadId::MAIN));
        mark!("trust: twins are distinct");
        self.engine.learn(Lesson::Distinct(parent));
    }

    /// A thread that joins twins must join all of them, in one go, and must be their creator. Otherwise it knows which of
    /// them has ended.
    fn watch_join(&mut self, join: Slot) {
        if !self.has_twins {
            return;
        }
        let joiner = self.engine.graph.event(join).id.thread();
        if !matches!(self.engine.run.pending(joiner), Step::Do(Label::Join { .. })) {
            self.check_joins(joiner);
        }
    }

    /// At the end of an execution: the same for joins that wait, or that the observer does not look at. Returns whether
    /// twins turn out to be distinct.
    pub(super) fn are_twins_distinct(&mut self) -> bool {
        for index in 0..self.engine.threads.len() {
            let thread = self.engine.threads[index];
            if self.engine.graph.exists(thread)
                && matches!(self.engine.run.pending(thread), Step::Do(Label::Join { .. }))
                && self.check_joins(thread)
            {
                return true;
            }
        }
        false
    }

    /// Checks what `joiner` has joined last and joins next. Returns whether twins turn out to be distinct.
    fn check_joins(&mut self, joiner: ThreadId) -> bool {
        let graph = &self.engine.graph;
        let child = |slot: &Slot| match graph.event(*slot).label {
            Label::Join { child } => Some(child),
            _ => None,
        };
        let mut joined = self.engine.run.joins_ahead(joiner);
        joined.extend(graph.thread(joiner).iter().rev().map_while(child));
        let is_foreign = |&child: &ThreadId| {
            let creator = graph.spawn_of(child).map(|spawn| graph.event(spawn).id.thread());
            creator.is_some_and(|creator| creator != joiner)
        };
        let is_odd = |child: &&ThreadId| {
            let mut siblings = self.siblings_alike(**child);
            siblings.any(|other| is_foreign(child) || !joined.contains(&other))
        };
        let odd = joined.iter().find(is_odd).copied();
        if let Some(child) = odd {
            self.distinguish(child);
        }
        odd.is_some()
    }

    /// The twin that leads `child` and the one that follows it.
    fn siblings_alike(&self, child: ThreadId) -> impl Iterator<Item = ThreadId> + use<R, M, Q> {
        let graph = &self.engine.graph;
        let after = graph.spawn_of(child).and_then(|spawn| {
            let id = graph.event(spawn).id;
            let &next = graph.thread(id.thread()).get(id.index() + 1)?;
            match graph.event(next).label {
                Label::Spawn { child, .. } => Some(child),
                _ => None,
            }
        });
        let after = after.filter(|&after| self.twin_of(after) == Some(child));
        [self.twin_of(child), after].into_iter().flatten()
    }

    /// The thread that moves when it is the turn of `thread`: the first of its twins that has come as far and no
    /// further.
    pub(super) fn leader(&mut self, thread: ThreadId, label: Label) -> (ThreadId, Label) {
        let mut first = thread;
        while let Some(twin) = self.awaited_twin(first) {
            first = twin;
        }
        if first != thread && self.engine.run.pending(first) != Step::Do(label) {
            self.distinguish(thread);
            return (thread, label);
        }
        (first, label)
    }

    /// The twin of `thread`, if both have done the same so far.
    fn awaited_twin(&self, thread: ThreadId) -> Option<ThreadId> {
        let graph = &self.engine.graph;
        graph.last_of(thread).filter(|&last| graph.event(last).is_alike)?;
        self.twin_of(thread).filter(|&twin| graph.thread(twin).len() == graph.thread(thread).len())
    }

    /// Whether a read of `loc` must not read from `source` because its counterpart `leading` reads from a later write, or
    /// because the counterpart has updated the source.
    pub(super) fn is_behind(&self, leading: Option<Slot>, loc: LocId, source: Slot) -> bool {
        let graph = &self.engine.graph;
        let Some(leading) = leading.map(|slot| graph.event(slot)).filter(|event| event.loc == loc) else {
            return false;
        };
        if !leading.is_read() || leading.label.is_merge() {
            return false;
        }
        if source == leading.rf { leading.exclusive } else { self.precedes(source, leading.rf) }
    }

    /// Whether one write of a location comes before another one, in a way that no further event changes.
    fn precedes(&self, first: Slot, second: Slot) -> bool {
        let graph = &self.engine.graph;
        if second.is_init() || first.is_init() {
            return !second.is_init();
        }
        if Q::TRACKS_CO && M::CO_FOLLOWS_PORF {
            return graph.co_position(first) < graph.co_position(second);
        }
        clock::contains(self.engine.model.hb(graph, second), graph.event(first).id)
            || updated(graph, second).any(|write| write == first)
    }

    /// The place in the coherence order after which a write of `pending` must come because its counterpart is there, or
    /// because the counterpart of the read that it revisits reads from there.
    pub(super) fn floor_of_twins(&self, thread: ThreadId, loc: LocId, revisited: Option<EventId>) -> usize {
        if !self.has_twins {
            return 0;
        }
        let graph = &self.engine.graph;
        let own = self.counterpart_of_next(thread).map(|slot| (slot, graph.event(slot)));
        let own = own.filter(|(_, event)| event.is_write() && event.loc == loc);
        let own = own.map_or(0, |(slot, _)| graph.co_position(slot));
        let read = revisited.filter(|_| M::CO_FOLLOWS_PORF);
        let read =
            read.and_then(|read| self.counterpart_of(graph.slot_of(read))).map(|slot| graph.event(slot));
        let read = read.filter(|event| event.is_read() && event.loc == loc && !event.label.is_merge());
        own.max(read.map_or(0, |event| graph.co_position(event.rf)))
    }

    /// Extends the prefix of the next event of `thread` by what the twins in it depend on.
    pub(super) fn close(&self, prefix: &mut [u32], thread: ThreadId) {
        let graph = &self.engine.graph;
        let mut has_grown = true;
        while std::mem::take(&mut has_grown) {
            for &follower in self.engine.threads.iter().rev() {
                let n_inside = prefix[follower.index()] as usize + usize::from(follower == thread);
                if n_inside == 0 {
                    continue;
                }
                let Some(twin) = self.twin_of(follower) else { continue };
                let events = graph.thread(twin);
                let mut n_needed = n_inside.min(graph.n_alike(follower) + 1).min(events.len());
                let last = graph.event(events[n_needed - 1]);
                if last.exclusive && last.is_read() && n_needed < events.len() {
                    n_needed += 1;
                }
                if (prefix[twin.index()] as usize) < n_needed {
                    clock::join(prefix, graph.porf(events[n_needed - 1]));
                    has_grown = true;
                }
            }
        }
    }
}

/// Whether two corresponding reads of twins read from the same write, or from corresponding ones of their own.
fn has_same_source(graph: &Graph, leading: Slot, added: Slot) -> bool {
    let own = |read: Slot| {
        let event = graph.event(read);
        let source = (!event.rf.is_init()).then(|| graph.event(event.rf).id);
        source.filter(|source| source.thread() == event.id.thread()).map(EventId::index)
    };
    match (own(leading), own(added)) {
        (None, None) => graph.event(leading).rf == graph.event(added).rf,
        (first, second) => first == second,
    }
}

/// The writes that the read-modify-write at `write` updates, directly or through others, the latest first.
fn updated(graph: &Graph, write: Slot) -> impl Iterator<Item = Slot> + '_ {
    let before = |&write: &Slot| {
        let is_update = !write.is_init() && graph.event(write).exclusive;
        let read = if is_update { graph.po_before(write) } else { None };
        read.map(|read| graph.event(read).rf)
    };
    std::iter::successors(before(&write), before)
}
