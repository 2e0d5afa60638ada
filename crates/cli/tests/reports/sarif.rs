//! SARIF logs, and that they satisfy the schema.

use crate::files::TWO;
use crate::run::Sandbox;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The schema, from the dependency of the package `schema`; `None` if it cannot be fetched and need not be.
fn schema() -> Option<Value> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reports/schema/Cargo.toml");
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let output =
        command.args(["metadata", "--format-version", "1", "--manifest-path", manifest]).output().ok()?;
    let metadata: Option<Value> = serde_json::from_slice(&output.stdout).ok();
    let path = metadata.and_then(|metadata| {
        let packages = metadata["packages"].as_array()?.iter();
        let package = packages.into_iter().find(|package| package["name"] == "serde-sarif")?;
        Some(PathBuf::from(package["manifest_path"].as_str()?).with_file_name("src"))
    });
    let text = path.and_then(|folder| std::fs::read_to_string(Path::join(&folder, "schema.json")).ok());
    let is_required = std::env::var_os("ATROPOS_REQUIRE_CHROMIUM").is_some();
    assert!(text.is_some() || !is_required, "the schema cannot be fetched: {output:?}");
    let mut schema: Value = serde_json::from_str(&text?).expect("the schema is JSON");
    // The pattern of this property, which Atropos does not use, is not a regular expression.
    for part in ["run", "toolComponent"] {
        schema["definitions"][part]["properties"]["language"].as_object_mut()?.remove("pattern");
    }
    Some(schema)
}

fn log(sandbox: &Sandbox, args: &str, exit: i32) -> Value {
    let run = sandbox.run(&format!("check --jobs 1 --report a.sarif {args}"));
    assert_eq!(run.exit, Some(exit), "{run:?}");
    let text = std::fs::read_to_string(sandbox.path().join("a.sarif")).unwrap();
    let log = serde_json::from_str(&text).unwrap();
    if let Some(schema) = schema() {
        let errors: Vec<String> = jsonschema::validator_for(&schema)
            .expect("the schema is one")
            .iter_errors(&log)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    log
}

#[test]
fn violations_are_results_with_the_flow_of_every_thread() {
    let sandbox = Sandbox::new().with("a b.vm", TWO);
    let mut command = sandbox.command("check --jobs 1 --keep-going --report a.sarif");
    command.arg("a b.vm").output().unwrap();
    let text = std::fs::read_to_string(sandbox.path().join("a.sarif")).unwrap();
    assert!(text.contains("\"uri\": \"a%20b.vm\""), "{text}");
    let sandbox = Sandbox::new().with("p.vm", TWO);
    let log = log(&sandbox, "--keep-going p.vm", 1);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let race = results.iter().find(|result| result["ruleId"] == "race").unwrap();
    assert_eq!(race["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "p.vm");
    let flows = race["codeFlows"][0]["threadFlows"].as_array().unwrap();
    let names: Vec<_> = flows.iter().map(|flow| flow["id"].as_str().unwrap()).collect();
    assert_eq!(names, ["t1", "t2"]);
    let essential = flows.iter().flat_map(|flow| flow["locations"].as_array().unwrap());
    assert_eq!(essential.filter(|step| step["importance"] == "essential").count(), 2);
}

#[test]
fn what_cannot_be_checked_is_a_notification() {
    let sandbox = Sandbox::new().with("p.vm", TWO).with("bad.vm", "fn main( {\n");
    let failed = log(&sandbox, "bad.vm", 2);
    let invocation = &failed["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolExecutionNotifications"][0]["level"], "error");
    let limited = log(&sandbox, "--model sc --max-executions 1 p.vm", 3);
    assert_eq!(limited["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["level"], "warning");
}
