//! The command line as it is written. What it means is settled in [`crate::options`].

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  atropos check mp.litmus                        what can this litmus test end with, under rc11?
  atropos check --model tso mp.litmus            and on a machine with store buffers?
  atropos check --format json --keep-going p.vm  every violation of a program, for a script
  atropos check --timeout 60 --unroll 3 p.vm     bounded in time and in loop iterations
  atropos check --dot bug.dot p.vm               a picture of the guilty execution
  atropos models                                 the memory models and their axioms
  atropos generate --max-edges 4 --output tests  many litmus tests";

const CHECK_HELP: &str = "\
A .litmus test (herd's C and X86 dialects) is answered with its final states, how many executions end in \
each, and herd's verdict on its condition. A .vm program is checked for failed assertions, data races, \
misuse of memory and locks, deadlock and endless spinning.

Exit status:
  0    verified: no execution goes wrong, and a litmus test's condition (if any) holds: herd's `Ok`
  1    a violation was found; or the condition of a litmus test does not hold: herd's `No`
  2    bad usage or input
  3    inconclusive: a limit was hit, the search was interrupted, or accesses of several sizes meet
  101  a bug in Atropos";

/// A model checker for concurrent programs under weak memory models.
///
/// Atropos runs a program in every way its threads and the memory model allow, once each, and either shows an
/// execution that goes wrong or tells you that there is none.
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
    /// List the memory models with their axioms
    Models(ModelsArgs),
    /// List the exploration algorithms with the models they support
    Algorithms,
    /// Make litmus tests from cycles of relations
    Generate(Box<GenerateArgs>),
    /// Panic, to see what a bug looks like
    #[command(hide = true)]
    Panic,
}

#[derive(Args, Debug)]
#[command(after_help = CHECK_HELP)]
pub struct CheckArgs {
    /// What to check: a C or C++ program (.c .cc .cpp .ll .bc), a .litmus test or a .vm program
    pub file: PathBuf,

    /// More files of the same C or C++ program
    #[arg(value_name = "MORE")]
    pub more_files: Vec<PathBuf>,

    /// Flags for the C compiler
    #[arg(last = true, value_name = "CFLAGS")]
    pub cflags: Vec<String>,

    /// The compiler for C and C++ [default: $ATROPOS_CLANG, clang-19, clang]
    #[arg(long, value_name = "PATH")]
    pub clang: Option<PathBuf>,

    /// C++20's latches, barriers, semaphores, waiting on atomics and locking of several mutexes: as the standard has
    /// them (the default), or as the installed headers are written
    #[arg(long, value_name = "standard|as-written", hide_possible_values = true)]
    pub library: Option<LibraryArg>,

    /// Memory model: sc tso pso ra sra rc11 wrc11, or a file [default: rc11; tso for X86 litmus tests]
    #[arg(long, value_name = "NAME|FILE.cat")]
    pub model: Option<String>,

    /// Exploration algorithm: trust, rcmc, tracer, source-dpor, optimal-dpor or rvf; `atropos algorithms` tells what works with what
    #[arg(long, value_name = "NAME", default_value = "trust")]
    pub algorithm: String,

    /// Which executions count as the same: those with equal reads-from and coherence (co), or with equal
    /// reads-from (rf), which are fewer [default: rf; co for FILE.cat]
    #[arg(long, value_name = "co|rf", hide_possible_values = true)]
    pub equivalence: Option<EquivalenceArg>,

    /// rvf: search without some of its heuristics, to see what they are worth
    #[arg(long, value_name = "signals,greedy,closure,guide", value_delimiter = ',')]
    pub rvf_without: Vec<String>,

    /// Bound loops to N iterations [default: none, only idle spinning is cut short]
    #[arg(long, value_name = "N")]
    pub unroll: Option<u32>,

    /// Which values `__VERIFIER_nondet_int()` and its like return: all from LO to HI, each in its own executions
    #[arg(long, value_name = "LO..HI", value_parser = parse_range, allow_hyphen_values = true)]
    pub nondet: Option<(i64, i64)>,

    /// Let waiting on a condition variable end without a signal, once in each thread
    #[arg(long)]
    pub spurious_wakeups: bool,

    /// Let every allocation fail as well, each in executions of its own: malloc, calloc, realloc, new and their like
    #[arg(long)]
    pub malloc_may_fail: bool,

    /// Show what the program prints in a violating execution
    #[arg(long)]
    pub show_output: bool,

    /// Worker threads [default: all cores]; 1 is exactly the sequential search
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// Do not stop at the first violation
    #[arg(long)]
    pub keep_going: bool,

    /// Take heap objects for a violation that are never freed and that nothing leads to; otherwise they are only
    /// mentioned
    #[arg(long)]
    pub leaks: bool,

    /// Treat non-atomic accesses as relaxed; races are reported by default under ra, sra and rc11
    #[arg(long)]
    pub no_race_detection: bool,

    /// Words that are accessed atomically in several sizes, where the model does not treat that exactly: the verdict is
    /// inconclusive unless there is a violation (exact, the default), or they are taken as one location each (merge)
    #[arg(long, value_name = "exact|merge", hide_possible_values = true, default_value = "exact")]
    pub mixed_sizes: MixedSizesArg,

    /// Stop after N executions, with an inconclusive verdict
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_executions: Option<u64>,

    /// Stop after this time, with an inconclusive verdict
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub timeout: Option<std::time::Duration>,

