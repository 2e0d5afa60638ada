//! A row with its result, as a line of a table.

use crate::measure::Measurement;
use crate::row::Row;
use std::fmt;

pub struct BenchLine {
    pub row: Row,
    pub result: Result<Measurement, String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowOutcome {
    /// The paper's figures.
    Equal,
    /// Our own figures, with a reason why they differ from the paper's.
    Explained,
    Different,
    Failed,
}

impl RowOutcome {
    pub fn is_wrong(self) -> bool {
        matches!(self, RowOutcome::Different | RowOutcome::Failed)
    }
}

impl BenchLine {
    pub fn outcome(&self) -> RowOutcome {
        match &self.result {
            Ok(measured) if !self.row.expected().agree_with(&measured.answer.found) => RowOutcome::Different,
            Ok(_) if self.row.ours.is_some() => RowOutcome::Explained,
            Ok(_) => RowOutcome::Equal,
            Err(_) => RowOutcome::Failed,
        }
    }

    /// Why the figures differ from the paper's, or what went wrong.
    pub(crate) fn remark(&self) -> Option<String> {
        match (&self.result, &self.row.ours) {
            (Err(error), _) => Some(error.clone()),
            (Ok(_), Some(ours)) if self.outcome() == RowOutcome::Explained => Some(ours.reason.clone()),
            (Ok(_), _) if self.outcome() == RowOutcome::Different => {
                Some(format!("expected {}", self.row.expected()))
            }
            (Ok(_), _) => None,
        }
    }
}

impl fmt::Display for RowOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RowOutcome::Equal => "equal",
            RowOutcome::Explained => "explained",
            RowOutcome::Different => "DIFFERENT",
            RowOutcome::Failed => "FAILED",
        })
    }
}

pub(crate) const COLUMNS: [&str; 12] = [
    "benchmark",
    "parameter",
    "options",
    "paper",
    "ours",
    "",
    "explore s",
    "wall s",
    "cpu s",
    "peak MiB",
    "paper s",
    "paper/ours",
];

const WIDTHS: [usize; 12] = [18, 12, 49, 24, 24, 9, 9, 8, 8, 8, 8, 10];

/// Whether a column holds words, which are aligned to the left.
pub fn is_name(column: usize) -> bool {
    matches!(column, 0..=2 | 5)
}

/// The cells of a line, in the order of [`COLUMNS`].
pub fn cells(line: &BenchLine) -> [String; 12] {
    let BenchLine { row, result } = line;
    let show = |show: &dyn Fn(&Measurement) -> String| match result {
        Ok(measured) => show(measured),
        Err(_) => "-".to_string(),
    };
    let seconds = |ms: u64| format!("{:.2}", ms as f64 / 1e3);
    [
        row.name(),
        row.defines.join(" "),
        row.options.join(" "),
        row.paper.to_string(),
        show(&|measured| ours(row, measured)),
        line.outcome().to_string(),
        show(&|measured| format!("{:.4}", measured.answer.explore_cpu_us as f64 / 1e6)),
        show(&|measured| seconds(measured.cost.wall_ms)),
        show(&|measured| seconds(measured.cost.cpu_us / 1000)),
        show(&|measured| format!("{:.1}", measured.cost.peak_kib as f64 / 1024.0)),
        row.paper.time_s.map_or(String::new(), |time| time.to_string()),
        show(&|measured| ratio(row, measured)),
    ]
}

/// Every figure that the row lists, and other figures that are not zero. A search that stops at a violation has no
/// counts.
fn ours(row: &Row, measured: &Measurement) -> String {
    let (asked, mut found) = (row.expected(), measured.answer.found.clone());
    if found.is_violated == Some(true) && asked.total() == 0 {
        return "violation".to_string();
    }
    found.blocked = found.blocked.filter(|n| *n > 0 || asked.blocked.is_some());
    found.duplicates = found.duplicates.filter(|n| *n > 0 || asked.duplicates.is_some());
    found.is_violated = found.is_violated.filter(|is| *is || asked.is_violated.is_some());
    found.to_string()
}

