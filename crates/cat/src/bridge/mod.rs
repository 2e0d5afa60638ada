//! Execution graphs as structures that cat files judge.
//!
//! Tests compare the fast models with their cat files through this bridge, reports re-check with it, and models that
//! exist only as a cat file use it. Events `0..n` of a structure are the initial writes of the locations that have an
//! event, followed by the graph's events in order of addition: see [`Numbering`]. If the program stores to parts of
//! locations, accesses are split into pieces: see [`pieces`].
//!
//! A graph may be partial. A read-modify-write whose write has not been added yet has its read in `X` and no `rmw`
//! edge, so that atomicity exempts it.

mod pieces;

use crate::{BaseRelation, BaseSet, EventSet, Relation, Structure};
use atropos_event::{FenceOrder, Label, Mapping, ReadOrder, Rmw, WriteOrder};
use atropos_graph::barrier::{Barrier, barrier_of};
use atropos_graph::{Event, Graph, LocId, Slot};

/// The structure of a graph whose coherence is tracked; `mapping` decides what is a barrier.
pub fn structure(graph: &Graph, mapping: Mapping) -> Structure {
    if graph.has_parts() {
        return pieces::structure(graph, mapping);
    }
    let numbering = Numbering::of(graph);
    let mut structure = Structure::new(numbering.len());
    put_sets(&mut structure, graph, &numbering, mapping);
    put_relations(&mut structure, graph, &numbering);
    structure
}

/// Maps the numbers of a structure to events.
#[derive(Clone, Debug)]
pub struct Numbering {
    /// The locations with an event, by the number of their initial write.
    initial: Vec<LocId>,
    n_events: usize,
}

/// The meaning of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbered {
    Initial(LocId),
    Event(Slot),
}

impl Numbering {
    pub fn of(graph: &Graph) -> Self {
        let all = (0..graph.locations().len()).map(LocId::new);
        let has_event = |loc: &LocId| {
            let location = graph.location(*loc);
            location.co.len() > 1 || !location.reads.is_empty()
        };
        Numbering { initial: all.filter(has_event).collect(), n_events: graph.len() }
    }

