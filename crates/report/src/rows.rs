//! Which events of an execution a report shows, and which of them share a line.
//!
//! Uninformative events that are not to blame are left out: begin and end of threads, threads that only create and join
//! others, and steps that a front-end adds to the program (those without a source place, if others have one). The events
//! of one call of the thread library share a line if no event of another thread comes between them.

use crate::operation::Operation;
use crate::trace::{Source, Stop, Trace, TraceEvent};

/// One step as it is shown: an event, or the events in a row that a call of the thread library makes.
pub struct Row<'a> {
    pub thread: usize,
    pub index: usize,
    pub what: String,
    pub source: Option<Source>,
    /// What is read from, by name.
    pub from: Option<String>,
    pub is_guilty: bool,
    /// The thread does not continue from here.
    pub is_stop: bool,
    pub place: &'a atropos_event::Place,
    /// The call, and its first statement here.
    operation: Option<(&'a Operation, Option<u64>)>,
}

/// The steps of an execution, and the step that shows each event.
pub struct Rows<'a> {
    pub trace: &'a Trace,
    pub all: Vec<Row<'a>>,
    /// By event: index into `all`.
    of_event: Vec<Option<usize>>,
}

impl<'a> Rows<'a> {
    pub fn of(trace: &'a Trace) -> Self {
        let has_sources = trace.events.iter().any(|event| event.place.source.is_some() && !is_frame(event));
        let tells = |event: &&TraceEvent| {
            !is_frame(event) && !event.is_merge && (event.place.source.is_some() || !has_sources)
        };
        let only_manages = |thread: usize| {
            let mut own = trace.events.iter().filter(tells).filter(|event| event.thread == thread);
            own.all(|event| matches!(event.kind, "spawn" | "join"))
        };
        let only_manages: Vec<bool> = (0..trace.threads.len()).map(only_manages).collect();
        let mut rows = Rows { trace, all: Vec::new(), of_event: vec![None; trace.events.len()] };
        for (index, event) in trace.events.iter().enumerate() {
            if event.is_guilty || (tells(&event) && !only_manages[event.thread]) {
                rows.add(index, event);
            }
        }
        let threads = trace.threads.iter().enumerate();
        let stops = threads.filter_map(|(thread, state)| Some(stop_row(trace, thread, state.stop.as_ref()?)));
        rows.all.extend(stops);
        let sources: Vec<_> =
            rows.all.iter().map(|row| row.source.map(|source| rows.source_name(source))).collect();
        for (row, from) in rows.all.iter_mut().zip(sources) {
            row.from = from;
        }
        rows
    }

    fn add(&mut self, index: usize, event: &'a TraceEvent) {
        let is_continued = |row: &Row<'_>| {
            let operation = event.operation.as_ref().zip(row.operation);
            row.thread == event.thread
                && operation.is_some_and(|(now, (before, first))| now.continues(before, first))
        };
        match self.all.last_mut().filter(|row| is_continued(row)) {
            Some(row) => {
                row.is_guilty |= event.is_guilty;
                row.source = foreign_source(self.trace, event).or(row.source);
            }
            None => self.all.push(event_row(self.trace, event)),
        }
        self.of_event[index] = Some(self.all.len() - 1);
    }

    /// The steps of a thread, with their indices in [`Rows::all`].
    pub fn of_thread(&self, thread: usize) -> impl Iterator<Item = (&Row<'a>, usize)> {
        self.all.iter().zip(0..).filter(move |(row, _)| row.thread == thread)
    }

    pub(crate) fn has_thread(&self, thread: usize) -> bool {
        self.of_thread(thread).next().is_some()
    }

    /// The step that shows an event.
    pub(crate) fn row_of(&self, event: usize) -> Option<usize> {
        self.of_event[event]
    }

    /// The name of the event at `index`: that of the step that shows it.
    pub fn name(&self, index: usize) -> String {
        self.of_event[index].map_or_else(|| self.trace.name(index), |row| self.row_name(&self.all[row]))
    }

    pub(crate) fn row_name(&self, row: &Row<'_>) -> String {
        format!("{}.{}", self.trace.threads[row.thread].name, row.index)
    }

    fn source_name(&self, source: Source) -> String {
        match source {
            Source::Event(index) => self.name(index),
            Source::Initial | Source::Unwritten => self.trace.source_name(source),
        }
    }
}

/// The event of another thread that an event reads from.
fn foreign_source(trace: &Trace, event: &TraceEvent) -> Option<Source> {
    let is_foreign = |source: &Source| matches!(*source, Source::Event(write) if trace.events[write].thread != event.thread);
    event.reads_from.filter(is_foreign)
}

/// Whether this is the first or last event of its thread, which every thread has.
fn is_frame(event: &TraceEvent) -> bool {
    matches!(event.kind, "begin" | "end")
}

fn event_row<'a>(trace: &Trace, event: &'a TraceEvent) -> Row<'a> {
    let value = event.value.as_ref().map(|(_, value)| format!(" = {value}")).unwrap_or_default();
    let operation = event.operation.as_ref();
    Row {
        thread: event.thread,
        index: event.index,
        what: operation.map_or_else(|| format!("{}{value}", event.label), Operation::shown),
        source: operation.map_or(event.reads_from, |_| foreign_source(trace, event)),
        from: None,
        is_guilty: event.is_guilty,
        is_stop: false,
        place: &event.place,
        operation: operation.map(|operation| (operation, operation.statement)),
    }
}

/// A step with a source place is described by it, below the picture.
fn stop_row<'a>(trace: &Trace, thread: usize, stop: &'a Stop) -> Row<'a> {
    let is_named = stop.place.source.is_some() || stop.place.text.is_empty();
    Row {
        thread,
        index: trace.events.iter().filter(|event| event.thread == thread).count(),
        what: if is_named { stop.what.to_string() } else { format!("{}  {}", stop.place.text, stop.what) },
        source: None,
        from: None,
        is_guilty: stop.is_guilty,
        is_stop: true,
        place: &stop.place,
        operation: None,
    }
}
