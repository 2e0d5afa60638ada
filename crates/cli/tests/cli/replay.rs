//! Executions as files: `--dump-graphs` writes them, `--replay` reads one.

use super::run::{LONG, LOST_UPDATE, MP, RACE, Run, Sandbox};
use expect_test::{Expect, expect};
use std::collections::BTreeSet;

/// The algorithms, each with a model.
const ALGORITHMS: [&str; 7] = [
    "--algorithm trust --equivalence co",
    "--algorithm trust --equivalence rf",
    "--algorithm rcmc",
    "--algorithm tracer --model ra",
    "--algorithm source-dpor --model tso",
    "--algorithm optimal-dpor --model sc",
    "--algorithm rvf --model sc",
];

/// The part of an algorithm's options that a replay has, too.
fn model_of(options: &str) -> &str {
    options.find("--model").map_or("", |at| &options[at..])
}

/// The names of the files in a folder of the sandbox, in order.
fn files(sandbox: &Sandbox, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(sandbox.path().join(folder)).unwrap();
    let names: BTreeSet<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.into_iter().collect()
}

fn text_of(sandbox: &Sandbox, path: &str) -> String {
    std::fs::read_to_string(sandbox.path().join(path)).unwrap()
}

#[test]
fn every_execution_is_dumped_and_replayed() {
    let sandbox = Sandbox::new().with("mp.litmus", MP);
    for (nth, options) in ALGORITHMS.iter().enumerate() {
        let run = sandbox.run(&format!("check --format json --dump-graphs {nth} {options} mp.litmus"));
        let names = files(&sandbox, &nth.to_string());
        assert_eq!(run.json()["executions"], names.len(), "{options}");
        for name in names {
            let (path, model) = (format!("{nth}/{name}"), model_of(options));
            let again = sandbox.run(&format!("check --print-executions --replay {path} {model} mp.litmus"));
            assert_eq!(again.exit, Some(0), "{options}: {again:?}");
            let printed = again.stdout.strip_prefix("execution complete\n").unwrap();
            assert_eq!(
                printed.split("\n\n").next().unwrap(),
                text_of(&sandbox, &path).trim_end(),
                "{options}"
            );
        }
    }
}

#[test]
fn the_numbers_of_all_workers_are_different() {
    let sandbox = Sandbox::new().with("p.vm", include_str!("../../../../corpus/vm/handover.vm"));
    let counts = |options: &str| {
        let run = sandbox.run(&format!("check --format json --dump-graphs d {options} p.vm"));
        let json = run.json();
        (json["executions"].as_u64().unwrap(), json["blocked"].as_u64().unwrap())
    };
    let (complete, _) = counts("--jobs 4");
    let texts: BTreeSet<String> =
        files(&sandbox, "d").iter().map(|name| text_of(&sandbox, &format!("d/{name}"))).collect();
    assert_eq!((texts.len() as u64, files(&sandbox, "d").len() as u64), (complete, complete));
    assert_eq!(files(&sandbox, "d")[0], "00001.graph");
}

#[test]
fn a_search_that_starts_over_leaves_nothing_behind() {
    let sandbox = Sandbox::new().with("p.vm", include_str!("../../../../corpus/vm/locked_counter.vm"));
    let run = sandbox.run("check --verbose --dump-graphs d --reduce none --jobs 1 p.vm");
    assert_eq!((run.exit, files(&sandbox, "d").len()), (Some(0), 2), "{run:?}");
}

#[test]
fn executions_of_an_earlier_check_are_removed() {
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE).with("mp.litmus", MP);
    sandbox.run("check --dump-graphs d --keep-going p.vm");
    assert!(files(&sandbox, "d").contains(&"violation-1.graph".to_string()));
    for name in ["mine.graph", "violation-x.graph", "1.graph", "00001.txt"] {
        std::fs::write(sandbox.path().join("d").join(name), "").unwrap();
    }
    sandbox.run("check --dump-graphs d --max-executions 1 mp.litmus");
    let expected = ["00001.graph", "00001.txt", "1.graph", "mine.graph", "violation-x.graph"];
    assert_eq!(files(&sandbox, "d"), expected);
}