    pub fn len(&self) -> usize {
        self.initial.len() + self.n_events
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn decode(&self, number: usize) -> Numbered {
        match self.initial.get(number) {
            Some(&loc) => Numbered::Initial(loc),
            None => Numbered::Event(Slot::new(number - self.initial.len())),
        }
    }

    /// The number of an event, or of the initial write of `loc` for [`Slot::INIT`].
    pub fn number(&self, loc: LocId, slot: Slot) -> usize {
        if slot.is_init() {
            self.initial.binary_search(&loc).expect("a location with an event")
        } else {
            self.initial.len() + slot.index()
        }
    }

    fn events<'graph>(
        &self,
        graph: &'graph Graph,
    ) -> impl Iterator<Item = (usize, &'graph Event)> + use<'graph> {
        let n_initial = self.initial.len();
        graph.events().iter().enumerate().map(move |(index, event)| (n_initial + index, event))
    }
}

fn put_sets(structure: &mut Structure, graph: &Graph, numbering: &Numbering, mapping: Mapping) {
    let n = numbering.len();
    let mut sets = vec![EventSet::new(n); BaseSet::ALL.len()];
    let mut insert = |set: BaseSet, number: usize| sets[set as usize].insert(number);
    for number in 0..numbering.initial.len() {
        for set in [BaseSet::Writes, BaseSet::InitialWrites, BaseSet::Accesses, BaseSet::Plain] {
            insert(set, number);
        }
    }
    for (number, event) in numbering.events(graph) {
        for set in kinds_of(event) {
            insert(set, number);
        }
        if let Some(set) = order_of(event) {
            insert(set, number);
        }
        if event.label.access().is_some() {
            insert(BaseSet::Accesses, number);
            if order_of(event) != Some(BaseSet::Plain) {
                insert(BaseSet::Atomic, number);
            }
        }
        let Numbered::Event(slot) = numbering.decode(number) else {
            unreachable!("initial writes come first")
        };
        if let Some(set) = barrier_of(graph, slot, mapping).map(set_of_barrier) {
            insert(set, number);
        }
        if graph.is_merging(slot) {
            insert(BaseSet::Merging, number);
        }
    }
    for (&base, set) in BaseSet::ALL.iter().zip(sets) {
        structure.put_set(base, set);
    }
}

/// The sets that say what an event does.
pub(crate) fn kinds_of(event: &Event) -> impl Iterator<Item = BaseSet> {
    let kind = Some(match event.label {
        // It is only the source of its child's `Begin`.
        Label::Spawn { drains: false, .. } => return [None; 3].into_iter().flatten(),
        Label::Read { .. } => BaseSet::Reads,
        Label::Write { .. } => BaseSet::Writes,
        Label::Fence { .. } => BaseSet::Fences,
        Label::Spawn { .. } => BaseSet::Spawn,
        Label::Begin => BaseSet::Begin,
        Label::End => BaseSet::End,
        Label::Join { .. } => BaseSet::Join,
        Label::Alloc { .. } => BaseSet::Alloc,
        Label::Free { .. } => BaseSet::Free,
    });
    let exclusive = event.exclusive.then_some(BaseSet::Exclusive);
    let failed = is_failed_cas(event).then_some(BaseSet::FailedCas);
    [kind, exclusive, failed].into_iter().flatten()
}

fn is_failed_cas(event: &Event) -> bool {
    matches!(event.label, Label::Read { rmw: Rmw::Cas { .. }, .. }) && !event.exclusive
}

/// The set of the order that an event has in this execution: a failed CAS has its failure order.
pub(crate) fn order_of(event: &Event) -> Option<BaseSet> {
    match event.label {
        Label::Read { rmw: Rmw::Cas { failure_order, .. }, .. } if !event.exclusive => {
            Some(set_of_read_order(failure_order))
        }
        Label::Read { order, .. } => Some(set_of_read_order(order)),
        Label::Write { order, .. } => Some(match order {
            WriteOrder::NotAtomic => BaseSet::Plain,
            WriteOrder::Relaxed => BaseSet::Relaxed,
            WriteOrder::Release => BaseSet::Release,
            WriteOrder::SeqCst => BaseSet::SequentiallyConsistent,
        }),
        Label::Fence { order } => Some(match order {
            FenceOrder::Acquire => BaseSet::Acquire,
            FenceOrder::Release => BaseSet::Release,
            FenceOrder::AcqRel => BaseSet::AcquireRelease,
            FenceOrder::SeqCst => BaseSet::SequentiallyConsistent,
        }),
        Label::Begin
        | Label::End
        | Label::Spawn { .. }
        | Label::Join { .. }
        | Label::Alloc { .. }
        | Label::Free { .. } => None,
    }
}

fn set_of_read_order(order: ReadOrder) -> BaseSet {
    match order {
        ReadOrder::NotAtomic => BaseSet::Plain,
        ReadOrder::Relaxed => BaseSet::Relaxed,
        ReadOrder::Acquire => BaseSet::Acquire,
        ReadOrder::SeqCst => BaseSet::SequentiallyConsistent,
    }
}

pub(crate) fn set_of_barrier(barrier: Barrier) -> BaseSet {
    match barrier {
        Barrier::Full => BaseSet::Barrier,
        Barrier::Stores => BaseSet::StoreBarrier,
    }
}

fn put_relations(structure: &mut Structure, graph: &Graph, numbering: &Numbering) {
    let n = numbering.len();
    let [mut po, mut rf, mut co, mut rmw] = [(); 4].map(|()| Relation::new(n));
    let [mut loc, mut overlap, mut covers, mut int, mut sync] = [(); 5].map(|()| Relation::new(n));
    for initial in 0..numbering.initial.len() {
        int.insert(initial, initial);
        (numbering.initial.len()..n).for_each(|event| po.insert(initial, event));
    }
    for (number, event) in numbering.events(graph) {
        let thread = graph.thread(event.id.thread());
        for (index, &other) in thread.iter().enumerate() {
            let other = numbering.number(LocId::NONE, other);
            int.insert(number, other);
            if index > event.id.index() {
                po.insert(number, other);
            }
        }
        match event.label {
            Label::Read { .. } => rf.insert(numbering.number(event.loc, event.rf), number),
            Label::Write { exclusive: true, .. } => {
                let read = thread[event.id.index() - 1];
                rmw.insert(numbering.number(event.loc, read), number);
            }
            Label::Begin | Label::Join { .. } => sync.insert(numbering.number(LocId::NONE, event.rf), number),
            Label::Write { .. }
            | Label::End
            | Label::Fence { .. }
            | Label::Spawn { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => {}
        }
    }
    for &id in &numbering.initial {
        let location = graph.location(id);
        let writes: Vec<_> = location.co.iter().map(|&write| numbering.number(id, write)).collect();
        let reads = location.reads.iter().map(|&read| numbering.number(id, read));
        let accesses: Vec<_> = reads.chain(writes.iter().copied()).collect();
        for (index, &write) in writes.iter().enumerate() {
            writes[index + 1..].iter().for_each(|&later| co.insert(write, later));
        }
        // An initial write covers the whole location.
        let bytes = |number: usize| match numbering.decode(number) {
            Numbered::Initial(_) => Some(location.access),
            Numbered::Event(slot) => graph.event(slot).label.bytes(),
        };
        for (&access, &other) in accesses.iter().flat_map(|a| accesses.iter().map(move |b| (a, b))) {
            loc.insert(access, other);
            let (Some(first), Some(second)) = (bytes(access), bytes(other)) else { continue };
            if first.overlaps(second) {
                overlap.insert(access, other);
            }
            if first.contains(second) && writes.contains(&access) {
                covers.insert(access, other);
            }
        }
    }
    structure.put_relation(BaseRelation::Ext, int.complement());
    structure.put_relation(BaseRelation::Po, po);
    structure.put_relation(BaseRelation::Rf, rf);
    structure.put_relation(BaseRelation::Co, co);
    structure.put_relation(BaseRelation::Rmw, rmw);
    structure.put_relation(BaseRelation::Loc, loc);
    structure.put_relation(BaseRelation::Overlap, overlap);
    structure.put_relation(BaseRelation::Covers, covers);
    structure.put_relation(BaseRelation::Pieces, Relation::new(n));
    structure.put_relation(BaseRelation::Int, int);
    structure.put_relation(BaseRelation::Sync, sync);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use atropos_event::{Access, Initial, Position, ThreadId};
    use atropos_graph::Outcome;

    /// Store buffering with both reads of the initial values: `x := 1; a := y || y := 1; b := x`.
    fn store_buffering(write_order: WriteOrder) -> Graph {
        let [x, y] = [Access::new(0x10, 4), Access::new(0x20, 4)];
        let mut graph = Graph::new(false);
        for (thread, written, read) in [(0, x, y), (1, y, x)] {
            let [written_loc, read_loc] =
                [written, read].map(|access| graph.locate(access, || Initial::Value(0)).unwrap());
            let write = Label::Write { access: written, order: write_order, value: 1, exclusive: false };
            let read = Label::Read { access: read, order: ReadOrder::Relaxed, rmw: Rmw::None };
            let outcome = |co, value| Outcome { rf: Slot::INIT, co, value, before: Position(0) };
            graph.add(ThreadId::new(thread), write, written_loc, outcome(1, 1));
            graph.add(ThreadId::new(thread), read, read_loc, outcome(0, 0));
        }
        graph
    }

    fn is_consistent(graph: &Graph, model: &str, mapping: Mapping) -> bool {
        Model::builtin(model).unwrap().is_consistent(&structure(graph, mapping)).unwrap()
    }

    #[test]
    fn store_buffering_is_allowed_under_tso_unless_the_stores_are_barriers() {
        let relaxed = store_buffering(WriteOrder::Relaxed);
        assert!(!is_consistent(&relaxed, "sc", Mapping::Compiled));
        assert!(is_consistent(&relaxed, "tso", Mapping::Compiled));
        let seq_cst = store_buffering(WriteOrder::SeqCst);
        assert!(!is_consistent(&seq_cst, "tso", Mapping::Compiled));
        assert!(is_consistent(&seq_cst, "tso", Mapping::Raw));
    }

    #[test]
    fn initial_writes_come_first_in_the_numbering() {
        let graph = store_buffering(WriteOrder::Relaxed);
        let numbering = Numbering::of(&graph);
        assert_eq!(numbering.len(), 6);
        for number in 0..numbering.len() {
            let back = match numbering.decode(number) {
                Numbered::Initial(loc) => numbering.number(loc, Slot::INIT),
                Numbered::Event(slot) => numbering.number(LocId::NONE, slot),
            };
            assert_eq!(back, number);
        }
        let structure = structure(&graph, Mapping::Compiled);
        assert_eq!(structure.get_set(BaseSet::InitialWrites), Some(&EventSet::from_events(6, [0, 1])));
        assert_eq!(structure.get_relation(BaseRelation::Co).map(Relation::len), Some(2));
    }
}
