//! Writes the last run as a document, docs/benchmarks.md.

use crate::check::CheckAnswer;
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
    text += &events(lines);
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

/// The rows by the search of users that take long enough to say what an event costs: options, and microseconds.
const PER_EVENT: (&str, u64) = ("--model rc11 --equivalence co", 20_000);

fn events(lines: &[BenchLine]) -> String {
    let (options, least_us) = PER_EVENT;
    let measured = lines.iter().filter_map(|line| Some((&line.row, &line.result.as_ref().ok()?.answer)));
    let long: Vec<_> = measured
        .filter(|(row, answer)| row.options.join(" ") == options && answer.explore_cpu_us >= least_us)
        .collect();
    if long.is_empty() {
        return String::new();
    }
    let ns = |answer: &CheckAnswer| answer.explore_cpu_us as f64 * 1e3 / answer.events.max(1) as f64;
    let mean = long.iter().map(|(_, answer)| ns(answer).ln()).sum::<f64>() / long.len() as f64;
    let mut text = format!(
        "\n## Events

What an event costs, with everything that is done about it, also to take it back: the rows above with the options
`{options}` that take {} ms or more. The geometric mean is {:.0} ns.
[profile.md](profile.md) says what the time goes to.\n
| benchmark | parameter | executions | events | per execution | explore s | ns per event |
|---|---|--:|--:|--:|--:|--:|\n",
        least_us / 1000,
        mean.exp()
    );
    for (row, answer) in long {
        let n_executions = answer.found.total().max(1);
        let _ = writeln!(
            text,
            "| {} | {} | {n_executions} | {} | {:.1} | {:.3} | {:.0} |",
            row.name(),
            row.defines.join(" "),
            answer.events,
            answer.events as f64 / n_executions as f64,
            answer.explore_cpu_us as f64 / 1e6,
            ns(answer)
        );
    }
    text
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
