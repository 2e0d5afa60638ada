//! The outcomes that append an event: the sources of a read, the places of a write.

use super::choice::{Choice, PendingAccess};
use super::{TrustRules, TrustWorker};
use atropos_event::{Access, Label, Rmw, Run, ThreadId, mark};
use atropos_graph::{LocId, Slot};
use atropos_model::{MemoryModel, coherence};

impl<R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'_, R, M, Q> {
    /// Algorithm 1, the read case: the read may read from every write that keeps the graph consistent.
    pub(super) fn visit_read(&mut self, thread: ThreadId, label: Label, access: Access) -> bool {
        let Some(loc) = self.engine.locate(thread, access) else { return false };
        let Some(loc) = self.counted(thread, label, loc) else { return false };
        let Some(loc) = self.parted(thread, label, loc) else { return false };
        if let Some(is_extended) = self.visit_meeting(thread, label, loc) {
            return is_extended;
        }
        let first = self.choices.len();
        let mut latest = std::mem::take(&mut self.latest);
        let floor = if Q::TRACKS_CO {
            coherence::floor_of_next(&self.engine.model, &self.engine.graph, thread, loc)
        } else {
            self.find_latest_writes(thread, label, loc, &mut latest)
        };
        let leading = self.counterpart_of_next(thread);
        for position in floor..self.engine.graph.location(loc).co.len() {
            let source = self.engine.graph.location(loc).co[position];
            if self.is_behind(leading, loc, source) {
                self.engine.stats.mirrored += 1;
            } else if !coherence::is_overwritten(&self.engine.model, &self.engine.graph, source, &latest)
                && !self.is_taken(thread, label, loc, source)
            {
                let id = (!source.is_init()).then(|| self.engine.graph.event(source).id);
                self.choices.push(Choice::Source(id));
            }
        }
        self.latest = latest;
        if self.engine.config.latest_first {
            self.choices[first..].reverse();
        }
        self.choose(&PendingAccess { thread, label, loc, revisited: None }, first)
    }

    /// If coherence is not tracked: the writes that hide earlier ones from the next event of `thread`, and how many
    /// writes, from the first, certainly are hidden, or taken by other read-modify-writes.
    fn find_latest_writes(
        &self,
        thread: ThreadId,
        label: Label,
        loc: LocId,
        latest: &mut Vec<Slot>,
    ) -> usize {
        latest.clear();
        let graph = &self.engine.graph;
        let Some(last) = graph.last_of(thread).filter(|_| M::IS_COHERENT) else { return 0 };
        // Twins count the sources that one leaves to the other.
        let needs_source = matches!(label, Label::Read { rmw: Rmw::Fetch { .. }, .. }) && !self.has_twins;
        let n_taken = match needs_source {
            true => graph.n_taken(&graph.location(loc).co, graph.porf(last)),
            false => 0,
        };
        coherence::latest_writes(graph, loc, n_taken, self.engine.model.hb(graph, last), latest)
    }

    /// Whether `source` is impossible for a read-modify-write because another one in its `porf`-prefix already reads
    /// it. (One outside the prefix may still be revisited.)
    fn is_taken(&self, thread: ThreadId, label: Label, loc: LocId, source: Slot) -> bool {
        let Label::Read { access, rmw, .. } = label else { return false };
        if rmw == Rmw::None || !rmw.writes_after(access, self.engine.graph.value_for(thread, loc, source)) {
            return false;
        }
        let Some(last) = self.engine.graph.last_of(thread) else { return false };
        let graph = &self.engine.graph;
        let porf = graph.porf(last);
        let is_known = |read: Slot| graph.is_in(porf, read);
        let is_taken = match Q::TRACKS_CO {
            true => self.update_of(loc, source).is_some_and(is_known),
            false => coherence::updates_of(graph, loc, source).any(is_known),
        };
        if is_taken {
            mark!("trust: a source is taken for good");
        }
        is_taken
    }

    /// Algorithm 1, the write case: every place in the coherence order, then every read it can revisit.
    pub(super) fn visit_write(&mut self, thread: ThreadId, label: Label, access: Access) -> bool {
        let located = match self.own_read(thread, label) {
            Some(read) => Some(self.engine.graph.event(read).loc),
            None => self.engine.locate(thread, access),
        };
        let Some(loc) = located else { return false };
        let Some(loc) = self.counted(thread, label, loc) else { return false };
        let Some(loc) = self.parted(thread, label, loc) else { return false };
        if !self.writes_in_turn(thread, label, loc) {
            return self.disperse(loc);
        }
        let first = self.choices.len();
        let pending = PendingAccess { thread, label, loc, revisited: None };
        self.push_places(&pending);
        self.push_revisits(&pending);
        self.choose(&pending, first)
    }

    /// `VisitCOs`: the places where the write may go. After a revisit the read must find it coherent too.
    pub(super) fn push_places(&mut self, pending: &PendingAccess) {
        let PendingAccess { thread, label, loc, revisited } = *pending;
        let n_writes = self.engine.graph.location(loc).co.len();
        let Label::Write { exclusive, .. } = label else { unreachable!("a place for {label:?}") };
        let own_source = exclusive.then(|| self.source_of_own_read(thread));
        if !Q::TRACKS_CO {
            // The revisited read is no rival: its own write is deleted.
            let rival = own_source.and_then(|source| self.rival(thread, loc, source));
            if rival.is_none() {
                self.choices.push(Choice::Place(n_writes as u32));
            }
            return;
        }
        // The source of an exclusive write's read is already at or above the thread's floor.
        let mut floor = match own_source {
            Some(_) => 0,
            None => coherence::floor_of_next(&self.engine.model, &self.engine.graph, thread, loc),
        };
        if let Some(read) = revisited {
            let graph = &self.engine.graph;
            if let Some(before) = graph.po_before(graph.slot_of(read)).filter(|_| M::IS_COHERENT) {
                floor = floor.max(coherence::floor(graph, loc, self.engine.model.hb(graph, before)));
            }
        }
        let floor_of_twins = self.floor_of_twins(thread, loc, revisited);
        if floor_of_twins > floor {
            self.engine.stats.mirrored += (floor_of_twins - floor) as u64;
            floor = floor_of_twins;
        }
        match own_source {
            Some(source) => {
                let place = self.engine.graph.co_position(source) + 1;
                if place > floor && self.may_precede(loc, place) {
                    self.choices.push(Choice::Place(place as u32));
                }
            }
            None => {
                for place in (floor + 1..=n_writes).rev() {
                    if self.may_precede(loc, place) {
                        self.choices.push(Choice::Place(place as u32));
                    }
                }
                if floor + 1 < n_writes && self.engine.config.stop_at_places {
                    self.engine.control().note_choice_of_place();
                }
            }
        }
    }

    /// Atomicity: no write may come between a read-modify-write and its source, so no place right before an exclusive
    /// write is free.
    fn may_precede(&self, loc: LocId, place: usize) -> bool {
        self.engine
            .graph
            .location(loc)
            .co
            .get(place)
            .is_none_or(|&next| !self.engine.graph.event(next).exclusive)
    }

    /// For an exclusive write: its read, the last event of the thread.
    fn own_read(&self, thread: ThreadId, label: Label) -> Option<Slot> {
        match label {
            Label::Write { exclusive: true, .. } => self.engine.graph.last_of(thread),
            _ => None,
        }
    }

    /// The write that the exclusive read at the end of `thread` reads from.
    pub(super) fn source_of_own_read(&self, thread: ThreadId) -> Slot {
        let read = self.engine.graph.last_of(thread).expect("an exclusive write follows its read");
        self.engine.graph.event(read).rf
    }

    /// Another completed read-modify-write that reads from `source`.
    pub(super) fn rival(&self, thread: ThreadId, loc: LocId, source: Slot) -> Option<Slot> {
        if Q::TRACKS_CO {
            return self.update_of(loc, source);
        }
        let own = self.engine.graph.last_of(thread);
        coherence::updates_of(&self.engine.graph, loc, source).find(|&read| Some(read) != own)
    }

    /// If coherence is tracked: the read of the completed read-modify-write that reads from `source`. Its write comes
    /// right after `source`.
    fn update_of(&self, loc: LocId, source: Slot) -> Option<Slot> {
        let graph = &self.engine.graph;
        let &next = graph.location(loc).co.get(graph.co_position(source) + 1)?;
        if graph.event(next).exclusive { graph.po_before(next) } else { None }
    }
}
