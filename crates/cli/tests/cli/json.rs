//! What scripts read: the contract of `CLI.md`.

use crate::run::{LONG, LOST_UPDATE, MP, RACE, Sandbox};
use serde_json::{Value, json};

fn object(file: &str, text: &str, args: &str) -> Value {
    let run = Sandbox::new().with(file, text).run(&format!("check --format json --jobs 1 {args} {file}"));
    assert_eq!(run.stderr, "");
    run.json()
}

/// The top-level keys in the order in which they are written.
fn keys(file: &str, text: &str) -> Vec<String> {
    let run = Sandbox::new().with(file, text).run(&format!("check --format json {file}"));
    let is_top = |line: &&str| line.starts_with("  \"");
    run.stdout.lines().filter(is_top).map(|line| line.split('"').nth(1).unwrap().to_string()).collect()
}

#[test]
fn the_keys_are_those_of_the_contract_in_its_order() {
    let common = "version file model algorithm equivalence verdict executions blocked duplicates events time_ms \
                  peak_rss_kib jobs bounded complete explore_us explore_cpu_us";
    let of = |rest: &str| format!("{common} {rest}").split_whitespace().map(String::from).collect::<Vec<_>>();
    assert_eq!(keys("mp.litmus", MP), of("outcomes condition violations warnings"));
    assert_eq!(keys("p.vm", LOST_UPDATE), of("reductions violations warnings elsewhere"));
}

#[test]
fn a_litmus_test_has_outcomes_and_the_answer() {
    let object = object("mp.litmus", MP, "");
    assert_eq!(object["model"], "rc11");
    assert_eq!(object["equivalence"], "rf");
    assert_eq!(object["verdict"], "verified");
    assert_eq!(object["executions"], 4);
    assert_eq!(object["condition"], "Ok");
    assert_eq!(object["outcomes"][0], json!({ "state": "1:r0=0; 1:r1=0", "count": 1 }));
    assert_eq!(object["outcomes"].as_array().unwrap().len(), 4);
    assert_eq!(object["violations"], json!([]));
    assert!(object["peak_rss_kib"].as_u64().unwrap() > 0);
}

#[test]
fn a_test_without_condition_has_no_answer() {
    let without = MP.replace("exists (1:r0=1 /\\ 1:r1=0)", "locations [1:r0; x;]");
    let object = object("mp.litmus", &without, "");
    assert_eq!((&object["condition"], &object["verdict"]), (&Value::Null, &json!("verified")));
}

#[test]
fn a_broken_condition_is_a_violation() {
    let object = object("mp.litmus", MP, "--model sc");
    assert_eq!((&object["condition"], &object["verdict"]), (&json!("No"), &json!("violation")));
    let violation = &object["violations"][0];
    assert_eq!(violation["kind"], "condition");
    assert_eq!(violation["location"], json!({ "file": "mp.litmus", "line": 11, "column": 9 }));
    assert_eq!(violation["trace"], json!([]), "that there is none is the point");
}

#[test]
fn a_race_has_a_trace_with_its_guilty_events() {
    let object = object("race.litmus", RACE, "");
    assert_eq!(object["verdict"], "violation");
    assert_eq!(object["complete"], false);
    let violation = &object["violations"][0];
    assert_eq!(violation["kind"], "race");
    assert_eq!(violation["rechecked"], true);
    assert_eq!(violation["operands"], json!({ "variable": "x", "size": 4 }));
    assert_eq!(violation["location"]["line"], 10);
    let guilty: Vec<_> =
        violation["trace"].as_array().unwrap().iter().filter(|event| event["guilty"] == true).collect();
    assert_eq!(guilty.len(), 2);
    let expected = json!({
        "event": "P1.2", "thread": "P1", "index": 2, "kind": "read", "label": "R(x) na", "variable": "x",
        "order": "na", "value": 0, "reads_from": "init", "code": "r1 = *x",
        "location": { "file": "race.litmus", "line": 10, "column": 13 }, "guilty": true
    });
    assert_eq!(guilty[1], &expected);
}

