//! The known numbers of executions [ALGORITHMS §C.7], by the oracle. This compares the cat models and the oracle
//! without any explorer.

use atropos_cat::Model;
use atropos_event::{Mapping, ReadOrder, Replayed, WriteOrder};
use atropos_testkit::Ast;
use atropos_testkit::oracle::{EnumerationConfig, MachineKind, enumerate, rf_projection, run_machine};

/// Name, threads, and complete executions up to (co, rf) under SC, TSO, PSO, SRA, RA.
type Golden = (&'static str, &'static str, [(usize, usize); 5]);

const MODELS: [&str; 5] = ["sc", "tso", "pso", "sra", "ra"];

#[rustfmt::skip]
const GOLDEN: [Golden; 18] = [
    ("w+w+rr", "x := 1 || y := 1 || r0 := x; r1 := y", [(4, 4); 5]),
    ("r+w+w", "r0 := x || x := 1 || x := 2", [(6, 3); 5]),
    ("r+ww", "r0 := x || x := 1; x := 2", [(3, 3); 5]),
    ("SB", "x := 1; r0 := y || y := 1; r0 := x", [(3, 3), (4, 4), (4, 4), (4, 4), (4, 4)]),
    ("MP", "x := 1; y := 1 || r0 := y; r1 := x", [(3, 3), (3, 3), (4, 4), (3, 3), (3, 3)]),
    ("LB", "r0 := x; y := 1 || r0 := y; x := 1", [(3, 3); 5]),
    ("2+2W", "x := 1; y := 2 || y := 1; x := 2", [(3, 1), (3, 1), (4, 1), (3, 1), (4, 1)]),
    ("S", "x := 1; y := 1 || r0 := y; x := 2", [(3, 2), (3, 2), (4, 2), (3, 2), (3, 2)]),
    ("IRIW", "x := 1 || y := 1 || r0 := x; r1 := y || r0 := y; r1 := x",
        [(15, 15), (15, 15), (15, 15), (16, 16), (16, 16)]),
    ("Tracer Fig.1", "x := 1; r0 := x || x := 2; r0 := x", [(4, 3); 5]),
    ("Tracer Fig.7", "r0 := x || x := 2 || r0 := y; x := 3 || r0 := y; x := 4", [(24, 4); 5]),
    ("Nidhugg Fig.5", "x := 1; r0 := x || x := 2", [(3, 2); 5]),
    ("CORR2", "x := 1 || x := 2 || r0 := x; r1 := x || r0 := x; r1 := x", [(72, 47); 5]),
    ("WW3R", "x := 1 || x := 2 || r0 := x; r1 := x; r2 := x", [(20, 13); 5]),
    ("RVF Fig.1", "x := 1; y := 1 || x := 1; y := 1; r0 := x || x := 1; y := 1; r0 := y",
        [(98, 9), (144, 9), (144, 9), (144, 9), (144, 9)]),
    ("RVF Fig.6", "x := 1; r0 := x; y := 1 || x := 1; y := 1; r0 := y; x := 2",
        [(12, 5), (12, 5), (16, 5), (12, 5), (13, 5)]),
    ("FAI", "r0 := add x 1 || r0 := add x 1 || x := 42", [(6, 6); 5]),
    ("casw(3)", "r0 := cas x 0 1; x := 4 || r0 := cas x 0 2; x := 5 || r0 := cas x 0 3; x := 6", [(66, 24); 5]),
];

/// The threads in parallel, with these orders.
fn program(text: &str, read: ReadOrder, write: WriteOrder) -> Replayed<Ast> {
    Replayed(Ast::parallel(text.parse::<Ast>().unwrap().threads).with_orders(read, write))
}

fn relaxed(text: &str) -> Replayed<Ast> {
    program(text, ReadOrder::Relaxed, WriteOrder::Relaxed)
}

fn counts(program: &Replayed<Ast>, model: &str) -> (usize, usize) {
    let model = Model::builtin(model).unwrap();
    let found = enumerate(program, &model, EnumerationConfig::default()).unwrap();
    assert!(found.blocked.is_empty() && found.failed.is_empty());
    (found.complete.len(), rf_projection(&found.complete).len())
}

#[test]
fn relaxed_programs_have_the_known_numbers_of_executions() {
    for (name, text, golden) in GOLDEN {
        let program = relaxed(text);
        for (model, golden) in MODELS.into_iter().zip(golden) {
            assert_eq!(counts(&program, model), golden, "{name} under {model}");
        }
    }
}

#[test]
fn rc11_is_ra_when_every_access_is_release_or_acquire() {
    for (name, text, golden) in GOLDEN {
        assert_eq!(
            counts(&program(text, ReadOrder::Acquire, WriteOrder::Release), "rc11"),
            golden[4],
            "{name}"
        );
    }
}

#[test]
fn rc11_is_sc_when_every_access_is_sequentially_consistent() {
    for (name, text, golden) in GOLDEN {
        assert_eq!(
            counts(&program(text, ReadOrder::SeqCst, WriteOrder::SeqCst), "rc11"),
            golden[0],
            "{name}"
        );
    }
}

#[test]
fn machines_have_the_known_numbers_of_executions() {
    for (name, text, golden) in GOLDEN {
        let program = relaxed(text);
        for (machine, golden) in [MachineKind::Sc, MachineKind::Tso, MachineKind::Pso].into_iter().zip(golden)
        {
            let found = run_machine(&program, machine, Mapping::Compiled, 2_000_000).unwrap();
            let counts = (found.complete.len(), rf_projection(&found.complete).len());
            assert_eq!(counts, golden, "{name} under {machine:?}");
        }
    }
}
