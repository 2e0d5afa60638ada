//! `atropos check`: load, explore, re-check what was found, report.

use crate::args::{CheckArgs, FormatArg};
use crate::collect::{Collector, Found, Leaks, Met, Plan};
use crate::dispatch::Job;
use crate::exit::Exit;
use crate::input::{Input, Malformed};
use crate::litmus::{self, Coverage, Outlook};
use crate::options::{self, Equivalence, Options};
use crate::resources::Spent;
use crate::watch::{Progress, Watch};
use crate::{interrupt, output, resources};
use anyhow::{Context, Result};
use atropos_event::Mapping;
use atropos_explore::unfreed::Overwriting;
use atropos_explore::{Control, Stats};
use atropos_model::Custom;
use atropos_report::finding::investigate_execution;
use atropos_report::human::Detail;
use atropos_report::summary::Cell;
use atropos_report::{
    Counts, Finding, Limit, Recheck, Specification, Summary, Verdict, Witness, dot, human, investigate, json,
};
use atropos_vm::MixedCell;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

pub fn check(args: &CheckArgs) -> Result<Exit> {
    let started = Instant::now();
    let input = Input::load(args)?;
    let options = Options::resolve(args, &input)?;
    interrupt::listen()?;
    let check = Check { args, input: &input, options: &options, started, loaded: Spent::now() };
    let (stats, found, limit) = check.explore();
    if let Some(refusal) = found.refusal {
        let file = args.file.display().to_string();
        let is_located = refusal.starts_with(&file);
        return Err(Malformed(if is_located { refusal } else { format!("{file}: {refusal}") }).into());
    }
    let built_in = atropos_cat::Model::builtin(&options.specification_name());
    let model = options.custom.as_ref().map(Custom::cat).or(built_in.as_ref());
    let model = model.expect("a model is built in or the user's own");
    let specification = Specification { model, mapping: options.mapping };
    let summary = check.summarise(&stats, &found, limit, specification);
    output::print(&found.printed);
    check.print(&summary);
    if let Some(path) = &args.dot {
        draw(path, &summary)?;
    }
    Ok(summary.verdict.into())
}

/// Writes the picture of the first guilty execution.
fn draw(path: &std::path::Path, summary: &Summary) -> Result<()> {
    let guilty = summary.findings.iter().find_map(|finding| Some((finding, finding.trace.as_ref()?)));
    match guilty {
        Some((finding, trace)) => {
            let title = format!("{}: {}", finding.kind, finding.message);
            std::fs::write(path, dot::render(trace, &title))
                .with_context(|| format!("cannot write {}", path.display()))
        }
        None => {
            output::note(&format!("{} is not written: there is no guilty execution to draw", path.display()));
            Ok(())
        }
    }
}

struct Check<'a> {
    args: &'a CheckArgs,
    input: &'a Input,
    options: &'a Options,
    started: Instant,
    /// When the program was ready to be explored.
    loaded: Spent,
}

