//! Searches that leave the order of sections open against searches of all orders: the same executions up to the order of
//! sections that nothing can tell apart.

use crate::counters::{
    ClassCounts, SectionName, UpdateCollector, VisitedExecution, collect, judge, without_order,
};
use crate::reduced::compare_both;
use crate::{SearchSettings, agree, machine, symmetry};
use atropos_event::{Access, EventId, ThreadKey};
use atropos_explore::Ending;
use atropos_graph::Canonical;
use atropos_testkit::{Ast, UpTo, lower_exchanging};
use atropos_vm::{Config, Vm};
use std::collections::{BTreeMap, BTreeSet};

/// Which sections have an order: those with the same number.
#[derive(Default)]
struct Classes {
    of_section: BTreeMap<SectionName, usize>,
    mutexes: BTreeSet<Access>,
}

impl Classes {
    fn of(found: &UpdateCollector) -> Classes {
        let mut classes = Classes::default();
        for (number, share) in found.shares.iter().enumerate() {
            let met: BTreeSet<usize> =
                share.iter().filter_map(|name| classes.of_section.get(name).copied()).collect();
            classes
                .of_section
                .values_mut()
                .filter(|class| met.contains(class))
                .for_each(|class| *class = number);
            classes.of_section.extend(share.iter().map(|&name| (name, number)));
            classes.mutexes.extend(share.iter().map(|&(mutex, ..)| mutex));
        }
        classes
    }

    /// The execution without the order of sections that have none.
    fn project(&self, execution: &Canonical, met: &VisitedExecution) -> Canonical {
        let mut projected = execution.clone();
        let key = |id: EventId| execution.threads[id.thread().index()].key;
        let mutex =
            |id: EventId| execution.event(id).label.access().filter(|access| self.mutexes.contains(access));
        let class = |entry: EventId, mutex: Access| {
            let name: (Access, ThreadKey, usize) = (mutex, key(entry), met.entries[&entry]);
            self.of_section.get(&name)
        };
        // The entry of the section that the write ends.
        let entry_of = |write: EventId| {
            let mutex = mutex(write).filter(|_| met.exits.contains(&write))?;
            let first = EventId::new(write.thread(), 0);
            let mut entries = met.entries.range(first..write).map(|(&entry, _)| entry);
            entries.rfind(|&entry| execution.event(entry).label.access() == Some(mutex))
        };
        for (thread, of_thread) in projected.threads.iter_mut().enumerate() {
            for (index, event) in of_thread.events.iter_mut().enumerate() {
                let id = EventId::new(atropos_event::ThreadId::new(thread), index);
                let Some(mutex) = mutex(id).filter(|_| event.label.is_read()) else { continue };
                let own = met.entries.contains_key(&id).then(|| class(id, mutex));
                let mut source = event.source;
                while let Some(entry) = source.and_then(entry_of) {
                    if own.is_some_and(|own| own.is_some() && own == class(entry, mutex)) {
                        break;
                    }
                    source = execution.event(entry).source;
                }
                let is_section = source.is_some_and(|source| entry_of(source).is_some());
                event.source = if own.is_some() && !is_section { None } else { source };
            }
        }
        for (_, writes) in &mut projected.co {
            let is_section = |write: EventId| {
                let is_entry = |index: usize| met.entries.contains_key(&EventId::new(write.thread(), index));
                mutex(write).is_some() && write.index().checked_sub(1).is_some_and(is_entry)
                    || entry_of(write).is_some()
            };
            writes.retain(|&write| !is_section(write));
        }
        projected.co.retain(|(_, writes)| !writes.is_empty());
        projected.co.sort_unstable();
        projected
    }
}

/// The program with mutexes as in Rust.
fn exchanging(ast: &Ast) -> Vm {
    Vm::new(lower_exchanging(ast), Config::default()).expect("a tiny program lowers")
}

/// Compares the searches of a program up to one equivalence under one model, in the ways that `seed` selects.
///
/// # Errors
/// What is lost, or should not be there.
pub fn compare(ast: &Ast, model: &str, equivalence: UpTo, seed: u64) -> Result<ClassCounts, String> {
    let program = if seed % 5 == 1 { exchanging(ast) } else { machine(ast) };
    let search = SearchSettings::new(model, equivalence);
    let whole = collect(search, &program);
    let jobs = if seed.is_multiple_of(16) { 2 } else { 1 };
    let search = SearchSettings { locks: true, jobs, validate: seed.is_multiple_of(8), ..search };
    let [doomed, shuffled] = agree::variants(search, seed);
    let way = [search, doomed, shuffled][(seed % 3) as usize];
    let way = SearchSettings { symmetry: seed.is_multiple_of(4), rmws: seed.is_multiple_of(5), ..way };
    let reduced = collect(way, &program);
    let classes = Classes::of(&reduced);
    let class = |met: &VisitedExecution| {
        let execution = classes.project(&without_order(met, &reduced.counters), met);
        if way.symmetry { symmetry::representative(ast, &execution) } else { execution }
    };
    let is_needed =
        |met: &VisitedExecution| met.ending == Ending::Complete || met.awaited.is_disjoint(&classes.mutexes);
    judge(&whole, &reduced, way, class, is_needed).map_err(|complaint| format!("{way:?}: {complaint}"))
}

/// The same up to co and up to rf. Shrinks a program that fails.
///
/// # Errors
/// The program, the shrunk program, and the difference there.
pub fn compare_program(seed: u64, ast: &Ast, model: &str) -> Result<[ClassCounts; 2], String> {
    compare_both("locks", (seed, ast, model), |ast, equivalence| compare(ast, model, equivalence, seed))
}