#[test]
fn a_failed_assertion_ends_the_trace() {
    let object = object("p.vm", LOST_UPDATE, "--model sc");
    let violation = &object["violations"][0];
    assert_eq!(
        (&violation["kind"], &violation["message"]),
        (&json!("assertion"), &json!("an update is lost"))
    );
    assert_eq!(violation["operands"], json!({ "reason": "message", "text": "an update is lost" }));
    let last = violation["trace"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["kind"], &last["label"], &last["guilty"]),
        (&json!("stop"), &json!("fails"), &json!(true))
    );
    assert_eq!(last["location"], violation["location"]);
}

/// The operands of the only violation.
fn operands(text: &str, flags: &str) -> serde_json::Value {
    let object = object("p.vm", text, flags);
    object["violations"][0]["operands"].clone()
}

#[test]
fn a_deadlock_says_which_thread_waits_for_what() {
    let text = "global a: i32
        global b: i32
        fn f() { lock b; lock a; unlock a; unlock b }
        fn main() { t = spawn f(); lock a; lock b; unlock b; unlock a; join t }";
    let waits = json!([
        { "thread": "main", "for": "lock", "variables": ["b"], "call": "lock", "object": "b" },
        { "thread": "t1", "for": "lock", "variables": ["a"], "call": "lock", "object": "a" },
    ]);
    for algorithm in ["trust", "source-dpor", "optimal-dpor", "rvf"] {
        let flags = format!("--model sc --algorithm {algorithm}");
        assert_eq!(operands(text, &flags), json!({ "waits": waits }), "{algorithm}");
    }
    let text = "global x: i32\n fn f() { again: v = load.acq.i32 x; if not v goto again }
        fn main() { t = spawn f(); join t }";
    let waits = json!([
        { "thread": "main", "for": "join", "joins": "t1" },
        { "thread": "t1", "for": "spin", "variables": ["x"], "call": null, "object": null },
    ]);
    assert_eq!(operands(text, ""), json!({ "waits": waits }));
}

#[test]
fn what_is_wrong_with_memory_and_locks_has_operands() {
    let cases = [
        (
            "p = malloc 8; q = addr p + 8; store.i32 q, 1",
            json!({ "reason": "out-of-bounds", "size": 4, "variable": "heap1+8", "object": "heap1", "object_size": 8 }),
        ),
        ("p = malloc 8; free p; v = load.i64 p", json!({ "reason": "freed", "variable": "heap1" })),
        ("p = malloc 8; q = addr p + 4; free q", json!({ "reason": "not-an-object", "object": "heap1+4" })),
        ("p = malloc 8; free p; free p", json!({ "object": "heap1" })),
        ("p = malloc 8; v = load.i64 p; v = add.i64 v, 1", json!({ "variable": "heap1" })),
        ("v = load.i32 8", json!({ "reason": "null-pointer", "address": "0x8" })),
        ("unlock m", json!({ "reason": "not-held", "call": "unlock", "class": "mutex", "object": "m" })),
        (
            "fail misuse, barrier, awaited, m, \"pthread_barrier_destroy\"",
            json!({
                "reason": "awaited", "call": "pthread_barrier_destroy", "class": "barrier", "object": "m"
            }),
        ),
        ("join 9", json!({ "reason": "not-a-thread", "handle": "0x9" })),
        ("v = sdiv.i32 1, 0", json!({})),
    ];
    for (body, expected) in cases {
        assert_eq!(operands(&format!("global m: i32\n fn main() {{ {body} }}"), ""), expected, "{body}");
    }
}

#[test]
fn a_limit_is_named() {
    let object = object("long.vm", LONG, "--max-executions 7");
    assert_eq!((&object["verdict"], &object["limit"]), (&json!("inconclusive"), &json!("max-executions")));
    assert_eq!(object["executions"], 7);
}

#[test]
fn a_bound_is_reported() {
    let object = object("p.vm", crate::run::ENDLESS, "--unroll 2");
    assert_eq!((&object["verdict"], &object["bounded"]), (&json!("verified"), &json!(true)));
    assert!(object["blocked"].as_u64().unwrap() > 0);
    let location = json!({"file": "p.vm", "line": 6, "column": 3});
    assert_eq!(object["bounded_loops"], json!([{"location": location, "iterations": 2}]));
}

#[test]
fn a_loop_that_may_have_no_end_is_named() {
    let object = object("p.vm", crate::run::ENDLESS, "--timeout 0.5");
    assert_eq!((&object["verdict"], &object["limit"]), (&json!("inconclusive"), &json!("timeout")));
    assert_eq!(object["longest_loop"]["location"], json!({"file": "p.vm", "line": 6, "column": 3}));
    assert!(object["longest_loop"]["iterations"].as_u64().unwrap() >= 256);
}

