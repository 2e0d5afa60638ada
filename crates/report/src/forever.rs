//! Why threads wait forever, in words: what each of them waits for, and what came too late, too early or never.

use crate::rows::{Row, Rows};
use crate::trace::{Source, Stop};

/// The first words of the functions of condition variables and futexes.
const CONDITIONS: [&str; 4] = ["pthread_cond_", "cnd_", "std::condition_variable::", "futex "];

/// The verbs of calls that wake a thread.
const WAKERS: [&str; 5] = ["signal", "broadcast", "notify_one", "notify_all", "futex_wake"];

/// A sentence for each thread that waits forever, where the execution says why. In an execution that is no interleaving
/// of its threads, what comes later is no reason.
pub(crate) fn reasons(rows: &Rows<'_>) -> Vec<String> {
    if rows.trace.is_interleaving != Some(true) {
        return Vec::new();
    }
    let threads = rows.trace.threads.iter().enumerate();
    let stopped = threads.filter_map(|(thread, state)| Some((thread, state.stop.as_ref()?)));
    let guilty = stopped.filter(|(_, stop)| stop.is_guilty);
    guilty
        .filter_map(|(thread, stop)| {
            missed_call(rows, thread, stop).or_else(|| last_value(rows, thread, stop))
        })
        .collect()
}

/// For a thread in the wait of a condition variable or futex. It has no step after its last one, so a call after that
/// has woken another thread.
fn missed_call(rows: &Rows<'_>, thread: usize, stop: &Stop) -> Option<String> {
    let call = stop.call.as_ref()?;
    let waits = |row: &Row<'_>| row.thread == thread && row.what.trim_start_matches("… ") == *call;
    let last = rows.all.iter().rposition(|row| waits(row) && is_condition(row))?;
    let (_, object) = call.split_once(' ')?;
    let name = &rows.trace.threads[thread].name;
    let since = rows.row_name(&rows.all[last]);
    let wakes = |row: &Row<'_>| {
        let verb = row.what.split_once(' ').filter(|(_, woken)| *woken == object);
        is_condition(row) && verb.is_some_and(|(verb, _)| WAKERS.contains(&verb))
    };
    let later: Vec<String> =
        rows.all[last + 1..].iter().filter(|row| wakes(row)).map(|row| rows.row_name(row)).collect();
    let verb = if call.starts_with("futex") { "wakes waiters of" } else { "signals" };
    Some(match &later[..] {
        [] => format!("{name} waits since {since}, and no thread {verb} {object} after that"),
        [only] => {
            format!("{name} waits since {since}; the only call after that, {only}, woke another thread")
        }
        [first, rest @ ..] => {
            let rest = rest.join(", ");
            format!("{name} waits since {since}; the calls after that, {first}, {rest}, woke other threads")
        }
    })
}

fn is_condition(row: &Row<'_>) -> bool {
    row.call().is_some_and(|call| CONDITIONS.iter().any(|prefix| call.starts_with(prefix)))
}

/// For a thread that spins.
fn last_value(rows: &Rows<'_>, thread: usize, stop: &Stop) -> Option<String> {
    let is_own = |event: &&crate::trace::TraceEvent| event.thread == thread;
    let read = rows.trace.events.iter().rev().find(is_own).filter(|_| stop.what == "spins")?;
    let (source, variable) = (read.reads_from?, read.variable.as_ref()?);
    let name = &rows.trace.threads[thread].name;
    let begin = format!("{name} waits for another value of {variable}");
    match source {
        Source::Event(write) => Some(format!("{begin}, but {} is the last write to it", rows.name(write))),
        Source::Initial => Some(format!("{begin}, but nothing writes it")),
        Source::Unwritten => None,
    }
}
