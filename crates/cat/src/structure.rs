//! A candidate execution for the evaluator: a number of events and a value for each base name.

use crate::relation::Relation;
use crate::set::EventSet;
use crate::vocabulary::{BaseRelation, BaseSet};

/// `n` events with the base sets and relations given so far. A model needs only the names that its axioms depend on
/// ([`crate::Model::base_names`]); a missing one is an error.
#[derive(Clone, Debug)]
pub struct Structure {
    n: usize,
    sets: [Option<EventSet>; BaseSet::ALL.len()],
    relations: [Option<Relation>; BaseRelation::ALL.len()],
}

impl Structure {
    pub fn new(n: usize) -> Self {
        Structure { n, sets: [const { None }; _], relations: [const { None }; _] }
    }

    pub fn n_events(&self) -> usize {
        self.n
    }

    /// Sets a base set by its cat name.
    ///
    /// # Panics
    /// If the vocabulary has no such set, or if the value is over another number of events.
    pub fn set(&mut self, name: &str, value: EventSet) {
        let base = BaseSet::from_name(name).unwrap_or_else(|| panic!("`{name}` is not a base set"));
        self.put_set(base, value);
    }

    /// Sets a base relation by its cat name.
    ///
    /// # Panics
    /// If the vocabulary has no such relation, or if the value is over another number of events.
    pub fn relation(&mut self, name: &str, value: Relation) {
        let base = BaseRelation::from_name(name).unwrap_or_else(|| panic!("`{name}` is not a base relation"));
        self.put_relation(base, value);
    }

    /// [`Structure::set`] without the look-up by name.
    pub fn put_set(&mut self, base: BaseSet, value: EventSet) {
        assert_eq!(value.n_events(), self.n, "`{}` is over another number of events", base.name());
        self.sets[base as usize] = Some(value);
    }

    /// [`Structure::relation`] without the look-up by name.
    pub fn put_relation(&mut self, base: BaseRelation, value: Relation) {
        assert_eq!(value.n_events(), self.n, "`{}` is over another number of events", base.name());
        self.relations[base as usize] = Some(value);
    }

    pub fn get_set(&self, base: BaseSet) -> Option<&EventSet> {
        self.sets[base as usize].as_ref()
    }

    pub fn get_relation(&self, base: BaseRelation) -> Option<&Relation> {
        self.relations[base as usize].as_ref()
    }
}
