//! Runs `atropos` on one row.

use crate::figures::Figures;
use crate::row::Row;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The result of `atropos check --format json`.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckAnswer {
    pub found: Figures,
    /// Time of the exploration alone, without compiling, by the clock.
    pub explore_us: u64,
    /// The same, in processor time.
    pub explore_cpu_us: u64,
    /// Events added, over all executions.
    pub events: u64,
}

/// The command for a row.
pub fn command(atropos: &Path, row: &Row, jobs: usize) -> Command {
    let mut command = Command::new(atropos);
    command
        .args(["check", "--format", "json", "--reduce", "none", "--jobs", &jobs.to_string()])
        .args(&row.options);
    command.arg(&row.file).arg("--").args(row.defines.iter().map(|define| format!("-D{define}")));
    command
}

/// Runs the command and parses its output.
///
/// # Errors
/// There is no verdict.
pub fn ask(command: Command) -> Result<CheckAnswer, String> {
    answer(&said(command)?)
}

/// The output of the command, if it reaches a verdict.
pub(crate) fn said(mut command: Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    match output.status.code() {
        Some(0 | 1) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        Some(3) => Err("a limit was hit".to_string()),
        _ => Err(String::from_utf8_lossy(&output.stderr).trim().to_string()),
    }
}

/// The answer in the JSON object of a check.
pub(crate) fn answer(text: &str) -> Result<CheckAnswer, String> {
    let object: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let number = |name: &str| object[name].as_u64().ok_or_else(|| format!("no number `{name}`"));
    let found = Figures {
        executions: Some(number("executions")?),
        blocked: Some(number("blocked")?),
        duplicates: Some(number("duplicates")?),
        is_violated: Some(object["verdict"] == "violation"),
        time_s: None,
    };
    let (explore_us, explore_cpu_us) = (number("explore_us")?, number("explore_cpu_us")?);
    Ok(CheckAnswer { found, explore_us, explore_cpu_us, events: number("events")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read() {
        let text = r#"{"verdict": "violation", "executions": 4, "blocked": 3, "duplicates": 2, "events": 9,
                       "explore_us": 13, "explore_cpu_us": 12}"#;
        let answer = answer(text).unwrap();
        assert_eq!(answer.found.to_string(), "violation, 4 + 3 blocked + 2 duplicates");
        assert_eq!((answer.explore_us, answer.explore_cpu_us, answer.events), (13, 12, 9));
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        assert!(answer("once").is_err() && answer("{}").is_err());
        assert!(ask(Command::new("/no/such/program")).unwrap_err().starts_with("/no/such/program: "));
    }
}
