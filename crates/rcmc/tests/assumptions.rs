//! Where an assumption has failed for good, RCMC goes no further: complete executions and violations are the same, and
//! no execution is visited that the whole search does not have.
//!
//! `ATROPOS_SEEDS=FROM..TO` chooses the programs.

mod common;

use atropos_event::Replayed;
use atropos_explore::Config;
use atropos_graph::Canonical;
use atropos_testkit::{Ast, Shape, generate, shrink};
use common::{CONFIG, explore_with};
use std::ops::Range;

const IMPATIENT: Config = Config { abandon_doomed: true, ..CONFIG };

fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("ATROPOS_SEEDS") else { return 0..300 };
    let (from, to) = text.split_once("..").expect("FROM..TO");
    from.parse().expect("a number")..to.parse().expect("a number")
}

fn differ(program: &Ast, model: &str) -> bool {
    let sorted = |mut list: Vec<Canonical>| {
        list.sort_unstable();
        list
    };
    let program = Replayed(program.clone());
    let all = explore_with(&program, model, CONFIG);
    let some = explore_with(&program, model, IMPATIENT);
    let blocked = sorted(all.blocked);
    sorted(all.complete) != sorted(some.complete)
        || all.violations != some.violations
        || some.blocked.iter().any(|execution| blocked.binary_search(execution).is_err())
}

#[test]
fn leaving_failed_assumptions_loses_nothing_else() {
    let shape = Shape::default();
    for model in ["rc11", "wrc11"] {
        for seed in seeds() {
            let program = generate(seed, &shape);
            if differ(&program, model) {
                let small = shrink(program, |program| differ(program, model));
                panic!("{model} seed {seed}, shrunk to:\n{small}");
            }
        }
    }
}

/// A reader of one of two values of its own: what it depends on cannot change.
#[test]
fn a_read_that_nothing_can_change_is_not_waited_for() {
    let text = "global x: i32\nglobal y: i32\n\
        fn writer() {\n  store.rlx.i32 x, 1\n  store.rlx.i32 x, 2\n  return\n}\n\
        fn reader() {\n  a = load.rlx.i32 x\n  b = eq.i32 a, 1\n  assume b\n  store.rlx.i32 y, 1\n  return\n}\n\
        fn main() {\n  w = spawn writer()\n  r = spawn reader()\n  join w\n  join r\n  return\n}\n";
    let (all, some) = (common::count_with(text, "rc11", CONFIG), common::count_with(text, "rc11", IMPATIENT));
    assert_eq!((all.executions, all.blocked), (1, 2));
    assert_eq!((some.executions, some.blocked), (1, 1));
}
