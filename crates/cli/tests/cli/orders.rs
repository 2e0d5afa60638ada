//! `atropos weaken` and `atropos repair`.

use crate::clang::{files, has_clang, root};
use crate::run::{Run, Sandbox};
use expect_test::{Expect, expect};
use serde_json::Value;
use std::process::Command;

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
fn solutions(report: &Value) -> Vec<Vec<&str>> {
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
        ("repair --all message.vm", "--all is for `atropos weaken`"),
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

/// The places where the first solution differs from the source, as `line operation written → found`.
fn changes(report: &Value) -> Vec<String> {
    let found = solutions(report).into_iter().next().unwrap_or_default();
    let orders = report["orders"].as_array().unwrap().iter().zip(found);
    let changed = orders.filter(|(order, found)| order["written"].as_str() != Some(found));
    let word = |value: &Value| value.as_str().unwrap().to_string();
    let changed = changed.map(|(order, found)| {
        let line = &order["location"]["line"];
        format!("{line} {} {} → {found}", word(&order["operation"]), word(&order["written"]))
    });
    changed.collect()
}

/// The data structures in C of the repository: name and text.
fn structures() -> Vec<(String, String)> {
    let paths = files(&root().join("benchmarks/structures"));
    let in_c = paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "c"));
    let named = |path: std::path::PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_string(), std::fs::read_to_string(&path).unwrap())
    };
    in_c.map(named).collect()
}

/// Runs a command on a data structure.
fn on_structure(command: &str, name: &str, flags: &[String]) -> Run {
    let mut process = Command::new(env!("CARGO_BIN_EXE_atropos"));
    process.args(command.split_whitespace()).args(["--cache", "off", "--format", "json"]);
    process.arg(root().join("benchmarks/structures").join(name)).arg("--").args(flags);
    Run::of(process.output().unwrap())
}

