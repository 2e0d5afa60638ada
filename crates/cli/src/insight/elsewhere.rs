//! Whether a violation also happens under stronger models.
//!
//! An interleaving is an execution of every model. Of another execution, or of steps that only the model does not order,
//! a second search finds out whether sc or tso go wrong in the same way, if it ends soon. It is a check like any other,
//! by the command that repeats this one under the other model.

use super::{Ended, Patience, within};
use crate::args::{Cli, Command};
use crate::input::{Input, ProgramSource};
use crate::options::CheckOptions;
use atropos_check::{Check, Condition, Finds, Found};
use atropos_event::ViolationKind;
use atropos_explore::Control;
use atropos_report::{Elsewhere, Finding, FindingKind, Summary};
use clap::Parser;
use std::time::Duration;

/// The time for each model, and the number of executions.
const MOST_TIME: Duration = Duration::from_secs(1);
const MOST_EXECUTIONS: u64 = 20_000;

/// What is known of the first violation under stronger models, which check the same program. An execution that no
/// interleaving explains gives way to one that is an interleaving, if there is one. `is_late` says when to stop.
pub fn look(ended: &Ended<'_>, summary: &mut Summary, is_late: &(dyn Fn() -> bool + Sync)) -> Vec<Elsewhere> {
    let commands = &ended.options.elsewhere;
    let Some(finding) = summary.findings.first() else { return Vec::new() };
    let kind = finding.description.kind;
    let mut answers = Vec::new();
    match way_to_know(finding) {
        WayToKnow::None => {}
        WayToKnow::Answered => answers.extend(commands.iter().filter_map(|command| same_execution(command))),
        WayToKnow::Search => {
            for command in commands.iter().take_while(|_| !is_late()) {
                let Some((answer, found)) = happens(command, kind, is_late) else { continue };
                if answer.happens && ended.check.show_interleaving(summary, &found, &is_late) {
                    return commands.iter().filter_map(|command| same_execution(command)).collect();
                }
                answers.push(answer);
            }
        }
    }
    answers
}

/// How to find out whether a violation happens under stronger models.
enum WayToKnow {
    /// They have no such violation.
    None,
    /// It does: they have the same execution, in which a thread goes wrong by itself.
    Answered,
    Search,
}

fn way_to_know(finding: &Finding) -> WayToKnow {
    let FindingKind::Violation(kind) = finding.description.kind else { return WayToKnow::None };
    let Some(trace) = &finding.trace else { return WayToKnow::None };
    let is_about_order = trace.unordered.is_some();
    match trace.is_interleaving {
        // Data races are a notion of the model itself.
        _ if kind == ViolationKind::Race => WayToKnow::None,
        None => WayToKnow::None,
        Some(true) if !is_about_order => WayToKnow::Answered,
        Some(_) => WayToKnow::Search,
    }
}

/// The answer for an execution that the model of a command has, too.
fn same_execution(command: &[String]) -> Option<Elsewhere> {
    let model = command.iter().skip_while(|word| *word != "--model").nth(1)?;
    Some(Elsewhere { model: model.clone(), happens: true })
}

/// Searches under the model of a command; `None` if that does not end soon or says nothing.
fn happens(
    command: &[String],
    kind: FindingKind,
    is_late: &(dyn Fn() -> bool + Sync),
) -> Option<(Elsewhere, Found)> {
    let Command::Check(args) = Cli::try_parse_from(command).ok()?.command else { return None };
    let source = ProgramSource::open(&args.file, &args.more_files).ok()?;
    let mut options = CheckOptions::resolve(*args, source).ok()?;
    options.search.config.max_executions = Some(MOST_EXECUTIONS);
    let model = options.output.setup.model.clone();
    let input = Input::load(&options.input, &model, &Default::default()).ok()?;
    let condition = input.litmus().map(|input| input as &dyn Condition);
    let settings = options.search.settings(false);
    let check =
        Check { program: input.program(), condition, settings, replay: None, sink: None, ledger: None };
    let (control, finds) = (Control::default(), Finds::default());
    let patience = Patience::Cpu(MOST_TIME).of_workers(options.search.jobs);
    let search = within(patience, &control, is_late, || input.explore(&check, &control, &finds));
    let n_executions = search.stats.executions;
    drop(search);
    let was_stopped = control.is_stopped() || n_executions >= MOST_EXECUTIONS;
    let found = check.found(&finds, was_stopped);
    let is_exact = check.mixed_cells().is_empty() && !input.program().was_cut() && found.refusal.is_none();
    match found.violations.first() {
        Some(met) if FindingKind::Violation(met.violation.kind()) == kind => {
            Some((Elsewhere { model, happens: true }, found))
        }
        None if !was_stopped && is_exact => Some((Elsewhere { model, happens: false }, found)),
        _ => None,
    }
}
