//! The search: `Visit`, `VisitRead` and `VisitWrite` [RCMC §4.1 to §4.3, Algorithms 1 to 3].
//!
//! The recursion is a stack of [`OpenAccess`]es, one per read and one per write. Each remembers the former set of
//! revisitable reads, and what its current alternative has removed.

use super::fingerprint::Seen;
use super::rebuild::Removed;
use super::revisit::{Antichains, taker};
use super::variant::Variant;
use crate::Ending;
use crate::driver::Worker;
use crate::engine::Engine;
use crate::host::Host;
use crate::journal::{self, journal};
use crate::withheld::Withheld;
use atropos_event::{Access, EventId, Label, Position, Run, ThreadId, mark};
use atropos_graph::{Graph, LocId, Slot, clock};
use atropos_model::{MemoryModel, Rc11, coherence};
use log::Level;

pub struct RcmcWorker<'a, R: Run, V> {
    pub(super) engine: Engine<'a, R, Rc11, V>,
    variant: V,
    /// Per event of the graph, whether it is a revisitable read (the paper's `T`); and the events that ceased to be.
    pub(super) revisitable: Vec<bool>,
    pub(super) fixed: Vec<Slot>,
    frames: Vec<OpenAccess>,
    seen: Seen,
}

/// An access whose alternatives are being tried.
struct OpenAccess {
    thread: ThreadId,
    label: Label,
    loc: LocId,
    /// The state before the access: the length of the graph, the height of the run's stack, the number of reads
    /// that have ceased to be revisitable, and the reports that were withheld.
    base: usize,
    mark: Position,
    n_fixed: usize,
    withheld: Vec<Withheld>,
    alternatives: Alternatives,
    /// What the current alternative has removed.
    removed: Option<Removed>,
}

enum Alternatives {
    /// A read: its sources, the default one first.
    Sources { sources: Vec<Slot>, next: usize },
    /// A write: its places in coherence, the default one first, and for each the sets of reads to revisit.
    Places { places: Vec<u32>, next: usize, antichains: Option<Antichains> },
}

impl<'a, R: Run, V: Variant> Worker<'a, R> for RcmcWorker<'a, R, V> {
    type Part = ();

    fn explore(&mut self, (): ()) {
        self.engine.watch(ThreadId::MAIN);
        if !self.engine.is_stopped {
            self.visit();
        }
    }

    fn host(&mut self) -> &mut Host<'a, R> {
        &mut self.engine.host
    }
}

impl<'a, R: Run, V: Variant> RcmcWorker<'a, R, V> {
    pub(super) fn new(engine: Engine<'a, R, Rc11, V>) -> Self {
        let (revisitable, fixed, frames) = (Vec::new(), Vec::new(), Vec::new());
        RcmcWorker { engine, variant: V::default(), revisitable, fixed, frames, seen: Seen::default() }
    }

    /// Algorithm 1, `Visit`.
    fn visit(&mut self) {
        loop {
            self.engine.validate();
            let extended = match self.next() {
                Some((thread, label)) => match label.access() {
                    Some(access) if label.is_read() => {
                        self.visit_read(thread, label, access);
                        false
                    }
                    Some(access) => {
                        self.visit_write(thread, label, access);
                        false
                    }
                    None => {
                        self.engine.add_sole(thread, label);
                        self.revisitable.push(false);
                        true
                    }
                },
                None => {
                    self.finish();
                    false
                }
            };
            if self.engine.is_stopped || (!extended && !self.advance()) {
                return;
            }
        }
    }

    /// The next event: the write of a pending read-modify-write, of two the permanent one [RCMC Def. 4.1]; otherwise
    /// that of the first thread that can move.
    fn next(&mut self) -> Option<(ThreadId, Label)> {
        let graph = &self.engine.graph;
        let pending = |&thread: &ThreadId| {
            let last = graph.last_of(thread)?;
            (graph.event(last).is_read() && graph.event(last).exclusive).then_some(last)
        };
        let pending = self.engine.threads.iter().filter_map(pending);
        match pending.min_by_key(|read| self.revisitable[read.index()]) {
            Some(read) => Some(self.engine.completion(read)),
            None => self.engine.next_event(),
        }
    }

    /// Algorithm 2, `VisitRead`: the sources of the read, the default one first.
    fn visit_read(&mut self, thread: ThreadId, label: Label, access: Access) {
        let Some(loc) = self.engine.locate(thread, access) else { return };
        self.seen.meet(label);
        let graph = &self.engine.graph;
        let last = graph.last_of(thread);
        let mut sources = Vec::new();
        let hb = last.map(|last| self.engine.model.hb(graph, last));
        self.variant.sources(graph, loc, hb, &mut sources);
        let is_prior =
            |write: Slot| write.is_init() || last.is_some_and(|last| graph.is_in(graph.porf(last), write));
        let Label::Read { rmw, .. } = label else { unreachable!("{label:?} is no read") };
        let is_exclusive = |source: Slot| rmw.writes_after(access, graph.value_of(loc, source));
        let prior = sources.iter().rev().copied().find(|&source| is_prior(source));
        let mut default = prior.expect("a write that comes before and is not overwritten");
        while is_exclusive(default)
            && let Some(read) = taker(graph, loc, default, |_| true)
        {
            let id = graph.event(read).id;
            default = graph.thread(id.thread())[id.index() + 1];
        }
        // Taken by a read-modify-write that cannot be revisited.
        let is_settled = |read: Slot| !self.revisitable[read.index()] || is_prior(read);
        sources.retain(|&source| {
            source != default && !(is_exclusive(source) && taker(graph, loc, source, is_settled).is_some())
        });
        sources.insert(0, default);
        self.open(thread, label, loc, Alternatives::Sources { sources, next: 0 });
    }

