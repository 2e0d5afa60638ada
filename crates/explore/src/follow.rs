//! Follows one given execution, instead of exploring all: every event gets the source and the place that the execution
//! says.
//!
//! The program must do what the execution says, and the model must allow it; the first difference is a refusal.
//! Otherwise the execution is judged like any other: see [`crate::engine`]. Events are added thread by thread, as far
//! as their sources are present. Models are closed under prefixes, so any such order will do.
//!
//! A run may split its accesses differently from the run that made the execution, because that one had learned which
//! accesses overlap. So accesses that differ and overlap first become a lesson for the program: see
//! [`atropos_event::Run::split`].

use crate::driver::{Strategy, Worker};
use crate::engine::Engine;
use crate::host::Host;
use crate::pool::Pool;
use crate::rules::Rules;
use atropos_event::{
    Access, EventId, Label, Place, Refusal, RefusalReason, ReplayDifference, Rmw, Run, Step, ThreadId,
    ThreadKey,
};
use atropos_graph::{Canonical, CanonicalEvent, LocId, Slot};
use atropos_model::MemoryModel;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Follows an execution under a model.
pub struct Follow<'e, M, Q> {
    model: M,
    execution: &'e Canonical,
    /// How often the program has learned from the execution.
    n_lessons: AtomicUsize,
    rules: PhantomData<fn() -> Q>,
}

impl<'e, M, Q> Follow<'e, M, Q> {
    pub fn new(model: M, execution: &'e Canonical) -> Self {
        Follow { model, execution, n_lessons: AtomicUsize::new(0), rules: PhantomData }
    }
}

impl<R: Run, M: MemoryModel + Clone + Sync, Q: Rules<M>> Strategy<R> for Follow<'_, M, Q> {
    const NAME: &'static str = "replay";

    type Part = ();
    type Worker<'a>
        = FollowWorker<'a, R, M, Q>
    where
        Self: 'a,
        R: 'a;

    fn start<'a>(&'a self, host: Host<'a, R>, _: Option<&'a Pool<()>>) -> FollowWorker<'a, R, M, Q> {
        let threads = &self.execution.threads;
        let mut local = vec![None; threads.len()];
        for (local, _) in local.iter_mut().zip(threads).filter(|(_, thread)| thread.key == ThreadKey::MAIN) {
            *local = Some(ThreadId::MAIN);
        }
        FollowWorker {
            engine: Engine::new(host, self.model.clone()),
            execution: self.execution,
            n_lessons: &self.n_lessons,
            local,
            n_added: vec![0; threads.len()],
        }
    }
}

pub struct FollowWorker<'a, R: Run, M, Q> {
    engine: Engine<'a, R, M, Q>,
    execution: &'a Canonical,
    n_lessons: &'a AtomicUsize,
    /// By thread of the execution: the run's number for it, and how many of its events are in the graph.
    local: Vec<Option<ThreadId>>,
    n_added: Vec<usize>,
}

impl<'a, R: Run, M: MemoryModel, Q: Rules<M>> Worker<'a, R> for FollowWorker<'a, R, M, Q> {
    type Part = ();

    fn explore(&mut self, (): ()) {
        self.engine.watch(ThreadId::MAIN);
        if let Err((event, difference)) = self.follow()
            && !self.engine.is_stopped
        {
            let key = self.execution.threads[event.thread().index()].key;
            let place = self.local[event.thread().index()].map(|thread| self.place_of(thread));
            let reason = RefusalReason::OtherExecution { thread: key, index: event.index(), difference };
            self.engine.refuse(Refusal { reason, place, inner: None });
        }
    }

    fn host(&mut self) -> &mut Host<'a, R> {
        &mut self.engine.host
    }
}

/// An event of the execution, and how the program differs there.
type Stray = (EventId, ReplayDifference);

