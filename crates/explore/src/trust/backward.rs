//! Backward revisits: which earlier reads may read from a new write.
//!
//! Making an earlier read `r` read from a new write `a` deletes the events that were added after `r` and are not in
//! `a`'s `porf`-prefix. To do this exactly once for each resulting graph, it is done only if every deleted event was
//! *added maximally* [TruSt §3.4], that is, as if by a fixed policy.

use super::choice::{Choice, PendingAccess};
use super::{TrustRules, TrustWorker};
use atropos_event::{Label, Run, ThreadId, mark};
use atropos_graph::{Graph, LocId, Slot, clock};
use atropos_model::closure::write_of;
use atropos_model::{Kept, MemoryModel};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

impl<R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'_, R, M, Q> {
    /// Algorithm 1, lines 15 to 18: the reads that the next write of `pending.thread` may revisit. The write
    /// is not in the graph yet.
    ///
    /// Whether an event was added maximally does not depend on the revisited read, so one walk from the latest event
    /// down serves all reads and ends at the first event that was not.
    pub(super) fn push_revisits(&mut self, pending: &PendingAccess) {
        if !self.may_revisit(pending) {
            return;
        }
        let mut outside = std::mem::take(&mut self.outside);
        self.enclose(&mut outside, pending.thread);
        self.engine.stats.mirrored += self.n_kept_for_twins(pending, &outside) as u64;
        self.push_revisits_of(pending, &mut outside);
        self.outside = outside;
    }

    /// Whether a read of the location is not in the prefix of the write. Twins make the prefix larger, and count what is
    /// left out.
    fn may_revisit(&self, pending: &PendingAccess) -> bool {
        let graph = &self.engine.graph;
        let reads = &graph.location(pending.loc).reads;
        match graph.last_of(pending.thread) {
            Some(last) => {
                let prefix = graph.porf(last);
                let others = &reads[graph.n_enclosed(reads, prefix)..];
                others.iter().any(|&read| !clock::contains(prefix, graph.event(read).id))
            }
            None => !reads.is_empty(),
        }
    }

    /// Sets the prefix to that of the next event of `thread`.
    pub(super) fn enclose(&self, outside: &mut Outside, thread: ThreadId) {
        outside.enclose(&self.engine.graph, thread);
        if self.has_twins {
            self.close(&mut outside.prefix, thread);
        }
    }

    /// The reads of the location that are in the prefix because of twins: their revisits are left out.
    fn n_kept_for_twins(&self, pending: &PendingAccess, outside: &Outside) -> usize {
        let graph = &self.engine.graph;
        let Some(last) = graph.last_of(pending.thread).filter(|_| self.has_twins) else { return 0 };
        let reads = &graph.location(pending.loc).reads;
        let is_kept =
            |&&read: &&Slot| graph.is_in(&outside.prefix, read) && !graph.is_in(graph.porf(last), read);
        reads[graph.n_enclosed(reads, graph.porf(last))..].iter().filter(is_kept).count()
    }

    fn push_revisits_of(&mut self, pending: &PendingAccess, outside: &mut Outside) {
        let latest = self.latest_revisit(pending);
        // Reads are listed in order of addition; often all of them are in the prefix.
        let is_candidate = |&read: &Slot| {
            read <= latest && !clock::contains(&outside.prefix, self.engine.graph.event(read).id)
        };
        let reads = &self.engine.graph.location(pending.loc).reads;
        let n_enclosed = self.engine.graph.n_enclosed(reads, &outside.prefix);
        let Some(earliest) = reads[n_enclosed..].iter().copied().find(is_candidate) else { return };
        outside.start(&self.engine.graph);
        self.orders.locs.clear();
        while let Some(event) = outside.next(&self.engine.graph)
            && event >= earliest
        {
            if !self.is_deletable(event) {
                mark!("revisit refused: an earlier read reads what would be deleted");
                break;
            }
            if Q::TRACKS_CO && !self.is_co_maximal(event, outside) {
                mark!("revisit refused: coherence");
                break;
            }
            let prefix = &outside.prefix;
            if !Q::TRACKS_CO && (self.is_overwritten(event, prefix) || !self.note_contested(event, prefix)) {
                mark!("revisit refused: the event reads or writes what is overwritten");
                break;
            }
            let candidate = self.engine.graph.event(event);
            if candidate.loc == pending.loc
                && candidate.is_read()
                && event <= latest
                && !self.engine.is_settled(event)
            {
                let id = candidate.id;
                if Q::TRACKS_CO || self.is_maximal_up_to_rf(event, prefix) {
                    self.choices.push(Choice::Revisit(id));
                } else {
                    mark!("revisit refused: coherence up to rf");
                }
                // The walk may be long, and each test up to rf takes time. The way to a part needs all alternatives.
                if !self.engine.is_replaying {
                    self.engine.look_up();
                    if self.engine.is_stopped {
                        return;
                    }
                }
            }
        }
    }

    /// A read-modify-write whose source is taken by another one can only revisit the read of that one or an earlier
    /// one: revisiting a later read would leave the other in place, which violates atomicity.
    fn latest_revisit(&self, pending: &PendingAccess) -> Slot {
        let Label::Write { exclusive, .. } = pending.label else {
            unreachable!("{:?} revisits", pending.label)
        };
        let rival = exclusive
            .then(|| self.rival(pending.thread, pending.loc, self.source_of_own_read(pending.thread)));
        rival.flatten().unwrap_or(Slot::INIT)
    }

    /// Whether `slot` was there when `event` was added, or is in the prefix of the new write.
    fn is_previous(&self, slot: Slot, event: Slot, prefix: &[u32]) -> bool {
        slot.is_init() || slot <= event || clock::contains(prefix, self.engine.graph.event(slot).id)
    }

    /// The part of the maximality test without coherence: no previous read reads from the event.
    ///
    /// The event must also read from a previous write. It does: any other source comes after it and would be deleted
    /// too, and that source was visited before and refused, because this event reads from it. A read in the prefix has
    /// its source there, so only reads that were added before the event matter.
    fn is_deletable(&self, slot: Slot) -> bool {
        let event = self.engine.graph.event(slot);
        match event.label {
            Label::Write { .. } => {
                let reads = self.engine.graph.location(event.loc).reads.iter();
                let mut earlier = reads.take_while(|&&read| read < slot);
                let mut is_read = || earlier.any(|&read| self.engine.graph.event(read).rf == slot);
                debug_assert!(event.is_read_earlier || !is_read());
                !(event.is_read_earlier && is_read())
            }
            Label::Read { .. }
            | Label::Begin
            | Label::End
            | Label::Fence { .. }
            | Label::Spawn { .. }
            | Label::Join { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => true,
        }
    }

    /// `IsMaximallyAdded`, the coherence part: no previous write is `co`-after the event's own write or
    /// source.
    ///
    /// What is not previous to an event is not previous to an earlier one, so each write is looked at once in a walk.
    fn is_co_maximal(&self, slot: Slot, outside: &mut Outside) -> bool {
        let event = self.engine.graph.event(slot);
        if event.loc == LocId::NONE || self.engine.is_settled(slot) {
            return true;
        }
        let position =
            if event.is_read() { self.engine.graph.co_position(event.rf) } else { event.co as usize };
        let writes = &self.engine.graph.location(event.loc).co;
        let Outside { prefix, tops, walk, .. } = outside;
        let top = top_of(tops, *walk, event.loc, writes.len() - 1);
        while *top > position && !self.is_previous(writes[*top], slot, prefix) {
            *top -= 1;
        }
        *top <= position
    }

    /// Up to `rf`: whether the last write of the location is a previous one, and certainly `co`-after the event's own
    /// write or source. Then the event is not maximal, whatever the model computes.
    fn is_overwritten(&self, slot: Slot, prefix: &[u32]) -> bool {
        let graph = &self.engine.graph;
        let event = graph.event(slot);
        if event.loc == LocId::NONE || self.engine.is_settled(slot) {
            return false;
        }
        let own = write_of(graph, slot);
        let last = *graph.location(event.loc).co.last().expect("the initial write");
        last != own
            && self.is_previous(last, slot, prefix)
            && (own.is_init() || clock::contains(self.engine.model.hb(graph, last), graph.event(own).id))
    }

    /// Up to `rf`: if another previous write makes the coherence order of the event's location decide whether the
    /// event was added maximally, adds the location to the list of those that the model is asked about. Returns `false`
    /// if the event reads the initial value there, which is the first in every order.
    fn note_contested(&mut self, slot: Slot, prefix: &[u32]) -> bool {
        let graph = &self.engine.graph;
        let loc = graph.event(slot).loc;
        if loc == LocId::NONE || self.engine.is_settled(slot) {
            return true;
        }
        let own = write_of(graph, slot);
        if self.orders.lists(loc) && !own.is_init() {
            return true;
        }
        let is_contested = |&other: &Slot| other != own && self.is_previous(other, slot, prefix);
        if graph.location(loc).co[1..].iter().any(is_contested) {
            self.orders.list(loc);
            return !own.is_init();
        }
        true
    }

    /// The same up to `rf` [TruSt Algorithm 2]: coherence is what the model computes for the part that
    /// would stay, followed by the deleted writes in order of addition.
    fn is_maximal_up_to_rf(&mut self, start: Slot, prefix: &[u32]) -> bool {
        if self.orders.locs.is_empty() {
            return true;
        }
        let kept = Kept { start, prefix };
        self.orders.clear();
        Q::coherence(&mut self.engine.model, &self.engine.host.graph, &kept, &mut self.orders);
        self.orders.rank_writes(&self.engine.graph);
        (0..self.orders.locs.len()).all(|index| self.is_ranked_last(&kept, index))
    }

    /// Whether no previous write has a higher rank than the write of a deleted event of the `index`th contested location.
    fn is_ranked_last(&self, kept: &Kept<'_>, index: usize) -> bool {
        let graph = &self.engine.graph;
        let location = graph.location(self.orders.locs[index]);
        let ranks = self.orders.ranks(index);
        let ranked = || location.co.iter().zip(ranks).skip(1);
        let is_in_prefix = |write: Slot| clock::contains(kept.prefix, graph.event(write).id);
        let highest_in_prefix =
            ranked().filter(|&(&write, _)| is_in_prefix(write)).map(|(_, &rank)| rank).max().unwrap_or(0);
        // Reads and writes are listed in order of addition, so one pass meets the writes before each of them.
        [&location.reads[..], &location.co[1..]].into_iter().all(|slots| {
            debug_assert!(slots.is_sorted(), "in order of addition");
            let (mut earlier, mut highest) = (ranked().peekable(), highest_in_prefix);
            slots.iter().all(|&slot| {
                while let Some((_, &rank)) = earlier.next_if(|&(&write, _)| write <= slot) {
                    highest = highest.max(rank);
                }
                kept.contains(graph, slot)
                    || self.engine.is_settled(slot)
                    || highest <= ranks[graph.co_position(write_of(graph, slot))]
            })
        })
    }
}

