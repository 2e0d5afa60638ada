//! Counters: read-modify-writes that commute and whose results no thread uses have no order.
//!
//! A thread that does not use the result of an addition cannot tell what it was added to. If other accesses to the location
//! happen before all such updates or after them, no thread can tell in which order they come, and TruSt visits one execution
//! instead of one for each order. Each thread updates a share of the location that is its own ([`Graph::share`]), so the
//! search is one of another program; [ALGORITHMS §L.4] says why that program shows the same.
//!
//! The search assumes this of every location, and watches: if an access is unordered with an update, it starts over with
//! the updates of the location in order. If updates synchronise, so that their order matters to what comes after them, it
//! starts over and watches that nothing there depends on it. It also does so, with all updates in order, to report a violation.

use super::{TrustRules, TrustWorker};
use crate::Ending;
use crate::learned::Lesson;
use crate::progress::Closing;
use crate::unfreed::{self, Overwriting};
use atropos_event::{
    AnswerUse, FenceOrder, Initial, Label, ReadOrder, Rmw, RmwOp, Run, ThreadId, WriteOrder, mark,
};
use atropos_graph::{Clock, Graph, LocId, Slot};
use atropos_model::{Counting, MemoryModel};

/// If the order of the updates of so many locations matters, it is assumed to matter everywhere.
const MOST_OBSERVED: usize = 16;

