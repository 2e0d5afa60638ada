//! Steps that say little in a long execution: what a thread is given when it is created, and what it knows already.

use crate::trace::{Source, Trace, TraceEvent};
use std::collections::HashMap;

/// For each event, whether it says little.
pub(crate) fn quiet_steps(trace: &Trace) -> Vec<bool> {
    let mut is_quiet = known_already(trace);
    for (index, is_quiet) in is_quiet.iter_mut().enumerate() {
        *is_quiet |= is_set_up(trace, index);
    }
    is_quiet
}

/// Plain reads of what the same thread has read or written, since it has last synchronised.
fn known_already(trace: &Trace) -> Vec<bool> {
    let mut known: Vec<HashMap<&str, Source>> = vec![HashMap::new(); trace.threads.len()];
    let mut is_known = vec![false; trace.events.len()];
    for (index, event) in trace.events.iter().enumerate() {
        let known = &mut known[event.thread];
        let is_plain = event.operation.is_none() && event.order.as_deref() == Some("na");
        match (event.variable.as_deref().filter(|_| is_plain), event.reads_from) {
            (Some(variable), Some(source)) => {
                is_known[index] = known.insert(variable, source) == Some(source);
            }
            (Some(variable), None) if event.kind == "write" => {
                known.insert(variable, Source::Event(index));
            }
            (Some(_), None) => {}
            // What follows may be about another state of the memory.
            (None, _) if matches!(event.kind, "alloc" | "begin" | "end") => {}
            (None, _) => known.clear(),
        }
    }
    is_known
}

/// Whether a step only stores or fetches what the creation of an object or of a thread puts there.
fn is_set_up(trace: &Trace, index: usize) -> bool {
    let event = &trace.events[index];
    let Some((_, value)) = event.value.as_ref().filter(|_| event.order.as_deref() == Some("na")) else {
        return false;
    };
    match event.reads_from {
        None => value.contains("{vtable"),
        Some(Source::Event(write)) => value.starts_with('&') && is_handed_over(trace, write, event.thread),
        Some(Source::Initial | Source::Unwritten) => false,
    }
}

/// Whether a library writes something once, before it creates `thread`.
fn is_handed_over(trace: &Trace, write: usize, thread: usize) -> bool {
    let writer = &trace.events[write];
    let name = Some(trace.threads[thread].name.as_str());
    let is_creation = |event: &&TraceEvent| {
        event.thread == writer.thread && event.kind == "spawn" && event.variable.as_deref() == name
    };
    let is_other = |event: &TraceEvent| event.kind == "write" && event.variable == writer.variable;
    writer.place.library.is_some()
        && trace.events.iter().find(is_creation).is_some_and(|creation| creation.index > writer.index)
        && trace.events.iter().filter(|event| is_other(event)).count() == 1
}
