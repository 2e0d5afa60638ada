//! The papers' counts [Nidhugg §4, RCMC §6].

use crate::common::{Count, search};
use atropos_event::Mapping;
use atropos_explore::dpor::DporVariant::{self, Optimal, Source};
use atropos_testkit::families;
use atropos_vm::{Config, Vm, text};

/// A program whose main function creates the threads and does not wait for them.
fn program(code: &str, calls: &[String]) -> Vm {
    let spawns: String = calls.iter().map(|call| format!("  t = spawn {call}\n")).collect();
    parse(&format!("{code}\nfn main() {{\n{spawns}  return\n}}\n"))
}

fn parse(text: &str) -> Vm {
    let module = text::parse("test.vm", text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    Vm::new(module, Config::default()).expect("a well-formed program")
}

fn lastzero(n: u64) -> Vm {
    parse(&families::member("lastzero", n))
}

fn fib(n: u64) -> Vm {
    parse(&families::member("fib", n))
}

/// Complete executions and sleep-set-blocked traces; orders mean nothing.
fn count(program: &Vm, variant: DporVariant, model: &str) -> (u64, u64) {
    let found = search::<Count>(program, variant, model, Mapping::Raw);
    (found.stats.executions, found.stats.wasted)
}

fn check(program: &Vm, expected: &[(&str, u64)]) {
    for &(model, n_executions) in expected {
        assert_eq!(count(program, Optimal, model), (n_executions, 0), "optimal-DPOR under {model}");
        assert_eq!(count(program, Source, model).0, n_executions, "source-DPOR under {model}");
    }
}

#[test]
fn store_buffering_has_four_traces_where_there_are_buffers() {
    let code = "global x: i32\nglobal y: i32
fn p() { store.rlx.i32 x, 1; r = load.rlx.i32 y; return }
fn q() { store.rlx.i32 y, 1; r = load.rlx.i32 x; return }";
    let program = program(code, &["p()".into(), "q()".into()]);
    check(&program, &[("sc", 3), ("tso", 4), ("pso", 4)]);
}

#[test]
fn a_store_that_only_its_own_thread_has_seen_is_invisible() {
    let code = "global x: i32
fn p() { store.rlx.i32 x, 1; r = load.rlx.i32 x; return }
fn q() { store.rlx.i32 x, 2; return }";
    check(&program(code, &["p()".into(), "q()".into()]), &[("sc", 3), ("tso", 3), ("pso", 3)]);
}

/// Store buffering again, among more threads, and under PSO more buffers, than a word has bits.
#[test]
fn there_can_be_more_than_64_processes() {
    let code = "global filler: [i32; 70]\nglobal x: i32\nglobal y: i32
fn fill() {
  i = 70
again:
  i = sub.i64 i, 1
  cell = addr filler + i*4
  store.rlx.i32 cell, 1
  if i goto again
  return
}
fn idle() { return }
fn p() { store.rlx.i32 x, 1; r = load.rlx.i32 y; return }
fn q() { store.rlx.i32 y, 1; r = load.rlx.i32 x; return }";
    let calls = ["fill", "p", "q"].into_iter().chain(["idle"; 70]).chain(["p"]);
    let calls: Vec<_> = calls.map(|name| format!("{name}()")).collect();
    let small = program(code, &["p()".into(), "q()".into(), "p()".into()]);
    for model in ["sc", "tso", "pso"] {
        let expected = count(&small, Source, model).0;
        check(&program(code, &calls), &[(model, expected)]);
    }
}

#[test]
fn lastzero_wastes_traces_of_source_dpor_only() {
    check(&lastzero(5), &[("sc", 64), ("tso", 64), ("pso", 64)]);
    check(&lastzero(10), &[("sc", 3328)]);
    assert_eq!(count(&lastzero(5), Source, "sc"), (64, 33));
    assert_eq!(count(&lastzero(10), Source, "sc"), (3328, 16867));
}

#[test]
fn fib_has_the_published_counts() {
    check(&fib(3), &[("sc", 1698), ("tso", 2258), ("pso", 2258)]);
    check(&fib(4), &[("sc", 19605), ("tso", 34205), ("pso", 34205)]);
}

#[test]
fn fib_of_five_has_the_published_counts() {
    for (model, n_executions) in [("sc", 218_243), ("tso", 525_630), ("pso", 525_630)] {
        for variant in [Source, Optimal] {
            let found = count(&fib(5), variant, model);
            assert_eq!(found.0, n_executions, "{variant:?} under {model}");
        }
    }
}
