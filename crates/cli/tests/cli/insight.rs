//! What a report says beyond the violation: the smallest execution that shows it, and what mends it.

use super::run::{LOST_UPDATE, Sandbox};
use expect_test::{Expect, expect};
use serde_json::json;

/// Two threads make the reader fail; the search meets the one with more steps first.
const TWO_WAYS: &str = "\
global x: i32 = 0
global y: i32 = 0

fn far() {
  r = load.rlx.i32 y
  r = load.rlx.i32 y
  store.rlx.i32 x, 2
  return
}

fn near() {
  store.rlx.i32 x, 1
  return
}

fn reader() {
  r = load.rlx.i32 x
  good = eq.i32 r, 0
  assert good, \"x has changed\"
  return
}

threads far(), near(), reader()
";

/// Publication through a flag; the orders of the store and the load of the flag are missing.
const PUBLICATION: &str = "\
global data: i32 = 0
global flag: i32 = 0

fn writer() {
  store.rlx.i32 data, 1
  store.STORE.i32 flag, 1
  return
}

fn reader() {
  f = load.LOAD.i32 flag
  if not f goto out
  d = load.rlx.i32 data
  assert d, \"the data is there\"
out:
  return
}

threads writer(), reader()
";

/// A plain access that nothing orders, beside an atomic one.
const UNORDERED: &str = "\
global x: i32 = 0
global y: i32 = 0

fn one() {
  store.i32 x, 1
  store.rlx.i32 y, 1
  return
}

fn other() {
  store.i32 x, 2
  return
}

threads one(), other()
";

fn publication(store: &str, load: &str) -> String {
    PUBLICATION.replace("STORE", store).replace("LOAD", load)
}

/// The paragraphs behind the picture of a violation, up to the command that shows it again.
fn check(program: &str, expected: Expect) {
    let sandbox = Sandbox::new().with("p.vm", program);
    let run = sandbox.run("check --jobs 1 p.vm");
    assert_eq!(run.exit, Some(1), "{run:?}");
    let behind: Vec<&str> = run.stdout.split("\n\n").skip(3).collect();
    let end = behind.iter().position(|text| text.starts_with("to see it again")).expect("the command");
    expected.assert_eq(&behind[..end].iter().map(|text| format!("{text}\n")).collect::<String>());
}

#[test]
fn the_smallest_execution_is_shown() {
    let sandbox = Sandbox::new().with("p.vm", TWO_WAYS);
    for options in ["--jobs 1", "--jobs 2", "--jobs 1 --keep-going"] {
        let run = sandbox.run(&format!("check --format json {options} p.vm"));
        let violation = run.json()["violations"][0].take();
        let kinds: Vec<&str> = violation["trace"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| step["kind"].as_str().unwrap())
            .collect();
        let n_accesses = kinds.iter().filter(|kind| ["read", "write"].contains(kind)).count();
        assert_eq!(n_accesses, 2, "{options}: {violation:#}");
    }
}

#[test]
fn stronger_orders_that_mend_a_violation_are_named() {
    check(
        &publication("rlx", "acq"),
        expect![[r#"
        under sc and tso, no execution goes wrong
        mended by: p.vm:6 store relaxed → release (checked)
    "#]],
    );
    check(
        &publication("rlx", "rlx"),
        expect![[r#"
        under sc and tso, no execution goes wrong
        mended by: p.vm:6 store relaxed → release and p.vm:11 load relaxed → acquire (checked)
    "#]],
    );
    let sandbox = Sandbox::new().with("p.vm", &publication("rlx", "acq"));
    let report = sandbox.run("check --format json --jobs 1 p.vm").json();
    let place = json!({ "file": "p.vm", "line": 6, "column": 3 });
    let expected =
        json!([{ "location": place, "operation": "store", "before": "relaxed", "after": "release" }]);
    assert_eq!(report["mended_by"], expected);
}

#[test]
fn orders_that_mend_nothing_are_said_to_mend_nothing() {
    check(
        UNORDERED,
        expect![[r#"
            an interleaving shows this race, but sc and tso know no data races
            stronger memory orders do not mend this (checked)
        "#]],
    );
    let sandbox = Sandbox::new().with("p.vm", UNORDERED);
    assert_eq!(sandbox.run("check --format json --jobs 1 p.vm").json()["mended_by"], json!([]));
}

#[test]
fn an_interleaving_is_no_question_of_orders() {
    check(
        LOST_UPDATE,
        expect![[r#"
        this happens under sc and tso, too: the execution is an interleaving
    "#]],
    );
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE);
    assert_eq!(sandbox.run("check --format json --jobs 1 p.vm").json().get("mended_by"), None);
}

/// Store buffering: neither thread has to see the store of the other.
const STORE_BUFFERING: &str = "\
global x: i32 = 0
global y: i32 = 0

fn one() {
  store.rlx.i32 x, 1
  r = load.rlx.i32 y
  return
}

fn other() {
  store.rlx.i32 y, 1
  r = load.rlx.i32 x
  return
}

threads one(), other()
";

#[test]
fn a_weak_execution_is_explained_by_the_reads_that_contradict_each_other() {
    let sandbox = Sandbox::new().with("p.vm", STORE_BUFFERING);
    let run = sandbox.run("check --jobs 1 --model tso --check-robustness p.vm");
    let why = "no interleaving explains this: t2.2 does not see t1.1, and t1.2 does not see t2.1\n";
    assert!(run.stdout.contains(why), "{run:?}");
}
