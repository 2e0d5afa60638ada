//! The C corpus by all algorithms: under one model they find the same violations, of the same kinds and, where
//! one thread alone goes wrong, in the same places.
//!
//! Each program is compiled once. Searches that take too many executions are left out of the comparison, and what
//! RVF-SMC does not judge. Without clang the test says so and passes, as that of the corpus does.

use crate::clang::has_clang;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The models with the algorithms that are compared with TruSt.
const MODELS: [(&str, &[&str]); 5] = [
    ("sc", &["source-dpor", "optimal-dpor", "rvf"]),
    ("tso", &["source-dpor", "optimal-dpor"]),
    ("pso", &["source-dpor", "optimal-dpor"]),
    ("ra", &["tracer"]),
    ("rc11", &["rcmc"]),
];

const MOST_EXECUTIONS: &str = "500";

#[test]
fn all_algorithms_find_the_same_violations_in_the_corpus() {
    if !has_clang() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("atropos-algorithms-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (mut n_compared, mut n_violations) = (0, 0);
    for program in programs() {
        let text = std::fs::read_to_string(&program).unwrap();
        let given = |start| text.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_default();
        let compiled = compile(&program, &folder, given("// flags: "));
        let options = given("// options: ");
        let violations = |file, model, algorithm| violations(file, model, algorithm, options);
        for (model, algorithms) in MODELS {
            let Some(expected) = violations(&compiled, model, "trust") else { continue };
            n_violations += expected.len();
            for algorithm in algorithms {
                let Some(found) = violations(&compiled, model, algorithm) else { continue };
                assert_eq!(found, expected, "{}: {algorithm} and trust under {model}", program.display());
                n_compared += 1;
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(n_compared >= 120, "{n_compared} comparisons");
    assert!(n_violations >= 20, "{n_violations} violations");
}

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
    let files = ["pass", "fail"].into_iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let paths = files.map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|kind| kind == "c")).collect();
    paths.sort();
    paths
}

/// The LLVM IR of a program, in a file.
fn compile(program: &Path, folder: &Path, flags: &str) -> PathBuf {
    let file = folder.join(program.file_name().unwrap()).with_extension("ll");
    let mut command = Command::new("clang-19");
    command.args(["-S", "-emit-llvm", "-O0", "-g", "-fno-discard-value-names", "-mlong-double-64", "-o"]);
    let output = command.arg(&file).args(flags.split_whitespace()).arg(program).output().unwrap();
    assert!(output.status.success(), "{}: {}", program.display(), String::from_utf8_lossy(&output.stderr));
    file
}

/// The kinds of violations, with the line where the kind belongs to one; `None` if the algorithm does not get to an
/// end or does not judge the program.
fn violations(
    program: &Path,
    model: &str,
    algorithm: &str,
    options: &str,
) -> Option<BTreeSet<(String, Option<u64>)>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atropos"));
    command.args(["check", "--format", "json", "--jobs", "1", "--keep-going"]);
    command.args(["--max-executions", MOST_EXECUTIONS, "--model", model, "--algorithm", algorithm]);
    let output = command.args(options.split_whitespace()).arg(program).output().unwrap();
    if output.status.code() == Some(2) {
        let message = String::from_utf8_lossy(&output.stderr).to_string();
        assert!(
            algorithm == "rvf"
                && (message.contains("rvf cannot judge") || message.contains("--leaks is not for rvf")),
            "{}: {message}",
            program.display()
        );
        return None;
    }
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    // TruSt says so if it has not seen all that the machines of the others do with accesses of several sizes.
    let is_partial = matches!(model, "tso" | "pso") && !object["mixed_sizes"].is_null();
    if object["complete"] != true || is_partial {
        return None;
    }
    // Two threads are to blame for these, and either may be named.
    let shared = ["race", "deadlock", "use-after-free", "double-free", "non-termination"];
    let is_shared = |kind: &str| shared.contains(&kind);
    let of_violation = |violation: &Value| {
        let kind = violation["kind"].as_str().unwrap().to_string();
        let line = violation["location"]["line"].as_u64().filter(|_| !is_shared(&kind));
        (kind, line)
    };
    Some(object["violations"].as_array().unwrap().iter().map(of_violation).collect())
}
