//! One check of a closure, as for any other program: see [`atropos_check`].

use crate::Builder;
use crate::outcome::{Outcome, Verdict};
use atropos_check::{Check, Effort, Finds, Found, Settings, Sink};
use atropos_event::{Diagnostics, Mapping, Stats};
use atropos_explore::catalogue::{Equivalence, Method, ModelChoice};
use atropos_explore::rvf::Heuristics;
use atropos_explore::{Config, Control, Ending};
use atropos_graph::Canonical;
use atropos_native::{Native, on_own_thread};
use atropos_report::names::Names;
use atropos_report::{Limit, Setup, Style, Summary, human, words};
use std::panic::Location;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

/// Checks `body`, in a separate thread: see [`on_own_thread`].
pub(crate) fn explore(
    settings: &Builder,
    body: &(dyn Fn() + Sync),
    place: &'static Location<'static>,
) -> Outcome {
    let test = thread::current().name().map(str::to_string);
    let check = || {
        let program = Native::new(body);
        let program = if settings.model.is_language() { program } else { program.draining() };
        ClosureCheck { settings, program, place, test, begin: Instant::now() }.run()
    };
    on_own_thread(check).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

struct ClosureCheck<'a> {
    settings: &'a Builder,
    program: Native<'a>,
    /// Where the check was asked for.
    place: &'static Location<'static>,
    /// The name of the test, if it is one.
    test: Option<String>,
    begin: Instant,
}

/// All executions, for tests of Atropos itself.
#[derive(Default)]
struct Graphs(Mutex<Vec<Canonical>>);

impl Sink for Graphs {
    fn execution(&self, _ending: Ending, execution: &dyn Fn() -> Canonical) {
        let execution = execution();
        self.0.lock().expect("nothing panics while it holds the lock").push(execution);
    }

    fn start_over(&self) {
        self.0.lock().expect("nothing panics while it holds the lock").clear();
    }
}

impl ClosureCheck<'_> {
    fn run(&self) -> Outcome {
        let (control, finds, graphs) = (Control::default(), Finds::default(), Graphs::default());
        let sink = self.settings.keeps_graphs.then_some(&graphs as &dyn Sink);
        let check = Check {
            program: &self.program,
            condition: None,
            settings: self.check_settings(),
            replay: None,
            sink,
            ledger: None,
        };
        let search = thread::scope(|scope| {
            let (done, waits) = channel::<()>();
            scope.spawn(|| self.watch(&control, waits));
            let search = check.explore(&control, &finds);
            drop(done);
            search
        });
        let found = check.found(&finds, control.is_stopped());
        let limit =
            check.execution_limit(&found, control.executions()).or_else(|| self.time_limit(&control, &found));
        let mut summary = Summary::new(self.setup(), search.stats);
        check.summarise(&mut summary, &found, limit, Effort::Thorough, &|| false);
        summary.cost.time = self.begin.elapsed();
        self.outcome(&summary, &found, search.stats, graphs)
    }

    /// Stops the search when its time is over.
    fn watch(&self, control: &Control, done: Receiver<()>) {
        if let Some(most) = self.settings.max_duration
            && done.recv_timeout(most) == Err(RecvTimeoutError::Timeout)
        {
            control.stop();
        }
    }

    fn check_settings(&self) -> Settings<'static> {
        let Builder { jobs, max_executions, keep_going, model, algorithm, .. } = *self.settings;
        Settings {
            method: Method {
                algorithm,
                model: ModelChoice::Builtin(model),
                mapping: Mapping::Compiled,
                release_sequences: Default::default(),
                equivalence: self.equivalence(),
                heuristics: Heuristics::default(),
            },
            config: Config {
                keep_going,
                max_executions,
                detect_races: model.is_language(),
                ..Config::default()
            },
            jobs: jobs.max(1),
            checks_robustness: false,
            forbids_leaks: true,
            needs_exact_sizes: false,
            keeps_executions: false,
        }
    }

    fn equivalence(&self) -> Equivalence {
        let Builder { model, algorithm, equivalence, .. } = *self.settings;
        algorithm.equivalence(model).unwrap_or(equivalence)
    }

    /// The limit on the time, if that has stopped the search.
    fn time_limit(&self, control: &Control, found: &Found) -> Option<Limit> {
        let was_stopped = control.is_stopped() && found.violations.is_empty() && found.refusal.is_none();
        self.settings.max_duration.filter(|_| was_stopped).map(Limit::Time)
    }

    fn outcome(&self, summary: &Summary, found: &Found, stats: Stats, graphs: Graphs) -> Outcome {
        let refusal = found.refusal.as_ref().filter(|_| summary.findings.is_empty());
        let (verdict, report) = match refusal {
            Some(refusal) => {
                let complaint = words::refusal(refusal, &Names::of_program(&self.program));
                (Verdict::Refused, Diagnostics::from(complaint).to_string())
            }
            None => {
                let verdict = match summary.verdict {
                    atropos_report::Verdict::Verified => Verdict::Verified,
                    atropos_report::Verdict::Violation => Verdict::Violation,
                    atropos_report::Verdict::Inconclusive(_) => Verdict::Inconclusive,
                };
                (verdict, human::render(summary, Style::Plain, human::Detail::Brief))
            }
        };
        let violations = found.violations.iter().map(|found| found.violation.kind()).collect();
        let graphs = graphs.0.into_inner().expect("nothing panics while it holds the lock");
        Outcome { verdict, stats, violations, report, graphs }
    }

    fn setup(&self) -> Setup {
        let Builder { model, algorithm, jobs, .. } = *self.settings;
        Setup {
            version: env!("CARGO_PKG_VERSION").to_string(),
            file: format!("{}:{}", self.place.file(), self.place.line()),
            model: model.name().to_string(),
            model_note: None,
            algorithm: algorithm.name().to_string(),
            algorithm_note: None,
            equivalence: self.equivalence().name().to_string(),
            jobs,
            unroll: None,
            command: match &self.test {
                Some(test) if test != "main" => format!("cargo test {test}"),
                _ => "run the program again".to_string(),
            },
            replay: None,
        }
    }
}
