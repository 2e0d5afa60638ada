//! Random programs without end, or a given number of them: every explorer against the oracle.
//!
//! `fuzz [--from SEED] [--count N] [--threads N] [--instructions N] [--models a,b,c]`
//!
//! Even seeds run on the virtual machine, odd ones by re-execution; every third is explored by two workers.
//! A difference is shrunk, printed with its seed, and ends the run with status 1.

use atropos_differential::{MODELS, explore_all};
use atropos_event::Replayed;
use atropos_testkit::{Checked, Suite, lower};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

struct Options {
    from: u64,
    count: u64,
    threads: u64,
    instructions: usize,
    models: Vec<String>,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        from: 0,
        count: u64::MAX,
        threads: 2,
        instructions: 9,
        models: MODELS.map(String::from).to_vec(),
    };
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|error| format!("{name} {value}: {error}"));
        match name.as_str() {
            "--from" => options.from = number()?,
            "--count" => options.count = number()?,
            "--threads" => options.threads = number()?.max(1),
            "--instructions" => options.instructions = number()? as usize,
            "--models" => options.models = value.split(',').map(String::from).collect(),
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok(options)
}

#[derive(Default)]
struct Totals {
    programs: AtomicU64,
    skipped: AtomicU64,
    executions: AtomicU64,
    failed: AtomicBool,
}

fn check_seed(suite: &Suite, seed: u64, totals: &Totals) {
    let jobs = if seed.is_multiple_of(3) { 2 } else { 1 };
    let checked = if seed.is_multiple_of(2) {
        let machine = |ast: &_| {
            atropos_vm::Vm::new(lower(ast), atropos_vm::Config::default())
                .expect("a generated program lowers")
        };
        suite.check_seed(seed, machine, |program, model, up_to| explore_all(program, model, up_to, jobs))
    } else {
        suite.check_seed(
            seed,
            |ast| Replayed(ast.clone()),
            |program, model, up_to| explore_all(program, model, up_to, jobs),
        )
    };
    match checked {
        Ok(Checked::Agreed { n_executions }) => {
            totals.programs.fetch_add(1, Relaxed);
            totals.executions.fetch_add(n_executions as u64, Relaxed);
        }
        Ok(Checked::Skipped) => {
            totals.skipped.fetch_add(1, Relaxed);
        }
        Err(mismatch) => {
            println!("{mismatch}");
            totals.failed.store(true, Relaxed);
        }
    }
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("fuzz: {message}");
            return ExitCode::from(2);
        }
    };
    let models: Vec<&str> = options.models.iter().map(String::as_str).collect();
    let (start, totals) = (Instant::now(), Totals::default());
    let next = AtomicU64::new(options.from);
    let end = options.from.saturating_add(options.count);
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                let mut suite = Suite::new(&models);
                suite.shape.max_instructions = options.instructions;
                while !totals.failed.load(Relaxed) {
                    let seed = next.fetch_add(1, Relaxed);
                    if seed >= end {
                        return;
                    }
                    let caught = catch_unwind(AssertUnwindSafe(|| check_seed(&suite, seed, &totals)));
                    if caught.is_err() {
                        println!("seed {seed} panics:\n{}", atropos_testkit::generate(seed, &suite.shape));
                        totals.failed.store(true, Relaxed);
                    }
                    if seed % 1000 == 999 {
                        report(seed, &totals, start);
                    }
                }
            });
        }
    });
    report(next.load(Relaxed).min(end).saturating_sub(1), &totals, start);
    ExitCode::from(u8::from(totals.failed.load(Relaxed)))
}

fn report(seed: u64, totals: &Totals, start: Instant) {
    println!(
        "up to seed {seed}: {} programs agree ({} executions), {} too large, {:.0} s",
        totals.programs.load(Relaxed),
        totals.executions.load(Relaxed),
        totals.skipped.load(Relaxed),
        start.elapsed().as_secs_f64()
    );
}
