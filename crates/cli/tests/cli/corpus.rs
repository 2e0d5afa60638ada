//! The litmus corpus against its goldens: per model the final states with the number of executions that end in
//! each, the answer to the condition, and the races. The golden of `c/X.litmus` is `expected/c/X.expected`;
//! `ATROPOS_BLESS=1 cargo test -p atropos-cli` rewrites them; a person should then read the difference.
//!
//! Both equivalences have a column: they must agree on the states, and `rf` never has more executions.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const C_MODELS: [&str; 6] = ["sc", "tso", "pso", "ra", "sra", "rc11"];
const X86_MODELS: [&str; 3] = ["sc", "tso", "pso"];

#[test]
fn the_corpus_is_answered_as_expected() {
    let tests = corpus();
    assert!(tests.len() > 100, "the corpus is there");
    let next = AtomicUsize::new(0);
    let work = || {
        let mut failures = Vec::new();
        while let Some(test) = tests.get(next.fetch_add(1, Relaxed)) {
            failures.extend(compare(test));
        }
        failures
    };
    let n_workers = std::thread::available_parallelism().map_or(1, usize::from);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..n_workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{} tests differ:\n\n{}", failures.len(), failures.join("\n"));
}

fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus").canonicalize().unwrap();
    let files = ["c", "x86"].into_iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let paths = files.map(|entry| entry.unwrap().path());
    let mut tests: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|kind| kind == "litmus")).collect();
    tests.sort();
    tests
}

/// What is wrong with one test.
fn compare(test: &Path) -> Option<String> {
    let golden = golden_of(test);
    let actual = answers(test);
    if std::env::var_os("ATROPOS_BLESS").is_some() {
        std::fs::write(&golden, &actual).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).unwrap_or_default();
    (actual != expected).then(|| format!("{}: expected\n{expected}\nbut it is\n{actual}", test.display()))
}

fn golden_of(test: &Path) -> PathBuf {
    let folder = test.parent().unwrap();
    let root = folder.parent().unwrap().join("expected").join(folder.file_name().unwrap());
    root.join(format!("{}.expected", test.file_stem().unwrap().to_str().unwrap()))
}

/// The text of a golden.
fn answers(test: &Path) -> String {
    let models: &[&str] = if test.parent().unwrap().ends_with("c") { &C_MODELS } else { &X86_MODELS };
    let mut text = String::new();
    for model in models {
        match check(test, &["--no-race-detection", "--model", model, "--equivalence", "rf"]) {
            Ok(rf) => {
                let co =
                    check(test, &["--no-race-detection", "--model", model, "--equivalence", "co"]).unwrap();
                let races = check(test, &["--keep-going", "--model", model]).unwrap();
                text += &one_model(model, &rf, &co, &races);
            }
            Err(refusal) => writeln!(text, "{model} refused: {refusal}").unwrap(),
        }
    }
    text
}

fn one_model(model: &str, rf: &Value, co: &Value, races: &Value) -> String {
    let count = |object: &Value| format!("{}+{}", object["executions"], object["blocked"]);
    let answer = rf["condition"].as_str().unwrap_or("no condition");
    let mut text = format!("{model} {answer}, executions+blocked: rf {} co {}\n", count(rf), count(co));
    let (states, co_states) = (states(rf), states(co));
    assert!(states.keys().eq(co_states.keys()), "rf and co disagree on the states under {model}: {rf} {co}");
    assert_eq!(rf["condition"], co["condition"]);
    for (state, count) in &states {
        assert!(*count <= co_states[state], "rf has more executions than co under {model}");
        writeln!(text, "  {state}: rf {count} co {}", co_states[state]).unwrap();
    }
    let violations = races["violations"].as_array().unwrap();
    for violation in violations.iter().filter(|violation| violation["kind"] != "condition") {
        let [kind, message] = ["kind", "message"].map(|key| violation[key].as_str().unwrap());
        writeln!(text, "  {kind} at line {}: {message}", violation["location"]["line"]).unwrap();
    }
    text
}

fn states(object: &Value) -> BTreeMap<String, u64> {
    let state = |outcome: &Value| {
        (outcome["state"].as_str().unwrap().to_string(), outcome["count"].as_u64().unwrap())
    };
    object["outcomes"].as_array().unwrap().iter().map(state).collect()
}

/// The JSON object of a check, or why it was refused.
fn check(test: &Path, options: &[&str]) -> Result<Value, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atropos"));
    command.args(["check", "--format", "json", "--jobs", "1", "--timeout", "60"]).args(options).arg(test);
    let output = command.output().unwrap();
    match output.status.code() {
        Some(0 | 1) => Ok(serde_json::from_slice(&output.stdout).unwrap()),
        Some(2) => {
            let object: Value = serde_json::from_slice(&output.stdout).unwrap();
            Err(object["errors"][0]["message"].as_str().unwrap().to_string())
        }
        code => panic!("{}: exit {code:?}: {}", test.display(), String::from_utf8_lossy(&output.stderr)),
    }
}
