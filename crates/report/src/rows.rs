//! Which events of an execution a report shows, and which of them share a line.
//!
//! Uninformative events that are not to blame are left out: begin and end of threads, threads that only create and join
//! others, and steps that a front-end adds to the program (those without a source place, if others have one). The events
//! of one call of the thread library share a line if no event of another thread comes between them. Of a long execution,
//! [`crate::fold`] leaves out more.

use crate::fold::Folds;
use crate::human::Detail;
use crate::label::EventKind;
use crate::operation::Operation;
use crate::trace::{Source, Stop, Trace, TraceEvent};

/// One step as it is shown: an event, or several events in a row.
pub struct Row<'a> {
    pub thread: usize,
    pub index: usize,
    /// The index of the last event.
    pub last: usize,
    pub what: String,
    pub source: Option<Source>,
    /// What is read from, by name.
    pub from: Option<String>,
    pub is_guilty: bool,
    /// The thread does not continue from here.
    pub is_stop: bool,
    /// It stands for what is folded.
    pub is_group: bool,
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
    pub folds: Folds,
    /// The first event that creates a thread.
    first_spawn: Option<usize>,
}

impl<'a> Rows<'a> {
    pub fn of(trace: &'a Trace, detail: Detail) -> Self {
        let shown: Vec<usize> = shown_events(trace);
        let folds = match detail {
            Detail::Brief => Folds::of(trace, &shown),
            Detail::Verbose => Folds::default(),
        };
        let of_event = vec![None; trace.events.len()];
        let first_spawn = trace.events.iter().position(|event| event.kind == EventKind::Spawn);
        let mut rows = Rows { trace, all: Vec::new(), of_event, folds, first_spawn };
        let kept: Vec<usize> = shown.into_iter().filter(|&index| !rows.folds.is_dropped(index)).collect();
        let mut rest = &kept[..];
        while let Some((&index, others)) = rest.split_first() {
            rest = match rows.folds.group_at(index) {
                Some(group) => {
                    let (n_events, what) = (group.n_events, group.what.clone());
                    rows.add_group(&rest[..n_events], what);
                    &rest[n_events..]
                }
                None => {
                    rows.add(index, &trace.events[index]);
                    others
                }
            };
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
            operation.is_some_and(|(now, (before, first))| now.continues(before, first))
        };
        let last = || self.all.iter().rposition(|row| row.thread == event.thread);
        let last = event.operation.as_ref().and_then(|_| last());
        match last.filter(|&row| is_continued(&self.all[row])) {
            Some(row) if row == self.all.len() - 1 => {
                let source = self.foreign_source(event);
                let row = &mut self.all[row];
                row.is_guilty |= event.is_guilty;
                row.source = source.or(row.source);
            }
            Some(_) => {
                let row = self.event_row(event);
                self.all.push(Row { what: format!("… {}", row.what), ..row });
            }
            None => self.all.push(self.event_row(event)),
        }
        self.of_event[index] = Some(self.all.len() - 1);
    }

    /// Adds events in a row as one step.
    fn add_group(&mut self, events: &[usize], what: String) {
        let all = |index: &usize| &self.trace.events[*index];
        let (first, last) = (all(&events[0]), all(&events[events.len() - 1]));
        let source = events.iter().rev().find_map(|event| self.foreign_source(all(event)));
        let row = self.event_row(first);
        self.all.push(Row { last: last.index, what, source, operation: None, is_group: true, ..row });
        for &event in events {
            self.of_event[event] = Some(self.all.len() - 1);
        }
    }

    /// The event of another thread that an event reads from, unless everything before the first creation of a thread comes
    /// first anyway.
    fn foreign_source(&self, event: &TraceEvent) -> Option<Source> {
        let first_spawn = self.first_spawn.unwrap_or(0);
        event.reads_from.filter(|source| match *source {
            Source::Event(write) => self.trace.events[write].thread != event.thread && write >= first_spawn,
            Source::Initial | Source::Unwritten => false,
        })
    }

