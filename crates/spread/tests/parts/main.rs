//! Searches of small programs in parts: the text of parts and messages, limits, and how long parts are.

mod golden;
mod limit;
mod pace;
mod successors;

use atropos_check::{Check, Finds, Settings};
use atropos_explore::catalogue::{Algorithm, Equivalence, ModelName};
use atropos_explore::{Budget, Control};
use atropos_spread::cluster::{Parts, Takers, Task, TaskOutcome};
use atropos_vm::Vm;
use std::sync::Mutex;
use std::time::Duration;

/// Workers that want so many pieces, and get them.
#[derive(Default)]
struct Wishes {
    n_wanted: usize,
    least: Duration,
    given: Mutex<Vec<Task>>,
}

impl Takers for Wishes {
    fn least(&self) -> Duration {
        self.least
    }

    fn least_piece(&self) -> Duration {
        Duration::ZERO
    }

    fn open(&self) {}

    fn n_wanted(&self) -> usize {
        self.n_wanted - self.given.lock().expect("no panic").len()
    }

    fn give(&self, piece: Task) {
        self.given.lock().expect("no panic").push(piece);
    }
}

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
        self.explore_with(Parts::new(lessons, part, budget))
    }

    fn explore_with(&self, ledger: Parts<'_>) -> TaskOutcome {
        let module = atropos_vm::text::parse("p.vm", self.program).expect("a program");
        let program = Vm::new(module, atropos_vm::Config::default()).expect("well-formed");
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
        Settings::new(Algorithm::Trust, self.model, self.equivalence)
    }
}
