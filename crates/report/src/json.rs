//! The JSON object of `--format json`. Field names and order are a contract (`CLI.md`): add, never change.

use crate::finding::Finding;
use crate::operation::Operation;
use crate::recheck::Recheck;
use crate::summary::{MendedOrder, Mending, Summary, Verdict};
use crate::survey::{estimate_json, profile_json};
use crate::trace::{Stop, Trace, TraceEvent};
use atropos_event::{BoundedLoop, Diagnostic, Diagnostics, MixedCell, Place, SourceLocation};
use serde::Serialize;
use std::time::Duration;

/// The object on several lines, with a final newline.
pub fn render(summary: &Summary) -> String {
    let document = Document::of(summary);
    serde_json::to_string_pretty(&document).expect("strings and numbers only") + "\n"
}

/// The object for an input that cannot be checked.
pub fn render_errors(version: &str, file: &str, errors: &Diagnostics) -> String {
    let errors = errors.0.iter().map(Problem::of).collect();
    let document = Rejection { version, file, verdict: "error", errors };
    serde_json::to_string_pretty(&document).expect("strings and numbers only") + "\n"
}

#[derive(Serialize)]
struct Rejection<'a> {
    version: &'a str,
    file: &'a str,
    verdict: &'static str,
    errors: Vec<Problem<'a>>,
}

#[derive(Serialize)]
struct Problem<'a> {
    severity: &'static str,
    message: &'a str,
    location: Option<ProblemLocation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Problem<'a>>,
}

/// As [`JsonLocation`], without line and column where the whole file is meant.
#[derive(Serialize)]
struct ProblemLocation<'a> {
    file: &'a str,
    line: Option<u32>,
    column: Option<u32>,
}

impl<'a> Problem<'a> {
    fn of(diagnostic: &'a Diagnostic) -> Problem<'a> {
        let region = diagnostic.region.as_ref();
        Problem {
            severity: diagnostic.severity.name(),
            message: &diagnostic.message,
            location: diagnostic.file.as_deref().map(|file| ProblemLocation {
                file,
                line: region.map(|region| region.line),
                column: region.map(|region| region.column),
            }),
            help: diagnostic.help.as_deref(),
            notes: diagnostic.notes.iter().map(Problem::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    version: &'a str,
    file: &'a str,
    model: &'a str,
    algorithm: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    algorithm_note: Option<&'a str>,
    equivalence: &'a str,
    verdict: &'static str,
    executions: u64,
    blocked: u64,
    duplicates: u64,
    events: u64,
    time_ms: u64,
    peak_rss_kib: u64,
    jobs: usize,
    bounded: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bounded_loops: Vec<JsonLoop<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    longest_loop: Option<JsonLoop<'a>>,
    complete: bool,
    explore_us: u64,
    explore_cpu_us: u64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    reductions: &'a [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcomes: Option<Vec<JsonOutcome<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<Option<&'static str>>,
    violations: Vec<JsonViolation<'a>>,
    warnings: Vec<JsonViolation<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mixed_sizes: Vec<Mixed<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mixed_sizes_merged: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replayed: Option<Vec<JsonStep<'a>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Problem<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    elsewhere: Vec<JsonElsewhere<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mended_by: Option<Vec<JsonMended<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<serde_json::Value>,
}

/// A loop, and how often its bound lets it repeat, or how often it has.
#[derive(Serialize)]
struct JsonLoop<'a> {
    location: Option<JsonLocation<'a>>,
    iterations: u64,
}

/// An order that must be stronger.
#[derive(Serialize)]
struct JsonMended<'a> {
    location: Option<JsonLocation<'a>>,
    operation: &'static str,
    before: &'static str,
    after: &'static str,
}

/// Whether the first violation also happens under another model.
#[derive(Serialize)]
struct JsonElsewhere<'a> {
    model: &'a str,
    happens: bool,
}

/// A variable that is accessed atomically in several sizes.
#[derive(Serialize)]
struct Mixed<'a> {
    variable: &'a str,
    size: u8,
    parts: &'a [u8],
    location: Option<JsonLocation<'a>>,
}

#[derive(Serialize)]
struct JsonOutcome<'a> {
    state: &'a str,
    count: u64,
}

