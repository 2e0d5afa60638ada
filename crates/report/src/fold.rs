//! What is left out of the picture of a long execution, and which steps in a row become one line.
//!
//! Several kinds of steps say little about what went wrong. Of a short execution, only the set-up and stores in a row are
//! folded:
//!
//! * accesses to what no other thread accesses: left out;
//! * plain reads of what the thread has just read or written, without anything that synchronises in between: left out;
//! * what a new thread is given by the library that creates it, such as the pointers that a closure captures, and stores
//!   of pointers to tables of functions: left out;
//! * what the main thread does before it creates the first thread: one line;
//! * the steps inside one call of a library, such as `promise.set_value()`: one line, the user's statement, or what is
//!   created if the call creates a thread. Atomic accesses are shown, unless they are only a part of the call;
//! * stores in a row by one statement, such as a `memset`, unless other threads see them: one line;
//! * what comes long before the end, if the execution is still very long: one line for each thread and stretch.
//!
//! Guilty steps are always shown. Of the user's own steps, one or two are shown instead of a line about them.

use crate::label::{EventKind, EventOrder};
use crate::quiet::quiet_steps;
use crate::quotation::is_atomic_operation;
use crate::statement;
use crate::trace::{Source, Trace, TraceEvent};
use atropos_event::{SourceLocation, WriteOrder};
use std::collections::{BTreeSet, HashMap};

/// An execution with at most this many steps is shown as it is.
const SHORT: usize = 24;

/// The least number of steps before the first thread that become one line in a short execution.
const SET_UP: usize = 6;

/// The least number of steps that become one line.
const LEAST: usize = 3;

/// The number of steps at the end that are always shown.
const MOST: usize = 60;

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
    /// The user has written none of the functions.
    Inner,
    /// Stores with the same order.
    Fill(&'a SourceLocation, Option<EventOrder>),
    Early,
}