/// The events outside of a prefix, the latest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Outside {
    pub(super) prefix: Vec<u32>,
    /// Where the walk is: it has passed the events from here on.
    end: usize,
    /// How many events of the prefix it has passed. Then it goes from thread to thread and leaves out the others.
    n_passed: usize,
    /// Per thread: the latest event outside that the walk has not passed, and how many events are in the prefix.
    latest: BinaryHeap<(Slot, u32)>,
    /// The number of walks so far. Per location: the last walk that met it, and a place in its coherence order after
    /// which that walk has found no previous write.
    walk: u64,
    tops: Vec<(u64, usize)>,
}

/// The place of `loc` in `tops`; in a new walk it is `last`.
fn top_of(tops: &mut Vec<(u64, usize)>, walk: u64, loc: LocId, last: usize) -> &mut usize {
    if tops.len() <= loc.index() {
        tops.resize(loc.index() + 1, (0, 0));
    }
    let (met_by, top) = &mut tops[loc.index()];
    if *met_by != walk {
        (*met_by, *top) = (walk, last);
    }
    top
}

impl Outside {
    /// Sets the prefix to that of the next event of `thread`.
    fn enclose(&mut self, graph: &Graph, thread: ThreadId) {
        self.prefix.clear();
        match graph.last_of(thread) {
            Some(last) => self.prefix.extend_from_slice(graph.porf(last)),
            None => self.prefix.resize(graph.width(), 0),
        }
    }

