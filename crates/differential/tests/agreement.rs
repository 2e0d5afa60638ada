//! Searches of the same program against each other, on programs that are too large for the oracle; and the
//! well-formedness of every graph on the way.

use atropos_differential::agree::agree_on_program;
use atropos_differential::algorithm::{Algorithm, AlgorithmRun, models_of};
use atropos_differential::{MODELS, SearchSettings, machine};
use atropos_event::Replayed;
use atropos_explore::{Config, ThreadOrder};
use atropos_testkit::{Ast, ProgramShape, Style, UpTo, generate};

/// With and without doomed executions, in different orders of threads, up to `co` and up to `rf`.
fn check_style(style: Style, max_instructions: usize, n_seeds: u64) {
    let shape = ProgramShape { max_instructions, ..ProgramShape::of(style) };
    for seed in 0..n_seeds {
        let ast = generate(seed, &shape);
        let model = MODELS[seed as usize % MODELS.len()];
        let agreed = if seed.is_multiple_of(2) {
            agree_on_program(seed, &ast, &[model], machine)
        } else {
            agree_on_program(seed, &ast, &[model], |ast| Replayed(ast.clone()))
        };
        agreed.unwrap_or_else(|text| panic!("{text}"));
    }
}

#[test]
fn searches_of_programs_with_locks_agree() {
    check_style(Style::Locks, 12, 250);
    check_style(Style::Sections, 13, 250);
}

#[test]
fn searches_of_other_programs_agree() {
    check_style(Style::Fences, 10, 60);
    check_style(Style::Buffers, 10, 60);
    check_style(Style::Mixed, 10, 60);
}

/// Waiting for a mutex costs no execution, in whichever order threads move: the holder goes on up to the release.
#[test]
fn threads_that_take_a_mutex_in_turn_leave_no_blocked_execution() {
    let text = "spawn 1; spawn 2; spawn 3; spawn 4 || lock m { x := 1 } || y := 1; y := 2 || \
                lock m { r0 := x; x := 2 } || lock m { r0 := x; x := 3 }";
    let ast: Ast = text.parse().expect("a program");
    for model in MODELS {
        for equivalence in [UpTo::Co, UpTo::Rf] {
            for seed in 0..6 {
                let search = SearchSettings {
                    abandon_doomed: true,
                    thread_order: ThreadOrder::Shuffled(seed),
                    ..SearchSettings::new(model, equivalence)
                };
                let found = search.run(&machine(&ast));
                assert_eq!((found.complete.len(), found.blocked.len()), (6, 0), "{search:?}");
            }
        }
    }
}

/// Of every algorithm, under each of its models in turn.
#[test]
fn every_graph_on_the_way_is_well_formed() {
    for (index, style) in Style::ALL.into_iter().cycle().take(140).enumerate() {
        let seed = index as u64;
        let program =
            Replayed(generate(seed, &ProgramShape { max_instructions: 8, ..ProgramShape::of(style) }));
        for algorithm in Algorithm::ALL {
            let models = models_of(algorithm);
            let search = AlgorithmRun::new(algorithm, models[index / 2 % models.len()]);
            let config = Config {
                validate: true,
                abandon_doomed: seed % 4 < 2,
                thread_order: ThreadOrder::Shuffled(seed),
                ..search.config
            };
            let equivalence = if seed.is_multiple_of(2) { UpTo::Co } else { UpTo::Rf };
            AlgorithmRun { config, equivalence, ..search }.run(&program);
        }
    }
}

/// A worker that takes over a part of the search meets the violations on the way there again.
#[test]
fn violations_are_reported_as_often_whatever_the_number_of_workers() {
    let mut n_reports = 0;
    for seed in 0..60 {
        let program = machine(&generate(
            seed,
            &ProgramShape { max_instructions: 10, ..ProgramShape::of(Style::Races) },
        ));
        for equivalence in [UpTo::Co, UpTo::Rf] {
            let alone = SearchSettings { abandon_doomed: true, ..SearchSettings::new("rc11", equivalence) };
            let expected = alone.run(&program).n_reports;
            n_reports += expected;
            for jobs in 2..4 {
                assert_eq!(SearchSettings { jobs, ..alone }.run(&program).n_reports, expected, "seed {seed}");
            }
        }
    }
    assert!(n_reports > 500, "{n_reports} reports");
}
