//! Why a model forbids an execution: the axiom that does not hold, and the events that break it.
//!
//! The cat evaluator finds the cycle (or the pairs) that an axiom rules out and breaks each edge of it down to relations
//! that a person reads as one edge: `po`, `rf`, `co`, `fr`. Here the events get the names that they have in a [`Trace`].

use crate::recheck::Specification;
use crate::replay::{Replay, replay};
use crate::trace::{Blame, Trace};
use crate::witness::Witness;
use atropos_cat::bridge::{Numbered, Numbering, structure};
use atropos_cat::{Axiom, Witness as Evidence};
use atropos_event::{EventId, Program};
use atropos_graph::{Graph, LocId};

/// What a model says about one execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    pub trace: Trace,
    /// The axiom that does not hold; `None` if the model allows the execution.
    pub broken: Option<BrokenAxiom>,
}

/// An axiom that an execution does not satisfy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrokenAxiom {
    /// The name that the model gives it, or its text.
    pub name: String,
    /// The statement in the model's file: `acyclic po | rf | co | fr as sc`.
    pub statement: String,
    /// The edges that break it: a cycle if `is_cycle`, otherwise pairs by themselves.
    pub edges: Vec<Link>,
    pub is_cycle: bool,
}

/// One edge between two events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    pub from: End,
    pub relation: String,
    pub to: End,
}

/// An event at the end of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The initial write of a location.
    Initial(LocId),
    /// Index into [`Trace::events`].
    Event(usize),
}

/// Runs `witness` again, and asks the model's file about it. The events of the cycle are marked in the trace.
///
/// # Errors
/// The fresh run differs from the witness, the execution is too large for the cat file, or the file cannot judge it.
pub fn explain(
    program: &dyn Program,
    witness: &Witness,
    specification: Specification<'_>,
) -> Result<Explanation, String> {
    let mut replayed = replay(program, witness)?;
    if !specification.may_ask_cat(&replayed.graph) {
        return Err(format!("an execution of {} events is too large to be explained", replayed.graph.len()));
    }
    let broken = broken_axiom(&replayed.graph, specification)?;
    let blame = Blame {
        events: broken.iter().flat_map(|broken| guilty(&replayed, broken)).collect(),
        thread: None,
        waiting: false,
        shows_co: true,
    };
    Ok(Explanation { trace: Trace::of(&mut replayed, program, &blame), broken })
}

/// The events that edges connect.
fn guilty(replay: &Replay<'_>, broken: &BrokenAxiom) -> Vec<EventId> {
    let ends = broken.edges.iter().flat_map(|link| [link.from, link.to]);
    let slots = ends.filter_map(|end| match end {
        End::Event(index) => Some(index),
        End::Initial(_) => None,
    });
    slots.map(|index| replay.graph.events()[index].id).collect()
}

/// The axiom of the model that an execution does not satisfy, if there is one; ends of edges are slots of `graph`.
///
/// # Errors
/// The file cannot judge it.
pub fn broken_axiom(graph: &Graph, specification: Specification<'_>) -> Result<Option<BrokenAxiom>, String> {
    let Specification { model, mapping } = specification;
    let verdict = model.check(&structure(graph, mapping)).map_err(|error| error.to_string())?;
    let atropos_cat::Consistency::Violated(violation) = verdict else { return Ok(None) };
    let numbering = Numbering::of(graph);
    let end = |number| match numbering.decode(number) {
        Numbered::Initial(loc) => End::Initial(loc),
        Numbered::Event(slot) => End::Event(slot.index()),
    };
    let axiom: Option<&Axiom> = model.axioms().iter().find(|axiom| axiom.name == violation.axiom);
    let text = axiom.map_or_else(String::new, |axiom| axiom.text.clone());
    let link =
        |from, relation: &str, to| Link { from: end(from), relation: relation.to_string(), to: end(to) };
    let (edges, is_cycle) = match &violation.witness {
        Evidence::Cycle(edges) => {
            (edges.iter().map(|edge| link(edge.from, &edge.label, edge.to)).collect(), true)
        }
        Evidence::Pairs(pairs) => (pairs.iter().map(|&(from, to)| link(from, &text, to)).collect(), false),
        Evidence::Events(events) => (events.iter().map(|&event| link(event, &text, event)).collect(), false),
        Evidence::Nothing => (Vec::new(), false),
    };
    let statement = axiom.map_or_else(|| violation.axiom.clone(), Axiom::to_string);
    Ok(Some(BrokenAxiom { name: violation.axiom, statement, edges, is_cycle }))
}

impl Explanation {
    /// An edge in words: its first event, the relation, its second event.
    pub fn words(&self, link: &Link) -> [String; 3] {
        [self.describe(link.from), format!("─ {} ─", link.relation), self.describe(link.to)]
    }

    /// The name of the event at an end of an edge, and what the event does: `P0.1  W(x) rlx = 1`.
    fn describe(&self, end: End) -> String {
        match end {
            End::Initial(_) => "the initial write".to_string(),
            End::Event(index) => {
                let event = &self.trace.events[index];
                let value =
                    event.value.as_ref().map(|value| format!(" = {}", value.text)).unwrap_or_default();
                format!("{}  {}{value}", self.trace.name(index), event.label)
            }
        }
    }
}
