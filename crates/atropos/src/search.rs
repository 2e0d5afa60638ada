//! One check of a closure, as for any other program: see [`atropos_check`].

use crate::Builder;
#[cfg(feature = "cluster")]
use crate::cluster::{Role, Spread, TaskExplorer};
use crate::outcome::{Outcome, Verdict};
use crate::replay::{self, Identity, Record};
use crate::sources;
use atropos_check::{Check, Effort, Finds, Found, Settings, Sink, SurveyProgress, survey};
use atropos_event::{Diagnostics, Program, Refusal, RefusalReason, SourceLocation, Stats};
use atropos_explore::catalogue::{Algorithm, Equivalence, Method};
use atropos_explore::{Config, Control, Ending, Ledger};
use atropos_graph::Canonical;
use atropos_native::{Native, on_own_thread};
use atropos_report::names::Names;
use atropos_report::{Format, Limit, Setup, Style, Summary, Survey, human, words};
#[cfg(feature = "cluster")]
use atropos_spread::cluster::{Parts, Successors, Takers, Task, TaskOutcome};
use std::panic::Location;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// Checks `body`, in a separate thread: see [`on_own_thread`].
pub(crate) fn explore(
    settings: &Builder,
    body: &(dyn Fn() + Sync),
    place: &'static Location<'static>,
) -> Outcome {
    let identity = Identity::next(place);
    let record = Record::wanted(&identity);
    let check = || {
        let begin = Instant::now();
        let survey = take_survey(settings, body);
        let check = |is_spread| ClosureCheck {
            settings,
            survey: survey.clone(),
            program: program(settings, body, is_spread),
            place,
            identity,
            record,
            is_spread,
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
    let program = if settings.timeouts { program } else { program.without_timeouts() };
    let program = if settings.retries { program.with_retries() } else { program };
    let program = if settings.model.is_language() { program } else { program.draining() };
    if is_spread { program.spread() } else { program }
}

/// Descends at random before the search, on a program of its own, so that what descents learn changes nothing.
fn take_survey(settings: &Builder, body: &(dyn Fn() + Sync)) -> Option<Survey> {
    const MOST_TIME: Duration = Duration::from_secs(2);
    const MOST_DESCENTS: u64 = 10_000;
    if !settings.profile {
        return None;
    }
    let (control, progress) = (Control::default(), SurveyProgress::default());
    thread::scope(|scope| {
        let (done, waits) = channel::<()>();
        scope.spawn(|| stop_after(MOST_TIME, &control, waits));
        let twin = program(settings, body, false);
        let found = survey(&twin, &check_settings(settings), &control, MOST_DESCENTS, &progress);
        drop(done);
        found
    })
}

/// Stops a search after some time, unless it is done.
fn stop_after(time: Duration, control: &Control, done: Receiver<()>) {
    if done.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
        control.stop();
    }
}

fn check_settings(builder: &Builder) -> Settings<'static> {
    let Builder { jobs, max_executions, keep_going, model, algorithm, equivalence, .. } = *builder;
    let settings = Settings::new(algorithm, model, algorithm.equivalence(model).unwrap_or(equivalence));
    Settings {
        config: Config { keep_going, max_executions, latest_first: true, ..settings.config },
        jobs: jobs.max(1),
        forbids_leaks: true,
        needs_exact_sizes: false,
        ..settings
    }
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
    survey: Option<Survey>,
    program: Native<'a>,
    /// Where the check was asked for.
    place: &'static Location<'static>,
    identity: Identity,
    /// The execution to replay, instead of exploring all.
    record: Option<Record>,
    is_spread: bool,
    begin: Instant,
}

/// All executions, for tests of Atropos itself.
#[derive(Default)]
struct Graphs(Mutex<Vec<Canonical>>);

impl Sink for Graphs {
    fn execution(&self, _ending: Ending, execution: &dyn Fn() -> Canonical) {
        let execution = execution();
        self.all().push(execution);
    }

    fn start_over(&self) {
        self.all().clear();
    }
}

impl Graphs {
    fn all(&self) -> MutexGuard<'_, Vec<Canonical>> {
        self.0.lock().expect("nothing panics while it holds the lock")
    }

    /// Executions up to `rf`.
    fn forget_co(&self) {
        self.all().iter_mut().for_each(|execution| execution.co.clear());
    }
}

/// A search, and what it has found.
struct Attempt {
    control: Control,
    found: Found,
    stats: Stats,
}

