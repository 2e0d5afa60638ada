//! The result of one check.

use crate::finding::Finding;
use crate::survey::Survey;
use crate::trace::Trace;
use atropos_event::{BoundedLoop, Diagnostic, MixedCell, Place, SourceLocation, Stats};
use std::time::Duration;

/// The verdict. `violation` does not mean that the search was complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Verified,
    Violation,
    Inconclusive(Limit),
}

/// Why a search does not cover all executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    Executions(u64),
    Time(Duration),
    MemoryMib(u64),
    Interrupt,
    /// Everything was explored, but the model does not treat accesses of several sizes exactly.
    MixedSizes,
}

impl Limit {
    /// The name that scripts see.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Executions(_) => "max-executions",
            Limit::Time(_) => "timeout",
            Limit::MemoryMib(_) => "memory-limit",
            Limit::Interrupt => "interrupt",
            Limit::MixedSizes => "mixed-sizes",
        }
    }
}

/// The resolved settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    pub version: String,
    pub file: String,
    pub model: String,
    /// A note about the model, such as `release sequences of C11`.
    pub model_note: Option<String>,
    pub algorithm: String,
    /// Why it or the equivalence was chosen, if they are neither the default's nor asked for.
    pub algorithm_note: Option<String>,
    pub equivalence: String,
    pub jobs: usize,
    /// The bound for all loops that have no other one.
    pub unroll: Option<u32>,
    /// Whether one given execution is explored, and no other.
    pub is_replay: bool,
    /// The command that finds the first violation again.
    pub command: String,
    /// The command that replays it, if its execution is written to a file.
    pub replay: Option<String>,
}

/// The final states of a litmus test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LitmusResult {
    /// Herd's lines.
    pub lines: String,
    pub outcomes: Vec<(String, u64)>,
    /// `Ok` or `No`, once it is certain.
    pub condition: Option<&'static str>,
}

/// The cost of the search, without reading and compiling the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exploration {
    pub wall: Duration,
    /// Of all workers, in user and kernel mode.
    pub cpu: Duration,
}

/// What a check has cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    pub time: Duration,
    pub exploration: Exploration,
    pub peak_rss_kib: u64,
}

/// Whether the first violation also happens under another model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Elsewhere {
    pub model: String,
    /// Whether some execution goes wrong in the same way; otherwise none goes wrong at all.
    pub happens: bool,
}

/// An order that must be stronger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MendedOrder {
    pub location: Option<SourceLocation>,
    /// `load`, `store`, ...
    pub operation: &'static str,
    pub before: &'static str,
    pub after: &'static str,
}

/// Whether stronger orders make the program verify.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mending {
    /// With these orders, no execution goes wrong.
    By(Vec<MendedOrder>),
    /// Whatever the orders, an execution goes wrong.
    No,
}

/// What short searches have found out about the first violation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Insight {
    /// Other models of which it is known.
    pub elsewhere: Vec<Elsewhere>,
    pub mending: Option<Mending>,
}

/// How much of the program's behaviour was explored.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Coverage {
    /// All executions were explored.
    pub is_complete: bool,
    /// A loop bound stopped some thread of some execution.
    pub bounded: bool,
    pub bounded_loops: Vec<BoundedLoop>,
    /// A loop that may have no end: where it is, and how often some thread has repeated it.
    pub longest_loop: Option<(Place, u64)>,
    /// Locations that the program accesses in parts and the model as one, where that may matter.
    pub cells: Vec<MixedCell>,
    /// The reductions that have left executions out.
    pub reductions: Vec<&'static str>,
    /// How many executions there may be, and where they come from.
    pub survey: Option<Survey>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    pub setup: Setup,
    pub verdict: Verdict,
    pub coverage: Coverage,
    pub stats: Stats,
    pub cost: Cost,
    pub litmus: Option<LitmusResult>,
    pub findings: Vec<Finding>,
    /// Worth mentioning, but not a violation: memory that is never freed.
    pub warnings: Vec<Finding>,
    /// The number of violations that are not among the findings, because there are too many.
    pub n_omitted: u64,
    /// The execution that was replayed, if nothing goes wrong in it. No other one was explored.
    pub replayed: Option<Trace>,
    /// Why the program cannot be checked any further.
    pub errors: Vec<Diagnostic>,
    pub insight: Insight,
}

impl Summary {
    /// The execution of the first violation, or the one that was replayed.
    pub fn shown_trace(&self) -> Option<&Trace> {
        self.findings.iter().find_map(|finding| finding.trace.as_ref()).or(self.replayed.as_ref())
    }

    /// All executions that reports show.
    pub fn traces_mut(&mut self) -> impl Iterator<Item = &mut Trace> {
        let findings = self.findings.iter_mut().chain(&mut self.warnings);
        findings.filter_map(|finding| finding.trace.as_mut()).chain(&mut self.replayed)
    }

    /// A search that has found nothing, and may not have come to its end.
    pub fn new(setup: Setup, stats: Stats) -> Summary {
        Summary {
            setup,
            verdict: Verdict::Verified,
            coverage: Coverage::default(),
            stats,
            cost: Cost::default(),
            litmus: None,
            findings: Vec::new(),
            warnings: Vec::new(),
            n_omitted: 0,
            replayed: None,
            errors: Vec::new(),
            insight: Insight::default(),
        }
    }
}
