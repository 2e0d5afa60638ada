//! Evaluation of a [`Plan`] on a [`Structure`].
//!
//! The values of all nodes lie in one piece of memory, so that evaluating a model on a small structure, which the oracle
//! does for each of its candidates, allocates once.

use crate::plan::{EvalStep, NodeId, Op, Plan, Sort};
use crate::relation::View;
use crate::rows;
use crate::set::{EventSet, words_for};
use crate::structure::Structure;
use atropos_event::bits::ones;

/// The values computed so far for one structure. The caller has made sure that the structure has every base
/// name that the steps refer to.
pub(crate) struct Evaluation<'e> {
    pub plan: &'e Plan,
    structure: &'e Structure,
    /// By node, each in a place for a relation; base names stay in the structure.
    cells: Vec<u64>,
    is_known: Vec<bool>,
}

/// The values of the nodes whose cells these are.
#[derive(Clone, Copy)]
struct Values<'v> {
    plan: &'v Plan,
    structure: &'v Structure,
    cells: &'v [u64],
    is_known: &'v [bool],
}

impl<'v> Values<'v> {
    fn relation(self, id: NodeId) -> &'v [u64] {
        if let Op::BaseRelation(base) = self.plan.node(id).op {
            return self.structure.get_relation(base).expect("base names were checked").view().rows();
        }
        self.cells_of(id, Sort::Relation)
    }

    fn set(self, id: NodeId) -> &'v [u64] {
        if let Op::BaseSet(base) = self.plan.node(id).op {
            return self.structure.get_set(base).expect("base names were checked").words();
        }
        self.cells_of(id, Sort::Set)
    }

    fn cells_of(self, id: NodeId, sort: Sort) -> &'v [u64] {
        let node = self.plan.node(id);
        assert!(node.sort == sort && self.is_known[id.index()], "`{}` is no computed {sort:?}", node.label);
        let n = self.structure.n_events();
        &self.cells[id.index() * stride(n)..][..size(n, sort)]
    }

    fn compute_set(self, op: Op, out: &mut [u64]) {
        let n = self.structure.n_events();
        match op {
            Op::Universe => out.copy_from_slice(EventSet::full(n).words()),
            Op::EmptySet => out.fill(0),
            Op::Complement(a) => rows::complement(n, self.set(a), out),
            Op::Union(a, b) => rows::zip(self.set(a), self.set(b), out, |a, b| a | b),
            Op::Intersection(a, b) => rows::zip(self.set(a), self.set(b), out, |a, b| a & b),
            Op::Difference(a, b) => rows::zip(self.set(a), self.set(b), out, |a, b| a & !b),
            Op::Domain(a) => rows::domain(n, self.relation(a), out),
            Op::Range(a) => rows::range(n, self.relation(a), out),
            _ => unreachable!("{op:?} makes no new set"),
        }
    }

    fn compute_relation(self, op: Op, out: &mut [u64]) {
        let n = self.structure.n_events();
        match op {
            Op::EmptyRelation => out.fill(0),
            Op::Identity(set) => rows::identity(self.set(set), out),
            Op::Product(a, b) => rows::product(self.set(a), self.set(b), out),
            Op::Complement(a) => rows::complement(n, self.relation(a), out),
            Op::Union(a, b) => rows::zip(self.relation(a), self.relation(b), out, |a, b| a | b),
            Op::Intersection(a, b) => rows::zip(self.relation(a), self.relation(b), out, |a, b| a & b),
            Op::Difference(a, b) => rows::zip(self.relation(a), self.relation(b), out, |a, b| a & !b),
            Op::Compose(a, b) => rows::compose(n, self.relation(a), self.relation(b), out),
            Op::Inverse(a) => rows::inverse(n, self.relation(a), out),
            Op::Closure(a) => rows::closure(n, self.relation(a), out),
            Op::StarClosure(a) => {
                rows::closure(n, self.relation(a), out);
                rows::add_identity(n, out);
            }
            Op::Optional(a) => {
                out.copy_from_slice(self.relation(a));
                rows::add_identity(n, out);
            }
            Op::Variable { .. }
            | Op::BaseSet(_)
            | Op::BaseRelation(_)
            | Op::Universe
            | Op::EmptySet
            | Op::Domain(_)
            | Op::Range(_) => unreachable!("{op:?} makes no new relation"),
        }
    }
}

impl<'e> Evaluation<'e> {
    pub fn new(plan: &'e Plan, structure: &'e Structure) -> Self {
        let n_nodes = plan.nodes.len();
        let cells = vec![0; n_nodes * stride(structure.n_events())];
        Evaluation { plan, structure, cells, is_known: vec![false; n_nodes] }
    }

    pub fn run(&mut self, steps: &[EvalStep]) {
        for &step in steps {
            match step {
                EvalStep::Node(id) => self.compute(id),
                EvalStep::Fixpoint(group) => self.fixpoint(group),
            }
        }
    }

    /// # Panics
    /// If the node is a set, or was not computed.
    pub fn relation(&self, id: NodeId) -> View<'_> {
        View::of_rows(self.structure.n_events(), self.values().relation(id))
    }

    /// # Panics
    /// If the node is a relation, or was not computed.
    pub fn set(&self, id: NodeId) -> EventSet {
        EventSet::from_events(self.structure.n_events(), ones(self.values().set(id)))
    }

    fn values(&self) -> Values<'_> {
        let Evaluation { plan, structure, ref cells, ref is_known } = *self;
        Values { plan, structure, cells, is_known }
    }

    fn compute(&mut self, id: NodeId) {
        let Evaluation { plan, structure, ref mut cells, ref mut is_known } = *self;
        let node = plan.node(id);
        let n = structure.n_events();
        // Operands precede their users.
        let (cells, rest) = cells.split_at_mut(id.index() * stride(n));
        let (out, values) = (&mut rest[..size(n, node.sort)], Values { plan, structure, cells, is_known });
        match node.sort {
            Sort::Set => values.compute_set(node.op, out),
            Sort::Relation => values.compute_relation(node.op, out),
        }
        is_known[id.index()] = true;
    }

    /// Kleene iteration from the empty relations. The bodies are monotone (checked when the model was
    /// lowered), so each round adds a pair or is the last.
    fn fixpoint(&mut self, group: u32) {
        let plan = self.plan;
        let group = &plan.groups[group as usize];
        let zeroes = vec![0; size(self.structure.n_events(), Sort::Relation)];
        group.variables.iter().for_each(|&variable| self.put(variable, &zeroes));
        loop {
            group.inner.iter().for_each(|&id| self.compute(id));
            let next: Vec<_> =
                group.bodies.iter().map(|&body| self.values().relation(body).to_vec()).collect();
            let mut has_grown = false;
            for (&variable, next) in group.variables.iter().zip(next) {
                has_grown |= self.values().relation(variable) != next;
                self.put(variable, &next);
            }
            if !has_grown {
                return;
            }
        }
    }

    fn put(&mut self, variable: NodeId, value: &[u64]) {
        let start = variable.index() * stride(self.structure.n_events());
        self.cells[start..][..value.len()].copy_from_slice(value);
        self.is_known[variable.index()] = true;
    }
}

/// The words of a value over `n` events.
fn size(n: usize, sort: Sort) -> usize {
    match sort {
        Sort::Set => words_for(n),
        Sort::Relation => n * words_for(n),
    }
}

/// The words of a place for a value of either sort.
fn stride(n: usize) -> usize {
    size(n, Sort::Set).max(size(n, Sort::Relation))
}
