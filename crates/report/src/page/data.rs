//! The object that the page draws.

use crate::finding::Finding;
use crate::human::{self, Detail};
use crate::rows::{Row, Rows};
use crate::summary::{Summary, Verdict};
use crate::text;
use crate::trace::{Source, Trace, TraceEvent};
use atropos_event::Place;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Everything on the page.
#[derive(Serialize)]
pub struct Page {
    file: String,
    verdict: &'static str,
    sentence: String,
    /// Names and values of the search.
    statistics: Vec<(&'static str, String)>,
    /// The final states of a litmus test.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcomes: Option<String>,
    findings: Vec<ShownFinding>,
    files: Vec<File>,
}

#[derive(Serialize)]
struct File {
    name: String,
    text: Option<String>,
}

#[derive(Serialize)]
struct ShownFinding {
    kind: &'static str,
    message: String,
    location: Option<String>,
    notes: Vec<String>,
    #[serde(flatten)]
    execution: Option<Execution>,
}

/// An execution. Events are indices into `events`, and rows are lines of the picture.
#[derive(Serialize)]
struct Execution {
    threads: Vec<Thread>,
    events: Vec<ShownEvent>,
    brief: Vec<Line>,
    all: Vec<Line>,
    co: Vec<(String, Vec<usize>)>,
    fr: Vec<(usize, usize)>,
    sw: Vec<(usize, usize)>,
    /// Variables that only one thread uses.
    hidden: Vec<String>,
}

#[derive(Serialize)]
struct Thread {
    name: String,
    title: String,
}

#[derive(Serialize)]
struct ShownEvent {
    thread: usize,
    index: usize,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    variable: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// The event that it reads from, or -1.
    rf: i64,
    /// For reads: `event`, `init` or `unwritten`.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'static str>,
}

#[derive(Serialize)]
struct Line {
    thread: usize,
    number: String,
    what: String,
    guilty: bool,
    group: bool,
    events: Vec<usize>,
    /// Index into the page's files.
    file: Option<usize>,
    line: u32,
    code: String,
}

/// The files that places mention, in the order of their numbers.
#[derive(Default)]
struct Files(BTreeMap<String, usize>);

impl Files {
    fn number(&mut self, name: &str) -> usize {
        let next = self.0.len();
        *self.0.entry(name.to_string()).or_insert(next)
    }
}

impl Page {
    pub fn of(summary: &Summary, text_of: &dyn Fn(&str) -> Option<String>) -> Page {
        let mut files = Files::default();
        let mut findings: Vec<ShownFinding> =
            summary.findings.iter().map(|finding| ShownFinding::of(finding, &mut files)).collect();
        if let Some(first) = findings.first_mut() {
            first.notes.extend(human::insights(summary));
        }
        if let Some(trace) = &summary.replayed {
            findings.push(ShownFinding {
                kind: "replay",
                message: "nothing goes wrong in this execution".to_string(),
                location: None,
                notes: text::notes(&Rows::of(trace, Detail::Brief)),
                execution: Some(Execution::of(trace, &mut files)),
            });
        }
        let mut names: Vec<(String, usize)> = files.0.into_iter().collect();
        names.sort_by_key(|&(_, number)| number);
        let files = names.into_iter().map(|(name, _)| File { text: text_of(&name), name }).collect();
        Page {
            file: summary.setup.file.clone(),
            verdict: match summary.verdict {
                Verdict::Verified => "verified",
                Verdict::Violation => "violation",
                Verdict::Inconclusive(_) => "inconclusive",
            },
            sentence: human::verdict_sentence(summary),
            statistics: statistics(summary),
            outcomes: summary.litmus.as_ref().map(|litmus| litmus.lines.clone()),
            findings,
            files,
        }
    }
}

fn statistics(summary: &Summary) -> Vec<(&'static str, String)> {
    let (setup, stats) = (&summary.setup, &summary.stats);
    vec![
        ("model", setup.model.clone()),
        ("algorithm", format!("{} up to {}", setup.algorithm, setup.equivalence)),
        ("executions", human::grouped(stats.executions)),
        ("blocked", human::grouped(stats.blocked)),
        ("events", human::grouped(stats.events)),
        ("time", human::seconds(summary.cost.time)),
        ("memory", format!("{:.1} MiB", summary.cost.peak_rss_kib as f64 / 1024.0)),
        ("Atropos", setup.version.clone()),
        ("again:", setup.command.clone()),
    ]
}

impl ShownFinding {
    fn of(finding: &Finding, files: &mut Files) -> ShownFinding {
        let trace = finding.trace.as_ref();
        let mut notes = trace.map(|trace| text::notes(&Rows::of(trace, Detail::Brief))).unwrap_or_default();
        notes.extend(human::finding_notes(finding));
        ShownFinding {
            kind: finding.description.kind.name(),
            message: finding.description.message.clone(),
            location: finding.location.as_ref().map(ToString::to_string),
            notes,
            execution: trace.map(|trace| Execution::of(trace, files)),
        }
    }
}

impl Execution {
    fn of(trace: &Trace, files: &mut Files) -> Execution {
        let mut lines = |detail| -> Vec<Line> {
            let rows = Rows::of(trace, detail);
            let mut events = vec![Vec::new(); rows.all.len()];
            for index in 0..trace.events.len() {
                if let Some(row) = rows.row_of(index) {
                    events[row].push(index);
                }
            }
            rows.all.iter().zip(events).map(|(row, events)| Line::of(row, events, files)).collect()
        };
        let (brief, all) = (lines(Detail::Brief), lines(Detail::Verbose));
        let thread = |index: usize| {
            let title = text::title(trace, index);
            let name = trace.threads[index].name.clone();
            let rest = title
                .strip_prefix(&name)
                .unwrap_or_default()
                .trim_start_matches(": ")
                .trim_start_matches("start of ");
            Thread { title: rest.to_string(), name }
        };
        let variables = |is_private: bool| -> BTreeSet<&String> {
            let events =
                trace.events.iter().zip(&trace.is_private).filter(|(_, private)| **private == is_private);
            events.filter_map(|(event, _)| event.variable.as_ref()).collect()
        };
        Execution {
            threads: (0..trace.threads.len()).map(thread).collect(),
            events: trace.events.iter().map(ShownEvent::of).collect(),
            brief,
            all,
            co: trace.coherence.clone(),
            fr: trace.from_read.clone(),
            sw: trace.synchronisation.clone(),
            hidden: variables(true).difference(&variables(false)).map(|name| (*name).clone()).collect(),
        }
    }
}

impl ShownEvent {
    fn of(event: &TraceEvent) -> ShownEvent {
        let (rf, source) = match event.reads_from {
            Some(Source::Event(write)) => (write as i64, Some("event")),
            Some(Source::Initial) => (-1, Some("init")),
            Some(Source::Unwritten) => (-1, Some("unwritten")),
            None => (-1, None),
        };
        ShownEvent {
            thread: event.thread,
            index: event.index,
            kind: event.kind.name(),
            variable: event.variable.clone(),
            value: event.value.as_ref().map(|value| value.text.clone()),
            rf,
            source,
        }
    }
}

impl Line {
    fn of(row: &Row<'_>, events: Vec<usize>, files: &mut Files) -> Line {
        let Place { source, text, .. } = row.place;
        Line {
            thread: row.thread,
            number: row.number(),
            what: row.what.clone(),
            guilty: row.is_guilty,
            group: row.is_group,
            events,
            file: source.as_ref().map(|source| files.number(&source.file)),
            line: source.as_ref().map_or(0, |source| source.line),
            code: text.clone(),
        }
    }
}
