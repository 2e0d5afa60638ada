//! An execution for people: threads side by side, or one below the other if they are too wide.
//!
//! ```text
//!   P0                  P1
//!   ------------------  ----------------------------
//! > 1: W(x) na = 1
//!   2: W(y) rlx = 1
//!                       1: R(y) rlx = 1   ← P0.2
//!                     > 2: R(x) na = 1    ← P0.1
//! ```
//!
//! Read from top to bottom: the order extends program order and reads-from. [`crate::rows`] says what is left out.

use crate::demangle::demangled;
use crate::forever;
use crate::human::{Detail, grouped};
use crate::label::{EventKind, EventOrder};
use crate::rows::{Row, Rows};
use crate::statement;
use crate::style::Style;
use crate::trace::Trace;
use crate::unordered::{BrokenLink, Unordered};

/// The width that lines should fit into.
pub const WIDTH: usize = 100;

/// The execution as lines, each with its end.
pub fn render(trace: &Trace, style: Style, detail: Detail) -> String {
    let rows = Rows::of(trace, detail);
    let columns = columns(trace, &rows.all);
    let is_narrow = columns.iter().map(|column| column.width + 2).sum::<usize>() <= WIDTH;
    let mut text = if is_narrow { side_by_side(&rows.all, &columns, style) } else { in_order(&rows, style) };
    text.push_str(&coherence(&rows));
    for note in notes(&rows) {
        text.push_str(&format!("  {note}\n"));
    }
    text.push_str(&places(&rows));
    text.push_str(&objects(trace));
    if rows.folds.n_hidden() > 0 {
        let n_hidden = match rows.folds.n_hidden() {
            1 => "1 step is not shown".to_string(),
            n => format!("{} steps are not shown one by one", grouped(n as u64)),
        };
        text.push_str(&format!("  {n_hidden}; -v shows all\n"));
    }
    text
}

/// The steps of an execution one by one, each with its place and its end of line.
pub fn steps(trace: &Trace) -> Vec<String> {
    let rows = Rows::of(trace, Detail::Verbose);
    let name_width = rows.all.iter().map(|row| count(&row_name(trace, row))).max().unwrap_or(0);
    let what_width = rows.all.iter().map(|row| count(&shown(row))).max().unwrap_or(0);
    let n_rows = rows.all.len();
    let number_width = n_rows.to_string().len();
    let step = |(row, number): (&Row<'_>, usize)| {
        let (name, what) = (pad(&row_name(trace, row), name_width), pad(&shown(row), what_width));
        let mark = if row.is_guilty { '>' } else { ' ' };
        let place = row.place.source.as_ref().map(|at| format!("{}:{}: ", at.file, at.line));
        let line = format!(
            "{mark} {number:>number_width$}/{n_rows}  {name}  {what}  {}{}",
            place.unwrap_or_default(),
            row.place.text.trim()
        );
        line.trim_end().to_string() + "\n"
    };
    rows.all.iter().zip(1..).map(step).collect()
}

fn row_name(trace: &Trace, row: &Row<'_>) -> String {
    format!("{}.{}", trace.threads[row.thread].name, row.index)
}

/// What a step does and reads from.
fn shown(row: &Row<'_>) -> String {
    let from = row.from.as_ref().map(|from| format!(" ← {from}")).unwrap_or_default();
    format!("{}{from}", row.what)
}

/// What is to be said about an execution as a whole.
pub(crate) fn notes(rows: &Rows<'_>) -> Vec<String> {
    let is_weak = rows.trace.is_weak() && !rows.trace.cycle.is_empty();
    let weak = is_weak.then(|| format!("no interleaving explains this: {}", contradiction(rows)));
    let missing = rows.trace.missing.as_ref().map(|link| broken(rows, link));
    let unordered = rows.trace.unordered.as_ref().map(|unordered| why(rows, unordered));
    weak.into_iter().chain(missing).chain(unordered).chain(forever::reasons(rows)).collect()
}

