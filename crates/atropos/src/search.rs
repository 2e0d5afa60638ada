//! One check: explores, checks the findings again, and writes the report.

use crate::Builder;
use crate::findings::{Collector, Found, Investigator};
use crate::outcome::{Outcome, Verdict};
use atropos_event::{Diagnostics, Mapping, Stats};
use atropos_explore::catalogue::{Equivalence, Method, ModelChoice};
use atropos_explore::rvf::Heuristics;
use atropos_explore::{Config, Control};
use atropos_native::Native;
use atropos_report::names::Names;
use atropos_report::{Exploration, Finding, Limit, Setup, Style, Summary, human, words};
use std::panic::Location;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

/// Checks `body` in a separate thread, because a panic that a model thread does not survive leaves traces there.
pub(crate) fn explore(
    settings: &Builder,
    body: &(dyn Fn() + Sync),
    place: &'static Location<'static>,
) -> Outcome {
    let test = thread::current().name().map(str::to_string);
    let check = || {
        let program = Native::new(body);
        let program = if settings.model.is_language() { program } else { program.draining() };
        Check { settings, program, place, test, begin: Instant::now() }.run()
    };
    thread::scope(|scope| {
        let checker = thread::Builder::new().name("atropos".to_string()).spawn_scoped(scope, check);
        let checker = checker.expect("the system has room for one more thread");
        checker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

struct Check<'a> {
    settings: &'a Builder,
    program: Native<'a>,
    /// The place of the call.
    place: &'static Location<'static>,
    /// The name of the test, if there is one.
    test: Option<String>,
    begin: Instant,
}

impl Check<'_> {
    fn run(&self) -> Outcome {
        let control = Control::default();
        let (stats, found) = thread::scope(|scope| {
            let (done, waits) = channel::<()>();
            scope.spawn(|| self.watch(&control, waits));
            let result = self.search(&control);
            drop(done);
            result
        });
        let limit = self.limit(&control, &found);
        self.conclude(stats, found, limit)
    }

    /// Stops the search at its time limit.
    fn watch(&self, control: &Control, done: Receiver<()>) {
        if let Some(most) = self.settings.max_duration
            && done.recv_timeout(most) == Err(RecvTimeoutError::Timeout)
        {
            control.stop();
        }
    }

    fn search(&self, control: &Control) -> (Stats, Found) {
        let Builder { jobs, max_executions, keep_going, model, .. } = *self.settings;
        let config =
            Config { keep_going, max_executions, detect_races: model.is_language(), ..Config::default() };
        let collector = || Collector::new(self.tracks_co(), self.settings.keeps_graphs);
        let result = self.method().explore(&self.program, config, control, jobs.max(1), collector);
        let mut found = Found::default();
        result.observers.into_iter().for_each(|collector| found.merge(collector.found));
        (result.stats, found)
    }

    fn method(&self) -> Method<'static> {
        let Builder { model, algorithm, .. } = *self.settings;
        Method {
            algorithm,
            model: ModelChoice::Builtin(model),
            mapping: Mapping::Compiled,
            release_sequences: Default::default(),
            equivalence: self.equivalence(),
            heuristics: Heuristics::default(),
        }
    }

    fn equivalence(&self) -> Equivalence {
        let Builder { model, algorithm, equivalence, .. } = *self.settings;
        algorithm.equivalence(model).unwrap_or(equivalence)
    }

    fn tracks_co(&self) -> bool {
        self.equivalence() != Equivalence::Rf
    }

    fn limit(&self, control: &Control, found: &Found) -> Option<Limit> {
        if !found.sightings.is_empty() || found.refusal.is_some() {
            return None;
        }
        let Builder { max_executions, max_duration, .. } = *self.settings;
        let by_count = max_executions.filter(|&most| control.executions() >= most).map(Limit::Executions);
        by_count.or_else(|| max_duration.filter(|_| control.is_stopped()).map(Limit::Time))
    }

    fn conclude(&self, stats: Stats, found: Found, limit: Option<Limit>) -> Outcome {
        let investigator = Investigator { settings: self.settings, program: &self.program };
        let findings = investigator.findings(&found);
        let verdict = match limit {
            _ if !findings.is_empty() => Verdict::Violation,
            _ if found.refusal.is_some() => Verdict::Refused,
            Some(_) => Verdict::Inconclusive,
            None => Verdict::Verified,
        };
        let violations = found.sightings.iter().map(|sighting| sighting.violation.kind()).collect();
        let report = match &found.refusal {
            Some(refusal) if findings.is_empty() => {
                let complaint = words::refusal(refusal, &Names::of_program(&self.program));
                Diagnostics::from(complaint).to_string()
            }
            _ => human::render(&self.summary(stats, findings, limit), Style::Plain, human::Detail::Brief),
        };
        Outcome { verdict, stats, violations, report, graphs: found.graphs }
    }

    fn summary(&self, stats: Stats, findings: Vec<Finding>, limit: Option<Limit>) -> Summary {
        let verdict = match limit {
            _ if !findings.is_empty() => atropos_report::Verdict::Violation,
            Some(limit) => atropos_report::Verdict::Inconclusive(limit),
            None => atropos_report::Verdict::Verified,
        };
        Summary {
            setup: self.setup(),
            verdict,
            is_complete: limit.is_none() && (findings.is_empty() || self.settings.keep_going),
            stats,
            time: self.begin.elapsed(),
            exploration: Exploration::default(),
            peak_rss_kib: 0,
            bounded: false,
            bounded_loops: Vec::new(),
            cells: Vec::new(),
            litmus: None,
            findings,
            warnings: Vec::new(),
            n_omitted: 0,
            replayed: None,
            errors: Vec::new(),
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
            command: match &self.test {
                Some(test) if test != "main" => format!("cargo test {test}"),
                _ => "run the program again".to_string(),
            },
            replay: None,
        }
    }
}
