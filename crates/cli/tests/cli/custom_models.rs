//! `--model FILE.cat`: a user's own model.

use crate::run::{LOST_UPDATE, MP, SB_X86, Sandbox};
use expect_test::{Expect, expect};

/// What the engine demands, and nothing that orders accesses to different locations.
const COHERENT: &str = "\"Coherent\"
acyclic po | rf | sync as no-thin-air
acyclic ((po | sync)^+ & loc) | rf | co | fr as coherence
empty rmw & (fr ; co) as atomicity
";

fn states(sandbox: &Sandbox, args: &str) -> serde_json::Value {
    let object =
        sandbox.run(&format!("check --format json --equivalence co --no-race-detection {args}")).json();
    serde_json::json!([object["outcomes"], object["condition"], object["executions"]])
}

#[test]
fn a_file_that_includes_a_built_in_model_is_that_model() {
    for model in ["sc", "tso", "pso", "ra", "sra", "rc11"] {
        let sandbox = Sandbox::new()
            .with("mp.litmus", MP)
            .with("mine.cat", &format!("\"Mine\"\ninclude \"{model}.cat\"\n"));
        let (built_in, own) = (format!("--model {model} mp.litmus"), "--model mine.cat mp.litmus");
        assert_eq!(states(&sandbox, own), states(&sandbox, &built_in), "{model}");
    }
}

#[test]
fn an_own_model_is_explored_up_to_co_and_named_by_its_file() {
    let sandbox = Sandbox::new().with("sb.litmus", SB_X86).with("mine.cat", COHERENT);
    expect![[r#"
        sb.litmus: model mine.cat, trust up to co, 1 worker

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
    "#]]
    .assert_eq(&sandbox.run("check --jobs 1 --model mine.cat sb.litmus").transcript());
}

#[test]
fn violations_under_an_own_model_are_checked_against_it() {
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE).with("mine.cat", COHERENT);
    let object = sandbox.run("check --format json --model mine.cat p.vm").json();
    assert_eq!(
        (&object["verdict"], &object["violations"][0]["rechecked"]),
        (&"violation".into(), &true.into())
    );
}

fn refused(model: &str, args: &str, expected: Expect) {
    let sandbox = Sandbox::new().with("mp.litmus", MP).with("mine.cat", model);
    let run = sandbox.run(&format!("check --model mine.cat {args} mp.litmus"));
    assert_eq!((run.exit, run.stdout.as_str()), (Some(2), ""));
    expected.assert_eq(&run.stderr);
}

#[test]
fn a_model_that_cannot_be_explored_is_refused_with_the_reason() {
    refused(
        &COHERENT.replace("acyclic po | rf | sync as no-thin-air\n", ""),
        "",
        expect![[r#"
            mine.cat: error: the model allows cycles of `po` and `rf` (load buffering with 2 threads and plain accesses); only executions without them can be explored
        "#]],
    );
    refused(
        &COHERENT.replace("empty rmw & (fr ; co) as atomicity\n", ""),
        "",
        expect![[r#"
            mine.cat: error: the model allows a write between a read-modify-write and the write it reads from; add `empty rmw & (fr ; co)`
        "#]],
    );
    refused(
        "\"Broken\"\nacyclic po | foo\n",
        "",
        expect![[r#"
            mine.cat:2:14: error: unknown name `foo`; expected a base name or an earlier `let`
              |
            2 | acyclic po | foo
              |              ^^^
        "#]],
    );
}

#[test]
fn an_own_model_has_no_rf_variant() {
    refused(
        COHERENT,
        "--equivalence rf",
        expect![[r#"
            error: --equivalence rf needs a built-in model; supported are: trust with sc, tso, pso, ra, sra, rc11; trust up to co with FILE.cat; rcmc with rc11, wrc11; tracer with ra; source-dpor with sc, tso, pso; optimal-dpor with sc, tso, pso; rvf with sc
        "#]],
    );
}

#[test]
fn a_model_file_that_is_not_there_is_said_so() {
    let run = Sandbox::new().with("mp.litmus", MP).run("check --model other.cat mp.litmus");
    assert_eq!(run.exit, Some(2));
    assert!(run.stderr.contains("other.cat: error: cannot be read"), "{}", run.stderr);
}