#[test]
fn no_more_than_ten_thousand_files_are_written() {
    let sandbox = Sandbox::new().with("p.vm", LONG);
    let run = sandbox.run("check --dump-graphs d --max-executions 10007 p.vm");
    assert_eq!((run.exit, files(&sandbox, "d").len()), (Some(3), 10_000));
    assert_eq!(run.stderr, "note: 7 more executions are not written: 10000 are the most\n");
}

#[test]
fn a_violation_is_replayed_whatever_found_it() {
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE);
    for options in ALGORITHMS {
        let run = sandbox.run(&format!("check --dump-graphs d {options} p.vm"));
        let command =
            run.stdout.lines().find_map(|line| line.strip_prefix("to replay it: atropos ")).unwrap();
        let again = sandbox.run(command);
        assert_eq!((run.exit, again.exit), (Some(1), Some(1)), "{options}: {again:?}");
        // The same events, perhaps in another order.
        let trace = |run: &Run| -> BTreeSet<String> {
            run.stdout.split("\n\n").skip(1).take(2).flat_map(str::lines).map(String::from).collect()
        };
        assert_eq!(trace(&run), trace(&again), "{options}");
    }
}

#[test]
fn a_report_in_json_is_replayed() {
    let sandbox = Sandbox::new().with("p.litmus", RACE);
    let report = sandbox.run("check --format json p.litmus");
    let sandbox = sandbox.with("report.json", &report.stdout);
    let again = sandbox.run("check --format json --replay report.json p.litmus");
    assert_eq!((report.exit, again.exit), (Some(1), Some(1)), "{again:?}");
    let [first, second] = [&report, &again].map(|run| run.json()["violations"][0].clone());
    assert_eq!((&first["kind"], &first["graph"]), (&second["kind"], &second["graph"]));
}

