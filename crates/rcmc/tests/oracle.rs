//! RCMC against brute force on random programs: the same executions, complete and blocked; none twice without
//! read-modify-writes, and with them only as often as is counted.
//!
//! `ATROPOS_SEEDS=FROM..TO` chooses the programs.

mod common;

use atropos_event::Replayed;
use atropos_testkit::{Checked, Equivalence, Suite, lower};
use common::explore_all;
use std::cell::Cell;
use std::ops::Range;

fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("ATROPOS_SEEDS") else { return 0..300 };
    let (from, to) = text.split_once("..").expect("FROM..TO");
    from.parse().expect("a number")..to.parse().expect("a number")
}

fn check(model: &str, equivalence: Equivalence) {
    let mut suite = Suite::new(&[model]);
    suite.equivalences = vec![equivalence];
    // The oracle judges deadlocks by a coherence order, which wrc11 does not have.
    suite.shape.has_locks = model != "wrc11";
    let (mut n_agreed, mut n_executions, n_duplicates) = (0, 0, Cell::new(0));
    let count = |(explored, n)| {
        n_duplicates.set(n_duplicates.get() + n);
        explored
    };
    for seed in seeds() {
        suite.shape.max_instructions = 7 + (seed % 3) as usize;
        let result = if seed % 2 == 0 {
            let machine = |ast: &_| {
                atropos_vm::Vm::new(lower(ast), atropos_vm::Config::default())
                    .expect("a generated program lowers")
            };
            suite.check_seed(seed, machine, |program, model, _| count(explore_all(program, model)))
        } else {
            let replayed = |ast: &atropos_testkit::Ast| Replayed(ast.clone());
            suite.check_seed(seed, replayed, |program, model, _| count(explore_all(program, model)))
        };
        match result {
            Ok(Checked::Agreed { n_executions: found }) => {
                n_agreed += 1;
                n_executions += found;
            }
            Ok(Checked::Skipped) => {}
            Err(mismatch) => panic!("{mismatch}"),
        }
    }
    let n_duplicates = n_duplicates.get();
    println!(
        "{model}: {n_agreed} programs, {n_executions} executions of the oracle, {n_duplicates} met again"
    );
    assert!(n_agreed > 0);
}

#[test]
fn random_programs_have_the_executions_of_rc11() {
    check("rc11", Equivalence::Co);
}

#[test]
fn random_programs_have_the_executions_of_rc11_with_older_release_sequences() {
    check("rc11-c11", Equivalence::Co);
}

#[test]
fn random_programs_have_the_executions_of_wrc11() {
    check("wrc11", Equivalence::Rf);
}
