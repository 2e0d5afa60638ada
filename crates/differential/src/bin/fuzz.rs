//! Compares every algorithm with the oracle on random programs, without end or a given number of times for each style.
//!
//! `fuzz [--style a,b,c|all] [--count N] [--from SEED] [--seconds N] [--threads N] [--instructions N]
//!       [--algorithm a,b,c|all] [--models a,b,c] [--variants one|all] [--estimate N] [--limit N]
//!       [--against oracle|itself|asymmetric|ordered|arrivals|sections] [--save DIR] [--program FILE]`
//!
//! `--count` is per style. `atropos_differential::referee` documents what is compared, and how a seed varies it; with
//! `--variants all`, each algorithm searches each program in every way. `--estimate N` redraws a program, up to twenty
//! times, if its estimate (`atropos_testkit::estimate`) exceeds N executions, because the oracle would spend a long
//! time on it in vain. `--seconds` starts no new program after that time. `--against itself` only compares searches
//! with each other (`atropos_differential::agree` and `identities`), so programs may be larger than an oracle can
//! handle; `--algorithm` and `--models` have no effect there. `--against asymmetric` compares TruSt with and without
//! symmetry (`atropos_differential::symmetry`), one model per program. `--against ordered` does so with and without the
//! order of updates (`atropos_differential::counters`), `--against arrivals` with and without the order of arrivals at a
//! barrier (`atropos_differential::barriers`), and `--against sections` with and without the order of sections of a
//! mutex (`atropos_differential::sections`); `--program` checks the program in a file, in twelve ways.
//!
//! A difference is shrunk, printed with its seed and saved as a file that `--program` reads. The run then ends with
//! status 1, immediately after [`MOST_DIFFERENCES`] of them. At the end there is one line per style, and a table of
//! algorithms and models.

use atropos_differential::agree::agree_on_program;
use atropos_differential::algorithm::{Algorithm, models_of};
use atropos_differential::counters::ClassCounts;
use atropos_differential::referee::{Agreement, PERIOD, Referee, Variants};
use atropos_differential::{MODELS, barriers, counters, given, identities, machine, sections, symmetry};
use atropos_event::Replayed;
use atropos_testkit::{Ast, ProgramShape, Style, count, generate, meet, own, repeat, section};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// The oracle makes many small objects. The system's allocator needs more time for them, and more with more threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MOST_DIFFERENCES: u64 = 10;

struct Options {
    /// Per style.
    seeds: std::ops::Range<u64>,
    seconds: u64,
    threads: u64,
    instructions: Option<usize>,
    /// Redraw programs with a larger estimate.
    estimate: f64,
    limit: usize,
    styles: Vec<Style>,
    algorithms: Vec<Algorithm>,
    models: Option<Vec<String>>,
    against: Against,
    save: PathBuf,
    program: Option<Ast>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Against {
    Oracle(Variants),
    Itself,
    /// Searches without symmetry, on programs with identical threads.
    Asymmetric,
    /// Searches that order all read-modify-writes, on programs with counters.
    Ordered,
    /// Searches of all orders of arrival, on programs with barriers.
    Arrivals,
    /// Searches that order all sections of a mutex, on programs with sections.
    Sections,
}

impl Against {
    /// Whether one reduction is compared with its absence, under one model per program.
    fn is_reduced(self) -> bool {
        match self {
            Against::Asymmetric | Against::Ordered | Against::Arrivals | Against::Sections => true,
            Against::Oracle(_) | Against::Itself => false,
        }
    }
}

/// The line before the shrunk program in the description of a difference.
const SHRUNK: &str = "shrunk to:\n";

fn read_program(path: &str) -> Result<Ast, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let saved = text.split_once(SHRUNK).and_then(|(_, rest)| rest.split("\n\n").next());
    saved.unwrap_or(&text).parse().map_err(|error| format!("{path}: {error}"))
}

fn algorithms(names: &str) -> Result<Vec<Algorithm>, String> {
    let find = |name: &str| Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name);
    names.split(',').map(|name| find(name).ok_or_else(|| format!("no algorithm {name}"))).collect()
}

fn models(names: &str) -> Result<Vec<String>, String> {
    let is_known = |name: &str| Algorithm::ALL.iter().any(|&algorithm| models_of(algorithm).contains(&name));
    let find =
        |name: &str| is_known(name).then(|| name.to_string()).ok_or_else(|| format!("no model {name}"));
    names.split(',').map(find).collect()
}