/// How many times faster the exploration is than the paper's tool was on the paper's machine; per execution, if the
/// numbers of executions differ. Papers print some times as 0; then there is no ratio.
fn ratio(row: &Row, measured: &Measurement) -> String {
    let Some(paper) = row.paper.time_s.filter(|time| *time > 0.0) else { return String::new() };
    let ours = measured.answer.explore_cpu_us.max(1) as f64 / 1e6;
    let per_execution = match (row.paper.executions, measured.answer.found.executions) {
        (Some(theirs), Some(ours)) => ours as f64 / theirs.max(1) as f64,
        _ => 1.0,
    };
    format!("{:.0}", paper / ours * per_execution)
}

pub fn header() -> String {
    aligned(&COLUMNS.map(String::from))
}

impl fmt::Display for BenchLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&aligned(&cells(self)))?;
        self.remark().map_or(Ok(()), |remark| write!(f, "\n{:>8}{remark}", ""))
    }
}

/// Names to the left, numbers to the right.
fn aligned(cells: &[String; 12]) -> String {
    let mut text = String::new();
    for (nth, (cell, width)) in cells.iter().zip(WIDTHS).enumerate() {
        text += &if is_name(nth) { format!("{cell:<width$} ") } else { format!("{cell:>width$} ") };
    }
    text.trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::CheckAnswer;
    use crate::measure::Cost;
    use crate::row::rows;
    use std::path::Path;

    fn line(fields: &str, found: &str) -> BenchLine {
        let row = rows(Path::new("a.c"), &format!("// row: {fields}")).unwrap().remove(0);
        let answer =
            CheckAnswer { found: found.parse().unwrap(), explore_us: 1, explore_cpu_us: 500_000, events: 1 };
        let cost = Cost { wall_ms: 1, cpu_us: 2000, peak_kib: 3 };
        BenchLine { row, result: Ok(Measurement { answer, cost }) }
    }

    const FOUND: &str = "executions 3, blocked 0, duplicates 2, verdict verified";

    #[test]
    fn a_row_is_equal_explained_or_different() {
        let outcome = |fields: &str| line(fields, FOUND).outcome();
        assert_eq!(outcome("T | | | executions 3"), RowOutcome::Equal);
        assert_eq!(outcome("T | | | executions 4 | ours executions 3: why"), RowOutcome::Explained);
        assert_eq!(outcome("T | | | executions 4"), RowOutcome::Different);
        assert_eq!(outcome("T | | | executions 3 | ours executions 4: why"), RowOutcome::Different);
        let failed = BenchLine { result: Err("no verdict".into()), ..line("T | | | executions 3", FOUND) };
        assert!(failed.outcome() == RowOutcome::Failed && failed.outcome().is_wrong());
        assert_eq!(failed.remark().unwrap(), "no verdict");
    }

    #[test]
    fn a_line_shows_what_was_asked_for_and_what_is_not_zero() {
        let show = |fields: &str, found: &str| cells(&line(fields, found))[4].clone();
        assert_eq!(show("T | | | executions 3", FOUND), "3 + 2 duplicates");
        assert_eq!(show("T | | | executions 3, blocked 0", FOUND), "3 + 0 blocked + 2 duplicates");
        assert_eq!(show("T | | | verdict violation", "executions 1, verdict violation"), "violation");
    }

    #[test]
    fn the_ratio_needs_a_time_of_the_paper() {
        let ratio = |fields: &str| cells(&line(fields, FOUND))[11].clone();
        assert_eq!(ratio("T | | | executions 3, time 10"), "20");
        assert_eq!(ratio("T | | | executions 30, time 100"), "20");
        assert_eq!(ratio("T | | | verdict verified, time 100"), "200");
        assert_eq!(ratio("T | | | executions 3, time 0"), "");
        assert_eq!(ratio("T | | | executions 3"), "");
    }
}