    fn start(&mut self, graph: &Graph) {
        self.walk += 1;
        (self.end, self.n_passed) = (graph.len(), 0);
        self.latest.clear();
    }

    fn next(&mut self, graph: &Graph) -> Option<Slot> {
        let most_passed = MOST_PASSED_PER_THREAD * self.prefix.len();
        while self.n_passed < most_passed {
            self.end = self.end.checked_sub(1)?;
            let slot = Slot::new(self.end);
            if !clock::contains(&self.prefix, graph.event(slot).id) {
                return Some(slot);
            }
            self.n_passed += 1;
            if self.n_passed == most_passed {
                self.sort(graph);
            }
        }
        let mut top = self.latest.peek_mut()?;
        let (slot, n_inside) = *top;
        match graph.po_before(slot) {
            Some(before) if graph.event(slot).id.index() > n_inside as usize => top.0 = before,
            _ => drop(PeekMut::pop(top)),
        }
        Some(slot)
    }

    /// Finds the latest events of all threads that the walk has not passed.
    fn sort(&mut self, graph: &Graph) {
        self.latest.extend(self.prefix.iter().enumerate().filter_map(|(thread, &n_inside)| {
            let outside = &graph.thread(ThreadId::new(thread))[n_inside as usize..];
            let n_left = outside.partition_point(|slot| slot.index() < self.end);
            Some((outside[n_left.checked_sub(1)?], n_inside))
        }));
    }
}

/// To find the latest events of all threads takes about as long as to pass so many events per thread.
const MOST_PASSED_PER_THREAD: usize = 8;
