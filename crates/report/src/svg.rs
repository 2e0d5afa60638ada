//! The guilty execution as a picture that every viewer shows: threads side by side, time downwards.
//!
//! The steps are those of the text. Edges between threads are reads-from (green) and synchronisation (blue); guilty steps
//! are red.

use crate::human::Detail;
use crate::page::escaped;
use crate::rows::Rows;
use crate::text;
use crate::trace::{Source, Trace};
use std::collections::BTreeSet;
use std::fmt::Write;

const ROW: usize = 24;
const TOP: usize = 76;
const LEFT: usize = 20;
const GAP: usize = 56;
/// The width of a character of the monospaced font.
const CHAR: usize = 8;

const STYLE: &str = "text{font:13px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1d2326}\
.title{font:600 15px system-ui,'DejaVu Sans',sans-serif}.thread{font-weight:600}.note{fill:#6b7378}\
rect{fill:#fff;stroke:#d5d7d3}.guilty rect{fill:#fdeceb;stroke:#c4262e}.guilty text{fill:#c4262e}\
path{fill:none;stroke-width:1.5}.rf{stroke:#1a8a4a}.sw{stroke:#2f6fd0}";

/// The picture, titled `title`.
pub fn render(trace: &Trace, title: &str) -> String {
    let mut picture = String::new();
    write_picture(&mut picture, trace, title).expect("writing to a string");
    picture
}

/// The left side and the width of a thread's column.
#[derive(Clone, Copy, Default)]
struct Lane {
    x: usize,
    width: usize,
}

fn write_picture(out: &mut String, trace: &Trace, title: &str) -> std::fmt::Result {
    let rows = Rows::of(trace, Detail::Brief);
    let (columns, right) = columns(trace, &rows);
    let notes = text::notes(&rows);
    let longest =
        notes.iter().map(|note| note.chars().count()).chain([title.chars().count()]).max().unwrap_or(0);
    let width = right.max(LEFT * 2 + longest * CHAR);
    let height = TOP + (rows.all.len() + notes.len() + 1) * ROW;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
    )?;
    writeln!(
        out,
        "<style>{STYLE}</style>\n<rect width=\"100%\" height=\"100%\" style=\"fill:#fbfbfa;stroke:none\"/>"
    )?;
    for (kind, color) in [("rf", "#1a8a4a"), ("sw", "#2f6fd0")] {
        writeln!(
            out,
            "<defs><marker id=\"{kind}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" \
             orient=\"auto\"><path d=\"M0,0L8,4L0,8z\" style=\"fill:{color};stroke:none\"/></marker></defs>"
        )?;
    }
    writeln!(out, "<text class=\"title\" x=\"{LEFT}\" y=\"28\">{}</text>", escaped(title))?;
    for (thread, column) in columns.iter().enumerate().filter(|(thread, _)| rows.has_thread(*thread)) {
        let name = escaped(&text::title(trace, thread));
        writeln!(out, "<text class=\"thread\" x=\"{}\" y=\"{}\">{name}</text>", column.x, TOP - 16)?;
    }
    for (kind, from, to) in edges(trace, &rows) {
        let curve = curve((columns[rows.all[from].thread], from), (columns[rows.all[to].thread], to));
        writeln!(out, "<path class=\"{kind}\" d=\"{curve}\" marker-end=\"url(#{kind})\"/>")?;
    }
    for (nth, row) in rows.all.iter().enumerate() {
        let (Lane { x, width }, y) = (columns[row.thread], TOP + nth * ROW);
        let class = if row.is_guilty { "guilty" } else { "step" };
        let step = escaped(&format!("{}: {}", row.number(), row.what));
        writeln!(
            out,
            "<g class=\"{class}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"20\" rx=\"4\"/>"
        )?;
        writeln!(out, "<text x=\"{}\" y=\"{}\" xml:space=\"preserve\">{step}</text></g>", x + 6, y + 14)?;
    }
    for (nth, note) in notes.iter().enumerate() {
        let y = TOP + (rows.all.len() + nth + 1) * ROW;
        writeln!(out, "<text class=\"note\" x=\"{LEFT}\" y=\"{y}\">{}</text>", escaped(note))?;
    }
    writeln!(out, "</svg>")
}

/// The columns of all threads, and the right end of the picture.
fn columns(trace: &Trace, rows: &Rows<'_>) -> (Vec<Lane>, usize) {
    let mut x = LEFT;
    let mut columns = vec![Lane::default(); trace.threads.len()];
    for (thread, column) in columns.iter_mut().enumerate().filter(|(thread, _)| rows.has_thread(*thread)) {
        let steps =
            rows.of_thread(thread).map(|(row, _)| format!("{}: {}", row.number(), row.what).chars().count());
        let longest = steps.chain([text::title(trace, thread).chars().count()]).max().unwrap_or(0);
        *column = Lane { x, width: longest * CHAR + 14 };
        x += column.width + GAP;
    }
    (columns, x - GAP + LEFT)
}

/// The edges between steps of different threads.
fn edges(trace: &Trace, rows: &Rows<'_>) -> BTreeSet<(&'static str, usize, usize)> {
    let reads = trace.events.iter().enumerate().filter_map(|(read, event)| match event.reads_from {
        Some(Source::Event(write)) => Some(("rf", write, read)),
        _ => None,
    });
    let synchronised = trace.synchronisation.iter().map(|&(from, to)| ("sw", from, to));
    let shown = reads.chain(synchronised).filter_map(|(kind, from, to)| {
        let (from, to) = (rows.row_of(from)?, rows.row_of(to)?);
        (rows.all[from].thread != rows.all[to].thread).then_some((kind, from, to))
    });
    let all: BTreeSet<_> = shown.collect();
    // Where both lead from one step to the other, synchronisation says more.
    let is_covered = |&(kind, from, to): &_| kind == "rf" && all.contains(&("sw", from, to));
    all.iter().copied().filter(|edge| !is_covered(edge)).collect()
}

fn curve((from, first): (Lane, usize), (to, second): (Lane, usize)) -> String {
    let [y1, y2] = [first, second].map(|row| TOP + row * ROW + 10);
    let (x1, x2) = if from.x < to.x { (from.x + from.width, to.x) } else { (from.x, to.x + to.width) };
    let middle = (x1 + x2) / 2;
    format!("M{x1},{y1}C{middle},{y1} {middle},{y2} {x2},{y2}")
}
