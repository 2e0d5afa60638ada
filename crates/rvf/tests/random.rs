//! Random programs against the oracle: the same value histories, and never more traces than there are classes.

mod common;

use atropos_cat::Model;
use atropos_event::{Program, Replayed};
use atropos_oracle::{Config, Enumeration, Refused, enumerate, rf_projection};
use atropos_rvf::Heuristics;
use atropos_testkit::values::{class, history};
use atropos_testkit::{Ast, Shape, generate, lower, shrink};
use atropos_vm::Vm;
use common::{Collect, all_heuristics, search};
use std::collections::BTreeSet;

/// Seeds per test; `ATROPOS_RVF_SEEDS=FROM..TO` asks for others.
fn seeds(default: std::ops::Range<u64>) -> std::ops::Range<u64> {
    let Ok(text) = std::env::var("ATROPOS_RVF_SEEDS") else { return default };
    let (from, to) = text.split_once("..").expect("FROM..TO");
    from.parse().expect("a seed")..to.parse().expect("a seed")
}

/// The violations that TruSt finds, deadlocks included, which the oracle does not judge.
fn trust_violations<P: Program>(program: &P) -> BTreeSet<atropos_event::ViolationKind> {
    let config = atropos_explore::Config { keep_going: true, detect_races: false, ..Default::default() };
    let (model, control) = (atropos_model::Sc::default(), atropos_explore::Control::default());
    let search = atropos_explore::parallel::explore::<_, _, atropos_explore::Co, _>(
        program,
        &model,
        config,
        &control,
        1,
        Collect::default,
    );
    search.observers.into_iter().flat_map(|collect| collect.violations).collect()
}

/// What is wrong with the search on a program, if anything.
fn complaint<P: Program>(program: &P, expected: &Enumeration, heuristics: Heuristics) -> Option<String> {
    let (stats, Collect { complete, blocked, violations }) = search(program, heuristics);
    let what = || format!("with {heuristics:?}");
    for (name, expected, found) in
        [("complete", &expected.complete, &complete), ("blocked", &expected.blocked, &blocked)]
    {
        let wanted: BTreeSet<_> = expected.iter().map(history).collect();
        let met: BTreeSet<_> = found.iter().map(history).collect();
        if let Some(missing) = wanted.difference(&met).next() {
            return Some(format!("{}: a {name} history is missing: {missing:?}", what()));
        }
        if let Some(extra) = met.difference(&wanted).next() {
            return Some(format!("{}: a {name} history is not allowed: {extra:?}", what()));
        }
        let known: BTreeSet<_> =
            expected.iter().cloned().map(atropos_graph::Canonical::without_reasons).collect();
        if let Some(extra) = found.iter().find(|execution| !known.contains(execution)) {
            return Some(format!("{}: a {name} execution is inconsistent:\n{extra}", what()));
        }
    }
    let wanted = trust_violations(program);
    if violations != wanted {
        return Some(format!("{}: violations {violations:?} instead of {wanted:?}", what()));
    }
    let all: BTreeSet<_> = expected.complete.union(&expected.blocked).cloned().collect();
    let n_classes = all.iter().map(class).collect::<BTreeSet<_>>().len() as u64;
    let n_rf = rf_projection(&all).len() as u64;
    let n_traces = stats.executions + stats.blocked;
    if !(n_traces <= n_classes && n_classes <= n_rf && n_rf <= all.len() as u64) {
        return Some(format!(
            "{}: {n_traces} traces, {n_classes} classes, {n_rf} rf, {} co",
            what(),
            all.len()
        ));
    }
    None
}

fn check<P: Program>(seed: u64, prepare: impl Fn(&Ast) -> P, heuristics: &[Heuristics]) -> Option<usize> {
    let model = Model::builtin("sc").expect("a built-in model");
    let config = Config { limit: 20_000, ..Config::default() };
    let judge = |ast: &Ast| {
        let program = prepare(ast);
        let expected = match enumerate(&program, &model, config) {
            Ok(expected) => expected,
            Err(Refused::TooLarge { .. }) => return Ok(None),
            Err(refused) => panic!("the oracle refuses a generated program: {refused}"),
        };
        for &heuristics in heuristics {
            if let Some(complaint) = complaint(&program, &expected, heuristics) {
                return Err(complaint);
            }
        }
        Ok(Some(expected.complete.len() + expected.blocked.len()))
    };
    let ast = generate(seed, &Shape::default());
    let mut wrong = match judge(&ast) {
        Ok(checked) => return checked,
        Err(wrong) => wrong,
    };
    let shrunk = shrink(ast.clone(), |ast| match judge(ast) {
        Ok(_) => false,
        Err(smaller) => {
            wrong = smaller;
            true
        }
    });
    panic!("seed {seed}:\n{ast}\n\nshrunk to:\n{shrunk}\n\n{wrong}");
}

fn machine(ast: &Ast) -> Vm {
    Vm::new(lower(ast), atropos_vm::Config::default()).expect("a generated program lowers")
}

#[test]
fn histories_are_those_of_the_oracle_and_traces_no_more_than_classes() {
    let (mut n_checked, mut n_executions) = (0, 0);
    for seed in seeds(0..600) {
        let checked = if seed % 2 == 0 {
            check(seed, machine, &[Heuristics::default()])
        } else {
            check(seed, |ast| Replayed(ast.clone()), &[Heuristics::default()])
        };
        n_checked += u64::from(checked.is_some());
        n_executions += checked.unwrap_or(0);
    }
    println!("{n_checked} programs with {n_executions} executions agree");
    assert!(n_checked > 0);
}

#[test]
fn heuristics_do_not_change_what_is_found() {
    let heuristics: Vec<_> = all_heuristics().collect();
    for seed in seeds(1_000_000..1_000_040) {
        check(seed, machine, &heuristics);
    }
}
