//! Errors in litmus tests, as users see them.

use atropos_litmus::load;
use atropos_testkit::diagnostics::shown;
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    let shown = match load(text, "t.litmus") {
        Ok(_) => panic!("this test can be read"),
        Err(diagnostics) => shown(&diagnostics.0),
    };
    expected.assert_eq(&shown);
}

fn check_c(body: &str, expected: Expect) {
    check(&format!("C t\n{{ x=0; }}\nP0 (atomic_int* x) {{\n  {body}\n}}\nexists (x=1)\n"), expected);
}

fn check_x86(instruction: &str, expected: Expect) {
    check(&format!("X86 t\n{{ x=0; }}\n P0 ;\n {instruction} ;\nexists (x=1)\n"), expected);
}

#[test]
fn headers() {
    check(
        "",
        expect![[r#"
        t.litmus:1:1: error: expected `C NAME`, `X86 NAME` or `X86_64 NAME`
         1 | 
           | ^
    "#]],
    );
    check(
        "AArch64 MP\n{}\n",
        expect![[r#"
        t.litmus:1:1: error: litmus tests in AArch64 are not supported, only C, X86 and X86_64
         1 | AArch64 MP
           | ^^^^^^^^^^
    "#]],
    );
    check(
        "C\n{}\n",
        expect![[r#"
        t.litmus:1:1: error: expected the name of the test after its language
         1 | C
           | ^
    "#]],
    );
    check(
        "C t\nnonsense\n{}\n",
        expect![[r#"
        t.litmus:2:1: error: expected `{`, a string or a line `Key=value` before the initial state
         2 | nonsense
           | ^^^^^^^^
    "#]],
    );
    check(
        "C t\n",
        expect![[r#"
        t.litmus:2:1: error: expected `{`, a string or a line `Key=value` before the initial state
         2 | 
           | ^
    "#]],
    );
}

#[test]
fn constructs_of_c_that_are_not_supported_are_named() {
    check_c(
        "smp_mb();",
        expect![[r#"
        t.litmus:4:3: error: `smp_mb` is not supported: Linux kernel primitives need the kernel's own memory model; use the functions of <stdatomic.h>
         4 |   smp_mb();
           |   ^^^^^^
    "#]],
    );
    check_c(
        "int r0 = READ_ONCE(*x);",
        expect![[r#"
        t.litmus:4:12: error: `READ_ONCE` is not supported: Linux kernel primitives need the kernel's own memory model; use the functions of <stdatomic.h>
         4 |   int r0 = READ_ONCE(*x);
           |            ^^^^^^^^^
    "#]],
    );
    check_c(
        "int r0 = foo(x);",
        expect![[r#"
        t.litmus:4:12: error: the function `foo` is not supported: litmus tests can call those of <stdatomic.h> only
         4 |   int r0 = foo(x);
           |            ^^^
    "#]],
    );
    check_c(
        "goto end;",
        expect![[r#"
        t.litmus:4:3: error: `goto` is not supported in litmus tests
         4 |   goto end;
           |   ^^^^
    "#]],
    );
    check_c(
        "int r0[2];",
        expect![[r#"
        t.litmus:4:9: error: arrays are not supported in litmus tests
         4 |   int r0[2];
           |         ^
    "#]],
    );
    check_c(
        "int r0 = (int)1;",
        expect![[r#"
        t.litmus:4:12: error: casts are not supported in litmus tests
         4 |   int r0 = (int)1;
           |            ^^^^
    "#]],
    );
    check_c(
        "*x += 1;",
        expect![[r#"
        t.litmus:4:6: error: a compound assignment to memory is not supported: write the load and the store
         4 |   *x += 1;
           |      ^^
    "#]],
    );
}

#[test]
fn instructions_that_are_not_supported_are_named() {
    check_x86(
        "CLFLUSH [x]",
        expect![[r#"
        t.litmus:4:2: error: the instruction `CLFLUSH` is not supported in X86 litmus tests
         4 |  CLFLUSH [x] ;
           |  ^^^^^^^
    "#]],
    );
    check_x86(
        "MOV AL,$1",
        expect![[r#"
        t.litmus:4:6: error: the register `AL` is not supported: only those of 32 and 64 bits are
         4 |  MOV AL,$1 ;
           |      ^^
    "#]],
    );
    check_x86(
        "MOV EAX,4[EBX]",
        expect![[r#"
        t.litmus:4:11: error: addresses with a displacement are not supported
         4 |  MOV EAX,4[EBX] ;
           |           ^
    "#]],
    );
}

#[test]
fn statements_say_what_was_expected() {
    check_c(
        "int r0 = ;",
        expect![[r#"
        t.litmus:4:12: error: expected an expression, found `;`
         4 |   int r0 = ;
           |            ^
    "#]],
    );
    check_c(
        "atomic_store_explicit(x, 1);",
        expect![[r#"
        t.litmus:4:29: error: expected `,`, found `)`
         4 |   atomic_store_explicit(x, 1);
           |                             ^
    "#]],
    );
    check_c(
        "atomic_store_explicit(x, 1, relaxed);",
        expect![[r#"
        t.litmus:4:31: error: expected a memory order, found `relaxed`
         4 |   atomic_store_explicit(x, 1, relaxed);
           |                               ^^^^^^^
    "#]],
    );
    check_c(
        "atomic_store(x, 1)",
        expect![[r#"
        t.litmus:5:1: error: expected `;`, found `}`
         5 | }
           | ^
    "#]],
    );
    check_x86(
        "MOV [x] $1",
        expect![[r#"
        t.litmus:4:10: error: expected `,`, found `$`
         4 |  MOV [x] $1 ;
           |          ^
    "#]],
    );
}

#[test]
fn sections_say_what_was_expected() {
    check(
        "C t\n{ x=0 y=1; }\nP0 () {}\nexists (x=1)\n",
        expect![[r#"
        t.litmus:2:7: error: expected `;`, found `y`
         2 | { x=0 y=1; }
           |       ^
    "#]],
    );
    check(
        "C t\n{ x=0; }\nP1 (int* x) {}\nexists (x=1)\n",
        expect![[r#"
        t.litmus:3:1: error: expected thread `P0`, found `P1`
         3 | P1 (int* x) {}
           | ^^
    "#]],
    );
    check(
        "C t\n{ x=0; }\nP0 (int* x) {}\nexists (x=1 /\\)\n",
        expect![[r#"
        t.litmus:4:15: error: expected a proposition such as `0:r0=1` or `x=2`, found `)`
         4 | exists (x=1 /\)
           |               ^
    "#]],
    );
    check(
        "C t\n{ x=0; }\nP0 (int* x) {}\nexists (x=1) x\n",
        expect![[r#"
        t.litmus:4:14: error: expected the end of the file after the condition, found `x`
         4 | exists (x=1) x
           |              ^
    "#]],
    );
}

#[test]
fn names_and_types_are_checked() {
    check_c(
        "int r0 = r1 + r2;",
        expect![[r#"
        t.litmus:4:12: error: `r1` is neither a local nor a parameter of P0
         4 |   int r0 = r1 + r2;
           |            ^^
        t.litmus:4:17: error: `r2` is neither a local nor a parameter of P0
         4 |   int r0 = r1 + r2;
           |                 ^^
    "#]],
    );
    check_c(
        "x = 1;",
        expect![[r#"
        t.litmus:4:3: error: `x` is a pointer to a location: write `*x = ...`
         4 |   x = 1;
           |   ^^^^^
    "#]],
    );
    check_c(
        "int r0 = 1; *r0 = 2;",
        expect![[r#"
        t.litmus:4:16: error: `r0` has type `int`, which points to no value
         4 |   int r0 = 1; *r0 = 2;
           |                ^^
    "#]],
    );
    check_c(
        "int r0 = 0; long r0 = 1;",
        expect![[r#"
        t.litmus:4:15: error: `r0` is already declared as `int`
         4 |   int r0 = 0; long r0 = 1;
           |               ^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn orders_are_checked() {
    check_c(
        "atomic_store_explicit(x, 1, memory_order_acquire);",
        expect![[r#"
        t.litmus:4:3: error: a store cannot have the order memory_order_acquire
         4 |   atomic_store_explicit(x, 1, memory_order_acquire);
           |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#]],
    );
    check_c(
        "int r0 = atomic_load_explicit(x, memory_order_acq_rel);",
        expect![[r#"
        t.litmus:4:12: error: a load cannot have a release order
         4 |   int r0 = atomic_load_explicit(x, memory_order_acq_rel);
           |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn operands_are_checked() {
    check_x86(
        "JMP nowhere",
        expect![[r#"
        t.litmus:4:2: error: this thread has no label `nowhere`
         4 |  JMP nowhere ;
           |  ^^^^^^^^^^^
    "#]],
    );
    check_x86(
        "MOV [x],[x]",
        expect![[r#"
        t.litmus:4:2: error: an instruction can have only one operand in memory
         4 |  MOV [x],[x] ;
           |  ^^^^^^^^^^^
    "#]],
    );
    check_x86(
        "LOCK MOV [x],$1",
        expect![[r#"
        t.litmus:4:7: error: `MOV` cannot have a LOCK prefix here
         4 |  LOCK MOV [x],$1 ;
           |       ^^^^^^^^^^
    "#]],
    );
    check_x86(
        "MOV RAX,[x] ;\n MOV EAX,[x]",
        expect![[r#"
        t.litmus:5:2: error: `x` is used with 4 bytes here and with 8 elsewhere: accesses of mixed size are not supported in litmus tests
         5 |  MOV EAX,[x] ;
           |  ^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn the_initial_state_is_checked() {
    check(
        "C t\n{ x=0; x=1; }\nP0 (int* x) {}\nexists (x=1)\n",
        expect![[r#"
        t.litmus:2:8: error: `x` is initialised twice
         2 | { x=0; x=1; }
           |        ^^^
    "#]],
    );
    check(
        "C t\n{ int x; }\nP0 (long* x) {}\nexists (x=1)\n",
        expect![[r#"
        t.litmus:3:5: error: `x` is used with 8 bytes here and with 4 elsewhere: accesses of mixed size are not supported in litmus tests
         3 | P0 (long* x) {}
           |     ^^^^^^^
    "#]],
    );
    check(
        "C t\n{ 3:r0=1; }\nP0 (int* x) {}\nexists (x=1)\n",
        expect![[r#"
        t.litmus:2:3: error: there is no thread P3
         2 | { 3:r0=1; }
           |   ^^^^^^
    "#]],
    );
}

#[test]
fn every_unknown_name_of_a_condition_is_shown() {
    check(
        "C t\n{ }\nP0 (int* x) {}\nexists (0:r0=1 /\\ 1:r0=1 /\\ z=1)\n",
        expect![[r#"
        t.litmus:4:9: error: thread P0 has no register `r0`
         4 | exists (0:r0=1 /\ 1:r0=1 /\ z=1)
           |         ^^^^^^
        t.litmus:4:19: error: there is no thread P1
         4 | exists (0:r0=1 /\ 1:r0=1 /\ z=1)
           |                   ^^^^^^
        t.litmus:4:29: error: no thread uses a location `z`
         4 | exists (0:r0=1 /\ 1:r0=1 /\ z=1)
           |                             ^^^
    "#]],
    );
}

#[test]
fn mistakes_in_several_threads_are_all_shown() {
    check(
        "C t\n{ x=0; }\nP0 (int* x) { goto a; }\nP1 (int* x) { int = 3; }\nexists (x=1)\n",
        expect![[r#"
        t.litmus:3:15: error: `goto` is not supported in litmus tests
         3 | P0 (int* x) { goto a; }
           |               ^^^^
        t.litmus:4:19: error: expected the name of a local, found `=`
         4 | P1 (int* x) { int = 3; }
           |                   ^
    "#]],
    );
}
