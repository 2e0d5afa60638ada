//! Whole programs under sequential consistency: what each part of the machine computes.

mod common;

use atropos_event::{AllocKind, BlockReason, Label, Run, Step, ThreadId};
use common::{Sc, outcome_of, result_of, vm};

#[test]
fn loops_calls_and_recursion() {
    let source = "
        global result: i64
        fn fib(n) {
          c = ult.i64 n, 2
          if c goto base
          a = sub.i64 n, 1
          b = sub.i64 n, 2
          x = call fib(a)
          y = call fib(b)
          s = add.i64 x, y
          return s
        base:
          return n
        }
        fn main() {
          r = call fib(15)
          store.i64 result, r
        }";
    assert_eq!(result_of(source), 610);
}

#[test]
fn indirect_calls_and_switches() {
    let source = "
        global result: i64
        const global table: [ptr; 3] = { &one, &two, &three }
        fn one() { return 1 }
        fn two() { return 20 }
        fn three() { return 300 }
        fn main() {
          i = 0
          sum = 0
        head:
          p = addr table + i*8
          f = load.i64 p
          v = call *f()
          switch.i32 v { 1: small, 20: middle, else: big }
        small:
          v = 4; goto add
        middle:
          v = 50; goto add
        big:
          v = 600
        add:
          sum = add.i64 sum, v
          i = add.i64 i, 1
          c = ult.i64 i, 3
          if c goto head
          store.i64 result, sum
        }";
    assert_eq!(result_of(source), 654);
    let vm = vm(source);
    let mut sc = Sc::new(&vm);
    sc.run_all();
    let labels = sc.labels_of(ThreadId::MAIN);
    assert_eq!(labels.len(), 2, "reading a constant makes no event: {labels:?}");
}

#[test]
fn calls_may_leave_out_optional_parameters() {
    let source = "
        global result: i64
        const global table: [ptr; 1] = { &sum }
        fn sum(a, b = 0, c = 0) { r = add.i64 a, b; r = add.i64 r, c; return r }
        fn main() {
          x = call sum(1)
          y = call sum(20, 30)
          f = load.i64 table
          z = call *f(400, 500, 600, 700)
          s = call *f(5000)
          s = call sum(s, x, y)
          s = add.i64 s, z
          store.i64 result, s
        }";
    assert_eq!(result_of(source), 6551);
}

#[test]
fn private_arrays_make_no_events_and_are_kept_apart() {
    let source = "
        global result: i64
        fn sum(p, n) {
          private scratch: 100
          s = 0
        head:
          if not n goto done
          n = sub.i64 n, 1
          q = addr p + n*2 + 1
          v = load.i16 q
          s = add.i64 s, v
          w = addr scratch + n
          store.i64 w, s
          goto head
        done:
          return s
        }
        fn main() {
          private a: 1001
          i = 0
        head:
          p = addr a + i*2 + 1
          store.i16 p, i
          i = add.i64 i, 1
          c = ult.i64 i, 50
          if c goto head
          s = call sum(a, 50)
          store.i64 result, s
        }";
    assert_eq!(result_of(source), 49 * 50 / 2);
}

#[test]
fn threads_return_values_to_the_threads_that_join_them() {
    let source = "
        global result: i64
        fn inner(i) { r = mul.i64 i, 10; return r }
        fn outer(i) {
          j = add.i64 i, 1
          a = spawn inner(i)
          b = spawn inner(j)
          x = join a
          y = join b
          s = add.i64 x, y
          return s
        }
        fn main() {
          a = spawn outer(1)
          b = spawn outer(3)
          x = join a
          y = join b
          s = add.i64 x, y
          store.i64 result, s
        }";
    assert_eq!(result_of(source), 100);
    let vm = vm(source);
    let mut sc = Sc::new(&vm);
    sc.run_all();
    let mut keys: Vec<String> = sc.threads.iter().map(|&thread| sc.run.key(thread).to_string()).collect();
    keys.sort();
    assert_eq!(keys, ["0", "0.1", "0.1.1", "0.1.2", "0.2", "0.2.1", "0.2.2"]);
    let first = sc.labels_of(ThreadId::new(1));
    assert_eq!((first[0], first[first.len() - 1]), (Label::Begin, Label::End));
    assert!(matches!(first[first.len() - 2], Label::Write { .. }), "the value is written before the end");
}

#[test]
fn a_thread_can_end_from_within_a_call() {
    let source = "
        global result: i64
        fn deep() { exit 7 }
        fn worker() { call deep(); return 1 }
        fn main() { t = spawn worker(); r = join t; store.i64 result, r }";
    assert_eq!(result_of(source), 7);
}