#[derive(Serialize)]
struct JsonViolation<'a> {
    kind: &'static str,
    message: &'a str,
    location: Option<JsonLocation<'a>>,
    trace: Vec<JsonStep<'a>>,
    coherence: Vec<JsonCoherence<'a>>,
    objects: Vec<JsonObject<'a>>,
    rechecked: bool,
    count: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    output: Vec<Output<'a>>,
    operands: &'a serde_json::Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<String>,
}

/// The output of a thread.
#[derive(Serialize)]
struct Output<'a> {
    thread: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct JsonLocation<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

/// An event, or (kind `stop`) the step at which a thread is stuck.
#[derive(Serialize)]
struct JsonStep<'a> {
    event: String,
    thread: &'a str,
    index: usize,
    kind: &'a str,
    label: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    variable: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reads_from: Option<String>,
    code: &'a str,
    location: Option<JsonLocation<'a>>,
    guilty: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<JsonCall<'a>>,
}

/// The call of the thread library that an event is part of.
#[derive(Serialize)]
struct JsonCall<'a> {
    call: &'a str,
    object: &'a str,
}

/// A heap object that a guilty event concerns.
#[derive(Serialize)]
struct JsonObject<'a> {
    name: &'a str,
    size: u64,
    location: Option<JsonLocation<'a>>,
}

#[derive(Serialize)]
struct JsonCoherence<'a> {
    variable: &'a str,
    writes: Vec<String>,
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl<'a> Document<'a> {
    fn of(summary: &'a Summary) -> Self {
        let Summary { setup, stats, litmus, .. } = summary;
        let survey = summary.coverage.survey.as_ref();
        let (verdict, limit) = match summary.verdict {
            Verdict::Verified => ("verified", None),
            Verdict::Violation => ("violation", None),
            Verdict::Inconclusive(limit) => ("inconclusive", Some(limit.name())),
        };
        let outcome = |(state, count): &'a (String, u64)| JsonOutcome { state, count: *count };
        Document {
            version: &setup.version,
            file: &setup.file,
            model: &setup.model,
            algorithm: &setup.algorithm,
            algorithm_note: setup.algorithm_note.as_deref().filter(|_| !setup.is_replay),
            equivalence: &setup.equivalence,
            verdict,
            executions: stats.executions,
            blocked: stats.blocked,
            duplicates: stats.duplicates,
            events: stats.events,
            time_ms: u64::try_from(summary.cost.time.as_millis()).unwrap_or(u64::MAX),
            peak_rss_kib: summary.cost.peak_rss_kib,
            jobs: setup.jobs,
            bounded: summary.coverage.bounded,
            bounded_loops: summary.coverage.bounded_loops.iter().map(JsonLoop::of).collect(),
            longest_loop: limit.and(summary.coverage.longest_loop.as_ref()).map(JsonLoop::of_longest),
            complete: summary.coverage.is_complete,
            explore_us: micros(summary.cost.exploration.wall),
            explore_cpu_us: micros(summary.cost.exploration.cpu),
            reductions: &summary.coverage.reductions,
            limit,
            outcomes: litmus.as_ref().map(|litmus| litmus.outcomes.iter().map(outcome).collect()),
            condition: litmus.as_ref().map(|litmus| litmus.condition),
            violations: summary.findings.iter().map(JsonViolation::of).collect(),
            warnings: summary.warnings.iter().map(JsonViolation::of).collect(),
            mixed_sizes: summary.coverage.cells.iter().map(Mixed::of).collect(),
            mixed_sizes_merged: (!summary.coverage.cells.is_empty())
                .then_some(summary.verdict == Verdict::Verified),
            replayed: summary.replayed.as_ref().map(steps),
            errors: summary.errors.iter().map(Problem::of).collect(),
            estimate: survey.map(|survey| estimate_json(&survey.estimate)),
            profile: survey.and_then(|survey| survey.profile.as_ref()).map(profile_json),
            mended_by: summary.insight.mending.as_ref().map(JsonMended::all),
            elsewhere: summary
                .insight
                .elsewhere
                .iter()
                .map(|other| JsonElsewhere { model: &other.model, happens: other.happens })
                .collect(),
        }
    }
}

impl<'a> JsonLoop<'a> {
    fn of(l: &'a BoundedLoop) -> Self {
        JsonLoop { location: JsonLocation::of_place(&l.place), iterations: l.times.into() }
    }

    fn of_longest((place, n_iterations): &'a (Place, u64)) -> Self {
        JsonLoop { location: JsonLocation::of_place(place), iterations: *n_iterations }
    }
}

