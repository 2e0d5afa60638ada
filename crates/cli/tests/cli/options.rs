//! Options that make no sense are refused, never ignored.

use crate::run::{LOST_UPDATE, MP, SB_X86, Sandbox};
use expect_test::{Expect, expect};

fn check(args: &str, expected: Expect) {
    let sandbox = Sandbox::new().with("mp.litmus", MP).with("sb.litmus", SB_X86).with("p.vm", LOST_UPDATE);
    let run = sandbox.run(&format!("check {args}"));
    assert_eq!((run.exit, run.stdout.as_str()), (Some(2), ""));
    expected.assert_eq(&run.stderr);
}

#[test]
fn unknown_names() {
    check(
        "--reduce await,foo mp.litmus",
        expect![[r#"
            error: invalid value 'await,foo' for '--reduce <all|none|LIST>': unknown reduction `foo`: the reductions are symmetry, rmws, barriers, locks, await

            For more information, try '--help'.
        "#]],
    );
    check(
        "--model foo mp.litmus",
        expect![[r#"
            error: invalid value 'foo' for '--model <NAME|FILE.cat>': unknown model: the models are sc, tso, pso, ra, sra, rc11, wrc11, or a file that ends in .cat

            For more information, try '--help'.
        "#]],
    );
    check(
        "--algorithm foo mp.litmus",
        expect![[r#"
            error: invalid value 'foo' for '--algorithm <NAME>': unknown algorithm: the algorithms are trust, rcmc, tracer, source-dpor, optimal-dpor, rvf, auto

            For more information, try '--help'.
        "#]],
    );
}

#[test]
fn an_algorithm_that_does_not_fit_the_default_model() {
    check(
        "--algorithm optimal-dpor mp.litmus",
        expect![[r#"
            error: optimal-dpor does not support the model rc11; supported are: trust with sc, tso, pso, ra, sra, rc11; trust up to co with FILE.cat; rcmc with rc11, wrc11; tracer with ra; source-dpor with sc, tso, pso; optimal-dpor with sc, tso, pso; rvf with sc
        "#]],
    );
}

#[test]
fn pairs_that_do_not_work() {
    check(
        "--model wrc11 mp.litmus",
        expect![[r#"
            error: trust does not support the model wrc11; supported are: trust with sc, tso, pso, ra, sra, rc11; trust up to co with FILE.cat; rcmc with rc11, wrc11; tracer with ra; source-dpor with sc, tso, pso; optimal-dpor with sc, tso, pso; rvf with sc
        "#]],
    );
    check(
        "--algorithm rvf mp.litmus",
        expect![[r#"
            error: rvf does not support the model rc11; supported are: trust with sc, tso, pso, ra, sra, rc11; trust up to co with FILE.cat; rcmc with rc11, wrc11; tracer with ra; source-dpor with sc, tso, pso; optimal-dpor with sc, tso, pso; rvf with sc
        "#]],
    );
}

#[test]
fn what_the_dpor_algorithms_cannot_do() {
    check(
        "--algorithm optimal-dpor --model rc11 mp.litmus",
        expect![[r#"
            error: optimal-dpor does not support the model rc11; supported are: trust with sc, tso, pso, ra, sra, rc11; trust up to co with FILE.cat; rcmc with rc11, wrc11; tracer with ra; source-dpor with sc, tso, pso; optimal-dpor with sc, tso, pso; rvf with sc
        "#]],
    );
    check(
        "--algorithm source-dpor --model tso --equivalence rf mp.litmus",
        expect![[r#"
            error: --equivalence is for trust: source-dpor has a fixed equivalence for each model
        "#]],
    );
    check(
        "--algorithm source-dpor --model tso --jobs 2 mp.litmus",
        expect![[r#"
            error: --jobs must be 1: source-dpor is sequential
        "#]],
    );
}

#[test]
fn x86_under_a_model_of_a_language() {
    check(
        "--model rc11 sb.litmus",
        expect![[r#"
            sb.litmus: error: the X86 test SB cannot be checked under rc11, a model of a language: its models are sc, tso and pso
        "#]],
    );
}

#[test]
fn options_without_effect() {
    check(
        "--entry main mp.litmus",
        expect![[r#"
            error: --entry has no effect on a litmus test, which has no entry function
        "#]],
    );
    check(
        "--mapping raw --model ra mp.litmus",
        expect![[r#"
            error: --mapping is for sc, tso, pso and FILE.cat: ra defines what C11's orders mean
        "#]],
    );
    check(
        "--release-sequences c11 --model tso mp.litmus",
        expect![[r#"
            error: --release-sequences is for rc11, not for tso
        "#]],
    );
    check(
        "--reduce symmetry --algorithm rcmc mp.litmus",
        expect![[r#"
            error: --reduce symmetry is for trust: rcmc has no such reduction
        "#]],
    );
    check(
        "--reduce await --check-robustness --model tso mp.litmus",
        expect![[r#"
            error: --reduce must be none with --check-robustness: what is left out might not be robust
        "#]],
    );
    check(
        "p.vm -- -O2",
        expect![[r#"
        error: flags for the C compiler are given (after `--`), but p.vm is not compiled
    "#]],
    );
    check(
        "--format json --print-executions mp.litmus",
        expect![[r#"
            error: --print-executions needs --format human: with json, the output is one object and nothing else
        "#]],
    );
    check(
        "--format json --verbose mp.litmus",
        expect![[r#"
            error: --verbose needs --format human: the JSON object already contains everything
        "#]],
    );
}

#[test]
fn numbers_out_of_range() {
    check(
        "--jobs 0 mp.litmus",
        expect![[r#"
        error: invalid value '0' for '--jobs <N>': 0 is not in 1..=1024

        For more information, try '--help'.
    "#]],
    );
    check(
        "--timeout=-1 mp.litmus",
        expect![[r#"
            error: invalid value '-1' for '--timeout <SECONDS>': cannot convert float seconds to Duration: value is negative

            For more information, try '--help'.
        "#]],
    );
}

#[test]
fn release_sequences_matter() {
    // The second write continues the release sequence of the first in C11, and does not in C++20.
    let text = "\
C RS
{}
P0(atomic_int *x, atomic_int *y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_release);
  atomic_store_explicit(y, 2, memory_order_relaxed);
}
P1(atomic_int *x, atomic_int *y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (1:r0=2 /\\ 1:r1=0)
";
    let sandbox = Sandbox::new().with("rs.litmus", text);
    assert_eq!(sandbox.run("check rs.litmus").exit, Some(0));
    assert_eq!(sandbox.run("check --release-sequences c20 rs.litmus").exit, Some(0));
    assert_eq!(sandbox.run("check --release-sequences c11 rs.litmus").exit, Some(1));
}

#[test]
fn the_mapping_matters() {
    let text = MP.replace("relaxed);\n}\nP1", "release);\n}\nP1");
    let sandbox = Sandbox::new().with("mp.litmus", &text);
    assert_eq!(sandbox.run("check --model pso mp.litmus").exit, Some(1), "a release keeps stores in order");
    assert_eq!(sandbox.run("check --model pso --mapping raw mp.litmus").exit, Some(0));
}
