//! Writes the last run as a document, docs/benchmarks.md.

use crate::growth::{self, GrowthCurve};
use crate::line::{BenchLine, COLUMNS, RowOutcome, cells, is_name};
use crate::machine::HostMachine;
use crate::scaling::{self, Curve};
use std::fmt::Write;

/// The curves of growth, and whether they have all sizes.
pub struct Growth<'a> {
    pub curves: &'a [GrowthCurve],
    pub with_all: bool,
}

pub fn render(lines: &[BenchLine], curves: &[Curve], growth: &Growth<'_>, jobs: usize) -> String {
    let mut text = introduction(&HostMachine::here(), jobs);
    let n = |outcome: RowOutcome| lines.iter().filter(|line| line.outcome() == outcome).count();
    let _ = write!(
        text,
        "\n{} rows: {} equal, {} explained, {} different, {} failed.\n",
        lines.len(),
        n(RowOutcome::Equal),
        n(RowOutcome::Explained),
        n(RowOutcome::Different),
        n(RowOutcome::Failed)
    );
    for table in lines.chunk_by(|one, other| one.row.source == other.row.source) {
        text += &table_of(table);
    }
    for curve in curves {
        text += &workers(curve);
    }
    text + &growth_of(growth)
}

fn introduction(machine: &HostMachine, jobs: usize) -> String {
    let HostMachine { processor, cores, memory_gib, kernel, load, compiler, commit, date } = machine;
    let workers = if jobs == 1 { "one worker".to_string() } else { format!("{jobs} workers") };
    format!(
        "# Benchmarks

The papers' tables, from the C programs in [benchmarks](../benchmarks), each explored completely, with {workers}.
`make bench` repeats the run and fails if a figure is neither the paper's nor explained. `atropos-bench --markdown`
writes this page. The papers' figures are in the programs, in lines that start with `// row:`.

* Date: {date}, commit {commit}, {compiler}.
* Machine: {processor}, {cores} cores, {memory_gib} GiB, Linux {kernel}; load averages at the end {load}.

A row is *equal* if our figures are those of the paper, and *explained* if the remark below the table says why they
differ. Plain numbers are complete executions; *blocked* executions, which end with a thread that waits forever, are not
among them. *explore* is the processor time of the exploration. *wall*, *cpu* and *peak* are the time by the clock, the
processor time and the memory of the whole run, including clang. *paper s* is the time that the paper prints for its own
tool on its own machine; *paper/ours* is that time divided by *explore*, per execution if the numbers of executions
differ.
"
    )
}

fn table_of(lines: &[BenchLine]) -> String {
    let mut text = format!("\n## {}\n\n| {} |\n|", lines[0].row.source, COLUMNS.join(" | "));
    for nth in 0..COLUMNS.len() {
        text += if is_name(nth) { "---|" } else { "--:|" };
    }
    text += "\n";
    for line in lines {
        let _ = writeln!(text, "| {} |", cells(line).join(" | "));
    }
    text + &remarks(lines)
}

/// The remarks below a table. One that holds for several rows appears once.
fn remarks(lines: &[BenchLine]) -> String {
    let mut remarks: Vec<(String, Vec<String>)> = Vec::new();
    for line in lines {
        let Some(remark) = line.remark() else { continue };
        let row =
            format!("{} {} `{}`", line.row.name(), line.row.defines.join(" "), line.row.options.join(" "));
        match remarks.iter_mut().find(|(known, _)| *known == remark) {
            Some((_, rows)) => rows.push(row),
            None => remarks.push((remark, vec![row])),
        }
    }
    let mut text = if remarks.is_empty() { String::new() } else { "\n".to_string() };
    for (remark, rows) in remarks {
        text += &wrapped(&format!("* {}: {remark}.", rows.join(", ")));
    }
    text
}

/// An item of a list, in lines of at most 120 columns.
fn wrapped(item: &str) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in item.split(' ') {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > 120 {
            text += "\n  ";
            column = 2;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += width;
    }
    text + "\n"
}

fn growth_of(Growth { curves, with_all }: &Growth<'_>) -> String {
    if curves.is_empty() {
        return String::new();
    }
    let columns = growth::columns(*with_all);
    let mut text = format!(
        "\n## Growth

Programs with one execution whose threads repeat an access to a variable of their own, by the number of events:
processor time and peak memory. A point that takes more than 30 s or 4 GiB is missing. The exponent is that of the time
between the last two points.\n
| {} |\n|---|---|{}\n",
        columns.join(" | "),
        "--:|".repeat(columns.len() - 2)
    );
    for curve in *curves {
        let _ = writeln!(text, "| {} |", growth::cells(curve, *with_all).join(" | "));
    }
    text
}

fn workers(curve: &Curve) -> String {
    let mut text = format!(
        "\n## Workers: {}\n
| workers | executions | explore s | cpu s | speed-up |\n|--:|--:|--:|--:|--:|\n",
        curve.row
    );
    for point in &curve.points {
        let _ = writeln!(text, "| {} |", scaling::cells(point, [0; 5]).join(" | "));
    }
    text
}
