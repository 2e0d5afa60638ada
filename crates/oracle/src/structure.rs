//! Candidate executions as cat structures, by the definitions of the base names.
//!
//! `atropos_model::structure` does the same for the explorers' graphs. The two share no code, so a mistake in one
//! shows as a difference between explorer and oracle.

use crate::candidate::{Candidate, is_failed_cas};
use atropos_cat::{EventSet, Relation, Structure};
use atropos_event::{Access, EventId, FenceOrder, Label, Mapping, ReadOrder, Rmw, WriteOrder};
use atropos_graph::CanonicalEvent;
use std::collections::{BTreeMap, BTreeSet};

/// One event of the structure: an initial write, or an event of the candidate.
#[derive(Clone, Copy)]
enum Node<'a> {
    Initial(Access),
    Event(EventId, &'a CanonicalEvent),
}

impl Node<'_> {
    fn access(self) -> Option<Access> {
        match self {
            Node::Initial(access) => Some(access),
            Node::Event(_, event) => event.label.access().map(Access::cell),
        }
    }

    fn is_write(self) -> bool {
        match self {
            Node::Initial(_) => true,
            Node::Event(_, event) => event.label.is_write(),
        }
    }

    /// The bytes that the program itself accesses.
    fn bytes(self) -> Option<Access> {
        match self {
            Node::Initial(access) => Some(access),
            Node::Event(_, event) => event.label.bytes(),
        }
    }

    /// Whether this is the write that `id` names for a read or coherence order of `access`.
    fn is_write_of(self, access: Access, id: Option<EventId>) -> bool {
        match self {
            Node::Initial(initial) => id.is_none() && initial == access.cell(),
            Node::Event(event, _) => id == Some(event),
        }
    }
}

/// The order of an event as far as it matters here: a failed CAS has its failure order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    None,
    Plain,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

