//! Programs as builds compile them.

use crate::clang::has_clang;
use crate::run::Sandbox;

const PROGRAM: &str = "#include <number.h>\n#include <assert.h>\nint twice(int);\n\
                       int main(void) { assert(twice(NUMBER) == EXPECTED); }\n";

fn project() -> Sandbox {
    let commands = r#"[{ "directory": "build", "file": "../src/twice.c",
                         "command": "cc -I ../src/include -DEXPECTED=6 -O2 -o twice.o -c ../src/twice.c" }]"#;
    Sandbox::new()
        .with("build/compile_commands.json", commands)
        .with("src/include/number.h", "#define NUMBER 3\n")
        .with("src/twice.c", "#include <number.h>\nint twice(int n) { return 2 * n; }\n")
        .with("driver.c", PROGRAM)
}

#[test]
fn files_are_compiled_as_the_build_does_and_drivers_likewise() {
    if !has_clang() {
        return;
    }
    let sandbox = project();
    let run = sandbox.run("check -p build driver.c src/twice.c");
    assert_eq!(run.exit, Some(0), "{run:?}");
    let run = sandbox.run("check -p build driver.c src/twice.c -- -UEXPECTED -DEXPECTED=7");
    assert_eq!(run.exit, Some(1), "{run:?}");
}

#[test]
fn a_build_without_these_files_is_refused() {
    let sandbox = project();
    let run = sandbox.run("check -p build driver.c");
    assert_eq!(run.exit, Some(2), "{run:?}");
    assert!(run.stderr.contains("the build in build compiles none of these files"), "{run:?}");
    let run = sandbox.run("check -p src driver.c");
    assert_eq!(run.exit, Some(2), "{run:?}");
    assert!(run.stderr.contains("src/compile_commands.json: "), "{run:?}");
}

#[test]
fn assertions_that_are_compiled_out_are_noted() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new().with("p.C", "#include <cassert>\nint main() { assert(false); }\n");
    let note = "note: assertions are compiled out, because NDEBUG is defined; -UNDEBUG keeps them\n";
    let run = sandbox.run("check p.C -- -DNDEBUG");
    assert_eq!((run.exit, run.stderr.as_str()), (Some(0), note), "{run:?}");
    let run = sandbox.run("check p.C -- -DNDEBUG -UNDEBUG");
    assert_eq!((run.exit, run.stderr.as_str()), (Some(1), ""), "{run:?}");
}