#[test]
fn a_replay_shows_an_execution_in_which_nothing_goes_wrong() {
    let sandbox = Sandbox::new().with("mp.litmus", MP);
    sandbox.run("check --jobs 1 --dump-graphs d mp.litmus");
    let run = sandbox.run("check --replay d/00003.graph mp.litmus");
    expect![[r#"
        mp.litmus: model rc11 (the default), replay (of d/00003.graph) up to rf, 1 worker

        Test MP Allowed
        States 1 (not all executions were explored)
        1     :>1:r0=1; 1:r1=0;
        Ok
        Witnesses
        Positive: 1 Negative: 0
        Condition exists (1:r0=1 /\ 1:r1=0)
        Observation MP Always 1 0

          P0                 P1
          ---------------    ------------------------
          1: W(x) rlx = 1
          2: W(y) rlx = 1
                             1: R(y) rlx = 1   ← P0.2
                             2: R(x) rlx = 0   ← init
          no interleaving explains this: P1.2 does not see P0.1
          P1.1 reads P0.2, but P0.2 (rlx) does not release and P1.1 (rlx) does not acquire

        1 complete execution, 0 blocked, in TIME
        no violation in this execution; no other one was explored
        exit 0
    "#]]
    .assert_eq(&run.transcript());
}

/// A replay of `graph` on a program with a lost update ends with this error.
fn check_refused(graph: &str, expected: Expect) {
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE).with("g", graph);
    let run = sandbox.run("check --replay g p.vm");
    assert_eq!(run.exit, Some(2), "{run:?}");
    expected.assert_eq(&run.stderr);
}

/// The execution in which no update is lost.
const GRAPH: &str = "\
thread 0 finished
  spawn 0.1
  spawn 0.2
  join 0.1
  join 0.2
  read 0x10000/4 2 rlx from 0.2[2]
  end
thread 0.1 finished
  begin
  read 0x10000/4 0 rlx from init
  write 0x10000/4 1 rlx
  end
thread 0.2 finished
  begin
  read 0x10000/4 1 rlx from 0.1[2]
  write 0x10000/4 2 rlx
  end
co 0x10000/4 0.1[2] 0.2[2]
";

#[test]
fn executions_of_other_programs_are_refused() {
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE).with("g", GRAPH);
    assert_eq!(sandbox.run("check --replay g p.vm").exit, Some(0));
    check_refused(
        &GRAPH.replace("write 0x10000/4 1 rlx", "write 0x10000/4 9 rlx"),
        expect![[r#"
            g:11:3: error: event 0.1[2] is not what the program does: its thread does a write of 1 to `x` (rlx) instead
               |
            11 |   write 0x10000/4 9 rlx
               |   ^^^^^^^^^^^^^^^^^^^^^
            note: expected a write of 9 to `x` (rlx)
            p.vm:6:3: note: the thread is here
              |
            6 |   store.rlx.i32 x, s
              |   ^
        "#]],
    );
    check_refused(
        &GRAPH.replace("4 1 rlx from 0.1[2]", "4 1 rlx from init"),
        expect![[r#"
            g:15:3: error: event 0.2[1] is not what the program does: it reads the value 0 from this source
               |
            15 |   read 0x10000/4 1 rlx from init
               |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            note: expected a read of `x` (rlx)
            p.vm:4:3: note: the thread is here
              |
            4 |   r = load.rlx.i32 x
              |   ^
        "#]],
    );
    check_refused(
        &GRAPH.replace("0.1[2] 0.2[2]", "0.2[2] 0.1[2]"),
        expect![[r#"
        g: error: the execution violates the axiom `coherence` of rc11
    "#]],
    );
    check_refused(
        &GRAPH.replace("co 0x10000/4 0.1[2]", "co 0x10000/4"),
        expect![[r#"
            g:11:3: error: event 0.1[2] is not what the program does: no `co` line lists it
               |
            11 |   write 0x10000/4 1 rlx
               |   ^^^^^^^^^^^^^^^^^^^^^
            note: expected a write of 1 to `x` (rlx)
            p.vm:6:3: note: the thread is here
              |
            6 |   store.rlx.i32 x, s
              |   ^
        "#]],
    );
}

#[test]
fn events_that_cannot_be_reached_are_refused() {
    check_refused(
        &GRAPH.replace("4 0 rlx from init", "4 2 rlx from 0.2[2]"),
        expect![[r#"
            g:4:3: error: event 0[2] is not what the program does: it comes after itself
              |
            4 |   join 0.1
              |   ^^^^^^^^
            note: expected `join`
            p.vm:13:3: note: the thread is here
               |
            13 |   join a
               |   ^
        "#]],
    );
    check_refused(
        &GRAPH.replace("rlx\n  end\nthread 0.2", "rlx\nthread 0.2"),
        expect![[r#"
            g:4:3: error: event 0[2] is not what the program does: its thread was not created, has ended or waits
              |
            4 |   join 0.1
              |   ^^^^^^^^
            note: expected `join`
            p.vm:13:3: note: the thread is here
               |
            13 |   join a
               |   ^
        "#]],
    );
    check_refused(
        GRAPH.split("  end").next().unwrap(),
        expect![[r#"
        g:2:9: error: expected a thread of this graph, found `0.1`
          |
        2 |   spawn 0.1
          |         ^^^
    "#]],
    );
    check_refused(
        &GRAPH.replace("0.2", "0.3"),
        expect![[r#"
            g:3:3: error: event 0[1] is not what the program does: its thread does `spawn` instead
              |
            3 |   spawn 0.3
              |   ^^^^^^^^^
            note: expected `spawn`
            p.vm:12:3: note: the thread is here
               |
            12 |   b = spawn worker()
               |   ^
        "#]],
    );
}

#[test]
fn files_without_an_execution_are_refused() {
    check_refused(
        "",
        expect![[r#"
        g: error: there is no execution in this file: it has no thread 0
    "#]],
    );
    check_refused(
        "thread 0.1 finished\n  begin\n",
        expect![[r#"
        g: error: there is no execution in this file: it has no thread 0
    "#]],
    );
    check_refused(
        &GRAPH.replace("from init", "of init"),
        expect![[r#"
        g:10:24: error: expected `from`, found `of`
           |
        10 |   read 0x10000/4 0 rlx of init
           |                        ^^
    "#]],
    );
    check_refused(
        "{ \"verdict\": \"verified\", \"violations\": [] }",
        expect![[r#"
        g: error: no violation in this report has an execution to replay
    "#]],
    );
    check_refused(
        "{",
        expect![[r#"
        g: error: this is not a JSON report: EOF while parsing an object at line 1 column 1
    "#]],
    );
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE).with("g", GRAPH);
    let stderr = |args: &str| {
        let run = sandbox.run(args);
        assert_eq!(run.exit, Some(2), "{run:?}");
        run.stderr
    };
    expect![[r#"
        nowhere: error: cannot be read: No such file or directory (os error 2)
    "#]]
    .assert_eq(&stderr("check --replay nowhere p.vm"));
    expect![[r#"
        error: --algorithm has no effect on a replay, which is of one given execution
    "#]]
    .assert_eq(&stderr("check --replay g --algorithm rcmc p.vm"));
    expect![[r#"
        error: --jobs has no effect on a replay, which is of one given execution
    "#]]
    .assert_eq(&stderr("check --replay g --jobs 2 p.vm"));
    expect![[r#"
        error: cannot make p.vm/d: Not a directory (os error 20)
    "#]]
    .assert_eq(&stderr("check --dump-graphs p.vm/d p.vm"));
}

#[test]
fn a_changed_program_is_compared_with_the_execution_by_its_source() {
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE);
    let report = sandbox.run("check --format json --jobs 1 p.vm");
    let sandbox = sandbox.with("report.json", &report.stdout);
    let changed = LOST_UPDATE.replace("s = add.i32 r, 1", "s = add.i32 r, 2");
    let sandbox = sandbox.with("p.vm", &changed);
    let run = sandbox.run("check --replay report.json p.vm");
    assert_eq!(run.exit, Some(2), "{run:?}");
    expect![[r#"
        report.json: error: event 0.1[2] is not what the program does: its thread does a write of 2 to `x` (rlx) instead
        note: expected t1.2: W(x) rlx = 1, which was p.vm:6: store.rlx.i32 x, s
        p.vm:6:3: note: the thread is here
          |
        6 |   store.rlx.i32 x, s
          |   ^
    "#]].assert_eq(&run.stderr);
    let json = sandbox.run("check --format json --replay report.json p.vm").json();
    assert_eq!(json["errors"][0]["notes"].as_array().unwrap().len(), 2, "{json}");
}

#[test]
fn a_replay_is_shown_step_by_step() {
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE);
    sandbox.run("check --jobs 1 --dump-graphs d p.vm");
    let run = sandbox.run("check --step --replay d/violation-1.graph p.vm");
    assert_eq!(run.exit, Some(1), "{run:?}");
    let (steps, _) = run.stdout.split_once("\n\n").unwrap();
    expect![[r#"
           1/10  main.0  spawn t1             p.vm:11: a = spawn worker()
           2/10  main.1  spawn t2             p.vm:12: b = spawn worker()
           3/10  t1.1    R(x) rlx = 0 ← init  p.vm:4: r = load.rlx.i32 x
           4/10  t2.1    R(x) rlx = 0 ← init  p.vm:4: r = load.rlx.i32 x
           5/10  t2.2    W(x) rlx = 1         p.vm:6: store.rlx.i32 x, s
           6/10  t1.2    W(x) rlx = 1         p.vm:6: store.rlx.i32 x, s
           7/10  main.2  join t1              p.vm:13: join a
           8/10  main.3  join t2              p.vm:14: join b
           9/10  main.4  R(x) rlx = 1 ← t1.2  p.vm:15: r = load.rlx.i32 x
        > 10/10  main.5  fails                p.vm:17: assert good, "an update is lost"
    "#]]
    .assert_eq(&format!("{steps}\n"));
    let run = sandbox.run("check --step p.vm");
    assert_eq!(run.stderr, "error: --step needs --replay FILE, which says what to show\n");
}