impl Check<'_> {
    fn explore(&self) -> (Stats, Found, Option<Limit>) {
        let outlook = self.input.litmus().map(|test| Outlook { test });
        let control = Control::default();
        let plan = Plan {
            outlook: outlook.as_ref(),
            tracks_co: self.options.equivalence != Equivalence::Rf,
            prints_executions: self.args.print_executions,
            checks_robustness: self.args.check_robustness,
            leaks: self.leaks(&control),
        };
        let job = Job { program: self.input.program(), options: self.options, control: &control };
        let search = || job.run(|| Collector::new(plan));
        let (search, limit) = self.watch().over(&control, search, |limit| self.abandon(limit, &control));
        let mut found = Found::default();
        search.observers.into_iter().for_each(|collector| found.merge(collector.found));
        if self.args.leaks {
            found.violations.append(&mut found.leaks);
        }
        let limit = limit.or_else(|| self.execution_limit(&control, &found));
        (search.stats, found, limit)
    }

    /// Where coherence is not tracked and orders are not read as they are written, only program order tells what is
    /// overwritten.
    fn leaks<'c>(&'c self, control: &'c Control) -> Leaks<'c> {
        let overwriting = match (self.options.equivalence, self.options.mapping) {
            _ if !self.input.program().has_heap() => None,
            (Equivalence::Rvf, _) => None,
            (Equivalence::Co, _) => Some(Overwriting::Coherence),
            (Equivalence::Rf, Mapping::Raw) => Some(Overwriting::ProgramOrder),
            (Equivalence::Rf, Mapping::Compiled) => Some(Overwriting::HappensBefore),
        };
        let stops = self.args.leaks && !self.args.keep_going;
        Leaks { program: self.input.program(), overwriting, stop: stops.then_some(control) }
    }

    fn watch(&self) -> Watch {
        let is_watched = self.args.format == FormatArg::Human && output::stderr_is_terminal();
        Watch {
            started: self.started,
            timeout: self.args.timeout,
            memory_limit_mib: self.args.memory_limit,
            progress: if is_watched { Progress::Shown } else { Progress::Hidden },
        }
    }

    /// Did the search end because it had explored as much as it was allowed to?
    fn execution_limit(&self, control: &Control, found: &Found) -> Option<Limit> {
        let most = self.args.max_executions?;
        let was_stopped_by_violation = !found.violations.is_empty() && !self.args.keep_going;
        (control.executions.load(Relaxed) >= most && !was_stopped_by_violation)
            .then_some(Limit::Executions(most))
    }

    /// Reports on a search that cannot be stopped in time: all that is known of it is how far it was.
    fn abandon(&self, limit: Limit, control: &Control) {
        let counts = Counts { executions: control.executions.load(Relaxed), ..Counts::default() };
        self.print(&self.summary(counts, Verdict::Inconclusive(limit)));
    }

    fn summary(&self, counts: Counts, verdict: Verdict) -> Summary {
        Summary {
            setup: self.options.setup(self.args),
            verdict,
            is_complete: false,
            counts,
            time: self.started.elapsed(),
            exploration: self.loaded.until_now(),
            peak_rss_kib: resources::peak_rss_kib(),
            bounded: false,
            bounded_loops: Vec::new(),
            cells: Vec::new(),
            litmus: None,
            findings: Vec::new(),
            warnings: Vec::new(),
            n_omitted: 0,
        }
    }

    fn summarise(
        &self,
        stats: &Stats,
        found: &Found,
        limit: Option<Limit>,
        specification: Specification<'_>,
    ) -> Summary {
        let mut summary = self.summary(counts(stats), Verdict::Verified);
        summary.bounded = stats.bounded > 0;
        summary.bounded_loops = self.input.program().bounded_loops();
        summary.cells = self.cells();
        summary.findings = self.findings(found, specification);
        summary.warnings = found.leaks.iter().map(|met| self.finding(met, specification)).collect();
        summary.n_omitted = if self.args.keep_going { found.n_omitted } else { 0 };
        let was_stopped = limit.is_some() || (!summary.findings.is_empty() && !self.args.keep_going);
        summary.is_complete = !was_stopped;
        if let Some(test) = self.input.litmus() {
            let coverage = if was_stopped { Coverage::Partial } else { Coverage::Full };
            let (result, answer) = litmus::result(test, &found.states, coverage);
            summary.litmus = Some(result);
            if let Some(answer) = answer.filter(|answer| !answer.is_ok) {
                summary.findings.push(self.broken_condition(&answer, found, specification));
            }
        }
        if let Some(witness) = &found.weak {
            summary.findings.push(self.weak_execution(witness, found.n_weak, specification));
        }
        summary.verdict = match limit {
            _ if !summary.findings.is_empty() => Verdict::Violation,
            Some(limit) => Verdict::Inconclusive(limit),
            None => Verdict::Verified,
        };
        summary
    }

    /// What sequential consistency, which needs no order within a location, is alone to treat exactly.
    fn cells(&self) -> Vec<Cell> {
        if self.options.setup(self.args).model == "sc" {
            return Vec::new();
        }
        let cells = self.input.program().cells().into_iter();
        cells.map(|MixedCell { name, size, parts, place }| Cell { name, size, parts, place }).collect()
    }

    /// Checks what was found once more. Unless all violations were asked for, one is enough: the one with the
    /// smallest execution, since workers may have found several before they all stopped.
    fn findings(&self, found: &Found, specification: Specification<'_>) -> Vec<Finding> {
        let mut met: Vec<&Met> = found.violations.iter().collect();
        if !self.args.keep_going {
            met.sort_by_key(|met| met.witness.graph.len());
            met.truncate(1);
        }
        met.into_iter().map(|met| self.finding(met, specification)).collect()
    }

    fn finding(&self, met: &Met, specification: Specification<'_>) -> Finding {
        let (program, name) = (self.input.program(), |key, rank| self.input.name_thread(key, rank));
        let finding = investigate(program, &met.witness, &met.violation, specification, &name);
        let finding = finding.unwrap_or_else(|difference| disagree(&met.violation.message, &difference));
        Finding { count: met.count, ..finding }
    }

    fn broken_condition(
        &self,
        answer: &atropos_litmus::Answer,
        found: &Found,
        specification: Specification<'_>,
    ) -> Finding {
        let message = litmus::complaint(answer);
        let shown = found.states.bad.as_ref().map(|witness| {
            let (program, name) = (self.input.program(), |key, rank| self.input.name_thread(key, rank));
            investigate_execution(program, witness, specification, &name)
                .unwrap_or_else(|difference| disagree(&message, &difference))
        });
        let (trace, recheck) =
            shown.map_or((None, Recheck::Confirmed), |(trace, recheck)| (Some(trace), recheck));
        let location = match self.input {
            Input::Litmus { test, text } => {
                litmus::condition_location(test, &self.args.file.display().to_string(), text)
            }
            Input::Vm(_) => None,
        };
        Finding { kind: Finding::CONDITION.to_string(), message, location, trace, recheck, count: 1 }
    }

    /// An execution that sequential consistency does not have.
    fn weak_execution(&self, witness: &Witness, count: u64, specification: Specification<'_>) -> Finding {
        let model = self.options.model.name();
        let message =
            format!("the program is not robust: this execution is possible under {model}, not under sc");
        let (program, name) = (self.input.program(), |key, rank| self.input.name_thread(key, rank));
        let (trace, recheck) = investigate_execution(program, witness, specification, &name)
            .unwrap_or_else(|difference| disagree(&message, &difference));
        let kind = Finding::ROBUSTNESS.to_string();
        Finding { kind, message, location: None, trace: Some(trace), recheck, count }
    }

    fn print(&self, summary: &Summary) {
        let detail = if self.args.verbose { Detail::Verbose } else { Detail::Brief };
        output::print(&match self.args.format {
            FormatArg::Human => human::render(summary, options::style(self.args), detail),
            FormatArg::Json => json::render(summary),
        });
    }
}

/// A violation that its own re-check denies must never be shown.
fn disagree(message: &str, difference: &str) -> ! {
    panic!("the search found `{message}`, but its independent check disagrees: {difference}")
}

fn counts(stats: &Stats) -> Counts {
    Counts {
        executions: stats.executions,
        blocked: stats.blocked,
        duplicates: stats.duplicates,
        events: stats.events,
        dead_ends: stats.dead,
        revisits: stats.revisits,
        largest: stats.largest,
    }
}
