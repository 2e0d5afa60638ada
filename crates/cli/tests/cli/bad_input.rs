//! What is wrong with the input is said with file, line and column.

use crate::run::{MP, SB_X86, Sandbox};
use expect_test::{Expect, expect};

fn check(file: &str, text: &str, args: &str, expected: Expect) {
    let run = Sandbox::new().with(file, text).run(&format!("check {args} {file}"));
    assert_eq!(run.stdout, "");
    expected.assert_eq(&run.transcript());
}

#[test]
fn a_malformed_litmus_test() {
    check(
        "t.litmus",
        &MP.replace("r1 = atomic", "r1 + atomic"),
        "",
        expect![[r#"
        stderr: t.litmus:9:10: error: expected `;`, found `+`
        stderr:  9 |   int r1 + atomic_load_explicit(x, memory_order_relaxed);
        stderr:    |          ^
        exit 2
    "#]],
    );
}

#[test]
fn a_condition_about_nothing() {
    check(
        "t.litmus",
        &MP.replace("1:r1=0", "7:r1=0"),
        "",
        expect![[r#"
        stderr: t.litmus:11:19: error: there is no thread P7
        stderr:  11 | exists (1:r0=1 /\ 7:r1=0)
        stderr:     |                   ^^^^^^
        exit 2
    "#]],
    );
}

#[test]
fn an_instruction_that_is_not_supported() {
    check(
        "t.litmus",
        &SB_X86.replace("MOV EAX,[y]", "CPUID      "),
        "",
        expect![[r#"
        stderr: t.litmus:5:2: error: the instruction `CPUID` is not supported in X86 litmus tests
        stderr:  5 |  CPUID       | MOV EAX,[x] ;
        stderr:    |  ^^^^^
        exit 2
    "#]],
    );
}

#[test]
fn a_malformed_vm_program() {
    check(
        "t.vm",
        "fn main() {\n  x = frobnicate y\n  return\n}\n",
        "",
        expect![[r#"
        stderr: t.vm:2:7: there is no operation `frobnicate`
        stderr:  2 |   x = frobnicate y
        stderr:    |       ^
        exit 2
    "#]],
    );
}

#[test]
fn a_vm_program_that_is_not_well_formed() {
    check(
        "t.vm",
        "fn f(a, b) {\n  return\n}\nfn main() {\n  call f(1)\n  return\n}\n",
        "",
        expect![[r#"
        stderr: t.vm: function `main`, statement 0: `f` takes 2 arguments, not 1
        exit 2
    "#]],
    );
}

#[test]
fn an_entry_function_that_is_not_there() {
    check(
        "t.vm",
        "fn main() {\n  return\n}\n",
        "--entry start",
        expect![[r#"
        stderr: t.vm: module: there is no function `start` to start with
        exit 2
    "#]],
    );
}

#[test]
fn a_program_that_runs_away() {
    check(
        "t.vm",
        "fn main() {\n  i = 0\nagain:\n  i = add.i64 i, 1\n  goto again\n}\n",
        "",
        expect![[r#"
            stderr: t.vm:4:3: the thread loops without accessing shared memory; bound its loops with --unroll N
            exit 2
        "#]],
    );
}

#[test]
fn a_compiler_that_is_not_there() {
    check(
        "t.c",
        "int main() {}",
        "--clang ./no-such-clang",
        expect![[r#"
        stderr: t.c: C and C++ files, and bitcode, are read with clang, but there is no `./no-such-clang` here; install it with `apt-get install clang-19`, or name it with --clang or $ATROPOS_CLANG
        exit 2
    "#]],
    );
}

#[test]
fn a_file_of_unknown_kind() {
    check(
        "t.txt",
        "",
        "",
        expect![[r#"
        stderr: error: t.txt: unknown kind of file: Atropos checks .c .cc .cpp .ll .bc .litmus and .vm files
        exit 2
    "#]],
    );
}

#[test]
fn a_file_that_is_not_text() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path().join("t.litmus"), [0xff, 0xfe, 0x00]).unwrap();
    let run = sandbox.run("check t.litmus");
    assert_eq!(run.exit, Some(2));
    assert!(run.stderr.contains("cannot read t.litmus"), "{}", run.stderr);
}
