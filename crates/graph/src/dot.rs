//! Execution graphs as Graphviz pictures: a cluster per thread, program order downwards.

use crate::canonical::Canonical;
use atropos_event::{Access, Addr, EventId, Label, Rmw, ThreadId};
use std::fmt::Write;

/// The picture in Graphviz's language. `name` gives the name of an address.
///
/// `po` is black, `rf` green, `co` brown (adjacent writes only), `fr` red (to the next write only), and the edges of
/// spawns and joins are dotted. Reads of the initial value have no `rf` edge.
pub fn dot(canonical: &Canonical, name: impl Fn(Addr) -> String) -> String {
    let mut picture = String::from("digraph execution {\n  node [shape=plaintext, fontname=monospace];\n");
    let mut edges = String::new();
    for (thread, of_thread) in canonical.threads.iter().enumerate() {
        let thread = ThreadId::new(thread);
        picture.push_str(&format!("  subgraph cluster_{} {{\n", thread.index()));
        picture.push_str(&format!("    label=\"thread {} ({})\";\n", of_thread.key, of_thread.status));
        for index in 0..of_thread.events.len() {
            let id = EventId::new(thread, index);
            let text = escaped(&describe(canonical, id, &name));
            picture.push_str(&format!("    {} [label=\"{text}\"];\n", node(id)));
            if let Some(before) = index.checked_sub(1) {
                edge(&mut edges, EventId::new(thread, before), id, "");
            }
        }
        picture.push_str("  }\n");
    }
    for (from, to, style) in relations(canonical) {
        edge(&mut edges, from, to, style);
    }
    picture + &edges + "}\n"
}

const RF: &str = "label=rf, color=darkgreen, fontcolor=darkgreen, constraint=false";
const CO: &str = "label=co, color=brown, fontcolor=brown, constraint=false";
const FR: &str = "label=fr, color=red, fontcolor=red, constraint=false";
const SYNC: &str = "style=dotted";

/// All edges except `po`.
fn relations(canonical: &Canonical) -> Vec<(EventId, EventId, &'static str)> {
    let mut edges = Vec::new();
    for (id, event) in canonical.events() {
        if let Some(source) = event.source {
            edges.push((source, id, if event.label.is_read() { RF } else { SYNC }));
        }
        let Label::Read { access, .. } = event.label else { continue };
        // A read-modify-write does not conflict with itself.
        let next = write_behind(canonical, access, event.source);
        let own = EventId::new(id.thread(), id.index() + 1);
        edges.extend(next.filter(|&next| next != own).map(|next| (id, next, FR)));
    }
    for (_, writes) in &canonical.co {
        edges.extend(writes.windows(2).map(|pair| (pair[0], pair[1], CO)));
    }
    edges
}

/// The next write after `write`, or after the initial one, in coherence order.
fn write_behind(canonical: &Canonical, access: Access, write: Option<EventId>) -> Option<EventId> {
    let (_, writes) = canonical.co.iter().find(|(other, _)| *other == access.cell())?;
    match write {
        None => writes.first().copied(),
        Some(write) => writes.iter().skip_while(|&&other| other != write).nth(1).copied(),
    }
}

/// An event in the program's words, as `R x = 1 acq`.
fn describe(canonical: &Canonical, id: EventId, name: &impl Fn(Addr) -> String) -> String {
    let event = canonical.event(id);
    let key = |thread: ThreadId| canonical.threads[thread.index()].key;
    match event.label {
        Label::Begin => "begin".into(),
        Label::End => "end".into(),
        Label::Spawn { child, .. } => format!("spawn {}", key(child)),
        Label::Join { child } => format!("join {}", key(child)),
        Label::Fence { order } => format!("F {order}"),
        Label::Alloc { addr, size, .. } => format!("alloc {} ({size} bytes)", name(addr)),
        Label::Free { addr, .. } => format!("free {}", name(addr)),
        Label::Write { access, order, value, .. } => {
            format!("W {} = {} {order}", name(access.part().addr), access.narrow(value))
        }
        Label::Read { access, order, rmw } => {
            let value = access.narrow(event.value);
            let is_failed = matches!(rmw, Rmw::Cas { .. }) && !event.exclusive;
            let note = if is_failed { " (failed)" } else { "" };
            format!("R {} = {value} {order}{note}", name(access.part().addr))
        }
    }
}

fn node(id: EventId) -> String {
    format!("e{}_{}", id.thread().index(), id.index())
}

fn edge(edges: &mut String, from: EventId, to: EventId, style: &str) {
    writeln!(edges, "  {} -> {} [{style}];", node(from), node(to)).expect("writing to a string");
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Slot;
    use crate::sketch::{Sketch, X};

    #[test]
    fn a_small_graph_is_drawn_with_all_its_edges() {
        let mut sketch = Sketch::new();
        let spawn = sketch.spawn(0, 1);
        let write = sketch.write(0, X, 1);
        sketch.begin(1, spawn);
        sketch.read(1, X, Slot::INIT);
        sketch.increment(1, X, write);
        let picture = dot(&sketch.canonical(), |_| "\"x\"".into());
        let expected = r#"digraph execution {
  node [shape=plaintext, fontname=monospace];
  subgraph cluster_0 {
    label="thread 0 (unfinished)";
    e0_0 [label="spawn 0.1"];
    e0_1 [label="W \"x\" = 1 rlx"];
  }
  subgraph cluster_1 {
    label="thread 0.1 (unfinished)";
    e1_0 [label="begin"];
    e1_1 [label="R \"x\" = 0 acq"];
    e1_2 [label="R \"x\" = 1 acq"];
    e1_3 [label="W \"x\" = 2 rel"];
  }
  e0_0 -> e0_1 [];
  e1_0 -> e1_1 [];
  e1_1 -> e1_2 [];
  e1_2 -> e1_3 [];
  e0_0 -> e1_0 [style=dotted];
  e1_1 -> e0_1 [label=fr, color=red, fontcolor=red, constraint=false];
  e0_1 -> e1_2 [label=rf, color=darkgreen, fontcolor=darkgreen, constraint=false];
  e0_1 -> e1_3 [label=co, color=brown, fontcolor=brown, constraint=false];
}
"#;
        assert_eq!(picture, expected);
    }
}
