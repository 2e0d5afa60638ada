//! The guilty execution as a Graphviz picture: a cluster per thread, program order downwards.
//!
//! The steps are those of the text, in the same words: [`crate::rows`] says which. `po` is black, `rf` green, `co` brown
//! (adjacent writes only); guilty steps are red. Reads of the initial value have no `rf` edge.

use crate::human::Detail;
use crate::rows::{Row, Rows};
use crate::trace::{Source, Trace};
use std::fmt::Write;

const RF: &str = "label=rf, color=darkgreen, fontcolor=darkgreen, constraint=false";
const CO: &str = "label=co, color=brown, fontcolor=brown, constraint=false";
const GUILTY: &str = ", style=filled, fillcolor=mistyrose, color=red";

/// The picture, titled `title`.
pub fn render(trace: &Trace, title: &str) -> String {
    let mut picture = String::new();
    write_picture(&mut picture, trace, title).expect("writing to a string");
    picture
}

fn write_picture(out: &mut String, trace: &Trace, title: &str) -> std::fmt::Result {
    let rows = Rows::of(trace, Detail::Brief);
    writeln!(out, "digraph execution {{\n  label=\"{}\";", escaped(title))?;
    writeln!(out, "  labelloc=t;\n  node [shape=box, fontname=monospace];")?;
    for (number, thread) in trace.threads.iter().enumerate().filter(|(number, _)| rows.has_thread(*number)) {
        writeln!(out, "  subgraph cluster_{number} {{\n    label=\"{}\";", escaped(&thread.name))?;
        for (row, node) in rows.of_thread(number) {
            let guilty = if row.is_guilty { GUILTY } else { "" };
            writeln!(out, "    r{node} [label=\"{}\"{guilty}];", escaped(&describe(row)))?;
        }
        writeln!(out, "  }}")?;
    }
    for number in 0..trace.threads.len() {
        let nodes: Vec<usize> = rows.of_thread(number).map(|(_, node)| node).collect();
        nodes.windows(2).try_for_each(|pair| writeln!(out, "  r{} -> r{};", pair[0], pair[1]))?;
    }
    for (node, row) in rows.all.iter().enumerate() {
        if let Some(Source::Event(source)) = row.source
            && let Some(from) = rows.row_of(source)
        {
            writeln!(out, "  r{from} -> r{node} [{RF}];")?;
        }
    }
    for (_, writes) in &trace.coherence {
        let mut nodes: Vec<usize> = writes.iter().filter_map(|&write| rows.row_of(write)).collect();
        nodes.dedup();
        nodes.windows(2).try_for_each(|pair| writeln!(out, "  r{} -> r{} [{CO}];", pair[0], pair[1]))?;
    }
    writeln!(out, "}}")
}

/// A step in the words of the text, which shows the statement that a thread stops at elsewhere if it has a source place.
fn describe(row: &Row<'_>) -> String {
    match &row.place.source {
        Some(_) if row.is_stop => format!("{}: {} {}", row.number(), row.place.text, row.what),
        _ => format!("{}: {}", row.number(), row.what),
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
