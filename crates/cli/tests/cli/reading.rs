//! What is read as LLVM IR: `corpus/ll`, programs of several files in `corpus/c/linked`, and what is refused in
//! `corpus/c/refused`. Each program says in its comments what is expected of it:
//!
//! ```text
//! check: MODEL EQUIVALENCE verified
//! check: MODEL EQUIVALENCE violation KIND
//! check: MODEL EQUIVALENCE refused MESSAGE
//! ```
//!
//! A message begins with the name of a file. A folder is one program; the file `main` in it says what is expected.

use crate::clang::{files, has_clang};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Checks all programs in a folder of the corpus.
fn check(folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder);
    let mut failures = Vec::new();
    for program in files(&folder) {
        let parts = if program.is_dir() { files(&program) } else { vec![program.clone()] };
        let speaks = parts.iter().find(|file| file.file_stem().unwrap() == "main").unwrap_or(&parts[0]);
        let text = std::fs::read_to_string(speaks).unwrap();
        let expected: Vec<&str> =
            text.lines().filter_map(|line| line.split_once(" check: ")).map(|(_, e)| e).collect();
        assert!(!expected.is_empty(), "{} expects nothing", program.display());
        for expectation in expected {
            let actual = answer(&folder, &parts, expectation);
            if !actual.starts_with(expectation) {
                failures.push(format!("{}: expected `{expectation}`, got `{actual}`", program.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What the program does, in the words of the expectation.
fn answer(folder: &Path, parts: &[PathBuf], expectation: &str) -> String {
    let words: Vec<&str> = expectation.split_whitespace().collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_atropos"));
    command.args(["check", "--format", "json", "--jobs", "1", "--timeout", "60"]);
    command.args(["--model", words[0], "--equivalence", words[1]]);
    command.args(parts.iter().map(|file| file.strip_prefix(folder).unwrap())).current_dir(folder);
    let output = command.output().unwrap();
    let start = words[..2].join(" ");
    if !matches!(output.status.code(), Some(0 | 1)) {
        return match output.status.code() {
            Some(2) => format!("{start} refused {}", first_error(&output.stdout)),
            code => format!("{start} ended with {code:?}: {}", String::from_utf8_lossy(&output.stderr)),
        };
    }
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    match object["violations"].as_array().unwrap().first() {
        Some(violation) => format!("{start} violation {}", violation["kind"].as_str().unwrap()),
        None => format!("{start} {}", object["verdict"].as_str().unwrap()),
    }
}

/// The first error of the JSON object, with its place in front.
fn first_error(stdout: &[u8]) -> String {
    let object: Value = serde_json::from_slice(stdout).unwrap();
    assert_eq!(object["verdict"], "error");
    let error = &object["errors"][0];
    let location = &error["location"];
    let place: Vec<String> = [&location["line"], &location["column"]]
        .iter()
        .filter_map(|number| number.as_u64())
        .map(|number| format!(":{number}"))
        .collect();
    let file = location["file"].as_str().unwrap_or_default();
    format!("{file}{}: {}", place.concat(), error["message"].as_str().unwrap())
}

#[test]
fn ir_is_read_as_llvm_reads_it() {
    check("ll");
}

#[test]
fn definitions_of_several_files_are_linked() {
    if has_clang() {
        check("c/linked");
    }
}

#[test]
fn what_is_not_modelled_is_refused_with_its_place() {
    if has_clang() {
        check("c/refused");
    }
}

#[test]
fn source_that_clang_cannot_compile_is_refused() {
    if !has_clang() {
        return;
    }
    const N: usize = 200_000;
    let folder = std::env::temp_dir().join(format!("atropos-deep-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let programs = [
        (
            "brackets.c",
            format!("int main(void) {{ return {}0{}; }}", "(".repeat(N), ")".repeat(N)),
            "bracket nesting level",
        ),
        (
            "negated.c",
            format!("int main(void) {{ int x = 0; return {}x; }}", "- ".repeat(N)),
            "gave up on this file",
        ),
    ];
    for (name, text, expected) in programs {
        std::fs::write(folder.join(name), text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_atropos"));
        let output = command.args(["check", name]).current_dir(&folder).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {message}");
        assert!(message.contains(expected), "{name}: {message}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Exit status and messages for a file with this text.
fn check_text(folder: &Path, name: &str, text: &str) -> (Option<i32>, String) {
    std::fs::write(folder.join(name), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_atropos"));
    match name.ends_with(".cat") {
        true => command.args(["check", "--model", name, "sb.litmus"]),
        false => command.args(["check", name]),
    };
    let output = command.current_dir(folder).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn deep_nesting_overflows_the_stack_of_no_reader() {
    const N: usize = 200_000;
    let folder = std::env::temp_dir().join(format!("atropos-nested-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let nest = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(N), close.repeat(N));
    let litmus = |value: &str, condition: &str| {
        format!(
            "C t\n{{}}\nP0(atomic_int* x) {{ int r = {value}; atomic_store(x, r); }}\nexists {condition}\n"
        )
    };
    let cat = |relation: &str| format!("\"t\"\nlet r = {relation}\nacyclic r as a\n");
    assert_eq!(check_text(&folder, "sb.litmus", &litmus("1", "(x=1)")).0, Some(0));
    let texts = [
        ("brackets.litmus", litmus(&nest("(", "1", ")"), "(x=1)")),
        ("not.litmus", litmus(&nest("!", "1", ""), "(x=1)")),
        ("sum.litmus", litmus(&nest("", "1", "+1"), "(x=1)")),
        ("condition.litmus", litmus("1", &nest("(", "x=1", ")"))),
        ("negation.litmus", litmus("1", &nest("~", "(x=1)", ""))),
        ("conjunction.litmus", litmus("1", &format!("({})", nest("", "x=1", " /\\ x=1")))),
        ("brackets.cat", cat(&nest("(", "po", ")"))),
        ("union.cat", cat(&nest("", "po", "|po"))),
        ("complement.cat", cat(&nest("~", "po", ""))),
        ("identity.cat", cat(&nest("[", "W", "]"))),
        ("inverse.cat", cat(&nest("", "po", "^-1"))),
        ("operand.vm", format!("fn main() {{\n  r = {}\n}}\n", nest("(", "1", ")"))),
        ("type.vm", format!("global x: {}\nfn main() {{ }}\n", nest("[", "i32", "; 1]"))),
        ("type.ll", format!("@x = global {} zeroinitializer\n", nest("{", "i32", "}"))),
        ("constant.ll", format!("@x = global i64 {}\n", nest("add (i64 1, i64 ", "1", ")"))),
    ];
    for (name, text) in texts {
        let (status, message) = check_text(&folder, name, &text);
        assert_eq!(status, Some(2), "{name}: {}", message.chars().take(300).collect::<String>());
        assert!(message.contains(name), "{name}: {}", message.chars().take(300).collect::<String>());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
