//! Symmetry on random programs with identical threads: one execution for those that differ in their roles, and the same
//! violations. `fuzz --against asymmetric` does the same without end.

use atropos_cat::Model;
use atropos_differential::symmetry::{compare_program, representative};
use atropos_differential::{MODELS, SearchSettings, machine};
use atropos_graph::Canonical;
use atropos_testkit::oracle::{EnumerationConfig, enumerate, rf_projection};
use atropos_testkit::{Ast, ProgramShape, Stmt, Style, UpTo, families, generate, repeat};
use atropos_vm::{Config, Vm, text};
use std::collections::BTreeSet;

/// The threads of a random program, some of them several times, which the main thread creates and joins.
fn joined(seed: u64, style: Style) -> Ast {
    let shape =
        ProgramShape { max_threads: 3, max_instructions: 2 + (seed % 4) as usize, ..ProgramShape::of(style) };
    let is_alone = |body: &&Vec<Stmt>| !body.iter().any(|s| matches!(s, Stmt::Spawn(_) | Stmt::Join(_)));
    let bodies = generate(seed, &shape).threads;
    let bodies = bodies.iter().skip(1).filter(is_alone).take(2);
    let copies = |body: &Vec<Stmt>| std::iter::repeat_n(body.clone(), 2 + (seed / 4 % 2) as usize);
    Ast::parallel(bodies.flat_map(copies).take(4).collect())
}

#[test]
fn nothing_is_lost() {
    for style in Style::ALL {
        for seed in 0..60 {
            let shape = ProgramShape {
                max_threads: 3,
                max_instructions: 2 + (seed % 4) as usize,
                ..ProgramShape::of(style)
            };
            let ast = repeat(seed, generate(seed, &shape), 5);
            if ast.estimate() < 200.0 {
                let model = MODELS[(seed / 2) as usize % MODELS.len()];
                compare_program(seed, &ast, model).unwrap_or_else(|text| panic!("{text}"));
            }
        }
    }
}

#[test]
fn nothing_is_there_twice_where_coherence_follows_from_causality() {
    let (mut n_all, mut n_visited) = (0, 0);
    for style in Style::ALL {
        for seed in 0..24 {
            let ast = joined(seed, style);
            if ast.estimate() > 200.0 {
                continue;
            }
            let model = ["sc", "tso", "pso", "sra"][(seed / 3) as usize % 4];
            let [up_to_co, _] = compare_program(seed, &ast, model).unwrap_or_else(|text| panic!("{text}"));
            if style != Style::Parts {
                assert_eq!(up_to_co.visited, up_to_co.orbits, "{model}, seed {seed}:\n{ast}");
            }
            n_all += up_to_co.all;
            n_visited += up_to_co.visited;
        }
    }
    assert!(2 * n_visited < n_all, "{n_visited} of {n_all}");
}

#[test]
fn the_executions_are_those_of_the_oracle_up_to_names() {
    let mut n_compared = 0;
    for seed in 0..84 {
        let ast = joined(seed, Style::ALL[seed as usize % Style::ALL.len()]);
        let name = MODELS[seed as usize % MODELS.len()];
        let model = Model::builtin(name).expect("a built-in model");
        let config = EnumerationConfig { limit: 2_000, ..EnumerationConfig::default() };
        let program = machine(&ast);
        let Ok(expected) = enumerate(&program, &model, config) else { continue };
        n_compared += 1;
        for equivalence in [UpTo::Co, UpTo::Rf] {
            let search = SearchSettings {
                symmetry: true,
                repeats_unseen: false,
                ..SearchSettings::new(name, equivalence)
            };
            let found = search.run(&program);
            let expected = match equivalence {
                UpTo::Co => expected.complete.clone(),
                UpTo::Rf => rf_projection(&expected.complete),
            };
            let orbits = |list: Vec<Canonical>| -> BTreeSet<Canonical> {
                list.iter().map(|execution| representative(&ast, execution)).collect()
            };
            let [expected, found] = [expected.into_iter().collect(), found.complete].map(orbits);
            assert_eq!(found, expected, "{name} up to {equivalence:?}, seed {seed}:\n{ast}");
        }
    }
    assert!(n_compared > 50, "{n_compared}");
}

/// The number of executions of a member of a family, with and without symmetry.
fn counts(name: &str, n: u64, model: &str, equivalence: UpTo) -> (usize, usize) {
    let module = text::parse("test.vm", &families::member(name, n)).expect("a program");
    let program = Vm::new(module, Config::default()).expect("a program");
    let search = SearchSettings::new(model, equivalence);
    let [all, reduced] =
        [false, true].map(|symmetry| SearchSettings { symmetry, ..search }.run(&program).complete.len());
    (all, reduced)
}

#[test]
fn families_of_identical_threads_are_small() {
    for model in MODELS {
        for equivalence in [UpTo::Co, UpTo::Rf] {
            assert_eq!(counts("ainc", 5, model, equivalence), (120, 1), "{model}, {equivalence:?}");
            assert_eq!(counts("binc", 3, model, equivalence), (36, 6), "{model}, {equivalence:?}");
            assert_eq!(counts("readers", 6, model, equivalence), (64, 7), "{model}, {equivalence:?}");
            assert_eq!(counts("casw", 3, model, equivalence).0, counts("casw", 3, model, equivalence).1);
        }
    }
}

/// What distinguishes threads: their names, their creation, what waits for them.
#[test]
fn threads_that_differ_are_not_twins() {
    let twins = "global x: i32\nfn t() { a = rmw.add.rlx.i32 x, 1\n return }
        fn main() { a = spawn t()\n b = spawn t()\n join a\n join b\n return }\n";
    let count = |source: &str| {
        let module = text::parse("test.vm", source).unwrap_or_else(|errors| panic!("{errors}\n{source}"));
        let program = Vm::new(module, Config::default()).expect("a program");
        let search = SearchSettings { symmetry: true, ..SearchSettings::new("rc11", UpTo::Rf) };
        let found = search.run(&program);
        found.complete.len() + found.blocked.len()
    };
    assert_eq!(count(twins), 1);
    let changes = [
        ("global x: i32", "global x: i32\nglobal z: i32\nfn u(i) { me = self\n call t()\n return }", 1),
        ("a = rmw.add.rlx.i32 x, 1", "me = self\n a = rmw.add.rlx.i32 x, me", 2),
        ("fn t() { a", "fn t() { p = malloc 4\n free p\n a", 2),
        ("b = spawn t()", "fence.sc\n b = spawn t()", 2),
        ("b = spawn t()", "b = spawn t(1)", 2),
        ("join b", "r = load.rlx.i32 x\n join b", 3),
        (" join a\n join b\n", " join b\n", 2),
        (" join a\n join b\n", " join a\n", 2),
        (" join a\n join b\n", "", 1),
        (" join a\n join b\n", " join b\n join a\n", 1),
    ];
    // The first one waits forever, so a thread that waits for it goes on only in other executions.
    let waits = "a = rmw.add.rlx.i32 x, 1\n assume a\n";
    assert_eq!(count(&twins.replace("a = rmw.add.rlx.i32 x, 1", waits).replace("join b", "")), 2);
    for (from, to, n_executions) in changes {
        let source = twins.replace(from, to);
        assert_eq!(count(&source), n_executions, "{source}");
    }
}
