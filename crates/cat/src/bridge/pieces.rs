//! The structure of a graph with stores to parts of locations: accesses in pieces.
//!
//! The bytes of such a location fall into *granules*; every access has all bytes of a granule or none. A granule is a
//! location of the structure. An access becomes one event for each of its granules. These *pieces* happen at once,
//! which the relation `pieces` says. So `rf`, `co` and `fr` are those of bytes, and a model means the same as for
//! accesses of one size.

use super::{kinds_of, order_of, set_of_barrier};
use crate::{BaseRelation, BaseSet, EventSet, Relation, Structure};
use atropos_event::{Access, Label, Mapping};
use atropos_graph::barrier::barrier_of;
use atropos_graph::{Graph, LocId, Slot};
use std::collections::BTreeSet;

/// An event of the structure: a piece of an access, or an event that is not an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    slot: Slot,
    loc: LocId,
    granule: Option<Access>,
}

/// The structure of a graph whose coherence is tracked.
pub(crate) fn structure(graph: &Graph, mapping: Mapping) -> Structure {
    let pieces = pieces(graph);
    let mut structure = Structure::new(pieces.len());
    put_sets(&mut structure, graph, &pieces, mapping);
    put_relations(&mut structure, graph, &pieces);
    structure
}

/// The pieces of initial writes, and then those of all events in order of addition.
fn pieces(graph: &Graph) -> Vec<Piece> {
    let granules: Vec<Vec<Access>> =
        (0..graph.locations().len()).map(|loc| granules(graph, LocId::new(loc))).collect();
    let mut pieces = Vec::new();
    for (index, granules) in granules.iter().enumerate() {
        let loc = LocId::new(index);
        pieces.extend(granules.iter().map(|&granule| Piece {
            slot: Slot::INIT,
            loc,
            granule: Some(granule),
        }));
    }
    for (index, event) in graph.events().iter().enumerate() {
        let (slot, loc) = (Slot::new(index), event.loc);
        match event.label.bytes() {
            Some(bytes) => {
                let within = granules[loc.index()].iter().filter(|granule| bytes.contains(**granule));
                pieces.extend(within.map(|&granule| Piece { slot, loc, granule: Some(granule) }));
            }
            None => pieces.push(Piece { slot, loc: LocId::NONE, granule: None }),
        }
    }
    pieces
}

/// The granules of a location; none if it is not accessed.
fn granules(graph: &Graph, loc: LocId) -> Vec<Access> {
    let location = graph.location(loc);
    let accesses = location.co[1..].iter().chain(&location.reads);
    let mut bounds = BTreeSet::new();
    for bytes in accesses.filter_map(|&slot| graph.event(slot).label.bytes()) {
        bounds.extend([bytes.addr.0, bytes.addr.0 + u64::from(bytes.size)]);
    }
    let bounds: Vec<u64> = bounds.into_iter().collect();
    bounds.windows(2).map(|pair| Access::new(pair[0], (pair[1] - pair[0]) as u8)).collect()
}

fn put_sets(structure: &mut Structure, graph: &Graph, pieces: &[Piece], mapping: Mapping) {
    let mut sets = vec![EventSet::new(pieces.len()); BaseSet::ALL.len()];
    for (number, piece) in pieces.iter().enumerate() {
        let mut insert = |set: BaseSet| sets[set as usize].insert(number);
        if piece.slot.is_init() {
            let initial = [BaseSet::Writes, BaseSet::InitialWrites, BaseSet::Accesses, BaseSet::Plain];
            initial.into_iter().for_each(insert);
            continue;
        }
        let event = graph.event(piece.slot);
        if let Some(barrier) = barrier_of(graph, piece.slot, mapping) {
            insert(set_of_barrier(barrier));
        }
        if event.label.is_merge() {
            // The program does not use the value that it reads.
            continue;
        }
        kinds_of(event).chain(order_of(event)).for_each(&mut insert);
        if piece.granule.is_some() {
            insert(BaseSet::Accesses);
            if order_of(event) != Some(BaseSet::Plain) {
                insert(BaseSet::Atomic);
            }
        }
    }
    for (&base, set) in BaseSet::ALL.iter().zip(sets) {
        structure.put_set(base, set);
    }
}

fn put_relations(structure: &mut Structure, graph: &Graph, pieces: &[Piece]) {
    let pairs = |holds: &dyn Fn(&Piece, &Piece) -> bool| {
        let all = pieces.iter().enumerate().flat_map(|(a, first)| {
            pieces.iter().enumerate().filter_map(move |(b, second)| holds(first, second).then_some((a, b)))
        });
        Relation::from_pairs(pieces.len(), all)
    };
    let id = |piece: &Piece| (!piece.slot.is_init()).then(|| graph.event(piece.slot).id);
    let is_same_thread = |a: &Piece, b: &Piece| match (id(a), id(b)) {
        (Some(first), Some(second)) => first.thread() == second.thread(),
        (None, None) => a == b,
        _ => false,
    };
    let is_before = |a: &Piece, b: &Piece| match (id(a), id(b)) {
        (Some(first), Some(second)) => first.thread() == second.thread() && first.index() < second.index(),
        (first, second) => first.is_none() && second.is_some(),
    };
    let label = |piece: &Piece| (!piece.slot.is_init()).then(|| graph.event(piece.slot).label);
    let is_read =
        |piece: &Piece| label(piece).is_some_and(|label| label.is_read() && piece.granule.is_some());
    let is_write = |piece: &Piece| piece.slot.is_init() || label(piece).is_some_and(|label| label.is_write());
    let is_same_place = |a: &Piece, b: &Piece| a.granule.is_some() && a.granule == b.granule;
    let is_source = |write: &Piece, read: &Piece| {
        is_same_place(write, read)
            && is_read(read)
            && read.granule.is_some_and(|granule| graph.writer_of(read.slot, granule) == write.slot)
    };
    let is_co = |a: &Piece, b: &Piece| {
        let [first, second] = [a, b].map(|piece| graph.co_position(piece.slot));
        is_same_place(a, b) && is_write(a) && is_write(b) && first < second
    };
    let is_rmw = |a: &Piece, b: &Piece| {
        let is_exclusive = matches!(label(b), Some(Label::Write { exclusive: true, .. }));
        is_exclusive && is_same_place(a, b) && is_read(a) && graph.po_before(b.slot) == Some(a.slot)
    };
    let is_sync = |a: &Piece, b: &Piece| {
        let follows = matches!(label(b), Some(Label::Begin | Label::Join { .. }));
        follows && !a.slot.is_init() && graph.event(b.slot).rf == a.slot
    };
    let is_other_piece = |a: &Piece, b: &Piece| !a.slot.is_init() && a.slot == b.slot && a != b;
    structure.put_relation(BaseRelation::Po, pairs(&is_before));
    structure.put_relation(BaseRelation::Rf, pairs(&is_source));
    structure.put_relation(BaseRelation::Co, pairs(&is_co));
    structure.put_relation(BaseRelation::Rmw, pairs(&is_rmw));
    structure.put_relation(BaseRelation::Loc, pairs(&is_same_place));
    structure.put_relation(BaseRelation::Overlap, pairs(&is_same_place));
    structure.put_relation(BaseRelation::Covers, pairs(&|a, b| is_write(a) && is_same_place(a, b)));
    structure.put_relation(BaseRelation::Pieces, pairs(&is_other_piece));
    structure.put_relation(BaseRelation::Int, pairs(&is_same_thread));
    structure.put_relation(BaseRelation::Ext, pairs(&|a, b| !is_same_thread(a, b)));
    structure.put_relation(BaseRelation::Sync, pairs(&is_sync));
}
