//! Tracer against brute force on random programs, and against TruSt up to `rf`: the same executions, complete and
//! blocked, none twice.
//!
//! `ATROPOS_SEEDS=FROM..TO` chooses the programs.

mod common;

use atropos_event::{Program, Replayed};
use atropos_explore::{Control, Rf, parallel};
use atropos_model::Ra;
use atropos_testkit::{Ast, Checked, Equivalence, Explored, Suite, generate, lower, shrink};
use common::{CONFIG, Collect, explore_all};
use std::ops::Range;

fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("ATROPOS_SEEDS") else { return 0..800 };
    let (from, to) = text.split_once("..").expect("FROM..TO");
    from.parse().expect("a number")..to.parse().expect("a number")
}

fn with_trust<P: Program>(program: &P) -> Explored {
    let control = Control::default();
    let mut search =
        parallel::explore::<P, _, Rf, _>(program, &Ra::default(), CONFIG, &control, 1, Collect::default);
    search.observers.remove(0).0
}

fn sorted(mut explored: Explored) -> Explored {
    explored.complete.sort_unstable();
    explored.blocked.sort_unstable();
    explored
}

fn differ(program: &Ast) -> bool {
    let program = Replayed(program.clone());
    let (tracer, trust) = (sorted(explore_all(&program)), sorted(with_trust(&program)));
    tracer.complete != trust.complete || tracer.blocked != trust.blocked
}

#[test]
fn random_programs_have_the_weak_traces_that_brute_force_finds() {
    let mut suite = Suite::new(&["ra"]);
    suite.equivalences = vec![Equivalence::Rf];
    let (mut n_agreed, mut n_executions) = (0, 0);
    for seed in seeds() {
        suite.shape.max_instructions = 7 + (seed % 4) as usize;
        let result = if seed % 2 == 0 {
            let machine = |ast: &_| {
                atropos_vm::Vm::new(lower(ast), atropos_vm::Config::default())
                    .expect("a generated program lowers")
            };
            suite.check_seed(seed, machine, |program, _, _| explore_all(program))
        } else {
            suite.check_seed(seed, |ast| Replayed(ast.clone()), |program, _, _| explore_all(program))
        };
        match result {
            Ok(Checked::Agreed { n_executions: found }) => {
                n_agreed += 1;
                n_executions += found;
            }
            Ok(Checked::Skipped) => {}
            Err(mismatch) => panic!("{mismatch}"),
        }
        let program = generate(seed, &suite.shape);
        if differ(&program) {
            panic!("Tracer and TruSt differ on seed {seed}, shrunk to:\n{}", shrink(program, differ));
        }
    }
    println!("{n_agreed} programs, {n_executions} executions of the oracle");
    assert!(n_agreed > 0);
}
