//! Litmus tests: their final states during the search, and herd's answer at its end.

use atropos_check::{Condition, Coverage};
use atropos_event::SourceLocation;
use atropos_graph::Graph;
use atropos_litmus::condition::Quantifier;
use atropos_litmus::{Answer, FinalValues, Outcomes, Test, TestResult};
use atropos_report::{Expected, Flaw, LitmusResult};
use std::fmt::Write;

/// A litmus test with its text.
pub struct LitmusInput {
    pub test: Test,
    pub file: String,
    pub text: String,
}

impl LitmusInput {
    /// The answer if all executions ended like this.
    pub fn answer(&self, outcome: &FinalValues) -> Option<Answer> {
        self.test.result(&Outcomes::from([(outcome.clone(), 1)])).answer
    }
}

impl Condition for LitmusInput {
    fn state(&self, graph: &Graph) -> FinalValues {
        self.test.outcome(|event| graph.event(graph.slot_of(event)).value)
    }

    fn is_bad(&self, outcome: &FinalValues) -> bool {
        self.answer(outcome).is_some_and(|answer| match answer.quantifier {
            Quantifier::Exists => false,
            Quantifier::NotExists => answer.positive > 0,
            Quantifier::Forall => answer.negative > 0,
        })
    }

    fn judge(&self, outcomes: &Outcomes, coverage: Coverage) -> atropos_check::Judgement {
        let result = self.test.result(outcomes);
        let answer = result.answer.clone().filter(|answer| coverage == Coverage::Full || is_certain(answer));
        let outcome = |(state, count): &(atropos_litmus::State, u64)| {
            (state.to_string().trim_end_matches(';').to_string(), *count)
        };
        let shown = LitmusResult {
            lines: lines(&result, answer.as_ref(), coverage).expect("writing to a string"),
            outcomes: result.states.iter().map(outcome).collect(),
            condition: answer.as_ref().map(Answer::word),
        };
        let broken = answer.filter(|answer| !answer.is_ok);
        (shown, broken.map(|answer| (flaw(&answer), condition_location(&self.test, &self.file, &self.text))))
    }
}

/// Whether no further execution can change the answer.
fn is_certain(answer: &Answer) -> bool {
    match answer.quantifier {
        Quantifier::Exists | Quantifier::NotExists => answer.positive > 0,
        Quantifier::Forall => answer.negative > 0,
    }
}

/// Herd's lines, with the number of executions in front of each state, as litmus7 prints them.
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

/// The error if the condition does not hold.
fn flaw(answer: &Answer) -> Flaw {
    let expected = match answer.quantifier {
        Quantifier::Exists => Expected::Some,
        Quantifier::NotExists => Expected::None,
        Quantifier::Forall => Expected::All,
    };
    Flaw::Condition { expected, condition: answer.condition.clone() }
}

/// The start of the condition.
fn condition_location(test: &Test, file: &str, text: &str) -> Option<SourceLocation> {
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
