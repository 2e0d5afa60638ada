//! Searches of small programs in parts: the text of parts and messages, limits, and how long parts are.

mod golden;
mod limit;
mod pace;

use atropos_check::{Check, Finds, Settings};
use atropos_event::Mapping;
use atropos_explore::catalogue::{Algorithm, Equivalence, Method, ModelChoice, ModelName};
use atropos_explore::rvf::Heuristics;
use atropos_explore::{Budget, Config, Control};
use atropos_spread::cluster::{OnePart, TaskOutcome};
use atropos_vm::Vm;

/// A search to divide.
struct Subject {
    /// The program as VM text.
    program: &'static str,
    model: ModelName,
    equivalence: Equivalence,
}

impl Subject {
    /// Explores a part in a process of its own, as a worker does.
    fn explore(&self, lessons: &str, part: &str, budget: Budget) -> TaskOutcome {
        let module = atropos_vm::text::parse("p.vm", self.program).expect("a program");
        let program = Vm::new(module, atropos_vm::Config::default()).expect("well-formed");
        let ledger = OnePart::new(lessons, part, budget);
        let settings = self.settings();
        let check = Check {
            program: &program,
            condition: None,
            settings,
            replay: None,
            sink: None,
            ledger: Some(&ledger),
        };
        let (control, finds) = (Control::default(), Finds::default());
        drop(check.explore(&control, &finds));
        ledger.into_outcome().expect("nothing stops it")
    }

    fn settings(&self) -> Settings<'static> {
        let method = Method {
            algorithm: Algorithm::Trust,
            model: ModelChoice::Builtin(self.model),
            mapping: Mapping::Compiled,
            release_sequences: Default::default(),
            equivalence: self.equivalence,
            heuristics: Heuristics::default(),
        };
        Settings {
            method,
            config: Config::default(),
            jobs: 1,
            checks_robustness: false,
            forbids_leaks: false,
            needs_exact_sizes: true,
            keeps_executions: false,
        }
    }
}
