//! The command line as written. [`crate::options`] resolves what it means.

use crate::flags::Given;
use crate::models::Model;
use crate::options::AlgorithmChoice;
use atropos_event::Mapping;
use atropos_explore::Reductions;
use atropos_explore::catalogue::Equivalence;
use atropos_explore::rvf::Heuristics;
use atropos_litmus::Dialect;
use atropos_llvm::{Library, Volatile};
use atropos_model::ReleaseSequences;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

mod cargo;
mod cluster;
mod orders;
mod output;
mod unroll;

pub use cargo::{CargoCommand, CargoRunArgs, CargoTestArgs, PackageArgs, PackageCheckArgs};
pub use cluster::{ServeArgs, ServerArgs, WorkArgs};
pub use orders::{LineRange, OrdersArgs, StartingOrders};
pub use output::{Color, Format, OutputArgs};
pub use unroll::Unroll;

const EXAMPLES: &str = "\
Examples:
  atropos check mp.litmus                        the final states of a litmus test under rc11
  atropos check --model tso mp.litmus            the same on a machine with store buffers
  atropos check --format json --keep-going p.c   all violations of a program, as JSON
  atropos check --timeout 60 --unroll 3 p.c      with a limit on time and on loop iterations
  atropos check --report bug.html p.c            a page that shows the violating execution
  atropos serve --store search p.c               the same check on many machines, with workers:
  atropos work nats://localhost:4222             any number of them, on any machine
  cargo atropos test                             every #[test] of a Rust package
  atropos explain --model tso mp.litmus          why its condition cannot hold under tso
  atropos weaken --patch weaker.patch lock.c     the weakest orders under which a lock verifies
  atropos repair lock.c                          the fewest orders to strengthen so that it does
  atropos models                                 the memory models and their axioms
  atropos generate --max-edges 4 --output tests  all litmus tests with up to four edges";

const CHECK_HELP: &str = "\
Atropos checks a program for failed assertions, data races, misuse of memory and locks, deadlocks and endless \
spinning. For a .litmus test (herd's C and X86 dialects) it prints the final states, the number of executions that \
end in each, and herd's verdict on the condition.

Exit status:
  0    verified: no execution goes wrong, and a litmus test's condition (if any) holds: herd's `Ok`
  1    a violation was found, or the condition of a litmus test does not hold: herd's `No`
  2    bad usage or input
  3    inconclusive: a limit was hit, the search was interrupted, or the model only approximates
       accesses of several sizes
  101  a bug in Atropos";

/// A model checker for concurrent programs under weak memory models.
///
/// Atropos runs a program in every way its threads and the memory model allow, once each. It shows an execution that
/// goes wrong, or reports that there is none.
#[derive(Parser, Debug)]
#[command(name = "atropos", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Explore all executions of a program
    Check(Box<CheckArgs>),
    /// Explore all executions of a program on many machines
    Serve(Box<ServeArgs>),
    /// Check the tests or the binary of a cargo package; also `cargo atropos`
    #[command(subcommand, version)]
    Cargo(CargoCommand),
    /// Take part in a check on many machines
    Work(WorkArgs),
    /// Explain why a memory model forbids executions of a program
    Explain(Box<ExplainArgs>),
    /// Find the weakest memory orders under which programs verify
    Weaken(Box<OrdersArgs>),
    /// Find the fewest memory orders to strengthen so that a program verifies
    Repair(Box<OrdersArgs>),
    /// List the memory models with their axioms
    Models(ModelsArgs),
    /// List the exploration algorithms with the models they support
    Algorithms,
    /// Generate litmus tests from cycles of relations
    Generate(Box<GenerateArgs>),
    /// Say what works on this machine, and what is missing
    Doctor,
    /// Print completions for a shell
    Completions {
        /// bash, elvish, fish, powershell or zsh
        shell: clap_complete::Shell,
    },
    /// Write manual pages, one for each command
    Manual {
        /// The folder to write to
        folder: PathBuf,
    },
    /// Panic, to see what a bug looks like
    #[command(hide = true)]
    Panic,
}

