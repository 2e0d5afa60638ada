//! One check of a closure, as for any other program: see [`atropos_check`].

use crate::Builder;
#[cfg(feature = "cluster")]
use crate::cluster::{Role, Spread, TaskExplorer};
use crate::outcome::{Outcome, Verdict};
use atropos_check::{Check, Effort, Finds, Found, Settings, Sink};
use atropos_event::{Diagnostics, SourceLocation, Stats};
use atropos_explore::catalogue::Equivalence;
use atropos_explore::{Config, Control, Ending, Ledger};
use atropos_graph::Canonical;
use atropos_native::{Native, on_own_thread};
use atropos_report::names::Names;
use atropos_report::{Limit, Setup, Style, Summary, human, words};
#[cfg(feature = "cluster")]
use atropos_spread::cluster::{OnePart, Task, TaskOutcome};
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
        let begin = Instant::now();
        let check = |is_spread| ClosureCheck {
            settings,
            program: program(settings, body, is_spread),
            place,
            test,
            begin,
        };
        #[cfg(feature = "cluster")]
        if let Some(role) = crate::cluster::role() {
            return check(true).run_spread(role, body);
        }
        #[cfg(not(feature = "cluster"))]
        refuse_roles();
        check(false).run(None, false)
    };
    on_own_thread(check).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The closure as a program, for a search in this process or in several.
fn program<'a>(settings: &Builder, body: &'a (dyn Fn() + Sync), is_spread: bool) -> Native<'a> {
    let program = Native::new(body);
    let program = if settings.model.is_language() { program } else { program.draining() };
    if is_spread { program.spread() } else { program }
}

/// Without the feature, no check can be spread.
#[cfg(not(feature = "cluster"))]
fn refuse_roles() {
    for name in ["ATROPOS_SERVE", "ATROPOS_WORK"] {
        let is_set = std::env::var_os(name).is_some_and(|value| !value.is_empty());
        assert!(!is_set, "{name} needs the feature `cluster` of the crate `atropos`");
    }
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

/// Why a closure cannot be checked by several processes.
fn stray(place: &SourceLocation) -> String {
    let SourceLocation { file, line, column } = place;
    format!(
        "{file}:{line}:{column}: error: this is shared by the executions, and neither static nor captured by value, so \
         other processes do not have it; create it inside of the closure\n"
    )
}

#[cfg(feature = "cluster")]
struct PartsOfClosure<'a> {
    check: &'a ClosureCheck<'a>,
    body: &'a (dyn Fn() + Sync),
}

#[cfg(feature = "cluster")]
impl TaskExplorer for PartsOfClosure<'_> {
    fn explore(&self, task: &Task, control: &Control) -> TaskOutcome {
        let program = program(self.check.settings, self.body, true);
        let ledger = OnePart::new(&task.lessons, &task.part, task.budget());
        let settings = self.check.check_settings();
        // The leader counts executions.
        let config = Config { max_executions: None, ..settings.config };
        let settings = Settings { jobs: 1, config, ..settings };
        let check = Check {
            program: &program,
            condition: None,
            settings,
            replay: None,
            sink: None,
            ledger: Some(&ledger),
        };
        let finds = Finds::default();
        let search = check.explore(control, &finds);
        ledger.conclude(&check, &finds, search)
    }
}

impl ClosureCheck<'_> {
    /// Checks, after what other processes have explored, if any, unless they were stopped.
    fn run(&self, ledger: Option<&dyn Ledger>, is_stopped: bool) -> Outcome {
        let (control, finds, graphs) = (Control::default(), Finds::default(), Graphs::default());
        if is_stopped {
            control.stop();
        }
        let sink = self.settings.keeps_graphs.then_some(&graphs as &dyn Sink);
        let check = Check {
            program: &self.program,
            condition: None,
            settings: self.check_settings(),
            replay: None,
            sink,
            ledger,
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

    /// Has other processes explore, and reports what they have come to.
    #[cfg(feature = "cluster")]
    fn run_spread(&self, role: Role, body: &(dyn Fn() + Sync)) -> Outcome {
        let control = Control::default();
        let Builder { model, algorithm, jobs, max_executions, keep_going, .. } = *self.settings;
        let test = self.test.as_deref().unwrap_or_default();
        let names = [
            ("model", model.name().to_string()),
            ("algorithm", algorithm.name().to_string()),
            ("equivalence", self.equivalence().name().to_string()),
            ("keep_going", keep_going.to_string()),
        ];
        let spread = Spread {
            name: format!("{test} {}", self.place),
            file: self.setup().file,
            settings: names.map(|(name, value)| (name.to_string(), value)).to_vec(),
            most: max_executions,
            jobs: jobs.max(1),
            control: &control,
            explorer: &PartsOfClosure { check: self, body },
        };
        let ended = thread::scope(|scope| {
            let (done, waits) = channel::<()>();
            scope.spawn(|| self.watch(&control, waits));
            let ended = spread.run(role);
            drop(done);
            ended
        });
        match ended {
            Ok((ended, is_stopped)) => self.run(Some(&ended), is_stopped),
            Err(outcome) => outcome,
        }
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
        let settings = Settings::new(algorithm, model, self.equivalence());
        Settings {
            config: Config { keep_going, max_executions, ..settings.config },
            jobs: jobs.max(1),
            forbids_leaks: true,
            needs_exact_sizes: false,
            ..settings
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
                let complaint = || words::refusal(refusal, &Names::of_program(&self.program));
                let stray = self.program.stray().map(|place| stray(&place));
                (Verdict::Refused, stray.unwrap_or_else(|| Diagnostics::from(complaint()).to_string()))
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
            is_replay: false,
            command: match &self.test {
                Some(test) if test != "main" => format!("cargo test {test}"),
                _ => "run the program again".to_string(),
            },
            replay: None,
        }
    }
}
