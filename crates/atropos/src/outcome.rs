//! The outcome of a check.

use atropos_event::{Stats, ViolationKind};
use atropos_graph::Canonical;

/// The verdict of a check.
///
/// ```
/// use atropos::{Builder, Verdict};
///
/// assert_eq!(Builder::new().explore(|| assert!(1 > 2)).verdict(), Verdict::Violation);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No execution goes wrong.
    Verified,
    /// An execution goes wrong.
    Violation,
    /// A limit ended the search before it found a violation.
    Inconclusive,
    /// The closure cannot be checked.
    Refused,
}

/// The outcome of a check.
///
/// ```
/// use atropos::{Builder, choose};
///
/// let outcome = Builder::new().explore(|| assert!(choose(2) == 0, "the other one"));
/// assert!(outcome.report().contains("the other one"));
/// ```
#[derive(Clone, Debug)]
pub struct Outcome {
    pub(crate) verdict: Verdict,
    pub(crate) stats: Stats,
    pub(crate) violations: Vec<ViolationKind>,
    pub(crate) report: String,
    pub(crate) graphs: Vec<Canonical>,
}

impl Outcome {
    /// The outcome of a check that did not begin.
    pub(crate) fn refused(report: String) -> Outcome {
        let (stats, violations, graphs) = (Stats::default(), Vec::new(), Vec::new());
        Outcome { verdict: Verdict::Refused, stats, violations, report, graphs }
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The number of executions in which all threads end.
    pub fn executions(&self) -> u64 {
        self.stats.executions
    }

    /// The number of executions in which some thread waits for something that never happens.
    pub fn blocked(&self) -> u64 {
        self.stats.blocked
    }

    /// The kinds of violations that were found.
    pub fn violations(&self) -> &[ViolationKind] {
        &self.violations
    }

    /// The report for people.
    pub fn report(&self) -> &str {
        &self.report
    }

    /// All executions, if they were kept: for tests of Atropos itself.
    #[doc(hidden)]
    pub fn graphs(&self) -> &[Canonical] {
        &self.graphs
    }
}