    /// Algorithm 3, `VisitWrite`: the places of the write, the last one first.
    fn visit_write(&mut self, thread: ThreadId, label: Label, access: Access) {
        let Some(loc) = self.engine.locate(thread, access) else { return };
        let Label::Write { exclusive, .. } = label else { unreachable!("{label:?} is no write") };
        let graph = &self.engine.graph;
        let n_writes = graph.location(loc).co.len() as u32;
        let places = match graph.last_of(thread) {
            _ if !V::TRACKS_CO => vec![n_writes],
            Some(read) if exclusive => vec![graph.co_position(graph.event(read).rf) as u32 + 1],
            _ => {
                let floor = coherence::floor_of_next(&self.engine.model, graph, thread, loc) as u32;
                let is_free = |place: &u32| {
                    let before = graph.location(loc).co[*place as usize - 1];
                    *place == n_writes || taker(graph, loc, before, |_| true).is_none()
                };
                (floor + 1..=n_writes).rev().filter(is_free).collect()
            }
        };
        self.open(thread, label, loc, Alternatives::Places { places, next: 0, antichains: None });
    }

    fn open(&mut self, thread: ThreadId, label: Label, loc: LocId, alternatives: Alternatives) {
        self.frames.push(OpenAccess {
            thread,
            label,
            loc,
            base: self.engine.graph.len(),
            mark: self.engine.run.mark(),
            n_fixed: self.fixed.len(),
            withheld: self.engine.withheld.clone(),
            alternatives,
            removed: None,
        });
    }

    /// Continues with the latest access that has an alternative left; `false` if there is none.
    fn advance(&mut self) -> bool {
        while let Some(frame) = self.frames.len().checked_sub(1) {
            self.undo(frame);
            match self.frames[frame].alternatives {
                Alternatives::Sources { ref sources, ref mut next } if *next < sources.len() => {
                    let (source, nth) = (sources[*next], *next);
                    *next += 1;
                    self.read(frame, source, nth == 0);
                    return !self.engine.is_stopped;
                }
                Alternatives::Places { ref places, next, .. } if next < places.len() => {
                    let (place, nth) = (places[next], next);
                    if self.write(frame, place, nth == 0) {
                        return !self.engine.is_stopped;
                    }
                }
                Alternatives::Sources { .. } | Alternatives::Places { .. } => {
                    self.frames.pop();
                }
            }
        }
        false
    }

    /// Restores the state of the frame.
    fn undo(&mut self, frame: usize) {
        let OpenAccess { base, mark, n_fixed, ref withheld, ref mut removed, .. } = self.frames[frame];
        self.engine.withheld.clone_from(withheld);
        if let Some(removed) = removed.take() {
            self.put_all_back(removed);
        }
        self.release(n_fixed);
        self.engine.cut_to(base);
        self.revisitable.truncate(base);
        self.engine.run.release(mark);
        self.engine.forget_order();
    }

    /// Makes the read of the frame read from `source`. Only the default source keeps it, and what it depends on,
    /// revisitable.
    fn read(&mut self, frame: usize, source: Slot, is_default: bool) {
        let OpenAccess { thread, label, loc, .. } = self.frames[frame];
        if journal::is_on(Level::Trace) {
            self.log_choice(frame, &format!("read from {}", self.engine.spell_slot(source)));
        }
        let read = self.engine.add_read(thread, label, loc, source);
        self.revisitable.push(is_default);
        if !is_default {
            // The prefix of the source is in the read's.
            self.fix(read);
        }
        self.engine.answer_read(read);
    }

