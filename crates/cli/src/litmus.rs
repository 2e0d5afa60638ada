//! Litmus tests: their final states while the search goes on, and herd's answer at its end.

use atropos_event::{EventId, SourceLocation, Value};
use atropos_litmus::condition::Quantifier;
use atropos_litmus::{Answer, Outcome, Outcomes, Test, TestResult};
use atropos_report::{Expected, Flaw, LitmusResult, Witness};
use std::collections::HashSet;
use std::fmt::Write;

/// A test, and which of its final states would speak against its condition.
pub struct Outlook<'a> {
    pub test: &'a Test,
}

impl Outlook<'_> {
    /// Does an execution that ends like this break the promise of the condition?
    pub fn is_bad(&self, outcome: &Outcome) -> bool {
        let mut alone = Outcomes::new();
        alone.add(outcome.clone());
        let Some(answer) = self.test.result(&alone).answer else { return false };
        match answer.quantifier {
            Quantifier::Exists => false,
            Quantifier::NotExists => answer.positive > 0,
            Quantifier::Forall => answer.negative > 0,
        }
    }
}

/// The final states met so far.
#[derive(Default)]
pub struct States {
    outcomes: Outcomes,
    seen: HashSet<Outcome>,
    /// An execution that breaks the promise of the condition.
    pub bad: Option<Box<Witness>>,
}

impl States {
    pub fn note(
        &mut self,
        outlook: &Outlook<'_>,
        value_of: impl FnMut(EventId) -> Value,
        witness: impl FnOnce() -> Witness,
    ) {
        let outcome = outlook.test.outcome(value_of);
        if self.bad.is_none() && !self.seen.contains(&outcome) {
            if outlook.is_bad(&outcome) {
                self.bad = Some(Box::new(witness()));
            }
            self.seen.insert(outcome.clone());
        }
        self.outcomes.add(outcome);
    }

    pub fn merge(&mut self, other: States) {
        self.outcomes.merge(other.outcomes);
        self.bad = self.bad.take().or(other.bad);
    }
}

/// Whether all executions were explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    Full,
    Partial,
}

/// The states, and the answer as far as it is certain.
pub fn result(test: &Test, states: &States, coverage: Coverage) -> (LitmusResult, Option<Answer>) {
    let result = test.result(&states.outcomes);
    let answer = result.answer.clone().filter(|answer| coverage == Coverage::Full || is_certain(answer));
    let outcome = |(state, count): &(atropos_litmus::State, u64)| {
        (state.to_string().trim_end_matches(';').to_string(), *count)
    };
    let shown = LitmusResult {
        lines: lines(&result, answer.as_ref(), coverage).expect("writing to a string"),
        outcomes: result.states.iter().map(outcome).collect(),
        condition: answer.as_ref().map(Answer::word),
    };
    (shown, answer)
}

/// Will the answer stay the same whatever other executions there are?
fn is_certain(answer: &Answer) -> bool {
    match answer.quantifier {
        Quantifier::Exists | Quantifier::NotExists => answer.positive > 0,
        Quantifier::Forall => answer.negative > 0,
    }
}

/// Herd's lines, each state with the number of executions that end in it in front, as litmus7 writes it.
fn lines(
    result: &TestResult,
    answer: Option<&Answer>,
    coverage: Coverage,
) -> Result<String, std::fmt::Error> {
    let kind = match result.answer.as_ref().map(|answer| answer.quantifier) {
        Some(Quantifier::Exists) => "Allowed",
        Some(Quantifier::NotExists) => "Forbidden",
        Some(Quantifier::Forall) | None => "Required",
    };
    let so_far = if coverage == Coverage::Full { "" } else { " (not all executions were explored)" };
    let mut text = String::new();
    writeln!(text, "Test {} {kind}", result.test)?;
    writeln!(text, "States {}{so_far}", result.states.len())?;
    for (state, count) in &result.states {
        writeln!(text, "{count:<6}:>{state}")?;
    }
    match (answer, &result.answer) {
        (Some(answer), _) => {
            writeln!(text, "{}", answer.word())?;
            writeln!(text, "Witnesses")?;
            writeln!(text, "Positive: {} Negative: {}", answer.positive, answer.negative)?;
            writeln!(text, "Condition {}", answer.condition)?;
            let observation = answer.observation();
            writeln!(
                text,
                "Observation {} {observation:?} {} {}",
                result.test, answer.positive, answer.negative
            )?;
        }
        (None, Some(open)) => writeln!(text, "Condition {} is not decided", open.condition)?,
        (None, None) => {}
    }
    Ok(text)
}

/// What is wrong if the condition does not hold.
pub fn flaw(answer: &Answer) -> Flaw {
    let expected = match answer.quantifier {
        Quantifier::Exists => Expected::Some,
        Quantifier::NotExists => Expected::None,
        Quantifier::Forall => Expected::All,
    };
    Flaw::Condition { expected, condition: answer.condition.clone() }
}

/// Where the condition begins to speak of something.
pub fn condition_location(test: &Test, file: &str, text: &str) -> Option<SourceLocation> {
    let mut start = None;
    test.condition()?.prop.for_each_atom(&mut |atom| start = start.or(Some(atom.span.start as usize)));
    let before = text.get(..start?)?;
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Some(SourceLocation {
        file: file.to_string(),
        line: before.matches('\n').count() as u32 + 1,
        column: before[line_start..].chars().count() as u32 + 1,
    })
}
