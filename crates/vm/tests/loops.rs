//! Idle iterations and loop bounds.

mod common;

use atropos_event::{BlockReason, Program, Run, Step, ThreadId};
use atropos_vm::{Config, LoopBound};
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
            vm.bounded_loops().iter().map(|l| l.place.source.as_ref().unwrap().line).collect();
        assert_eq!(lines, if unroll == 1 { vec![4] } else { vec![] });
    }
}

/// Two loops, each of which runs three times. They are repeated at lines 8 and 11.
const NESTED: &str = "global x: i32
    fn main() {
        i = 0
        outer: j = 0
        inner: r = load.rlx.i32 x
        j = add.i64 j, 1
        c = ult.i64 j, 3
        if c goto inner
        i = add.i64 i, 1
        c = ult.i64 i, 3
        if c goto outer
    }";

#[test]
fn a_bound_may_be_for_the_loop_at_one_line() {
    let bounded = |unroll: Option<u32>, bounds: &[(u32, u32)]| {
        let file = || "test.vm".to_string();
        let bounds = bounds.iter().map(|&(line, times)| LoopBound { file: file(), line, times });
        let vm = vm_with(NESTED, Config { unroll, loop_bounds: bounds.collect(), ..Config::default() });
        let is_stopped = match Sc::new(&vm).run_thread(ThreadId::MAIN) {
            Step::Finished => false,
            step => step == Step::Blocked(BlockReason::Bound),
        };
        assert_eq!(is_stopped, vm.was_cut());
        let loops = vm.bounded_loops();
        loops.iter().map(|l| (l.place.source.as_ref().unwrap().line, l.times)).collect::<Vec<_>>()
    };
    assert_eq!(bounded(None, &[(8, 1)]), [(8, 1)]);
    assert_eq!(bounded(None, &[(11, 1)]), [(11, 1)]);
    assert_eq!(bounded(None, &[(8, 2), (11, 2)]), []);
    assert_eq!(bounded(None, &[(8, 2), (11, 0)]), [(11, 0)]);
    assert_eq!(bounded(Some(2), &[(8, 1)]), [(8, 1)], "a bound of its own is stronger");
    assert_eq!(bounded(Some(1), &[(8, 2)]), [(11, 1)], "the others have the bound for all");
    assert_eq!(bounded(None, &[(6, 1)]), [(8, 1)], "the innermost loop around the line");
    assert_eq!(bounded(None, &[(9, 1)]), [(11, 1)], "the only loop around the line");
    assert_eq!(bounded(None, &[(3, 0)]), [], "no loop is there");
}

#[test]
fn bounds_without_a_loop_are_known() {
    let bound = |file: &str, line| LoopBound { file: file.to_string(), line, times: 1 };
    let loop_bounds = vec![bound("test.vm", 3), bound("other.vm", 8), bound("/some/where/test.vm", 8)];
    let vm = vm_with(NESTED, Config { loop_bounds, ..Config::default() });
    assert_eq!(vm.idle_bounds().collect::<Vec<_>>(), [&bound("test.vm", 3), &bound("other.vm", 8)]);
}

