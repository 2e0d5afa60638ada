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
          subgraph cluster_0 {
            label="main";
            e0_0 [label="0: spawn P0"];
            e0_1 [label="1: spawn P1"];
          }
          subgraph cluster_1 {
            label="P0";
            e1_0 [label="0: begin"];
            e1_1 [label="1: W(x) na = 1", style=filled, fillcolor=mistyrose, color=red];
            e1_2 [label="2: W(y) rlx = 1"];
          }
          subgraph cluster_2 {
            label="P1";
            e2_0 [label="0: begin"];
            e2_1 [label="1: R(y) rlx = 1"];
            e2_2 [label="2: R(x) na = 0", style=filled, fillcolor=mistyrose, color=red];
          }
          e0_0 -> e0_1;
          e1_0 -> e1_1;
          e1_1 -> e1_2;
          e2_0 -> e2_1;
          e2_1 -> e2_2;
          e1_2 -> e2_1 [label=rf, color=darkgreen, fontcolor=darkgreen, constraint=false];
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