#[test]
fn data_structures_need_the_orders_that_are_published_or_weaker_ones() {
    if !has_clang() {
        return;
    }
    let mut lines = String::new();
    for (name, _) in structures() {
        let report = on_structure("weaken --from seq-cst", &name, &[]).json();
        assert_eq!(report["verdict"], "weakest", "{name}");
        let changes = changes(&report);
        lines += &format!(
            "{name}: {}\n",
            if changes.is_empty() { "as written".into() } else { changes.join("; ") }
        );
    }
    expect![[r#"
        chase_lev.c: 37 load acquire → relaxed; 41 fence release → none; 43 store relaxed → release; 48 store relaxed → seq_cst; 50 fence seq_cst → none; 52 load relaxed → seq_cst; 59 update seq_cst → release; 69 fence seq_cst → none; 70 load acquire → seq_cst; 114 load seq_cst → relaxed
        clh_lock.c: 43 load seq_cst → relaxed
        free_list.c: 46 update acquire → relaxed
        futex_mutex.c: as written
        hazard_pointers.c: 39 store release → seq_cst; 44 fence seq_cst → none; 46 load acquire → seq_cst; 63 load acquire → seq_cst; 91 update acq_rel → seq_cst; 94 fence seq_cst → none; 124 load seq_cst → relaxed
        mcs_lock.c: 55 failure relaxed → acquire; 58 load acquire → relaxed
        mpmc_queue.c: 47 load acquire → relaxed; 92 store release → relaxed
        ms_queue.c: 68 load acquire → relaxed; 69 load acquire → relaxed; 71 update release → relaxed; 76 update release → relaxed; 86 load acquire → relaxed; 91 update release → relaxed; 95 update acq_rel → release
        rcu_publisher.c: 35 store relaxed → seq_cst; 37 fence seq_cst → none; 44 fence seq_cst → none; 46 load acquire → seq_cst; 59 load acquire → seq_cst; 70 store release → seq_cst; 90 load seq_cst → relaxed
        rw_lock.c: as written
        seqlock.c: 37 fence release → none; 39 store relaxed → release; 40 store relaxed → release; 48 load relaxed → acquire; 49 load relaxed → acquire; 51 fence acquire → none
        ticket_lock.c: as written
        treiber_stack.c: 69 update acquire → relaxed
        ttas_lock.c: as written
    "#]].assert_eq(&lines);
}

#[test]
fn bugs_of_data_structures_are_repaired_if_they_are_a_matter_of_orders() {
    if !has_clang() {
        return;
    }
    let mut lines = String::new();
    for (name, text) in structures() {
        for bug in text.lines().filter_map(|line| line.strip_prefix("// BUG=")?.split(':').next()) {
            let report = on_structure("repair", &name, &[format!("-DBUG={bug}")]).json();
            let answer = match report["verdict"].as_str() {
                Some("repaired") => changes(&report).join("; "),
                Some("no-repair") => {
                    format!("no repair of the {}", report["violation"]["kind"].as_str().unwrap())
                }
                verdict => format!("{verdict:?}"),
            };
            lines += &format!("{name} {bug}: {answer}\n");
        }
    }
    expect![[r#"
        chase_lev.c 1: 48 store relaxed → seq_cst; 52 load relaxed → seq_cst
        chase_lev.c 2: 43 store relaxed → release; 48 store relaxed → release
        clh_lock.c 1: no repair of the non-termination
        clh_lock.c 2: 58 store relaxed → release
        free_list.c 1: no repair of the assertion
        futex_mutex.c 1: no repair of the deadlock
        futex_mutex.c 2: no repair of the deadlock
        futex_mutex.c 3: 72 update relaxed → release
        hazard_pointers.c 1: 39 store release → seq_cst; 46 load acquire → seq_cst
        hazard_pointers.c 2: no repair of the use-after-free
        hazard_pointers.c 3: 55 store relaxed → release
        mcs_lock.c 1: no repair of the non-termination
        mcs_lock.c 2: 63 store relaxed → release
        mpmc_queue.c 1: 64 store relaxed → release
        mpmc_queue.c 2: no repair of the assertion
        mpmc_queue.c 3: no repair of the assertion
        ms_queue.c 1: 75 update relaxed → release
        ms_queue.c 2: no repair of the use-after-free
        rcu_publisher.c 1: 35 store relaxed → seq_cst; 59 load acquire → seq_cst
        rcu_publisher.c 2: 68 store relaxed → release
        rcu_publisher.c 3: no repair of the use-after-free
        rw_lock.c 1: 40 update relaxed → release
        rw_lock.c 2: no repair of the race
        seqlock.c 1: 48 load relaxed → acquire; 49 load relaxed → acquire
        seqlock.c 2: 39 store relaxed → release; 40 store relaxed → release
        seqlock.c 3: no repair of the assertion
        ticket_lock.c 1: 36 load relaxed → acquire
        ticket_lock.c 2: no repair of the race
        treiber_stack.c 1: no repair of the use-after-free
        treiber_stack.c 2: 42 update relaxed → release
        ttas_lock.c 1: 48 store relaxed → release
        ttas_lock.c 2: no repair of the race
    "#]]
    .assert_eq(&lines);
}

#[test]
fn changes_are_written_as_a_patch() {
    if !has_clang() {
        return;
    }
    let text = MESSAGE_IN_C;
    let sandbox = Sandbox::new().with("message.c", text);
    let run = sandbox.run("weaken --cache off --patch weaker.patch message.c");
    assert_eq!(run.exit, Some(0), "{}", run.stderr);
    let patch = std::fs::read_to_string(sandbox.path().join("weaker.patch")).unwrap();
    expect![[r#"
        --- a/message.c
        +++ b/message.c
        @@ -5,6 +5,5 @@
         static atomic_int flag;
         static void *reader(void *unused) {
        -    atomic_thread_fence(memory_order_seq_cst);
        -    if (atomic_load_explicit(&flag, memory_order_seq_cst))
        +    if (atomic_load_explicit(&flag, memory_order_acquire))
                 assert(data == 1);
             return unused;
        @@ -14,5 +13,5 @@
             pthread_create(&thread, 0, reader, 0);
             data = 1;
        -    atomic_store(&flag, 1);
        +    atomic_store_explicit(&flag, 1, memory_order_release);
             pthread_join(thread, 0);
         }
    "#]]
    .assert_eq(&patch);
}

/// A message whose orders are all stronger than needed, in several spellings.
const MESSAGE_IN_C: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int flag;
static void *reader(void *unused) {
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&flag, memory_order_seq_cst))
        assert(data == 1);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    data = 1;
    atomic_store(&flag, 1);
    pthread_join(thread, 0);
}
";
