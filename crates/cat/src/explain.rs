//! Why a pair is in a derived relation: the path of base edges that it stands for.
//!
//! An axiom is about `hb ; eco?` or `psc`, but people want to see `po`, `rf`, `fr`. A pair of a union is explained by
//! the side that contains it, of a composition by a middle event, of a closure by a shortest path. The walk stops at
//! base relations and at names that people read as one edge, such as `fr` or `rfe`: definitions without choice or
//! repetition.

use crate::eval::Evaluation;
use crate::plan::{NodeId, Op, Plan, Sort};

/// One step of a witness: `from` is related to `to` by the relation named `label`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub label: String,
}

/// The edges that connect the consecutive events of a cycle of `relation`.
pub(crate) fn explain_cycle(evaluation: &Evaluation<'_>, relation: NodeId, cycle: &[usize]) -> Vec<Edge> {
    let steps = cycle.iter().zip(cycle.iter().cycle().skip(1));
    let edges: Vec<Edge> = steps.flat_map(|(&from, &to)| explain(evaluation, relation, from, to)).collect();
    if edges.is_empty() {
        // Only identities: show the relation itself.
        let label = evaluation.plan.node(relation).label.clone();
        return vec![Edge { from: cycle[0], to: cycle[0], label }];
    }
    edges
}

fn explain(evaluation: &Evaluation<'_>, relation: NodeId, from: usize, to: usize) -> Vec<Edge> {
    let plan = evaluation.plan;
    let holds = |id: NodeId, from: usize, to: usize| evaluation.relation(id).contains(from, to);
    let mut edges = Vec::new();
    // The parts that are not explained yet, the next one last.
    let mut work = vec![(relation, from, to)];
    while let Some((id, from, to)) = work.pop() {
        debug_assert!(holds(id, from, to), "({from}, {to}) is not in {}", plan.node(id).label);
        match plan.node(id).op {
            _ if is_edge(plan, id) => edges.push(Edge { from, to, label: plan.node(id).label.clone() }),
            Op::Identity(_) => {}
            Op::StarClosure(_) | Op::Optional(_) if from == to => {}
            Op::Union(a, b) => work.push((if holds(a, from, to) { a } else { b }, from, to)),
            Op::Intersection(a, _) | Op::Difference(a, _) | Op::Optional(a) => work.push((a, from, to)),
            Op::Compose(a, b) => {
                let first = evaluation.relation(a);
                let middle = first.successors(from).find(|&middle| holds(b, middle, to));
                let middle = middle.expect("a pair of a composition has a middle event");
                work.extend([(b, middle, to), (a, from, middle)]);
            }
            Op::Closure(a) | Op::StarClosure(a) => {
                let path =
                    evaluation.relation(a).shortest_path(from, to).expect("a pair of a closure has a path");
                let ends = path.iter().skip(1).chain([&to]);
                let steps: Vec<_> = path.iter().zip(ends).map(|(&from, &to)| (a, from, to)).collect();
                work.extend(steps.into_iter().rev());
            }
            _ => edges.push(Edge { from, to, label: plan.node(id).label.clone() }),
        }
    }
    edges
}

/// Whether people read the relation as one edge.
fn is_edge(plan: &Plan, id: NodeId) -> bool {
    let mut work = vec![id];
    let is_candidate = plan.node(id).is_named && !matches!(plan.node(id).op, Op::Identity(_));
    while let Some(part) = work.pop().filter(|_| is_candidate) {
        match plan.node(part).op {
            _ if plan.node(part).sort == Sort::Set => {}
            Op::Union(..) | Op::Closure(_) | Op::StarClosure(_) | Op::Optional(_) => return false,
            op => work.extend(op.operands()),
        }
    }
    is_candidate
}
