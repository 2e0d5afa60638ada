//! What can be wrong with a program: found, or refused where the equivalence cannot tell.

use crate::common::programs::machine;
use atropos_event::{Refusal, RefusalReason, ViolationKind};
use atropos_explore::rvf::Rvf;
use atropos_explore::{Config, Control, Ending, Execution, Observer, Report, search};
use atropos_graph::validate;

#[derive(Default)]
struct Said {
    violations: Vec<ViolationKind>,
    refusals: Vec<Refusal>,
    n_complete: usize,
}

impl Observer for Said {
    fn execution(&mut self, ending: Ending, _execution: Execution<'_>) {
        self.n_complete += usize::from(ending == Ending::Complete);
    }

    fn violation(&mut self, report: Report, execution: Execution<'_>) {
        validate(execution.graph).unwrap_or_else(|broken| panic!("{broken:?}"));
        self.violations.push(report.violation.kind());
    }

    fn refused(&mut self, refusal: Refusal) {
        self.refusals.push(refusal);
    }
}

fn run(text: &str, config: Config) -> Said {
    let program = machine(text);
    let control = Control::default();
    let mut search = search(&program, &Rvf::default(), config, &control, 1, Said::default);
    search.observers.pop().expect("one worker")
}

/// Demands that the search finds exactly this first.
fn check(text: &str, expected: Option<ViolationKind>) {
    let said = run(text, Config::default());
    assert_eq!(said.violations.first().copied(), expected, "{text}");
    assert!(said.refusals.is_empty(), "{:?}", said.refusals);
}

#[test]
fn opposite_locks_deadlock_and_equal_ones_do_not() {
    let program = |first: &str, second: &str| {
        format!(
            "global m: i32\nglobal n: i32\nglobal x: i32
fn one() {{ lock m; lock n; store.sc.i32 x, 1; unlock n; unlock m; return }}
fn two() {{ lock {first}; lock {second}; store.sc.i32 x, 2; unlock {second}; unlock {first}; return }}
threads one(), two()\n"
        )
    };
    check(&program("n", "m"), Some(ViolationKind::Deadlock));
    check(&program("m", "n"), None);
}

#[test]
fn a_lock_that_is_never_released_is_a_deadlock() {
    let text = "global m: i32\nfn work() { lock m; return }\nthreads work(), work()\n";
    check(text, Some(ViolationKind::Deadlock));
}

#[test]
fn a_lock_of_a_mutex_that_others_store_to_may_wait_forever() {
    // The store frees the mutex if it comes late.
    let text = "global m: i32
fn free() { store.sc.i32 m, 0; return }
fn work() { lock m; return }
fn main() { t = spawn free(); lock m; u = spawn work(); join t; join u; return }\n";
    check(text, Some(ViolationKind::Deadlock));
}

#[test]
fn a_thread_that_waits_for_a_mutex_taken_later_may_wait_forever() {
    let text = "global m: i32\nglobal x: i32
fn once() { lock m; unlock m; return }
fn take() { a = load.sc.i32 x; if not a goto end; lock m; end: return }
fn set() { store.sc.i32 x, 1; return }
threads once(), take(), set()\n";
    check(text, Some(ViolationKind::Deadlock));
}

#[test]
fn while_one_waits_for_a_mutex_its_holder_sees_what_was_written_before() {
    let text = "global m: i32\nglobal x: i32\nglobal y: i32
fn wait() { a = load.sc.i32 x; a = add.i32 a, 1; store.sc.i32 y, a; lock m; unlock m; return }
fn hold() { lock m; store.sc.i32 x, 1; b = load.sc.i32 y; c = ne.i32 b, 2; assert c, \"two\"; unlock m; return }
threads wait(), hold()\n";
    check(text, Some(ViolationKind::Assertion));
}

#[test]
fn a_thread_that_waits_for_a_mutex_elsewhere_takes_it_from_one_that_tries_it() {
    let text = "global m: i32
fn one() { a = trylock m; assert a, \"taken\"; return }
fn two() { lock m; return }
threads one(), two()\n";
    let said = run(text, Config { keep_going: true, ..Config::default() });
    assert!(said.violations.contains(&ViolationKind::Assertion), "{:?}", said.violations);
}

#[test]
fn a_rare_value_fails_an_assertion() {
    let text = "global x: i32\nglobal y: i32
fn one() { store.sc.i32 x, 1; a = load.sc.i32 y; store.sc.i32 x, a; return }
fn two() { store.sc.i32 y, 2; store.sc.i32 y, 3; return }
fn three() { a = load.sc.i32 x; c = ne.i32 a, 2; assert c, \"two\"; return }
threads one(), two(), three()\n";
    check(text, Some(ViolationKind::Assertion));
}

#[test]
fn a_loop_that_waits_for_a_write_terminates_and_one_that_waits_for_none_does_not() {
    let program = |value: u32| {
        format!(
            "global x: i32
fn wait() {{ again: a = load.sc.i32 x; c = eq.i32 a, 1; if not c goto again; return }}
fn set() {{ store.sc.i32 x, {value}; return }}
threads wait(), set()\n"
        )
    };
    check(&program(1), None);
    check(&program(2), Some(ViolationKind::NonTermination));
}

#[test]
fn an_assumption_blocks_and_is_no_deadlock() {
    let text = "global x: i32
fn one() { a = load.sc.i32 x; assume a; return }
fn two() { store.sc.i32 x, 1; return }
threads one(), two()\n";
    check(text, None);
    assert_eq!(run(text, Config::default()).n_complete, 1);
}

#[test]
fn memory_freed_after_joins_is_judged_and_otherwise_a_misuse_is_shown_or_the_program_refused() {
    let program = |middle: &str, worker: &str| {
        format!(
            "global flag: i32
fn work(p) {{ store.sc.i32 p, 1; {worker} return }}
fn main() {{ p = malloc 4; t = spawn work(p); {middle} free p; return }}\n"
        )
    };
    check(&program("join t;", ""), None);
    check(&program("", ""), Some(ViolationKind::UseAfterFree));
    let by_flag = program("a = load.sc.i32 flag; assume a;", "store.sc.i32 flag, 1;");
    let said = run(&by_flag, Config::default());
    assert!(
        said.violations.is_empty() && matches!(said.refusals[0].reason, RefusalReason::FreedAndShared { .. }),
        "{:?}",
        said.refusals
    );
}

#[test]
fn memory_that_was_never_written_is_found_although_its_bytes_are_zero() {
    let text = "global q: i64
fn work() { p = load.sc.i64 q; assume p; a = load.sc.i32 p; return }
fn main() { t = spawn work(); p = malloc 4; store.sc.i64 q, p; store.sc.i32 p, 0; join t; return }\n";
    check(text, Some(ViolationKind::Uninitialised));
}

#[test]
fn the_search_stops_on_request() {
    let text = crate::common::programs::unverif(4);
    let config = Config { max_executions: Some(5), ..Config::default() };
    assert!(run(&text, config).n_complete <= 5);
}
