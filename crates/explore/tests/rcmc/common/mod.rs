//! Running RCMC in tests.

use atropos_event::Refusal;
use atropos_explore::rcmc::{Strong, Weak, explore};
use atropos_explore::{Config, Control, Execution, Observer, Report, Stats, ThreadOrder};
use atropos_model::ReleaseSequences;

pub const CONFIG: Config = Config {
    keep_going: true,
    detect_races: true,
    max_executions: None,
    abandon_doomed: false,
    thread_order: ThreadOrder::Learned,
    validate: false,
};

struct Count;

impl Observer for Count {
    fn violation(&mut self, _report: Report, _execution: Execution<'_>) {}

    fn refused(&mut self, refusal: Refusal, _execution: Execution<'_>) {
        panic!("refused: {refusal:?}");
    }
}

/// The counts of a program in VM text.
pub fn count(text: &str, model: &str) -> Stats {
    let module = atropos_vm::text::parse("test.vm", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let vm = atropos_vm::Vm::new(module, atropos_vm::Config::default()).expect("a well-formed program");
    let (control, c20) = (Control::default(), ReleaseSequences::Cpp20);
    match model {
        "rc11" => explore::<_, Strong, _>(&vm, c20, CONFIG, &control, || Count).stats,
        "wrc11" => explore::<_, Weak, _>(&vm, c20, CONFIG, &control, || Count).stats,
        _ => panic!("no model {model}"),
    }
}
