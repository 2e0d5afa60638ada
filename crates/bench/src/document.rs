//! The last run as a document: docs/benchmarks.md is written by this and by nothing else.

use crate::machine::Machine;
use crate::scaling::Curve;
use crate::table::{self, COLUMNS, Line, Outcome};
use std::fmt::Write;

pub fn render(lines: &[Line], curve: Option<&Curve>, jobs: usize) -> String {
    let mut text = introduction(&Machine::here(), jobs);
    let n_equal = lines.iter().filter(|line| line.outcome() == Outcome::Equal).count();
    let _ = write!(text, "\n## Counts, speed, memory\n\n{n_equal} of {} counts are equal.\n\n", lines.len());
    text += &table_of(lines);
    text += &notes(lines);
    if let Some(curve) = curve {
        text += &scaling(curve);
    }
    text
}

fn introduction(machine: &Machine, jobs: usize) -> String {
    let Machine { processor, cores, memory_gib, kernel, load, compiler, commit, date } = machine;
    let workers = if jobs == 1 { "one worker".to_string() } else { format!("{jobs} workers") };
    format!(
        "# Benchmarks

The papers' synthetic programs, explored completely, with {workers}. `make bench` repeats the run and fails if a count
is not the paper's. This page is written by `atropos-bench --markdown`; nothing in it is typed in but the papers'
counts, which are in `crates/bench/src/papers.rs` with their sources. The programs are in `crates/bench/src/families`.

* Date: {date}, commit {commit}, {compiler}.
* Machine: {processor}, {cores} cores, {memory_gib} GiB, Linux {kernel}; load averages at the end {load}.

Each row is a process of its own: *peak* is the most memory that process had. *wall* and *cpu* are the seconds of the
exploration; where the machine is shared, cpu (user and kernel mode, `getrusage`) is the honest one, and the rates are
computed from it. *blocked* executions end with a thread that waits for ever; they come on top of ours. *events/exec*
is the number of events added per execution, blocked ones included: what two executions share is not built twice.
"
    )
}

fn table_of(lines: &[Line]) -> String {
    let mut text = format!("| {} |\n|", COLUMNS.join(" | "));
    for nth in 0..COLUMNS.len() {
        let is_name = nth < 3 || nth == 5 || nth + 1 == COLUMNS.len();
        text += if is_name { "---|" } else { "--:|" };
    }
    text += "\n";
    for line in lines {
        let _ = writeln!(text, "| {} |", table::cells(line).join(" | "));
    }
    text
}

/// One note per series, not per row.
fn notes(lines: &[Line]) -> String {
    let mut notes: Vec<String> = Vec::new();
    for Line { row, .. } in lines.iter().filter(|line| !line.row.note.is_empty()) {
        let note = format!("* {} under {}: {}.\n", row.case.family, row.case.model, row.note);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    if notes.is_empty() { String::new() } else { format!("\n## Notes\n\n{}", notes.concat()) }
}

fn scaling(curve: &Curve) -> String {
    let mut text = format!(
        "\n## Workers\n\n{}; the totals are the same in all lines.\n
| workers | executions | wall s | cpu s | speed-up |\n|--:|--:|--:|--:|--:|\n",
        curve.case
    );
    for point in &curve.points {
        let (wall, cpu) = (point.measured.wall_ns as f64 / 1e9, point.measured.cpu_ns as f64 / 1e9);
        let (jobs, executions) = (point.jobs, point.measured.executions);
        let _ = writeln!(text, "| {jobs} | {executions} | {wall:.3} | {cpu:.3} | {:.2} |", point.speed_up);
    }
    text
}