#[test]
fn allocation_depends_on_the_threads_own_past_only() {
    let source = "
        global result: i64
        fn worker() {
          p = malloc 24
          q = malloc 1 align 64
          store.i64 p, 1
          free p
          r = malloc 8
          free r
          free q
          free 0
        }
        fn main() {
          a = spawn worker()
          b = spawn worker()
          join a
          join b
        }";
    let vm = vm(source);
    let allocations = |order: [usize; 2]| {
        let mut sc = Sc::new(&vm);
        sc.step(ThreadId::MAIN);
        sc.step(ThreadId::MAIN);
        for thread in order {
            sc.run_thread(ThreadId::new(thread));
        }
        sc.run_all();
        [1, 2].map(|thread| sc.labels_of(ThreadId::new(thread)))
    };
    let there = allocations([1, 2]);
    assert_eq!(there, allocations([2, 1]));
    let mut ends = 0;
    for label in there.iter().flatten() {
        if let Label::Alloc { addr, size, kind } = *label {
            assert_eq!((kind, addr.0 % 16), (AllocKind::Heap, 0));
            assert!(addr.0 >= ends + 16 && addr.0 < 1 << 47, "{label:?}");
            ends = addr.0 + size;
        }
    }
    let frees = there[0].iter().filter(|label| matches!(label, Label::Free { .. })).count();
    assert_eq!(frees, 3, "freeing null is nothing");
}

#[test]
fn shared_slots_live_as_long_as_their_activation() {
    let source = "
        global result: i64
        fn put(p, v) { store.i64 p, v }
        fn f(n) {
          shared cell: 8
          if not n goto done
          call put(cell, n)
          m = sub.i64 n, 1
          s = call f(m)
          v = load.i64 cell
          s = add.i64 s, v
          return s
        done:
          return 0
        }
        fn main() { r = call f(3); store.i64 result, r }";
    assert_eq!(result_of(source), 6);
    let vm = vm(source);
    let mut sc = Sc::new(&vm);
    sc.run_all();
    let mut live = Vec::new();
    for label in sc.labels_of(ThreadId::MAIN) {
        match label {
            Label::Alloc { addr, kind: AllocKind::Stack, .. } => live.push(addr),
            Label::Free { addr, kind: AllocKind::Stack } => assert_eq!(live.pop(), Some(addr)),
            _ => {}
        }
    }
    assert_eq!(live, []);
}

#[test]
fn thread_locals_belong_to_each_thread() {
    let source = "
        global result: i64
        thread_local global mine: i32 = 5
        fn worker() {
          v = load.i32 mine
          w = add.i32 v, 1
          store.i32 mine, w
          u = load.i32 mine
          rmw.add.rlx.i64 result, u
        }
        threads worker, worker, worker";
    assert_eq!(result_of(source), 18);
}

#[test]
fn bulk_operations_on_all_kinds_of_memory() {
    let source = "
        global result: i64
        global a: [i8; 40]
        const global text: [i8; 12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 }
        fn main() {
          private b: 40
          fill a, 0x11, 40
          p = addr a + 3
          copy p, text, 12
          copy b, a, 40
          q = addr b + 5
          copy q, b, 30
          r = addr b + 20
          d = compare r, b, 5
          n = addr b + 8
          e = compare n, text, 10
          s = sub.i64 e, d
          x = load.i8 n
          s = mul.i64 x, 1000
          e = and.i64 e, 0xff
          s = add.i64 s, e
          store.i64 result, s
        }";
    // b[5+k] = a[k]: b[8..20] = 1, 2, …, 12, so it equals the text.
    assert_eq!(result_of(source), 1000);
}

#[test]
fn copies_overlap_in_both_directions() {
    for (to, from) in [(0u64, 5u64), (5, 0), (1, 0), (0, 1), (8, 0), (0, 8)] {
        for memory in ["private", "shared"] {
            let source = format!(
                "global result: i64
                 fn main() {{
                   {memory} a: 32
                   i = 0
                 head:
                   p = addr a + i
                   store.i8 p, i
                   i = add.i64 i, 1
                   c = ult.i64 i, 32
                   if c goto head
                   to = addr a + {to}
                   from = addr a + {from}
                   copy to, from, 19
                   p = addr a + {to} + 10
                   v = load.i64 p
                   store.i64 result, v
                 }}"
            );
            let expected = u64::from_le_bytes(std::array::from_fn(|nth| {
                let at = to + 10 + nth as u64;
                if at < to + 19 { (at - to + from) as u8 } else { at as u8 }
            }));
            assert_eq!(result_of(&source), expected, "{memory} {from} to {to}");
        }
    }
}

#[test]
fn locks_exclude_and_block() {
    let source = "
        global m: i32
        global result: i64
        fn worker() {
          lock m
          v = load.i64 result
          v = add.i64 v, 1
          store.i64 result, v
          unlock m
        }
        threads worker, worker";
    assert_eq!(result_of(source), 2);
    let vm = vm(source);
    let mut sc = Sc::new(&vm);
    sc.step(ThreadId::MAIN);
    sc.step(ThreadId::MAIN);
    let [first, second] = [1, 2].map(ThreadId::new);
    sc.step(first);
    sc.step(first);
    assert_eq!(sc.run_thread(second), Step::Blocked(BlockReason::Lock { reads: 1 }));
    assert_eq!(sc.run.place(second).text, "lock m");
    assert_eq!(sc.run.place(second).source.unwrap().line, 5);
}

