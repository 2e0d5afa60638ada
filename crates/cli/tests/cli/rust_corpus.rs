//! The Rust corpus: programs with the real standard library. Each says in its first comments what is expected of it:
//!
//! ```text
//! // check: [RUSTFLAG...] MODEL EQUIVALENCE verified [EXECUTIONS]
//! // check: [RUSTFLAG...] MODEL EQUIVALENCE violation KIND [LINE]
//! ```
//!
//! Only one version of rustc has a standard library that Atropos knows. With another one, these tests check that it is
//! refused by name.

use crate::clang::{files, has_clang, root};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn check(program: &Path, options: &[&str], flags: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atropos"));
    command.args(["check", "--format", "json", "--jobs", "1", "--timeout", "60"]).args(options);
    command.arg(program).arg("--").args(flags).output().unwrap()
}

/// Whether the installed rustc is one that Atropos knows. Otherwise, it must say so.
pub(crate) fn has_rustc() -> bool {
    let version = Command::new("rustc").arg("-V").output().map(|output| output.stdout).unwrap_or_default();
    let version = String::from_utf8_lossy(&version);
    if version.starts_with("rustc 1.95.") {
        return true;
    }
    eprintln!("skipped: Rust programs are checked with rustc 1.95, and this is `{}`", version.trim());
    let output = check(&root().join("corpus/rust/message_passing.rs"), &[], &[]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    false
}

/// What the program does, in the words of the expectation.
fn answer(program: &Path, expectation: &str) -> String {
    let words: Vec<&str> = expectation.split_whitespace().collect();
    let n_flags = words.iter().take_while(|word| word.starts_with('-')).count();
    let (flags, words) = words.split_at(n_flags);
    let output = check(program, &["--model", words[0], "--equivalence", words[1]], flags);
    let start = [flags, &words[..2]].concat().join(" ");
    let Ok(object) = serde_json::from_slice::<Value>(&output.stdout) else {
        return format!("{start} {output:?}");
    };
    match object["violations"].as_array().and_then(|violations| violations.first()) {
        Some(violation) => {
            let kind = violation["kind"].as_str().unwrap();
            match words.len() {
                5 => format!("{start} violation {kind} {}", violation["location"]["line"]),
                _ => format!("{start} violation {kind}"),
            }
        }
        None => {
            let verdict = object["verdict"].as_str().unwrap_or_default();
            match words.len() {
                4 if object["warnings"] != serde_json::json!([]) => format!("{start} {}", object["warnings"]),
                4 => format!("{start} {verdict} {}", object["executions"]),
                _ => format!("{start} {verdict}"),
            }
        }
    }
}

#[test]
fn rust_programs_are_verified_and_their_bugs_are_found() {
    if !has_rustc() {
        return;
    }
    let mut failures = Vec::new();
    for program in files(&root().join("corpus/rust")) {
        let text = std::fs::read_to_string(&program).unwrap();
        for expectation in text.lines().filter_map(|line| line.strip_prefix("// check: ")) {
            let actual = answer(&program, expectation);
            if actual != expectation {
                failures.push(format!("{}: expected `{expectation}`, got `{actual}`", program.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Where the standard library adds nothing that a user can see, a program has as many executions as the same program in C
/// with pthreads.
#[test]
fn rust_programs_have_the_executions_of_c_programs() {
    if !has_rustc() || !has_clang() {
        return;
    }
    let executions = |program: &Path| {
        let options = ["--reduce", "none", "--equivalence", "rf"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_atropos"));
        let output =
            command.args(["check", "--format", "json", "--jobs", "1"]).args(options).arg(program).output();
        let object: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        assert_eq!(object["verdict"], "verified", "{}", program.display());
        object["executions"].as_u64().unwrap()
    };
    let programs = files(&root().join("corpus/pairs"));
    let programs = programs.iter().filter(|program| program.extension().is_some_and(|end| end == "rs"));
    let different: Vec<String> = programs
        .filter_map(|program| {
            let [rust, c] = [program, &program.with_extension("c")].map(|program| executions(program));
            (rust != c).then(|| format!("{}: {rust}, and {c} in C", program.display()))
        })
        .collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn a_panic_says_what_the_program_says_and_a_wrong_program_what_rustc_says() {
    if !has_rustc() {
        return;
    }
    let program = root().join("corpus/rust/seqlock.rs");
    let object: Value = serde_json::from_slice(&check(&program, &[], &["--cfg=bug"]).stdout).unwrap();
    assert_eq!(object["violations"][0]["message"], "half a write: 7 and 0");
    let output = check(&program, &[], &["--edition=2015", "--cfg", "1"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    for flag in ["-Copt-level=3", "-O", "--emit=obj"] {
        let output = check(&program, &[], &[flag]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("cannot have its effect"), "{output:?}");
    }
}
