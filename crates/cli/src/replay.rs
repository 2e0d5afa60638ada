//! `--replay`: an execution in a file, and how a program that has changed differs from it.

use crate::input;
use crate::output;
use anyhow::Result;
use atropos_event::{
    Diagnostic, Diagnostics, Place, Program, Refusal, RefusalReason, Region, Severity, SourceLocation, Texts,
    ThreadKey,
};
use atropos_graph::{Canonical, CanonicalEvent, text};
use atropos_report::names::Names;
use atropos_report::{Trace, words};
use serde_json::Value;
use std::io::IsTerminal;
use std::path::Path;

/// An execution to replay.
#[derive(Clone, Debug)]
pub struct ReplayedGraph {
    pub file: String,
    /// The text form of the execution, and whether it is all of the file.
    text: String,
    is_whole_file: bool,
    pub execution: Canonical,
    /// The steps of the execution as a report in JSON has them.
    steps: Vec<Value>,
}

impl ReplayedGraph {
    /// Reads the execution in a file: the text form of a graph, or the first violation of a JSON report.
    ///
    /// # Errors
    /// If there is none.
    pub fn read(path: &Path) -> Result<ReplayedGraph, Diagnostics> {
        let file = path.display().to_string();
        let text = input::read(path)?;
        let is_whole_file = !text.trim_start().starts_with('{');
        let (text, steps) =
            if is_whole_file { (text, Vec::new()) } else { execution_of_report(&file, &text)? };
        let parsed = text.parse::<Canonical>();
        let execution = parsed.map_err(|fault| Texts::of_file(&file, &text).error(fault))?;
        if execution.threads.first().is_none_or(|thread| thread.key != ThreadKey::MAIN) {
            return Err(Diagnostic::about_file(
                &file,
                "there is no execution in this file: it has no thread 0",
            )
            .into());
        }
        Ok(ReplayedGraph { file, text, is_whole_file, execution, steps })
    }

    /// Whether the execution has a coherence order.
    pub fn has_co(&self) -> bool {
        !self.execution.co.is_empty()
    }

    /// Why the program does not have the execution: where the file says what is expected, and what the program does
    /// instead.
    pub fn complaint(&self, refusal: &Refusal, program: &dyn Program) -> Option<Diagnostic> {
        let &RefusalReason::OtherExecution { thread, index, .. } = &refusal.reason else { return None };
        let names = Names::of_program(program);
        let mut complaint = words::refusal(&Refusal { place: None, ..refusal.clone() }, &names);
        let region = text::place_of(&self.text, thread, index).filter(|_| self.is_whole_file);
        complaint = match region.map(|span| Region::of(&self.text, span)) {
            Some(region) => complaint.at(&self.file, region),
            None => Diagnostic { file: Some(self.file.clone()), ..complaint },
        };
        let rank = self.execution.threads.iter().position(|known| known.key == thread);
        let event = rank.and_then(|rank| self.execution.threads[rank].events.get(index));
        if let (Some(rank), Some(event)) = (rank, event) {
            let name = format!("{}.{index}", program.name_of_thread(thread, rank));
            complaint.notes.push(note(&self.expected(&name, event, &names)));
        }
        complaint.notes.extend(refusal.place.as_ref().and_then(found));
        Some(complaint)
    }

    /// What the file says about the event with this name.
    fn expected(&self, name: &str, event: &CanonicalEvent, names: &Names<'_>) -> String {
        let Some(step) = self.steps.iter().find(|step| step["event"] == name) else {
            return format!("expected {}", words::event(&event.label, names));
        };
        let text = |key: &str| step[key].as_str().unwrap_or_default().trim();
        let value = step["value"].as_i64().map(|value| format!(" = {value}")).unwrap_or_default();
        let (label, code) = (text("label"), text("code"));
        let location = &step["location"];
        let place = match (location["file"].as_str(), location["line"].as_u64()) {
            (Some(file), Some(line)) => format!(", which was {file}:{line}"),
            _ => String::new(),
        };
        let code = if code.is_empty() { String::new() } else { format!(": {code}") };
        format!("expected {name}: {label}{value}{place}{code}")
    }
}

fn note(message: &str) -> Diagnostic {
    Diagnostic::new(Severity::Note, message)
}

/// Where the thread is.
fn found(place: &Place) -> Option<Diagnostic> {
    match &place.source {
        Some(SourceLocation { file, line, column }) => {
            Some(note("the thread is here").at_line(file, *line, *column))
        }
        None if place.text.is_empty() => None,
        None => Some(note(&format!("the thread is at {}", place.text.trim()))),
    }
}

/// The execution of the first violation of a JSON report, and its steps.
fn execution_of_report(file: &str, text: &str) -> Result<(String, Vec<Value>), Diagnostic> {
    let mut report: Value = serde_json::from_str(text)
        .map_err(|error| Diagnostic::about_file(file, format!("this is not a JSON report: {error}")))?;
    let graph = report.pointer("/violations/0/graph").and_then(|graph| graph.as_str()).map(String::from);
    let graph = graph.ok_or_else(|| {
        Diagnostic::about_file(file, "no violation in this report has an execution to replay")
    })?;
    let steps = report.pointer_mut("/violations/0/trace").map(Value::take);
    let steps = match steps {
        Some(Value::Array(steps)) => steps,
        _ => Vec::new(),
    };
    Ok((graph, steps))
}

/// Shows an execution step by step; waits after each step if a user is there to read it.
///
/// # Errors
/// If standard output cannot be written to.
pub fn show_steps(trace: &Trace) -> Result<()> {
    let is_watched = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    for step in atropos_report::text::steps(trace) {
        output::print(&step)?;
        let mut answer = String::new();
        if is_watched && (std::io::stdin().read_line(&mut answer).is_err() || answer.trim() == "q") {
            break;
        }
    }
    output::print("\n")
}
