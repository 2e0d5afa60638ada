//! The C and C++ corpus. Each program says in its first comment what is expected of it:
//!
//! ```text
//! // check: [CFLAG...] MODEL EQUIVALENCE executions N
//! // check: [CFLAG...] MODEL EQUIVALENCE verified
//! // check: [CFLAG...] MODEL EQUIVALENCE violation KIND [LINE]
//! ```
//!
//! A line `// options: ...` has more options for Atropos, a line `// flags: ...` flags for clang. A folder in
//! `corpus/c/big` is one program of several files; its `main.c` says what is expected.

use crate::clang::{files, has_clang, root, source_or_ir};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn programs_are_answered_as_their_comments_say() {
    check_programs(
        ["corpus/c/pass", "corpus/c/fail", "corpus/c/long"]
            .into_iter()
            .flat_map(|folder| files(&root().join(folder))),
    );
}

#[test]
fn data_structures_are_verified_and_their_bugs_are_found() {
    check_programs(files(&root().join("benchmarks/structures")).into_iter());
}

#[test]
fn programs_as_users_write_them_are_verified_and_their_bugs_are_found() {
    check_programs(files(&root().join("corpus/c/programs")).into_iter());
}

#[test]
fn objects_of_the_thread_library_have_a_life_and_the_return_codes_of_posix() {
    check_programs(files(&root().join("corpus/c/objects")).into_iter());
}

#[test]
fn programs_of_several_files_are_answered_as_their_comments_say() {
    check_programs(files(&root().join("corpus/c/big")).into_iter());
}

fn check_programs(programs: impl Iterator<Item = PathBuf>) {
    if !has_clang() {
        return;
    }
    let mut failures = Vec::new();
    for program in programs {
        let speaks = if program.is_dir() { program.join("main.c") } else { program.clone() };
        let text = std::fs::read_to_string(speaks).unwrap();
        let expected: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("// check: ")).collect();
        assert!(!expected.is_empty(), "{} expects nothing", program.display());
        for expectation in expected {
            let actual = answer(&program, &text, expectation);
            if actual != expectation {
                failures.push(format!("{}: expected `{expectation}`, got `{actual}`", program.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What the program does, in the words of the expectation.
fn answer(program: &Path, text: &str, expectation: &str) -> String {
    let given = |start: &str| text.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_default();
    let words: Vec<&str> = expectation.split_whitespace().collect();
    let n_flags = words.iter().take_while(|word| word.starts_with('-')).count();
    let (own_flags, words) = words.split_at(n_flags);
    let flags: Vec<&str> = given("// flags: ").split_whitespace().chain(own_flags.iter().copied()).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_atropos"));
    command.args(["check", "--format", "json", "--jobs", "1", "--timeout", "60"]);
    command.args(["--model", words[0], "--equivalence", words[1]]);
    if words[2] == "executions" && !given("// options: ").contains("--reduce") {
        command.args(["--reduce", "none"]);
    }
    command.args(given("// options: ").split_whitespace());
    if program.is_dir() {
        command.args(files(program).iter().filter(|file| file.extension().is_some_and(|e| e == "c")));
    } else {
        command.arg(if given("// options: ").contains("--library") {
            program.into()
        } else {
            source_or_ir(program, &flags)
        });
    }
    command.arg("--").args(flags);
    let output = command.output().unwrap();
    let start = [own_flags, &words[..2]].concat().join(" ");
    if !matches!(output.status.code(), Some(0 | 1)) {
        return format!("{start} {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    match object["violations"].as_array().unwrap().first() {
        Some(violation) => {
            let kind = violation["kind"].as_str().unwrap();
            match words.len() {
                5 => format!("{start} violation {kind} {}", violation["location"]["line"]),
                _ => format!("{start} violation {kind}"),
            }
        }
        None if words[2] == "verified" => format!("{start} verified"),
        None => format!("{start} executions {}", object["executions"]),
    }
}

/// Algorithms, each with a model.
const PAIRS: [[&str; 2]; 7] = [
    ["trust", "rc11"],
    ["rcmc", "rc11"],
    ["rcmc", "wrc11"],
    ["tracer", "ra"],
    ["source-dpor", "tso"],
    ["optimal-dpor", "sc"],
    ["rvf", "sc"],
];

/// The kind of the violation that an algorithm finds in a program, or else its verdict.
fn kind_or_verdict([algorithm, model]: [&str; 2], program: &str, flags: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atropos"));
    command.args(["check", "--format", "json", "--algorithm", algorithm, "--model", model]);
    command.args(["--jobs", "1", "--timeout", "60"]);
    command.arg(source_or_ir(&root().join("corpus/c").join(program), flags)).arg("--").args(flags);
    let output = command.output().unwrap();
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let kind = object["violations"][0]["kind"].as_str();
    kind.or(object["verdict"].as_str()).unwrap_or_default().to_string()
}

#[test]
fn every_algorithm_sees_that_an_exchange_spins() {
    if !has_clang() {
        return;
    }
    for pair in PAIRS {
        assert_eq!(kind_or_verdict(pair, "pass/spin_exchange.c", &[]), "verified", "{pair:?}");
        assert_eq!(kind_or_verdict(pair, "fail/spin_exchange_held.c", &[]), "non-termination", "{pair:?}");
    }
}

#[test]
fn every_algorithm_knows_waiting_on_atomics_and_large_atomics() {
    if !has_clang() {
        return;
    }
    for pair in PAIRS {
        let check = |program, flags: &[&str]| kind_or_verdict(pair, program, flags);
        assert_eq!(check("pass/atomic_wait.cpp", &["-std=c++20"]), "verified", "{pair:?}");
        assert_eq!(check("pass/atomic_wait.cpp", &["-std=c++20", "-DNO_NOTIFY"]), "deadlock", "{pair:?}");
        assert_eq!(check("pass/large_atomics_cas.cpp", &["-std=c++20"]), "verified", "{pair:?}");
    }
}

#[test]
fn what_does_not_compile_is_shown_in_the_words_of_clang() {
    if !has_clang() {
        return;
    }
    let output = check_text("broken.c", "int main(void) { return missing; }\n");
    assert_eq!(output.0, Some(2));
    assert!(
        output.1.contains("broken.c:1:25: error: use of undeclared identifier 'missing'"),
        "{}",
        output.1
    );
}

#[test]
fn an_unknown_function_is_named_with_the_place_of_its_call() {
    if !has_clang() {
        return;
    }
    let output =
        check_text("unknown.c", "int frobnicate(int);\nint main(void) {\n  return frobnicate(1);\n}\n");
    assert_eq!(output.0, Some(2));
    assert!(
        output.1.contains("unknown.c:3:10: error: the function `frobnicate` is neither defined nor modelled"),
        "{}",
        output.1
    );
}

#[test]
fn text_that_is_no_ir_is_refused() {
    let output = check_text("broken.ll", "define i32 @main() {\n  %x = add i32 1\n  ret i32 %x\n}\n");
    assert_eq!(output.0, Some(2));
    assert!(output.1.contains("broken.ll:3:3: error: expected `,`, found `ret`"), "{}", output.1);
    assert_eq!(check_text("empty.ll", "").0, Some(2));
    assert_eq!(check_text("words.ll", "once upon a time\n").0, Some(2));
}

/// Exit code and standard error of a check of this text.
fn check_text(name: &str, text: &str) -> (Option<i32>, String) {
    let folder = std::env::temp_dir().join(format!("atropos-c-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_atropos"));
    let output = command.args(["check", name]).current_dir(&folder).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}