/// `atropos check` as written. [`crate::flags`] has a row for each option.
#[derive(Args, Debug)]
#[command(after_help = CHECK_HELP)]
pub struct CheckArgs {
    // This field comes first because clap takes the other values out of the matches.
    #[command(flatten)]
    pub given: Given,

    /// The program: C, C++ or Rust (.c .cc .cpp .rs .ll .bc), a .litmus test or a .vm program
    pub file: PathBuf,

    /// More files of the same C or C++ program
    #[arg(value_name = "MORE")]
    pub more_files: Vec<PathBuf>,

    /// Flags for the compiler, clang or rustc
    #[arg(last = true, value_name = "CFLAGS")]
    pub cflags: Vec<String>,

    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What to explore, and how.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// The memory model [default: rc11; tso for X86 litmus tests]
    ///
    /// One of sc, tso, pso, ra, sra, rc11 and wrc11, or a file in the cat language. `atropos models` lists the axioms.
    #[arg(long, value_name = "NAME|FILE.cat", value_parser = str::parse::<Model>)]
    pub model: Option<Model>,

    /// The exploration algorithm [default: trust]
    ///
    /// One of trust, rcmc, tracer, source-dpor, optimal-dpor and rvf. `atropos algorithms` lists the models that each
    /// supports, and when to prefer it. auto: trust, and where that takes long, other algorithms and equivalences race
    /// against it. It is not the default, because it sometimes chooses wrongly.
    #[arg(long, value_name = "NAME", value_parser = str::parse::<AlgorithmChoice>)]
    pub algorithm: Option<AlgorithmChoice>,

    /// Which executions count as the same [default: rf; co for FILE.cat]
    ///
    /// co: executions with equal reads-from and coherence; rf: executions with equal reads-from, so there are fewer.
    /// For trust only; each other algorithm has a fixed equivalence for each model.
    #[arg(long, value_name = "co|rf", hide_possible_values = true)]
    #[arg(value_parser = one_of(&[("co", Equivalence::Co), ("rf", Equivalence::Rf)]))]
    pub equivalence: Option<Equivalence>,

    /// rvf: switch off heuristics, to measure what each is worth
    ///
    /// The heuristics are signals, greedy, closure and guide.
    #[arg(long, value_name = "NAME,...", hide_possible_values = true)]
    #[arg(value_delimiter = ',', value_parser = Heuristics::NAMES)]
    pub rvf_without: Vec<String>,

    /// sc, tso, pso, FILE.cat: what C11's memory orders mean [default: compiled]
    ///
    /// compiled: what a compiler for that machine emits for them; raw: nothing, so that only fences and
    /// read-modify-writes are barriers.
    #[arg(long, value_name = "compiled|raw", hide_possible_values = true)]
    #[arg(value_parser = one_of(&[("compiled", Mapping::Compiled), ("raw", Mapping::Raw)]))]
    pub mapping: Option<Mapping>,

    /// rc11: what a release sequence is [default: c20]
    ///
    /// c20: C++20's definition; c11: the older one, which the RCMC paper uses.
    #[arg(long, value_name = "c20|c11", hide_possible_values = true)]
    #[arg(value_parser = one_of(&[("c20", ReleaseSequences::Cpp20), ("c11", ReleaseSequences::C11)]))]
    pub release_sequences: Option<ReleaseSequences>,

    /// tso, pso: report an execution that is not possible under sc
    ///
    /// Explores up to co, because coherence decides whether sc allows an execution.
    #[arg(long)]
    pub check_robustness: bool,

    /// Treat non-atomic accesses as relaxed, instead of reporting data races
    ///
    /// Without this option, data races are violations under ra, sra, rc11 and wrc11.
    #[arg(long)]
    pub no_race_detection: bool,

