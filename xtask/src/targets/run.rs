//! Runs a test with a limit on its time.

use crate::child;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How a test has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TestEnding {
    Passed,
    Failed,
    TimedOut,
}

pub(super) struct TestRun {
    pub fate: TestEnding,
    /// The number of executions, of all models of the test; `None` if it did not say.
    pub executions: Option<u64>,
    pub seconds: f64,
    /// The first line that says what is wrong.
    pub complaint: String,
}

impl TestRun {
    pub fn is_decided(&self) -> bool {
        self.fate != TestEnding::TimedOut
    }
}

/// The names of the tests that contain one of these words.
pub(super) fn tests(program: &Path, words: &[&str]) -> Result<Vec<String>, String> {
    let output = Command::new(program).arg("--list").output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
    Ok(names.filter(|name| words.iter().any(|word| name.contains(word))).map(str::to_string).collect())
}

/// Runs one test.
pub(super) fn run(program: &Path, test: &str, limit: Duration) -> Result<TestRun, String> {
    let log = program.with_extension("log");
    let file = File::create(&log).map_err(|error| error.to_string())?;
    let other = file.try_clone().map_err(|error| error.to_string())?;
    let begin = Instant::now();
    let child = Command::new(program)
        .args(["--exact", "--nocapture", "--include-ignored", test])
        .env("LOOM_LOG", "info")
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(other)
        .spawn()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let status = child::wait(child, limit, || false).map_err(|error| error.to_string())?;
    let seconds = begin.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&fs::read(&log).map_err(|error| error.to_string())?).into_owned();
    let fate = match status {
        Some(status) if status.success() => TestEnding::Passed,
        Some(_) => TestEnding::Failed,
        None => TestEnding::TimedOut,
    };
    Ok(TestRun { fate, executions: executions(&text), seconds, complaint: complaint(&text) })
}

/// The sum of all `Completed in N iterations`.
fn executions(text: &str) -> Option<u64> {
    let numbers = text.lines().filter_map(|line| {
        let (_, rest) = line.split_once("Completed in ")?;
        rest.split(' ').next()?.parse::<u64>().ok()
    });
    numbers.reduce(|sum, n| sum + n)
}

fn complaint(text: &str) -> String {
    let line = text.lines().find(|line| line.contains("error[") || line.contains("error:"));
    let line = line.or_else(|| text.lines().skip_while(|line| !line.contains("panicked at")).nth(1));
    line.unwrap_or_default().trim().to_string()
}
