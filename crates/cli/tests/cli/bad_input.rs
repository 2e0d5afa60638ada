//! Errors in the input are reported with file, line and column.

use crate::clang::has_clang;
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
            stderr:   |
            stderr: 9 |   int r1 + atomic_load_explicit(x, memory_order_relaxed);
            stderr:   |          ^
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
            stderr:    |
            stderr: 11 | exists (1:r0=1 /\ 7:r1=0)
            stderr:    |                   ^^^^^^
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
            stderr:   |
            stderr: 5 |  CPUID       | MOV EAX,[x] ;
            stderr:   |  ^^^^^
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
            stderr: t.vm:2:7: error: unknown operation `frobnicate`
            stderr:   |
            stderr: 2 |   x = frobnicate y
            stderr:   |       ^^^^^^^^^^
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
            stderr: t.vm:5:3: error: in function `main`: `f` takes 2 arguments, not 1
            stderr:   |
            stderr: 5 |   call f(1)
            stderr:   |   ^
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
            stderr: t.vm: error: there is no function `start` to start with
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
            stderr: t.vm:4:3: error: the thread loops without accessing shared memory; bound its loops with --unroll N
            stderr:   |
            stderr: 4 |   i = add.i64 i, 1
            stderr:   |   ^
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
            stderr: t.c: error: C and C++ files, and bitcode, are read with clang, but there is no `./no-such-clang` here
            stderr:   = help: install it with `apt-get install clang-19`, or name it with --clang or $ATROPOS_CLANG
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
            stderr: t.txt: error: unknown file type: Atropos checks .c, .cc, .cpp, .rs, .ll, .bc, .litmus and .vm files, and C from `-`
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
    assert!(run.stderr.contains("t.litmus: error: cannot be read"), "{}", run.stderr);
}

#[test]
fn all_errors_of_a_c_program_are_shown() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new()
        .with("a.c", "#include \"a.h\"\nint main(void) {\n  return one + two;\n}\n")
        .with("a.h", "void f(odd x);\n")
        .with("b.c", "int g(void) { return 1 }\n");
    let run = sandbox.run("check a.c b.c");
    assert_eq!(run.stdout, "");
    expect![[r#"
        stderr: ./a.h:1:8: error: unknown type name 'odd'
        stderr:   |
        stderr: 1 | void f(odd x);
        stderr:   |        ^
        stderr: a.c:1:1: note: included from here
        stderr:   |
        stderr: 1 | #include "a.h"
        stderr:   | ^
        stderr: a.c:3:10: error: use of undeclared identifier 'one'
        stderr:   |
        stderr: 3 |   return one + two;
        stderr:   |          ^
        stderr: a.c:3:16: error: use of undeclared identifier 'two'
        stderr:   |
        stderr: 3 |   return one + two;
        stderr:   |                ^
        stderr: b.c:1:23: error: expected ';' after return statement
        stderr:   |
        stderr: 1 | int g(void) { return 1 }
        stderr:   |                       ^
        exit 2
    "#]]
    .assert_eq(&run.transcript());
}

#[test]
fn everything_that_is_not_modelled_is_named_at_once() {
    if !has_clang() {
        return;
    }
    let text = "#include <unistd.h>\nint main(void) {\n  int no = 0;\n  daemon(no, no);\n  if (fork()) daemon(no, no);\n}\n";
    let run = Sandbox::new().with("p.c", text).run("check p.c");
    expect![[r#"
        stderr: p.c:4:3: error: the function `daemon` is neither defined nor modelled
        stderr:   |
        stderr: 4 |   daemon(no, no);
        stderr:   |   ^
        stderr:   = help: add the files that define it, or stubs of your own: `atropos check PROGRAM stubs.c`
        stderr: p.c:5:7: note: this cannot be checked either: the function `fork` is neither defined nor modelled
        stderr:   |
        stderr: 5 |   if (fork()) daemon(no, no);
        stderr:   |       ^
        exit 2
    "#]].assert_eq(&run.transcript());
}
