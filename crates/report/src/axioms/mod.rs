//! The built-in models' axioms, checked on one whole execution in time linear in its length.
//!
//! Evaluating the cat files on matrices takes the cube of the number of events. Here a relation is a sparse set of
//! edges that generates it, and every axiom asks whether a sparse graph has a cycle ([`Digraph`]) or compares vector
//! clocks ([`AxiomClocks`]). This shares nothing with the explorers' models, which judge one event at a time. Tests
//! compare it with the cat files on all executions, allowed or not, of random programs.

mod buffers;
mod clocks;
mod coherence;
mod digraph;
mod events;
mod psc;

pub use clocks::AxiomClocks;

use atropos_event::{Label, Mapping};
use atropos_graph::{Graph, Slot};
use digraph::Digraph;

/// The happens-before relations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HappensBefore {
    /// Program order, reads-from, and creation and end of threads.
    Porf,
    /// That of RC11, with the release sequences of C++20.
    Rc11,
    /// That of RC11, with the release sequences of C11.
    Rc11OfC11,
}

/// The happens-before relation of a built-in model; `None` for other models.
pub fn happens_before(model: &str) -> Option<HappensBefore> {
    match model {
        "sc" | "tso" | "pso" | "ra" | "sra" => Some(HappensBefore::Porf),
        "rc11" | "wrc11" => Some(HappensBefore::Rc11),
        "rc11-c11" => Some(HappensBefore::Rc11OfC11),
        _ => None,
    }
}

/// The first axiom of `model` that the execution violates with its coherence order, if any. `Err` for models that are
/// not known here, and where parts of locations are stored to.
pub fn violated(graph: &Graph, model: &str, mapping: Mapping) -> Result<Option<&'static str>, NotKnown> {
    let may_judge = is_known(model) && !graph.has_parts();
    if may_judge { Ok(first_violated(graph, model, mapping)) } else { Err(NotKnown) }
}

/// Whether [`violated`] knows the axioms of `model`.
pub fn is_known(model: &str) -> bool {
    matches!(model, "sc" | "tso" | "pso" | "ra" | "sra" | "rc11" | "rc11-c11")
}

/// The model is not known here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotKnown;

fn first_violated(graph: &Graph, model: &str, mapping: Mapping) -> Option<&'static str> {
    let Some(order) = porf(graph).order() else { return Some("no-thin-air") };
    let clocks = || {
        let relation = happens_before(model).expect("a model that is known");
        AxiomClocks::of(graph, relation, &order)
    };
    let is_atomic = coherence::is_atomic(graph);
    match model {
        "sc" if !is_atomic => Some("atomicity"),
        "sc" => (!is_interleaving(graph)).then_some("sc"),
        "tso" | "pso" if !coherence::is_coherent_by_location(graph) => Some("coherence"),
        "tso" | "pso" if !is_atomic => Some("atomicity"),
        "tso" => (!buffers::is_tso(graph, mapping)).then_some("tso"),
        "pso" => (!buffers::is_pso(graph, mapping)).then_some("pso"),
        _ => {
            let clocks = clocks();
            if !coherence::is_coherent(graph, &clocks) {
                return Some("coherence");
            }
            match model {
                _ if !is_atomic => Some("atomicity"),
                "ra" => None,
                "sra" => (!is_strongly_coherent(graph)).then_some("strong-coherence"),
                _ => (!psc::is_acyclic(graph, &clocks)).then_some("sc"),
            }
        }
    }
}

/// Whether there is an order of all events that extends `po`, `rf`, `co` and `fr`.
pub(crate) fn is_interleaving(graph: &Graph) -> bool {
    let mut edges = porf(graph);
    add_co(graph, &mut edges);
    add_fr(graph, &mut edges);
    edges.is_acyclic()
}

fn is_strongly_coherent(graph: &Graph) -> bool {
    let mut edges = porf(graph);
    add_co(graph, &mut edges);
    edges.is_acyclic()
}

/// An order of all events that extends `porf`; `None` if there is a cycle.
pub(crate) fn porf_order(graph: &Graph) -> Option<Vec<Slot>> {
    Some(porf(graph).order()?.into_iter().map(|index| Slot::new(index as usize)).collect())
}

/// Immediate edges of `po`, `rf`, and of thread creation and join.
fn porf(graph: &Graph) -> Digraph {
    let mut edges = Digraph::new(graph.len());
    for (index, event) in graph.events().iter().enumerate() {
        if let Some(before) = graph.po_before(Slot::new(index)) {
            edges.add(before.index(), index);
        }
        let follows = event.is_read() || matches!(event.label, Label::Begin | Label::Join { .. });
        if follows && !event.rf.is_init() {
            edges.add(event.rf.index(), index);
        }
        if event.is_read() && graph.location(event.loc).has_parts {
            graph.sources(Slot::new(index)).for_each(|source| edges.add(source.index(), index));
        }
    }
    edges
}

/// The next write after `write` in its location's coherence order.
fn co_next(graph: &Graph, loc: atropos_graph::LocId, write: Slot) -> Option<Slot> {
    graph.location(loc).co.get(graph.co_position(write) + 1).copied()
}

/// Immediate edges of `co`. Those from initial writes are left out: nothing comes before them.
fn add_co(graph: &Graph, edges: &mut Digraph) {
    for location in graph.locations() {
        for pair in location.co[1..].windows(2) {
            edges.add(pair[0].index(), pair[1].index());
        }
    }
}

/// Immediate edges of `fr`; the others follow with `co`.
fn add_fr(graph: &Graph, edges: &mut Digraph) {
    for (index, event) in graph.events().iter().enumerate() {
        if event.is_read()
            && let Some(next) = co_next(graph, event.loc, event.rf)
        {
            edges.add(index, next.index());
        }
    }
}
