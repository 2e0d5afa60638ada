//! The final states of complete executions, for a program with a condition on them: a litmus test.

use atropos_event::SourceLocation;
use atropos_graph::Graph;
use atropos_report::{Flaw, LitmusResult, Witness};
use std::collections::BTreeMap;

/// The final values that a condition mentions.
pub type FinalState = Box<[i64]>;

/// A condition on final states.
pub trait Condition: Sync {
    /// The final state of a complete execution.
    fn state(&self, graph: &Graph) -> FinalState;

    /// Whether an execution that ends in `state` violates the condition.
    fn is_bad(&self, state: &FinalState) -> bool;

    /// The report's text on these states, each with its number of executions; and the violation of the condition, with
    /// its place, as far as it is certain.
    fn judge(&self, states: &BTreeMap<FinalState, u64>, coverage: Coverage) -> Judgement;
}

pub type Judgement = (LitmusResult, Option<(Flaw, Option<SourceLocation>)>);

/// Whether the search has explored all executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    Full,
    Partial,
}

/// The final states so far.
#[derive(Default)]
pub struct FinalStates {
    pub counts: BTreeMap<FinalState, u64>,
    /// An execution that violates the condition.
    pub bad: Option<Box<Witness>>,
}

impl FinalStates {
    pub(crate) fn add(
        &mut self,
        condition: &dyn Condition,
        graph: &Graph,
        witness: impl FnOnce() -> Witness,
    ) {
        let state = condition.state(graph);
        if self.bad.is_none() && !self.counts.contains_key(&state) && condition.is_bad(&state) {
            self.bad = Some(Box::new(witness()));
        }
        *self.counts.entry(state).or_default() += 1;
    }

    pub(crate) fn merge(&mut self, other: FinalStates) {
        for (state, count) in other.counts {
            *self.counts.entry(state).or_default() += count;
        }
        self.bad = self.bad.take().or(other.bad);
    }
}
