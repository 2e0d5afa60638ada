//! Violations are checked before they are shown: true executions pass, forged ones do not.

use crate::common::{Program, context, executions, program};
use atropos_cat::Model;
use atropos_event::{Access, Assertion, EventId, Mapping, ThreadId, Violation};
use atropos_explore::{Co, Rf};
use atropos_graph::LocId;
use atropos_model::{Pso, Ra, Rc11, Sc, Sra, Tso};
use atropos_report::finding::investigate_execution;
use atropos_report::{Recheck, Specification, Witness, investigate};

const PROGRAMS: [&str; 6] = [
    "x := 1; r0 := y || y := 1; r0 := x",
    "x := 1; x := 2 rel || r0 := x acq; r1 := x; x := 3",
    "x := 1; y := 2 || y := 1; x := 2 || r0 := x; r1 := y",
    "r0 := add x 1 acq rel || r0 := add x 1 acq rel; r1 := x || x := 5",
    "r0 := cas x 0 1 acq rel rlx; y := 1 || r0 := cas x 0 2 acq rel rlx; r1 := y || x := 3",
    "lock m { x := 1 } || lock m { r0 := x; x := 2 } || r0 := x",
];

fn check(program: &Program, witness: &Witness, model: &str) -> Result<Recheck, String> {
    let model = Model::builtin(model).unwrap();
    let specification = Specification { model: &model, mapping: Mapping::Compiled };
    investigate_execution(program, witness, context(specification), &|_| Ok(())).map(|(_, checked)| checked)
}

#[test]
fn every_execution_is_confirmed_by_its_own_specification() {
    for text in PROGRAMS {
        let program = program(text);
        let confirm = |witnesses: Vec<Witness>, model: &str| {
            assert!(!witnesses.is_empty());
            for witness in witnesses {
                assert_eq!(check(&program, &witness, model), Ok(Recheck::Confirmed), "{text} under {model}");
            }
        };
        confirm(executions::<_, Co>(&program, &Sc::default()), "sc");
        confirm(executions::<_, Rf>(&program, &Sc::default()), "sc");
        confirm(executions::<_, Co>(&program, &Tso::new(Mapping::Compiled)), "tso");
        confirm(executions::<_, Rf>(&program, &Tso::new(Mapping::Compiled)), "tso");
        confirm(executions::<_, Rf>(&program, &Pso::new(Mapping::Compiled)), "pso");
        confirm(executions::<_, Co>(&program, &Ra::default()), "ra");
        confirm(executions::<_, Rf>(&program, &Ra::default()), "ra");
        confirm(executions::<_, Rf>(&program, &Sra::default()), "sra");
        confirm(executions::<_, Co>(&program, &Rc11::default()), "rc11");
        confirm(executions::<_, Rf>(&program, &Rc11::default()), "rc11");
    }
}

/// The specification of `sc` rejects the weak executions of a program.
#[test]
fn executions_that_a_specification_forbids_are_refused() {
    let program = program(PROGRAMS[0]);
    for witnesses in [
        executions::<_, Co>(&program, &Tso::new(Mapping::Compiled)),
        executions::<_, Rf>(&program, &Tso::new(Mapping::Compiled)),
    ] {
        assert_eq!(witnesses.len(), 4);
        let refusals: Vec<_> =
            witnesses.iter().filter_map(|witness| check(&program, witness, "sc").err()).collect();
        assert_eq!(refusals, ["the execution violates the axiom `sc` of sc"]);
    }
}

#[test]
fn an_execution_of_another_program_is_refused() {
    let (one, other) = (program("x := 1 || r0 := x"), program("x := 1 || r0 := y"));
    let witness = &executions::<_, Co>(&one, &Sc::default())[0];
    let refusal = check(&other, witness, "sc").unwrap_err();
    assert!(refusal.contains("the program wants Read"), "{refusal}");
}

fn blame(witness: &Witness, events: [(usize, usize); 2]) -> Witness {
    let mut witness = witness.clone();
    witness.thread = Some(ThreadId::new(events[1].0));
    witness.guilty =
        events.iter().map(|&(thread, index)| EventId::new(ThreadId::new(thread), index)).collect();
    witness
}

