//! Value histories and equivalence classes, from the search and from the oracle.

#![allow(dead_code, reason = "each test binary uses its part")]

pub mod programs;

use atropos_event::{Label, Program, Run, ThreadKey, Value, ViolationKind};
use atropos_explore::{Config, Control, Ending, Execution, Observer, Report, Stats};
use atropos_graph::{Canonical, validate};
use atropos_rvf::{Heuristics, explore};
use std::collections::BTreeSet;

/// What every thread did and saw, and nothing about who it was seen from.
pub type History = Vec<(ThreadKey, Vec<(Label, Value)>)>;

/// A history, and which reads are causally before which.
pub type Class = (History, Vec<(usize, usize)>);

pub fn history(execution: &Canonical) -> History {
    let of_thread = |thread: &atropos_graph::CanonicalThread| {
        (thread.key, thread.events.iter().map(|event| (event.label, event.value)).collect())
    };
    execution.threads.iter().map(of_thread).collect()
}

/// The class of an execution under the reads-value-from equivalence.
pub fn class(execution: &Canonical) -> Class {
    let events: Vec<_> = execution.events().collect();
    let index = |id| events.iter().position(|&(other, _)| other == id).expect("an event of the execution");
    let n = events.len();
    let mut before = vec![vec![false; n]; n];
    for (second, (id, event)) in events.iter().enumerate() {
        if id.index() > 0 {
            before[second - 1][second] = true;
        }
        if let Some(source) = event.source {
            before[index(source)][second] = true;
        }
    }
    for middle in 0..n {
        for first in 0..n {
            if before[first][middle] {
                let beyond = before[middle].clone();
                before[first].iter_mut().zip(beyond).for_each(|(bit, more)| *bit |= more);
            }
        }
    }
    let reads: Vec<_> = (0..n).filter(|&event| events[event].1.label.is_read()).collect();
    let pairs = reads.iter().flat_map(|&first| reads.iter().map(move |&second| (first, second)));
    (history(execution), pairs.filter(|&(first, second)| before[first][second]).collect())
}

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
