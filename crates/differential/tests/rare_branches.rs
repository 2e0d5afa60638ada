//! Branches that few programs reach: marks demand that the tests reach them, and programs that spin, which the generator
//! does not make, end as they must.

use atropos_differential::algorithm::{Algorithm, AlgorithmRun, models_of};
use atropos_differential::machine;
use atropos_event::mark::take_marks;
use atropos_event::{Replayed, ViolationKind};
use atropos_testkit::{Ast, ProgramShape, Style, UpTo, generate};
use atropos_vm::Vm;
use std::collections::BTreeSet;
use std::path::Path;

/// All searches by all algorithms, with and without what can only end blocked.
fn all_tasks() -> impl Iterator<Item = AlgorithmRun<'static>> {
    let pairs =
        Algorithm::ALL.into_iter().flat_map(|one| models_of(one).into_iter().map(move |model| (one, model)));
    pairs.flat_map(|(algorithm, model)| {
        let n_used = if algorithm == Algorithm::Trust { 2 } else { 1 };
        [UpTo::Co, UpTo::Rf].into_iter().take(n_used).flat_map(move |equivalence| {
            [false, true].map(|abandon_doomed| {
                let mut task = AlgorithmRun { equivalence, ..AlgorithmRun::new(algorithm, model) };
                task.config.abandon_doomed = abandon_doomed;
                task
            })
        })
    })
}

/// The programs that once went wrong, and some of every style.
fn programs() -> Vec<Ast> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/regress");
    let files =
        std::fs::read_dir(folder).expect("the corpus is there").map(|entry| entry.expect("a file").path());
    let read = |path: std::path::PathBuf| {
        std::fs::read_to_string(path).expect("a readable file").parse().expect("a program")
    };
    let random = Style::ALL.into_iter().flat_map(|style| {
        let shape = ProgramShape { max_instructions: 8, ..ProgramShape::of(style) };
        (0..8).map(move |seed| generate(seed, &shape))
    });
    files.map(read).chain(random).collect()
}

#[test]
fn the_tests_reach_every_marked_branch_of_the_searches() {
    take_marks();
    for (index, ast) in programs().into_iter().enumerate() {
        for task in all_tasks() {
            if index % 2 == 0 {
                task.run(&machine(&ast));
            } else {
                task.run(&Replayed(ast.clone()));
            }
        }
    }
    let reached = take_marks();
    let demanded = [
        "greedy run: stuck",
        "bypass: aside",
        "bypass: by a write",
        "bypass: out",
        "rcmc: an execution seen before",
        "revisit refused: an earlier read reads what would be deleted",
        "revisit refused: coherence",
        "revisit refused: coherence up to rf",
        "rvf: a mutex is used irregularly",
        "rvf: a read that can only wait",
        "rvf: all that is left waits for mutexes",
        "rvf: the search for a witness takes back a choice",
        "sleep: a load from the buffer sleeps on",
        "tracer: a doomed execution",
        "tracer: a read that gives way is left for later",
        "tracer: a schedule whose source is taken",
        "tracer: an update that gave way is swapped again",
        "trust: a doomed execution",
        "trust: a doomed execution up to rf",
        "trust: a source is taken for good",
        "trust: a waiter is left behind",
        "engine: silence",
        "wakeup tree: a load from the buffer",
        "wakeup tree: a planned step outside of the sequence",
    ];
    let missing: Vec<_> = demanded.iter().filter(|name| !reached.contains(*name)).collect();
    assert!(missing.is_empty() || cfg!(not(debug_assertions)), "not reached: {missing:?}");
}

/// What all algorithms find wrong with a program of the virtual machine.
fn check_violations(source: &str, expected: &[ViolationKind]) {
    let module = atropos_vm::text::parse("test.vm", source).unwrap_or_else(|errors| panic!("{errors}"));
    let vm = Vm::new(module, atropos_vm::Config::default()).expect("a well-formed program");
    for task in all_tasks().filter(|task| task.model != "wrc11") {
        let found = task.run(&vm);
        let expected: BTreeSet<_> = expected.iter().copied().collect();
        assert_eq!(found.violations, expected, "{task:?} of\n{source}");
    }
}

const SPINNERS: &str = "global x: i32\n global y: i32
    fn spinner() { head: old = rmw.xchg.acq.i32 x, 1; if old goto head }
    fn passer() { head: old = rmw.xchg.acq.i32 x, 1; if old goto head; store.rel.i32 x, 0 }
    fn either() { head: a = load.rlx.i32 x; b = load.rlx.i32 y; s = add.i32 a, b; if not s goto head }
    fn writer() { store.rel.i32 x, 1 }\n";

#[test]
fn threads_that_spin_on_updates_spin_forever_if_nothing_lets_them_pass() {
    take_marks();
    let main = |body: &str| format!("{SPINNERS} fn main() {{ {body} }}");
    check_violations(
        &main("store.i32 x, 1; a = spawn spinner(); b = spawn spinner(); join a; join b"),
        &[ViolationKind::NonTermination],
    );
    assert!(take_marks().contains("progress: a chain of idle updates") || cfg!(not(debug_assertions)));
    check_violations(
        &main("a = spawn spinner(); b = spawn spinner(); join a; join b"),
        &[ViolationKind::NonTermination],
    );
    check_violations(&main("a = spawn passer(); b = spawn passer(); join a; join b"), &[]);
}

#[test]
fn a_thread_that_waits_for_one_of_two_values_ends_if_one_comes() {
    let main = |body: &str| format!("{SPINNERS} fn main() {{ {body} }}");
    check_violations(&main("a = spawn either(); b = spawn writer(); join a; join b"), &[]);
    check_violations(&main("a = spawn either(); join a"), &[ViolationKind::NonTermination]);
}

#[test]
fn the_middle_of_an_object_is_not_freed_and_its_end_is_not_passed() {
    check_violations("fn main() { p = malloc 8; q = addr p + 4; free q }", &[ViolationKind::InvalidFree]);
    check_violations(
        "fn main() { p = malloc 8; q = addr p + 6; store.i32 q, 1; free p }",
        &[ViolationKind::InvalidAccess],
    );
    check_violations("fn main() { p = malloc 8; q = addr p + 4; store.i32 q, 1; free p }", &[]);
}

/// Each iteration takes the guard of an atomic section and releases it: that is not what the thread waits by.
#[test]
fn a_thread_that_looks_in_an_atomic_section_spins_forever_if_nothing_lets_it_pass() {
    let source = |value| {
        format!(
            "global x: i32
            fn looker() {{ head: section.enter; v = load.rlx.i32 x; section.leave; if not v goto head }}
            fn writer() {{ store.rlx.i32 x, {value} }}
            fn main() {{ a = spawn looker(); b = spawn writer(); join a; join b }}"
        )
    };
    check_violations(&source(0), &[ViolationKind::NonTermination]);
    check_violations(&source(1), &[]);
}

/// The value itself decides here, not what the graph says about it.
#[test]
fn a_load_of_more_than_was_stored_sees_the_byte_in_its_own_buffer() {
    let source = "global x: i32
        fn own() { p = addr x + 1; store.rlx.i8 p, 1; v = load.rlx.i32 x; c = eq.i32 v, 256; assert c, \"own\" }
        fn other() { v = load.rlx.i8 x }
        fn main() { a = spawn own(); b = spawn other(); join a; join b }";
    check_violations(source, &[]);
}
