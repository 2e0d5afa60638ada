//! Runs one input through the libraries: reads it, runs it, explores a little, and checks the findings again.

use super::corpus::Format;
use super::kept;
use super::mutate::Input;
use atropos_cat::Model;
use atropos_event::{Mapping, Refusal, Violation};
use atropos_explore::Custom;
use atropos_explore::{Co, Config, Control, Execution, Observer, Report, Rf, Trust, search};
use atropos_llvm::SourceFiles;
use atropos_model::{MemoryModel, Rc11, Sc};
use atropos_report::{Context, Specification, Witness, investigate};
use atropos_vm::{Vm, text};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The maximum numbers of executions and loop iterations.
const MOST_EXECUTIONS: u64 = 20;
/// The checkpoint in the corpus has counted 5,430 of 52,338.
const MOST_OF_CHECKPOINT: u64 = 6_000;
const UNROLL: u32 = 3;

/// The result for an input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InputOutcome {
    /// It is not text, so the reader of its format never sees it.
    NotText,
    /// It was rejected with a message.
    Refused,
    /// It is a program or a model, and was explored.
    Explored,
}

/// The program on which models are tried.
pub(crate) const FOR_MODELS: &str = "C MP\n{}\nP0(atomic_int *x, atomic_int *y) { atomic_store(x, 1); atomic_store(y, 1); }\n\
    P1(atomic_int *x, atomic_int *y) { int r0 = atomic_load(y); int r1 = atomic_fetch_add(x, 1); }\n\
    exists (1:r0=1 /\\ 1:r1=0)\n";

/// Stops the two searches of an input.
pub type Controls = [Control; 2];

/// Reads and explores an input.
///
/// # Panics
/// If Atropos has a bug, which is the purpose of this function.
pub fn run(input: &Input, controls: &Controls) -> InputOutcome {
    let Ok(text) = std::str::from_utf8(&input.bytes) else { return InputOutcome::NotText };
    let vm_config = || atropos_vm::Config { unroll: Some(UNROLL), budget: 100_000, ..Default::default() };
    match input.format {
        Format::Litmus => match atropos_litmus::load_with(text, "input.litmus", vm_config()) {
            Ok(test) => explore(test.program(), controls),
            Err(complaint) => refused(&complaint.to_string()),
        },
        Format::Vm => match text::parse("input.vm", text) {
            Ok(module) => explore_module(module, vm_config(), controls),
            Err(complaint) => refused(&complaint.to_string()),
        },
        Format::Ll => {
            let texts = vec![("input.ll".to_string(), text.to_string())];
            match atropos_llvm::load(texts, "main", &Default::default(), &SourceFiles::none()) {
                Ok(loaded) => {
                    let config = atropos_vm::Config { entry: loaded.entry, ..vm_config() };
                    explore_module(loaded.module, config, controls)
                }
                Err(complaint) => refused(&complaint.to_string()),
            }
        }
        Format::Cat => match Model::parse("input.cat", text, &|_, _| Ok(None)) {
            Ok(model) => match Custom::new(model, Mapping::Compiled) {
                Ok(custom) => explore_under(&custom, &controls[0]),
                Err(complaint) => refused(&complaint),
            },
            Err(complaint) => refused(&complaint.to_string()),
        },
        Format::Checkpoint => continue_checkpoint(text, &controls[0]),
        Format::Execution => kept::repeat(text, &controls[0]),
        Format::C | Format::Cpp | Format::Bitcode => InputOutcome::NotText,
    }
}

/// The file is written and changed by the search.
fn continue_checkpoint(text: &str, control: &Control) -> InputOutcome {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!("atropos-broken-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, text).expect("there is room for small files");
    let stats = kept::continued(&file, control, Some(MOST_OF_CHECKPOINT));
    let _ = std::fs::remove_file(&file);
    if stats.is_some() { InputOutcome::Explored } else { InputOutcome::Refused }
}

/// A rejection must have a message.
fn refused(complaint: &str) -> InputOutcome {
    assert!(!complaint.trim().is_empty(), "an input is refused without a reason");
    InputOutcome::Refused
}

fn explore_module(
    module: atropos_vm::Module,
    config: atropos_vm::Config,
    controls: &Controls,
) -> InputOutcome {
    match Vm::new(module, config) {
        Ok(vm) => explore(&vm, controls),
        Err(problems) => refused(&problems.to_string()),
    }
}

fn explore(program: &Vm, controls: &Controls) -> InputOutcome {
    let config = Config { max_executions: Some(MOST_EXECUTIONS), ..Config::default() };
    let cat = Model::builtin("rc11").expect("a built-in model");
    let rc11 = search(program, &Trust::<_, Rf>::new(Rc11::default()), config, &controls[0], 1, || {
        Check::of(program, &cat, false)
    });
    drop(rc11);
    let cat = Model::builtin("sc").expect("a built-in model");
    explore_co(program, (&Sc::default(), &cat), config, &controls[1]);
    InputOutcome::Explored
}

fn explore_co<M: MemoryModel + Clone + Sync>(
    program: &Vm,
    (model, cat): (&M, &Model),
    config: Config,
    control: &Control,
) {
    let check = || Check::of(program, cat, true);
    drop(search(program, &Trust::<_, Co>::new(model.clone()), config, control, 1, check));
}

fn explore_under(custom: &Custom, control: &Control) -> InputOutcome {
    let test = atropos_litmus::load(FOR_MODELS, "mp.litmus").expect("a test that is well-formed");
    let config = Config { max_executions: Some(MOST_EXECUTIONS), detect_races: false, ..Config::default() };
    explore_co(test.program(), (custom, custom.cat()), config, control);
    InputOutcome::Explored
}

/// Checks violations again, as the command does.
struct Check<'a> {
    program: &'a Vm,
    model: &'a Model,
    tracks_co: bool,
}

impl<'a> Check<'a> {
    fn of(program: &'a Vm, model: &'a Model, tracks_co: bool) -> Self {
        Check { program, model, tracks_co }
    }

    fn confirm(&self, witness: &Witness, violation: &Violation) {
        let context = Context {
            specification: Specification { model: self.model, mapping: Mapping::Compiled },
            is_late: &|| false,
        };
        if let Err(difference) = investigate(self.program, witness, violation, context) {
            panic!("the search found {violation:?}, but its check disagrees: {difference}");
        }
    }
}

impl Observer for Check<'_> {
    fn violation(&mut self, report: Report, execution: Execution<'_>) {
        let witness = Witness::new(execution.graph, execution.run, self.tracks_co);
        self.confirm(&witness.blaming(report.thread, &report.events), &report.violation);
    }

    fn refused(&mut self, _refusal: Refusal) {}
}
