//! The identities between algorithms, on programs larger than an oracle can deal with.

use atropos_differential::identities;
use atropos_testkit::{Ast, ProgramShape, Stmt, Style, Var, generate};
use std::path::Path;

/// Programs of a style; in every other one the main thread joins all others and reads all variables in the end, so
/// that final states are compared.
fn check_style(style: Style, n_seeds: u64) {
    let shape = ProgramShape::of(style);
    let mut n_executions = 0;
    for seed in 0..n_seeds {
        let mut ast = generate(seed, &shape);
        if seed / 2 % 2 == 0 {
            let joined: Vec<_> = ast.threads[1..].iter().flatten().filter_map(joined).collect();
            let main = &mut ast.threads[0];
            let spawned: Vec<_> = main.iter().filter_map(spawned).collect();
            main.retain(|stmt| !matches!(stmt, Stmt::Join(_)));
            main.extend(spawned.into_iter().filter(|thread| !joined.contains(thread)).map(Stmt::Join));
            for (number, var) in [Var(0), Var(1), Var(2)].into_iter().enumerate() {
                let (to, order) =
                    (atropos_testkit::Register(number as u8), atropos_event::ReadOrder::Relaxed);
                main.push(Stmt::Load { to, var, order });
            }
        }
        n_executions += identities::check(seed, &ast).unwrap_or_else(|text| panic!("{text}"));
    }
    assert!(n_executions as u64 > n_seeds, "{n_executions} executions");
}

fn spawned(stmt: &Stmt) -> Option<usize> {
    match stmt {
        Stmt::Spawn(thread) => Some(*thread),
        _ => None,
    }
}

fn joined(stmt: &Stmt) -> Option<usize> {
    match stmt {
        Stmt::Join(thread) => Some(*thread),
        _ => None,
    }
}

#[test]
fn algorithms_agree_on_mixed_programs() {
    check_style(Style::Mixed, 60);
    check_style(Style::Races, 30);
}

#[test]
fn algorithms_agree_on_programs_with_locks() {
    check_style(Style::Locks, 40);
    check_style(Style::Sections, 40);
}

#[test]
fn algorithms_agree_on_programs_with_fences_and_buffers() {
    check_style(Style::Fences, 40);
    check_style(Style::Buffers, 40);
}

#[test]
fn algorithms_agree_on_programs_full_of_updates() {
    check_style(Style::Updates, 40);
    check_style(Style::Wide, 20);
}

#[test]
fn algorithms_agree_on_programs_with_objects() {
    check_style(Style::Pointers, 60);
    check_style(Style::Parts, 40);
}

/// The oracle compares histories where parts of locations are stored to; here, the searches have the same executions.
#[test]
fn algorithms_agree_on_the_programs_of_the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/regress");
    let mut n_programs = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let ast: Ast = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // As a machine and repeated from its start; with both mappings.
        for seed in [0, 3] {
            identities::check(seed, &ast).unwrap_or_else(|text| panic!("{}, {text}", path.display()));
        }
        n_programs += 1;
    }
    assert!(n_programs > 0);
}
