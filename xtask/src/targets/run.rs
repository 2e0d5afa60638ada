//! Runs a test with a limit on its processor time, so that other work on the machine does not matter.

use crate::child;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A test that waits for something that never comes uses no processor. It may take this many times its limit.
const MOST_WAITING: u32 = 20;
/// How often Linux counts processor time, per second.
const TICKS: f64 = 100.0;
/// The columns of `/proc/PID/stat`, counted from 0 after the name in parentheses: the processor time that a process has
/// used, by itself and in the system, and the same for those of its children that have ended.
const OWN_TIME: usize = 11;
const TIME_OF_CHILDREN: usize = 13;

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
    /// Of processor time.
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
    let before = processor_time("self", TIME_OF_CHILDREN);
    let child = Command::new(program)
        .args(["--exact", "--nocapture", "--include-ignored", test])
        .env("LOOM_LOG", "info")
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(other)
        .spawn()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let process = child.id().to_string();
    let is_over = || processor_time(&process, OWN_TIME) >= limit.as_secs_f64();
    let status = child::wait(child, limit * MOST_WAITING, is_over).map_err(|error| error.to_string())?;
    let seconds = processor_time("self", TIME_OF_CHILDREN) - before;
    let text = String::from_utf8_lossy(&fs::read(&log).map_err(|error| error.to_string())?).into_owned();
    let fate = match status {
        Some(status) if status.success() => TestEnding::Passed,
        Some(_) => TestEnding::Failed,
        None => TestEnding::TimedOut,
    };
    Ok(TestRun { fate, executions: executions(&text), seconds, complaint: complaint(&text) })
}

/// The sum of two columns, in seconds; 0 if there is no such process.
fn processor_time(process: &str, column: usize) -> f64 {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let columns = text.rsplit(") ").next().unwrap_or_default().split(' ');
    let ticks = columns.skip(column).take(2).filter_map(|number| number.parse::<f64>().ok());
    ticks.sum::<f64>() / TICKS
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