    fn event_row(&self, event: &'a TraceEvent) -> Row<'a> {
        let value = event.value.as_ref().map(|value| format!(" = {}", value.text)).unwrap_or_default();
        let operation = event.operation.as_ref();
        Row {
            thread: event.thread,
            index: event.index,
            last: event.index,
            what: operation.map_or_else(|| format!("{}{value}", event.label), Operation::shown),
            source: operation.map_or(event.reads_from, |_| self.foreign_source(event)),
            from: None,
            is_guilty: event.is_guilty,
            is_stop: false,
            is_group: false,
            place: &event.place,
            operation: operation.map(|operation| (operation, operation.statement)),
        }
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

    /// The name of the event at `index`: that of the step that shows it, unless the step is a range.
    pub fn name(&self, index: usize) -> String {
        let row = self.of_event[index].map(|row| &self.all[row]).filter(|row| row.index == row.last);
        row.map_or_else(|| self.trace.name(index), |row| self.row_name(row))
    }

    pub(crate) fn row_name(&self, row: &Row<'_>) -> String {
        format!("{}.{}", self.trace.threads[row.thread].name, row.number())
    }

    fn source_name(&self, source: Source) -> String {
        match source {
            Source::Event(index) => self.name(index),
            Source::Initial | Source::Unwritten => self.trace.source_name(source),
        }
    }
}

impl Row<'_> {
    /// The function of the thread library that is called.
    pub(crate) fn call(&self) -> Option<&str> {
        self.operation.map(|(operation, _)| operation.call.as_str())
    }

    /// The position in the thread, or the first and the last one.
    pub fn number(&self) -> String {
        if self.index == self.last {
            self.index.to_string()
        } else {
            format!("{}–{}", self.index, self.last)
        }
    }
}

/// The events that tell something, in order.
fn shown_events(trace: &Trace) -> Vec<usize> {
    let has_sources = trace.events.iter().any(|event| event.place.source.is_some() && !is_frame(event));
    let tells = |event: &TraceEvent| {
        !is_frame(event) && !event.is_merge && (event.place.source.is_some() || !has_sources)
    };
    // Threads that the library starts for itself have no step to show, and neither has their creation.
    let mut has_steps = vec![false; trace.threads.len()];
    let mut only_manages = vec![true; trace.threads.len()];
    for event in trace.events.iter().filter(|event| tells(event)) {
        only_manages[event.thread] &= matches!(event.kind, EventKind::Spawn | EventKind::Join);
        has_steps[event.thread] = true;
    }
    let is_about_library = |event: &TraceEvent| {
        let child = trace.threads.iter().position(|thread| Some(&thread.name) == event.variable.as_ref());
        matches!(event.kind, EventKind::Spawn | EventKind::Join)
            && event.place.library.is_some()
            && child.is_some_and(|child| !has_steps[child] && trace.threads[child].stop.is_none())
    };
    let is_shown = |event: &TraceEvent| {
        event.is_guilty || (tells(event) && !only_manages[event.thread] && !is_about_library(event))
    };
    (0..trace.events.len()).filter(|&index| is_shown(&trace.events[index])).collect()
}

/// Whether this is the first or last event of its thread, which every thread has.
fn is_frame(event: &TraceEvent) -> bool {
    matches!(event.kind, EventKind::Begin | EventKind::End)
}

/// A step with a source place is described by it, below the picture.
fn stop_row<'a>(trace: &Trace, thread: usize, stop: &'a Stop) -> Row<'a> {
    let is_named = stop.place.source.is_some() || stop.place.text.is_empty();
    let what = stop.shown(&trace.threads);
    let index = trace.events.iter().filter(|event| event.thread == thread).count();
    Row {
        thread,
        index,
        last: index,
        what: if is_named { what } else { format!("{}  {what}", stop.place.text) },
        source: None,
        from: None,
        is_guilty: stop.is_guilty,
        is_stop: true,
        is_group: false,
        place: &stop.place,
        operation: None,
    }
}
