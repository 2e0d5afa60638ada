//! Litmus tests with release writes and acquire reads: how many executions the algorithms need, and how many of their
//! answers differ from the oracle's [Tracer §6.1, Table 1].
//!
//! The paper's 8,064 tests are not published, so these are generated. They have no fences, which the paper turns into
//! read-modify-writes, and no search stops at the first execution that satisfies a test's condition. No location has so
//! many writes that coherence distinguishes more than the reads and final values do, so all algorithms need the same
//! number of executions. As in the paper, only RCMC under WRC11 may give wrong answers, and it needs more executions
//! than Tracer.

use crate::algorithm::{Algorithm, AlgorithmRun};
use crate::litmus::{Family, result};
use atropos_cat::Model;
use atropos_graph::Canonical;
use atropos_litmus::Test;
use atropos_testkit::UpTo;
use atropos_testkit::oracle::{EnumerationConfig, enumerate_all, rf_projection};

/// The algorithms and models of the table.
pub const TOOLS: [(&str, Algorithm, &str, UpTo); 5] = [
    ("RCMC/RC11", Algorithm::Rcmc, "rc11", UpTo::Co),
    ("RCMC/WRC11", Algorithm::Rcmc, "wrc11", UpTo::Rf),
    ("Tracer", Algorithm::Tracer, "ra", UpTo::Rf),
    ("TruSt, co", Algorithm::Trust, "ra", UpTo::Co),
    ("TruSt, rf", Algorithm::Trust, "ra", UpTo::Rf),
];

/// One line of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Line {
    pub n_executions: u64,
    /// The number of tests whose condition gets another answer than from the oracle.
    pub n_wrong: u64,
    /// The number of tests with another set of executions than the oracle's under RA, up to the algorithm's
    /// equivalence.
    pub n_different: u64,
}

/// The table for `tests`: a line for each of [`TOOLS`], and the number of tests.
///
/// # Panics
/// If the oracle rejects a test.
pub fn table(tests: impl Iterator<Item = Test>) -> ([Line; 5], u64) {
    let ra = Model::builtin("ra").expect("a built-in model");
    let (mut lines, mut n_tests) = ([Line::default(); 5], 0);
    for test in tests {
        let mut found = enumerate_all(test.program(), &[&ra], EnumerationConfig::default())
            .unwrap_or_else(|refused| panic!("{}: the oracle refuses: {refused}", test.name()));
        let by_co = found.remove(0).complete;
        let by_rf = rf_projection(&by_co);
        let expected = is_allowed(&test, by_co.iter());
        for (line, (_, algorithm, model, equivalence)) in lines.iter_mut().zip(TOOLS) {
            let task = AlgorithmRun { equivalence, ..AlgorithmRun::new(algorithm, model) };
            let mut executions = task.run(test.program()).complete;
            line.n_wrong += u64::from(is_allowed(&test, executions.iter()) != expected);
            line.n_executions += executions.len() as u64;
            executions.sort_unstable();
            let is_same = match equivalence {
                UpTo::Co => executions.iter().eq(by_co.iter()),
                UpTo::Rf => executions.iter().eq(by_rf.iter()),
            };
            line.n_different += u64::from(!is_same);
        }
        n_tests += 1;
    }
    (lines, n_tests)
}

/// Every `stride`th test, at most `limit` tests.
pub fn tests(limit: usize, stride: usize) -> impl Iterator<Item = Test> {
    Family::release_acquire().tests(limit, stride)
}

fn is_allowed<'a>(test: &Test, executions: impl Iterator<Item = &'a Canonical>) -> bool {
    result(test, executions).answer.is_some_and(|answer| answer.positive > 0)
}
