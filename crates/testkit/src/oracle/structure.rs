//! Candidate executions as cat structures, by the definitions of the base names.
//!
//! `atropos_cat::bridge` does the same for the explorers' graphs. The two share no code, so a mistake in one shows
//! as a difference between explorer and oracle.

use super::candidate::{Candidate, is_failed_cas};
use atropos_cat::{BaseRelation, BaseSet, EventSet, Relation, Structure};
use atropos_event::{Access, EventId, FenceOrder, Label, Mapping, ReadOrder, Rmw, WriteOrder};
use atropos_graph::CanonicalEvent;

/// One event of the structure: an initial write, or an event of the candidate.
#[derive(Clone, Copy)]
enum StructureEvent<'a> {
    Initial(Access),
    Event(EventId, &'a CanonicalEvent),
}

impl StructureEvent<'_> {
    /// The location.
    fn cell(self) -> Option<Access> {
        match self {
            StructureEvent::Initial(access) => Some(access),
            StructureEvent::Event(_, event) => event.label.access().map(Access::cell),
        }
    }

    fn is_write(self) -> bool {
        match self {
            StructureEvent::Initial(_) => true,
            StructureEvent::Event(_, event) => event.label.is_write(),
        }
    }

    /// The bytes that the program itself accesses.
    fn bytes(self) -> Option<Access> {
        match self {
            StructureEvent::Initial(access) => Some(access),
            StructureEvent::Event(_, event) => event.label.bytes(),
        }
    }
}

/// The order of an event as far as it matters here: a failed CAS has its failure order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EventOrder {
    None,
    Plain,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

fn order(node: StructureEvent<'_>) -> EventOrder {
    let StructureEvent::Event(_, event) = node else { return EventOrder::Plain };
    let read = |order: ReadOrder| match order {
        ReadOrder::NotAtomic => EventOrder::Plain,
        ReadOrder::Relaxed => EventOrder::Relaxed,
        ReadOrder::Acquire => EventOrder::Acquire,
        ReadOrder::SeqCst => EventOrder::SeqCst,
    };
    match event.label {
        Label::Read { rmw: Rmw::Cas { failure_order, .. }, .. } if is_failed_cas(event) => {
            read(failure_order)
        }
        Label::Read { order, .. } => read(order),
        Label::Write { order: WriteOrder::NotAtomic, .. } => EventOrder::Plain,
        Label::Write { order: WriteOrder::Relaxed, .. } => EventOrder::Relaxed,
        Label::Write { order: WriteOrder::Release, .. } => EventOrder::Release,
        Label::Write { order: WriteOrder::SeqCst, .. } => EventOrder::SeqCst,
        Label::Fence { order: FenceOrder::Acquire } => EventOrder::Acquire,
        Label::Fence { order: FenceOrder::Release } => EventOrder::Release,
        Label::Fence { order: FenceOrder::AcqRel } => EventOrder::AcqRel,
        Label::Fence { order: FenceOrder::SeqCst } => EventOrder::SeqCst,
        _ => EventOrder::None,
    }
}

/// The order of the store to a part of a cell, if the event is one half of it.
pub fn merging(candidate: &Candidate, id: EventId) -> Option<WriteOrder> {
    let read = match candidate.event(id).label {
        Label::Write { exclusive: true, .. } => EventId::new(id.thread(), id.index() - 1),
        _ => id,
    };
    match candidate.event(read).label {
        Label::Read { rmw: Rmw::Merge { write_order, .. }, .. } => Some(write_order),
        _ => None,
    }
}

/// A barrier for a thread's stores.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StoreBarrier {
    /// Waits for the store buffers to drain.
    Full,
    /// Keeps earlier writes before later ones (or before itself).
    Stores,
}

/// The table of [`Mapping`]. `merging` is the order of the store to a part of a cell that the label belongs to, if
/// any.
pub fn barrier(label: Label, merging: Option<WriteOrder>, mapping: Mapping) -> Option<StoreBarrier> {
    let is_raw = mapping == Mapping::Raw;
    let (is_full, is_for_stores) = match (label, merging) {
        (_, Some(order)) => (!is_raw && order == WriteOrder::SeqCst, order.is_release()),
        (Label::Begin | Label::End | Label::Join { .. }, _) => (true, false),
        (Label::Spawn { drains, .. }, _) => (drains, false),
        (Label::Fence { order }, _) => (is_raw || order == FenceOrder::SeqCst, order.is_release()),
        (Label::Read { rmw, .. }, _) => (rmw != Rmw::None, false),
        (Label::Write { exclusive, order, .. }, _) => {
            (exclusive || (!is_raw && order == WriteOrder::SeqCst), order.is_release())
        }
        (Label::Alloc { .. } | Label::Free { .. }, _) => (false, false),
    };
    match (is_full, is_for_stores && !is_raw) {
        (true, _) => Some(StoreBarrier::Full),
        (false, true) => Some(StoreBarrier::Stores),
        (false, false) => None,
    }
}

