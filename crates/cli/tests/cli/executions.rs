//! Executions printed and drawn.

use crate::run::{MP, RACE, Sandbox};
use expect_test::expect;

#[test]
fn executions_are_printed_in_canonical_text() {
    let run =
        Sandbox::new().with("mp.litmus", MP).run("check --jobs 1 --print-executions --model sc mp.litmus");
    assert_eq!(run.stdout.matches("execution complete\nthread 0 finished\n").count(), 3);
    let co = Sandbox::new().with("mp.litmus", MP).run("check --print-executions --equivalence co mp.litmus");
    assert_eq!(co.stdout.matches("execution complete").count(), 4);
    assert!(co.stdout.contains("\nco 0x"), "up to co, coherence is part of an execution");
    assert!(!run.stdout.contains("\nco 0x"), "up to rf, it is not");
}

#[test]
fn the_guilty_execution_is_drawn() {
    let sandbox = Sandbox::new().with("race.litmus", RACE);
    sandbox.run("check --jobs 1 --dot bug.dot race.litmus");
    let picture = std::fs::read_to_string(sandbox.path().join("bug.dot")).unwrap();
    expect![[r#"
        digraph execution {
          label="race: data race on `x`";
          labelloc=t;
          node [shape=box, fontname=monospace];
          subgraph cluster_1 {
            label="P0";
            r0 [label="1: W(x) na = 1", style=filled, fillcolor=mistyrose, color=red];
            r1 [label="2: W(y) rlx = 1"];
          }
          subgraph cluster_2 {
            label="P1";
            r2 [label="1: R(y) rlx = 1"];
            r3 [label="2: R(x) na = 0", style=filled, fillcolor=mistyrose, color=red];
          }
          r0 -> r1;
          r2 -> r3;
          r1 -> r2 [label=rf, color=darkgreen, fontcolor=darkgreen, constraint=false];
        }
    "#]]
    .assert_eq(&picture);
}

#[test]
fn without_violation_there_is_nothing_to_draw() {
    let sandbox = Sandbox::new().with("mp.litmus", MP);
    let run = sandbox.run("check --dot bug.dot mp.litmus");
    assert_eq!(run.exit, Some(0));
    assert_eq!(run.stderr, "note: bug.dot is not written: there is no guilty execution to draw\n");
    assert!(!sandbox.path().join("bug.dot").exists());
}

#[test]
fn a_picture_has_the_words_of_the_report() {
    let program = "\
global m: i32 = 0
global n: i32 = 0

fn worker(i) {
  lock m
  r = load.i32 n
  good = eq.i32 r, 0
  assert good, \"the second one fails\"
  store.i32 n, i
  unlock m
  return
}

threads worker(1), worker(2)
";
    let sandbox = Sandbox::new().with("p.vm", program);
    let run = sandbox.run("check --jobs 1 --dot p.dot p.vm");
    assert!(run.stdout.contains(": lock m"), "{run:?}");
    expect![[r#"
        digraph execution {
          label="assertion: the second one fails";
          labelloc=t;
          node [shape=box, fontname=monospace];
          subgraph cluster_1 {
            label="t1";
            r0 [label="1: lock m"];
            r1 [label="3: R(n) na = 0"];
            r2 [label="4: W(n) na = 1"];
            r3 [label="5: unlock m"];
          }
          subgraph cluster_2 {
            label="t2";
            r4 [label="1: lock m"];
            r5 [label="3: R(n) na = 1"];
            r6 [label="4: assert good, \"the second one fails\" fails", style=filled, fillcolor=mistyrose, color=red];
          }
          r0 -> r1;
          r1 -> r2;
          r2 -> r3;
          r4 -> r5;
          r5 -> r6;
          r3 -> r4 [label=rf, color=darkgreen, fontcolor=darkgreen, constraint=false];
          r2 -> r5 [label=rf, color=darkgreen, fontcolor=darkgreen, constraint=false];
          r0 -> r3 [label=co, color=brown, fontcolor=brown, constraint=false];
          r3 -> r4 [label=co, color=brown, fontcolor=brown, constraint=false];
        }
    "#]].assert_eq(&std::fs::read_to_string(sandbox.path().join("p.dot")).unwrap());
}

#[test]
fn a_reduction_is_named_and_can_be_switched_off() {
    let retry = "global x: i32
        fn t() {
          r = load.rlx.i32 x
          head: old, ok = cas.rlx.rlx.i32 x, r, 9; if ok goto out; r = old; goto head
          out: return
        }
        fn main() { h = spawn t(); store.rlx.i32 x, 1; store.rlx.i32 x, 2; join h; return }";
    let sandbox = Sandbox::new().with("retry.vm", retry);
    let check =
        |options: &str| sandbox.run(&format!("check --equivalence co --jobs 1 {options} retry.vm")).stdout;
    for all in ["", "--reduce all", "--reduce await"] {
        let text = check(all);
        assert!(
            text.contains("\nreduced by await: executions were left out that others stand for\n"),
            "{text}"
        );
        let json = check(&format!("--format json {all}"));
        assert!(json.contains("\"executions\": 3,"), "{json}");
        assert!(json.contains("\"reductions\": [\n    \"await\"\n  ],"), "{json}");
    }
    assert!(!check("--reduce none").contains("reduced"));
    let json = check("--reduce none --format json");
    assert!(json.contains("\"executions\": 7,") && !json.contains("reductions"), "{json}");
}

#[test]
fn identical_threads_are_interchangeable() {
    let twins = "global x: i32
        fn t() { r = load.rlx.i32 x; s = add.i32 r, 1; store.rlx.i32 x, s; return }
        fn main() { a = spawn t(); b = spawn t(); join a; join b; return }";
    let sandbox = Sandbox::new().with("twins.vm", twins);
    let check = |options: &str| sandbox.run(&format!("check --jobs 1 {options} twins.vm")).stdout;
    for options in ["--equivalence rf", "--equivalence co"] {
        let text = check(options);
        assert!(text.contains("\n2 complete executions"), "{text}");
        assert!(
            text.contains("\nreduced by symmetry: executions were left out that others stand for\n"),
            "{text}"
        );
    }
    for (options, n_executions) in [("--equivalence rf", 3), ("--equivalence co", 4)] {
        for others in ["--reduce none", "--reduce await"] {
            let text = check(&format!("{options} {others}"));
            assert!(text.contains(&format!("\n{n_executions} complete executions")), "{text}");
            assert!(!text.contains("reduced"), "{text}");
        }
    }
    let others = check("--algorithm rcmc --format json");
    assert!(others.contains("\"executions\": 4,") && !others.contains("reductions"), "{others}");
}