    /// Places the write of the frame and makes the next set of reads read from it; `false` after the last set.
    fn write(&mut self, frame: usize, place: u32, is_default: bool) -> bool {
        let OpenAccess { thread, label, loc, .. } = self.frames[frame];
        let Label::Write { exclusive, .. } = label else { unreachable!("{label:?} is no write") };
        let write = self.engine.add_write(thread, label, loc, place);
        self.revisitable.push(false);
        if !is_default {
            self.fix(write);
            self.fix(self.engine.graph.location(loc).co[place as usize + 1]);
        }
        let graph = &self.engine.graph;
        let Alternatives::Places { next, antichains, .. } = &mut self.frames[frame].alternatives else {
            unreachable!("a write has places")
        };
        let has_set = match antichains {
            Some(antichains) => antichains.advance(),
            None => {
                let is_coherent = |read| !V::TRACKS_CO || can_read(&self.engine.model, graph, read, write);
                *antichains = Some(Antichains::new(graph, write, &self.revisitable, is_coherent));
                true
            }
        };
        if !has_set {
            (*next, *antichains) = (*next + 1, None);
            journal!(self.engine, Trace, "no other reads to revisit");
            return false;
        }
        let (all, chosen) = {
            let antichains = antichains.as_ref().expect("made above");
            (antichains.all(), antichains.chosen().collect::<Vec<_>>())
        };
        let write = graph.event(write).id;
        if journal::is_on(Level::Trace) {
            self.log_choice(frame, &format!("place {place}"));
        }
        if !all.is_empty() {
            self.engine.stats.revisits += 1;
            if journal::is_on(Level::Debug) {
                self.log_revisit(write, &all);
            }
            let removed = self.rebuild(&all, write);
            self.frames[frame].removed = Some(removed);
            let Engine { host, withheld, .. } = &mut self.engine;
            withheld.retain(|report| report.outlives(&host.graph, &all));
            for read in chosen {
                let read = self.engine.graph.slot_of(read);
                self.fix(read);
            }
        }
        match exclusive {
            true => self.engine.run_on(self.engine.graph.slot_of(write)),
            false => self.engine.answer(thread, 0),
        }
        self.go_on(write, &all);
        true
    }

    /// The threads of revisited reads continue with the new value.
    fn go_on(&mut self, write: EventId, reads: &[EventId]) {
        let slot = self.engine.graph.slot_of(write);
        self.engine.check_access(slot);
        for &read in reads {
            let slot = self.engine.graph.slot_of(read);
            self.engine.answer_read(slot);
        }
        self.engine.forget_order();
    }

    /// The alternative that is taken, if there are several.
    #[cold]
    fn log_choice(&self, frame: usize, chosen: &str) {
        let OpenAccess { thread, label, ref alternatives, .. } = self.frames[frame];
        let (nth, all) = match alternatives {
            Alternatives::Sources { sources, next } => (*next, sources.len()),
            Alternatives::Places { places, next, .. } => (next + 1, places.len()),
        };
        let what = self.engine.label(&label);
        if all > 1 {
            let key = self.engine.run.key(thread);
            self.engine.log(Level::Trace, format_args!("choose {nth} of {all} for {key} {what}: {chosen}"));
        }
    }

    /// The write `write`, the last event, is about to revisit `reads`.
    #[cold]
    fn log_revisit(&self, write: EventId, reads: &[EventId]) {
        let graph = &self.engine.graph;
        let depends = |slot: &Slot| {
            let id = graph.event(*slot).id;
            reads.iter().any(|&read| read != id && clock::contains(graph.porf(*slot), read))
        };
        let deleted = (0..graph.len()).map(Slot::new).filter(depends).map(|slot| graph.event(slot).id);
        let (reads, deleted) = (self.engine.spell_all(reads.iter().copied()), self.engine.spell_all(deleted));
        let write = self.engine.describe(graph.slot_of(write));
        self.engine.log(Level::Debug, format_args!("{write} revisits {reads}, deletes {deleted}"));
    }

    /// Takes `event` and what it depends on out of the revisitable reads.
    fn fix(&mut self, event: Slot) {
        let prefix = self.engine.graph.porf(event);
        for (index, flag) in self.revisitable.iter_mut().enumerate() {
            if *flag && clock::contains(prefix, self.engine.graph.event(Slot::new(index)).id) {
                *flag = false;
                self.fixed.push(Slot::new(index));
            }
        }
    }

    /// Undoes [`RcmcWorker::fix`] until that many events are fixed.
    pub(super) fn release(&mut self, n_fixed: usize) {
        for event in self.fixed.drain(n_fixed..) {
            if let Some(flag) = self.revisitable.get_mut(event.index()) {
                *flag = true;
            }
        }
    }

    /// Algorithm 1, the end of an execution. It counts if the `sc` axiom holds and it was not seen before.
    fn finish(&mut self) {
        if !self.variant.accepts(&self.engine.graph) {
            self.engine.stats.dead += 1;
            journal!(self.engine, Debug, "an execution does not count: the axiom sc forbids it");
            return;
        }
        let closing = self.engine.closing();
        if self.seen.is_repeated(&self.engine.graph, &self.engine.threads, V::TRACKS_CO) {
            mark!("rcmc: an execution seen before");
            journal!(self.engine, Debug, "an execution does not count: it was seen before");
            self.engine.stats.duplicates += u64::from(closing.ending == Ending::Complete);
            self.engine.look_up();
            return;
        }
        for withheld in std::mem::take(&mut self.engine.withheld) {
            let report = withheld.report(&self.engine.graph);
            self.engine.host.report(report);
            if self.engine.is_stopped {
                return;
            }
        }
        self.engine.finish(closing);
    }
}

/// Whether `read` would be coherent if it read from `write`: not if it happens after something `co`-later.
fn can_read(model: &Rc11, graph: &Graph, read: Slot, write: Slot) -> bool {
    let event = graph.event(read);
    graph.po_before(read).is_none_or(|before| {
        coherence::floor(graph, event.loc, model.hb(graph, before)) < graph.co_position(write)
    })
}
