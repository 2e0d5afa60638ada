//! Compares states and verdicts of the explorers with the oracle's on generated litmus tests, under every model, up to
//! `co` and up to `rf`.
//!
//! `litmus-oracle [--count N] [--stride M] [--threads T]`: N tests of each family, every Mth one.

use atropos_differential::given;
use atropos_differential::litmus::{Family, Judge, Judged};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    n_tests: usize,
    n_verdicts: usize,
    n_allowed: usize,
    n_skipped: usize,
    n_different: usize,
}

struct Options {
    count: usize,
    stride: usize,
    threads: usize,
}

fn options() -> Result<Options, String> {
    let mut options = Options { count: 2000, stride: 1, threads: 2 };
    for option in given::options() {
        let option = option?;
        let number = option.number()? as usize;
        match option.name.as_str() {
            "--count" => options.count = number,
            "--stride" => options.stride = number.max(1),
            "--threads" => options.threads = number.max(1),
            _ => return Err(option.complaint()),
        }
    }
    Ok(options)
}

/// Checks one family with several threads.
fn check(family: &Family, options: &Options) -> Totals {
    let totals = Mutex::new(Totals::default());
    let tests = Mutex::new(family.tests(options.count, options.stride));
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                let judge = Judge::default();
                loop {
                    let test = tests.lock().expect("generating does not panic").next();
                    let Some(test) = test else { return };
                    let judged = judge.check(&test);
                    let mut totals = totals.lock().expect("counting does not panic");
                    match judged {
                        Ok(Judged::Agreed { n_models, n_allowed }) => {
                            totals.n_tests += 1;
                            totals.n_verdicts += 2 * n_models;
                            totals.n_allowed += n_allowed;
                        }
                        Ok(Judged::Skipped) => totals.n_skipped += 1,
                        Err(difference) => {
                            totals.n_different += 1;
                            println!("{difference}");
                        }
                    }
                }
            });
        }
    });
    totals.into_inner().expect("counting does not panic")
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("litmus-oracle: {message}");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    let mut all = Totals::default();
    for family in Family::all() {
        let totals = check(&family, &options);
        println!("{:12} {totals:?}, {:.0} s", family.name, start.elapsed().as_secs_f64());
        all.n_tests += totals.n_tests;
        all.n_verdicts += totals.n_verdicts;
        all.n_different += totals.n_different;
    }
    println!(
        "{} tests, {} verdicts agree, {} differ, {:.0} s",
        all.n_tests,
        all.n_verdicts,
        all.n_different,
        start.elapsed().as_secs_f64()
    );
    ExitCode::from(u8::from(all.n_different > 0))
}