fn order(node: Node<'_>) -> Order {
    let Node::Event(_, event) = node else { return Order::Plain };
    let read = |order: ReadOrder| match order {
        ReadOrder::NotAtomic => Order::Plain,
        ReadOrder::Relaxed => Order::Relaxed,
        ReadOrder::Acquire => Order::Acquire,
        ReadOrder::SeqCst => Order::SeqCst,
    };
    match event.label {
        Label::Read { rmw: Rmw::Cas { failure_order, .. }, .. } if is_failed_cas(event) => {
            read(failure_order)
        }
        Label::Read { order, .. } => read(order),
        Label::Write { order: WriteOrder::NotAtomic, .. } => Order::Plain,
        Label::Write { order: WriteOrder::Relaxed, .. } => Order::Relaxed,
        Label::Write { order: WriteOrder::Release, .. } => Order::Release,
        Label::Write { order: WriteOrder::SeqCst, .. } => Order::SeqCst,
        Label::Fence { order: FenceOrder::Acquire } => Order::Acquire,
        Label::Fence { order: FenceOrder::Release } => Order::Release,
        Label::Fence { order: FenceOrder::AcqRel } => Order::AcqRel,
        Label::Fence { order: FenceOrder::SeqCst } => Order::SeqCst,
        _ => Order::None,
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
pub enum Barrier {
    /// Waits for the store buffers to drain.
    Full,
    /// Keeps earlier writes before later ones (or before itself).
    Stores,
}

/// The table of [`Mapping`]. `merging` is the order of the store to a part of a cell that the label belongs to, if
/// any.
pub fn barrier(label: Label, merging: Option<WriteOrder>, mapping: Mapping) -> Option<Barrier> {
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
        (true, _) => Some(Barrier::Full),
        (false, true) => Some(Barrier::Stores),
        (false, false) => None,
    }
}

/// The numbers of a candidate's events in its structure.
pub fn numbers(candidate: &Candidate) -> BTreeMap<EventId, usize> {
    let accesses: BTreeSet<_> =
        candidate.events().filter_map(|(_, event)| event.label.access().map(Access::cell)).collect();
    candidate.events().map(|(id, _)| id).zip(accesses.len()..).collect()
}

/// The structure of a candidate. Its events are numbered: the initial writes first, then thread by thread.
pub fn structure(candidate: &Candidate, mapping: Mapping) -> Structure {
    let accesses: BTreeSet<_> =
        candidate.events().filter_map(|(_, event)| event.label.access().map(Access::cell)).collect();
    let events = candidate.events().map(|(id, event)| Node::Event(id, event));
    let nodes: Vec<_> = accesses.into_iter().map(Node::Initial).chain(events).collect();
    let mut structure = Structure::new(nodes.len());
    give_sets(&mut structure, &nodes, candidate, mapping);
    give_relations(&mut structure, &nodes, candidate);
    structure
}

fn give_sets(structure: &mut Structure, nodes: &[Node<'_>], candidate: &Candidate, mapping: Mapping) {
    let mut give = |name: &str, holds: &dyn Fn(Node<'_>) -> bool| {
        let members = (0..nodes.len()).filter(|&number| holds(nodes[number]));
        structure.set(name, EventSet::from_events(nodes.len(), members));
    };
    let is_initial = |node: Node<'_>| matches!(node, Node::Initial(_));
    let by_event = |holds: fn(&CanonicalEvent) -> bool| move |node: Node<'_>| matches!(node, Node::Event(_, event) if holds(event));
    give("R", &by_event(|event| event.label.is_read()));
    give("W", &|node| is_initial(node) || by_event(|event| event.label.is_write())(node));
    give("IW", &is_initial);
    give("M", &|node| node.access().is_some());
    give("F", &by_event(|event| matches!(event.label, Label::Fence { .. })));
    give("RLX", &|node| order(node) == Order::Relaxed);
    give("ACQ", &|node| order(node) == Order::Acquire);
    give("REL", &|node| order(node) == Order::Release);
    give("ACQ_REL", &|node| order(node) == Order::AcqRel);
    give("SC", &|node| order(node) == Order::SeqCst);
    give("NA", &|node| order(node) == Order::Plain);
    give("A", &|node| node.access().is_some() && order(node) != Order::Plain);
    give("X", &by_event(|event| event.exclusive));
    give("CASFAIL", &by_event(is_failed_cas));
    give("SPAWN", &by_event(|event| matches!(event.label, Label::Spawn { drains: true, .. })));
    give("BEGIN", &by_event(|event| event.label == Label::Begin));
    give("END", &by_event(|event| event.label == Label::End));
    give("JOIN", &by_event(|event| matches!(event.label, Label::Join { .. })));
    give("ALLOC", &by_event(|event| matches!(event.label, Label::Alloc { .. })));
    give("FREE", &by_event(|event| matches!(event.label, Label::Free { .. })));
    give("MERGE", &|node| matches!(node, Node::Event(id, _) if merging(candidate, id).is_some()));
    let barrier = |node: Node<'_>| match node {
        Node::Event(id, event) => barrier(event.label, merging(candidate, id), mapping),
        Node::Initial(_) => None,
    };
    give("BARRIER", &|node| barrier(node) == Some(Barrier::Full));
    give("STBAR", &|node| barrier(node) == Some(Barrier::Stores));
}

fn give_relations(structure: &mut Structure, nodes: &[Node<'_>], candidate: &Candidate) {
    give_pairs(structure, nodes);
    let (mut rf, mut co) = (Relation::new(nodes.len()), Relation::new(nodes.len()));
    let (mut rmw, mut sync) = (Relation::new(nodes.len()), Relation::new(nodes.len()));
    let number = |access: Access, id: Option<EventId>| {
        nodes.iter().position(|node| node.is_write_of(access, id)).expect("an event of the candidate")
    };
    for (to, &node) in nodes.iter().enumerate() {
        let Node::Event(id, event) = node else { continue };
        match event.label {
            Label::Read { access, .. } => rf.insert(number(access, event.source), to),
            Label::Begin | Label::Join { .. } => {
                let is_source =
                    |node: &Node<'_>| matches!(node, Node::Event(id, _) if Some(*id) == event.source);
                if let Some(from) = nodes.iter().position(is_source) {
                    sync.insert(from, to);
                }
            }
            Label::Write { access, exclusive, .. } => {
                if exclusive {
                    // Its read directly precedes it.
                    rmw.insert(to - 1, to);
                }
                let writes = candidate.writes(access);
                if let Some(position) = writes.iter().position(|&write| write == id) {
                    co.insert(number(access, None), to);
                    writes[..position].iter().for_each(|&write| co.insert(number(access, Some(write)), to));
                }
            }
            _ => {}
        }
    }
    structure.relation("rf", rf);
    structure.relation("co", co);
    structure.relation("rmw", rmw);
    structure.relation("sync", sync);
}

/// The relations that do not depend on the execution: `po`, and equal locations and threads.
fn give_pairs(structure: &mut Structure, nodes: &[Node<'_>]) {
    let [mut po, mut loc, mut overlap, mut covers, mut int, mut ext] =
        [(); 6].map(|()| Relation::new(nodes.len()));
    for (from, &one) in nodes.iter().enumerate() {
        for (to, &other) in nodes.iter().enumerate() {
            let is_same_thread = match (one, other) {
                (Node::Event(one, _), Node::Event(other, _)) => one.thread() == other.thread(),
                (Node::Initial(one), Node::Initial(other)) => one == other,
                _ => false,
            };
            let is_ordered = match (one, other) {
                // Threads are numbered in program order.
                (Node::Event(..), Node::Event(..)) => is_same_thread && from < to,
                (Node::Initial(_), Node::Event(..)) => true,
                (_, Node::Initial(_)) => false,
            };
            if is_ordered {
                po.insert(from, to);
            }
            if is_same_thread { &mut int } else { &mut ext }.insert(from, to);
            if one.access().is_some() && one.access() == other.access() {
                loc.insert(from, to);
                if matches!((one.bytes(), other.bytes()), (Some(one), Some(other)) if one.overlaps(other)) {
                    overlap.insert(from, to);
                }
                if one.is_write()
                    && matches!((one.bytes(), other.bytes()), (Some(one), Some(other)) if one.contains(other))
                {
                    covers.insert(from, to);
                }
            }
        }
    }
    let named =
        [("po", po), ("loc", loc), ("overlap", overlap), ("covers", covers), ("int", int), ("ext", ext)];
    named.into_iter().for_each(|(name, relation)| structure.relation(name, relation));
}
