//! What people read.

use crate::run::{LONG, LOST_UPDATE, MP, RACE, SB_X86, Sandbox};
use expect_test::{Expect, expect};

fn check(file: &str, text: &str, args: &str, expected: Expect) {
    let sandbox = Sandbox::new().with(file, text);
    expected.assert_eq(&sandbox.run(&format!("check --jobs 1 {args} {file}")).transcript());
}

#[test]
fn a_litmus_test_is_answered_in_herds_lines() {
    check(
        "mp.litmus",
        MP,
        "",
        expect![[r#"
        mp.litmus: model rc11 (the default), trust up to rf, 1 worker

        Test MP Allowed
        States 4
        1     :>1:r0=0; 1:r1=0;
        1     :>1:r0=0; 1:r1=1;
        1     :>1:r0=1; 1:r1=0;
        1     :>1:r0=1; 1:r1=1;
        Ok
        Witnesses
        Positive: 1 Negative: 3
        Condition exists (1:r0=1 /\ 1:r1=0)
        Observation MP Sometimes 1 3

        4 complete executions, 0 blocked, in TIME
        verified: no violation in any execution
        exit 0
    "#]],
    );
}

#[test]
fn up_to_co_there_are_more_executions_and_the_same_states() {
    let text = "\
C CoWW
{}
P0(atomic_int *x) { atomic_store_explicit(x, 1, memory_order_relaxed); }
P1(atomic_int *x) { atomic_store_explicit(x, 2, memory_order_relaxed); }
P2(atomic_int *x) { int r0 = atomic_load_explicit(x, memory_order_relaxed); }
locations [2:r0;]
";
    check(
        "coww.litmus",
        text,
        "--equivalence rf",
        expect![[r#"
        coww.litmus: model rc11 (the default), trust up to rf, 1 worker

        Test CoWW Required
        States 3
        1     :>2:r0=0;
        1     :>2:r0=1;
        1     :>2:r0=2;

        3 complete executions, 0 blocked, in TIME
        verified: no violation in any execution
        exit 0
    "#]],
    );
    check(
        "coww.litmus",
        text,
        "--equivalence co",
        expect![[r#"
        coww.litmus: model rc11 (the default), trust up to co, 1 worker

        Test CoWW Required
        States 3
        2     :>2:r0=0;
        2     :>2:r0=1;
        2     :>2:r0=2;

        6 complete executions, 0 blocked, in TIME
        verified: no violation in any execution
        exit 0
    "#]],
    );
}

#[test]
fn a_race_shows_both_accesses() {
    check(
        "race.litmus",
        RACE,
        "",
        expect![[r#"
            race.litmus: model rc11 (the default), trust up to rf, 1 worker

            Test RACE Allowed
            States 1 (not all executions were explored)
            1     :>1:r0=0; 1:r1=0;
            Condition exists (1:r0=1 /\ 1:r1=0) is not decided

            race.litmus:10:13: race: data race on `x`

              P0                 P1
              ---------------    ------------------------
            > 1: W(x) na = 1
              2: W(y) rlx = 1
                                 1: R(y) rlx = 1   ← P0.2
                               > 2: R(x) na = 0    ← init
              no interleaving explains this: P1.2 does not see P0.1
              unordered: P1.1 reads P0.2, but P0.2 (rlx) does not release and P1.1 (rlx) does not acquire
              P0.1 is at race.litmus:4:3: *x = 1
              P1.2 is at race.litmus:10:13: r1 = *x

            sc and tso know no data races

            to see it again: atropos check --model rc11 --equivalence rf --jobs 1 race.litmus

            1 complete execution, 0 blocked, in TIME
            violation found; there may be other executions and other violations
            exit 1
        "#]],
    );
}

#[test]
fn a_forbidden_state_is_shown_with_its_execution() {
    check(
        "mp.litmus",
        &MP.replace("exists", "~exists"),
        "",
        expect![[r#"
            mp.litmus: model rc11 (the default), trust up to rf, 1 worker

            Test MP Forbidden
            States 4
            1     :>1:r0=0; 1:r1=0;
            1     :>1:r0=0; 1:r1=1;
            1     :>1:r0=1; 1:r1=0;
            1     :>1:r0=1; 1:r1=1;
            No
            Witnesses
            Positive: 1 Negative: 3
            Condition ~exists (1:r0=1 /\ 1:r1=0)
            Observation MP Sometimes 1 3

            mp.litmus:11:10: condition: an execution ends as `~exists (1:r0=1 /\ 1:r1=0)` forbids

              P0                 P1
              ---------------    ------------------------
              1: W(x) rlx = 1
              2: W(y) rlx = 1
                                 1: R(y) rlx = 1   ← P0.2
                                 2: R(x) rlx = 0   ← init
              no interleaving explains this: P1.2 does not see P0.1
              P1.1 reads P0.2, but P0.2 (rlx) does not release and P1.1 (rlx) does not acquire

            to see it again: atropos check --model rc11 --equivalence rf --jobs 1 mp.litmus

            4 complete executions, 0 blocked, in TIME
            the condition of the test does not hold
            exit 1
        "#]],
    );
}

#[test]
fn an_expectation_that_nothing_meets_has_no_execution_to_show() {
    check(
        "mp.litmus",
        MP,
        "--model tso",
        expect![[r#"
            mp.litmus: model tso, trust up to rf, 1 worker

            Test MP Allowed
            States 3
            1     :>1:r0=0; 1:r1=0;
            1     :>1:r0=0; 1:r1=1;
            1     :>1:r0=1; 1:r1=1;
            No
            Witnesses
            Positive: 0 Negative: 3
            Condition exists (1:r0=1 /\ 1:r1=0)
            Observation MP Never 0 3

            mp.litmus:11:9: condition: no execution ends as `exists (1:r0=1 /\ 1:r1=0)` claims

            3 complete executions, 0 blocked, in TIME
            the condition of the test does not hold
            exit 1
        "#]],
    );
}

#[test]
fn the_default_model_of_x86_tests_is_tso() {
    check(
        "sb.litmus",
        SB_X86,
        "",
        expect![[r#"
        sb.litmus: model tso (the default), trust up to rf, 1 worker

        Test SB Allowed
        States 4
        1     :>0:EAX=0; 1:EAX=0;
        1     :>0:EAX=0; 1:EAX=1;
        1     :>0:EAX=1; 1:EAX=0;
        1     :>0:EAX=1; 1:EAX=1;
        Ok
        Witnesses
        Positive: 1 Negative: 3
        Condition exists (0:EAX=0 /\ 1:EAX=0)
        Observation SB Sometimes 1 3

        4 complete executions, 0 blocked, in TIME
        verified: no violation in any execution
        exit 0
    "#]],
    );
}

#[test]
fn a_failed_assertion_shows_what_led_to_it() {
    check(
        "p.vm",
        LOST_UPDATE,
        "",
        expect![[r#"
            p.vm: model rc11 (the default), trust up to rf, 1 worker

            p.vm:17:3: assertion: an update is lost

              main                        t1: start of worker         t2: start of worker
              ------------------------    ------------------------    ------------------------
              0: spawn t1
              1: spawn t2
                                          1: R(x) rlx = 0   ← init
                                                                      1: R(x) rlx = 0   ← init
                                                                      2: W(x) rlx = 1
                                          2: W(x) rlx = 1
              2: join t1
              3: join t2
              4: R(x) rlx = 1   ← t1.2
            > 5: fails
              coherence of x: init → t2.2 → t1.2
              main.5 is at p.vm:17:3: assert good, "an update is lost"

            this happens under sc and tso, too: the execution is an interleaving

            to see it again: atropos check --model rc11 --equivalence rf --jobs 1 p.vm

            0 complete executions, 0 blocked, in TIME
            reduced by symmetry: executions were left out that others stand for
            violation found; there may be other executions and other violations
            exit 1
        "#]],
    );
}

#[test]
fn all_violations_are_shown_once_with_their_number() {
    let text = "\
global x: i32 = 0

fn writer() {
  store.rlx.i32 x, 1
  store.rlx.i32 x, 2
  return
}

fn reader() {
  a = load.rlx.i32 x
  b = load.rlx.i32 x
  sane = eq.i32 a, b
  assert sane, \"x changes\"
  return
}

threads writer(), reader()
";
    check(
        "p.vm",
        text,
        "--keep-going --equivalence co",
        expect![[r#"
            p.vm: model rc11 (the default), trust up to co, 1 worker

            p.vm:13:3: assertion: x changes

              t1: start of writer    t2: start of reader
              -------------------    ------------------------
                                     1: R(x) rlx = 0   ← init
              1: W(x) rlx = 1
                                     2: R(x) rlx = 1   ← t1.1
                                   > 3: fails
              t2.3 is at p.vm:13:3: assert sane, "x changes"

              found 3 times; this is one of them

            this happens under sc and tso, too: the execution is an interleaving

            to see it again: atropos check --model rc11 --equivalence co --jobs 1 p.vm

            3 complete executions, 3 blocked, in TIME
            violation found
            exit 1
        "#]],
    );
}

#[test]
fn a_deadlock_shows_which_thread_waits_where() {
    let text = "\
global a: i32 = 0
global b: i32 = 0

fn one() {
  lock a
  lock b
  unlock b
  unlock a
  return
}

fn two() {
  lock b
  lock a
  unlock a
  unlock b
  return
}

threads one(), two()
";
    check(
        "p.vm",
        text,
        "--model sc",
        expect![[r#"
            p.vm: model sc, trust up to rf, 1 worker

            p.vm:14:3: deadlock: every thread that has not ended waits forever

              t1: start of one                  t2: start of two
              ------------------------------    ------------------------------
              1: lock a
                                                1: lock b
                                                3: lock a (held)   ← t1.1
              3: lock b (held)   ← t2.1
            > 4: waits in lock b, held by t2
                                              > 4: waits in lock a, held by t1
              t1.4 is at p.vm:6:3: lock b
              t2.4 is at p.vm:14:3: lock a

            to see it again: atropos check --model sc --equivalence rf --jobs 1 p.vm

            1 complete execution, 3 blocked, in TIME
            violation found; there may be other executions and other violations
            exit 1
        "#]],
    );
}

#[test]
fn wide_executions_are_shown_in_order() {
    let names = "abcdef".chars().map(|name| name.to_string().repeat(50));
    let globals: String = names.clone().map(|name| format!("global {name}: i32 = 0\n")).collect();
    let threads: String = names
        .clone()
        .enumerate()
        .map(|(i, name)| format!("fn f{i}() {{\n  store.i32 {name}, {i}\n  return\n}}\n"))
        .collect();
    let first = names.clone().next().unwrap();
    let last = format!("fn g() {{\n  r = load.i32 {first}\n  return\n}}\n");
    let text = format!("{globals}{threads}{last}threads f0(), f1(), f2(), f3(), f4(), f5(), g()\n");
    check(
        "p.vm",
        &text,
        "",
        expect![[r#"
            p.vm: model rc11 (the default), trust up to rf, 1 worker

            p.vm:8:3: race: data race on `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`

            > t7.1  R(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) na = 0   ← init
            > t1.1  W(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) na = 0
              unordered: no chain of reads, locks, spawns or joins leads from t1.1 to t7.1 or back
              t7.1 is at p.vm:32:3: r = load.i32 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
              t1.1 is at p.vm:8:3: store.i32 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, 0

            an interleaving shows this race, but sc and tso know no data races

            to see it again: atropos check --model rc11 --equivalence rf --jobs 1 p.vm

            0 complete executions, 0 blocked, in TIME
            violation found; there may be other executions and other violations
            exit 1
        "#]],
    );
}

#[test]
fn a_bound_is_part_of_the_verdict() {
    check(
        "p.vm",
        crate::run::ENDLESS,
        "--unroll 2",
        expect![[r#"
        p.vm: model rc11 (the default), trust up to rf, 1 worker

        0 complete executions, 1 blocked, in TIME
        reduced by rmws: executions were left out that others stand for
        verified up to 2 iterations of the loop at p.vm:6:3
        exit 0
    "#]],
    );
}

#[test]
fn a_limit_is_named_in_the_verdict() {
    check(
        "long.vm",
        LONG,
        "--max-executions 5",
        expect![[r#"
        long.vm: model rc11 (the default), trust up to rf, 1 worker

        5 complete executions, 0 blocked, in TIME
        inconclusive: stopped after 5 executions (--max-executions) before all executions were explored; no violation so far
        exit 3
    "#]],
    );
}

#[test]
fn verbose_tells_about_the_search() {
    let run = Sandbox::new().with("mp.litmus", MP).run("check --jobs 1 --verbose mp.litmus");
    assert!(run.stdout.contains("events added"), "{}", run.stdout);
    assert!(run.stdout.contains("peak memory"), "{}", run.stdout);
}

#[test]
fn colours_are_used_on_request_only() {
    let sandbox = Sandbox::new().with("race.litmus", RACE);
    assert!(!sandbox.run("check race.litmus").stdout.contains('\x1b'), "standard output is no terminal");
    assert!(sandbox.run("check --color always race.litmus").stdout.contains("\x1b[1;31m"));
}
