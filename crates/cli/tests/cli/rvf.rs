//! `--algorithm rvf`: its verdicts, and what it refuses.

use crate::run::{LOST_UPDATE, MP, Sandbox};
use expect_test::{Expect, expect};

fn check(args: &str, expected: Expect) {
    let run = Sandbox::new().with("mp.litmus", MP).with("p.vm", LOST_UPDATE).run(&format!("check {args}"));
    assert_eq!((run.exit, run.stdout.as_str()), (Some(2), ""));
    expected.assert_eq(&run.stderr);
}

#[test]
fn other_models_and_idle_options_are_refused() {
    check(
        "--algorithm rvf --model tso mp.litmus",
        expect![[r#"
            error: rvf does not support the model tso; supported are: trust with sc, tso, pso, ra, sra, rc11; trust up to co with FILE.cat; rcmc with rc11, wrc11; tracer with ra; source-dpor with sc, tso, pso; optimal-dpor with sc, tso, pso; rvf with sc
        "#]],
    );
    check(
        "--algorithm rvf --model sc --equivalence co mp.litmus",
        expect![[r#"
            error: --equivalence is for trust: rvf has a fixed equivalence for each model
        "#]],
    );
    check(
        "--algorithm rvf --model sc --jobs 2 mp.litmus",
        expect![[r#"
            error: --jobs must be 1: rvf is sequential
        "#]],
    );
    check(
        "--algorithm rvf --model sc --rvf-without luck mp.litmus",
        expect![[r#"
            error: invalid value 'luck' for '--rvf-without <NAME,...>'
              [possible values: signals, greedy, closure, guide]

            For more information, try '--help'.
        "#]],
    );
    check(
        "--rvf-without guide mp.litmus",
        expect![[r#"
        error: --rvf-without is for rvf: trust has no such heuristics
    "#]],
    );
}

#[test]
fn a_violation_is_found_and_shown_whatever_the_heuristics() {
    for without in ["", "--rvf-without signals,closure", "--rvf-without greedy,guide"] {
        let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE);
        let run = sandbox.run(&format!("check --algorithm rvf --model sc {without} p.vm"));
        assert_eq!(run.exit, Some(1), "{}", run.transcript());
        let command = format!("--algorithm rvf {without}");
        assert!(run.stdout.contains(command.trim_end()), "{}", run.stdout);
    }
}

#[test]
fn a_litmus_test_has_the_same_final_states() {
    let states = |algorithm: &str| {
        let run = Sandbox::new()
            .with("mp.litmus", MP)
            .run(&format!("check --algorithm {algorithm} --model sc mp.litmus"));
        let is_state = |line: &&str| line.contains('=') && line.contains(';');
        run.stdout.lines().filter(is_state).map(state_of).collect::<Vec<_>>()
    };
    assert!(!states("rvf").is_empty());
    assert_eq!(states("rvf"), states("trust"));
}

/// The line of a final state, without its count.
fn state_of(line: &str) -> String {
    line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ').to_string()
}