    /// How to treat atomic accesses of several sizes to the same bytes [default: exact]
    ///
    /// Most models approximate such accesses: they merge the bytes into one location. exact: a program without a
    /// violation is then inconclusive; merge: the approximation is accepted.
    #[arg(long, value_name = "exact|merge", hide_possible_values = true, default_value = "exact")]
    #[arg(hide_default_value = true)]
    #[arg(value_parser = one_of(&[("exact", MixedSizes::Exact), ("merge", MixedSizes::Merge)]))]
    pub mixed_sizes: MixedSizes,

    /// Report heap memory that is never freed as a violation
    ///
    /// This is memory that is not freed and that no global variable leads to at the end of an execution. Without this
    /// option it is a warning. Not for rvf.
    #[arg(long)]
    pub leaks: bool,

    /// Which executions to leave out because others stand for them [default: all but locks]
    ///
    /// all; none, to count what the papers count; or a list of names. symmetry: executions in which identical threads
    /// have exchanged their roles, for trust only; rmws: other orders of read-modify-writes that commute and whose
    /// results no thread uses, for trust only; barriers: other orders of arrival at a barrier, for trust only; locks:
    /// other orders of sections of a mutex that touch nothing in common, for trust only (new, so not by default);
    /// await: attempts of a compare-and-swap that fail and start over with the value that they saw. The verdict and the
    /// violations are the same.
    #[arg(long, value_name = "all|none|LIST", value_parser = str::parse::<Reductions>)]
    pub reduce: Option<Reductions>,

    /// Worker threads [default: all cores]
    ///
    /// 1 is the sequential search. Only trust and tracer can use more than one worker.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// Replay the execution in FILE, and no other
    ///
    /// --dump-graphs writes such files; of a JSON report, the first violation is replayed. The execution is shown and
    /// judged; if the program has no such execution, that is an error.
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,

    /// Do not stop at the first violation
    #[arg(long)]
    pub keep_going: bool,

    /// Record what was explored in FILE; started again, continue from there
    ///
    /// The file is written about once a second, so a check that was killed loses little. It is only for the same
    /// program, model and options. For trust and tracer.
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
}

/// How to read the program.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Program")]
pub struct InputArgs {
    /// The entry function of a C, C++ or .vm program [default: main]
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,

    /// Bound loops to N iterations [default: no bound]
    ///
    /// FILE:LINE=N bounds only the loop at that line, or around it, and is stronger than a bound for all; several
    /// values may be given. FILE may be the end of a path. Without a bound, Atropos still stops iterations that change
    /// nothing.
    #[arg(long, value_name = "N|FILE:LINE=N", value_delimiter = ',', value_parser = str::parse::<Unroll>)]
    pub unroll: Vec<Unroll>,

    /// C and C++: the compiler [default: $ATROPOS_CLANG, clang-19, clang]
    #[arg(long, value_name = "PATH")]
    pub clang: Option<PathBuf>,

    /// C++: how C++20's synchronisation behaves [default: standard]
    ///
    /// For latches, barriers, semaphores, waiting on atomics and std::lock. standard: as the C++ standard says;
    /// as-written: as the installed headers implement it.
    #[arg(long, value_name = "standard|as-written", hide_possible_values = true)]
    #[arg(value_parser = one_of(&[("standard", Library::Standard), ("as-written", Library::AsWritten)]))]
    pub library: Option<Library>,

    /// C and C++: compile each file with the flags in DIR/compile_commands.json
    ///
    /// A file that is not listed there, such as a driver, gets the flags of the first file that is. CFLAGS come after
    /// them.
    #[arg(long, short = 'p', value_name = "DIR")]
    pub build: Option<PathBuf>,

    /// C and C++: compile all files again, and keep nothing
    ///
    /// Without this option, Atropos keeps the compiled form of a file in $XDG_CACHE_HOME/atropos or ~/.cache/atropos. It
    /// uses it again while the file, its headers, the compiler and the flags are the same.
    #[arg(long)]
    pub no_cache: bool,