/// So that a report can name it; a loop without accesses is not why an execution is long.
#[test]
fn the_loop_with_the_most_iterations_is_known() {
    let source = "global x: i32
        fn main() {
            i = 0
            silent: i = add.i64 i, 1
            c = ult.i64 i, 5000
            if c goto silent
            i = 0
            reads: r = load.rlx.i32 x
            i = add.i64 i, 1
            c = ult.i64 i, 1000
            if c goto reads
        }";
    let vm = vm_with(source, Config::default());
    assert_eq!(vm.longest_loop(), None);
    assert_eq!(Sc::new(&vm).run_thread(ThreadId::MAIN), Step::Finished);
    let (place, n_iterations) = vm.longest_loop().expect("it ran often");
    assert_eq!((place.source.unwrap().line, n_iterations), (11, 512));
    let other = vm_with(source, Config::default());
    vm.notes().split_whitespace().for_each(|word| assert_eq!(other.recall(word), Some(())));
    assert_eq!(other.longest_loop(), vm.longest_loop());
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

#[test]
fn a_load_at_the_bottom_waits_like_one_at_the_top() {
    // The first load counts as an iteration.
    check("a = load.acq.i32 x; head: if a goto out; a = load.acq.i32 x; goto head; out: return", spin(1));
    // It does not if something else depends on it, or if it is stronger than the one in the loop.
    let doubled = "a = load.acq.i32 x; b = add.i32 a, 1
        head: if a goto out; a = load.acq.i32 x; goto head
        out: store.i32 y, b";
    check(doubled, spin(1));
    let vm =
        vm_with(&format!("global x: i32\n global y: i32\n fn main() {{ {doubled} }}"), Config::default());
    let mut sc = Sc::new(&vm);
    sc.run_thread(ThreadId::MAIN);
    assert_eq!(sc.trace.len(), 2);
}

#[test]
fn a_load_of_private_memory_at_the_bottom_is_no_read() {
    let body = "private n: 4
        store.i32 n, 1; p = n; a = load.acq.i32 n; head: if not a goto out; a = load.acq.i32 n; goto head; out: return";
    check(body, spin(0));
    let by_address = "private n: 4
        r = load.acq.i32 x
        store.i32 n, 1; p = n; a = load.acq.i32 p; head: if not a goto out; a = load.acq.i32 p; goto head; out: return";
    check(by_address, spin(0));
}

#[test]
fn states_that_go_in_a_circle_spin() {
    let circle = |n: u32| {
        format!(
            "i = 0; head: r = load.acq.i32 x; if r goto out; i = add.i32 i, 1; c = ult.i32 i, {n}; if c goto head
             i = 0; goto head; out: return"
        )
    };
    check(&circle(1), spin(1));
    check(&circle(3), spin(3));
    check(&circle(10), spin(10));
}

/// What the thread does when its reads get these values.
fn answered(body: &str, values: &[u64], config: Config) -> Step {
    let source = format!("global x: i32\n global y: i32\n fn main() {{ {body} }}");
    let vm = vm_with(&source, config);
    let mut run = vm.start_run();
    for &value in values {
        run.resume(ThreadId::MAIN, value);
    }
    run.pending(ThreadId::MAIN)
}

#[test]
fn a_failed_cas_with_the_value_seen_is_not_tried_again() {
    const RETRY: &str =
        "head: old, ok = cas.acq.rlx.i32 x, r, 9; if ok goto out; r = old; goto head; out: return";
    let retried = Step::Blocked(BlockReason::Retry);
    let goes_on = |step: Step| assert!(matches!(step, Step::Do(_)), "{step:?}");
    let default = Config::default;
    let first = |load: &str| format!("{load}; {RETRY}");
    assert_eq!(answered(&first("r = load.rlx.i32 x"), &[5, 7], default()), retried);
    // With the value expected it succeeds, of course.
    goes_on(answered(&first("r = load.rlx.i32 x"), &[5, 5], default()));
    goes_on(answered(&first("r = load.rlx.i32 x"), &[5, 7], Config { cuts_retries: false, ..default() }));
    // The load reads something else, is stronger, or is not the last thing before the loop.
    goes_on(answered(&first("r = load.rlx.i32 y"), &[5, 7], default()));
    goes_on(answered(&first("r = load.acq.i32 x"), &[5, 7], default()));
    goes_on(answered(&first("r = load.rlx.i32 x; t = load.rlx.i32 y"), &[5, 1, 7], default()));
    goes_on(answered(&first("r = load.rlx.i32 x; if r goto head; return"), &[5, 7], default()));
    // Something else depends on the load, or changes in the loop.
    let also = "r = load.rlx.i32 x; d = add.i32 r, 1
        head: old, ok = cas.acq.rlx.i32 x, r, d; if ok goto out; r = old; goto head; out: return";
    goes_on(answered(also, &[5, 7], default()));
    let counts = "i = 0; r = load.rlx.i32 x
        head: old, ok = cas.acq.rlx.i32 x, r, i; if ok goto out; r = old; i = add.i32 i, 1; goto head; out: return";
    goes_on(answered(counts, &[5, 7], default()));
    // It does not take the value that was seen, or has written something.
    let other = "r = load.rlx.i32 x
        head: old, ok = cas.acq.rlx.i32 x, r, 9; if ok goto out; r = 3; goto head; out: return";
    goes_on(answered(other, &[5, 7], default()));
    let computed = "r = load.rlx.i32 x
        head: n = add.i32 r, 1; old, ok = cas.acq.rlx.i32 x, r, n; if ok goto out; r = old; goto head; out: return";
    assert_eq!(answered(computed, &[5, 7], default()), retried);
    let writes = "r = load.rlx.i32 x
        head: store.rlx.i32 y, r; old, ok = cas.acq.rlx.i32 x, r, 9; if ok goto out; r = old; goto head; out: return";
    goes_on(answered(writes, &[5, 0, 7], default()));
}

#[test]
fn sections_that_only_read_are_idle() {
    let spins = |body: &str, reads: u32| {
        let source = format!("global x: i32\n global m: i32\n global n: i32\n fn main() {{ {body} }}");
        let vm = vm_with(&source, Config { unroll: Some(20), ..Config::default() });
        let expected = if reads == 0 { bounded() } else { spin(reads) };
        assert_eq!(Sc::new(&vm).run_thread(ThreadId::MAIN), expected, "{body}");
    };
    spins("head: lock m; r = load.i32 x; unlock m; if not r goto head", 2);
    spins("head: lock m; lock n; r = load.i32 x; unlock m; unlock n; if not r goto head", 3);
    // It writes what is there, and no other thread writes there.
    spins("head: lock m; r = load.i32 x; store.i32 x, r; unlock m; if not r goto head", 2);
    // Another thread that tries to lock would see that the mutex is held, but what it does then is seen where it tries.
    spins("head: lock m; r = load.i32 x; unlock m; if not r goto head; r = trylock n", 2);
    // It writes something else; it releases what it held before; another thread may see that the mutex is held.
    let counts = "s = load.i32 n; s = add.i32 s, 1; store.i32 n, s";
    spins(&format!("head: lock m; r = load.i32 x; {counts}; unlock m; if not r goto head"), 0);
    spins("lock m; head: unlock m; lock m; r = load.i32 x; if not r goto head", 0);
    spins("lock n; head: lock m; r = load.i32 x; unlock m; if not r goto head", 0);
    spins("head: lock m; r = load.i32 x; unlock m; if not r goto head; r = load.i32 m", 0);
    spins("p = add.i64 m, 0; head: lock m; r = load.i32 x; unlock m; if not r goto head; r = load.i32 p", 0);
}

/// A loop that counts goes on until its bound; one whose counter goes in a circle, or stands still, is idle.
#[test]
fn only_a_register_that_always_grows_counts_iterations() {
    check("n = 0; head: r = load.acq.i32 x; n = add.i32 n, 1; if not r goto head", bounded());
    check("n = 0; head: r = load.acq.i32 x; a = n; b = sub.i32 a, 1; n = b; if not r goto head", bounded());
    let sometimes = "n = 0
        head: r = load.acq.i32 x
          if not r goto on
          n = add.i32 n, 1
        on: s = add.i32 n, r
          if not s goto head";
    check(sometimes, spin(1));
    let stale = "n = 0; o = 0
        head: r = load.acq.i32 x
          if not r goto on
          o = add.i32 n, 1
        on: n = o
          s = add.i32 n, r
          if not s goto head";
    check(stale, spin(1));
    check("n = 0; head: r = load.acq.i32 x; n = add.i8 n, 128; if not r goto head", spin(2));
}
