//! The object that the page draws.
//!
//! Long executions repeat themselves, and a browser should read them in no time, so events and rows are short arrays of
//! numbers. StringTable are indices into one table, or -1.

use crate::finding::Finding;
use crate::human::{self, Detail};
use crate::rows::{Row, Rows};
use crate::summary::{Summary, Verdict};
use crate::text;
use crate::trace::{Source, Trace, TraceEvent};
use atropos_event::Place;
use serde::Serialize;
use std::collections::HashMap;

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
    strings: Vec<String>,
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
}

#[derive(Serialize)]
struct Thread {
    name: String,
    title: String,
}

/// Thread, position in it, kind, variable, value, and the event that it reads from: -1 if it does not read, -2 for the
/// initial value, -3 for memory that was never written.
#[derive(Serialize)]
struct ShownEvent(usize, usize, i64, i64, i64, i64);

/// Thread, number, what it does, 1 if it is guilty plus 2 if it is a group, events, file or -1, line, statement.
#[derive(Serialize)]
struct Line(usize, Number, i64, u8, Inside, i64, u32, i64);

/// The position of a row in its thread, or a range of positions.
#[derive(Serialize)]
#[serde(untagged)]
enum Number {
    One(usize),
    Range(String),
}

/// The events of a row.
#[derive(Serialize)]
#[serde(untagged)]
enum Inside {
    One(usize),
    Several(Vec<usize>),
}

/// StringTable, and the number of each.
#[derive(Default)]
struct StringTable(HashMap<String, usize>);

impl StringTable {
    fn number(&mut self, text: &str) -> i64 {
        if let Some(&number) = self.0.get(text) {
            return number as i64;
        }
        let number = self.0.len();
        self.0.insert(text.to_string(), number);
        number as i64
    }

    fn number_if(&mut self, text: Option<&str>) -> i64 {
        text.map_or(-1, |text| self.number(text))
    }

    /// In the order of their numbers.
    fn in_order(self) -> Vec<String> {
        let mut texts: Vec<(String, usize)> = self.0.into_iter().collect();
        texts.sort_by_key(|&(_, number)| number);
        texts.into_iter().map(|(text, _)| text).collect()
    }
}

/// The files that places mention, and all other texts.
#[derive(Default)]
struct Tables {
    files: StringTable,
    strings: StringTable,
}

impl Page {
    pub fn of(summary: &Summary, text_of: &dyn Fn(&str) -> Option<String>) -> Page {
        let mut tables = Tables::default();
        let mut findings: Vec<ShownFinding> =
            summary.findings.iter().map(|finding| ShownFinding::of(finding, &mut tables)).collect();
        if let Some(first) = findings.first_mut() {
            first.notes.extend(human::insights(summary));
        }
        if let Some(trace) = &summary.replayed {
            findings.push(ShownFinding {
                kind: "replay",
                message: "nothing goes wrong in this execution".to_string(),
                location: None,
                notes: text::notes(&Rows::of(trace, Detail::Brief)),
                execution: Some(Execution::of(trace, &mut tables)),
            });
        }
        let files = tables.files.in_order().into_iter();
        let files = files.map(|name| File { text: text_of(&name), name }).collect();
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
            strings: tables.strings.in_order(),
        }
    }
}

fn statistics(summary: &Summary) -> Vec<(&'static str, String)> {
    let (setup, stats) = (&summary.setup, &summary.stats);
    let note = setup.algorithm_note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
    vec![
        ("model", setup.model.clone()),
        ("algorithm", format!("{} up to {}{note}", setup.algorithm, setup.equivalence)),
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
    fn of(finding: &Finding, tables: &mut Tables) -> ShownFinding {
        let trace = finding.trace.as_ref();
        let mut notes = trace.map(|trace| text::notes(&Rows::of(trace, Detail::Brief))).unwrap_or_default();
        notes.extend(human::finding_notes(finding));
        ShownFinding {
            kind: finding.description.kind.name(),
            message: finding.description.message.clone(),
            location: finding.location.as_ref().map(ToString::to_string),
            notes,
            execution: trace.map(|trace| Execution::of(trace, tables)),
        }
    }
}

impl Execution {
    fn of(trace: &Trace, tables: &mut Tables) -> Execution {
        let mut lines = |detail| -> Vec<Line> {
            let rows = Rows::of(trace, detail);
            let mut events = vec![Vec::new(); rows.all.len()];
            for index in 0..trace.events.len() {
                if let Some(row) = rows.row_of(index) {
                    events[row].push(index);
                }
            }
            rows.all.iter().zip(events).map(|(row, events)| Line::of(row, events, tables)).collect()
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
        Execution {
            threads: (0..trace.threads.len()).map(thread).collect(),
            events: trace.events.iter().map(|event| ShownEvent::of(event, &mut tables.strings)).collect(),
            brief,
            all,
            co: trace.coherence.clone(),
            fr: trace.from_read.clone(),
            sw: trace.synchronisation.clone(),
        }
    }
}

impl ShownEvent {
    fn of(event: &TraceEvent, strings: &mut StringTable) -> ShownEvent {
        let rf = match event.reads_from {
            Some(Source::Event(write)) => write as i64,
            None => -1,
            Some(Source::Initial) => -2,
            Some(Source::Unwritten) => -3,
        };
        let kind = strings.number(event.kind.name());
        let variable = strings.number_if(event.variable.as_deref());
        let value = strings.number_if(event.value.as_ref().map(|value| value.text.as_str()));
        ShownEvent(event.thread, event.index, kind, variable, value, rf)
    }
}

impl Line {
    fn of(row: &Row<'_>, events: Vec<usize>, tables: &mut Tables) -> Line {
        let Place { source, text, .. } = row.place;
        let number = if row.index == row.last { Number::One(row.index) } else { Number::Range(row.number()) };
        let flags = u8::from(row.is_guilty) + 2 * u8::from(row.is_group);
        let inside = match events[..] {
            [event] => Inside::One(event),
            _ => Inside::Several(events),
        };
        let file = source.as_ref().map_or(-1, |source| tables.files.number(&source.file));
        let line = source.as_ref().map_or(0, |source| source.line);
        let what = tables.strings.number(&row.what);
        Line(row.thread, number, what, flags, inside, file, line, tables.strings.number(text))
    }
}
