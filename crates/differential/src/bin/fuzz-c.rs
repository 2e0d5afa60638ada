//! Compares the front-end with itself and with native runs on random C programs, without end or a given number of
//! times.
//!
//! `fuzz-c [--kind sequential|concurrent] [--from SEED] [--count FILES] [--functions N] [--threads N]
//! [--levels -O0,-O1,-O2,-O3] [--differences N]`
//!
//! Each seed is a file of N sequential functions, whose results must be those of a native run, or of N concurrent
//! programs, whose outcomes must be the same at all levels. A difference is printed with its seed; the status is then 1.
//! The run ends after N of them, by default after one. `--show SEED` prints the file of a seed.

use atropos_differential::{concurrent, given, sequential};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

struct Options {
    is_concurrent: bool,
    from: u64,
    count: u64,
    functions: u64,
    threads: u64,
    levels: String,
    differences: u64,
    show: Option<u64>,
}

impl Options {
    /// The seeds of the programs of a file of concurrent ones.
    fn programs(&self, file: u64) -> std::ops::Range<u64> {
        file * self.functions..(file + 1) * self.functions
    }

    fn text(&self, file: u64) -> String {
        match self.is_concurrent {
            true => concurrent::generate::generate(self.programs(file)),
            false => sequential::generate::generate(file, self.functions as usize),
        }
    }

    fn compare(&self, file: u64, levels: &[&str]) -> Result<(), String> {
        match self.is_concurrent {
            true => concurrent::compare::compare(self.programs(file), levels),
            false => sequential::compare::compare(file, self.functions as usize, levels),
        }
    }
}

fn options() -> Result<Options, String> {
    let levels = "-O0,-O1,-O2,-O3".to_string();
    let (from, count, functions, threads) = (0, u64::MAX, 50, 1);
    let mut options =
        Options { is_concurrent: false, from, count, functions, threads, levels, differences: 1, show: None };
    for option in given::options() {
        let option = option?;
        let number = || option.number();
        match option.name.as_str() {
            "--kind" if option.value == "sequential" => options.is_concurrent = false,
            "--kind" if option.value == "concurrent" => options.is_concurrent = true,
            "--from" => options.from = number()?,
            "--count" => options.count = number()?,
            "--functions" => options.functions = number()?.max(1),
            "--threads" => options.threads = number()?.max(1),
            "--levels" => options.levels = option.value,
            "--differences" => options.differences = number()?.max(1),
            "--show" => options.show = Some(number()?),
            _ => return Err(option.complaint()),
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
    if let Some(file) = options.show {
        println!("{}", options.text(file));
        return ExitCode::SUCCESS;
    }
    let levels: Vec<&str> = options.levels.split(',').collect();
    let (next, done, differing) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                while differing.load(Relaxed) < options.differences {
                    let nth = next.fetch_add(1, Relaxed);
                    if nth >= options.count {
                        break;
                    }
                    if let Err(complaint) = options.compare(options.from + nth, &levels) {
                        differing.fetch_add(1, Relaxed);
                        println!("{complaint}");
                    }
                    let files = done.fetch_add(1, Relaxed) + 1;
                    if files.is_multiple_of(50) {
                        eprintln!("{files} files, {} programs", files * options.functions);
                    }
                }
            });
        }
    });
    let (files, differing) = (done.load(Relaxed), differing.load(Relaxed));
    let (agreeing, levels) = (files - differing, &options.levels);
    println!("{agreeing} files with {} programs agree at {levels}", agreeing * options.functions);
    match differing {
        0 => ExitCode::SUCCESS,
        _ => {
            println!("{differing} files differ");
            ExitCode::FAILURE
        }
    }
}
