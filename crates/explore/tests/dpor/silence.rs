//! If the observer does not look at executions, they end before joins and ends: nothing else changes.

use crate::common::search;
use atropos_event::{Mapping, Refusal, ViolationKind};
use atropos_explore::dpor::DporVariant::{self, Optimal, Source};
use atropos_explore::{Execution, Observer, Report};
use atropos_testkit::{Ast, Style, demand_none_fails, lower};
use atropos_vm::{Config, Vm};
use std::collections::BTreeSet;

/// The kinds of violations; looks at executions, or not.
#[derive(Default)]
struct Kinds<const LOOKS: bool>(BTreeSet<ViolationKind>);

impl<const LOOKS: bool> Observer for Kinds<LOOKS> {
    fn looks_at_executions(&self) -> bool {
        LOOKS
    }

    fn violation(&mut self, report: Report, _execution: Execution<'_>) {
        self.0.insert(report.violation.kind());
    }

    fn refused(&mut self, refusal: Refusal) {
        panic!("refused: {refusal:?}");
    }
}

/// Executions, blocked ones, sleep-set-blocked traces and violations; and the number of steps.
type Found = ((u64, u64, u64, BTreeSet<ViolationKind>), u64);

fn find<const LOOKS: bool>(program: &Vm, variant: DporVariant, model: &str) -> Found {
    let found = search::<Kinds<LOOKS>>(program, variant, model, Mapping::Raw);
    let (stats, kinds) = (found.stats, found.observers[0].0.clone());
    ((stats.executions, stats.blocked, stats.wasted, kinds), stats.events)
}

fn differ(program: &Ast) -> bool {
    let vm = Vm::new(lower(program), Config::default()).expect("a generated program lowers");
    ["sc", "tso", "pso"].into_iter().any(|model| {
        [Source, Optimal]
            .into_iter()
            .any(|variant| find::<true>(&vm, variant, model).0 != find::<false>(&vm, variant, model).0)
    })
}

#[test]
fn an_execution_without_an_observer_counts_all_the_same() {
    demand_none_fails(&Style::ALL, 0..60, differ);
}

#[test]
fn unobserved_steps_are_saved() {
    let module = atropos_vm::text::parse("fib.vm", &atropos_testkit::families::member("fib", 3));
    let vm = Vm::new(module.expect("a program"), Config::default()).expect("a well-formed program");
    for variant in [Source, Optimal] {
        let ((heard, n_heard), (found, n_steps)) =
            (find::<true>(&vm, variant, "tso"), find::<false>(&vm, variant, "tso"));
        assert_eq!(heard, found);
        assert!(5 * n_steps < 4 * n_heard, "{n_steps} of {n_heard} steps");
    }
}
