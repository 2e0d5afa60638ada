//! Steps that say little in a long execution: what a thread is given when it is created, and what it knows already.

use crate::label::EventKind;
use crate::names::Pointee;
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
        let is_plain = event.operation.is_none() && is_plain(event);
        match (event.variable.as_deref().filter(|_| is_plain), event.reads_from) {
            (Some(variable), Some(source)) => {
                is_known[index] = known.insert(variable, source) == Some(source);
            }
            (Some(variable), None) if event.kind == EventKind::Write => {
                known.insert(variable, Source::Event(index));
            }
            (Some(_), None) => {}
            // What follows may be about another state of the memory.
            (None, _) if matches!(event.kind, EventKind::Alloc | EventKind::Begin | EventKind::End) => {}
            (None, _) => known.clear(),
        }
    }
    is_known
}

fn is_plain(event: &TraceEvent) -> bool {
    event.order.is_some_and(|order| !order.is_atomic())
}

/// Whether a step only stores or fetches what the creation of an object or of a thread puts there.
fn is_set_up(trace: &Trace, index: usize) -> bool {
    let event = &trace.events[index];
    let Some(value) = event.value.as_ref().filter(|_| is_plain(event)) else {
        return false;
    };
    match event.reads_from {
        None => value.pointee == Some(Pointee::Vtable),
        Some(Source::Event(write)) => value.pointee.is_some() && is_handed_over(trace, write, event.thread),
        Some(Source::Initial | Source::Unwritten) => false,
    }
}

/// Whether a library writes something once, before it creates `thread`.
fn is_handed_over(trace: &Trace, write: usize, thread: usize) -> bool {
    let writer = &trace.events[write];
    let name = Some(trace.threads[thread].name.as_str());
    let is_creation = |event: &&TraceEvent| {
        event.thread == writer.thread && event.kind == EventKind::Spawn && event.variable.as_deref() == name
    };
    let is_other = |event: &TraceEvent| event.kind == EventKind::Write && event.variable == writer.variable;
    writer.place.library.is_some()
        && trace.events.iter().find(is_creation).is_some_and(|creation| creation.index > writer.index)
        && trace.events.iter().filter(|event| is_other(event)).count() == 1
}
