//! Both algorithms against brute force, on random programs: the same executions, none twice.
//!
//! `DPOR_SEEDS=FROM..TO` chooses the programs, `DPOR_INSTRUCTIONS=N` how large they get. Even seeds run on the
//! virtual machine, odd ones by re-execution.

#[allow(dead_code)]
mod common;

use atropos_dpor::Algorithm;
use atropos_event::{Mapping, Program, Replayed};
use atropos_testkit::{Ast, Checked, Equivalence, Explored, Suite, lower};
use common::{Collect, search};

const MODELS: [&str; 3] = ["pso", "tso", "sc"];

fn seeds() -> std::ops::Range<u64> {
    let Ok(range) = std::env::var("DPOR_SEEDS") else { return 0..400 };
    let (from, to) = range.split_once("..").expect("DPOR_SEEDS=FROM..TO");
    let number = |text: &str| text.parse().expect("a seed is a number");
    number(from)..number(to)
}

fn check(algorithm: Algorithm) {
    let mut suite = Suite::new(&MODELS);
    suite.equivalences = vec![Equivalence::Co];
    if let Ok(number) = std::env::var("DPOR_INSTRUCTIONS") {
        suite.shape.max_instructions = number.parse().expect("a number of instructions");
    }
    let (mut n_programs, mut n_total) = (0_u64, 0);
    for seed in seeds() {
        let checked = if seed % 2 == 0 {
            let machine = |ast: &Ast| {
                atropos_vm::Vm::new(lower(ast), atropos_vm::Config::default())
                    .expect("a generated program lowers")
            };
            suite.check_seed(seed, machine, |program, model, _| executions(program, algorithm, model))
        } else {
            let replayed = |ast: &Ast| Replayed(ast.clone());
            suite.check_seed(seed, replayed, |program, model, _| executions(program, algorithm, model))
        };
        match checked {
            Ok(Checked::Agreed { n_executions }) => {
                n_programs += 1;
                n_total += n_executions;
            }
            Ok(Checked::Skipped) => {}
            Err(mismatch) => panic!("{algorithm:?}: {mismatch}"),
        }
    }
    println!("{algorithm:?}: {n_programs} programs agree ({n_total} executions)");
}

fn executions<P: Program>(program: &P, algorithm: Algorithm, model: &str) -> Explored {
    let found = search::<_, Collect>(program, algorithm, model, Mapping::Compiled);
    if algorithm == Algorithm::Optimal {
        assert_eq!(found.sleep_set_blocked, 0, "optimal-DPOR wastes no trace");
    }
    found.observer.explored
}

#[test]
fn source_dpor_visits_what_brute_force_finds() {
    check(Algorithm::Source);
}

#[test]
fn optimal_dpor_visits_what_brute_force_finds() {
    check(Algorithm::Optimal);
}