    /// C and C++: how to treat volatile accesses [default: plain]
    ///
    /// plain: like other accesses, so that they may race; relaxed: like relaxed atomic accesses, as code from before C11
    /// expects. Races on other data are reported in both cases.
    #[arg(long, value_name = "plain|relaxed", hide_possible_values = true)]
    #[arg(value_parser = one_of(&[("plain", Volatile::Plain), ("relaxed", Volatile::Relaxed)]))]
    pub volatile: Option<Volatile>,

    /// C and C++: the values that __VERIFIER_nondet_int() and similar functions return
    ///
    /// Atropos explores every value of the range, both ends included, that fits the type. Without a range, such a call
    /// is an error; Booleans need no range.
    #[arg(long, value_name = "LO..HI", value_parser = parse_range, allow_hyphen_values = true)]
    pub nondet: Option<(i64, i64)>,

    /// C and C++: a wait on a condition variable may end without a signal
    ///
    /// This happens at most once in each thread.
    #[arg(long)]
    pub spurious_wakeups: bool,

    /// C and C++: every allocation may also fail
    ///
    /// Atropos also explores that each call of malloc, calloc, realloc, new and similar functions fails: with NULL and
    /// errno = ENOMEM, or with std::bad_alloc.
    #[arg(long)]
    pub malloc_may_fail: bool,

    /// C and C++: show what the program prints in a violating execution
    #[arg(long)]
    pub show_output: bool,
}

/// When to give up.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Stop after N executions, with an inconclusive verdict
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_executions: Option<u64>,

    /// Stop after this time, with an inconclusive verdict
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub timeout: Option<Duration>,

    /// Stop when this much memory is used, with an inconclusive verdict
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory_limit: Option<u64>,
}

/// What to do about bytes that are accessed atomically in several sizes, if the model approximates such accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MixedSizes {
    /// Make the verdict inconclusive.
    Exact,
    /// Treat them as one location.
    Merge,
}

/// Parses a word into the value that it stands for.
fn one_of<T: Copy + Send + Sync + 'static>(
    choices: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(choices.iter().map(|(name, _)| *name)).map(move |word| {
        let chosen = choices.iter().find(|(name, _)| *name == word);
        chosen.expect("the parser accepts no other word").1
    })
}

const EXPLAIN_HELP: &str = "\
Atropos looks for suspicious executions under a weaker model: those that go wrong, and those that end as a litmus \
test's condition says (for `forall`: as it does not say). For each of them that the model forbids, it shows the axiom \
and the cycle of events that the axiom rules out.

Exit status:
  0    the model forbids all such executions, or there is none
  1    the model allows one, which is shown
  2    bad usage or input";

/// `atropos explain` as written.
#[derive(Args, Debug)]
#[command(after_help = EXPLAIN_HELP)]
pub struct ExplainArgs {
    /// The program: C or C++ (.c .cc .cpp .ll .bc), a .litmus test or a .vm program
    pub file: PathBuf,

    /// More files of the same C or C++ program
    #[arg(value_name = "MORE")]
    pub more_files: Vec<PathBuf>,

    /// Flags for the C compiler
    #[arg(last = true, value_name = "CFLAGS")]
    pub cflags: Vec<String>,

    /// The memory model to ask [default: rc11; tso for X86 litmus tests]
    #[arg(long, value_name = "NAME|FILE.cat", value_parser = str::parse::<Model>)]
    pub model: Option<Model>,

    /// The weaker model to search under [default: one that only keeps locations coherent]
    #[arg(long, value_name = "NAME|FILE.cat", value_parser = str::parse::<Model>)]
    pub allowed_by: Option<Model>,

    /// The entry function of a C, C++ or .vm program [default: main]
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,

    /// Bound loops to N iterations, or only the loop at a line [default: no bound]
    #[arg(long, value_name = "N|FILE:LINE=N", value_delimiter = ',', value_parser = str::parse::<Unroll>)]
    pub unroll: Vec<Unroll>,

