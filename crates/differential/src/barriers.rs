//! Barriers with a fixed order of arrival against searches of all orders: the same executions up to this order.

use crate::counters::{ClassCounts, VisitedExecution, collect, judge, without_order};
use crate::reduced::compare_both;
use crate::{SearchSettings, agree, symmetry};
use atropos_event::{Access, EventId, Label, Rmw, ThreadId};
use atropos_graph::Canonical;
use atropos_testkit::{Ast, BarrierKind, UpTo, lower_meetings};
use atropos_vm::Vm;

/// Compares the searches of a program up to one equivalence under one model, in the ways that `seed` selects.
///
/// # Errors
/// What is lost, or should not be there.
pub fn compare(ast: &Ast, model: &str, equivalence: UpTo, seed: u64) -> Result<ClassCounts, String> {
    let (module, kind) = lower_meetings(ast);
    let program = Vm::new(module, atropos_vm::Config::default()).expect("a tiny program lowers");
    let search = SearchSettings::new(model, equivalence);
    let whole = collect(search, &program);
    let jobs = if seed.is_multiple_of(16) { 2 } else { 1 };
    let search = SearchSettings { barriers: true, jobs, validate: seed.is_multiple_of(8), ..search };
    let [doomed, shuffled] = agree::variants(search, seed);
    let way = [search, doomed, shuffled][(seed % 3) as usize];
    let way = SearchSettings { symmetry: seed.is_multiple_of(4), rmws: seed.is_multiple_of(5), ..way };
    let reduced = collect(way, &program);
    let class = |met: &VisitedExecution| {
        let execution = without_order(met, &reduced.counters);
        let execution = match reduced.has_parties {
            true => without_meetings(&execution, met),
            false => execution,
        };
        if way.symmetry { symmetry::representative(ast, &execution) } else { execution }
    };
    let is_needed = |met: &VisitedExecution| !reduced.has_parties || !is_answered_early(met, kind);
    judge(&whole, &reduced, way, class, is_needed).map_err(|complaint| format!("{way:?}: {complaint}"))
}

/// The execution without the events of arrivals and departures.
fn without_meetings(execution: &Canonical, met: &VisitedExecution) -> Canonical {
    let renamed = |id: EventId| {
        let first = EventId::new(id.thread(), 0);
        EventId::new(id.thread(), id.index() - met.meetings.range(first..id).count())
    };
    let is_meeting = |id: EventId| met.meetings.contains(&id);
    let mut rest = execution.clone();
    for (thread, of_thread) in rest.threads.iter_mut().enumerate() {
        let mut index = 0;
        of_thread.events.retain(|_| {
            index += 1;
            !is_meeting(EventId::new(ThreadId::new(thread), index - 1))
        });
        for event in &mut of_thread.events {
            if event.source.is_some_and(is_meeting) {
                // What is read of a barrier says how many have arrived.
                event.source = None;
            }
            event.source = event.source.map(renamed);
        }
    }
    for (_, writes) in &mut rest.co {
        writes.retain(|&write| !is_meeting(write));
        writes.iter_mut().for_each(|write| *write = renamed(*write));
    }
    rest.co.retain(|(_, writes)| !writes.is_empty());
    rest
}

/// Whether a thread has looked too early, or too late, whether the round of its barrier is complete, and so waits in vain.
fn is_answered_early(met: &VisitedExecution, kind: BarrierKind) -> bool {
    let arrivals = |access: Access, thread: Option<ThreadId>| {
        let is_arrival = |id: &&EventId| {
            let event = met.execution.event(**id);
            event.label.is_write()
                && event.exclusive
                && event.label.access() == Some(access)
                && thread.is_none_or(|thread| thread == id.thread())
        };
        met.meetings.iter().filter(is_arrival).count() as u64
    };
    met.execution.threads.iter().enumerate().any(|(index, thread)| {
        let Some(last) = thread.events.len().checked_sub(1) else { return false };
        let id = EventId::new(ThreadId::new(index), last);
        let event = met.execution.event(id);
        let Label::Read { access, rmw: Rmw::None, .. } = event.label else { return false };
        let (all, own) = (arrivals(access, None), arrivals(access, Some(id.thread())));
        met.meetings.contains(&id) && (kind.n_arrivals(event.value) != all || all >= own * kind.size)
    })
}

/// The same up to co and up to rf. Shrinks a program that fails.
///
/// # Errors
/// The program, the shrunk program, and the difference there.
pub fn compare_program(seed: u64, ast: &Ast, model: &str) -> Result<[ClassCounts; 2], String> {
    compare_both("barriers", (seed, ast, model), |ast, equivalence| compare(ast, model, equivalence, seed))
}
