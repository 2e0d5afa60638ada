//! All algorithms against the oracle on random programs: a bounded, seeded part of what `make fuzz` does without end.

use atropos_differential::algorithm::{Algorithm, models_of};
use atropos_differential::referee::{Agreement, CompareResult, PERIOD, Referee};
use atropos_testkit::{Ast, ProgramShape, Style, generate};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

fn check(referee: &Referee, seed: u64, ast: &Ast) -> Vec<CompareResult> {
    referee.check(seed, ast).unwrap_or_else(|text| panic!("{text}"))
}

fn all_models() -> Vec<&'static str> {
    Algorithm::ALL.into_iter().flat_map(models_of).collect()
}

/// Larger programs: what needs many instructions to go wrong is rare, so this is only a beginning of what `make fuzz` does.
fn check_large(style: Style, models: &[&str], seeds: std::ops::Range<u64>) {
    let shape = ProgramShape { max_instructions: 11, ..ProgramShape::of(style) };
    let mut referee = Referee::new(&Algorithm::ALL, models);
    referee.limit = 4_000;
    for seed in seeds {
        check(&referee, seed, &generate(seed, &shape));
    }
}

#[test]
fn programs_of_eleven_instructions_have_the_executions_of_the_oracle() {
    for (index, style) in Style::ALL.into_iter().enumerate() {
        check_large(style, &all_models(), 12 * index as u64..12 * index as u64 + 4);
    }
    check_large(Style::Parts, &["tso", "pso"], 1000..1040);
}

/// The programs of `n_seeds` seeds of a style, by all algorithms under all their models.
fn check_style(style: Style, n_seeds: u64) {
    let shape = ProgramShape::of(style);
    let shape = ProgramShape { max_instructions: shape.max_instructions.min(8), ..shape };
    let mut referee = Referee::new(&Algorithm::ALL, &all_models());
    referee.limit = 4_000;
    let outcomes: Vec<_> =
        (0..n_seeds).flat_map(|seed| check(&referee, seed, &generate(seed, &shape))).collect();
    for algorithm in Algorithm::ALL {
        for model in models_of(algorithm) {
            let of_pair = |outcome: &&CompareResult| (outcome.algorithm, outcome.model) == (algorithm, model);
            let is_agreed = |outcome: &&CompareResult| matches!(outcome.agreement, Agreement::Agreed { .. });
            let n_agreed = outcomes.iter().filter(of_pair).filter(is_agreed).count();
            let name = algorithm.name();
            assert!(4 * n_agreed > 3 * n_seeds as usize, "{name} and {model}: {n_agreed} of {n_seeds} agree");
        }
    }
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
    check_style(Style::Fences, 600);
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
fn programs_full_of_updates_have_the_executions_of_the_oracle() {
    check_style(Style::Updates, 60);
}

#[test]
fn programs_with_accesses_of_several_sizes_have_the_executions_of_the_oracle() {
    check_style(Style::Parts, 60);
}

#[test]
fn races_are_found_where_the_oracle_finds_them() {
    check_style(Style::Races, 120);
}

#[test]
fn misuse_of_memory_is_found_where_the_oracle_finds_some() {
    check_style(Style::Pointers, 250);
}

/// Programs that once went wrong, or were made up to make something go wrong, in all ways that a seed decides on. Some
/// are large, so the ways are shared among threads.
#[test]
fn regressions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/regress");
    let paths = std::fs::read_dir(folder).expect("the corpus is there").map(|entry| entry.unwrap().path());
    let paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|kind| kind == "txt")).collect();
    let read = |path: &PathBuf| -> Ast {
        let text = std::fs::read_to_string(path).expect("a readable file");
        text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let programs: Vec<Ast> = paths.iter().map(read).collect();
    assert!(!programs.is_empty());
    let referee = Referee::new(&Algorithm::ALL, &all_models());
    let next = AtomicU64::new(0);
    let work = || {
        loop {
            let number = next.fetch_add(1, Relaxed);
            let (program, seed) = ((number / PERIOD) as usize, number % PERIOD);
            let Some(ast) = programs.get(program) else { return };
            let outcomes = check(&referee, seed, ast);
            let is_too_large = outcomes.iter().any(|outcome| outcome.agreement == Agreement::TooLarge);
            assert!(!is_too_large, "{} is too large", paths[program].display());
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
}
