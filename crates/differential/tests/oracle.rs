//! The explorers against the oracle on random programs: a bounded, seeded part of what `make fuzz` does without end.

use atropos_differential::agree::explore_all;
use atropos_differential::{MODELS, Search, Subject, machine};
use atropos_event::Replayed;
use atropos_testkit::{Ast, Checked, Shape, Style, Suite, generate};
use std::path::Path;

/// Compares on one program, on the machine and by re-execution in turn, with one worker and two in turn.
fn check(suite: &Suite, seed: u64, ast: Ast) -> Checked {
    fn explored<P: Subject>(suite: &Suite, seed: u64, ast: Ast, prepare: impl Fn(&Ast) -> P) -> Checked {
        let jobs = 1 + (seed / 2 % 2) as usize;
        let checked = suite.check_program(seed, ast, prepare, |program, model, up_to| {
            explore_all(program, Search { jobs, ..Search::new(model, up_to) }, seed)
        });
        checked.unwrap_or_else(|mismatch| panic!("{mismatch}"))
    }
    if seed.is_multiple_of(2) {
        explored(suite, seed, ast, machine)
    } else {
        explored(suite, seed, ast, |ast| Replayed(ast.clone()))
    }
}

/// The programs of `n_seeds` seeds of a style, under all models, up to `co` and up to `rf`.
fn check_style(style: Style, n_seeds: u64) {
    let mut suite = Suite::new(&MODELS);
    suite.shape = Shape { max_instructions: 8, ..Shape::of(style) };
    suite.config.limit = 4_000;
    let check_seed = |seed| check(&suite, seed, generate(seed, &suite.shape));
    let n_skipped = (0..n_seeds).filter(|&seed| check_seed(seed) == Checked::Skipped).count();
    assert!(4 * n_skipped < n_seeds as usize, "{n_skipped} of {n_seeds} programs are too large");
}

#[test]
fn mixed_programs_have_the_executions_of_the_oracle() {
    check_style(Style::Mixed, 120);
}

#[test]
fn programs_with_locks_have_the_executions_of_the_oracle() {
    check_style(Style::Locks, 100);
    check_style(Style::Sections, 100);
}

#[test]
fn programs_with_fences_have_the_executions_of_the_oracle() {
    check_style(Style::Fences, 60);
}

#[test]
fn programs_for_store_buffers_have_the_executions_of_the_oracle() {
    check_style(Style::Buffers, 60);
}

#[test]
fn programs_of_many_threads_have_the_executions_of_the_oracle() {
    check_style(Style::Wide, 60);
}

#[test]
fn races_are_found_where_the_oracle_finds_them() {
    check_style(Style::Races, 120);
}

/// Programs that once went wrong, or were made up to make something go wrong, in four ways each.
#[test]
fn regressions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/regress");
    let suite = Suite::new(&MODELS);
    let mut n_programs = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let ast: Ast = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for seed in 0..4 {
            let checked = check(&suite, seed, ast.clone());
            assert_ne!(checked, Checked::Skipped, "{} is too large", path.display());
        }
        n_programs += 1;
    }
    assert!(n_programs > 0);
}
