//! Random programs without end, or a given number of them: every algorithm against the oracle.
//!
//! `fuzz [--from SEED] [--count N] [--threads N] [--algorithm a,b,c|all] [--models a,b,c] [--style NAME|all]
//!       [--instructions N] [--against oracle|itself] [--program FILE]`
//!
//! What is compared, and how a seed varies it, is told in `atropos_differential::referee`. With `--against itself`
//! searches are compared with each other only (`atropos_differential::agree` and `identities`), and programs may be
//! larger than an oracle can deal with; `--algorithm` and `--models` choose nothing there.
//! With `--program` the one program in that file is checked, in twelve ways. A difference is shrunk, printed with
//! its seed, and ends the run with status 1. At the end tables say how many programs there were of each style, how many
//! agreed, and how many were too large for the oracle, by algorithm and model.

use atropos_differential::agree::agree_on_program;
use atropos_differential::algorithm::Algorithm;
use atropos_differential::referee::{Agreement, Referee};
use atropos_differential::{MODELS, identities, machine};
use atropos_event::Replayed;
use atropos_testkit::{Ast, Shape, Style, generate};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// One period of what varies with the seed.
const PERIOD: u64 = 12;

struct Options {
    from: u64,
    count: u64,
    threads: u64,
    instructions: Option<usize>,
    styles: Vec<Style>,
    algorithms: Vec<Algorithm>,
    models: Option<Vec<String>>,
    has_oracle: bool,
    program: Option<Ast>,
}

fn read_program(path: &str) -> Result<Ast, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    text.parse().map_err(|error| format!("{path}: {error}"))
}

fn algorithms(names: &str) -> Result<Vec<Algorithm>, String> {
    let find = |name: &str| Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name);
    names.split(',').map(|name| find(name).ok_or_else(|| format!("no algorithm {name}"))).collect()
}

fn models(names: &str) -> Result<Vec<String>, String> {
    let is_known = |name: &str| Algorithm::ALL.iter().any(|algorithm| algorithm.models().contains(&name));
    let find =
        |name: &str| is_known(name).then(|| name.to_string()).ok_or_else(|| format!("no model {name}"));
    names.split(',').map(find).collect()
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        from: 0,
        count: u64::MAX,
        threads: 2,
        instructions: None,
        styles: Style::ALL.to_vec(),
        algorithms: Algorithm::ALL.to_vec(),
        models: None,
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
            ("--algorithm", "all") => options.algorithms = Algorithm::ALL.to_vec(),
            ("--algorithm", _) => options.algorithms = algorithms(&value)?,
            ("--models", _) => options.models = Some(models(&value)?),
            ("--style", "all") => options.styles = Style::ALL.to_vec(),
            ("--style", _) => {
                let style = Style::ALL.into_iter().find(|style| style.name() == value);
                options.styles = vec![style.ok_or_else(|| format!("no style {value}"))?];
            }
            ("--program", path) => {
                options.program = Some(read_program(path)?);
                options.count = PERIOD;
            }
            ("--against", "oracle") => options.has_oracle = true,
            ("--against", "itself") => options.has_oracle = false,
            _ => return Err(format!("unknown option {name} {value}")),
        }
    }
    Ok(options)
}

impl Options {
    fn models(&self) -> Vec<&str> {
        match &self.models {
            Some(models) => models.iter().map(String::as_str).collect(),
            None => self.algorithms.iter().flat_map(|algorithm| algorithm.models()).copied().collect(),
        }
    }

    fn shape(&self, seed: u64) -> Shape {
        // Each style meets everything else that varies with the seed.
        let mut shape = Shape::of(self.styles[(seed / PERIOD % self.styles.len() as u64) as usize]);
        if !self.has_oracle {
            shape.max_instructions += 3;
        }
        shape.max_instructions = self.instructions.unwrap_or(shape.max_instructions);
        shape
    }

    fn program(&self, seed: u64) -> Ast {
        self.program.clone().unwrap_or_else(|| generate(seed, &self.shape(seed)))
    }
}

/// What came out for one algorithm and one model.
#[derive(Clone, Copy, Default)]
struct Row {
    agreed: u64,
    executions: u64,
    too_large: u64,
    refused: u64,
}

/// What came out for the programs of one style.
#[derive(Clone, Copy, Default)]
struct OfStyle {
    programs: u64,
    too_large: u64,
}

#[derive(Default)]
struct Totals {
    programs: AtomicU64,
    failed: AtomicBool,
    styles: Mutex<BTreeMap<&'static str, OfStyle>>,
    rows: Mutex<BTreeMap<(&'static str, &'static str), Row>>,
}

