//! `cargo atropos` on the package in `corpus/cargo`, which has a path dependency.

use crate::clang::root;
use crate::rust_corpus::has_rustc;
use std::process::{Command, Output};

/// Runs `cargo atropos` as cargo does.
fn cargo_atropos(args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-atropos"));
    command.arg("atropos").args(args.split_whitespace()).args(["--offline", "--jobs", "1"]);
    command.current_dir(root().join("corpus/cargo"));
    command.env("CARGO_TARGET_DIR", env!("CARGO_TARGET_TMPDIR")).env_remove("RUSTFLAGS");
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn every_test_of_a_package_is_checked_as_the_book_says() {
    if !has_rustc() {
        return;
    }
    let output = cargo_atropos("test");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stdout);
    let lines = said.split("\n---- ").next().unwrap();
    let page = std::fs::read_to_string(root().join("docs/book/src/rust.md")).unwrap();
    let example = page.split_once("$ cargo atropos test\n").unwrap().1.split_once("```").unwrap().0;
    assert_eq!(lines, example, "{said}");
    assert!(said.contains("assertion: the test should panic, and does not"), "{said}");
    let result = "3 verified; 2 failed; 0 refused; 0 inconclusive; 1 ignored; 0 filtered out";
    assert!(said.contains(result), "{said}");
}

#[test]
fn a_bug_of_a_dependency_is_found_at_its_line() {
    if !has_rustc() {
        return;
    }
    let output = cargo_atropos("test --features bug what_is_taken --exact");
    assert_eq!(output.status.code(), Some(0), "no test has this name: {output:?}");
    let output = cargo_atropos("test --features bug what_is_taken");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text(&output.stdout).contains("slot/src/lib.rs:30:38: race"), "{output:?}");
    let output = cargo_atropos("run");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = cargo_atropos("run --features bug");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn options_that_fit_no_package_are_refused() {
    if !has_rustc() {
        return;
    }
    let output = cargo_atropos("test --format json");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("--format concerns one test, and 5 are chosen"), "{output:?}");
    let output = cargo_atropos("test what_is_taken --format json --model sc");
    assert!(text(&output.stdout).contains("\"model\": \"sc\""), "{output:?}");
    let output = cargo_atropos("run --bin none");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
