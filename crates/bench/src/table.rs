//! The table as the terminal shows it.

use crate::measure::Measurement;
use crate::rows::Row;
use std::fmt;

/// A row and what came of it.
pub struct Line {
    pub row: Row,
    pub result: Result<Measurement, String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Equal,
    /// The row's note tells why not.
    Explained,
    Different,
    Failed,
}

impl Line {
    pub fn outcome(&self) -> Outcome {
        match &self.result {
            Ok(measured) if measured.executions == self.row.expected => Outcome::Equal,
            Ok(_) if self.row.is_explained => Outcome::Explained,
            Ok(_) => Outcome::Different,
            Err(_) => Outcome::Failed,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Equal => "equal",
            Outcome::Explained => "note",
            Outcome::Different => "DIFFERS",
            Outcome::Failed => "FAILED",
        })
    }
}

pub const COLUMNS: [&str; 14] = [
    "benchmark",
    "model",
    "up to",
    "paper",
    "ours",
    "",
    "blocked",
    "wall s",
    "cpu s",
    "exec/s",
    "events/exec",
    "ns/event",
    "peak MiB",
    "source",
];

const WIDTHS: [usize; 14] = [22, 5, 5, 9, 9, 7, 7, 8, 8, 9, 11, 8, 8, 0];

pub fn header() -> String {
    aligned(&COLUMNS.map(String::from))
}

/// The cells of a line, in the order of [`COLUMNS`].
pub fn cells(line: &Line) -> [String; 14] {
    let Line { row, result } = line;
    let name = match row.case.parameter {
        0 => row.case.family.clone(),
        parameter => format!("{}({parameter})", row.case.family),
    };
    let number = |show: &dyn Fn(&Measurement) -> String| match result {
        Ok(measured) => show(measured),
        Err(_) => "-".to_string(),
    };
    [
        name,
        row.case.model.to_string(),
        row.case.up_to.to_string(),
        row.expected.to_string(),
        number(&|m| m.executions.to_string()),
        line.outcome().to_string(),
        number(&|m| m.blocked.to_string()),
        number(&|m| format!("{:.3}", m.wall_ns as f64 / 1e9)),
        number(&|m| format!("{:.3}", m.cpu_ns as f64 / 1e9)),
        number(&|m| format!("{:.0}", m.executions_per_second())),
        number(&|m| format!("{:.2}", m.events_per_execution())),
        number(&|m| format!("{:.0}", m.ns_per_event())),
        number(&|m| format!("{:.1}", m.peak_kib as f64 / 1024.0)),
        row.source.to_string(),
    ]
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&aligned(&cells(self)))?;
        if !self.row.note.is_empty() {
            write!(f, "; {}", self.row.note)?;
        }
        Ok(())
    }
}

/// Names to the left, numbers to the right.
fn aligned(cells: &[String; 14]) -> String {
    let mut text = String::new();
    for (nth, (cell, width)) in cells.iter().zip(WIDTHS).enumerate() {
        let is_name = nth < 3 || nth == 5;
        text += &if is_name { format!("{cell:<width$} ") } else { format!("{cell:>width$} ") };
    }
    text.trim_end().to_string()
}