impl<R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'_, R, M, Q> {
    /// The location of the next access of `thread`, which is to `loc`: the thread's share if this is an update that needs
    /// no order. `None` if the search starts over because of it.
    pub(super) fn counted(&mut self, thread: ThreadId, label: Label, loc: LocId) -> Option<LocId> {
        if !self.engine.config.rmws || M::COUNTING == Counting::Never || self.engine.lessons.counts_nothing {
            return Some(loc);
        }
        let answer = self.use_of_count(thread, label, loc);
        if answer != AnswerUse::Any {
            if !self.counters.contains(&loc) {
                self.counters.push(loc);
            }
            if !self.may_count(thread, label, loc) {
                return self.observe(loc);
            }
            if answer != AnswerUse::Nothing && !self.engine.references.contains(&loc) {
                self.engine.references.push(loc);
            }
            if self.engine.references.contains(&loc) && !self.keeps_count(thread, label, answer, loc) {
                return self.observe(loc);
            }
            if !self.is_synchronised(loc) && !self.is_unsynchronised(thread, label, loc) {
                return self.synchronise(loc);
            }
            if answer == AnswerUse::IsOne && !self.gives_up(thread, label, loc) {
                return None;
            }
            let is_free = last_updates(&self.engine.graph, loc).any(|update| !self.is_past(thread, update));
            self.engine.stats.counted += u64::from(is_free);
            return Some(self.engine.host.graph.share(loc, thread));
        }
        let is_second_half = matches!(label, Label::Write { exclusive: true, .. });
        if self.counters.is_empty() || is_second_half {
            return Some(loc);
        }
        if !last_updates(&self.engine.graph, loc).all(|update| self.is_past(thread, update)) {
            return self.observe(loc);
        }
        let is_write = !matches!(label, Label::Read { rmw: Rmw::None, .. });
        if is_write && self.engine.references.contains(&loc) && self.engine.graph.shares(loc).next().is_some()
        {
            return self.observe(loc);
        }
        if self.looks_beside_count(thread, label, loc) {
            return self.synchronise(loc);
        }
        match self.met_by(thread, label, loc) {
            Some(counter) => self.observe(counter),
            None => Some(loc),
        }
    }

    /// Whether the counts of `loc` may synchronise, so that what comes after them must not depend on their order.
    fn is_synchronised(&self, loc: LocId) -> bool {
        match M::COUNTING {
            Counting::Never | Counting::Always => false,
            Counting::Synchronised => true,
            Counting::ByOrder => {
                self.engine.lessons.synchronised.contains(&self.engine.graph.location(loc).access)
            }
        }
    }

    /// If this is an update with an operation that commutes with itself, of a location that is not known to be observed: what
    /// its thread does with the result.
    fn use_of_count(&self, thread: ThreadId, label: Label, loc: LocId) -> AnswerUse {
        let Label::Read { access, rmw: Rmw::Fetch { op, .. }, .. } = label else { return AnswerUse::Any };
        let may_count = kind_of(op).is_some()
            && access.is_whole()
            && !self.engine.program.has_cells()
            && !self.engine.lessons.observed.contains(&self.engine.graph.location(loc).access);
        match () {
            () if !may_count => AnswerUse::Any,
            () if self.engine.run.ignores_answer(thread, self.engine.run.position(thread)) => {
                AnswerUse::Nothing
            }
            () => self.use_of_reference(thread, label),
        }
    }

    /// Whether the event at `slot` happens before the next one of `thread`.
    pub(super) fn is_past(&self, thread: ThreadId, slot: Slot) -> bool {
        let graph = &self.engine.graph;
        graph.last_of(thread).is_some_and(|last| graph.is_in(self.engine.model.hb(graph, last), slot))
    }

    /// Whether the other accesses to the counter `loc` in the graph happen before an update by `thread`, and the updates
    /// commute with it.
    fn may_count(&self, thread: ThreadId, label: Label, loc: LocId) -> bool {
        let graph = &self.engine.graph;
        let location = graph.location(loc);
        let past = graph.last_of(thread).map(|last| self.engine.model.hb(graph, last));
        let all_past = |list: &[Slot]| {
            let n_known = past.map_or(0, |past| graph.n_known(list, past));
            list[n_known..].iter().all(|&slot| past.is_some_and(|past| graph.is_in(past, slot)))
        };
        let is_written = location.co.len() > 1 || location.initial != Initial::Uninitialised;
        is_written
            && all_past(&location.co[1..])
            && all_past(&location.reads)
            && graph.shares(loc).all(|share| is_same_kind(graph, share, label))
    }

    /// Whether no update of another thread synchronises with the next event of `thread`, an update of `loc`, or the other
    /// way round, and nothing here is sequentially consistent.
    fn is_unsynchronised(&self, thread: ThreadId, label: Label, loc: LocId) -> bool {
        if M::COUNTING != Counting::ByOrder {
            return true;
        }
        let graph = &self.engine.graph;
        let is_own_sc = |&&slot: &&Slot| {
            let event = graph.event(slot);
            event.id.thread() == thread && is_sc(&event.label)
        };
        let location = graph.location(loc);
        let has_own_sc = location.reads.iter().chain(&location.co[1..]).find(is_own_sc).is_some();
        let (acquires, releases) = orders(label);
        let releases = releases || !graph.release_fences(thread).is_empty();
        let mut others = graph.shares(loc).filter(|&share| owner_of(graph, share) != thread);
        let is_met = |share: LocId| {
            acquires && share_releases(graph, share) || releases && share_acquires(graph, share)
        };
        !is_sc(&label)
            && !has_own_sc
            && !self.has_sc_fence()
            && !((acquires || releases) && others.any(is_met))
    }

    fn has_sc_fence(&self) -> bool {
        let graph = &self.engine.graph;
        let threads = (0..graph.n_threads()).map(ThreadId::new);
        let is_sc =
            |&fence: &Slot| matches!(graph.event(fence).label, Label::Fence { order: FenceOrder::SeqCst });
        self.has_met_sc_fence && threads.flat_map(|thread| graph.release_fences(thread)).any(is_sc)
    }

    /// Whether `thread` both counts on `loc` and has this sequentially consistent access to it, where that matters.
    fn looks_beside_count(&self, thread: ThreadId, label: Label, loc: LocId) -> bool {
        let graph = &self.engine.graph;
        M::COUNTING == Counting::ByOrder
            && is_sc(&label)
            && !self.is_synchronised(loc)
            && last_updates(graph, loc).any(|update| graph.event(update).id.thread() == thread)
    }

    /// A counter on which counts may synchronise, if the next access of `thread`, to `loc`, conflicts with another one, is
    /// not ordered with it, and one of the two comes after such a count.
    fn met_by(&self, thread: ThreadId, label: Label, loc: LocId) -> Option<LocId> {
        let graph = &self.engine.graph;
        let synchronised = || self.counters.iter().copied().filter(|&loc| self.is_synchronised(loc));
        synchronised().next()?;
        let past = graph.last_of(thread).map(|last| self.engine.model.hb(graph, last))?;
        let follows = |past: &Clock| {
            let counted =
                |loc: LocId| graph.shares(loc).any(|share| graph.is_in(past, graph.location(share).reads[0]));
            synchronised().find(|&loc| counted(loc))
        };
        let location = graph.location(loc);
        let unordered = |list: &'_ [Slot]| -> Vec<Slot> {
            let rest = &list[graph.n_known(list, past)..];
            rest.iter().copied().filter(|&slot| !graph.is_in(past, slot)).collect()
        };
        let mut others = unordered(&location.co);
        if !matches!(label, Label::Read { rmw: Rmw::None, .. }) {
            others.extend(unordered(&location.reads));
        }
        if others.is_empty() {
            return None;
        }
        follows(past).or_else(|| others.iter().find_map(|&other| follows(self.engine.model.hb(graph, other))))
    }

    /// A fence was added.
    pub(super) fn watch_fence(&mut self, order: FenceOrder) {
        if M::COUNTING != Counting::ByOrder || !order.is_acquire() {
            return;
        }
        self.has_met_sc_fence |= order == FenceOrder::SeqCst;
        let graph = &self.engine.graph;
        let thread = graph.event(graph.last_slot().expect("the fence")).id.thread();
        let is_own = |share: LocId| owner_of(graph, share) == thread;
        let met = self.counters.iter().copied().find(|&loc| {
            let mut shares = graph.shares(loc);
            !self.is_synchronised(loc)
                && match order {
                    FenceOrder::SeqCst => shares.next().is_some(),
                    _ => {
                        shares.any(is_own)
                            && graph.shares(loc).any(|share| !is_own(share) && share_releases(graph, share))
                    }
                }
        });
        if let Some(loc) = met {
            self.synchronise(loc);
        }
    }

    /// Counts on `loc` may synchronise: the search starts over and watches what comes after them.
    fn synchronise(&mut self, loc: LocId) -> Option<LocId> {
        mark!("counts: counts synchronise");
        let access = self.engine.graph.location(loc).access;
        self.engine.learn(Lesson::Synchronised(access));
        None
    }

    /// The order of the updates of `loc` matters: the search starts over.
    pub(super) fn observe(&mut self, loc: LocId) -> Option<LocId> {
        mark!("counts: a counter is observed");
        let access = self.engine.graph.location(loc).access;
        let is_last = self.engine.lessons.observed.len() >= MOST_OBSERVED;
        self.engine.learn(if is_last { Lesson::CountsNothing } else { Lesson::Observed(access) });
        None
    }

    /// Whether the execution, which is over, may leak memory. Then the search starts over with everything in order.
    pub(super) fn leaks_with_counters(&mut self, closing: Closing) -> bool {
        let graph = &self.engine.graph;
        if closing.ending != Ending::Complete
            || !self.engine.program.has_heap()
            || !self.engine.leaves_order_open()
        {
            return false;
        }
        let overwriting = match () {
            () if Q::TRACKS_CO => Overwriting::Coherence,
            // Sections that have an order may tell which write is the last.
            () if graph.has_sections() => Overwriting::HappensBeforeInAnyOrder,
            () => Overwriting::HappensBefore,
        };
        let is_leak =
            !unfreed::leaked(graph, overwriting, |addr| self.engine.program.is_global(addr)).is_empty();
        if is_leak {
            self.engine.put_in_order();
        }
        is_leak
    }
}

