//! Atomic objects of 16 bytes, under every model and by every algorithm: `corpus/c/sixteen/litmus.c` has small programs
//! with objects of several kinds. Each has the same answer, with as many executions, as with objects of 8 bytes.

use crate::clang::{has_clang, root, source_or_ir};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Algorithms and the models that they support.
const PAIRS: [(&str, &[&str]); 6] = [
    ("trust", &["sc", "tso", "pso", "ra", "sra", "rc11"]),
    ("rcmc", &["rc11", "wrc11"]),
    ("tracer", &["ra"]),
    ("source-dpor", &["sc", "tso", "pso"]),
    ("optimal-dpor", &["sc", "tso", "pso"]),
    ("rvf", &["sc"]),
];

/// Kinds of objects: one of 8 bytes, and those of 16 bytes that are like it.
const KINDS: [(&str, &[&str]); 2] = [("0", &["1", "2", "3"]), ("-4", &["4"])];

const SHAPES: [&str; 7] = ["0", "1", "2", "3", "4", "5", "6"];

#[derive(PartialEq, Debug)]
struct Answer {
    executions: u64,
    violations: Vec<String>,
}

#[test]
fn objects_of_16_bytes_behave_like_those_of_8_under_every_model_and_by_every_algorithm() {
    if !has_clang() {
        return;
    }
    for machine in ["-mno-cx16", "-mcx16"] {
        for shape in SHAPES {
            for (small, large) in KINDS {
                for (algorithm, models) in PAIRS {
                    for &model in models {
                        let answer = |kind| answer(kind, shape, machine, algorithm, model);
                        let expected = answer(small);
                        for kind in large {
                            let place =
                                format!("kind {kind}, shape {shape}, {machine}, {algorithm}, {model}");
                            assert_eq!(answer(kind), expected, "{place}");
                        }
                        // Stores wait in a buffer, unless an instruction with `lock` makes them.
                        if shape == "3" && small == "0" {
                            assert_eq!(expected.violations.is_empty(), model == "sc", "{algorithm}, {model}");
                        }
                    }
                }
            }
        }
    }
}

fn answer(kind: &str, shape: &str, machine: &str, algorithm: &str, model: &str) -> Answer {
    let flags = [&format!("-DKIND={kind}"), &format!("-DSHAPE={shape}"), machine, "-w"];
    let program = source_or_ir(&root().join(Path::new("corpus/c/sixteen/litmus.c")), &flags);
    let mut command = Command::new(env!("CARGO_BIN_EXE_atropos"));
    command.args(["check", "--format", "json", "--jobs", "1", "--keep-going", "--reduce", "none"]);
    command.args(["--algorithm", algorithm, "--model", model]).arg(program).arg("--").args(flags);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{flags:?}, {algorithm}, {model}: {said}");
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["complete"], true, "{flags:?}, {algorithm}, {model}");
    let kinds = object["violations"].as_array().unwrap().iter();
    let mut violations: Vec<_> =
        kinds.map(|violation| violation["kind"].as_str().unwrap().to_string()).collect();
    violations.sort();
    violations.dedup();
    Answer { executions: object["executions"].as_u64().unwrap(), violations }
}
