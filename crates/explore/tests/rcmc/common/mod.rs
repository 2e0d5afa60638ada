//! Running RCMC in tests.

use atropos_event::Refusal;
use atropos_explore::rcmc::{Rcmc, Strong, Weak};
use atropos_explore::{Config, Control, Execution, Observer, Report, Stats, ThreadOrder, search};
use atropos_model::ReleaseSequences;

pub const CONFIG: Config = Config {
    keep_going: true,
    detect_races: true,
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

struct Count;

impl Observer for Count {
    fn violation(&mut self, _report: Report, _execution: Execution<'_>) {}

    fn refused(&mut self, refusal: Refusal) {
        panic!("refused: {refusal:?}");
    }
}

/// The counts of a program in VM text.
pub fn count(text: &str, model: &str) -> Stats {
    let module = atropos_vm::text::parse("test.vm", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let vm = atropos_vm::Vm::new(module, atropos_vm::Config::default()).expect("a well-formed program");
    let (control, c20) = (Control::default(), ReleaseSequences::Cpp20);
    match model {
        "rc11" => search(&vm, &Rcmc::<Strong>::new(c20), CONFIG, &control, 1, || Count).stats,
        "wrc11" => search(&vm, &Rcmc::<Weak>::new(c20), CONFIG, &control, 1, || Count).stats,
        _ => panic!("no model {model}"),
    }
}