/// The numbers of a candidate's events in its structure: the initial writes first, then thread by thread.
pub struct Numbers {
    locations: Vec<Access>,
    /// By thread, the number of its first event.
    starts: Vec<usize>,
}

impl Numbers {
    pub fn of(candidate: &Candidate) -> Self {
        let accesses = candidate.events().filter_map(|(_, event)| event.label.access().map(Access::cell));
        let mut locations: Vec<Access> = accesses.collect();
        locations.sort_unstable();
        locations.dedup();
        let mut starts = Vec::new();
        let mut next = locations.len();
        for (thread, of_thread) in &candidate.threads {
            starts.resize(thread.index() + 1, next);
            next += of_thread.events.len();
        }
        Numbers { locations, starts }
    }

    pub fn event(&self, id: EventId) -> usize {
        self.starts[id.thread().index()] + id.index()
    }

    fn initial(&self, access: Access) -> usize {
        self.locations.binary_search(&access.cell()).expect("a location of the candidate")
    }

    /// What a read or a coherence order means by `id` on `access`.
    fn write(&self, access: Access, id: Option<EventId>) -> usize {
        id.map_or_else(|| self.initial(access), |id| self.event(id))
    }
}

/// The structure of a candidate.
pub fn structure(candidate: &Candidate, mapping: Mapping) -> Structure {
    let numbers = Numbers::of(candidate);
    let events = candidate.events().map(|(id, event)| StructureEvent::Event(id, event));
    let nodes: Vec<_> =
        numbers.locations.iter().map(|&access| StructureEvent::Initial(access)).chain(events).collect();
    let mut structure = Structure::new(nodes.len());
    give_sets(&mut structure, &nodes, candidate, mapping);
    give_pairs(&mut structure, &nodes, &numbers);
    give_relations(&mut structure, &nodes, candidate, &numbers);
    structure
}

