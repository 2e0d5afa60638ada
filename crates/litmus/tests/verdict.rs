//! The answers of tests, in herd's words.

mod interleave;

use atropos_litmus::{Test, load};
use expect_test::{Expect, expect};

fn read(text: &str) -> Test {
    load(text, "t.litmus").unwrap_or_else(|error| panic!("{error}"))
}

/// Checks the result of a test under sc.
fn check(text: &str, expected: Expect) {
    let test = read(text);
    expected.assert_eq(&test.result(&interleave::outcomes(&test)).to_string());
}

/// Two threads, each of which writes its own location and then reads the other's.
fn store_buffering(finals: &str) -> String {
    let thread = |number: usize, mine: &str, other: &str| {
        format!(
            "P{number} (atomic_int* x, atomic_int* y) {{\n  atomic_store({mine}, 1);\n  int r0 = atomic_load({other});\n}}\n"
        )
    };
    format!("C SB\n{{ x=0; y=0; }}\n{}{}{finals}\n", thread(0, "x", "y"), thread(1, "y", "x"))
}

#[test]
fn quantifiers_ask_for_different_things() {
    check(
        &store_buffering("exists (0:r0=0 /\\ 1:r0=0)"),
        expect![[r#"
        Test SB Allowed
        States 3
        0:r0=0; 1:r0=1;
        0:r0=1; 1:r0=0;
        0:r0=1; 1:r0=1;
        No
        Witnesses
        Positive: 0 Negative: 56
        Condition exists (0:r0=0 /\ 1:r0=0)
        Observation SB Never 0 56
    "#]],
    );
    check(
        &store_buffering("~exists (0:r0=0 /\\ 1:r0=0)"),
        expect![[r#"
        Test SB Forbidden
        States 3
        0:r0=0; 1:r0=1;
        0:r0=1; 1:r0=0;
        0:r0=1; 1:r0=1;
        Ok
        Witnesses
        Positive: 0 Negative: 56
        Condition ~exists (0:r0=0 /\ 1:r0=0)
        Observation SB Never 0 56
    "#]],
    );
    check(
        &store_buffering("forall (0:r0=1 \\/ x=1 => y=1)"),
        expect![[r#"
        Test SB Required
        States 2
        0:r0=0; x=1; y=1;
        0:r0=1; x=1; y=1;
        Ok
        Witnesses
        Positive: 35 Negative: 0
        Condition forall (0:r0=1 \/ x=1 => y=1)
        Observation SB Always 35 0
    "#]],
    );
}

#[test]
fn what_only_the_filter_mentions_is_not_shown() {
    check(
        &store_buffering("locations [x;]\nfilter (0:r0=1)\nexists (1:r0=0)"),
        expect![[r#"
        Test SB Allowed
        States 2
        1:r0=0; x=1;
        1:r0=1; x=1;
        Ok
        Witnesses
        Positive: 10 Negative: 30
        Condition exists (1:r0=0)
        Observation SB Sometimes 10 30
    "#]],
    );
}

#[test]
fn a_test_without_a_condition_shows_its_states() {
    check(
        &store_buffering("locations [1:r0; y;]"),
        expect![[r#"
        Test SB Required
        States 2
        1:r0=0; y=1;
        1:r0=1; y=1;
    "#]],
    );
}

#[test]
fn many_registers_of_one_thread_are_observed() {
    let text = "C t\n{ x=3; }\nP0 (int* x) {\n  int a = *x; long b = -a; unsigned char c = 260; int d = a * a; long e = 1;\n\
                }\nlocations [0:a; 0:b; 0:c; 0:d; 0:e; x;]";
    check(
        text,
        expect![[r#"
        Test t Required
        States 1
        0:a=3; 0:b=-3; 0:c=4; 0:d=9; 0:e=1; x=3;
    "#]],
    );
}

#[test]
fn addresses_are_shown_by_name() {
    let text = "C t\n{ x=0; y=0; int* p=&x; }\nP0 (int** p, int* y) { *p = y; }\nP1 () { }\nexists (p=y)";
    check(
        text,
        expect![[r#"
        Test t Allowed
        States 1
        p=y;
        Ok
        Witnesses
        Positive: 3 Negative: 0
        Condition exists (p=y)
        Observation t Always 3 0
    "#]],
    );
}

#[test]
fn x86_tests_are_for_models_of_hardware() {
    let test = read("X86 t\n{ }\n P0 ;\n SFENCE ;\n MOV [x],$1 ;\nexists (x=1)");
    assert_eq!(test.check_model("tso"), Ok(()));
    expect!["the test t has an SFENCE, whose effect under pso is not modelled: its models are sc and tso"]
        .assert_eq(&test.check_model("pso").unwrap_err());
    expect![
        "the X86 test t cannot be checked under rc11, a model of a language: its models are sc, tso and pso"
    ]
    .assert_eq(&test.check_model("rc11").unwrap_err());
}