    /// When to use colours [default: auto]
    #[arg(long, value_name = "auto|always|never", hide_possible_values = true, default_value = "auto")]
    #[arg(hide_default_value = true)]
    #[arg(value_parser = one_of(&[("auto", Color::Auto), ("always", Color::Always), ("never", Color::Never)]))]
    pub color: Color,
}

#[derive(Args, Debug)]
pub struct ModelsArgs {
    /// Show only this model, a built-in one or a FILE.cat
    #[arg(value_parser = str::parse::<Model>)]
    pub model: Option<Model>,
}

const GENERATE_HELP: &str = "\
Edges:
  Rfe Fre Coe           reads-from, from-read, coherence to another thread; Rfi Fri Coi within one
  PodWR PosRW ...       program order to a different (d) or the same (s) location, with both kinds
  FenceScdWR ...        the same with a fence between: FenceAcq FenceRel FenceAcqRel FenceSc
  DpDatadW DpCtrldR ... the same with a dependency
  Rmw                   from the read to the write of an exchange
Annotations stand between edges and say how strong an access is:
  Na Rlx Acq Rel Sc XRlx XAcqRel XSc

Examples:
  atropos generate 'PodWW Rel Rfe Acq PodRR Fre'           message passing, to standard output
  atropos generate --max-edges 6 --output tests            all the classic tests
  atropos generate --annotations Rlx,Acq,Rel,Sc --limit 5000 --output tests
  atropos generate --dialect x86 --edges Rfe,Fre,Coe,PodWR,PodWW,PodRR,PodRW,MFencedWR --list";

#[derive(Args, Debug)]
#[command(after_help = GENERATE_HELP)]
pub struct GenerateArgs {
    /// Cycles, one per argument [default: all cycles within the bounds]
    #[arg(value_name = "CYCLE", conflicts_with_all = ["edges", "annotations", "max_edges", "max_threads", "max_accesses"])]
    pub cycles: Vec<String>,

    /// The edges to build cycles from [default: Rfe,Fre,Coe,PodWW,PodWR,PodRW,PodRR]
    #[arg(long, value_name = "EDGE,...", value_delimiter = ',')]
    pub edges: Vec<String>,

    /// The annotations of accesses [default: Rlx]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub annotations: Vec<String>,

    /// Maximum number of edges in a cycle [default: 6]
    #[arg(long, value_name = "N")]
    pub max_edges: Option<usize>,

    /// Maximum number of threads in a test [default: 4]
    #[arg(long, value_name = "N")]
    pub max_threads: Option<usize>,

    /// Maximum number of accesses in a thread [default: 2]
    #[arg(long, value_name = "N")]
    pub max_accesses: Option<usize>,

    /// Stop after N tests
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,

    /// Language of the tests
    #[arg(long, value_name = "c|x86", hide_possible_values = true, default_value = "c")]
    #[arg(value_parser = one_of(&[("c", Dialect::C), ("x86", Dialect::X86)]))]
    pub dialect: Dialect,

    /// Write NAME.litmus files into this directory [default: all tests to standard output]
    #[arg(long, short, value_name = "DIR", conflicts_with = "list")]
    pub output: Option<PathBuf>,

    /// Only print the names of the tests
    #[arg(long)]
    pub list: bool,
}

fn parse_range(text: &str) -> Result<(i64, i64), String> {
    let (low, high) = text.split_once("..").ok_or("write a range as LO..HI; both ends are included")?;
    let number = |text: &str| text.trim().parse::<i64>().map_err(|_| format!("`{text}` is not a number"));
    let (low, high) = (number(low)?, number(high)?);
    match high.checked_sub(low).map(|n| n as u64) {
        _ if low > high => Err(format!("the range from {low} to {high} is empty")),
        Some(n) if n < atropos_llvm::MOST_CHOICES => Ok((low, high)),
        _ => Err(format!("a range may have at most {} values", atropos_llvm::MOST_CHOICES)),
    }
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_string())?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("must be more than 0".to_string()) } else { Ok(duration) }
}