/// Operations of one kind commute, and whether they change the value does not depend on it.
fn kind_of(op: RmwOp) -> Option<RmwOp> {
    match op {
        RmwOp::Add | RmwOp::Sub => Some(RmwOp::Add),
        RmwOp::Xor => Some(RmwOp::Xor),
        _ => None,
    }
}

fn op_of(label: Label) -> Option<RmwOp> {
    match label {
        Label::Read { rmw: Rmw::Fetch { op, .. }, .. } => kind_of(op),
        _ => None,
    }
}

/// Whether the updates in a share commute with another one.
fn is_same_kind(graph: &Graph, share: LocId, label: Label) -> bool {
    let first = graph.location(share).reads.first();
    first.is_none_or(|&update| op_of(graph.event(update).label) == op_of(label))
}

/// Whether an update acquires by its own order, and whether it releases.
fn orders(label: Label) -> (bool, bool) {
    match label {
        Label::Read { order, rmw: Rmw::Fetch { write_order, .. }, .. } => {
            (order.is_acquire(), write_order.is_release())
        }
        _ => (false, false),
    }
}

/// The thread whose share this is; there are updates in it.
pub(super) fn owner_of(graph: &Graph, share: LocId) -> ThreadId {
    graph.event(graph.location(share).reads[0]).id.thread()
}

/// The last updates in the shares of `loc`.
fn last_updates(graph: &Graph, loc: LocId) -> impl Iterator<Item = Slot> + '_ {
    graph.shares(loc).filter_map(|share| updates(graph, share).next_back())
}

/// The updates in a share. The last owner of a reference reads it besides.
pub(super) fn updates(graph: &Graph, share: LocId) -> impl DoubleEndedIterator<Item = Slot> + '_ {
    graph.location(share).reads.iter().copied().filter(|&read| is_update(graph, read))
}

pub(super) fn is_update(graph: &Graph, read: Slot) -> bool {
    matches!(graph.event(read).label, Label::Read { rmw: Rmw::Fetch { .. }, .. })
}

/// Whether updates in the share may synchronise with later reads, also because of a fence before them.
fn share_releases(graph: &Graph, share: LocId) -> bool {
    let last = updates(graph, share).next_back().map(|update| graph.event(update).id);
    let fence = graph.release_fences(owner_of(graph, share)).first().map(|&fence| graph.event(fence).id);
    fence.is_some() && fence < last || updates(graph, share).any(|update| orders(graph.event(update).label).1)
}

/// Whether earlier writes may synchronise with updates in the share, also because of a fence after them.
fn share_acquires(graph: &Graph, share: LocId) -> bool {
    let is_acquire =
        |&slot: &Slot| matches!(graph.event(slot).label, Label::Fence { order } if order.is_acquire());
    let first = graph.event(graph.location(share).reads[0]).id;
    updates(graph, share).any(|update| orders(graph.event(update).label).0)
        || graph.thread(first.thread())[first.index()..].iter().any(is_acquire)
}

fn is_sc(label: &Label) -> bool {
    match label {
        Label::Read { order, .. } => *order == ReadOrder::SeqCst,
        Label::Write { order, .. } => *order == WriteOrder::SeqCst,
        _ => false,
    }
}
