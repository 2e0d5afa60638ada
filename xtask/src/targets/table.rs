//! The results as a table.

use super::Target;
use super::run::{TestEnding, TestRun};
use std::fmt::{self, Write as _};
use std::fs;
use std::path::Path;
use std::time::Duration;

const RESULT: &str = "docs/rust-targets.md";

/// The results of one test.
pub(super) struct Row {
    pub package: &'static Target,
    pub test: String,
    pub ours: TestRun,
    pub theirs: Option<TestRun>,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.package.name, self.test, cells(&self.ours))?;
        if let Some(theirs) = &self.theirs {
            write!(f, " | loom: {}", cells(theirs))?;
        }
        if self.ours.fate == TestEnding::Failed {
            write!(f, "\n    {}", self.ours.complaint)?;
        }
        Ok(())
    }
}

/// The verdict, the number of executions, and the time.
fn cells(run: &TestRun) -> String {
    let fate = match run.fate {
        TestEnding::Passed => "passed",
        TestEnding::Failed => "**failed**",
        TestEnding::TimedOut => "time over",
    };
    let executions = match (run.fate, run.executions) {
        (TestEnding::Passed, Some(n)) => n.to_string(),
        _ => "–".to_string(),
    };
    format!("{fate} | {executions} | {:.2}", run.seconds)
}

/// Writes the document.
pub(super) fn write(root: &Path, rows: &[Row], limit: Duration) -> Result<(), String> {
    let mut text = format!(
        "# Tests of published packages\n\n\
        `make rust-targets` builds the packages below from the registry, unedited, with `crates/loom` in place of loom,\n\
        and runs their tests for loom, {} seconds of processor time each at most; beside it, loom itself in the same run,\n\
        without a bound on preemptions. Packages are built with `opt-level = 1`, and everything that they depend on, either loom included,\n\
        with `opt-level = 3`. A test may check several models; executions are their sum, complete ones only.\n\n",
        limit.as_secs()
    );
    let decided = |run: &TestRun| run.is_decided();
    let n_ours = rows.iter().filter(|row| decided(&row.ours)).count();
    let n_theirs = rows.iter().filter(|row| row.theirs.as_ref().is_some_and(decided)).count();
    writeln!(text, "Atropos decides {n_ours} of {} tests, loom {n_theirs}.\n", rows.len()).expect("room");
    text += "| package | test | Atropos | executions | s | loom | iterations | s |\n";
    text += "|---|---|---|---:|---:|---|---:|---:|\n";
    for Row { package, test, ours, theirs } in rows {
        let theirs = theirs.as_ref().map_or(" | | ".to_string(), cells);
        writeln!(text, "| {} {} | `{test}` | {} | {theirs} |", package.name, package.version, cells(ours))
            .expect("a string has room");
    }
    fs::write(root.join(RESULT), text).map_err(|error| error.to_string())
}
