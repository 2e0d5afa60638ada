//! The guilty execution as a Graphviz picture: a cluster per thread, program order downwards.
//!
//! `po` is black, `rf` green, `co` brown (adjacent writes only); guilty events are red. Reads of the initial value
//! have no `rf` edge.

use crate::trace::{Source, Trace, TraceEvent};
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
    writeln!(out, "digraph execution {{\n  label=\"{}\";", escaped(title))?;
    writeln!(out, "  labelloc=t;\n  node [shape=box, fontname=monospace];")?;
    for (number, thread) in trace.threads.iter().enumerate() {
        writeln!(out, "  subgraph cluster_{number} {{\n    label=\"{}\";", escaped(&thread.name))?;
        for event in shown(trace).filter(|event| event.thread == number) {
            let guilty = if event.is_guilty { GUILTY } else { "" };
            writeln!(out, "    {} [label=\"{}\"{guilty}];", node(event), escaped(&describe(event)))?;
        }
        if let Some(stop) = &thread.stop {
            let guilty = if stop.is_guilty { GUILTY } else { "" };
            let text = escaped(&format!("{} {}", stop.place.text, stop.what));
            writeln!(out, "    stop{number} [label=\"{text}\"{guilty}];")?;
        }
        writeln!(out, "  }}")?;
    }
    for number in 0..trace.threads.len() {
        let events = shown(trace).filter(|event| event.thread == number).map(node);
        let stop = trace.threads[number].stop.as_ref().map(|_| format!("stop{number}"));
        let nodes: Vec<_> = events.chain(stop).collect();
        nodes.windows(2).try_for_each(|pair| writeln!(out, "  {} -> {};", pair[0], pair[1]))?;
    }
    for event in shown(trace) {
        if let Some(Source::Event(source)) = event.reads_from {
            writeln!(out, "  {} -> {} [{RF}];", node(&trace.events[source]), node(event))?;
        }
    }
    for (_, writes) in &trace.coherence {
        for pair in writes.windows(2) {
            writeln!(out, "  {} -> {} [{CO}];", node(&trace.events[pair[0]]), node(&trace.events[pair[1]]))?;
        }
    }
    writeln!(out, "}}")
}

fn shown(trace: &Trace) -> impl Iterator<Item = &TraceEvent> {
    trace.events.iter().filter(|event| !event.is_merge)
}

fn describe(event: &TraceEvent) -> String {
    let value = event.value.as_ref().map(|(_, value)| format!(" = {value}")).unwrap_or_default();
    format!("{}: {}{value}", event.index, event.label)
}

fn node(event: &TraceEvent) -> String {
    format!("e{}_{}", event.thread, event.index)
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