#[test]
fn errors_of_the_input_are_listed() {
    let errors = |file: &str, text: &str| {
        let run = Sandbox::new().with(file, text).run(&format!("check --format json {file}"));
        assert_eq!(run.exit, Some(2));
        assert!(run.stderr.starts_with(&format!("{file}:")), "{run:?}");
        let object = run.json();
        assert_eq!((&object["verdict"], &object["file"]), (&json!("error"), &json!(file)));
        object["errors"].clone()
    };
    let place = |line, column| json!({"file": "p.vm", "line": line, "column": column});
    assert_eq!(
        errors("p.vm", "fn main() {\n  x = frob y\n  goto nowhere\n}\n"),
        json!([
            {"severity": "error", "message": "unknown operation `frob`", "location": place(2, 7)},
            {"severity": "error", "message": "there is no label `nowhere`", "location": place(3, 8)},
        ])
    );
    assert_eq!(
        errors("p.vm", "fn f() {\n  return\n}\n"),
        json!([{
            "severity": "error",
            "message": "there is no function `main` to start with",
            "location": {"file": "p.vm", "line": null, "column": null},
        }])
    );
}

#[test]
fn bad_usage_prints_no_json() {
    let run =
        Sandbox::new().with("mp.litmus", MP).run("check --format json --mapping raw --model ra mp.litmus");
    assert_eq!((run.exit, run.stdout.as_str()), (Some(2), ""));
}

#[test]
fn tracer_counts_the_same_on_several_workers() {
    let (program, _) = LONG.split_once(", worker(4)").expect("many threads");
    let sandbox = Sandbox::new().with("p.vm", program);
    let check = "check --format json --algorithm tracer --model ra p.vm --jobs";
    let [one, three] = [1, 3].map(|jobs| sandbox.run(&format!("{check} {jobs}")).json());
    assert_eq!((&one["jobs"], &three["jobs"]), (&json!(1), &json!(3)));
    for field in ["verdict", "executions", "blocked"] {
        assert_eq!(one[field], three[field], "{field}");
    }
}

#[test]
fn other_algorithms_find_the_same_violation() {
    for (args, equivalence) in [
        ("--algorithm tracer --model ra", "rf"),
        ("--algorithm rcmc --model rc11", "co"),
        ("--algorithm rcmc --model wrc11", "rf"),
    ] {
        let object = object("p.vm", LOST_UPDATE, args);
        assert_eq!(object["equivalence"], equivalence, "{args}");
        assert_eq!(object["verdict"], "violation", "{args}");
        assert_eq!(object["violations"][0]["kind"], "assertion", "{args}");
        assert_eq!(object["violations"][0]["rechecked"], true, "{args}");
    }
}

#[test]
fn executions_that_rcmc_meets_again_are_duplicates() {
    let increments = "global x: i32\nglobal y: i32
fn inc() { a = rmw.add.rlx.i32 x, 1; b = rmw.add.rlx.i32 y, 1; return }
fn main() { t = spawn inc(); u = spawn inc(); v = spawn inc(); return }\n";
    let object = object("p.vm", increments, "--algorithm rcmc");
    assert_eq!(object["executions"], 36);
    assert_eq!(object["duplicates"], 2);
}

#[test]
fn what_cannot_be_checked_is_listed_beside_violations() {
    let program = "\
global x: i32 = 0

fn first() {
  r = load.rlx.i32 x
  good = eq.i32 r, 1
  assert good, \"too early\"
  return
}

fn second() {
  store.rlx.i32 x, 1
  unsupported function, \"something_new\"
}

threads first(), second()
";
    let sandbox = Sandbox::new().with("p.vm", program);
    let run = sandbox.run("check --format json --keep-going --jobs 1 p.vm");
    let json = run.json();
    assert_eq!(
        (run.exit, &json["verdict"], &json["complete"]),
        (Some(1), &"violation".into(), &false.into())
    );
    assert_eq!(json["violations"][0]["kind"], "assertion");
    assert_eq!(json["errors"][0]["message"], "the function `something_new` is neither defined nor modelled");
    assert_eq!(json["errors"][0]["location"]["line"], 12);
}