fn styles(names: &str) -> Result<Vec<Style>, String> {
    let find = |name: &str| Style::ALL.into_iter().find(|style| style.name() == name);
    names.split(',').map(|name| find(name).ok_or_else(|| format!("no style {name}"))).collect()
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        seeds: 0..u64::MAX,
        seconds: u64::MAX,
        threads: 2,
        instructions: None,
        estimate: 500.0,
        limit: 20_000,
        styles: Style::ALL.to_vec(),
        algorithms: Algorithm::ALL.to_vec(),
        models: None,
        against: Against::Oracle(Variants::One),
        save: PathBuf::from("target/fuzz"),
        program: None,
    };
    let (mut from, mut count) = (0, u64::MAX);
    for option in given::options() {
        let option = option?;
        let number = || option.number();
        match (option.name.as_str(), option.value.as_str()) {
            ("--from", _) => from = number()?,
            ("--count", _) => count = number()?,
            ("--seconds", _) => options.seconds = number()?,
            ("--threads", _) => options.threads = number()?.max(1),
            ("--instructions", _) => options.instructions = Some(number()? as usize),
            ("--estimate", _) => options.estimate = number()? as f64,
            ("--limit", _) => options.limit = number()? as usize,
            ("--algorithm", "all") => options.algorithms = Algorithm::ALL.to_vec(),
            ("--algorithm", _) => options.algorithms = algorithms(&option.value)?,
            ("--models", _) => options.models = Some(models(&option.value)?),
            ("--style", "all") => options.styles = Style::ALL.to_vec(),
            ("--style", _) => options.styles = styles(&option.value)?,
            ("--variants", "one") => options.against = Against::Oracle(Variants::One),
            ("--variants", "all") => options.against = Against::Oracle(Variants::All),
            ("--against", "oracle") => {}
            ("--against", "itself") => options.against = Against::Itself,
            ("--against", "asymmetric") => options.against = Against::Asymmetric,
            ("--against", "ordered") => options.against = Against::Ordered,
            ("--against", "arrivals") => options.against = Against::Arrivals,
            ("--against", "sections") => options.against = Against::Sections,
            ("--save", _) => options.save = PathBuf::from(&option.value),
            ("--program", path) => {
                options.program = Some(read_program(path)?);
                options.styles = vec![Style::Mixed];
                if options.against.is_reduced() {
                    count = PERIOD * MODELS.len() as u64;
                } else {
                    options.against = Against::Oracle(Variants::All);
                    count = PERIOD;
                }
            }
            _ => return Err(option.complaint()),
        }
    }
    options.seeds = from..from.saturating_add(count);
    Ok(options)
}

/// A program, and the number of draws that it replaced.
struct Drawn {
    ast: Ast,
    n_redrawn: u64,
}

impl Options {
    fn models(&self) -> Vec<&str> {
        match &self.models {
            Some(models) => models.iter().map(String::as_str).collect(),
            None => self.algorithms.iter().flat_map(|&algorithm| models_of(algorithm)).collect(),
        }
    }

    fn shape(&self, style: Style) -> ProgramShape {
        let mut shape = ProgramShape::of(style);
        if self.against == Against::Itself {
            shape.max_instructions += 3;
        }
        shape.max_instructions = self.instructions.unwrap_or(shape.max_instructions);
        shape
    }

    fn program(&self, style: Style, seed: u64) -> Drawn {
        if let Some(ast) = self.program.clone() {
            return Drawn { ast, n_redrawn: 0 };
        }
        let shape = self.shape(style);
        if self.against == Against::Asymmetric {
            let shape = ProgramShape { max_threads: 3, max_instructions: 2 + (seed % 6) as usize, ..shape };
            return Drawn { ast: repeat(seed, generate(seed, &shape), 6), n_redrawn: 0 };
        }
        if self.against == Against::Ordered {
            let shape = ProgramShape { max_threads: 4, max_instructions: 1 + (seed % 6) as usize, ..shape };
            let drawn = generate(seed, &shape);
            let ast = if seed.is_multiple_of(2) { own(seed, drawn) } else { count(seed, drawn) };
            return Drawn { ast, n_redrawn: 0 };
        }
        if self.against == Against::Arrivals {
            let shape = ProgramShape { max_threads: 4, max_instructions: 1 + (seed % 6) as usize, ..shape };
            let drawn = generate(seed, &shape);
            let ast = match seed % 7 {
                0 => count(seed, drawn),
                1 | 2 => repeat(seed, drawn, 5),
                _ => drawn,
            };
            return Drawn { ast: meet(seed, ast), n_redrawn: 0 };
        }
        if self.against == Against::Sections {
            let shape = ProgramShape { max_threads: 4, max_instructions: 1 + (seed % 8) as usize, ..shape };
            let drawn = generate(seed, &shape);
            let ast = match seed % 7 {
                0 => count(seed, drawn),
                1 => repeat(seed, drawn, 5),
                _ => drawn,
            };
            let ast = if seed % 11 < 9 { section(seed, ast) } else { ast };
            return Drawn {
                ast: if seed.is_multiple_of(13) { repeat(seed, ast, 5) } else { ast },
                n_redrawn: 0,
            };
        }
        let mut drawn = Drawn { ast: generate(seed, &shape), n_redrawn: 0 };
        while self.against != Against::Itself && drawn.n_redrawn < 20 && drawn.ast.estimate() > self.estimate
        {
            drawn.n_redrawn += 1;
            drawn.ast = generate(seed.wrapping_add(drawn.n_redrawn << 40), &shape);
        }
        drawn
    }
}

