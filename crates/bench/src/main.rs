//! `make bench`: counts against the papers' figures, speed and memory.
//!
//! [`papers`] holds what is measured and what the papers say, [`families`] the programs, [`measure`] makes one
//! measurement, [`child`] in a process of its own; [`table`] and [`document`] are the renderings, [`scaling`] the
//! speed-up by workers.

mod args;
mod child;
mod document;
mod families;
mod machine;
mod measure;
mod papers;
mod rows;
mod scaling;
mod table;
#[cfg(test)]
mod tests;

use args::Args;
use clap::Parser;
use std::fs;
use std::process::ExitCode;
use table::{Line, Outcome};

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(message) => {
            eprintln!("atropos-bench: {message}");
            ExitCode::from(2)
        }
    }
}

/// Does what was asked for; the number of rows that are not as the papers say.
fn run(args: &Args) -> Result<usize, String> {
    if let Some(case) = args.case_to_measure() {
        println!("{}", measure::measure(&case?, args.jobs)?);
        return Ok(0);
    }
    let case_to_scale = args.case_to_scale().transpose()?;
    let with_table = case_to_scale.is_none() || args.markdown.is_some();
    let lines = if with_table { whole_table(args) } else { Vec::new() };
    let curve = case_to_scale.as_ref().map(scaling::measure).transpose()?;
    if let Some(path) = &args.markdown {
        let text = document::render(&lines, curve.as_ref(), args.jobs);
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(n_wrong(&lines))
}

fn n_wrong(lines: &[Line]) -> usize {
    let is_wrong = |line: &&Line| matches!(line.outcome(), Outcome::Different | Outcome::Failed);
    lines.iter().filter(is_wrong).count()
}

/// Measures the rows asked for, printing each line as it is known.
fn whole_table(args: &Args) -> Vec<Line> {
    let rows = rows::rows(papers::SERIES).into_iter();
    let rows =
        rows.filter(|row| row.case.to_string().contains(&args.filter) && (!args.quick || row.is_quick));
    println!("{}", table::header());
    let mut lines = Vec::new();
    for row in rows {
        let result = child::measure(&row.case, args.jobs);
        let line = Line { row, result };
        println!("{line}");
        lines.push(line);
    }
    println!("\n{} rows, {} of them not as the papers say", lines.len(), n_wrong(&lines));
    lines
}
