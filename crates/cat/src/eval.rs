//! Evaluation of a [`Plan`] on a [`Structure`].

use crate::plan::{NodeId, Op, Plan, Sort, Step};
use crate::relation::Relation;
use crate::set::EventSet;
use crate::structure::Structure;

enum Value {
    Set(EventSet),
    Relation(Relation),
}

/// The values computed so far for one structure. The caller has made sure that the structure has every base
/// name that the steps refer to.
pub(crate) struct Evaluation<'e> {
    pub plan: &'e Plan,
    structure: &'e Structure,
    /// By node; base names stay in the structure.
    values: Vec<Option<Value>>,
}

impl<'e> Evaluation<'e> {
    pub fn new(plan: &'e Plan, structure: &'e Structure) -> Self {
        let values = std::iter::repeat_with(|| None).take(plan.nodes.len()).collect();
        Evaluation { plan, structure, values }
    }

    pub fn run(&mut self, steps: &[Step]) {
        for &step in steps {
            match step {
                Step::Node(id) => self.compute(id),
                Step::Fixpoint(group) => self.fixpoint(group),
            }
        }
    }

    /// # Panics
    /// If the node is a set, or was not computed.
    pub fn relation(&self, id: NodeId) -> &Relation {
        if let Op::BaseRelation(base) = self.plan.node(id).op {
            return self.structure.get_relation(base).expect("base names were checked");
        }
        match &self.values[id.index()] {
            Some(Value::Relation(relation)) => relation,
            _ => panic!("`{}` was not computed as a relation", self.plan.node(id).label),
        }
    }

    /// # Panics
    /// If the node is a relation, or was not computed.
    pub fn set(&self, id: NodeId) -> &EventSet {
        if let Op::BaseSet(base) = self.plan.node(id).op {
            return self.structure.get_set(base).expect("base names were checked");
        }
        match &self.values[id.index()] {
            Some(Value::Set(set)) => set,
            _ => panic!("`{}` was not computed as a set", self.plan.node(id).label),
        }
    }

    fn compute(&mut self, id: NodeId) {
        let node = self.plan.node(id);
        let value = match node.sort {
            Sort::Set => Value::Set(self.compute_set(node.op)),
            Sort::Relation => Value::Relation(self.compute_relation(node.op)),
        };
        self.values[id.index()] = Some(value);
    }

    fn compute_set(&self, op: Op) -> EventSet {
        match op {
            Op::Universe => EventSet::full(self.structure.n_events()),
            Op::EmptySet => EventSet::new(self.structure.n_events()),
            Op::Complement(a) => self.set(a).complement(),
            Op::Union(a, b) => self.set(a).union(self.set(b)),
            Op::Intersection(a, b) => self.set(a).intersection(self.set(b)),
            Op::Difference(a, b) => self.set(a).difference(self.set(b)),
            Op::Domain(a) => self.ends(self.relation(a).pairs().map(|(from, _)| from)),
            Op::Range(a) => self.ends(self.relation(a).pairs().map(|(_, to)| to)),
            _ => unreachable!("{op:?} makes no new set"),
        }
    }

    fn ends(&self, events: impl Iterator<Item = usize>) -> EventSet {
        EventSet::from_events(self.structure.n_events(), events)
    }

    fn compute_relation(&self, op: Op) -> Relation {
        match op {
            Op::EmptyRelation => Relation::new(self.structure.n_events()),
            Op::Identity(set) => Relation::identity(self.set(set)),
            Op::Product(a, b) => Relation::product(self.set(a), self.set(b)),
            Op::Complement(a) => self.relation(a).complement(),
            Op::Union(a, b) => self.relation(a).union(self.relation(b)),
            Op::Intersection(a, b) => self.relation(a).intersection(self.relation(b)),
            Op::Difference(a, b) => self.relation(a).difference(self.relation(b)),
            Op::Compose(a, b) => self.relation(a).compose(self.relation(b)),
            Op::Inverse(a) => self.relation(a).inverse(),
            Op::Closure(a) => self.relation(a).transitive_closure(),
            Op::StarClosure(a) => self.relation(a).reflexive_transitive_closure(),
            Op::Optional(a) => self.relation(a).reflexive(),
            Op::Variable { .. }
            | Op::BaseSet(_)
            | Op::BaseRelation(_)
            | Op::Universe
            | Op::EmptySet
            | Op::Domain(_)
            | Op::Range(_) => unreachable!("{op:?} makes no new relation"),
        }
    }

    /// Kleene iteration from the empty relations. The bodies are monotone (checked when the model was
    /// lowered), so each round adds a pair or is the last.
    fn fixpoint(&mut self, group: u32) {
        let plan = self.plan;
        let group = &plan.groups[group as usize];
        for variable in &group.variables {
            self.values[variable.index()] = Some(Value::Relation(Relation::new(self.structure.n_events())));
        }
        loop {
            group.inner.iter().for_each(|&id| self.compute(id));
            let next: Vec<Relation> = group.bodies.iter().map(|&body| self.relation(body).clone()).collect();
            let mut has_grown = false;
            for (&variable, next) in group.variables.iter().zip(next) {
                has_grown |= *self.relation(variable) != next;
                self.values[variable.index()] = Some(Value::Relation(next));
            }
            if !has_grown {
                return;
            }
        }
    }
}
