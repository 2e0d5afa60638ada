//! If the observer does not look at executions, they end before joins and ends: nothing else changes.

use crate::common::{CONFIG, count, explore_with};
use atropos_event::mark::take_marks;
use atropos_event::{Refusal, ViolationKind};
use atropos_explore::tracer::Tracer;
use atropos_explore::{Control, Execution, Observer, Report, Stats, search};
use atropos_testkit::families::member;
use atropos_testkit::{Ast, Style, demand_none_fails, lower};
use atropos_vm::Vm;
use std::collections::BTreeSet;

/// Looks at violations only.
#[derive(Default)]
struct Careless(BTreeSet<ViolationKind>);

impl Observer for Careless {
    fn looks_at_executions(&self) -> bool {
        false
    }

    fn violation(&mut self, report: Report, _execution: Execution<'_>) {
        self.0.insert(report.violation.kind());
    }

    fn refused(&mut self, refusal: Refusal) {
        panic!("refused: {refusal:?}");
    }
}

fn count_carelessly(program: &Vm) -> (Stats, BTreeSet<ViolationKind>) {
    let mut search = search(program, &Tracer, CONFIG, &Control::default(), 1, Careless::default);
    (search.stats, search.observers.remove(0).0)
}

fn differ(program: &Ast) -> bool {
    let vm = Vm::new(lower(program), atropos_vm::Config::default()).expect("a generated program lowers");
    let all = explore_with(&vm, CONFIG);
    let (stats, violations) = count_carelessly(&vm);
    all.complete.len() as u64 != stats.executions
        || all.blocked.len() as u64 != stats.blocked
        || all.violations != violations
}

#[test]
fn an_execution_without_an_observer_counts_all_the_same() {
    demand_none_fails(&Style::ALL, 0..150, differ);
}

#[test]
fn unobserved_events_are_saved() {
    let text = member("fib", 3);
    let module = atropos_vm::text::parse("fib.vm", &text).expect("a program");
    let vm = Vm::new(module, atropos_vm::Config::default()).expect("a well-formed program");
    let (careless, heard) = (count_carelessly(&vm).0, count(&text));
    assert!(take_marks().contains("engine: silence") || cfg!(not(debug_assertions)));
    assert_eq!((careless.executions, careless.blocked), (heard.executions, heard.blocked));
    assert!(4 * careless.events < 3 * heard.events, "{} of {} events", careless.events, heard.events);
}
