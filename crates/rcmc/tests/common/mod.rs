//! Running RCMC in tests: all executions as canonical values, or counts.

#![allow(dead_code, reason = "every test file uses its own part")]

use atropos_event::{Program, Run};
use atropos_explore::{Config, Control, Ending, Execution, Observer, Report, Search, Stats, ThreadOrder};
use atropos_graph::{Canonical, validate};
use atropos_model::ReleaseSequences;
use atropos_rcmc::{Strong, Weak, explore};
use atropos_testkit::Explored;

pub const CONFIG: Config = Config {
    keep_going: true,
    detect_races: true,
    max_executions: None,
    abandon_doomed: false,
    thread_order: ThreadOrder::Learned,
    validate: false,
};

pub struct Collect {
    explored: Explored,
    with_co: bool,
}

impl<R: Run> Observer<R> for Collect {
    fn execution(&mut self, ending: Ending, execution: Execution<'_, R>) {
        if let Err(broken) = validate(execution.graph) {
            panic!("a malformed graph: {broken:?}");
        }
        let run = execution.run;
        let canonical = Canonical::of(execution.graph, |thread| run.key(thread), self.with_co);
        match ending {
            Ending::Complete => self.explored.complete.push(canonical),
            Ending::Blocked => self.explored.blocked.push(canonical),
        }
    }

    fn violation(&mut self, report: Report, _execution: Execution<'_, R>) {
        self.explored.violations.insert(report.violation.kind);
    }

    fn refused(&mut self, reason: String, _execution: Execution<'_, R>) {
        panic!("refused: {reason}");
    }
}

/// The executions of a program under the model of that name.
pub fn explore_with<P: Program>(program: &P, model: &str, config: Config) -> Explored {
    let (control, c20) = (Control::default(), ReleaseSequences::Cpp20);
    let collect = |with_co| move || Collect { explored: Explored::default(), with_co };
    let mut search: Search<Collect> = match model {
        "rc11" => explore::<_, Strong, _>(program, c20, config, &control, collect(true)),
        "wrc11" => explore::<_, Weak, _>(program, c20, config, &control, collect(false)),
        _ => panic!("no model {model}"),
    };
    search.observers.remove(0).explored
}

struct Count;

impl<R: Run> Observer<R> for Count {
    fn violation(&mut self, _report: Report, _execution: Execution<'_, R>) {}

    fn refused(&mut self, reason: String, _execution: Execution<'_, R>) {
        panic!("refused: {reason}");
    }
}

/// The counts of a program in VM text.
pub fn count(text: &str, model: &str) -> Stats {
    count_with(text, model, CONFIG)
}

pub fn count_with(text: &str, model: &str, config: Config) -> Stats {
    let module = atropos_vm::text::parse("test.vm", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let vm = atropos_vm::Vm::new(module, atropos_vm::Config::default()).expect("a well-formed program");
    let (control, c20) = (Control::default(), ReleaseSequences::Cpp20);
    match model {
        "rc11" => explore::<_, Strong, _>(&vm, c20, config, &control, || Count).stats,
        "wrc11" => explore::<_, Weak, _>(&vm, c20, config, &control, || Count).stats,
        _ => panic!("no model {model}"),
    }
}