#[test]
fn a_race_between_ordered_accesses_is_refused() {
    let program = program("spawn 1; join 1; r0 := x na || x := 1 na");
    let witness = &executions::<_, Co>(&program, &Rc11::default())[0];
    let model = Model::builtin("rc11").unwrap();
    let specification = Specification { model: &model, mapping: Mapping::Compiled };
    let race = Violation::Race { bytes: Access::new(0x1000, 8) };
    let forged = blame(witness, [(1, 1), (0, 2)]);
    let refusal = investigate(&program, &forged, &race, context(specification)).unwrap_err();
    assert_eq!(refusal, "the accesses are ordered by happens-before");
}

#[test]
fn a_failure_that_does_not_happen_again_is_refused() {
    let program = program("x := 1");
    let mut witness = executions::<_, Co>(&program, &Sc::default()).remove(0);
    witness.thread = Some(ThreadId::MAIN);
    let model = Model::builtin("sc").unwrap();
    let specification = Specification { model: &model, mapping: Mapping::Compiled };
    let failure = Violation::Assertion(Assertion::Message("forged".to_string()));
    let refusal = investigate(&program, &witness, &failure, context(specification)).unwrap_err();
    assert!(refusal.starts_with("the guilty thread does not go wrong again"), "{refusal}");
}

#[test]
fn a_large_execution_is_confirmed_too() {
    let program = program(&["x := 1; r0 := x"; 600].join("; "));
    for model in ["sc", "tso", "pso", "ra", "sra", "rc11"] {
        for witnesses in
            [executions::<_, Co>(&program, &Sc::default()), executions::<_, Rf>(&program, &Sc::default())]
        {
            assert_eq!(check(&program, &witnesses[0], model), Ok(Recheck::Confirmed), "{model}");
        }
    }
}

#[test]
fn a_large_execution_that_is_not_coherent_is_refused() {
    let program = program(&["x := 1; r0 := x"; 600].join("; "));
    let mut witness = executions::<_, Co>(&program, &Sc::default()).remove(0);
    let loc = LocId::new(0);
    let mut order = witness.graph.location(loc).co.clone();
    order.swap(300, 301);
    witness.graph.set_co(loc, &order);
    for (model, axiom) in [("sc", "sc"), ("tso", "coherence"), ("ra", "coherence"), ("rc11", "coherence")] {
        let expected = format!("the execution violates the axiom `{axiom}` of {model}");
        assert_eq!(check(&program, &witness, model), Err(expected));
    }
}

/// What the first threads behind the main thread read.
fn reads(witness: &Witness, n_threads: usize) -> Vec<Vec<u64>> {
    let read_by = |thread: usize| {
        let events =
            witness.graph.thread(ThreadId::new(thread)).iter().map(|&slot| witness.graph.event(slot));
        events.filter(|event| event.is_read()).map(|event| event.value).collect()
    };
    (1..=n_threads).map(read_by).collect()
}

/// Checks the only execution up to `rf` in which threads read these values.
fn check_searched(text: &str, expected: &[&[u64]]) {
    let program = program(text);
    let mut found = executions::<_, Rf>(&program, &Sc::default());
    found.retain(|witness| reads(witness, expected.len()) == expected);
    assert_eq!(found.len(), 1);
    for model in ["sc", "tso", "pso"] {
        assert_eq!(check(&program, &found[0], model), Ok(Recheck::Confirmed), "{model}");
    }
}

/// The models find no order at the first attempt: see `crates/model/tests/second_order.rs`.
#[test]
fn an_execution_for_whose_order_the_models_search_is_confirmed() {
    check_searched(
        "x := 1 sc || y := 2 sc; r0 := x sc; r1 := z sc || y := 1 sc; r0 := x sc || x := 2 sc; r0 := y sc || \
         r0 := z sc; r1 := x sc; r2 := y sc || z := 1 sc",
        &[&[], &[1, 1], &[1], &[1], &[1, 2, 2], &[]],
    );
}

/// No simple idea finds an order. `x := 1` comes before `x := 2`, because it comes before the read of `y`;
/// happens-before does not say so, and the two were added the other way round. An interleaving that begins with
/// `w := 1`, which was added first, gets stuck. And the search first adds `w := 1` and `w := 2` in this order, which the
/// reads refute.
#[test]
fn an_execution_for_whose_order_the_search_must_go_back_is_confirmed() {
    check_searched(
        "w := 1 sc || w := 2 sc; z := 1 sc || r0 := z sc; r1 := w sc; r2 := w sc || \
         y := 1 sc; x := 2 sc || x := 1 sc; r0 := y sc",
        &[&[], &[], &[1, 2, 1], &[], &[0]],
    );
}
