//! Executions as people see them.

use crate::common::{context, executions, program, violations};
use atropos_cat::Model;
use atropos_event::Mapping;
use atropos_explore::{Co, Rf, TrustRules};
use atropos_model::{MemoryModel, Rc11, Sc, Tso};
use atropos_report::finding::investigate_execution;
use atropos_report::human::Detail;
use atropos_report::{Specification, Style, investigate, text};
use expect_test::{Expect, expect};

/// Shows all executions of a program.
fn show<M: MemoryModel + Clone + Sync, Q: TrustRules<M>>(
    source: &str,
    model: &M,
    name: &str,
    expected: Expect,
) {
    let program = program(source);
    let cat = Model::builtin(name).unwrap();
    let specification = Specification { model: &cat, mapping: Mapping::Compiled };
    let shown = executions::<M, Q>(&program, model).into_iter().map(|witness| {
        let (trace, _) =
            investigate_execution(&program, &witness, context(specification), &|_| Ok(())).unwrap();
        format!("execution:\n{}", text::render(&trace, Style::Plain, Detail::Brief))
    });
    expected.assert_eq(&shown.collect::<Vec<_>>().join("\n"));
}

#[test]
fn interleavings_are_shown_as_such() {
    show::<_, Co>(
        "x := 1; r0 := y || y := 1; r0 := x",
        &Sc::default(),
        "sc",
        expect![[r#"
            execution:
              t1                          t2
              ------------------------    ------------------------
              1: W(x) rlx = 1
              2: R(y) rlx = 0   ← init
                                          1: W(y) rlx = 1
                                          2: R(x) rlx = 1   ← t1.1

            execution:
              t1                          t2
              ------------------------    ------------------------
                                          1: W(y) rlx = 1
                                          2: R(x) rlx = 0   ← init
              1: W(x) rlx = 1
              2: R(y) rlx = 1   ← t2.1

            execution:
              t1                          t2
              ------------------------    ------------------------
              1: W(x) rlx = 1
                                          1: W(y) rlx = 1
                                          2: R(x) rlx = 1   ← t1.1
              2: R(y) rlx = 1   ← t2.1
        "#]],
    );
}

#[test]
fn weak_behaviour_is_called_so() {
    let tso = Tso::new(Mapping::Compiled);
    show::<_, Rf>(
        "x := 1; r0 := y; assume r0 == 0 || y := 1; r0 := x; assume r0 == 0",
        &tso,
        "tso",
        expect![[r#"
            execution:
              t1                          t2
              ------------------------    ------------------------
              1: W(x) rlx = 1
              2: R(y) rlx = 0   ← init
                                          1: W(y) rlx = 1
                                          2: R(x) rlx = 0   ← init
              no interleaving explains this: t2.2 does not see t1.1, and t1.2 does not see t2.1
        "#]],
    );
}

#[test]
fn read_modify_writes_are_two_events() {
    let source = "r0 := add x 1 acq rel; fence sc || r0 := cas x 0 7 sc sc rlx";
    show::<_, Rf>(
        source,
        &Rc11::default(),
        "rc11",
        expect![[r#"
            execution:
              t1                                  t2
              --------------------------------    ------------------------------------
                                                  1: R(x) sc (cas 0 to 7) = 0   ← init
                                                  2: W(x) sc = 7
              1: R(x) acq (add 1) = 7   ← t2.2
              2: W(x) rel = 8
              3: F sc
              coherence of x: init → t2.2 → t1.2

            execution:
              t1                                  t2
              --------------------------------    --------------------------------------------
              1: R(x) acq (add 1) = 0   ← init
              2: W(x) rel = 1
              3: F sc
                                                  1: R(x) rlx (cas 0 to 7, fails) = 1   ← t1.2
        "#]],
    );
}

/// Shows all violations of a program.
fn show_violations(source: &str, expected: Expect) {
    let program = program(source);
    let cat = Model::builtin("rc11").unwrap();
    let specification = Specification { model: &cat, mapping: Mapping::Compiled };
    let shown = violations::<_, Rf>(&program, &Rc11::default()).into_iter().map(|(report, witness)| {
        let finding = investigate(&program, &witness, &report.violation, context(specification)).unwrap();
        let trace = text::render(finding.trace.as_ref().unwrap(), Style::Plain, Detail::Brief);
        format!("{}: {}\n{trace}", finding.description.kind, finding.description.message)
    });
    expected.assert_eq(&shown.collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_guilty_steps_are_marked() {
    show_violations(
        "x := 1 na || r0 := x rlx",
        expect![[r#"
            race: data race on `x`
              t1                t2
              --------------    ------------------------
                              > 1: R(x) rlx = 0   ← init
            > 1: W(x) na = 1
              unordered: no chain of reads, locks, spawns or joins leads from t1.1 to t2.1 or back

            race: data race on `x`
              t1                t2
              --------------    ------------------------
            > 1: W(x) na = 1
                              > 1: R(x) rlx = 1   ← t1.1
              unordered: no chain of reads, locks, spawns or joins leads from t1.1 to t2.1 or back
        "#]],
    );
    show_violations(
        "x := 1 || r0 := x; assert r0 == 0",
        expect![[r#"
        assertion: an assertion failed
          t1                 t2
          ---------------    ------------------------
          1: W(x) rlx = 1
                             1: R(x) rlx = 1   ← t1.1
                           > 2: fails
    "#]],
    );
    show_violations(
        "lock m { lock z { x := 1 } } || lock z { lock m { x := 2 } }",
        expect![[r#"
        deadlock: every thread that has not ended waits forever
          t1                                              t2
          --------------------------------------------    --------------------------------------------
          1: R(m) acq (cas 0 to 1) = 0          ← init
          2: W(m) rlx = 1
                                                          1: R(z) acq (cas 0 to 1) = 0          ← init
                                                          2: W(z) rlx = 1
                                                          3: R(m) rlx (cas 0 to 1, fails) = 1   ← t1.2
          3: R(z) rlx (cas 0 to 1, fails) = 1   ← t2.2
        > 4: waits for a lock
                                                        > 4: waits for a lock
    "#]],
    );
}

#[test]
fn only_what_leads_to_the_violation_is_shown() {
    show_violations(
        "x := 1 na || r0 := x na || y := 1; r0 := y",
        expect![[r#"
        race: data race on `x`
          t1                t2
          --------------    -----------------------
                          > 1: R(x) na = 0   ← init
        > 1: W(x) na = 1
          unordered: no chain of reads, locks, spawns or joins leads from t1.1 to t2.1 or back

        race: data race on `x`
          t1                t2
          --------------    -----------------------
        > 1: W(x) na = 1
                          > 1: R(x) na = 1   ← t1.1
          unordered: no chain of reads, locks, spawns or joins leads from t1.1 to t2.1 or back
    "#]],
    );
}

#[test]
fn the_read_that_does_not_synchronise_is_named() {
    show_violations(
        "x := 1 na; y := 1 rel || r0 := y rlx; assume r0 == 1; r1 := x na",
        expect![[r#"
        race: data race on `x`
          t1                 t2
          ---------------    ------------------------
        > 1: W(x) na = 1
          2: W(y) rel = 1
                             1: R(y) rlx = 1   ← t1.2
                           > 2: R(x) na = 0    ← init
          no interleaving explains this: t2.2 does not see t1.1
          unordered: t2.1 reads t1.2, but t2.1 (rlx) does not acquire

        race: data race on `x`
          t1                 t2
          ---------------    ------------------------
        > 1: W(x) na = 1
          2: W(y) rel = 1
                             1: R(y) rlx = 1   ← t1.2
                           > 2: R(x) na = 1    ← t1.1
          unordered: t2.1 reads t1.2, but t2.1 (rlx) does not acquire
    "#]],
    );
    show_violations(
        "x := 1 na; y := 1 rlx || r0 := y acq; assume r0 == 1; r1 := x na",
        expect![[r#"
        race: data race on `x`
          t1                 t2
          ---------------    ------------------------
        > 1: W(x) na = 1
          2: W(y) rlx = 1
                             1: R(y) acq = 1   ← t1.2
                           > 2: R(x) na = 0    ← init
          no interleaving explains this: t2.2 does not see t1.1
          unordered: t2.1 reads t1.2, but t1.2 (rlx) does not release

        race: data race on `x`
          t1                 t2
          ---------------    ------------------------
        > 1: W(x) na = 1
          2: W(y) rlx = 1
                             1: R(y) acq = 1   ← t1.2
                           > 2: R(x) na = 1    ← t1.1
          unordered: t2.1 reads t1.2, but t1.2 (rlx) does not release
    "#]],
    );
}

#[test]
fn long_executions_leave_out_what_no_other_thread_sees() {
    let private = "y := 1; ".repeat(30);
    show_violations(
        &format!("{private}x := 1 na || r0 := x na"),
        expect![[r#"
        race: data race on `x`
          t1                 t2
          ---------------    -----------------------
                           > 1: R(x) na = 0   ← init
        > 31: W(x) na = 1
          unordered: no chain of reads, locks, spawns or joins leads from t1.31 to t2.1 or back
          30 steps are not shown one by one; -v shows all

        race: data race on `x`
          t1                 t2
          ---------------    ------------------------
        > 31: W(x) na = 1
                           > 1: R(x) na = 1   ← t1.31
          unordered: no chain of reads, locks, spawns or joins leads from t1.31 to t2.1 or back
          30 steps are not shown one by one; -v shows all
    "#]],
    );
}