#[test]
fn trylock_and_misuse_of_locks() {
    assert_eq!(
        result_of(
            "global m: i32
             global result: i64
             fn main() { a = trylock m; b = trylock m; unlock m; c = trylock m
               s = mul.i64 a, 100; t = mul.i64 b, 10; s = add.i64 s, t; s = add.i64 s, c; store.i64 result, s }"
        ),
        101
    );
    let source = "global m: i32\n fn f() { unlock m }\n fn main() { lock m; t = spawn f(); join t }";
    let vm = vm(source);
    let mut sc = Sc::new(&vm);
    sc.run_all();
    assert_eq!(
        common::failure(&mut sc, ThreadId::new(1)),
        "lock-misuse: unlock: the thread does not hold the mutex `m`"
    );
}

#[test]
fn a_lock_that_is_destroyed_or_was_never_initialised_is_not_taken() {
    let fails = |source: &str| {
        let vm = vm(source);
        let mut sc = Sc::new(&vm);
        sc.run_all();
        common::failure(&mut sc, ThreadId::MAIN)
    };
    let destroyed = "lock-misuse: lock: the mutex `m` is destroyed";
    assert_eq!(fails("global m: i32 = 4\n fn main() { lock m }"), destroyed);
    let destroyed = "lock-misuse: trylock: the spin lock `m` is destroyed";
    assert_eq!(fails("global m: i32 = 4\n fn main() { a = trylock.spin m }"), destroyed);
    let never = "lock-misuse: lock: the spin lock `m` is not initialised";
    assert_eq!(fails("global m: i32 = 0\n fn main() { lock.spin m }"), never);
}

#[test]
fn a_thread_knows_what_it_holds() {
    let source = "global result: i64
        fn main() { hold 7; hold 8; hold 7; a = holds 7; let_go 7; b = holds 7; c = holds 9
          s = mul.i64 a, 100; t = mul.i64 b, 10; s = add.i64 s, t; s = add.i64 s, c; store.i64 result, s }";
    assert_eq!(result_of(source), 210);
}

#[test]
fn peeking_at_what_was_never_written_gives_zero() {
    let source = "global result: i64
        fn main() { p = malloc 8; a = peek.i64 p; store.i64 p, 5; b = peek.i64 p; s = add.i64 a, b
          free p; store.i64 result, s }";
    assert_eq!(result_of(source), 5);
}

#[test]
fn waiting_blocks_until_a_read_changes() {
    let source =
        "global c: i32\n fn main() { a = load.rlx.i32 c; b = load.acq.i32 c; d = ne.i32 a, b; wait d, 1 }";
    assert_eq!(outcome_of(source), "Blocked(Wait { reads: 1 })");
    let source = "global c: i32\n fn main() { a = load.rlx.i32 c; wait.lock a, 1 }";
    assert_eq!(outcome_of(source), "Blocked(Lock { reads: 1 })");
    assert_eq!(outcome_of("fn main() { assume 0 }"), "Blocked(Assume)");
}

#[test]
fn objects_are_aligned_as_declared() {
    let text = "global before: i8 = 1
        global big: [i8; 3] align 4096
        thread_local global local_before: i8
        thread_local global local: i8 align 2048
        global result: i64
        fn inner() {
          private first: 8
          private p: 8 align 1024
          fresh f: 8 align 512
          shared s: 8 align 8192
          h = malloc 5 align 65536
          a = and.i64 p, 1023
          b = and.i64 f, 511
          c = and.i64 s, 8191
          d = and.i64 h, 65535
          a = or.i64 a, b
          c = or.i64 c, d
          a = or.i64 a, c
          b = and.i64 big, 4095
          a = or.i64 a, b
          b = and.i64 local, 2047
          a = or.i64 a, b
          free h
          return a
        }
        fn main() {
          private pad: 300
          store.i64 pad, 1
          a = call inner()
          store.i64 result, a
          t = spawn inner()
          b = join t
          a = or.i64 a, b
          a = add.i64 a, 7
          store.i64 result, a
        }";
    assert_eq!(result_of(text), 7);
    let module = atropos_vm::text::parse("t.vm", text).unwrap();
    assert_eq!(
        atropos_vm::text::parse("t.vm", &atropos_vm::text::print(&module)).unwrap().globals,
        module.globals
    );
}

#[test]
fn alignments_are_powers_of_two() {
    for (text, expected) in [
        (
            "global x: i8 align 3\nfn main() { }",
            "error: in global `x`: the alignment 3 is not a power of two",
        ),
        (
            "fn main() { private x: 8 align 24\n }",
            "error: in function `main`: the alignment 24 is not a power of two",
        ),
        (
            "fn main() { private x: 8 align 4294967296\n }",
            "error: in function `main`: stack objects of 4294967304 bytes are over the limit of 16777216",
        ),
    ] {
        let module = atropos_vm::text::parse("t.vm", text).unwrap();
        assert_eq!(atropos_vm::check::check(&module)[0].to_string(), expected);
    }
}
