//! Running RVF-SMC in tests: all traces as canonical values.

#![allow(dead_code, reason = "each test binary uses its part")]

pub mod programs;

use atropos_event::{Program, Run, ViolationKind};
use atropos_explore::{Config, Control, Ending, Execution, Observer, Report, Stats};
use atropos_graph::{Canonical, validate};
use atropos_rvf::{Heuristics, explore};
use std::collections::BTreeSet;

#[derive(Default)]
pub struct Collect {
    pub complete: Vec<Canonical>,
    pub blocked: Vec<Canonical>,
    pub violations: BTreeSet<ViolationKind>,
}

impl<R: Run> Observer<R> for Collect {
    fn execution(&mut self, ending: Ending, execution: Execution<'_, R>) {
        validate(execution.graph).unwrap_or_else(|broken| panic!("{broken:?}"));
        let run = execution.run;
        let canonical = Canonical::of(execution.graph, |thread| run.key(thread), true);
        match ending {
            Ending::Complete => self.complete.push(canonical),
            Ending::Blocked => self.blocked.push(canonical),
        }
    }

    fn violation(&mut self, report: Report, _execution: Execution<'_, R>) {
        self.violations.insert(report.violation.kind);
    }

    fn refused(&mut self, reason: String, _execution: Execution<'_, R>) {
        panic!("refused: {reason}");
    }
}

pub fn search<P: Program>(program: &P, heuristics: Heuristics) -> (Stats, Collect) {
    let config = Config { keep_going: true, detect_races: false, ..Config::default() };
    let control = Control::default();
    let mut search = explore(program, heuristics, config, &control, Collect::default);
    (search.stats, search.observers.pop().expect("one worker"))
}

/// All combinations of heuristics.
pub fn all_heuristics() -> impl Iterator<Item = Heuristics> {
    (0..16).map(|bits| Heuristics {
        signals: bits & 1 == 0,
        greedy: bits & 2 == 0,
        closure: bits & 4 == 0,
        guide: bits & 8 == 0,
    })
}
