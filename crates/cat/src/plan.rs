//! The compiled form of a model: a flat table of operations, each naming its operands by index.
//!
//! Equal expressions are one node (hash-consing), functions are expanded, sorts are known; evaluation is
//! then a loop over steps without name look-up, type test or recursion. Operands precede their users in the
//! table, except through the variables of a `let rec`, which form a [`Group`] evaluated as one step.

use std::collections::{BTreeSet, HashMap};

use crate::vocabulary::{BaseRelation, BaseSet};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sort {
    Set,
    Relation,
}

/// Operands of `Union`, `Intersection`, `Difference` and `Complement` have the sort of their result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    BaseSet(BaseSet),
    BaseRelation(BaseRelation),
    Universe,
    EmptySet,
    EmptyRelation,
    /// The k-th variable of a recursive group.
    Variable {
        group: u32,
        index: u32,
    },
    Identity(NodeId),
    Product(NodeId, NodeId),
    Complement(NodeId),
    Union(NodeId, NodeId),
    Intersection(NodeId, NodeId),
    Difference(NodeId, NodeId),
    Compose(NodeId, NodeId),
    Inverse(NodeId),
    Closure(NodeId),
    StarClosure(NodeId),
    Optional(NodeId),
    /// The events at which the pairs of a relation start, and those at which they end.
    Domain(NodeId),
    Range(NodeId),
}

impl Op {
    pub fn operands(self) -> impl Iterator<Item = NodeId> {
        let (first, second) = match self {
            Op::BaseSet(_) | Op::BaseRelation(_) | Op::Universe | Op::EmptySet | Op::EmptyRelation => {
                (None, None)
            }
            Op::Variable { .. } => (None, None),
            Op::Identity(a) | Op::Complement(a) | Op::Inverse(a) => (Some(a), None),
            Op::Closure(a) | Op::StarClosure(a) | Op::Optional(a) => (Some(a), None),
            Op::Domain(a) | Op::Range(a) => (Some(a), None),
            Op::Product(a, b) | Op::Union(a, b) | Op::Intersection(a, b) => (Some(a), Some(b)),
            Op::Difference(a, b) | Op::Compose(a, b) => (Some(a), Some(b)),
        };
        first.into_iter().chain(second)
    }
}

#[derive(Debug)]
pub(crate) struct PlanNode {
    pub op: Op,
    pub sort: Sort,
    /// The group whose variables the value depends on *and* inside which the node was made, if any.
    pub group: Option<u32>,
    /// The name it was first bound to, or else the text it was first made from.
    pub label: String,
    /// Whether the label is a name: that of a base relation, or of a definition.
    pub is_named: bool,
}

/// `let rec`: the least fixpoint of `variables = bodies`.
#[derive(Debug, Default)]
pub(crate) struct Group {
    pub variables: Vec<NodeId>,
    pub bodies: Vec<NodeId>,
    /// Nodes between variables and bodies that change from round to round, in order of evaluation.
    pub inner: Vec<NodeId>,
    /// The last node made before the group was complete: all it needs is at or before, all users are after.
    pub last: Option<NodeId>,
}

/// One step of an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EvalStep {
    Node(NodeId),
    Fixpoint(u32),
}

#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub nodes: Vec<PlanNode>,
    pub groups: Vec<Group>,
    interned: HashMap<Op, NodeId>,
}

impl Plan {
    pub fn node(&self, id: NodeId) -> &PlanNode {
        &self.nodes[id.index()]
    }

    /// The node for an operation, a new one only if there is none yet. `open_group` is the recursive group
    /// being defined, if any; `label` is only computed for a new node.
    pub(crate) fn intern(
        &mut self,
        op: Op,
        open_group: Option<u32>,
        label: impl FnOnce() -> String,
    ) -> NodeId {
        if let Some(&id) = self.interned.get(&op) {
            return id;
        }
        let depends = match op {
            Op::Variable { .. } => true,
            _ => op.operands().any(|operand| self.node(operand).group.is_some_and(|g| Some(g) == open_group)),
        };
        let node = PlanNode {
            op,
            sort: self.sort(op),
            group: open_group.filter(|_| depends),
            label: label(),
            is_named: matches!(op, Op::BaseSet(_) | Op::BaseRelation(_)),
        };
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.interned.insert(op, id);
        id
    }

    /// Gives a node the name a definition bound it to; the first name stays.
    pub fn name(&mut self, id: NodeId, name: &str) {
        let node = &mut self.nodes[id.index()];
        if !node.is_named {
            node.is_named = true;
            node.label = name.to_string();
        }
    }

    fn sort(&self, op: Op) -> Sort {
        match op {
            Op::BaseSet(_) | Op::Universe | Op::EmptySet | Op::Domain(_) | Op::Range(_) => Sort::Set,
            Op::Union(a, _) | Op::Intersection(a, _) | Op::Difference(a, _) | Op::Complement(a) => {
                self.node(a).sort
            }
            _ => Sort::Relation,
        }
    }

    /// Completes the group being defined.
    pub(crate) fn close_group(&mut self, group: u32, bodies: Vec<NodeId>) {
        let members =
            (0..self.nodes.len() as u32).map(NodeId).filter(|&id| self.node(id).group == Some(group));
        let inner: Vec<NodeId> =
            members.filter(|&id| !matches!(self.node(id).op, Op::Variable { .. })).collect();
        let last = Some(NodeId(self.nodes.len() as u32 - 1));
        let open = &mut self.groups[group as usize];
        (open.bodies, open.inner, open.last) = (bodies, inner, last);
    }

    /// The steps that compute `root`, less those `done` already; adds them to `done`.
    pub fn schedule(&self, root: NodeId, done: &mut BTreeSet<NodeId>) -> Vec<EvalStep> {
        let mut needed = BTreeSet::new();
        let mut work = vec![root];
        while let Some(id) = work.pop() {
            if done.contains(&id) || !needed.insert(id) {
                continue;
            }
            work.extend(self.node(id).op.operands());
            if let Some(group) = self.node(id).group {
                let group = &self.groups[group as usize];
                work.extend(group.variables.iter().chain(&group.bodies).chain(&group.inner));
            }
        }
        done.extend(&needed);
        let mut steps: Vec<(NodeId, EvalStep)> = Vec::new();
        for &id in &needed {
            let node = self.node(id);
            match (node.op, node.group) {
                (Op::BaseSet(_) | Op::BaseRelation(_), _) => {}
                (Op::Variable { group, index: 0 }, _) => {
                    let last = self.groups[group as usize].last.expect("a finished plan has no open group");
                    steps.push((last, EvalStep::Fixpoint(group)));
                }
                (_, Some(_)) => {}
                (_, None) => steps.push((id, EvalStep::Node(id))),
            }
        }
        // Stable: a fixpoint comes after the node that was made last before it.
        steps.sort_by_key(|&(id, step)| (id, matches!(step, EvalStep::Fixpoint(_))));
        steps.into_iter().map(|(_, step)| step).collect()
    }
}