impl<R: Run, M: MemoryModel, Q: Rules<M>> FollowWorker<'_, R, M, Q> {
    fn follow(&mut self) -> Result<(), Stray> {
        let mut has_moved = true;
        while std::mem::take(&mut has_moved) {
            for thread in (0..self.n_added.len()).map(ThreadId::new) {
                while let Some((id, event)) = self.next_of(thread).filter(|next| self.is_ready(next)) {
                    self.add(id, event).map_err(|difference| (id, difference))?;
                    if self.engine.is_stopped {
                        return Ok(());
                    }
                    self.n_added[thread.index()] += 1;
                    has_moved = true;
                }
            }
        }
        match (0..self.n_added.len()).find_map(|thread| self.next_of(ThreadId::new(thread))) {
            Some((id, _)) if self.local[id.thread().index()].is_none() => Err((id, ReplayDifference::Absent)),
            Some((id, _)) => Err((id, ReplayDifference::Cycle)),
            None => self.end(),
        }
    }

    /// The next event of a thread of the execution that exists.
    fn next_of(&self, thread: ThreadId) -> Option<(EventId, CanonicalEvent)> {
        let index = self.n_added[thread.index()];
        let event = self.execution.threads[thread.index()].events.get(index)?;
        Some((EventId::new(thread, index), *event))
    }

    fn is_added(&self, event: EventId) -> bool {
        event.index() < self.n_added[event.thread().index()]
    }

    /// Whether the event's thread and its source are present.
    fn is_ready(&self, (id, event): &(EventId, CanonicalEvent)) -> bool {
        let is_known = |thread: ThreadId| self.local[thread.index()].is_some();
        match event.label {
            _ if !is_known(id.thread()) => false,
            Label::Read { .. } => event.source.is_none_or(|source| self.is_added(source)),
            Label::Join { child } => {
                is_known(child)
                    && self.n_added[child.index()] == self.execution.threads[child.index()].events.len()
            }
            Label::Begin
            | Label::End
            | Label::Write { .. }
            | Label::Fence { .. }
            | Label::Spawn { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => true,
        }
    }

    /// The event of the graph for one of the execution that was added.
    fn slot(&self, event: EventId) -> Option<Slot> {
        let thread = self.local[event.thread().index()].filter(|_| self.is_added(event))?;
        Some(self.engine.graph.slot_of(EventId::new(thread, event.index())))
    }

    fn add(&mut self, id: EventId, event: CanonicalEvent) -> Result<(), ReplayDifference> {
        let thread = self.local[id.thread().index()].ok_or(ReplayDifference::Absent)?;
        let label = self.pending(thread).ok_or(ReplayDifference::Absent)?;
        if !self.is_same(event.label, label) {
            self.teach(event.label, label);
            return Err(match (event.label, label) {
                (Label::Write { .. }, Label::Read { rmw: Rmw::Merge { .. }, .. }) => ReplayDifference::Part,
                _ => ReplayDifference::Does(label),
            });
        }
        let is_allowed = match label {
            Label::Read { access, .. } => self.add_read(thread, label, access, event)?,
            Label::Write { access, exclusive, .. } => {
                let Some(loc) = self.engine.locate(thread, access) else { return Ok(()) };
                let place = self.place(id, loc)?;
                let write = self.engine.add_write(thread, label, loc, place);
                let is_allowed = self.engine.is_consistent(write);
                if is_allowed && !exclusive {
                    self.engine.answer(thread, 0);
                }
                if is_allowed {
                    self.engine.check_access(write);
                }
                is_allowed
            }
            Label::Join { child } if !self.engine.graph.has_ended(child) => {
                return Err(ReplayDifference::Absent);
            }
            Label::Begin
            | Label::End
            | Label::Fence { .. }
            | Label::Spawn { .. }
            | Label::Join { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => self.engine.add_sole(thread, label),
        };
        if let (Label::Spawn { child, .. }, Label::Spawn { child: local, .. }) = (event.label, label) {
            self.local[child.index()] = Some(local);
        }
        if is_allowed { Ok(()) } else { Err(ReplayDifference::Forbidden) }
    }

    /// What `thread` does next: the write of a read-modify-write, or its pending label.
    fn pending(&mut self, thread: ThreadId) -> Option<Label> {
        if let Some(read) = self.half_done(thread) {
            return Some(self.engine.completion(read).1);
        }
        match self.engine.run.pending(thread) {
            Step::Do(label) => Some(label),
            Step::Finished | Step::Blocked(_) | Step::Failed | Step::Unsupported => None,
        }
    }

    /// Where `thread` is in the source.
    fn place_of(&mut self, thread: ThreadId) -> Place {
        match self.half_done(thread) {
            Some(read) => {
                let position = self.engine.graph.event(read).before;
                self.engine.run.place_at(thread, position)
            }
            None => self.engine.run.place(thread),
        }
    }

    /// The read of a read-modify-write of `thread` whose write comes next.
    fn half_done(&self, thread: ThreadId) -> Option<Slot> {
        self.engine.graph.last_of(thread).filter(|&last| {
            let event = self.engine.graph.event(last);
            event.exclusive && event.is_read()
        })
    }

    /// Whether the run's label is that of the execution. Threads are compared by their names.
    fn is_same(&self, expected: Label, label: Label) -> bool {
        let is_named = |thread: ThreadId, local: ThreadId| {
            self.execution.threads[thread.index()].key == self.engine.run.key(local)
        };
        match (expected, label) {
            (Label::Spawn { child, drains }, Label::Spawn { child: local, drains: again }) => {
                drains == again && is_named(child, local)
            }
            (Label::Join { child }, Label::Join { child: local }) => is_named(child, local),
            _ => expected == label,
        }
    }

    /// If the accesses differ and overlap, the program learns that, and starts over.
    fn teach(&mut self, expected: Label, label: Label) {
        let (Some(expected), Some(access)) = (expected.access(), label.access()) else { return };
        // Two lessons are enough for two accesses: see the program's own rules.
        let most = 2 * self.execution.n_events();
        let whole = |access: Access| [access.cell(), access.part()];
        let [pairs, others] = [whole(expected), whole(access)];
        let differs = |first: Access, second: Access| first != second && first.overlaps(second);
        let pair = pairs.into_iter().flat_map(|first| others.map(|second| (first, second)));
        let pair =
            pair.chain([(expected.cell(), expected.part())]).find(|&(first, second)| differs(first, second));
        if let Some((first, second)) = pair
            && self.n_lessons.fetch_add(1, Relaxed) < most
            && self.engine.run.split(first, second)
        {
            self.engine.start_over();
        }
    }

    /// Adds a read; returns whether the model allows it.
    fn add_read(
        &mut self,
        thread: ThreadId,
        label: Label,
        access: Access,
        event: CanonicalEvent,
    ) -> Result<bool, ReplayDifference> {
        let Some(loc) = self.engine.locate(thread, access) else { return Ok(true) };
        let source = event.source.map_or(Some(Slot::INIT), |source| self.slot(source));
        let is_source = |&source: &Slot| {
            source.is_init() || {
                let write = self.engine.graph.event(source);
                write.is_write() && write.loc == loc
            }
        };
        let source = source.filter(is_source).ok_or(ReplayDifference::Source)?;
        let value = self.engine.graph.value_of(loc, source);
        if value != event.value {
            return Err(ReplayDifference::Value { access, value });
        }
        let read = self.engine.add_read(thread, label, loc, source);
        let is_allowed = self.engine.is_consistent(read);
        if is_allowed {
            self.engine.answer_read(read);
        }
        Ok(is_allowed)
    }

    /// The place of a write in the coherence order of the present writes.
    fn place(&self, id: EventId, loc: LocId) -> Result<u32, ReplayDifference> {
        let location = self.engine.graph.location(loc);
        if !Q::TRACKS_CO {
            return Ok(location.co.len() as u32);
        }
        let listed = self.execution.co.iter().find(|(access, _)| *access == location.access);
        let (_, order) = listed.ok_or(ReplayDifference::Coherence)?;
        let position = order.iter().position(|&write| write == id).ok_or(ReplayDifference::Coherence)?;
        let earlier = order[..position].iter().filter_map(|&write| self.slot(write));
        let is_here = |slot: &Slot| self.engine.graph.event(*slot).loc == loc;
        Ok(earlier.filter(is_here).count() as u32 + 1)
    }

    /// Requires that the execution is over once all its events are present.
    fn end(&mut self) -> Result<(), Stray> {
        self.check_atomicity()?;
        for thread in (0..self.n_added.len()).map(ThreadId::new) {
            let Some(local) = self.local[thread.index()] else { continue };
            let able = self.pending(local).filter(|label| match label {
                Label::Join { child } => self.engine.graph.has_ended(*child),
                _ => true,
            });
            if let Some(label) = able {
                let last = self.n_added[thread.index()].saturating_sub(1);
                return Err((EventId::new(thread, last), ReplayDifference::GoesOn(label)));
            }
        }
        let closing = self.engine.closing();
        self.engine.finish(closing);
        Ok(())
    }

    /// Whether no write comes between a read-modify-write and its source. Searches never try that, so models do not
    /// forbid it.
    fn check_atomicity(&self) -> Result<(), Stray> {
        let graph = &self.engine.graph;
        for (id, _) in self.execution.events() {
            let Some(write) = self.slot(id).filter(|&slot| graph.event(slot).exclusive) else { continue };
            let event = graph.event(write);
            if !event.is_write() {
                continue;
            }
            let read = graph.po_before(write).map(|read| (read, graph.event(read).rf));
            let Some((read, source)) = read else { continue };
            let is_rival = |&other: &Slot| {
                other != read && graph.event(other).exclusive && graph.event(other).rf == source
            };
            let is_adjacent = !Q::TRACKS_CO || graph.co_position(write) == graph.co_position(source) + 1;
            if !is_adjacent || graph.location(event.loc).reads.iter().any(is_rival) {
                return Err((id, ReplayDifference::Forbidden));
            }
        }
        Ok(())
    }
}
