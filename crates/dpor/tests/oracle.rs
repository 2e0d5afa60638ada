//! Both algorithms against brute force, on random programs: the same executions, none twice, and the same violations.
//!
//! `DPOR_SEEDS=FROM..TO` chooses the programs, `DPOR_INSTRUCTIONS=N` how large they get. Even seeds run on the
//! virtual machine, odd ones by re-execution; every fourth ignores the orders of accesses.

#[allow(dead_code, reason = "each test uses its part")]
mod common;

use atropos_dpor::Algorithm;
use atropos_event::{Mapping, Program, Replayed};
use atropos_graph::Canonical;
use atropos_testkit::{Ast, Checked, Equivalence, Explored, Suite, lower};
use common::{Collect, search};
use std::panic::{AssertUnwindSafe, catch_unwind};

const MODELS: [&str; 3] = ["pso", "tso", "sc"];

#[test]
fn both_algorithms_visit_what_brute_force_finds() {
    let mut suite = Suite::new(&MODELS);
    suite.equivalences = vec![Equivalence::Co];
    if let Ok(number) = std::env::var("DPOR_INSTRUCTIONS") {
        suite.shape.max_instructions = number.parse().expect("a number of instructions");
    }
    let (mut n_programs, mut n_total) = (0_u64, 0);
    for seed in common::seeds(0..200) {
        suite.config.mapping = if seed % 4 == 3 { Mapping::Raw } else { Mapping::Compiled };
        let mapping = suite.config.mapping;
        let checked = if seed % 2 == 0 {
            let machine = |ast: &Ast| {
                atropos_vm::Vm::new(lower(ast), atropos_vm::Config::default())
                    .expect("a generated program lowers")
            };
            suite.check_seed(seed, machine, |program, model, _| explored(program, model, mapping))
        } else {
            let replayed = |ast: &Ast| Replayed(ast.clone());
            suite.check_seed(seed, replayed, |program, model, _| explored(program, model, mapping))
        };
        match checked {
            Ok(Checked::Agreed { n_executions }) => {
                n_programs += 1;
                n_total += n_executions;
            }
            Ok(Checked::Skipped) => {}
            Err(mismatch) => panic!("{mismatch}"),
        }
        if seed % 1000 == 999 {
            println!("up to seed {seed}: {n_programs} programs agree ({n_total} executions)");
        }
    }
    println!("{n_programs} programs agree ({n_total} executions)");
}

/// What source-DPOR visits, with a complaint if optimal-DPOR does not visit the same.
fn explored<P: Program>(program: &P, model: &str, mapping: Mapping) -> Explored {
    let search = |algorithm| {
        catch_unwind(AssertUnwindSafe(|| search::<_, Collect>(program, algorithm, model, mapping)))
    };
    let (Ok(source), Ok(optimal)) = (search(Algorithm::Source), search(Algorithm::Optimal)) else {
        return Explored { complaints: vec!["a panic".into()], ..Explored::default() };
    };
    let mut complaints = Vec::new();
    let mut complain = |differs: bool, what: &str| {
        complaints.extend(differs.then(|| format!("optimal-DPOR {what}")));
    };
    complain(optimal.sleep_set_blocked > 0, "wastes traces");
    let (source, optimal) = (source.observer, optimal.observer);
    complain(
        sorted(&source.explored.complete) != sorted(&optimal.explored.complete),
        "visits other complete executions than source-DPOR",
    );
    complain(
        sorted(&source.explored.blocked) != sorted(&optimal.explored.blocked),
        "visits other blocked executions than source-DPOR",
    );
    complain(source.violations != optimal.violations, "finds other violations than source-DPOR");
    Explored { violations: source.violations, complaints, ..source.explored }
}

fn sorted(executions: &[Canonical]) -> Vec<&Canonical> {
    let mut executions: Vec<_> = executions.iter().collect();
    executions.sort_unstable();
    executions
}
