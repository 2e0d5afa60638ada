//! Idle iterations and loop bounds.

mod common;

use atropos_event::{BlockReason, Program, Run, Step, ThreadId};
use atropos_vm::Config;
use common::{Sc, vm_with};

/// How the main thread of a program stops if no other thread acts.
fn check(body: &str, expected: Step) {
    let source = format!(
        "global x: i32\n global y: i32\n global m: i32\n fn get(p) {{ r = load.acq.i32 p; return r }}\n fn main() {{ {body} }}"
    );
    let vm = vm_with(&source, Config { unroll: Some(100), ..Config::default() });
    let mut sc = Sc::new(&vm);
    assert_eq!(sc.run_thread(ThreadId::MAIN), expected, "{body}");
}

fn spin(reads: u32) -> Step {
    Step::Blocked(BlockReason::Spin { reads })
}

#[test]
fn loops_that_wait_for_a_value_spin() {
    check("head: r = load.acq.i32 x; if not r goto head", spin(1));
    check("head: r = call get(x); if not r goto head", spin(1));
    check("head: a = load.rlx.i32 x; b = load.rlx.i32 y; s = add.i32 a, b; if not s goto head", spin(2));
    check("head: goto head", spin(0));
    check("head: fence.sc; r = load.acq.i32 x; if not r goto head", spin(1));
}

#[test]
fn test_and_test_and_set() {
    let body = "store.i32 x, 1
        retry: r = load.rlx.i32 x
          if r goto retry
          _, ok = cas.acq.rlx.i32 x, 0, 1
          if not ok goto retry";
    check(body, spin(1));
}

#[test]
fn a_failing_cas_is_a_read_and_a_succeeding_one_is_a_write() {
    check("head: old, ok = cas.acq.rlx.i32 x, 1, 2; if not ok goto head", spin(1));
    check("head: r = trylock m; s = trylock m; unlock m; if not s goto head", bounded());
}

#[test]
fn a_read_modify_write_that_changes_nothing_is_idle() {
    check("store.i32 x, 1; head: old = rmw.xchg.acq.i32 x, 1; if old goto head", spin(1));
    check("head: old, ok = cas.acq.rlx.i32 x, 0, 0; if ok goto head", spin(1));
    check("head: old = rmw.add.acq.i32 x, 0; if not old goto head", spin(1));
    check("store.i32 x, 1; head: old = rmw.add.acq.i32 x, 1; if old goto head", bounded());
    check(
        "store.i32 x, 1; head: r = load.acq.i32 x; r = xor.i32 r, 3; old = rmw.xchg.acq.i32 x, r; if old goto head",
        bounded(),
    );
}

/// Loops that write continue until their bound.
fn bounded() -> Step {
    Step::Blocked(BlockReason::Bound)
}

#[test]
fn counters_and_growing_states_do_not_spin() {
    check(
        "i = 0; head: r = load.acq.i32 x; i = add.i64 i, 1; c = ult.i64 i, 10; if c goto head",
        Step::Finished,
    );
    let private = "private n: 4
        head: r = load.acq.i32 x
        i = load.i32 n; i = add.i32 i, 1; store.i32 n, i
        c = ult.i64 i, 10; if c goto head";
    check(private, Step::Finished);
}

#[test]
fn dead_registers_and_restored_private_memory_do_not_matter() {
    // `junk` differs between arrivals, but is not read again.
    check("junk = 5; head: t = junk; junk = load.rlx.i32 x; if not junk goto head", spin(1));
    check(
        "private flag: 4
         head: store.i32 flag, 1; r = load.acq.i32 x; if r goto done; store.i32 flag, 0; goto head
         done: return",
        spin(1),
    );
}

#[test]
fn an_inner_loop_starts_afresh_each_time_it_is_entered() {
    let body = "i = 0
        outer: j = 0
        inner: r = load.rlx.i32 x; j = add.i64 j, 1; c = ult.i64 j, 3; if c goto inner
        i = add.i64 i, 1; c = ult.i64 i, 3; if c goto outer";
    let source = format!("global x: i32\n fn main() {{ {body} }}");
    for (unroll, expected) in
        [(3, Step::Finished), (2, Step::Finished), (1, Step::Blocked(BlockReason::Bound))]
    {
        let vm = vm_with(&source, Config { unroll: Some(unroll), ..Config::default() });
        let mut sc = Sc::new(&vm);
        assert_eq!(sc.run_thread(ThreadId::MAIN), expected, "{unroll}");
        let lines: Vec<u32> =
            vm.bounded_loops().iter().map(|place| place.source.as_ref().unwrap().line).collect();
        assert_eq!(lines, if unroll == 1 { vec![4] } else { vec![] });
    }
}

#[test]
fn irreducible_loops_are_loops_too() {
    // Two entries into one cycle.
    let body = "r = load.rlx.i32 y; if r goto b
        a: r = load.rlx.i32 x; if r goto out
        b: s = load.rlx.i32 x; if not s goto a
        out: return";
    check(body, spin(2));
}

#[test]
fn detection_can_be_switched_off() {
    let source = "global x: i32\n fn main() { head: r = load.acq.i32 x; if not r goto head }";
    let config = Config { detect_spin: false, unroll: Some(20), ..Config::default() };
    let vm = vm_with(source, config);
    let mut sc = Sc::new(&vm);
    assert_eq!(sc.run_thread(ThreadId::MAIN), Step::Blocked(BlockReason::Bound));
    assert_eq!(sc.trace.len(), 21);
    assert_eq!(sc.run.place(ThreadId::MAIN).text, "r = load.acq.i32 x");
}