/// The results for one algorithm and one model.
#[derive(Clone, Copy, Default)]
struct Row {
    agreed: u64,
    executions: u64,
    too_large: u64,
    refused: u64,
}

/// The results for the programs of one style.
#[derive(Clone, Copy, Default)]
struct OfStyle {
    programs: u64,
    agreed: u64,
    too_large: u64,
    differences: u64,
    redrawn: u64,
}

#[derive(Default)]
struct Totals {
    programs: AtomicU64,
    differences: AtomicU64,
    styles: Mutex<BTreeMap<&'static str, OfStyle>>,
    rows: Mutex<BTreeMap<(&'static str, &'static str), Row>>,
}

/// The result of comparing one program.
#[derive(Clone, Copy)]
enum Ended {
    Agreed,
    TooLarge,
    Differs,
}

impl Totals {
    /// Counts comparisons of algorithms under models.
    fn count(&self, results: impl IntoIterator<Item = (&'static str, &'static str, Agreement)>) {
        let mut rows = self.rows.lock().expect("counting does not panic");
        for (algorithm, model, agreement) in results {
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
    }

    fn count_program(&self, style: &'static str, n_redrawn: u64, ended: Ended) {
        self.programs.fetch_add(1, Relaxed);
        let mut styles = self.styles.lock().expect("counting does not panic");
        let of_style = styles.entry(style).or_default();
        of_style.programs += 1;
        of_style.redrawn += n_redrawn;
        match ended {
            Ended::Agreed => of_style.agreed += 1,
            Ended::TooLarge => of_style.too_large += 1,
            Ended::Differs => {
                of_style.differences += 1;
                self.differences.fetch_add(1, Relaxed);
            }
        }
    }

    fn print(&self) {
        let styles = self.styles.lock().expect("counting does not panic");
        println!("style         programs    agreed  too large  differences  redrawn");
        for (style, of_style) in styles.iter() {
            let OfStyle { programs, agreed, too_large, differences, redrawn } = of_style;
            println!("{style:<12}{programs:>10}{agreed:>10}{too_large:>11}{differences:>13}{redrawn:>9}");
        }
        let rows = self.rows.lock().expect("counting does not panic");
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
    fn check(&self, seed: u64, ast: &Ast) -> Result<Ended, String> {
        if let Against::Oracle(_) = self.options.against {
            let outcomes = self.referee.check(seed, ast)?;
            self.totals
                .count(outcomes.iter().map(|found| (found.algorithm.name(), found.model, found.agreement)));
            let is_too_large = outcomes.iter().any(|outcome| outcome.agreement == Agreement::TooLarge);
            return Ok(if is_too_large { Ended::TooLarge } else { Ended::Agreed });
        }
        if self.options.against == Against::Asymmetric {
            return self.check_symmetry(seed, ast);
        }
        if self.options.against == Against::Ordered {
            return self.check_orders(seed, ast, counters::compare_program);
        }
        if self.options.against == Against::Arrivals {
            return self.check_orders(seed, ast, barriers::compare_program);
        }
        if self.options.against == Against::Sections {
            return self.check_orders(seed, ast, sections::compare_program);
        }
        let n_executions = if seed.is_multiple_of(2) {
            agree_on_program(seed, ast, &MODELS, machine)?
        } else {
            agree_on_program(seed, ast, &MODELS, |ast| Replayed(ast.clone()))?
        };
        self.totals.count([("trust", "itself", Agreement::Agreed { n_executions })]);
        let n_executions = identities::check(seed, ast)?;
        self.totals.count([("all", "each other", Agreement::Agreed { n_executions })]);
        Ok(Ended::Agreed)
    }

    fn check_symmetry(&self, seed: u64, ast: &Ast) -> Result<Ended, String> {
        if ast.estimate() > self.options.estimate {
            return Ok(Ended::TooLarge);
        }
        let model = MODELS[(seed / PERIOD) as usize % MODELS.len()];
        let [up_to_co, up_to_rf] = symmetry::compare_program(seed, ast, model)?;
        let rows = [
            ("co: all", up_to_co.all),
            ("co: orbits", up_to_co.orbits),
            ("co: visited", up_to_co.visited),
            ("rf: all", up_to_rf.all),
            ("rf: orbits", up_to_rf.orbits),
            ("rf: visited", up_to_rf.visited),
        ];
        let agreed = |(name, n_executions)| (name, model, Agreement::Agreed { n_executions });
        self.totals.count(rows.map(agreed));
        Ok(Ended::Agreed)
    }

    fn check_orders(
        &self,
        seed: u64,
        ast: &Ast,
        compare: fn(u64, &Ast, &str) -> Result<[ClassCounts; 2], String>,
    ) -> Result<Ended, String> {
        if ast.estimate() > self.options.estimate {
            return Ok(Ended::TooLarge);
        }
        let model = MODELS[(seed / PERIOD) as usize % MODELS.len()];
        let [up_to_co, up_to_rf] = compare(seed, ast, model)?;
        let rows = [
            ("co: all", up_to_co.all),
            ("co: visited", up_to_co.visited),
            ("rf: all", up_to_rf.all),
            ("rf: visited", up_to_rf.visited),
        ];
        let agreed = |(name, n_executions)| (name, model, Agreement::Agreed { n_executions });
        self.totals.count(rows.map(agreed));
        Ok(Ended::Agreed)
    }

    fn check_seed(&self, style: Style, seed: u64) {
        let Drawn { ast, n_redrawn } = self.options.program(style, seed);
        let name = style.name();
        let checked = catch_unwind(AssertUnwindSafe(|| self.check(seed, &ast)));
        let ended = checked.unwrap_or_else(|_| Err(format!("seed {seed} panics\n\n{SHRUNK}{ast}\n\n")));
        let ended = ended.unwrap_or_else(|text| {
            println!("{name} style\n{text}");
            self.save(&format!("{name}-{seed}.txt"), &text);
            Ended::Differs
        });
        self.totals.count_program(name, n_redrawn, ended);
    }

    fn save(&self, name: &str, text: &str) {
        let path = self.options.save.join(name);
        let written = std::fs::create_dir_all(&self.options.save).and_then(|()| std::fs::write(&path, text));
        match written {
            Ok(()) => println!("saved as {}", path.display()),
            Err(error) => println!("{}: {error}", path.display()),
        }
    }

    /// Takes seeds until there are none left, and uses each for every style.
    fn run(&self, next: &AtomicU64, start: Instant) {
        let styles = &self.options.styles;
        loop {
            let index = next.fetch_add(1, Relaxed);
            let seed = self.options.seeds.start.saturating_add(index / styles.len() as u64);
            let is_late = start.elapsed().as_secs() >= self.options.seconds;
            let is_bad = self.totals.differences.load(Relaxed) >= MOST_DIFFERENCES;
            if seed >= self.options.seeds.end || is_late || is_bad {
                return;
            }
            self.check_seed(styles[(index % styles.len() as u64) as usize], seed);
            if index % 10_000 == 9_999 {
                report(seed, self.totals, start);
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
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                let mut referee = Referee::new(&options.algorithms, &options.models());
                referee.limit = options.limit;
                if let Against::Oracle(variants) = options.against {
                    referee.variants = variants;
                }
                Worker { options: &options, referee, totals: &totals }.run(&next, start);
            });
        }
    });
    let n_seeds = next.load(Relaxed) / options.styles.len() as u64;
    let last = options.seeds.start.saturating_add(n_seeds).min(options.seeds.end);
    report(last.saturating_sub(1), &totals, start);
    totals.print();
    ExitCode::from(u8::from(totals.differences.load(Relaxed) > 0))
}

fn report(seed: u64, totals: &Totals, start: Instant) {
    let (programs, seconds) = (totals.programs.load(Relaxed), start.elapsed().as_secs_f64());
    let rate = programs as f64 / seconds;
    println!("up to seed {seed}: {programs} programs checked, {seconds:.0} s, {rate:.0}/s");
}
