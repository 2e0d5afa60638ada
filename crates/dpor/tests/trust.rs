//! Both algorithms against TruSt up to co, whose executions they share [ALGORITHMS §H]; on programs too large for
//! brute force too.
//!
//! `DPOR_SEEDS=FROM..TO` chooses the programs, `DPOR_INSTRUCTIONS=N` how large they get.

#[allow(dead_code, reason = "each test uses its part")]
mod common;

use atropos_dpor::Algorithm::{Optimal, Source};
use atropos_event::{Mapping, Program};
use atropos_explore::parallel::explore;
use atropos_explore::{Co, Config, Control};
use atropos_graph::Canonical;
use atropos_model::{MemoryModel, Pso, Sc, Tso};
use atropos_testkit::{Shape, generate, lower};
use atropos_vm::Vm;
use common::{Collect, search};

/// Programs with more executions than this are left out.
const MOST: u64 = 5_000;

#[test]
fn all_three_visit_the_same_executions() {
    let mut shape = Shape::default();
    if let Ok(number) = std::env::var("DPOR_INSTRUCTIONS") {
        shape.max_instructions = number.parse().expect("a number of instructions");
    }
    let (mut n_programs, mut n_total) = (0_u64, 0);
    for seed in common::seeds(0..1000) {
        let ast = generate(seed, &shape);
        let program =
            Vm::new(lower(&ast), atropos_vm::Config::default()).expect("a generated program lowers");
        let mapping = if seed % 4 == 3 { Mapping::Raw } else { Mapping::Compiled };
        for model in ["sc", "tso", "pso"] {
            let Some(expected) = trust(&program, model, mapping) else { continue };
            for algorithm in [Source, Optimal] {
                let found = search::<_, Collect>(&program, algorithm, model, mapping);
                assert!(algorithm == Source || found.sleep_set_blocked == 0, "seed {seed}: wasted traces");
                let what = || format!("seed {seed}: {algorithm:?} and TruSt differ under {model}:\n{ast}");
                let found = found.observer;
                assert!(
                    sorted(&expected.explored.complete) == sorted(&found.explored.complete),
                    "{}",
                    what()
                );
                assert!(sorted(&expected.explored.blocked) == sorted(&found.explored.blocked), "{}", what());
                assert_eq!(expected.violations, found.violations, "{}", what());
            }
            n_programs += 1;
            n_total += expected.explored.complete.len() + expected.explored.blocked.len();
        }
        if seed % 1000 == 999 {
            println!("up to seed {seed}: {n_programs} times agreed ({n_total} executions)");
        }
    }
    println!("{n_programs} times agreed ({n_total} executions)");
}

/// What TruSt visits; `None` if that is too much.
fn trust<P: Program>(program: &P, model: &str, mapping: Mapping) -> Option<Collect> {
    match model {
        "sc" => trust_with(program, &Sc::default()),
        "tso" => trust_with(program, &Tso::new(mapping)),
        "pso" => trust_with(program, &Pso::new(mapping)),
        _ => unreachable!("no model {model}"),
    }
}

fn trust_with<P: Program, M: MemoryModel + Clone + Sync>(program: &P, model: &M) -> Option<Collect> {
    let config = Config {
        keep_going: true,
        detect_races: false,
        abandon_doomed: false,
        max_executions: Some(MOST),
        ..Config::default()
    };
    let control = Control::default();
    let mut found = explore::<P, M, Co, _>(program, model, config, &control, 1, Collect::default);
    if control.is_stopped() { None } else { found.observers.pop() }
}

fn sorted(executions: &[Canonical]) -> Vec<&Canonical> {
    let mut executions: Vec<_> = executions.iter().collect();
    executions.sort_unstable();
    executions
}