    /// Stop when the checker needs this much memory, with an inconclusive verdict
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory_limit: Option<u64>,

    /// Report for people, or one JSON object on standard output
    #[arg(long, value_name = "human|json", hide_possible_values = true, default_value = "human")]
    pub format: FormatArg,

    /// Entry function of a C, C++ or .vm program [default: main]
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,

    /// sc, tso, pso: read C11 orderings as a compiler for that hardware would (the default), or ignore them and
    /// keep only fences and RMWs as barriers
    #[arg(long, value_name = "compiled|raw", hide_possible_values = true)]
    pub mapping: Option<MappingArg>,

    /// rc11: C++20's definition of release sequences (the default) or that of the RCMC paper
    #[arg(long, value_name = "c20|c11", hide_possible_values = true)]
    pub release_sequences: Option<ReleaseSequencesArg>,

    /// tso, pso: report an execution that sc does not have, if there is one; explores up to co
    #[arg(long)]
    pub check_robustness: bool,

    /// Draw the first guilty execution into FILE, in Graphviz's language
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,

    /// Print every execution, in canonical text
    #[arg(long)]
    pub print_executions: bool,

    /// When to use colours
    #[arg(long, value_name = "auto|always|never", hide_possible_values = true, default_value = "auto")]
    pub color: ColorArg,

    /// Tell more about the search
    #[arg(long, short)]
    pub verbose: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum EquivalenceArg {
    Co,
    Rf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum MixedSizesArg {
    Exact,
    Merge,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum LibraryArg {
    Standard,
    AsWritten,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum FormatArg {
    Human,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum MappingArg {
    Compiled,
    Raw,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum ReleaseSequencesArg {
    C20,
    C11,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum ColorArg {
    Auto,
    Always,
    Never,
}

#[derive(Args, Debug)]
pub struct ModelsArgs {
    /// Show only this model, a built-in one or a FILE.cat
    pub model: Option<String>,
}

const GENERATE_HELP: &str = "\
Edges:
  Rfe Fre Coe           reads-from, from-read, coherence to another thread; Rfi Fri Coi within one
  PodWR PosRW ...       program order to a different (d) or the same (s) location, kinds of both accesses
  FenceScdWR ...        the same with a fence between: FenceAcq FenceRel FenceAcqRel FenceSc
  DpDatadW DpCtrldR ... the same with a dependency
  Rmw                   from the read to the write of an exchange
Annotations stand between edges and say how strong an access is:
  Na Rlx Acq Rel Sc XRlx XAcqRel XSc

Examples:
  atropos generate 'PodWW Rel Rfe Acq PodRR Fre'           message passing, to standard output
  atropos generate --max-edges 6 --output tests            every classic shape
  atropos generate --annotations Rlx,Acq,Rel,Sc --limit 5000 --output tests
  atropos generate --dialect x86 --edges Rfe,Fre,Coe,PodWR,PodWW,PodRR,PodRW,MFencedWR --list";

#[derive(Args, Debug)]
#[command(after_help = GENERATE_HELP)]
pub struct GenerateArgs {
    /// Cycles, each in one argument; without any, all cycles within the bounds are made
    #[arg(value_name = "CYCLE", conflicts_with_all = ["edges", "annotations", "max_edges", "max_threads", "max_accesses"])]
    pub cycles: Vec<String>,

    /// Edges that cycles are made of [default: Rfe,Fre,Coe,PodWW,PodWR,PodRW,PodRR]
    #[arg(long, value_name = "EDGE,...", value_delimiter = ',')]
    pub edges: Vec<String>,

    /// Annotations that accesses may have [default: Rlx]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub annotations: Vec<String>,

    /// Most edges of a cycle [default: 6]
    #[arg(long, value_name = "N")]
    pub max_edges: Option<usize>,

    /// Most threads of a test [default: 4]
    #[arg(long, value_name = "N")]
    pub max_threads: Option<usize>,

    /// Most accesses of one thread [default: 2]
    #[arg(long, value_name = "N")]
    pub max_accesses: Option<usize>,

    /// Stop after N tests
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,

    /// Language of the tests
    #[arg(long, value_name = "c|x86", hide_possible_values = true, default_value = "c")]
    pub dialect: DialectArg,

    /// Write NAME.litmus files into this directory [default: all tests to standard output]
    #[arg(long, short, value_name = "DIR", conflicts_with = "list")]
    pub output: Option<PathBuf>,

    /// Print the names of the tests only
    #[arg(long)]
    pub list: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum DialectArg {
    C,
    X86,
}

fn parse_range(text: &str) -> Result<(i64, i64), String> {
    let (low, high) = text.split_once("..").ok_or("a range is written LO..HI, with both ends included")?;
    let number = |text: &str| text.trim().parse::<i64>().map_err(|_| format!("`{text}` is not a number"));
    let (low, high) = (number(low)?, number(high)?);
    match high.checked_sub(low).map(|n| n as u64) {
        _ if low > high => Err(format!("there is nothing from {low} to {high}")),
        Some(n) if n < atropos_llvm::MOST_CHOICES => Ok((low, high)),
        _ => Err(format!("more than {} values are too many to try", atropos_llvm::MOST_CHOICES)),
    }
}

fn parse_seconds(text: &str) -> Result<std::time::Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_string())?;
    let duration = std::time::Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("must be more than 0".to_string()) } else { Ok(duration) }
}
