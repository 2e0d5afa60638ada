//! What programs mean: barriers, waiting, bounds, atomic sections, races that are not to be detected. Each program of
//! `corpus/c/semantics` says in its comments what every algorithm must answer under a model:
//!
//! ```text
//! // expect: MODEL,... [OPTION...] [-- CFLAG...] => verified [bounded]
//! // expect: MODEL,... [OPTION...] [-- CFLAG...] => violation KIND
//! // expect: MODEL,... [OPTION...] [-- CFLAG...] => refused
//! ```
//!
//! `all` stands for all built-in models. If the options name an algorithm, no other one is run.

use crate::clang::{has_clang, root, source_or_ir};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const MODELS: [&str; 7] = ["sc", "tso", "pso", "ra", "sra", "rc11", "wrc11"];

/// The searches that there are under a model.
fn searches(model: &str) -> &'static [&'static [&'static str]] {
    const TRUST: &[&str] = &["--equivalence", "rf"];
    const TRUST_CO: &[&str] = &["--equivalence", "co"];
    const SOURCE: &[&str] = &["--algorithm", "source-dpor"];
    const OPTIMAL: &[&str] = &["--algorithm", "optimal-dpor"];
    match model {
        "sc" => &[TRUST, TRUST_CO, SOURCE, OPTIMAL, &["--algorithm", "rvf"]],
        "tso" | "pso" => &[TRUST, TRUST_CO, SOURCE, OPTIMAL],
        "ra" => &[TRUST, TRUST_CO, &["--algorithm", "tracer"]],
        "sra" => &[TRUST, TRUST_CO],
        "rc11" => &[TRUST, TRUST_CO, &["--algorithm", "rcmc"]],
        "wrc11" => &[&["--algorithm", "rcmc"]],
        _ => &[&[]],
    }
}

/// What a search says about a program.
fn answer(program: &Path, model: &str, search: &[&str], options: &[&str], flags: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atropos"));
    command.current_dir(root()).args(["check", "--format", "json", "--jobs", "1", "--model", model]);
    if !options.contains(&"--timeout") {
        command.args(["--timeout", "60"]);
    }
    command.args(search).args(options).arg(source_or_ir(program, flags)).arg("--").args(flags);
    let output = command.output().unwrap();
    match output.status.code() {
        Some(0 | 1) => {}
        Some(2) => return "refused".to_string(),
        code => return format!("{code:?} {}", String::from_utf8_lossy(&output.stderr).trim()),
    }
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let bounded = if object["bounded"] == true { " bounded" } else { "" };
    match object["violations"].as_array().unwrap().first() {
        Some(violation) => format!("violation {}", violation["kind"].as_str().unwrap()),
        None => format!("{}{bounded}", object["verdict"].as_str().unwrap()),
    }
}

#[test]
fn every_algorithm_answers_as_the_program_says() {
    if !has_clang() {
        return;
    }
    let folder = root().join("corpus/c/semantics");
    let mut programs: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    programs.retain(|path| path.extension().is_some_and(|kind| kind != "cat"));
    programs.sort();
    let mut all = Vec::new();
    for program in programs {
        let text = std::fs::read_to_string(&program).unwrap();
        let lines = text.lines().filter_map(|line| line.strip_prefix("// expect: "));
        let expectations: Vec<_> = lines.map(|line| (program.clone(), line.to_string())).collect();
        assert!(!expectations.is_empty(), "{} expects nothing", program.display());
        all.extend(expectations);
    }
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((program, expectation)) = all.get(next.fetch_add(1, Relaxed)) {
                    let mut found = Vec::new();
                    check(program, expectation, &mut found);
                    failures.lock().unwrap().extend(found);
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check(program: &Path, expectation: &str, failures: &mut Vec<String>) {
    let (asked, expected) = expectation.split_once(" => ").expect("what is expected comes after `=>`");
    let (options, flags) = asked.split_once(" -- ").unwrap_or((asked, ""));
    let (options, flags): (Vec<_>, Vec<_>) =
        (options.split_whitespace().collect(), flags.split_whitespace().collect());
    let (models, options) = options.split_first().expect("models come first");
    let models: Vec<_> = if *models == "all" { MODELS.to_vec() } else { models.split(',').collect() };
    for model in models {
        let fixed: &[&[&str]] = &[&[]];
        let is_fixed = options.iter().any(|option| ["--algorithm", "--equivalence"].contains(option));
        for search in if is_fixed { fixed } else { searches(model) } {
            let actual = answer(program, model, search, options, &flags);
            if actual != expected {
                let name = program.file_name().unwrap().display();
                let search = search.join(" ");
                failures.push(format!(
                    "{name}: {model} {search} of `{asked}`: expected {expected}, got {actual}"
                ));
            }
        }
    }
}
