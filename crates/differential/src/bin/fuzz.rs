//! Random programs without end, or a given number of them: every explorer against the oracle.
//!
//! `fuzz [--from SEED] [--count N] [--threads N] [--style NAME|all] [--instructions N] [--models a,b,c]
//!       [--against oracle|itself] [--program FILE]`
//!
//! Even seeds run on the virtual machine, odd ones by re-execution; every third is explored by two workers. Each
//! program is explored with and without its doomed executions, and in another order of threads. With
//! `--against itself` these searches are compared with each other only, and programs may be larger than an oracle
//! can deal with. With `--program` the one program in that file is checked. A difference is shrunk, printed with its seed, and ends the run with status 1.

use atropos_differential::agree::{agree_on_program, explore_all};
use atropos_differential::{MODELS, Search, Subject, machine};
use atropos_event::Replayed;
use atropos_testkit::{Ast, Checked, Shape, Style, Suite, generate};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

struct Options {
    from: u64,
    count: u64,
    threads: u64,
    instructions: Option<usize>,
    styles: Vec<Style>,
    models: Vec<String>,
    has_oracle: bool,
    program: Option<Ast>,
}

fn read_program(path: &str) -> Result<Ast, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    text.parse().map_err(|error| format!("{path}: {error}"))
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        from: 0,
        count: u64::MAX,
        threads: 2,
        instructions: None,
        styles: Style::ALL.to_vec(),
        models: MODELS.map(String::from).to_vec(),
        has_oracle: true,
        program: None,
    };
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|error| format!("{name} {value}: {error}"));
        match (name.as_str(), value.as_str()) {
            ("--from", _) => options.from = number()?,
            ("--count", _) => options.count = number()?,
            ("--threads", _) => options.threads = number()?.max(1),
            ("--instructions", _) => options.instructions = Some(number()? as usize),
            ("--models", _) => options.models = value.split(',').map(String::from).collect(),
            ("--style", "all") => options.styles = Style::ALL.to_vec(),
            ("--style", _) => {
                let style = Style::ALL.into_iter().find(|style| style.name() == value);
                options.styles = vec![style.ok_or_else(|| format!("no style {value}"))?];
            }
            ("--program", path) => {
                options.program = Some(read_program(path)?);
                options.count = 6;
            }
            ("--against", "oracle") => options.has_oracle = true,
            ("--against", "itself") => options.has_oracle = false,
            _ => return Err(format!("unknown option {name} {value}")),
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

/// One thread of the fuzzer.
struct Worker<'a> {
    options: &'a Options,
    models: Vec<&'a str>,
    suite: Suite,
    totals: &'a Totals,
}

impl Worker<'_> {
    fn shape(&self, seed: u64) -> Shape {
        // Each style meets machine and re-execution, one worker and two.
        let style = self.options.styles[(seed / 6 % self.options.styles.len() as u64) as usize];
        let mut shape = Shape::of(style);
        if !self.options.has_oracle {
            shape.max_instructions += 3;
        }
        shape.max_instructions = self.options.instructions.unwrap_or(shape.max_instructions);
        shape
    }

    fn program(&self, seed: u64) -> Ast {
        self.options.program.clone().unwrap_or_else(|| generate(seed, &self.shape(seed)))
    }

    fn check_seed(&mut self, seed: u64) {
        self.suite.shape = self.shape(seed);
        let result = if seed.is_multiple_of(2) {
            self.check(seed, machine)
        } else {
            self.check(seed, |ast| Replayed(ast.clone()))
        };
        match result {
            Ok(Checked::Agreed { n_executions }) => {
                self.totals.programs.fetch_add(1, Relaxed);
                self.totals.executions.fetch_add(n_executions as u64, Relaxed);
            }
            Ok(Checked::Skipped) => {
                self.totals.skipped.fetch_add(1, Relaxed);
            }
            Err(text) => self.fail(&text),
        }
    }

    fn check<P: Subject>(&self, seed: u64, prepare: impl Fn(&Ast) -> P) -> Result<Checked, String> {
        let ast = self.program(seed);
        if !self.options.has_oracle {
            let agreed = agree_on_program(seed, &ast, &self.models, prepare);
            return agreed.map(|n_executions| Checked::Agreed { n_executions });
        }
        let jobs = if seed.is_multiple_of(3) { 2 } else { 1 };
        let checked = self.suite.check_program(seed, ast, prepare, |program, model, up_to| {
            explore_all(program, Search { jobs, ..Search::new(model, up_to) }, seed)
        });
        checked.map_err(|mismatch| mismatch.to_string())
    }

    fn fail(&self, text: &str) {
        println!("{} style\n{text}", self.suite.shape.style.name());
        self.totals.failed.store(true, Relaxed);
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
    let (start, totals) = (Instant::now(), Totals::default());
    let next = AtomicU64::new(options.from);
    let end = options.from.saturating_add(options.count);
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                let models: Vec<_> = options.models.iter().map(String::as_str).collect();
                let suite = Suite::new(&models);
                let mut worker = Worker { options: &options, models, suite, totals: &totals };
                while !totals.failed.load(Relaxed) {
                    let seed = next.fetch_add(1, Relaxed);
                    if seed >= end {
                        return;
                    }
                    let caught = catch_unwind(AssertUnwindSafe(|| worker.check_seed(seed)));
                    if caught.is_err() {
                        let ast = worker.program(seed);
                        worker.fail(&format!("seed {seed} panics:\n{ast}"));
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
    let (programs, seconds) = (totals.programs.load(Relaxed), start.elapsed().as_secs_f64());
    println!(
        "up to seed {seed}: {programs} programs agree ({} executions), {} too large, {seconds:.0} s, {:.0}/s",
        totals.executions.load(Relaxed),
        totals.skipped.load(Relaxed),
        programs as f64 / seconds
    );
}
