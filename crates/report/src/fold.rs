//! What is left out of the picture of a long execution, and which steps in a row become one line.
//!
//! A short execution is shown as it is. In a long one, several kinds of steps say little about what went wrong:
//!
//! * accesses to what no other thread accesses: left out;
//! * what the main thread does before it creates the first thread: one line;
//! * the steps inside one call of a library, such as `promise.set_value()`: one line, the user's statement;
//! * stores in a row by one statement, such as a `memset`: one line;
//! * what comes long before the end, if the execution is still very long: one line for each thread and stretch.
//!
//! Guilty steps are always shown. A single step, or two, are shown instead of a line about them.

use crate::trace::{Source, Trace, TraceEvent};
use atropos_event::SourceLocation;
use std::collections::{BTreeSet, HashMap};

/// An execution with at most this many steps is shown as it is.
const SHORT: usize = 24;

/// The least number of steps that become one line.
const LEAST: usize = 3;

/// The number of steps at the end that are always shown.
const MOST: usize = 80;

/// The longest statement to quote.
const WIDEST: usize = 48;

/// What is folded in an execution.
#[derive(Default)]
pub struct Folds {
    /// By its first event.
    groups: HashMap<usize, Group>,
    dropped: BTreeSet<usize>,
    /// The events of all groups.
    hidden: BTreeSet<usize>,
}

/// Events in a row that become one line.
pub struct Group {
    pub n_events: usize,
    pub what: String,
}

/// Why neighbouring steps of a thread may become one line.
#[derive(Clone, PartialEq, Eq)]
enum Kind<'a> {
    SetUp,
    Call(&'a SourceLocation),
    Fill(&'a SourceLocation),
    Early,
}

impl Folds {
    /// Folds the events of `trace` that are `shown`, in order.
    pub fn of(trace: &Trace, shown: &[usize]) -> Folds {
        if shown.len() <= SHORT {
            return Folds::default();
        }
        let first_spawn = trace.events.iter().position(|event| event.kind == "spawn");
        let has_others =
            shown.iter().any(|&index| trace.events[index].thread != trace.events[shown[0]].thread);
        let is_dropped = |index: usize| {
            has_others
                && trace.is_private[index]
                && !trace.events[index].is_guilty
                && trace.events[index].operation.is_none()
                && first_spawn.is_none_or(|first| index > first)
        };
        let dropped: BTreeSet<usize> = shown.iter().copied().filter(|&index| is_dropped(index)).collect();
        let mut folds = Folds { dropped, ..Folds::default() };
        let kept: Vec<usize> = shown.iter().copied().filter(|index| !folds.dropped.contains(index)).collect();
        let kind = |index: usize| kind(trace, index, first_spawn);
        folds.group(trace, &kept, kind);
        let n_lines = folds.n_lines(&kept);
        if n_lines > MOST + MOST / 2 {
            (folds.groups, folds.hidden) = Default::default();
            let is_late = last_lines(trace, &kept);
            folds.group(trace, &kept, |index| {
                let is_early = !is_late.contains(&index) && !trace.events[index].is_guilty;
                kind(index).filter(|_| !is_early).or(is_early.then_some(Kind::Early))
            });
        }
        folds
    }

    /// Makes groups of consecutive events of a thread with the same kind.
    fn group<'a>(&mut self, trace: &'a Trace, kept: &[usize], kind: impl Fn(usize) -> Option<Kind<'a>>) {
        let mut rest = kept;
        while let Some(&first) = rest.first() {
            let same = |index: &&usize| {
                trace.events[**index].thread == trace.events[first].thread && kind(**index) == kind(first)
            };
            let n_same = rest.iter().take_while(same).count();
            let (run, others) = rest.split_at(n_same.max(1));
            rest = others;
            let Some(what) = kind(first).and_then(|kind| words(trace, run, &kind)) else { continue };
            self.hidden.extend(run);
            self.groups.insert(first, Group { n_events: run.len(), what });
        }
    }

    fn n_lines(&self, kept: &[usize]) -> usize {
        kept.len() - self.groups.values().map(|group| group.n_events - 1).sum::<usize>()
    }

    /// The group that begins with the event at `index`. Events that are left out are not counted.
    pub fn group_at(&self, index: usize) -> Option<&Group> {
        self.groups.get(&index)
    }

    /// Whether the event at `index` is left out.
    pub fn is_dropped(&self, index: usize) -> bool {
        self.dropped.contains(&index)
    }

    /// Whether the event at `index` has no line of its own.
    pub fn is_hidden(&self, index: usize) -> bool {
        self.is_dropped(index) || self.hidden.contains(&index)
    }

    /// The number of events without a line of their own.
    pub fn n_hidden(&self) -> usize {
        self.dropped.len() + self.hidden.len()
    }
}

