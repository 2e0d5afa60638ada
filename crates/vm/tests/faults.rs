//! Programs that are wrong or cannot be checked, and their messages.

mod common;

use atropos_vm::{Config, Vm, text};
use common::{Sc, failure, outcome_of, vm_with};

fn check(body: &str, expected: &str) {
    let source = format!(
        "global x: i32 = 7
         global a: [i32; 4]
         const global k: i32 = 3
         fn f(i) {{ return i }}
         fn deep(i) {{ j = add.i64 i, 1; r = call deep(j); return r }}
         fn main() {{ {body} }}"
    );
    assert_eq!(outcome_of(&source), expected, "{body}");
}

#[test]
fn wrong_accesses() {
    check("r = load.i32 0", "invalid-access: access through a null pointer");
    check("store.i8 4095, 1", "invalid-access: access through a null pointer, at 0xfff");
    check(
        "p = addr a + 4*4; r = load.i32 p",
        "invalid-access: access of 4 bytes at a+16, outside any object",
    );
    check("p = addr a + 14; r = load.i32 p", "invalid-access: access of 4 bytes at a+14, outside any object");
    check(
        "p = addr a - 4; r = load.i32 p",
        "invalid-access: access of 4 bytes at x+1048588, outside any object",
    );
    check("store.i64 x, 1", "invalid-access: access of 8 bytes at x, outside any object");
    check("store.i32 k, 1", "invalid-access: write to the constant k");
    check("r = load.i32 f", "invalid-access: access of 4 bytes at f, outside any object");
    check("r = load.i32 -8", "invalid-access: access of 4 bytes at 0xfffffffffffffff8, outside any object");
    check(
        "p = addr a + 2; r = load.acq.i32 p",
        "invalid-access: atomic access of 4 bytes at a+2, which is not aligned",
    );
    check(
        "private b: 8\n p = addr b + 1; r = load.i64 p",
        "invalid-access: access of 8 bytes at b+1, outside any object",
    );
}

#[test]
fn a_program_may_say_itself_what_is_wrong() {
    check("private b: 8\n store.i8 b, 72; p = addr b + 1; store.i8 p, 105; fail said, b, 2", "assertion: Hi");
    check("v = load.rlx.i32 x; fail said, k, 0", "assertion: ");
}

#[test]
fn what_is_no_lock_is_not_locked() {
    check("lock x", "lock-misuse: lock: the mutex `x` is not initialised");
    check("store.i32 x, 4; lock x", "lock-misuse: lock: the mutex `x` is destroyed");
}

#[test]
fn wrong_calls_and_arithmetic() {
    check("r = sdiv.i32 1, 0", "division-by-zero: division by zero");
    check("r = urem.i32 1, 0x100000000", "division-by-zero: division by zero");
    check("call *x()", "invalid-access: call of 0x10000, which is not a function");
    check("p = f; call *p()", "invalid-access: call with too few arguments");
    check("join 77", "invalid-join: 0x4d is joined or detached, but is not a thread");
    check("v = load.i32 x; c = eq.i32 v, 8; assert c, \"x is 8\"", "assertion: x is 8");
    check("fail unreachable", "unreachable: code that must not be reached");
}

#[test]
fn what_cannot_be_checked_is_said() {
    check(
        "unsupported function, \"printf\"",
        "unsupported: test.vm:6:22: the function `printf` is neither defined nor modelled",
    );
    check("r = call deep(0)", "unsupported: test.vm:5:41: calls are nested too deeply");
    let source = "global p: i64
        fn f() { q = load.i64 p; v = load.i32 q }
        fn main() { private s: 4\n store.i64 p, s; t = spawn f(); join t }";
    let vm = common::vm(source);
    let mut sc = Sc::new(&vm);
    sc.run_all();
    assert_eq!(
        failure(&mut sc, atropos_event::ThreadId::new(1)),
        "unsupported: test.vm:2:34: local 0+0x0 is private to its thread, but another one uses it"
    );
}

#[test]
fn a_thread_that_never_comes_to_a_label_is_stopped() {
    let source = "fn main() { i = 0\n head: i = add.i64 i, 1; goto head }";
    let config = Config { budget: 1000, ..Config::default() };
    let vm = vm_with(source, config.clone());
    let mut sc = Sc::new(&vm);
    let said = failure(&mut sc, atropos_event::ThreadId::MAIN);
    assert!(said.contains("without accessing shared memory"), "{said}");
    let vm = vm_with(source, Config { unroll: Some(10_000), ..config });
    let mut sc = Sc::new(&vm);
    assert_eq!(failure(&mut sc, atropos_event::ThreadId::MAIN), "Blocked(Bound)");
}

#[test]
fn too_many_threads_are_refused() {
    let source = "fn f() { }
        fn main() { i = 0\n head: t = spawn f(); i = add.i64 i, 1; goto head }";
    let said = outcome_of(source);
    assert_eq!(said, "unsupported: test.vm:3:8: more threads than the limit of 1024");
    let source = "fn f() { t = spawn f() }\n fn main() { t = spawn f() }";
    let said = outcome_of(source);
    assert!(said.ends_with("threads create threads too deeply"), "{said}");
}

#[test]
fn modules_that_are_not_well_formed_are_refused() {
    let refused = |source: &str| {
        let module = text::parse("test.vm", source).unwrap();
        let problems = Vm::new(module, Config::default()).err().expect("refused");
        problems.to_string()
    };
    assert_eq!(refused("fn f() { }"), "error: there is no function `main` to start with");
    assert_eq!(
        refused("fn f(a) { }\n fn main() { call f() }"),
        "test.vm:2:14: error: in function `main`: `f` takes 1 arguments, not 0"
    );
    assert_eq!(
        refused("global x: [i64; 99999999999]\n fn main() { }"),
        "error: in global `x`: 799999999992 bytes are over the limit of 68719476736"
    );
    assert_eq!(
        refused("thread_local global t: [i64; 131072]\n fn main() { }"),
        "error: thread-local globals of 1049088 bytes are over the limit of 1048512"
    );
    assert_eq!(
        refused("fn main() { r = bswap.i12 1 }"),
        "test.vm:1:13: error: in function `main`: bytes of i12 cannot be swapped"
    );
}
