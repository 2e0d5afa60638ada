//! Compares one program with the oracle, in all ways of exploring it.

use crate::conformance::compare::{ALWAYS, IN_TURN, Machines, Way, compare, explore, has_many_executions};
use crate::conformance::compile::compile_all;
use crate::conformance::shrink::shrink;
use atropos_testkit::oracle::runtime::{Behaviour, RuntimeConfig, RuntimeProgram, behaviour};

/// The result of a comparison without differences.
#[derive(Clone, Debug)]
pub enum Compared {
    Agreed(Behaviour),
    /// There are too many states for the oracle, or too many outcomes to explore in all ways.
    TooLarge,
}

/// Programs with more outcomes are skipped, because each outcome has many executions.
const MOST_OUTCOMES: usize = 100;

/// The oracle's answer, unless the program is too large.
pub fn expected(program: &RuntimeProgram) -> Option<Behaviour> {
    let config = RuntimeConfig { max_states: 15_000, ..RuntimeConfig::default() };
    behaviour(program, config).filter(|expected| expected.outcomes.len() <= MOST_OUTCOMES)
}

/// Compares a program in a file of LLVM IR, in these ways.
///
/// # Errors
/// The first way that differs, and how.
pub fn check(
    ir: &str,
    number: u64,
    program: &RuntimeProgram,
    ways: &[Way],
) -> Result<Compared, (Way, String)> {
    let Some(expected) = expected(program) else { return Ok(Compared::TooLarge) };
    let machines = Machines::load(ir, number).map_err(|complaint| (ways[0], complaint))?;
    if has_many_executions(&machines.plain) {
        return Ok(Compared::TooLarge);
    }
    for &way in ways {
        let found = explore(&machines, program, number, way);
        found
            .and_then(|found| compare(way, program, &expected, &found))
            .map_err(|complaint| (way, complaint))?;
    }
    Ok(Compared::Agreed(expected))
}

/// The same for a program that is not compiled yet.
///
/// # Errors
/// The first way that differs, and how.
pub fn check_alone(number: u64, program: &RuntimeProgram, ways: &[Way]) -> Result<Compared, (Way, String)> {
    let ir = compile_all([(number, program)]).map_err(|complaint| (ways[0], complaint))?;
    check(&ir, number, program, ways)
}

/// A readable description of a difference, with the program shrunk. A program without misuse stays one.
pub fn explain(number: u64, program: &RuntimeProgram, way: Way, complaint: String) -> String {
    let mut complaint = complaint;
    let is_correct =
        |program: &RuntimeProgram| expected(program).is_some_and(|found| found.misuses.is_empty());
    let must_be_correct = is_correct(program);
    let shrunk = shrink(program.clone(), |smaller| {
        if must_be_correct && !is_correct(smaller) {
            return false;
        }
        // Shrinking needs clang.
        let Ok(ir) = compile_all([(number, smaller)]) else { return false };
        match check(&ir, number, smaller, &[way]) {
            Ok(_) => false,
            Err((_, text)) => {
                complaint = text;
                true
            }
        }
    });
    let expected = expected(&shrunk);
    format!(
        "{} and the oracle differ\n\nseed {number}:\n{program}\nshrunk to:\n{shrunk}\n{complaint}\n\
         the oracle says: {expected:?}\n",
        way.name()
    )
}

/// The ways to explore the program of a seed.
pub fn ways_of(seed: u64) -> Vec<Way> {
    let third = (seed % 4) as usize * 3;
    ALWAYS.into_iter().chain(IN_TURN[third..third + 3].iter().copied()).collect()
}