/// The last events, and the writes that they read from.
fn last_lines(trace: &Trace, kept: &[usize]) -> BTreeSet<usize> {
    let mut late: BTreeSet<usize> = kept[kept.len().saturating_sub(MOST)..].iter().copied().collect();
    let sources = late.iter().filter_map(|&index| match trace.events[index].reads_from {
        Some(Source::Event(write)) => Some(write),
        _ => None,
    });
    let sources: Vec<usize> = sources.collect();
    late.extend(sources);
    late
}

/// Why the step of an event may be folded.
fn kind<'a>(trace: &'a Trace, index: usize, first_spawn: Option<usize>) -> Option<Kind<'a>> {
    let event: &TraceEvent = &trace.events[index];
    if event.is_guilty {
        return None;
    }
    if first_spawn.is_some_and(|first| index < first && event.thread == trace.events[first].thread) {
        return Some(Kind::SetUp);
    }
    let source = event.place.source.as_ref()?;
    match event.kind {
        _ if event.operation.is_some() => None,
        "spawn" | "join" => None,
        _ if event.place.library.is_some() => Some(Kind::Call(source)),
        "write" if event.order.as_deref() == Some("na") => Some(Kind::Fill(source)),
        _ => None,
    }
}

/// The line for steps in a row; `None` if they should be shown one by one.
fn words(trace: &Trace, run: &[usize], kind: &Kind<'_>) -> Option<String> {
    let n_steps = run.len();
    if n_steps < LEAST {
        return None;
    }
    let [first, last] = [run[0], run[n_steps - 1]].map(|index| &trace.events[index]);
    match kind {
        Kind::SetUp => Some(format!("{n_steps} steps before the first thread starts")),
        Kind::Early => Some(format!("{n_steps} earlier steps")),
        Kind::Call(_) => {
            let variables: BTreeSet<_> =
                run.iter().filter_map(|&index| trace.events[index].variable.as_deref()).collect();
            let statement = statement(first);
            (variables.len() > 1).then(|| format!("{statement}   ({n_steps} steps in the library)"))
        }
        Kind::Fill(_) => {
            let [from, to] = [first, last].map(|event| event.variable.as_deref().unwrap_or_default());
            let value = |index: &usize| trace.events[*index].value.as_ref().map(|(_, value)| value.as_str());
            let is_same = run.iter().all(|index| value(index) == value(&run[0]));
            let value = if is_same { value(&run[0]).map(|value| format!(" = {value}")) } else { None };
            Some(format!("W({from} … {to}) na{}   ({n_steps} stores)", value.unwrap_or_default()))
        }
    }
}

/// The user's statement, without the place in the library.
fn statement(event: &TraceEvent) -> String {
    let text = &event.place.text;
    let inner = event.place.library.as_ref().map(|inner| format!(" (in {})", inner.short()));
    let text = inner.and_then(|inner| text.strip_suffix(&inner)).unwrap_or(text);
    if text.chars().count() <= WIDEST {
        return text.to_string();
    }
    text.chars().take(WIDEST - 1).chain(['…']).collect()
}