fn give_sets(
    structure: &mut Structure,
    nodes: &[StructureEvent<'_>],
    candidate: &Candidate,
    mapping: Mapping,
) {
    let mut sets = vec![EventSet::new(nodes.len()); BaseSet::ALL.len()];
    for (number, &node) in nodes.iter().enumerate() {
        let merging = match node {
            StructureEvent::Event(id, _) => merging(candidate, id),
            StructureEvent::Initial(_) => None,
        };
        let mut give = |set: BaseSet, is_member: bool| {
            if is_member {
                sets[set as usize].insert(number);
            }
        };
        let of_order = match order(node) {
            EventOrder::None => None,
            EventOrder::Plain => Some(BaseSet::Plain),
            EventOrder::Relaxed => Some(BaseSet::Relaxed),
            EventOrder::Acquire => Some(BaseSet::Acquire),
            EventOrder::Release => Some(BaseSet::Release),
            EventOrder::AcqRel => Some(BaseSet::AcquireRelease),
            EventOrder::SeqCst => Some(BaseSet::SequentiallyConsistent),
        };
        of_order.into_iter().for_each(|set| give(set, true));
        give(BaseSet::InitialWrites, matches!(node, StructureEvent::Initial(_)));
        give(BaseSet::Writes, node.is_write());
        give(BaseSet::Accesses, node.cell().is_some());
        give(BaseSet::Atomic, node.cell().is_some() && order(node) != EventOrder::Plain);
        let StructureEvent::Event(_, event) = node else { continue };
        let label = event.label;
        give(BaseSet::Reads, label.is_read());
        give(BaseSet::Fences, matches!(label, Label::Fence { .. }));
        give(BaseSet::Exclusive, event.exclusive);
        give(BaseSet::FailedCas, is_failed_cas(event));
        give(BaseSet::Merging, merging.is_some());
        give(BaseSet::Spawn, matches!(label, Label::Spawn { drains: true, .. }));
        give(BaseSet::Begin, label == Label::Begin);
        give(BaseSet::End, label == Label::End);
        give(BaseSet::Join, matches!(label, Label::Join { .. }));
        give(BaseSet::Alloc, matches!(label, Label::Alloc { .. }));
        give(BaseSet::Free, matches!(label, Label::Free { .. }));
        let barrier = barrier(label, merging, mapping);
        give(BaseSet::Barrier, barrier == Some(StoreBarrier::Full));
        give(BaseSet::StoreBarrier, barrier == Some(StoreBarrier::Stores));
    }
    BaseSet::ALL.iter().zip(sets).for_each(|(&set, members)| structure.put_set(set, members));
}

/// The relations of the execution itself.
fn give_relations(
    structure: &mut Structure,
    nodes: &[StructureEvent<'_>],
    candidate: &Candidate,
    numbers: &Numbers,
) {
    let [mut rf, mut co, mut rmw, mut sync] = [(); 4].map(|()| Relation::new(nodes.len()));
    for (to, &node) in nodes.iter().enumerate() {
        let StructureEvent::Event(_, event) = node else { continue };
        match event.label {
            Label::Read { access, .. } => rf.insert(numbers.write(access, event.source), to),
            Label::Begin | Label::Join { .. } => {
                event.source.into_iter().for_each(|source| sync.insert(numbers.event(source), to));
            }
            // Its read is right before it.
            Label::Write { exclusive: true, .. } => rmw.insert(to - 1, to),
            _ => {}
        }
    }
    for (&access, writes) in &candidate.co {
        let mut after = EventSet::new(nodes.len());
        for &write in writes.iter().rev() {
            co.insert_all(numbers.event(write), &after);
            after.insert(numbers.event(write));
        }
        co.insert_all(numbers.initial(access), &after);
    }
    structure.put_relation(BaseRelation::Rf, rf);
    structure.put_relation(BaseRelation::Co, co);
    structure.put_relation(BaseRelation::Rmw, rmw);
    structure.put_relation(BaseRelation::Sync, sync);
    // Every access is one event here.
    structure.put_relation(BaseRelation::Pieces, Relation::new(nodes.len()));
}

/// The relations that need no execution: `po`, and which events share a location or a thread.
fn give_pairs(structure: &mut Structure, nodes: &[StructureEvent<'_>], numbers: &Numbers) {
    let (n, n_initial) = (nodes.len(), numbers.locations.len());
    let [mut po, mut int] = [(); 2].map(|()| Relation::new(n));
    let events = EventSet::from_events(n, n_initial..n);
    for initial in 0..n_initial {
        int.insert(initial, initial);
        po.insert_all(initial, &events);
    }
    for (index, &start) in numbers.starts.iter().enumerate() {
        let end = numbers.starts.get(index + 1).copied().unwrap_or(n);
        let thread = EventSet::from_events(n, start..end);
        let mut after = EventSet::new(n);
        for event in (start..end).rev() {
            int.insert_all(event, &thread);
            po.insert_all(event, &after);
            after.insert(event);
        }
    }
    structure.put_relation(BaseRelation::Ext, int.complement());
    structure.put_relation(BaseRelation::Int, int);
    structure.put_relation(BaseRelation::Po, po);
    give_locations(structure, nodes, &numbers.locations);
}

fn give_locations(structure: &mut Structure, nodes: &[StructureEvent<'_>], locations: &[Access]) {
    let n = nodes.len();
    let [mut loc, mut overlap, mut covers] = [(); 3].map(|()| Relation::new(n));
    let mut of_location = vec![Vec::new(); locations.len()];
    for (number, node) in nodes.iter().enumerate() {
        let location = node.cell().and_then(|cell| locations.binary_search(&cell).ok());
        location.into_iter().for_each(|at| of_location[at].push((number, node.bytes())));
    }
    for members in &of_location {
        let all = EventSet::from_events(n, members.iter().map(|&(number, _)| number));
        for &(one, bytes) in members {
            loc.insert_all(one, &all);
            for &(other, others) in members {
                let Some((bytes, others)) = bytes.zip(others) else { continue };
                if bytes.overlaps(others) {
                    overlap.insert(one, other);
                }
                if nodes[one].is_write() && bytes.contains(others) {
                    covers.insert(one, other);
                }
            }
        }
    }
    structure.put_relation(BaseRelation::Loc, loc);
    structure.put_relation(BaseRelation::Overlap, overlap);
    structure.put_relation(BaseRelation::Covers, covers);
}
