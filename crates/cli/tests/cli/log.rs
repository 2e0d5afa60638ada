//! The log of what a search does.

use super::run::{Run, Sandbox};
use expect_test::{Expect, expect};

/// A read that a later write revisits.
const READ_WRITE: &str = "\
global x: i32 = 0

fn reader() {
  r = load.rlx.i32 x
  return
}

fn writer() {
  store.rlx.i32 x, 1
  return
}

threads reader(), writer()
";

/// A mutex for which one thread waits.
const LOCKED: &str = include_str!("../../../../corpus/vm/locked_counter.vm");

/// Checks `program` with `ATROPOS_LOG=filter`.
fn run(program: &str, options: &str, filter: &str) -> Run {
    let sandbox = Sandbox::new().with("p.vm", program);
    let mut command = sandbox.command(&format!("check --jobs 1 {options} p.vm"));
    Run::of(command.env("ATROPOS_LOG", filter).output().unwrap())
}

/// The whole log of a check of `program`.
fn check(program: &str, options: &str, filter: &str, expected: Expect) {
    let run = run(program, options, filter);
    assert_eq!(run.exit, Some(0), "{run:?}");
    expected.assert_eq(&run.stderr);
}

#[test]
fn trust_logs_steps_choices_and_revisits() {
    check(
        READ_WRITE,
        "--equivalence co",
        "trace",
        expect![[r#"
        trace trust: add 0[0] spawn 0.1
        trace trust: add 0.1[0] begin
        trace trust: add 0[1] spawn 0.2
        trace trust: add 0.2[0] begin
        trace trust: add 0.1[1] R(x) rlx = 0 from init
        trace trust: choose 1 of 2 for 0.2[1] W(x) rlx = 1: place 1
        trace trust: add 0.2[1] W(x) rlx = 1 at place 1 of 1
        debug trust: execution 1 ends: complete
        trace trust: choose 2 of 2 for 0.2[1] W(x) rlx = 1: revisit 0.1[1]
        debug trust: 0.2[1] W(x) rlx = 1 revisits 0.1[1] R(x) rlx, deletes nothing
        trace trust: add 0.2[1] W(x) rlx = 1 at place 1 of 1
        debug trust: execution 2 ends: complete
    "#]],
    );
}

#[test]
fn rcmc_logs_steps_choices_and_revisits() {
    check(
        READ_WRITE,
        "--algorithm rcmc",
        "trace",
        expect![[r#"
        trace rcmc: add 0[0] spawn 0.1
        trace rcmc: add 0[1] spawn 0.2
        trace rcmc: add 0.1[0] begin
        trace rcmc: add 0.1[1] R(x) rlx = 0 from init
        trace rcmc: add 0.1[2] end
        trace rcmc: add 0[2] join 0.1
        trace rcmc: add 0.2[0] begin
        trace rcmc: add 0.2[1] W(x) rlx = 1 at place 1 of 1
        trace rcmc: add 0.2[2] end
        trace rcmc: add 0[3] join 0.2
        trace rcmc: add 0[4] end
        debug rcmc: execution 1 ends: complete
        trace rcmc: add 0.2[1] W(x) rlx = 1 at place 1 of 1
        debug rcmc: 0.2[1] W(x) rlx = 1 revisits 0.1[1], deletes 0.1[2] 0[2]
        trace rcmc: add 0.1[2] end
        trace rcmc: add 0[2] join 0.1
        trace rcmc: add 0.2[2] end
        trace rcmc: add 0[3] join 0.2
        trace rcmc: add 0[4] end
        debug rcmc: execution 2 ends: complete
        trace rcmc: add 0.2[1] W(x) rlx = 1 at place 1 of 1
        trace rcmc: no other reads to revisit
    "#]],
    );
}

#[test]
fn tracer_logs_steps_and_schedules() {
    check(
        READ_WRITE,
        "--algorithm tracer --model ra",
        "trace",
        expect![[r#"
        trace tracer: add 0[0] spawn 0.1
        trace tracer: add 0[1] spawn 0.2
        trace tracer: add 0.1[0] begin
        trace tracer: add 0.1[1] R(x) rlx = 0 from init
        trace tracer: add 0.2[0] begin
        trace tracer: add 0.2[1] W(x) rlx = 1
        debug tracer: execution 1 ends: complete
        debug tracer: 0.2[1] W(x) rlx = 1 comes too late for 0.1[1]: a schedule is left there
        debug tracer: 0.2[1] serves 0.1[1], after 2 steps
        trace tracer: add 0.2[0] begin
        trace tracer: add 0.2[1] W(x) rlx = 1
        trace tracer: add 0.1[1] R(x) rlx = 1 from 0.2[1]
        debug tracer: execution 2 ends: complete
    "#]],
    );
}

#[test]
fn source_dpor_logs_steps_and_races() {
    check(
        READ_WRITE,
        "--algorithm source-dpor --model sc",
        "trace",
        expect![[r#"
        trace dpor: step 0: 0 spawn 0.1
        trace dpor: step 1: 0 spawn 0.2
        trace dpor: step 2: 0.1 begin
        trace dpor: step 3: 0.1 R(x) rlx = 0 from init
        trace dpor: step 4: 0.2 begin
        trace dpor: step 5: 0.2 W(x) rlx = 1
        debug dpor: race of step 3 (0.1 R(x) rlx) with step 5 (0.2 W(x) rlx = 1): 0.2 goes first there
        debug dpor: execution 1 ends: complete
        trace dpor: back to step 3: 0.2 goes first
        trace dpor: step 3: 0.2 begin
        trace dpor: step 4: 0.2 W(x) rlx = 1
        trace dpor: step 5: 0.1 R(x) rlx = 1 from step 4
        debug dpor: race of step 4 (0.2 W(x) rlx = 1) with step 5 (0.1 R(x) rlx): 0.1 goes first there
        debug dpor: execution 2 ends: complete
    "#]],
    );
}

#[test]
fn optimal_dpor_logs_buffers_too() {
    check(
        READ_WRITE,
        "--algorithm optimal-dpor --model tso",
        "trace",
        expect![[r#"
        trace dpor: step 0: 0 spawn 0.1
        trace dpor: step 1: 0 spawn 0.2
        trace dpor: step 2: 0.1 begin
        trace dpor: step 3: 0.1 R(x) rlx = 0 from init
        trace dpor: step 4: 0.2 begin
        trace dpor: step 5: 0.2 W(x) rlx = 1, into the buffer
        trace dpor: step 6: 0.2's buffer W(x) rlx = 1, issued by step 5
        debug dpor: execution 1 ends: complete
        debug dpor: race of step 3 (0.1 R(x) rlx) with step 6 (0.2's buffer W(x) rlx = 1): 0.2, 0.2, 0.2's buffer go first there
        trace dpor: back to step 3: 0.2 goes first
        trace dpor: step 3: 0.2 begin
        trace dpor: step 4: 0.2 W(x) rlx = 1, into the buffer
        trace dpor: step 5: 0.2's buffer W(x) rlx = 1, issued by step 4
        trace dpor: step 6: 0.1 R(x) rlx = 1 from step 4
        debug dpor: execution 2 ends: complete
    "#]],
    );
}

#[test]
fn rvf_logs_steps_and_values() {
    check(
        READ_WRITE,
        "--algorithm rvf --model sc",
        "trace",
        expect![[r#"
        trace rvf: add 0[0] spawn 0.1
        trace rvf: add 0[1] spawn 0.2
        trace rvf: add 0.2[0] begin
        trace rvf: add 0.2[1] W(x) rlx = 1
        trace rvf: add 0.2[2] end
        trace rvf: add 0.1[0] begin
        trace rvf: choose 1 of 2 for 0.1[1] R(x) rlx: value 1
        trace rvf: add 0.1[2] end
        trace rvf: add 0[2] join 0.1
        trace rvf: add 0[3] join 0.2
        trace rvf: add 0[4] end
        debug rvf: execution 1 ends: complete
        trace rvf: choose 2 of 2 for 0.1[1] R(x) rlx: value 0
        trace rvf: add 0.1[2] end
        trace rvf: add 0[2] join 0.1
        trace rvf: add 0[3] join 0.2
        trace rvf: add 0[4] end
        debug rvf: execution 2 ends: complete
    "#]],
    );
}

#[test]
fn restarts_and_lessons_are_logged() {
    check(
        LOCKED,
        "--reduce none",
        "debug",
        expect![[r#"
        debug trust: 0.2[2] W(m) rlx = 1 revisits 0.1[1] R(m) acq (cas 0 to 1), deletes 0.1[2] 0.1[3] 0.1[4] 0.1[5]
        debug restart: threads wait for the mutex m
        debug restart: the search starts over
        debug trust: 0.2[2] W(m) rlx = 1 revisits 0.1[1] R(m) acq (cas 0 to 1), deletes 0.1[2] 0.1[3] 0.1[4] 0.1[5]
        debug trust: abandoned: a waiting thread misses the release 0.2[5] W(m) rel = 0
        debug trust: 0.2[5] W(m) rel = 0 revisits 0.1[1] R(m) acq (cas 0 to 1), deletes nothing
        debug trust: execution 1 ends: complete
        debug trust: abandoned: an overwritten value blocks 0.2[1] R(m) acq (cas 0 to 1) = 1 from 0.1[2]
        debug trust: execution 2 ends: complete
    "#]],
    );
    check(
        LOCKED,
        "--algorithm tracer --model ra",
        "debug",
        expect![[r#"
        debug tracer: 0.2[2] W(m) rlx = 1 comes too late for 0.1[1]: a schedule is left there
        debug restart: threads wait for the mutex m
        debug tracer: abandoned: an overwritten value blocks 0.2[1] R(m) acq (cas 0 to 1) = 1 from 0.1[2]
        debug restart: the search starts over
        debug tracer: 0.2[2] W(m) rlx = 1 comes too late for 0.1[1]: a schedule is left there
        debug tracer: abandoned: an overwritten value blocks 0.2[1] R(m) acq (cas 0 to 1) = 1 from 0.1[2]
        debug tracer: execution 1 ends: complete
        debug tracer: 0.2[2] serves 0.1[1], after 2 steps
        debug tracer: 0.1[1] would wait, and is left for later
        debug tracer: abandoned: an overwritten value blocks 0.1[1] R(m) acq (cas 0 to 1) = 1 from 0.2[2]
        debug tracer: execution 2 ends: complete
    "#]],
    );
    check(
        LOCKED,
        "--algorithm rvf --model sc",
        "rvf=debug",
        expect![[r#"
        debug rvf: execution 1 ends: complete
        debug rvf: execution 2 ends: complete
    "#]],
    );
}

#[test]
fn targets_are_filtered() {
    check(
        LOCKED,
        "--reduce none",
        "restart=debug",
        expect![[r#"
        debug restart: threads wait for the mutex m
        debug restart: the search starts over
    "#]],
    );
    check(LOCKED, "", "rcmc=trace", expect![""]);
    check(LOCKED, "", "off", expect![""]);
    let run = run(LOCKED, "", "trust=loud");
    assert_eq!(run.exit, Some(2));
    expect![[r#"
        error: ATROPOS_LOG=trust=loud: error parsing logger filter: invalid logging spec 'loud'
    "#]]
    .assert_eq(&run.stderr);
}

#[test]
fn a_filter_without_effect_is_an_error() {
    for filter in ["debgu", "turst=trace", "off,source-dpor=debug"] {
        let run = run(LOCKED, "", filter);
        assert_eq!(run.exit, Some(2), "{filter}");
        assert!(run.stderr.starts_with(&format!("error: ATROPOS_LOG={filter}: ")), "{}", run.stderr);
        assert!(run.stderr.contains("trust, rcmc, tracer, dpor, rvf"), "{}", run.stderr);
    }
    for filter in ["", "TRACE", "trust", "dpor=off,debug/violation"] {
        assert_eq!(run(LOCKED, "", filter).exit, Some(0), "{filter}");
    }
}

#[test]
fn the_switch_asks_for_the_log() {
    let sandbox = Sandbox::new().with("p.vm", READ_WRITE);
    let log = |args: &str| sandbox.run(&format!("check --jobs 1 {args} p.vm")).stderr;
    assert_eq!((log(""), log("-v")), (String::new(), String::new()));
    assert!(log("-vv").lines().all(|line| line.starts_with("debug trust: ")));
    assert!(log("-vvv --format json").contains("trace trust: add 0.1[0] begin"));
    assert!(!log("-v --format json").contains("trust"), "without a log, JSON has everything");
}

#[test]
fn workers_have_names() {
    let sandbox = Sandbox::new().with("p.vm", super::run::LONG);
    let log = sandbox.run("check --jobs 2 --max-executions 100000 -vv p.vm").stderr;
    assert!(log.contains(" worker 1: "), "every worker has a name");
    assert!(log.contains("gives away the part below"), "the other one gets something to do");
}

/// A reader and a writer with two busy threads between them: it is cheaper if they are neighbours.
#[test]
fn a_cheaper_order_of_threads_is_logged() {
    let function = |name: &str, line: &str, n_times: usize| {
        format!("fn {name}() {{\n{}  return\n}}\n\n", format!("  {line}\n").repeat(n_times))
    };
    let program = [
        "global x: i32 = 0\nglobal y: i32 = 0\nglobal z: i32 = 0\n\n".to_string(),
        function("reader", "r = load.rlx.i32 x", 6),
        function("aside_y", "store.rlx.i32 y, 1", 15),
        function("aside_z", "store.rlx.i32 z, 1", 15),
        function("writer", "store.rlx.i32 x, 1", 6),
        "threads reader(), aside_y(), aside_z(), writer()\n".to_string(),
    ]
    .concat();
    for options in ["", "--algorithm tracer --model ra"] {
        check(
            &program,
            options,
            "restart=debug",
            expect![[r#"
            debug restart: a cheaper order of threads: 0 0.2 0.3 0.1 0.4
            debug restart: the search starts over
        "#]],
        );
    }
}