impl Totals {
    fn fail(&self, text: &str) {
        println!("{text}");
        self.failed.store(true, Relaxed);
    }

    fn count(&self, algorithm: &'static str, model: &'static str, agreement: Agreement) {
        let mut rows = self.rows.lock().expect("nobody panics while counting");
        let row = rows.entry((algorithm, model)).or_default();
        match agreement {
            Agreement::Agreed { n_executions } => {
                row.agreed += 1;
                row.executions += n_executions as u64;
            }
            Agreement::TooLarge => row.too_large += 1,
            Agreement::Refused => row.refused += 1,
        }
    }

    /// Counts a program, which was too large for the oracle under some model or not.
    fn count_program(&self, style: &'static str, is_too_large: bool) {
        self.programs.fetch_add(1, Relaxed);
        let mut styles = self.styles.lock().expect("nobody panics while counting");
        let of_style = styles.entry(style).or_default();
        of_style.programs += 1;
        of_style.too_large += u64::from(is_too_large);
    }

    fn print(&self) {
        let styles = self.styles.lock().expect("nobody panics while counting");
        println!("style         programs  too large");
        for (style, OfStyle { programs, too_large }) in styles.iter() {
            println!("{style:<12}{programs:>10}{too_large:>11}");
        }
        let rows = self.rows.lock().expect("nobody panics while counting");
        println!("algorithm     model         agreed    executions  too large    refused");
        for ((algorithm, model), row) in rows.iter() {
            let Row { agreed, executions, too_large, refused } = row;
            println!("{algorithm:<14}{model:<10}{agreed:>10}{executions:>14}{too_large:>11}{refused:>11}");
        }
    }
}

/// One thread of the fuzzer.
struct Worker<'a> {
    options: &'a Options,
    referee: Referee,
    totals: &'a Totals,
}

impl Worker<'_> {
    /// Answers whether the program was too large for the oracle.
    fn check(&self, seed: u64) -> Result<bool, String> {
        let ast = self.options.program(seed);
        if self.options.has_oracle {
            let outcomes = self.referee.check(seed, &ast)?;
            for outcome in &outcomes {
                self.totals.count(outcome.algorithm.name(), outcome.model, outcome.agreement);
            }
            return Ok(outcomes.iter().any(|outcome| outcome.agreement == Agreement::TooLarge));
        }
        let n_executions = if seed.is_multiple_of(2) {
            agree_on_program(seed, &ast, &MODELS, machine)?
        } else {
            agree_on_program(seed, &ast, &MODELS, |ast| Replayed(ast.clone()))?
        };
        self.totals.count("trust", "itself", Agreement::Agreed { n_executions });
        let n_executions = identities::check(seed, &ast)?;
        self.totals.count("all", "each other", Agreement::Agreed { n_executions });
        Ok(false)
    }

    fn check_seed(&self, seed: u64) {
        let checked = catch_unwind(AssertUnwindSafe(|| self.check(seed)));
        let style = self.options.shape(seed).style.name();
        match checked {
            Ok(Ok(is_too_large)) => self.totals.count_program(style, is_too_large),
            Ok(Err(text)) => self.totals.fail(&format!("{style} style\n{text}")),
            Err(_) => {
                self.totals
                    .fail(&format!("{style} style\nseed {seed} panics:\n{}", self.options.program(seed)));
            }
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
    let (start, totals) = (Instant::now(), Totals::default());
    let next = AtomicU64::new(options.from);
    let end = options.from.saturating_add(options.count);
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                let referee = Referee::new(&options.algorithms, &options.models());
                let worker = Worker { options: &options, referee, totals: &totals };
                while !totals.failed.load(Relaxed) {
                    let seed = next.fetch_add(1, Relaxed);
                    if seed >= end {
                        return;
                    }
                    worker.check_seed(seed);
                    if seed % 1000 == 999 {
                        report(seed, &totals, start);
                    }
                    if seed % 100_000 == 99_999 {
                        totals.print();
                    }
                }
            });
        }
    });
    report(next.load(Relaxed).min(end).saturating_sub(1), &totals, start);
    totals.print();
    ExitCode::from(u8::from(totals.failed.load(Relaxed)))
}

fn report(seed: u64, totals: &Totals, start: Instant) {
    let (programs, seconds) = (totals.programs.load(Relaxed), start.elapsed().as_secs_f64());
    let rate = programs as f64 / seconds;
    println!("up to seed {seed}: {programs} programs checked, {seconds:.0} s, {rate:.0}/s");
}
