//! `make real`: checks the data structures and locks of other projects, from their own sources.

use atropos_bench::real::document::{self, RealRow};
use atropos_bench::real::fetch::Shelf;
use atropos_bench::real::recipe::{self, RealCheck, RealVerdict, Recipe};
use atropos_bench::real::run;
use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Fetches the Debian packages that the drivers of corpus/real need, checks them, and compares with what their recipes
/// expect.
///
/// The exit status is 1 if something differs.
#[derive(Parser, Debug)]
#[command(name = "real")]
struct Args {
    /// Only drivers whose names contain this text
    #[arg(long, default_value = "")]
    filter: String,

    /// Write what is found into the recipes
    #[arg(long)]
    update: bool,

    /// Write docs/real.md, or another file
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "docs/real.md")]
    markdown: Option<PathBuf>,

    /// The folder with the drivers
    #[arg(long, default_value = "corpus/real")]
    drivers: PathBuf,

    /// Where packages are kept
    #[arg(long, default_value = "target/real")]
    packages: PathBuf,

    /// The command to run
    #[arg(long, default_value = "target/release/atropos")]
    atropos: PathBuf,
}

fn main() -> ExitCode {
    match compare(&Args::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("real: {message}");
            ExitCode::from(2)
        }
    }
}

/// Runs all checks; returns how many differ from what is expected.
fn compare(args: &Args) -> Result<usize, String> {
    let shelf = Shelf::new(&args.packages)?;
    let (mut rows, mut n_wrong) = (Vec::new(), 0);
    for recipe in recipes(args)? {
        for package in &recipe.packages {
            shelf.fetch(package)?;
        }
        for check in &recipe.checks {
            let start = Instant::now();
            let found = run::run(&args.atropos, &shelf, &recipe, check);
            let is_right = found.as_ref() == Ok(&check.expected);
            report(&recipe, check, &found, start.elapsed().as_secs_f64());
            rows.push(RealRow::new(&recipe, check, &found));
            n_wrong += usize::from(!is_right);
            if let (true, false, Ok(found)) = (args.update, is_right, &found) {
                rewrite(&recipe.driver, |text| recipe::with_verdict(text, check, found))?;
            }
        }
    }
    println!("\n{} checks, {n_wrong} of them not as expected", rows.len());
    if let Some(path) = &args.markdown {
        std::fs::write(path, document::page(&rows))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(n_wrong)
}

fn recipes(args: &Args) -> Result<Vec<Recipe>, String> {
    let about = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let entries = std::fs::read_dir(&args.drivers).map_err(|error| about(&args.drivers, error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().contains(&args.filter)));
    paths.sort();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).map_err(|error| about(path, error))?;
        recipe::parse(path, &text)
    };
    paths.iter().map(read).collect()
}

fn rewrite(path: &Path, change: impl Fn(&str) -> String) -> Result<(), String> {
    let about = |error: std::io::Error| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(about)?;
    std::fs::write(path, change(&text)).map_err(about)
}

fn report(recipe: &Recipe, check: &RealCheck, found: &Result<RealVerdict, String>, time_s: f64) {
    let name = recipe.driver.file_stem().unwrap_or_default().to_string_lossy();
    let changed = check.change.as_ref().map_or("", |_| " (changed)");
    let words = check.options.iter().chain(&check.flags).cloned().collect::<Vec<_>>().join(" ");
    let name = format!("{name}{changed} {words}");
    match found {
        Ok(found) if *found == check.expected => println!("{name:<64} {found:<28} {time_s:>6.1} s"),
        Ok(found) => println!("{name:<64} {found:<28} {time_s:>6.1} s   expected: {}", check.expected),
        Err(error) => println!("{name:<64} expected: {}\n{error}", check.expected),
    }
}
