//! `make bench`: the papers' tables, with counts, speed and memory.

use atropos_bench::line::{self, BenchLine};
use atropos_bench::row::Row;
use atropos_bench::{compare, document, growth, measure, scaling, structures, suite};
use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

/// Runs the papers' programs and compares the results with the figures that the papers print.
///
/// The exit status is 1 if a figure differs.
#[derive(Parser, Debug)]
#[command(name = "atropos-bench")]
struct Args {
    /// Only rows that contain all these words, as in `casw N=6 rc11`
    #[arg(long, default_value = "")]
    filter: String,

    /// Also slow rows: those that take more than about ten seconds
    #[arg(long)]
    all: bool,

    /// Workers per row
    #[arg(long, default_value_t = 1)]
    jobs: usize,

    /// Write the document docs/benchmarks.md, or another file
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "docs/benchmarks.md")]
    markdown: Option<PathBuf>,

    /// Time the first row that contains these words with 1, 2, 4, 8 and 16 workers; with --markdown in addition to
    /// the table
    #[arg(long, value_name = "WORDS")]
    scaling: Option<String>,

    /// Measure how time and memory grow with the length of threads, up to 1,000,000 events. Without --filter and
    /// --scaling they are also measured in addition to the tables, up to 100,000 events, or 1,000,000 with --all
    #[arg(long)]
    growth: bool,

    /// Only count the executions of the data structures, with all reductions and with none, and write
    /// docs/structures.md, or another file
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "docs/structures.md")]
    structures: Option<PathBuf>,

    /// Only compare with this older build of `atropos`, by turns: prints the times without clang and of exploring, and
    /// the rows that have become slower by more than 5 % or have other figures
    #[arg(long, value_name = "ATROPOS")]
    compare: Option<PathBuf>,

    /// How often each build runs a row, at least; the best time counts
    #[arg(long, default_value_t = 5, requires = "compare")]
    rounds: usize,

    /// The folder with the programs
    #[arg(long, default_value = "benchmarks")]
    programs: PathBuf,

    /// The command to measure (default: `atropos` beside this program)
    #[arg(long)]
    atropos: Option<PathBuf>,
}

fn main() -> ExitCode {
    let mut words = env::args_os().skip(1);
    let done = if words.next().is_some_and(|word| word == measure::FLAG) {
        measure::in_between(words)
    } else {
        run(&Args::parse()).map(|n_wrong| u8::from(n_wrong > 0))
    };
    done.map_or_else(
        |message| {
            eprintln!("atropos-bench: {message}");
            ExitCode::from(2)
        },
        ExitCode::from,
    )
}

/// Runs the command; returns the number of rows that are wrong.
fn run(args: &Args) -> Result<usize, String> {
    let atropos = args.atropos.clone().map_or_else(beside_this, Ok)?;
    if let Some(path) = &args.structures {
        let lines = structures::measure(&atropos, &args.programs.join("structures"))?;
        write(path, &structures::render(&lines))?;
        return Ok(structures::n_failed(&lines));
    }
    let rows = suite::load(&args.programs)?;
    if let Some(old) = &args.compare {
        let (all, failed) = compare::compare(old, &atropos, selected(args, rows).collect(), args.rounds);
        print!("{}", compare::summary(&all, &failed));
        return Ok(failed.len() + all.iter().filter(|row| row.is_slower()).count());
    }
    let row_to_scale = args.scaling.as_ref().map(|words| {
        let row = rows.iter().find(|row| row.has_words(words));
        row.cloned().ok_or_else(|| format!("no row contains `{words}`"))
    });
    let row_to_scale = row_to_scale.transpose()?;
    let with_table = (row_to_scale.is_none() && !args.growth) || args.markdown.is_some();
    let with_growth = args.growth || (row_to_scale.is_none() && args.filter.is_empty());
    let lines = if with_table { tables(args, &atropos, rows) } else { Vec::new() };
    let curve = row_to_scale.map(|row| scaling::measure(&atropos, &row)).transpose()?;
    let with_all_sizes = args.all || args.growth;
    let growth = if with_growth { growth::measure(&atropos, with_all_sizes)? } else { Vec::new() };
    if let Some(path) = &args.markdown {
        let growth = document::Growth { curves: &growth, with_all: with_all_sizes };
        let text = document::render(&lines, curve.as_slice(), &growth, args.jobs);
        write(path, &text)?;
    }
    Ok(n_wrong(&lines))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Cargo puts both programs into one folder.
fn beside_this() -> Result<PathBuf, String> {
    let this = env::current_exe().map_err(|error| error.to_string())?;
    let atropos = this.with_file_name("atropos");
    let missing = "build it with `cargo build --release --package atropos-cli`";
    if atropos.exists() { Ok(atropos) } else { Err(format!("there is no {}: {missing}", atropos.display())) }
}

fn n_wrong(lines: &[BenchLine]) -> usize {
    lines.iter().filter(|line| line.outcome().is_wrong()).count()
}

/// The rows that the arguments ask for.
fn selected(args: &Args, rows: Vec<Row>) -> impl Iterator<Item = Row> {
    rows.into_iter().filter(|row| (args.all || !row.is_slow) && row.has_words(&args.filter))
}

/// Measures the selected rows and prints each line as soon as it is known.
fn tables(args: &Args, atropos: &Path, rows: Vec<Row>) -> Vec<BenchLine> {
    let mut lines: Vec<BenchLine> = Vec::new();
    for row in selected(args, rows) {
        if lines.last().is_none_or(|line| line.row.source != row.source) {
            println!("\n{}\n{}", row.source, line::header());
        }
        let result = measure::run(atropos, &row, args.jobs);
        let line = BenchLine { row, result };
        println!("{line}");
        lines.push(line);
    }
    println!(
        "\n{} rows, {} of them neither equal to the papers' nor explained",
        lines.len(),
        n_wrong(&lines)
    );
    lines
}
