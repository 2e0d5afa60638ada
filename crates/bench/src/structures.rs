//! How many executions the programs of `benchmarks/structures` have, with all reductions and with none.

use crate::check;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MODELS: [&str; 3] = ["rc11", "tso", "sc"];

/// The values of `--reduce` that are compared.
const REDUCTIONS: [&str; 2] = ["all", "none"];

/// What a check may take, in seconds.
const TIMEOUT: &str = "60";

const COLUMNS: [&str; 7] =
    ["program", "model", "executions", "blocked", "reduced by", "executions without", "blocked without"];

/// What a check says about a program.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Count {
    executions: u64,
    blocked: u64,
    /// The reductions that have left executions out.
    reductions: Vec<String>,
}

/// A program under a model, by reductions.
pub struct StructureLine {
    program: String,
    model: &'static str,
    counts: [Result<Count, String>; REDUCTIONS.len()],
}

/// Checks all programs in the folder, and prints each line as soon as it is known.
///
/// # Errors
/// The folder cannot be read.
pub fn measure(atropos: &Path, folder: &Path) -> Result<Vec<StructureLine>, String> {
    let problem = |error| format!("{}: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(problem)?;
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(problem)?;
    files.sort();
    println!("{}", COLUMNS.join("  "));
    let mut lines = Vec::new();
    for file in &files {
        for model in MODELS {
            let counts = REDUCTIONS.map(|reductions| count(atropos, file, model, reductions));
            let program = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let line = StructureLine { program, model, counts };
            println!("{}", cells(&line).join("  "));
            lines.push(line);
        }
    }
    Ok(lines)
}

fn count(atropos: &Path, file: &Path, model: &str, reductions: &str) -> Result<Count, String> {
    let mut command = Command::new(atropos);
    command.args(["check", "--format", "json", "--jobs", "1", "--timeout", TIMEOUT]);
    command.args(["--model", model, "--reduce", reductions]).arg(file);
    count_in(&check::said(command)?)
}

/// The count in the JSON object of a check.
fn count_in(text: &str) -> Result<Count, String> {
    let object: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let number = |name: &str| object[name].as_u64().ok_or_else(|| format!("no number `{name}`"));
    if object["verdict"] != "verified" {
        return Err(format!("the verdict is {}", object["verdict"]));
    }
    let names = object["reductions"].as_array().into_iter().flatten();
    let reductions = names.filter_map(|name| name.as_str().map(String::from)).collect();
    Ok(Count { executions: number("executions")?, blocked: number("blocked")?, reductions })
}

fn cells(line: &StructureLine) -> Vec<String> {
    let both = |count: &Result<Count, String>| match count {
        Ok(count) => [count.executions.to_string(), count.blocked.to_string()],
        Err(reason) => [reason.clone(), "-".to_string()],
    };
    let [reduced, full] = &line.counts;
    let names = reduced.as_ref().map(|count| count.reductions.join(", ")).unwrap_or_default();
    let [executions, blocked] = both(reduced);
    let [all_executions, all_blocked] = both(full);
    let model = line.model.to_string();
    vec![line.program.clone(), model, executions, blocked, names, all_executions, all_blocked]
}

/// The number of checks without a count.
pub fn n_failed(lines: &[StructureLine]) -> usize {
    lines.iter().flat_map(|line| &line.counts).filter(|count| count.is_err()).count()
}

/// The lines as a page.
pub fn render(lines: &[StructureLine]) -> String {
    let mut text = format!(
        "# Executions of the data structures

What TruSt explores of the programs in [benchmarks/structures](../benchmarks/structures) up to rf, without their bugs:
complete and blocked executions, first with all reductions, and then with `--reduce none`. The command
`make bench ARGS=--structures` writes this page.

| {} |
|---|---|--:|--:|---|--:|--:|
",
        COLUMNS.join(" | ")
    );
    for line in lines {
        let _ = writeln!(text, "| {} |", cells(line).join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_counts_with_and_without_reductions() {
        let reduced =
            r#"{"verdict": "verified", "executions": 4, "blocked": 3, "reductions": ["symmetry", "await"]}"#;
        let full = r#"{"verdict": "verified", "executions": 24, "blocked": 9}"#;
        let counts = [count_in(reduced), count_in(full)];
        let line = StructureLine { program: "lock.c".to_string(), model: "sc", counts };
        assert_eq!(cells(&line), ["lock.c", "sc", "4", "3", "symmetry, await", "24", "9"]);
        assert_eq!(n_failed(&[line]), 0);
    }

    #[test]
    fn a_check_without_a_count_is_shown_and_counted() {
        let counts = [count_in(r#"{"verdict": "violation", "executions": 1, "blocked": 0}"#), count_in("{")];
        let line = StructureLine { program: "lock.c".to_string(), model: "sc", counts };
        assert_eq!(cells(&line)[2..4], ["the verdict is \"violation\"", "-"]);
        assert_eq!(n_failed(&[line]), 2);
    }
}