impl<'a> JsonMended<'a> {
    fn all(mending: &'a Mending) -> Vec<Self> {
        let Mending::By(orders) = mending else { return Vec::new() };
        let mended = |order: &'a MendedOrder| JsonMended {
            location: order.location.as_ref().map(JsonLocation::of),
            operation: order.operation,
            before: order.before,
            after: order.after,
        };
        orders.iter().map(mended).collect()
    }
}

impl<'a> Mixed<'a> {
    fn of(cell: &'a MixedCell) -> Self {
        let location = JsonLocation::of_place(&cell.place);
        Mixed { variable: &cell.name, size: cell.size, parts: &cell.parts, location }
    }
}

impl<'a> JsonViolation<'a> {
    fn of(finding: &'a Finding) -> Self {
        let trace = finding.trace.as_ref();
        JsonViolation {
            kind: finding.description.kind.name(),
            message: &finding.description.message,
            location: finding.location.as_ref().map(JsonLocation::of),
            trace: trace.map(steps).unwrap_or_default(),
            coherence: trace.map(coherence).unwrap_or_default(),
            objects: trace.map(objects).unwrap_or_default(),
            rechecked: finding.recheck == Recheck::Confirmed,
            count: finding.count,
            output: trace.map(output).unwrap_or_default(),
            operands: &finding.description.operands,
            graph: trace.map(|trace| trace.graph.to_string()),
        }
    }
}

fn output(trace: &Trace) -> Vec<Output<'_>> {
    let name = |thread: usize| trace.threads[thread].name.as_str();
    trace.output.iter().map(|(thread, text)| Output { thread: name(*thread), text }).collect()
}

impl<'a> JsonLocation<'a> {
    fn of(source: &'a SourceLocation) -> Self {
        JsonLocation { file: &source.file, line: source.line, column: source.column }
    }

    fn of_place(place: &'a Place) -> Option<Self> {
        place.source.as_ref().map(JsonLocation::of)
    }
}

fn steps(trace: &Trace) -> Vec<JsonStep<'_>> {
    let shown = (0..trace.events.len()).filter(|&index| !trace.events[index].is_merge);
    let events = shown.map(|index| event_step(trace, index));
    let threads = trace.threads.iter().enumerate();
    let stops = threads.filter_map(|(thread, state)| Some(stop_step(trace, thread, state.stop.as_ref()?)));
    events.chain(stops).collect()
}

fn event_step(trace: &Trace, index: usize) -> JsonStep<'_> {
    let event: &TraceEvent = &trace.events[index];
    JsonStep {
        event: trace.name(index),
        thread: &trace.threads[event.thread].name,
        index: event.index,
        kind: event.kind.name(),
        label: &event.label,
        variable: event.variable.as_deref(),
        order: event.order.map(|order| order.to_string()),
        value: event.value.as_ref().map(|value| value.number),
        reads_from: event.reads_from.map(|source| trace.source_name(source)),
        code: &event.place.text,
        location: JsonLocation::of_place(&event.place),
        guilty: event.is_guilty,
        operation: event.operation.as_ref().map(|Operation { call, object, .. }| JsonCall { call, object }),
    }
}

fn stop_step<'a>(trace: &'a Trace, thread: usize, stop: &'a Stop) -> JsonStep<'a> {
    let name = &trace.threads[thread].name;
    let index = trace.events.iter().filter(|event| event.thread == thread).count();
    JsonStep {
        event: format!("{name}.{index}"),
        thread: name,
        index,
        kind: "stop",
        label: stop.what,
        variable: None,
        order: None,
        value: None,
        reads_from: None,
        code: &stop.place.text,
        location: JsonLocation::of_place(&stop.place),
        guilty: stop.is_guilty,
        operation: None,
    }
}

fn objects(trace: &Trace) -> Vec<JsonObject<'_>> {
    trace
        .objects
        .iter()
        .map(|object| JsonObject {
            name: &object.name,
            size: object.size,
            location: JsonLocation::of_place(&object.place),
        })
        .collect()
}

fn coherence(trace: &Trace) -> Vec<JsonCoherence<'_>> {
    let names = |writes: &[usize]| writes.iter().map(|&write| trace.name(write)).collect();
    trace
        .coherence
        .iter()
        .map(|(variable, writes)| JsonCoherence { variable, writes: names(writes) })
        .collect()
}
