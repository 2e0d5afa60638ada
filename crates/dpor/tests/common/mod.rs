//! Both algorithms behind one function: program and machine in, all executions out.

use atropos_dpor::{Algorithm, Buffers, Search, explore};
use atropos_event::{Mapping, Program, Run, ViolationKind};
use atropos_explore::{Config, Control, Ending, Execution, Observer, Report};
use atropos_graph::{Canonical, validate};
use atropos_testkit::Explored;
use std::collections::BTreeSet;

/// Collects every execution, and checks that its graph is well-formed.
#[derive(Debug, Default)]
pub struct Collect {
    pub explored: Explored,
    pub violations: BTreeSet<ViolationKind>,
}

impl<R: Run> Observer<R> for Collect {
    fn execution(&mut self, ending: Ending, execution: Execution<'_, R>) {
        if let Err(broken) = validate(execution.graph) {
            panic!("a malformed graph: {broken:?}");
        }
        let run = execution.run;
        let canonical = Canonical::of(execution.graph, |thread| run.key(thread), true);
        match ending {
            Ending::Complete => self.explored.complete.push(canonical),
            Ending::Blocked => self.explored.blocked.push(canonical),
        }
    }

    fn violation(&mut self, report: Report, _execution: Execution<'_, R>) {
        self.violations.insert(report.violation.kind);
    }

    fn refused(&mut self, reason: String, _execution: Execution<'_, R>) {
        panic!("the program is refused: {reason}");
    }
}

/// Only counts.
#[derive(Debug, Default)]
pub struct Count;

impl<R: Run> Observer<R> for Count {
    fn violation(&mut self, report: Report, _execution: Execution<'_, R>) {
        panic!("{report:?}");
    }

    fn refused(&mut self, reason: String, _execution: Execution<'_, R>) {
        panic!("the program is refused: {reason}");
    }
}

pub fn buffers_of(model: &str) -> Buffers {
    match model {
        "sc" => Buffers::None,
        "tso" => Buffers::PerThread,
        "pso" => Buffers::PerLocation,
        _ => panic!("no machine for {model}"),
    }
}

pub fn search<P: Program, O>(program: &P, algorithm: Algorithm, model: &str, mapping: Mapping) -> Search<O>
where
    O: for<'p> Observer<P::Run<'p>> + Default,
{
    let config = Config { keep_going: true, ..Config::default() };
    let control = Control::default();
    explore(program, (algorithm, buffers_of(model), mapping), config, &control, O::default)
}

/// The seeds of `DPOR_SEEDS=FROM..TO`.
pub fn seeds(default: std::ops::Range<u64>) -> std::ops::Range<u64> {
    let Ok(range) = std::env::var("DPOR_SEEDS") else { return default };
    let (from, to) = range.split_once("..").expect("DPOR_SEEDS=FROM..TO");
    let number = |text: &str| text.parse().expect("a seed is a number");
    number(from)..number(to)
}
