//! `atropos weaken` and `atropos repair`.

use crate::run::Sandbox;
use expect_test::{Expect, expect};
use serde_json::Value;

/// A message: the reader looks at the data if it sees the flag. `STORE` and `LOAD` are orders.
const MESSAGE: &str = "
    global data: i32
    global flag: i32
    fn reader() {
      f = load.LOAD.i32 flag
      if not f goto end
      d = load.i32 data
      ok = eq.i32 d, 1
      assert ok, \"the data is there\"
    end:
      return
    }
    fn main() {
      t = spawn reader()
      store.i32 data, 1
      store.STORE.i32 flag, 1
      join t
    }
";

fn message(store: &str, load: &str) -> String {
    MESSAGE.replace("STORE", store).replace("LOAD", load)
}

fn sandbox(text: &str) -> Sandbox {
    Sandbox::new().with("message.vm", text)
}

/// The transcript without the time.
fn check(text: &str, args: &str, expected: &Expect) {
    let transcript = sandbox(text).run(args).transcript();
    let timeless = |line: &str| match line.rsplit_once(", in ") {
        Some((start, time)) if time.ends_with('s') => start.to_string(),
        _ => line.to_string(),
    };
    let lines: Vec<String> = transcript.lines().map(timeless).collect();
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

fn json(text: &str, args: &str) -> Value {
    sandbox(text).run(args).json()
}

/// The orders of each solution.
pub fn solutions(report: &Value) -> Vec<Vec<&str>> {
    let mut all = Vec::new();
    for solution in report["solutions"].as_array().unwrap() {
        let orders = solution["orders"].as_array().unwrap().iter();
        all.push(orders.map(|order| order["order"].as_str().unwrap()).collect());
    }
    all
}

#[test]
fn the_weakest_orders_are_shown_with_what_goes_wrong_below() {
    check(
        &message("sc", "sc"),
        "weaken --cache off --jobs 1 message.vm",
        &expect![[r#"
        message.vm: model rc11, trust up to rf

          place            operation  before   now      x86-64      AArch64       statement
          message.vm:5:7   load       seq_cst  acquire  mov         ldar → ldapr  f = load.sc.i32 flag
          message.vm:16:7  store      seq_cst  release  xchg → mov  stlr          store.sc.i32 flag, 1

        2 of 2 orders weaker; the price is 11 instead of 33

        message.vm:5:7: with relaxed instead of acquire
          message.vm:9:7: assertion: the data is there

          main                  t1: start of reader
          ------------------    -----------------------------
          0: spawn t1
          1: W(data) na = 1
          2: W(flag) rel = 1
                                1: R(flag) rlx = 1   ← main.2
                                2: R(data) na = 0    ← init
                              > 3: fails
          no interleaving explains this: t1.2 does not see main.1
          t1.1 reads main.2, but t1.1 (rlx) does not acquire
          t1.3 is at message.vm:9:7: assert ok, "the data is there"

        message.vm:16:7: with relaxed instead of release
          message.vm:9:7: assertion: the data is there

          main                  t1: start of reader
          ------------------    -----------------------------
          0: spawn t1
          1: W(data) na = 1
          2: W(flag) rlx = 1
                                1: R(flag) acq = 1   ← main.2
                                2: R(data) na = 0    ← init
                              > 3: fails
          no interleaving explains this: t1.2 does not see main.1
          t1.1 reads main.2, but main.2 (rlx) does not release
          t1.3 is at message.vm:9:7: assert ok, "the data is there"

        4 candidates of 9 assignments, 3 explored, 5 executions
        exit 0
    "#]],
    );
}

#[test]
fn a_repair_strengthens_what_must_be_stronger() {
    let report = json(&message("rlx", "rlx"), "repair --cache off --format json message.vm");
    assert_eq!(report["verdict"], "repaired");
    assert_eq!(solutions(&report), [["acquire", "release"]]);
    let report = json(&message("rel", "rlx"), "repair --cache off --format json message.vm");
    assert_eq!(solutions(&report), [["acquire", "release"]], "one order is enough");
}

#[test]
fn programs_that_orders_do_not_repair_are_said_to_be_so() {
    let wrong = message("sc", "sc").replace("eq.i32 d, 1", "eq.i32 d, 2");
    let run = sandbox(&wrong).run("repair --cache off --format json message.vm");
    assert_eq!(run.exit, Some(1));
    let report = run.json();
    assert_eq!(
        (&report["verdict"], &report["violation"]["kind"]),
        (&"no-repair".into(), &"assertion".into())
    );
    let run = sandbox(&wrong).run("weaken --cache off --format json message.vm");
    assert_eq!(run.exit, Some(1));
    let report = run.json();
    assert_eq!(report["verdict"], "violation");
    let run = sandbox(&message("rel", "acq")).run("repair --cache off message.vm");
    assert_eq!(run.exit, Some(0));
    assert!(run.stdout.contains("there is nothing to repair"));
}

/// Two ways to order a store before a load: fences, or sequentially consistent accesses.
const STORE_BUFFERING: &str = "
    global x: i32
    global y: i32
    global seen: i32
    fn other() {
      store.sc.i32 y, 1
      fence.sc
      r = load.sc.i32 x
      return r
    }
    fn main() {
      t = spawn other()
      store.sc.i32 x, 1
      fence.sc
      a = load.sc.i32 y
      b = join t
      both = or.i32 a, b
      assert both, \"one of them is seen\"
    }
";

#[test]
fn all_minimal_assignments_are_found() {
    let sandbox = Sandbox::new().with("sb.vm", STORE_BUFFERING);
    for jobs in ["1", "3"] {
        let run = sandbox.run(&format!("weaken --all --cache off --format json --jobs {jobs} sb.vm"));
        let report = run.json();
        let mut found = solutions(&report);
        found.sort();
        // Each thread needs a fence, or two accesses that are sequentially consistent.
        let (fence, accesses) = (["relaxed", "seq_cst", "relaxed"], ["seq_cst", "none", "seq_cst"]);
        let expected = [[fence, fence], [fence, accesses], [accesses, fence], [accesses, accesses]]
            .map(|both| both.concat());
        assert_eq!(found, expected);
    }
}

#[test]
fn a_second_search_knows_what_the_first_has_found() {
    let sandbox = sandbox(&message("sc", "sc"));
    let args = "weaken --cache kept --format json message.vm";
    let first = sandbox.run(args).json();
    assert!(first["effort"]["explorations"].as_u64() > Some(1));
    let second = sandbox.run(args).json();
    assert_eq!(second["effort"]["explorations"], 0);
    assert_eq!(second["solutions"], first["solutions"]);
    let sandbox = sandbox.with("message.vm", &message("rlx", "rlx"));
    let repair = sandbox.run("repair --cache kept --format json message.vm").json();
    assert_eq!(repair["effort"]["explorations"], 0, "facts do not depend on the written orders");
}

#[test]
fn lines_can_be_chosen() {
    let text = message("sc", "sc");
    let report = json(&text, "weaken --cache off --format json --keep 5 message.vm");
    assert_eq!(solutions(&report), [["release"]]);
    let report = json(&text, "weaken --cache off --format json --only message.vm:5 message.vm");
    assert_eq!(solutions(&report), [["acquire"]]);
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let text = message("sc", "sc");
    for (args, complaint) in [
        ("weaken --leaks message.vm", "--leaks is for `atropos check`"),
        ("weaken --dot x.dot message.vm", "--dot is for `atropos check`"),
        ("repair --from seq-cst message.vm", "--from is for `atropos weaken`"),
        ("weaken --only 1 message.vm", "has no order to change on these lines"),
        ("weaken --only x message.vm", "not the number of a line"),
    ] {
        let run = sandbox(&text).run(args);
        assert_eq!(run.exit, Some(2), "{args}");
        assert!(run.stderr.contains(complaint), "{args}: {}", run.stderr);
    }
}

#[test]
fn a_limit_leaves_the_answer_open() {
    let run = sandbox(&message("sc", "sc")).run("weaken --cache off --max-executions 1 message.vm");
    assert_eq!(run.exit, Some(3));
}
