//! Compares every algorithm with the oracle on random programs over the thread library, without end or a given number
//! of times.
//!
//! `fuzz-runtime [--from SEED] [--count N] [--threads N] [--emit DIR] [--read DIR] [--native RUNS] [--compiler NAME]
//!               [--program FILE] [--keep-going N] [--only correct]`
//!
//! `--emit` only compiles the programs and keeps their LLVM IR in a folder; `--read` reads it from there, so that a
//! machine without clang can compare. `--native` runs the programs on this machine instead of exploring them.
//! `--program` checks the program in a file. A difference is shrunk if clang is available, printed with its seed, and
//! ends the run with status 1; `--keep-going` tolerates more of them first. `--only correct` leaves out programs with
//! misuse. At the end, a table shows which calls have occurred, and with which results.

use atropos_differential::conformance::check::{Compared, check, check_alone, expected, explain, ways_of};
use atropos_differential::conformance::compile::{BATCH, compile_all};
use atropos_differential::conformance::coverage::Coverage;
use atropos_differential::conformance::generate::{ProgramSize, generate};
use atropos_differential::conformance::native::{Native, Seen};
use atropos_differential::given;
use atropos_testkit::oracle::runtime::RuntimeProgram;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

// Loading and exploring allocate blocks of all sizes. After some ten thousand programs the default allocator would hold
// gigabytes of pieces that fit nothing.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Options {
    from: u64,
    count: u64,
    threads: u64,
    emit: Option<PathBuf>,
    read: Option<PathBuf>,
    native: Option<usize>,
    compiler: String,
    program: Option<PathBuf>,
    differences: u64,
    only_correct: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        from: 0,
        count: u64::MAX,
        threads: 1,
        emit: None,
        read: None,
        native: None,
        compiler: "cc".to_string(),
        program: None,
        differences: 1,
        only_correct: false,
    };
    for option in given::options() {
        let option = option?;
        let number = || option.number();
        match option.name.as_str() {
            "--from" => options.from = number()?,
            "--count" => options.count = number()?,
            "--threads" => options.threads = number()?.max(1),
            "--emit" => options.emit = Some(PathBuf::from(&option.value)),
            "--read" => options.read = Some(PathBuf::from(&option.value)),
            "--native" => options.native = Some(number()? as usize),
            "--compiler" => options.compiler = option.value,
            "--program" => options.program = Some(PathBuf::from(&option.value)),
            "--keep-going" => options.differences = number()?.max(1),
            "--only" if option.value == "correct" => options.only_correct = true,
            _ => return Err(option.complaint()),
        }
    }
    Ok(options)
}

#[derive(Default)]
struct Totals {
    agreed: AtomicU64,
    too_large: AtomicU64,
    differences: AtomicU64,
    coverage: Mutex<Coverage>,
    seen: Mutex<Seen>,
}

impl Totals {
    fn fail(&self, text: &str) {
        println!("{text}\n");
        self.differences.fetch_add(1, Relaxed);
    }
}

/// The file of the batch that starts with this seed.
fn file_of(folder: &Path, from: u64) -> PathBuf {
    folder.join(format!("{from}.ll"))
}

fn ir_of(options: &Options, from: u64, programs: &[(u64, RuntimeProgram)]) -> Result<String, String> {
    match &options.read {
        Some(folder) => {
            let file = file_of(folder, from);
            std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
        }
        None => compile_all(programs.iter().map(|(seed, program)| (*seed, program))),
    }
}

/// The programs of one batch.
fn check_batch(options: &Options, totals: &Totals, from: u64, to: u64) -> Result<(), String> {
    let programs: Vec<_> = (from..to).map(|seed| (seed, generate(seed, ProgramSize::default()))).collect();
    if let Some(runs) = options.native {
        let seen = Native { compiler: &options.compiler, runs }.check(&programs)?;
        let mut total = totals.seen.lock().expect("no thread panics while counting");
        total.programs += seen.programs;
        total.outcomes += seen.outcomes;
        total.of_outcomes += seen.of_outcomes;
        total.stuck += seen.stuck;
        return Ok(());
    }
    let ir = ir_of(options, from, &programs)?;
    if let Some(folder) = &options.emit {
        let file = file_of(folder, from);
        return std::fs::write(&file, ir).map_err(|error| format!("{}: {error}", file.display()));
    }
    let mut coverage = Coverage::default();
    for (seed, program) in &programs {
        if options.only_correct && expected(program).is_some_and(|found| !found.misuses.is_empty()) {
            continue;
        }
        match check(&ir, *seed, program, &ways_of(*seed)) {
            Ok(Compared::Agreed(found)) => {
                coverage.add(program, &found);
                totals.agreed.fetch_add(1, Relaxed);
            }
            Ok(Compared::TooLarge) => drop(totals.too_large.fetch_add(1, Relaxed)),
            Err((way, complaint)) => totals.fail(&explain(*seed, program, way, complaint)),
        }
    }
    totals.coverage.lock().expect("no thread panics while counting").merge(coverage);
    Ok(())
}

fn check_program(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let program: RuntimeProgram = text.parse()?;
    for number in 0..4 {
        let compared = check_alone(number, &program, &ways_of(number));
        match compared {
            Ok(compared) if number == 0 => println!("{compared:?}"),
            Ok(_) => {}
            Err((way, complaint)) => return Err(explain(number, &program, way, complaint)),
        }
    }
    Ok(())
}

fn run(options: &Options) -> Totals {
    let (start, totals) = (Instant::now(), Totals::default());
    let next = AtomicU64::new(options.from);
    let end = options.from.saturating_add(options.count);
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                while totals.differences.load(Relaxed) < options.differences {
                    let from = next.fetch_add(BATCH, Relaxed);
                    if from >= end {
                        return;
                    }
                    if let Err(text) = check_batch(options, &totals, from, (from + BATCH).min(end)) {
                        totals.fail(&format!("seeds from {from} on: {text}"));
                    }
                    if (from - options.from) / BATCH % 40 == 39 {
                        report(&totals, start, from + BATCH);
                    }
                }
            });
        }
    });
    report(&totals, start, next.load(Relaxed).min(end));
    totals
}

fn report(totals: &Totals, start: Instant, seed: u64) {
    let [agreed, large, different] =
        [&totals.agreed, &totals.too_large, &totals.differences].map(|count| count.load(Relaxed));
    let seconds = start.elapsed().as_secs_f64();
    println!("before seed {seed}: {agreed} agreed, {large} too large, {different} different, {seconds:.0} s");
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("fuzz-runtime: {message}");
            return ExitCode::from(2);
        }
    };
    if let Some(path) = &options.program {
        return match check_program(path) {
            Ok(()) => ExitCode::SUCCESS,
            Err(text) => {
                println!("{text}");
                ExitCode::from(1)
            }
        };
    }
    let totals = run(&options);
    if options.native.is_some() {
        println!("{:?}", totals.seen.lock().expect("no thread panics while counting"));
    } else {
        println!("{}", totals.coverage.lock().expect("no thread panics while counting"));
    }
    ExitCode::from(u8::from(totals.differences.load(Relaxed) > 0))
}