impl Folds {
    /// Folds the events of `trace` that are `shown`, in order.
    pub fn of(trace: &Trace, shown: &[usize]) -> Folds {
        let first_spawn = trace.events.iter().position(|event| event.kind == EventKind::Spawn);
        let has_others =
            shown.iter().any(|&index| trace.events[index].thread != trace.events[shown[0]].thread);
        if shown.len() <= SHORT {
            let mut folds = Folds::default();
            let n_set_up =
                shown.iter().filter(|&&index| first_spawn.is_some_and(|first| index < first)).count();
            let folds_set_up = has_others && n_set_up >= SET_UP;
            folds.group(trace, shown, |index| {
                let kind = kind(trace, index, first_spawn.filter(|_| folds_set_up));
                kind.filter(|kind| {
                    matches!(
                        kind,
                        Kind::SetUp | Kind::Fill(_, Some(EventOrder::Write(WriteOrder::NotAtomic)))
                    )
                })
            });
            return folds;
        }
        let is_quiet = quiet_steps(trace);
        let is_dropped = |index: usize| {
            has_others
                && (trace.is_private[index] || is_quiet[index])
                && !trace.events[index].is_guilty
                && trace.events[index].operation.is_none()
                && first_spawn.is_none_or(|first| index > first)
        };
        let dropped: BTreeSet<usize> = shown.iter().copied().filter(|&index| is_dropped(index)).collect();
        let mut folds = Folds { dropped, ..Folds::default() };
        let kept: Vec<usize> = shown.iter().copied().filter(|index| !folds.dropped.contains(index)).collect();
        let seen = seen_elsewhere(trace);
        let kind = |index: usize| {
            let is_seen = seen.contains(&index) && is_atomic(&trace.events[index]);
            kind(trace, index, first_spawn).filter(|kind| !(is_seen && matches!(kind, Kind::Fill(..))))
        };
        folds.group(trace, &kept, kind);
        let n_lines = folds.n_lines(&kept);
        if n_lines > MOST + MOST / 2 {
            (folds.groups, folds.hidden) = Default::default();
            let is_late = last_lines(trace, &kept);
            folds.group(trace, &kept, |index| {
                let event = &trace.events[index];
                let is_early =
                    !is_late.contains(&index) && !event.is_guilty && event.kind != EventKind::Spawn;
                let stays = |kind: &Kind<'_>| !is_early || *kind == Kind::SetUp;
                kind(index).filter(stays).or(is_early.then_some(Kind::Early))
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
            let (mut run, others) = rest.split_at(n_same.max(1));
            let n_steps = run.len();
            let creation = kind(first).and_then(|kind| creation(trace, &kind, run, others.first()));
            if creation.is_some() {
                run = &rest[..n_steps + 1];
            }
            rest = &rest[run.len()..];
            let what = creation.or_else(|| kind(first).and_then(|kind| words(trace, kept, run, &kind)));
            let Some(what) = what else { continue };
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
        EventKind::Spawn | EventKind::Join => None,
        _ if event.place.library.is_none() && is_in_library(source) => Some(Kind::Inner),
        _ if event.place.library.is_some() || event.quotation.is_some() => Some(Kind::Call(source)),
        EventKind::Write => Some(Kind::Fill(source, event.order)),
        _ => None,
    }
}

/// The writes that other threads read.
fn seen_elsewhere(trace: &Trace) -> BTreeSet<usize> {
    let source = |event: &TraceEvent| match event.reads_from {
        Some(Source::Event(write)) if trace.events[write].thread != event.thread => Some(write),
        _ => None,
    };
    trace.events.iter().filter_map(source).collect()
}

/// Whether a statement belongs to the standard library of C++ or Rust.
fn is_in_library(at: &SourceLocation) -> bool {
    ["/include/c++/", "/rustc/", "/rustlib/"].iter().any(|folder| at.file.contains(folder))
}

fn is_atomic(event: &TraceEvent) -> bool {
    event.order.is_some_and(EventOrder::is_atomic)
}

/// Whether all steps are plain.
fn is_plain(trace: &Trace, run: &[usize]) -> bool {
    run.iter().all(|&index| !is_atomic(&trace.events[index]))
}

/// The line for steps of a call that creates a thread, together with the `next` step, if it does that.
fn creation(trace: &Trace, kind: &Kind<'_>, run: &[usize], next: Option<&usize>) -> Option<String> {
    let Kind::Call(source) = kind else { return None };
    let next = &trace.events[*next?];
    let is_creation = next.kind == EventKind::Spawn
        && next.thread == trace.events[run[0]].thread
        && next.place.source.as_ref() == Some(source)
        && !next.is_guilty;
    is_creation.then(|| format!("{}   ({})", next.label, in_library(run.len() + 1)))
}

/// The line for steps in a row, among those that are `kept`; `None` if they should be shown one by one.
fn words(trace: &Trace, kept: &[usize], run: &[usize], kind: &Kind<'_>) -> Option<String> {
    let n_steps = run.len();
    let is_call = matches!(kind, Kind::Call(_) | Kind::Inner);
    let is_whole =
        |event: &TraceEvent| event.quotation.as_ref().is_some_and(|call| !is_atomic_operation(call));
    let is_short = n_steps < LEAST && !(is_call && is_plain(trace, run) || *kind == Kind::Inner);
    if is_short && !is_whole(&trace.events[run[0]]) {
        return None;
    }
    let [first, last] = [run[0], run[n_steps - 1]].map(|index| &trace.events[index]);
    match kind {
        Kind::SetUp => Some(format!("{n_steps} steps before the first thread starts")),
        Kind::Early => Some(format!("{n_steps} earlier steps")),
        Kind::Call(_) => {
            let variables: BTreeSet<_> =
                run.iter().filter_map(|&index| trace.events[index].variable.as_deref()).collect();
            (variables.len() > 1 || is_plain(trace, run) || is_whole(first))
                .then(|| format!("{}   ({})", statement(first), in_library(n_steps)))
        }
        Kind::Inner => {
            let is_own = |event: &&TraceEvent| {
                event.thread == first.thread && !event.place.source.as_ref().is_some_and(is_in_library)
            };
            let own = || kept.iter().map(|&index| &trace.events[index]).filter(is_own);
            let what = match () {
                () if own().all(|event| event.index > last.index) => "start of the thread   ",
                () if own().all(|event| event.index < first.index) => "end of the thread   ",
                () => "",
            };
            Some(format!("{what}({})", in_library(n_steps)))
        }
        Kind::Fill(_, order) => {
            let name = |event: &TraceEvent| event.variable.clone().unwrap_or_default();
            let value = |event: &TraceEvent| event.value.as_ref().map(|value| value.text.clone());
            let all = || run.iter().map(|&index| &trace.events[index]);
            let is_one = all().all(|event| event.variable == first.variable);
            let place = if is_one { name(first) } else { format!("{} … {}", name(first), name(last)) };
            let values = match [first, last].map(value) {
                [Some(value), _] if all().all(|event| event.value == first.value) => format!(" = {value}"),
                [Some(from), Some(to)] if is_one => format!(" = {from} … {to}"),
                _ => String::new(),
            };
            let order = order.map(|order| order.to_string()).unwrap_or_default();
            Some(format!("W({place}) {order}{values}   ({n_steps} stores)"))
        }
    }
}

fn in_library(n_steps: usize) -> String {
    if n_steps == 1 { "1 step in the library".to_string() } else { format!("{n_steps} steps in the library") }
}

/// The user's statement, cut off if it is long.
fn statement(event: &TraceEvent) -> String {
    if let Some(call) = &event.quotation {
        return call.clone();
    }
    let text = statement::alone(&event.place);
    if !text.contains(char::is_alphanumeric) {
        return "end of a block".to_string();
    }
    if text.chars().count() <= WIDEST {
        return text.to_string();
    }
    text.chars().take(WIDEST - 1).chain(['…']).collect()
}