/// The same search up to `co`, as long as no write has a choice of its place. Then it visits the same executions, and is
/// faster: it need not look for a coherence order [ALGORITHMS §C.4].
fn tracking_co(settings: Settings<'static>) -> Settings<'static> {
    let method = Method { equivalence: Equivalence::Co, ..settings.method };
    let config = Config { stop_at_places: true, ..settings.config };
    Settings { method, config, ..settings }
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
    fn explore(
        &self,
        task: &Task,
        takers: &dyn Takers,
        successors: &dyn Successors,
        control: &Control,
    ) -> TaskOutcome {
        let program = program(self.check.settings, self.body, true);
        let ledger = Parts::of(task, takers).then(successors);
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
        let graphs = Graphs::default();
        let sink = self.settings.keeps_graphs.then_some(&graphs as &dyn Sink);
        if let Err(complaint) = self.teach() {
            return Outcome::refused(complaint);
        }
        let settings = self.check_settings();
        let replay = self.record.as_ref().map(|record| &record.execution);
        let mut check = Check { program: &self.program, condition: None, settings, replay, sink, ledger };
        let mut first = None;
        if ledger.is_none() && self.may_track_co() {
            check.settings = tracking_co(settings);
            first = Some(self.explore(&check, is_stopped));
            graphs.forget_co();
        }
        let attempt = first.filter(|first| !first.control.has_choice_of_place()).unwrap_or_else(|| {
            check.settings = settings;
            graphs.start_over();
            self.explore(&check, is_stopped)
        });
        let Attempt { control, found, stats } = attempt;
        if let (Some(record), Err(difference)) = (&self.record, check.check_replay(&found, &|| false)) {
            return Outcome::refused(record.complaint(&difference));
        }
        let limit =
            check.execution_limit(&found, control.executions()).or_else(|| self.time_limit(&control, &found));
        let mut summary = Summary::new(self.setup(), stats);
        check.summarise(&mut summary, &found, limit, Effort::Thorough, &|| false);
        summary.cost.time = self.begin.elapsed();
        summary.coverage.survey.clone_from(&self.survey);
        summary.setup.replay = self.keep(&summary);
        sources::quote(&mut summary);
        self.write_reports(&summary);
        self.outcome(&summary, &found, stats, graphs)
    }

    /// One search, with what is left of the time.
    fn explore(&self, check: &Check<'_>, is_stopped: bool) -> Attempt {
        let (control, finds) = (Control::default(), Finds::default());
        if is_stopped {
            control.stop();
        }
        let (stats, found) = thread::scope(|scope| {
            let (done, waits) = channel::<()>();
            scope.spawn(|| self.watch(&control, waits));
            let search = check.explore(&control, &finds);
            drop(done);
            (search.stats, check.found(&finds, control.is_stopped()))
        });
        Attempt { control, found, stats }
    }

    /// Whether a search up to `rf` may first be tried up to `co`.
    fn may_track_co(&self) -> bool {
        let Builder { algorithm, .. } = *self.settings;
        algorithm == Algorithm::Trust && self.equivalence() == Equivalence::Rf && self.record.is_none()
    }

    /// Prepares the program for the execution to replay, if there is one.
    fn teach(&self) -> Result<(), String> {
        let Some(record) = &self.record else { return Ok(()) };
        let mut words = record.knowledge.split_ascii_whitespace();
        let unknown = words.find(|word| self.program.recall(word).is_none());
        unknown.map_or(Ok(()), |word| Err(record.complaint(&format!("there is no word {word}"))))
    }

    /// Keeps the first violating execution. Returns the command that replays it.
    fn keep(&self, summary: &Summary) -> Option<String> {
        let can_be_kept = self.record.is_none() && self.program.stray().is_none();
        let trace = summary.findings.first().filter(|_| can_be_kept)?.trace.as_ref()?;
        replay::keep(&self.identity, &self.program.knowledge(), &trace.graph)
    }

    fn write_reports(&self, summary: &Summary) {
        for path in &self.settings.reports {
            let name = path.display();
            let format = Format::of(path).unwrap_or_else(|fault| panic!("{name}: {fault}"));
            if let Some(text) = format.render(summary, &sources::text) {
                std::fs::write(path, text).unwrap_or_else(|error| panic!("cannot write {name}: {error}"));
            }
        }
    }

    /// Has other processes explore, and reports what they have come to.
    #[cfg(feature = "cluster")]
    fn run_spread(&self, role: Role, body: &(dyn Fn() + Sync)) -> Outcome {
        let control = Control::default();
        let Builder { model, algorithm, jobs, max_executions, keep_going, .. } = *self.settings;
        let names = [
            ("model", model.name().to_string()),
            ("algorithm", algorithm.name().to_string()),
            ("equivalence", self.equivalence().name().to_string()),
            ("keep_going", keep_going.to_string()),
        ];
        let spread = Spread {
            program: self.identity.program(),
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
            Err(outcome) => *outcome,
        }
    }

    /// Stops the search when its time is over.
    fn watch(&self, control: &Control, done: Receiver<()>) {
        if let Some(most) = self.settings.max_duration {
            stop_after(most.saturating_sub(self.begin.elapsed()), control, done);
        }
    }

    fn check_settings(&self) -> Settings<'static> {
        let mut settings = check_settings(self.settings);
        if self.record.is_some() {
            settings.config.keep_going = true;
            settings.method.equivalence = self.equivalence();
        }
        settings
    }

    fn equivalence(&self) -> Equivalence {
        let Builder { model, algorithm, equivalence, .. } = *self.settings;
        if let Some(record) = &self.record {
            return if record.execution.co.is_empty() { Equivalence::Rf } else { Equivalence::Co };
        }
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
            Some(refusal) => (Verdict::Refused, self.complaint(refusal)),
            None => {
                let verdict = match summary.verdict {
                    atropos_report::Verdict::Verified if self.record.is_some() => Verdict::Inconclusive,
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

    /// Why the closure cannot be checked.
    fn complaint(&self, refusal: &Refusal) -> String {
        let is_other = matches!(refusal.reason, RefusalReason::OtherExecution { .. });
        let complaint = words::refusal(refusal, &Names::of_program(&self.program));
        let complaint = Diagnostics::from(complaint).to_string();
        match (&self.record, self.program.stray()) {
            (Some(record), _) if is_other => record.complaint(&complaint),
            (None, Some(place)) if self.is_spread => stray(&place),
            _ => complaint,
        }
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
            is_replay: self.record.is_some(),
            command: self.identity.command(),
            replay: None,
        }
    }
}
