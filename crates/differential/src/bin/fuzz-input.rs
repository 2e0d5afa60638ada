//! `make fuzz-input`: broken inputs of every format, until Atropos breaks.
//!
//! ```text
//! fuzz-input [--count N] [--from SEED] [--threads T] [--binary ATROPOS] [--keep DIR] [--keep-going] [FOLDER...]
//! fuzz-input --emit DIR FOLDER...     LLVM IR of the C and C++ files of the folders, for machines without clang
//! fuzz-input --one FILE               one input
//! ```

use atropos_differential::broken_input::corpus::{Corpus, Format};
use atropos_differential::broken_input::hunt::{Bag, Hunt};
use atropos_differential::broken_input::{mutate, worker};
use atropos_llvm::compile::{self, Job};
use atropos_testkit::clang::CLANG;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const FOLDERS: [&str; 5] = ["corpus", "models", "examples", "benchmarks", "crates/llvm/src/runtime"];

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.first().map(String::as_str) {
        Some("--worker") => work(&arguments[1..]),
        Some("--one") => one(&arguments[1..]),
        Some("--emit") => emit(&arguments[1..]),
        _ => hunt(arguments),
    };
    result.unwrap_or_else(|error| {
        eprintln!("fuzz-input: {error}");
        ExitCode::from(2)
    })
}

fn hunt(arguments: Vec<String>) -> Fallible<ExitCode> {
    let mut hunt = Hunt {
        corpus: Corpus::default(),
        folders: Vec::new(),
        seeds: 0..u64::MAX,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        binary: None,
        has_clang: std::process::Command::new(CLANG).arg("--version").output().is_ok(),
        keep: PathBuf::from("target/fuzz-input"),
        keep_going: false,
    };
    let mut count = u64::MAX;
    let mut words = arguments.into_iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--count" => count = value()?.parse()?,
            "--from" => hunt.seeds.start = value()?.parse()?,
            "--threads" => hunt.threads = value()?.parse()?,
            "--binary" => hunt.binary = Some(value()?.into()),
            "--keep" => hunt.keep = value()?.into(),
            "--keep-going" => hunt.keep_going = true,
            folder => hunt.folders.push(folder.into()),
        }
    }
    if hunt.folders.is_empty() {
        hunt.folders = FOLDERS.iter().map(PathBuf::from).filter(|folder| folder.is_dir()).collect();
    }
    hunt.seeds.end = hunt.seeds.start.saturating_add(count);
    hunt.corpus = Corpus::read(&hunt.folders)?;
    if hunt.has_clang && hunt.binary.is_some() {
        hunt.corpus.assemble(CLANG)?;
    }
    println!("{} files, seeds from {}", hunt.corpus.samples.len(), hunt.seeds.start);
    let bag = hunt.run()?;
    report(&bag);
    Ok(if bag.finds.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report(bag: &Bag) {
    for find in &bag.finds {
        println!("seed {}: {}; kept in {}", find.seed, find.what, find.file.display());
    }
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for line in &bag.counts {
        if let Some((what, n)) = line.rsplit_once(' ') {
            *counts.entry(what).or_default() += n.parse::<u64>().unwrap_or(0);
        }
    }
    for (what, n) in &counts {
        println!("{what}: {n}");
    }
    for (format, n) in &bag.commands {
        println!("{} through the command: {n}", format.extension());
    }
    let (total, commands) = (counts.values().sum::<u64>(), bag.commands.values().sum::<u64>());
    println!(
        "{total} inputs through the libraries, {commands} through the command, {} finds",
        bag.finds.len()
    );
}

fn folders(words: &[String]) -> Vec<PathBuf> {
    words.iter().map(PathBuf::from).collect()
}

/// `--worker FROM TO PROGRESS FOLDER...`
fn work(words: &[String]) -> Fallible<ExitCode> {
    let [from, to, progress, rest @ ..] = words else {
        return Err("--worker FROM TO PROGRESS FOLDER...".into());
    };
    let corpus = Corpus::read(&folders(rest))?;
    for ((format, outcome), n) in
        worker::run(&corpus, from.parse()?..to.parse()?, Path::new(progress), std::process::exit)?
    {
        println!("{} {outcome:?} {n}", format.extension());
    }
    Ok(ExitCode::SUCCESS)
}

fn one(words: &[String]) -> Fallible<ExitCode> {
    let file = PathBuf::from(words.first().ok_or("--one FILE")?);
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let format = Format::READ.into_iter().find(|format| format.extension() == extension);
    let format = format.ok_or("one of .ll .litmus .vm .cat")?;
    worker::run_one(&mutate::Input { format, bytes: std::fs::read(&file)? }, std::process::exit);
    Ok(ExitCode::SUCCESS)
}

/// Compiles the files that clang accepts.
fn emit(words: &[String]) -> Fallible<ExitCode> {
    let [to, rest @ ..] = words else { return Err("--emit DIR FOLDER...".into()) };
    std::fs::create_dir_all(to)?;
    let corpus = Corpus::read(&folders(rest))?;
    let mut n_written = 0;
    for format in [Format::C, Format::Cpp] {
        for sample in corpus.of_format(format) {
            let flags = if format == Format::Cpp { vec!["-std=c++20".to_string()] } else { Vec::new() };
            let options = compile::CompileOptions { flags, ..Default::default() };
            if let Ok(text) = compile::compile(&sample.path, &options, &Job::default()) {
                let name = sample.path.display().to_string().replace(['/', '.'], "_");
                std::fs::write(Path::new(to).join(format!("{name}.ll")), text)?;
                n_written += 1;
            }
        }
    }
    println!("{n_written} files in {to}");
    Ok(ExitCode::SUCCESS)
}
