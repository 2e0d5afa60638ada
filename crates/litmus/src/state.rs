//! Final states: collected during exploration, shown in herd's form afterwards.

use crate::condition::{Atom, Constant, Observable, Prop, Quantifier, Term};
use crate::lower::Watch;
use std::collections::BTreeMap;
use std::fmt;

/// The final state of one execution: the value of each watch of the test, in order.
pub type FinalValues = Box<[i64]>;

/// How many executions ended with each outcome.
pub type Outcomes = BTreeMap<FinalValues, u64>;

/// A final state as it is shown: `0:r0=1; 1:r1=0; x=2;`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State(pub Vec<(Observable, Constant)>);

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (observable, value)) in self.0.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{observable}={value};")?;
        }
        Ok(())
    }
}

/// Interprets the outcomes of one test: which watch an observable is, and which numbers are addresses.
pub struct Reading<'test> {
    pub watches: &'test [Watch],
    /// Address and name of each location.
    pub addresses: &'test [(i64, String)],
}

impl Reading<'_> {
    fn watch(&self, observable: &Observable) -> Option<usize> {
        self.watches.iter().position(|watch| watch.observable == *observable)
    }

    /// The number of `constant` for a comparison with the watch `index`.
    fn number(&self, index: usize, constant: &Constant) -> Option<i64> {
        match constant {
            Constant::Int(value) => Some(self.watches[index].ty.interpret(*value as u64)),
            Constant::Address(name) => {
                self.addresses.iter().find(|(_, location)| location == name).map(|&(address, _)| address)
            }
        }
    }

    fn atom_holds(&self, atom: &Atom, outcome: &FinalValues) -> bool {
        let Some(left) = self.watch(&atom.left) else { return false };
        let right = match &atom.right {
            Term::Constant(constant) => self.number(left, constant),
            Term::Observable(observable) => self.watch(observable).map(|right| outcome[right]),
        };
        right == Some(outcome[left])
    }

    pub fn holds(&self, prop: &Prop, outcome: &FinalValues) -> bool {
        prop.evaluate(&mut |atom| self.atom_holds(atom, outcome))
    }

    /// The visible part of `outcome`. A number is shown as an address if its place can hold one.
    pub fn state(&self, outcome: &FinalValues) -> State {
        let shown = self.watches.iter().zip(outcome).filter(|(watch, _)| watch.is_shown);
        let constant = |watch: &Watch, value: i64| {
            let address =
                self.addresses.iter().find(|&&(address, _)| address == value && watch.ty.size() == 8);
            address.map_or(Constant::Int(value), |(_, name)| Constant::Address(name.clone()))
        };
        State(shown.map(|(watch, &value)| (watch.observable.clone(), constant(watch, value))).collect())
    }
}

/// The result of a test: its states, and whether they satisfy its condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestResult {
    pub test: String,
    /// Each with the number of executions that end in it; sorted.
    pub states: Vec<(State, u64)>,
    /// `None` for a test without a condition.
    pub answer: Option<Answer>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    pub quantifier: Quantifier,
    /// The condition as herd writes it.
    pub condition: String,
    /// The condition holds.
    pub is_ok: bool,
    /// Executions whose final state satisfies the proposition, and those whose does not.
    pub positive: u64,
    pub negative: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observation {
    Always,
    Sometimes,
    Never,
}

impl Answer {
    pub fn observation(&self) -> Observation {
        match (self.positive, self.negative) {
            (0, _) => Observation::Never,
            (_, 0) => Observation::Always,
            _ => Observation::Sometimes,
        }
    }

    /// `Ok` or `No`.
    pub fn word(&self) -> &'static str {
        if self.is_ok { "Ok" } else { "No" }
    }
}

/// The lines herd prints, without `Hash` and `Time`.
impl fmt::Display for TestResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.answer.as_ref().map(|answer| answer.quantifier) {
            Some(Quantifier::Exists) => "Allowed",
            Some(Quantifier::NotExists) => "Forbidden",
            Some(Quantifier::Forall) | None => "Required",
        };
        writeln!(f, "Test {} {kind}", self.test)?;
        writeln!(f, "States {}", self.states.len())?;
        for (state, _) in &self.states {
            writeln!(f, "{state}")?;
        }
        let Some(answer) = &self.answer else { return Ok(()) };
        writeln!(f, "{}", answer.word())?;
        writeln!(f, "Witnesses")?;
        writeln!(f, "Positive: {} Negative: {}", answer.positive, answer.negative)?;
        writeln!(f, "Condition {}", answer.condition)?;
        let observation = answer.observation();
        writeln!(f, "Observation {} {observation:?} {} {}", self.test, answer.positive, answer.negative)
    }
}
