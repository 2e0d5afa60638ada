//! Compares the front-end with native runs on random sequential C programs, without end or a given number of times.
//!
//! `fuzz-c [--from SEED] [--count FILES] [--functions N] [--threads N] [--levels -O0,-O1,-O2,-O3]`
//!
//! Each seed is a file of functions. A difference is printed with its seed and its function, and ends the run with
//! status 1. `--show SEED` prints the file of a seed.

use atropos_differential::sequential::compare::compare;
use atropos_differential::sequential::generate::generate;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

struct Options {
    from: u64,
    count: u64,
    functions: usize,
    threads: u64,
    levels: String,
    show: Option<u64>,
}

fn options() -> Result<Options, String> {
    let levels = "-O0,-O1,-O2,-O3".to_string();
    let mut options = Options { from: 0, count: u64::MAX, functions: 25, threads: 1, levels, show: None };
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|error| format!("{name} {value}: {error}"));
        match name.as_str() {
            "--from" => options.from = number()?,
            "--count" => options.count = number()?,
            "--functions" => options.functions = number()?.max(1) as usize,
            "--threads" => options.threads = number()?.max(1),
            "--levels" => options.levels = value,
            "--show" => options.show = Some(number()?),
            _ => return Err(format!("unknown option {name} {value}")),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(complaint) => {
            eprintln!("fuzz-c: {complaint}");
            return ExitCode::from(2);
        }
    };
    if let Some(seed) = options.show {
        println!("{}", generate(seed, options.functions));
        return ExitCode::SUCCESS;
    }
    let levels: Vec<&str> = options.levels.split(',').collect();
    let (next, done, differs) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                while !differs.load(Relaxed) {
                    let nth = next.fetch_add(1, Relaxed);
                    if nth >= options.count {
                        break;
                    }
                    if let Err(complaint) = compare(options.from + nth, options.functions, &levels) {
                        differs.store(true, Relaxed);
                        println!("{complaint}");
                    }
                    let files = done.fetch_add(1, Relaxed) + 1;
                    if files.is_multiple_of(50) {
                        eprintln!("{files} files, {} functions", files * options.functions as u64);
                    }
                }
            });
        }
    });
    match differs.load(Relaxed) {
        true => ExitCode::FAILURE,
        false => {
            println!("{} files agree", done.load(Relaxed));
            ExitCode::SUCCESS
        }
    }
}