/// The layout of one thread.
struct Column {
    thread: usize,
    name: String,
    index_width: usize,
    what_width: usize,
    width: usize,
}

/// The threads with visible steps.
fn columns(trace: &Trace, rows: &[Row<'_>]) -> Vec<Column> {
    let column = |thread: usize| {
        let own = || rows.iter().filter(move |row| row.thread == thread);
        let index_width = own().map(|row| count(&row.number())).max()?;
        let what_width =
            own().filter(|row| row.from.is_some()).map(|row| count(&row.what)).max().unwrap_or(0);
        let name = title(trace, thread);
        let cells = own().map(|row| count(&cell(row, index_width, what_width)));
        let width = cells.chain([count(&name) + MARK]).max()?;
        Some(Column { thread, name, index_width, what_width, width })
    };
    (0..trace.threads.len()).filter_map(column).collect()
}

/// The name of a thread, and its function if the name does not contain it.
pub(crate) fn title(trace: &Trace, thread: usize) -> String {
    let name = &trace.threads[thread].name;
    let begin = trace.events.iter().find(|event| event.thread == thread && event.kind == EventKind::Begin);
    match begin.map(|event| &event.place.text) {
        Some(text) if text == "start of run std::thread" => format!("{name}: std::thread"),
        Some(text) if !text.is_empty() && !text.ends_with(name.as_str()) => {
            format!("{name}: {}", demangled(text))
        }
        _ => name.clone(),
    }
}

/// The width of the mark in front of a step.
const MARK: usize = 2;

fn count(text: &str) -> usize {
    text.chars().count()
}

fn cell(row: &Row<'_>, index_width: usize, what_width: usize) -> String {
    let mark = if row.is_guilty { "> " } else { "  " };
    let (index, what) = (row.number(), &row.what);
    match &row.from {
        Some(from) => format!("{mark}{index:>index_width$}: {what:what_width$}   ← {from}"),
        None => format!("{mark}{index:>index_width$}: {what}"),
    }
}

fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(count(text))))
}

