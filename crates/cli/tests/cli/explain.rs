//! `atropos explain`.

use crate::run::Sandbox;
use expect_test::{Expect, expect};

const SB: &str = "C SB\n{ x=0; y=0; }\n\
    P0 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n  \
    int r0 = atomic_load_explicit(y, memory_order_relaxed);\n}\n\
    P1 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(y, 1, memory_order_relaxed);\n  \
    int r0 = atomic_load_explicit(x, memory_order_relaxed);\n}\n\
    exists (0:r0=0 /\\ 1:r0=0)\n";

fn check(file: &str, text: &str, args: &str, expected: &Expect) {
    let sandbox = Sandbox::new().with(file, text);
    expected.assert_eq(&sandbox.run(&format!("explain {args} {file}")).transcript());
}

#[test]
fn the_axiom_and_its_cycle_are_shown() {
    check(
        "sb.litmus",
        SB,
        "--model sc",
        &expect![[r#"
            sb.litmus: sc forbids this execution

              P0                          P1
              ------------------------    ------------------------
            > 1: W(x) rlx = 1
            > 2: R(y) rlx = 0   ← init
                                        > 1: W(y) rlx = 1
                                        > 2: R(x) rlx = 0   ← init
              no interleaving explains this: P1.2 does not see P0.1, and P0.2 does not see P1.1
              P0.1 is at sb.litmus:4:3: atomic_store_explicit(x, 1, memory_order_relaxed)
              P0.2 is at sb.litmus:5:3: int r0 = atomic_load_explicit(y, memory_order_relaxed)
              P1.1 is at sb.litmus:8:3: atomic_store_explicit(y, 1, memory_order_relaxed)
              P1.2 is at sb.litmus:9:3: int r0 = atomic_load_explicit(x, memory_order_relaxed)

            its axiom `acyclic po | rf | co | fr | sync as sc` rules out the cycle

              P0.1  W(x) rlx = 1  ─ po ─→  P0.2  R(y) rlx = 0
              P0.2  R(y) rlx = 0  ─ fr ─→  P1.1  W(y) rlx = 1
              P1.1  W(y) rlx = 1  ─ po ─→  P1.2  R(x) rlx = 0
              P1.2  R(x) rlx = 0  ─ fr ─→  P0.1  W(x) rlx = 1

            exit 0
        "#]],
    );
}

#[test]
fn an_execution_that_is_allowed_is_shown() {
    check(
        "sb.litmus",
        SB,
        "--model tso",
        &expect![[r#"
            sb.litmus: tso allows this execution

              P0                          P1
              ------------------------    ------------------------
              1: W(x) rlx = 1
              2: R(y) rlx = 0   ← init
                                          1: W(y) rlx = 1
                                          2: R(x) rlx = 0   ← init
              no interleaving explains this: P1.2 does not see P0.1, and P0.2 does not see P1.1

            exit 1
        "#]],
    );
}

#[test]
fn an_execution_may_be_looked_for_under_another_model() {
    let sandbox = Sandbox::new().with("sb.litmus", SB);
    let [under_relaxed, under_ra] = ["", "--allowed-by ra"]
        .map(|option| sandbox.run(&format!("explain --model sc {option} sb.litmus")).transcript());
    assert_eq!(under_ra, under_relaxed);
    assert!(under_ra.starts_with("sb.litmus: sc forbids this execution\n"));
    check(
        "sb.litmus",
        &SB.replace("relaxed", "seq_cst"),
        "--model rc11 --allowed-by sc",
        &expect![[r#"
        sb.litmus: no execution ends as the condition says, not even under sc
        exit 0
    "#]],
    );
}

#[test]
fn there_may_be_nothing_to_explain() {
    check(
        "sb.litmus",
        &SB.replace("0:r0=0", "0:r0=7"),
        "--model sc",
        &expect![[r#"
        sb.litmus: no execution ends as the condition says, not even under relaxed
        exit 0
    "#]],
    );
}

#[test]
fn a_failed_assertion_is_explained() {
    let program = include_str!("../../../../corpus/vm/handover.vm");
    check(
        "handover.vm",
        program,
        "--model rc11",
        &expect![[r#"
        handover.vm: rc11 forbids this execution

          t1: start of writer        t2: start of reader
          -----------------------    -------------------------------------
          1: alloc(heap1, 8)
        > 2: W(heap1) na = 7
        > 3: W(flag) rel = &heap1
                                   > 1: R(flag) acq = &heap1   ← t1.3
                                   > 2: R(heap1) na            ← unwritten
                                     3: fails
          no interleaving explains this: t2.2 does not see t1.2
          t1.2 is at handover.vm:6:3: store.i64 p, 7
          t1.3 is at handover.vm:7:3: store.rel.i64 flag, p
          t2.1 is at handover.vm:12:3: p = load.acq.i64 flag
          t2.2 is at handover.vm:14:3: v = load.i64 p
          heap1 is 8 bytes allocated at handover.vm:5:3

        its axiom `irreflexive hb ; eco? as coherence` rules out the cycle

          t1.2  W(heap1) na = 7       ─ po ─→  t1.3  W(flag) rel = &heap1
          t1.3  W(flag) rel = &heap1  ─ rf ─→  t2.1  R(flag) acq = &heap1
          t2.1  R(flag) acq = &heap1  ─ po ─→  t2.2  R(heap1) na
          t2.2  R(heap1) na           ─ fr ─→  t1.2  W(heap1) na = 7

        exit 0
    "#]],
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    check(
        "sb.litmus",
        SB,
        "--model nonsense",
        &expect![[r#"
        stderr: error: invalid value 'nonsense' for '--model <NAME|FILE.cat>': unknown model: the models are sc, tso, pso, ra, sra, rc11, wrc11, or a file that ends in .cat
        stderr: 
        stderr: For more information, try '--help'.
        exit 2
    "#]],
    );
}
