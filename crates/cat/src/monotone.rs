//! Whether a model is prefix-closed because it is monotone.
//!
//! Removing events from an execution removes edges of `po`, `rf`, `co`, `rmw` and `sync`, and adds none. If every
//! axiom forbids a cycle, a reflexive pair or any pair in a relation that only grows with these, then what holds for
//! an execution holds for its prefixes [TruSt §3.1]. This is a matter of syntax: none of them may occur under `~` or
//! to the right of `\`, and no axiom may be negated. Sets, `loc`, `int`, `ext` and `id` are properties of the events
//! themselves and may occur anywhere.

use crate::model::{Axiom, Model};
use crate::plan::{NodeId, Op, Plan};
use crate::vocabulary::BaseRelation;
use std::collections::BTreeSet;
use std::fmt;

/// Why the syntax of a model does not show that it is prefix-closed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotMonotone {
    pub axiom: String,
    /// The expression that shrinks if an execution grows; `None` if the axiom itself is negated.
    pub expression: Option<String>,
}

impl fmt::Display for NotMonotone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.expression {
            Some(expression) => write!(
                f,
                "axiom `{}` subtracts `{expression}`, so it may forbid a prefix of an allowed execution",
                self.axiom
            ),
            None => write!(
                f,
                "axiom `{}` is negated, so it may forbid a prefix of an allowed execution",
                self.axiom
            ),
        }
    }
}

impl std::error::Error for NotMonotone {}

pub(crate) fn check<'m>(
    plan: &Plan,
    axioms: impl Iterator<Item = (&'m Axiom, NodeId)>,
) -> Result<(), NotMonotone> {
    for (axiom, node) in axioms {
        let found = if axiom.is_negated { Some(None) } else { shrinking(plan, node).map(Some) };
        if let Some(expression) = found {
            return Err(NotMonotone { axiom: axiom.name.clone(), expression });
        }
    }
    Ok(())
}

/// A node in a negative position below `root` that depends on the edges of the execution.
fn shrinking(plan: &Plan, root: NodeId) -> Option<String> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![root]);
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let taken_away = match plan.node(id).op {
            Op::Complement(inner) | Op::Difference(_, inner) => Some(inner),
            _ => None,
        };
        if let Some(inner) = taken_away.filter(|&inner| depends_on_edges(plan, inner)) {
            return Some(plan.node(inner).label.clone());
        }
        open.extend(below(plan, id));
    }
    None
}

fn depends_on_edges(plan: &Plan, root: NodeId) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![root]);
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match plan.node(id).op {
            Op::BaseRelation(
                BaseRelation::Loc
                | BaseRelation::Overlap
                | BaseRelation::Covers
                | BaseRelation::Pieces
                | BaseRelation::Int
                | BaseRelation::Ext,
            ) => {}
            Op::BaseRelation(_) => return true,
            _ => open.extend(below(plan, id)),
        }
    }
    false
}

/// The operands of a node; for a variable of a `let rec`, the bodies of its group.
fn below(plan: &Plan, id: NodeId) -> Vec<NodeId> {
    match plan.node(id).op {
        Op::Variable { group, .. } => plan.groups[group as usize].bodies.clone(),
        op => op.operands().collect(),
    }
}

impl Model {
    /// Whether the model is prefix-closed, as far as its syntax shows.
    pub fn check_monotone(&self) -> Result<(), NotMonotone> {
        check(
            self.plan(),
            self.axioms().iter().filter(|axiom| !axiom.is_flag).map(|axiom| (axiom, axiom.node())),
        )
    }
}

impl Axiom {
    /// Whether an extension of an execution raises every flag that the execution raises: the flag depends on
    /// something that only grows.
    pub fn is_raised_for_good(&self, model: &Model) -> bool {
        self.is_flag && self.is_negated && shrinking(model.plan(), self.node()).is_none()
    }
}

#[cfg(test)]
mod tests {
    use crate::{BUILTIN_MODELS, Model};

    fn complaint(text: &str) -> Option<String> {
        let model = Model::parse("test", text, &|_, _| Ok(None)).unwrap();
        model.check_monotone().err().map(|error| error.to_string())
    }

    #[test]
    fn the_built_in_models_are_monotone() {
        for name in BUILTIN_MODELS {
            assert_eq!(Model::builtin(name).unwrap().check_monotone(), Ok(()), "{name}");
        }
    }

    #[test]
    fn taking_edges_away_is_noticed() {
        assert_eq!(complaint("acyclic po \\ (W * R) as a"), None);
        assert!(complaint("acyclic po \\ (po ; po) as a").unwrap().contains("axiom `a` subtracts `po ; po`"));
        assert!(complaint("let f(r) = ~r acyclic f(rf) as a").unwrap().contains("`rf`"));
        assert!(complaint("~empty rf as a").unwrap().contains("is negated"));
        assert!(complaint("let rec r = (po \\ co) | (r ; r) acyclic r as a").unwrap().contains("`co`"));
    }
}