fn side_by_side(rows: &[Row<'_>], columns: &[Column], style: Style) -> String {
    let mut text = String::new();
    let line = |cells: Vec<String>| cells.join("  ").trim_end().to_string() + "\n";
    let names = columns
        .iter()
        .map(|column| pad(&format!("  {}", style.bold(&column.name)), header_width(column, style)));
    text.push_str(&line(names.collect()));
    text.push_str(&line(
        columns.iter().map(|column| format!("  {}", "-".repeat(column.width - MARK))).collect(),
    ));
    for row in rows {
        let cells = columns.iter().map(|column| {
            if column.thread != row.thread {
                return " ".repeat(column.width);
            }
            let cell = pad(&cell(row, column.index_width, column.what_width), column.width);
            if row.is_guilty { style.bad(&cell) } else { cell }
        });
        text.push_str(&line(cells.collect()));
    }
    text
}

/// The width of a column's header, the invisible characters of its style included.
fn header_width(column: &Column, style: Style) -> usize {
    column.width + count(&style.bold(&column.name)) - count(&column.name)
}

fn in_order(rows: &Rows<'_>, style: Style) -> String {
    let name_width = rows.all.iter().map(|row| count(&rows.row_name(row))).max().unwrap_or(0);
    let what_width = rows.all.iter().map(|row| count(&row.what)).max().unwrap_or(0).min(WIDTH / 2);
    let mut text = String::new();
    for row in &rows.all {
        let mark = if row.is_guilty { "> " } else { "  " };
        let from = row.from.as_ref().map(|from| format!("   ← {from}")).unwrap_or_default();
        let (name, what) = (pad(&rows.row_name(row), name_width), pad(&row.what, what_width));
        let line = format!("{mark}{name}  {what}{from}");
        let line = line.trim_end();
        text.push_str(&if row.is_guilty { style.bad(line) } else { line.to_string() });
        text.push('\n');
    }
    text
}

/// Why this is not an interleaving: the reads of a cycle that do not see a write, and its writes that come in an order.
fn contradiction(rows: &Rows<'_>) -> String {
    let step = |&(first, second): &(usize, usize)| {
        let names = [first, second].map(|event| rows.name(event));
        match rows.trace.events[first].kind {
            EventKind::Read => format!("{} does not see {}", names[0], names[1]),
            _ => format!("{} overwrites {}", names[1], names[0]),
        }
    };
    let steps: Vec<String> = rows.trace.cycle.iter().map(step).collect();
    steps.join(", and ")
}

/// Why happens-before does not order the guilty steps.
fn why(rows: &Rows<'_>, unordered: &Unordered) -> String {
    let [first, second] = [unordered.first, unordered.second].map(|event| rows.name(event));
    match &unordered.broken {
        Some(link) => format!("unordered: {}", broken(rows, link)),
        None => {
            format!(
                "unordered: no chain of reads, locks, spawns or joins leads from {first} to {second} or back"
            )
        }
    }
}

/// Why a read does not synchronise with what it reads.
fn broken(rows: &Rows<'_>, link: &BrokenLink) -> String {
    let BrokenLink { write, read, releases, acquires } = *link;
    let order =
        |event: usize| rows.trace.events[event].order.map(|order| order.to_string()).unwrap_or_default();
    let release = format!("{} ({}) does not release", rows.name(write), order(write));
    let acquire = format!("{} ({}) does not acquire", rows.name(read), order(read));
    let is_plain = |event: usize| !rows.trace.events[event].order.is_some_and(EventOrder::is_atomic);
    let reason = match (releases, acquires) {
        (false, false) if is_plain(write) && is_plain(read) => {
            "plain accesses do not synchronise".to_string()
        }
        (false, false) => format!("{release} and {acquire}"),
        (false, true) => release,
        (true, false) => acquire,
        (true, true) => "they do not synchronise".to_string(),
    };
    format!("{} reads {}, but {reason}", rows.name(read), rows.name(write))
}

/// The coherence order of each location that several threads write to, unless no step shows one of the writes. In a long
/// interleaving, it is the order of the lines.
fn coherence(rows: &Rows<'_>) -> String {
    let events = &rows.trace.events;
    let is_shown = |&write: &usize| {
        events[write].operation.is_none() && rows.row_of(write).is_some() && !rows.folds.is_hidden(write)
    };
    let mut text = String::new();
    for (location, writes) in &rows.trace.coherence {
        let is_contended = writes.iter().any(|&write| events[write].thread != events[writes[0]].thread);
        let is_clear = rows.folds.n_hidden() > 0 && !rows.trace.is_weak();
        if !is_contended || is_clear || !writes.iter().any(is_shown) {
            continue;
        }
        let names: Vec<_> = writes.iter().map(|&write| rows.name(write)).collect();
        text.push_str(&format!("  coherence of {location}: init → {}\n", names.join(" → ")));
    }
    text
}

/// The places where the heap objects of guilty steps were allocated.
fn objects(trace: &Trace) -> String {
    let mut text = String::new();
    for object in &trace.objects {
        let Some(source) = &object.place.source else { continue };
        let bytes = if object.size == 1 { "byte" } else { "bytes" };
        text.push_str(&format!("  {} is {} {bytes} allocated at {source}\n", object.name, object.size));
    }
    text
}

/// The places of the guilty steps in the source.
fn places(rows: &Rows<'_>) -> String {
    let mut text = String::new();
    for row in rows.all.iter().filter(|row| row.is_guilty) {
        let Some(source) = &row.place.source else { continue };
        let name = rows.row_name(row);
        text.push_str(&format!("  {name} is at {source}: {}\n", statement::with_library(row.place)));
    }
    text
}
