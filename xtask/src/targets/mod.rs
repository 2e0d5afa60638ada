//! `cargo xtask rust-targets` runs the loom tests of published packages with our `loom`, and with loom itself.
//!
//! Nothing of these packages is in the repository: cargo fetches them ([`fetch`]). Only `rows`, and what drives a package
//! without tests of its own, are ours. Each is copied to `target`, built once with cargo's patch and once without
//! ([`build`]), and each of its tests runs with a limit on its processor time ([`run`]). The result is a table ([`table`]).

mod build;
mod fetch;
mod run;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use table::Row;

/// A published package with tests for loom.
pub(crate) struct Target {
    pub name: &'static str,
    pub version: &'static str,
    /// The flags of the compiler that make it use loom.
    pub flags: &'static str,
    /// The arguments of `cargo test`.
    pub arguments: &'static [&'static str],
    /// Its tests for loom have names that contain one of these.
    pub tests: &'static [&'static str],
    /// The package that takes the place of loom.
    pub loom: &'static str,
    /// Our own tests, if the package has none.
    pub driver: Option<&'static str>,
}

impl Target {
    const fn driven_by(self, file: &'static str) -> Target {
        Target { driver: Some(file), ..self }
    }
}

const LOOM: &str = "--cfg loom";
const CROSSBEAM: &str = "--cfg crossbeam_loom";
const ALL: &[&str] = &[""];
const DRIVER: &[&str] = &["--test", "driver"];
const NEW: &str = "crates/loom";
const OLD: &str = "crates/loom/v0.5";

/// In place of a version: our own tests.
const OWN: &str = "own";

static TARGETS: [Target; 14] = [
    target("rows", OWN, LOOM, DRIVER, ALL, NEW).driven_by("crates/loom/tests/rows.rs"),
    target("bytes", "1.12.1", LOOM, &["--lib"], &["fuzz"], NEW),
    target("left-right", "0.11.8", LOOM, &["--test", "loom"], ALL, NEW),
    target("parking", "2.2.1", LOOM, &["--features", "loom", "--test", "loom"], ALL, NEW),
    target(
        "oneshot",
        "0.2.1",
        "--cfg oneshot_loom",
        &["--features", "loom,std,async", "--test", "loom", "--test", "sync"],
        ALL,
        NEW,
    ),
    target("concurrent-queue", "2.5.0", LOOM, &["--features", "loom", "--test", "loom"], ALL, NEW),
    target("st3", "0.4.1", "--cfg st3_loom", &["--test", "integration"], &["loom"], OLD),
    target(
        "sharded-slab",
        "0.1.7",
        LOOM,
        &["--features", "loom", "--lib"],
        &["loom_", "transfer_stack"],
        OLD,
    ),
    target("thingbuf", "0.1.6", LOOM, &["--lib"], &["mpsc::tests", "thingbuf::tests", "wait::"], OLD),
    target("crossbeam-epoch", "0.9.21", CROSSBEAM, &["--features", "loom", "--test", "loom"], ALL, NEW),
    target("crossbeam-utils", "0.8.23", CROSSBEAM, DRIVER, ALL, NEW)
        .driven_by("xtask/drivers/crossbeam-utils.rs"),
    target("event-listener", "5.4.2", LOOM, &["--features", "loom", "--test", "loom"], ALL, NEW),
    target("async-lock", "3.5.0", LOOM, &["--features", "loom", "--test", "loom"], ALL, NEW),
    target("tokio", "1.54.1", LOOM, &["--features", "full,test-util", "--lib"], &["loom"], NEW),
];

const fn target(
    name: &'static str,
    version: &'static str,
    flags: &'static str,
    arguments: &'static [&'static str],
    tests: &'static [&'static str],
    loom: &'static str,
) -> Target {
    Target { name, version, flags, arguments, tests, loom, driver: None }
}

/// Where everything is built.
struct Workshop {
    root: PathBuf,
    /// Below `target`.
    folder: PathBuf,
}

/// The options of the command line.
struct TargetsOptions<'a> {
    limit: Duration,
    /// Whether to run loom itself, too.
    compares: bool,
    /// Only these packages; all, if empty.
    names: Vec<&'a str>,
}

impl<'a> TargetsOptions<'a> {
    fn parse(arguments: &[&'a str]) -> Result<TargetsOptions<'a>, String> {
        let mut options =
            TargetsOptions { limit: Duration::from_secs(60), compares: true, names: Vec::new() };
        let mut words = arguments.iter();
        while let Some(&word) = words.next() {
            match word {
                "--limit" => {
                    let seconds = words.next().and_then(|word| word.parse().ok());
                    options.limit = Duration::from_secs(seconds.ok_or("--limit needs a number of seconds")?);
                }
                "--alone" => options.compares = false,
                name if TARGETS.iter().any(|target| target.name == name) => options.names.push(name),
                other => return Err(format!("there is no package {other} in the list")),
            }
        }
        Ok(options)
    }
}

/// Runs the tests of the packages, and writes the table if all packages take part.
pub fn run(root: &Path, arguments: &[&str]) -> Result<ExitCode, String> {
    let options = TargetsOptions::parse(arguments)?;
    let workshop = Workshop { root: root.to_path_buf(), folder: root.join("target/rust-targets") };
    fetch::fetch(&workshop, &TARGETS)?;
    let is_chosen = |target: &&Target| options.names.is_empty() || options.names.contains(&target.name);
    let (mut rows, mut n_broken) = (Vec::new(), 0);
    for target in TARGETS.iter().filter(is_chosen) {
        match run_package(&workshop, target, &options) {
            Ok(of_package) => rows.extend(of_package),
            Err(message) => {
                eprintln!("{message}");
                n_broken += 1;
            }
        }
    }
    if options.names.is_empty() && options.compares {
        table::write(root, &rows, options.limit)?;
    }
    let n_undecided = rows.iter().filter(|row| !row.ours.is_decided()).count();
    eprintln!("{} tests, {n_undecided} undecided; {n_broken} packages do not build", rows.len());
    Ok(if n_broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the tests of one package.
fn run_package(
    workshop: &Workshop,
    target: &'static Target,
    options: &TargetsOptions<'_>,
) -> Result<Vec<Row>, String> {
    let source = fetch::copy(workshop, target)?;
    let programs = build::build(workshop, target, &source, build::Loom::Ours)?;
    let own = match options.compares {
        true => build::build(workshop, target, &source, build::Loom::Theirs)?,
        false => Vec::new(),
    };
    let mut rows = Vec::new();
    for (index, program) in programs.iter().enumerate() {
        for test in run::tests(program, target.tests)? {
            let ours = run::run(program, &test, options.limit)?;
            let theirs = own.get(index).map(|own| run::run(own, &test, options.limit)).transpose()?;
            let row = Row { package: target, test, ours, theirs };
            eprintln!("{row}");
            rows.push(row);
        }
    }
    Ok(rows)
}
