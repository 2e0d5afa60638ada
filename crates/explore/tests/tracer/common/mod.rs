//! Running Tracer in tests: all executions as canonical values, or counts.

use atropos_event::{Program, Refusal};
use atropos_explore::tracer::Tracer;
use atropos_explore::{
    Config, Control, Ending, Execution, Observer, Report, Rf, Stats, ThreadOrder, Trust, search,
};
use atropos_graph::{Canonical, validate};
use atropos_testkit::Explored;

pub const CONFIG: Config = Config {
    keep_going: true,
    detect_races: false,
    max_executions: None,
    abandon_doomed: false,
    symmetry: false,
    rmws: false,
    stop_at_places: false,
    latest_first: false,
    barriers: false,
    locks: false,
    thread_order: ThreadOrder::Learned,
    validate: false,
};

#[derive(Default)]
pub struct Collect(pub Explored);

impl Observer for Collect {
    fn execution(&mut self, ending: Ending, execution: Execution<'_>) {
        if let Err(broken) = validate(execution.graph) {
            panic!("a malformed graph: {broken:?}");
        }
        let run = execution.run;
        let canonical = Canonical::of(execution.graph, |thread| run.key(thread), false);
        match ending {
            Ending::Complete => self.0.complete.push(canonical),
            Ending::Blocked => self.0.blocked.push(canonical),
        }
    }

    fn violation(&mut self, report: Report, _execution: Execution<'_>) {
        self.0.violations.insert(report.violation.kind());
    }

    fn refused(&mut self, refusal: Refusal) {
        panic!("refused: {refusal:?}");
    }
}

/// All executions of a program, as often as they are visited.
pub fn explore_with(program: &dyn Program, config: Config) -> Explored {
    explore_on(1, program, config)
}

/// The same on several workers.
pub fn explore_on(jobs: usize, program: &dyn Program, config: Config) -> Explored {
    let control = Control::default();
    let search = search(program, &Tracer, config, &control, jobs, Collect::default);
    let mut all = Explored::default();
    for Collect(part) in search.observers {
        all.complete.extend(part.complete);
        all.blocked.extend(part.blocked);
        all.violations.extend(part.violations);
    }
    all
}

struct Count;

impl Observer for Count {
    fn violation(&mut self, _report: Report, _execution: Execution<'_>) {}

    fn refused(&mut self, refusal: Refusal) {
        panic!("refused: {refusal:?}");
    }
}

/// The counts of a program in VM text.
pub fn count(text: &str) -> Stats {
    count_with(text, CONFIG)
}

pub fn count_with(text: &str, config: Config) -> Stats {
    count_on(1, text, config)
}

pub fn count_on(jobs: usize, text: &str, config: Config) -> Stats {
    let module = atropos_vm::text::parse("test.vm", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let vm = atropos_vm::Vm::new(module, atropos_vm::Config::default()).expect("a well-formed program");
    search(&vm, &Tracer, config, &Control::default(), jobs, || Count).stats
}

/// The counts of TruSt up to `rf`.
pub fn count_trust(text: &str) -> Stats {
    let module = atropos_vm::text::parse("test.vm", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let vm = atropos_vm::Vm::new(module, atropos_vm::Config::default()).expect("a well-formed program");
    let way = Trust::<_, Rf>::new(atropos_model::Ra::default());
    search(&vm, &way, CONFIG, &Control::default(), 1, || Count).stats
}
