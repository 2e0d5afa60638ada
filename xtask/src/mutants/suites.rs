//! The test binaries of the copy: built once, then run with one mutant at a time.

use super::VARIABLE;
use super::list::{List, Mutant, Suite};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A mutant counts as endless if the tests take this many times longer than without it.
const PATIENCE: u32 = 8;
const LEAST_PATIENCE: Duration = Duration::from_secs(60);

/// The suites that are needed, the cheapest first.
pub struct Suites {
    copy: PathBuf,
    ready: Vec<Ready>,
    takes_all: bool,
}

struct Ready {
    suite: Suite,
    binary: PathBuf,
    limit: Duration,
}

/// The result of one run of a suite.
pub enum Ran {
    Passed,
    /// The test that failed first.
    Failed(String),
}

impl Suites {
    /// Builds the suites that `mutants` need, and runs them without any mutant.
    pub fn build(copy: &Path, list: &List, mutants: &[&Mutant], takes_all: bool) -> Result<Self, String> {
        let is_needed =
            |suite: &&Suite| takes_all || mutants.iter().any(|mutant| mutant.suites.contains(&suite.name));
        let needed: Vec<_> = list.suites.iter().filter(is_needed).collect();
        let mut binaries = BTreeMap::new();
        for suite in &needed {
            if !binaries.contains_key(suite.package.as_str()) {
                eprintln!("building {}", suite.package);
                let of_package = needed.iter().filter(|other| other.package == suite.package);
                let targets = of_package.map(|other| other.target.as_str()).collect();
                binaries.insert(suite.package.as_str(), build_package(copy, &suite.package, &targets)?);
            }
        }
        let mut suites = Suites { copy: copy.to_path_buf(), ready: Vec::new(), takes_all };
        let mut timed = Vec::new();
        for suite in needed {
            let binary = binaries[suite.package.as_str()].iter().find(|(target, _)| *target == suite.target);
            let (_, binary) = binary.ok_or_else(|| format!("{} has no {}", suite.package, suite.target))?;
            let ready =
                Ready { suite: suite.clone(), binary: binary.clone(), limit: Duration::from_secs(900) };
            let start = Instant::now();
            if let Ran::Failed(test) = suites.run_ready(&ready, None) {
                return Err(format!("{} fails without a mutant: {test}", suite.name));
            }
            let time = start.elapsed();
            eprintln!("{:24} {:.1} s", suite.name, time.as_secs_f64());
            timed.push((time, Ready { limit: (time * PATIENCE).max(LEAST_PATIENCE), ..ready }));
        }
        timed.sort_by_key(|(time, _)| *time);
        suites.ready = timed.into_iter().map(|(_, ready)| ready).collect();
        Ok(suites)
    }

    /// What to run for a mutant, the cheapest first.
    pub fn for_mutant<'a>(&'a self, mutant: &'a Mutant) -> impl Iterator<Item = &'a Suite> {
        let is_wanted = move |ready: &&Ready| self.takes_all || mutant.suites.contains(&ready.suite.name);
        self.ready.iter().filter(is_wanted).map(|ready| &ready.suite)
    }

    pub fn run(&self, suite: &Suite, mutant: Option<usize>) -> Ran {
        let ready = self.ready.iter().find(|ready| ready.suite == *suite).expect("a suite that was built");
        self.run_ready(ready, mutant)
    }

    fn run_ready(&self, ready: &Ready, mutant: Option<usize>) -> Ran {
        let log = self.copy.join("mutant.log");
        let file = std::fs::File::create(&log).expect("the copy can be written to");
        let folder = ready.suite.package.trim_start_matches("atropos-");
        let mut command = Command::new("nice");
        command
            .arg(&ready.binary)
            .args(&ready.suite.filters)
            .current_dir(self.copy.join("crates").join(folder));
        command.stdout(file).stderr(Stdio::null()).stdin(Stdio::null());
        if let Some(number) = mutant {
            command.env(VARIABLE, number.to_string());
        }
        let mut child = command.spawn().expect("nice runs a test");
        let start = Instant::now();
        let status = loop {
            match child.try_wait().expect("a child can be waited for") {
                Some(status) => break Some(status),
                None if start.elapsed() > ready.limit => break None,
                None => std::thread::sleep(Duration::from_millis(20)),
            }
            if mutant.is_some() && has_failed(&log) {
                // The other tests do not matter any more.
                break None;
            }
        };
        if status.is_none() {
            // It may have ended meanwhile.
            let _ = child.kill();
            let _ = child.wait();
        }
        if status.is_some_and(|status| status.success()) {
            return Ran::Passed;
        }
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        Ran::Failed(failed_test(&text).unwrap_or("it does not end, or aborts").to_string())
    }
}

fn has_failed(log: &Path) -> bool {
    std::fs::read_to_string(log).is_ok_and(|text| failed_test(&text).is_some())
}

/// The first test that failed, according to the output of a test binary.
fn failed_test(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"))
}

/// Builds some test targets of a package and returns the binaries by target.
fn build_package(
    copy: &Path,
    package: &str,
    targets: &BTreeSet<&str>,
) -> Result<Vec<(String, PathBuf)>, String> {
    let mut command = Command::new("nice");
    command.args(["cargo", "test", "--no-run", "--package", package]).current_dir(copy);
    for &target in targets {
        match target {
            "lib" => command.arg("--lib"),
            target => command.args(["--test", target]),
        };
    }
    // Build into the copy, not into the folder in which this command was built.
    command.env("CARGO_TARGET_DIR", copy.join("target")).env("RUSTFLAGS", "-Awarnings");
    let built = command.output().map_err(|error| format!("cargo test: {error}"))?;
    let text = String::from_utf8_lossy(&built.stderr);
    if !built.status.success() {
        return Err(format!("the mutants do not build:\n{text}"));
    }
    Ok(text.lines().filter_map(|line| executable(copy, line)).collect())
}

/// `Executable tests/oracle.rs (PATH)`, or `Executable unittests src/lib.rs (PATH)`.
fn executable(copy: &Path, line: &str) -> Option<(String, PathBuf)> {
    let (what, path) = line.trim().strip_prefix("Executable ")?.strip_suffix(')')?.split_once(" (")?;
    let target = match what.strip_prefix("tests/") {
        Some(file) => file.trim_end_matches(".rs").trim_end_matches("/main").to_string(),
        None if what == "unittests src/lib.rs" => "lib".to_string(),
        None => return None,
    };
    Some((target, copy.join(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_names_what_it_built() {
        let copy = Path::new("/copy");
        let found =
            |line| executable(copy, line).map(|(target, path)| format!("{target} {}", path.display()));
        assert_eq!(
            found("  Executable tests/oracle.rs (target/o-1)").as_deref(),
            Some("oracle /copy/target/o-1")
        );
        assert_eq!(found("  Executable unittests src/lib.rs (/t/m-1)").as_deref(), Some("lib /t/m-1"));
        assert_eq!(found("  Executable unittests src/bin/fuzz.rs (/t/f-1)"), None);
    }

    #[test]
    fn the_first_failure_counts() {
        assert_eq!(failed_test("test a ... ok\ntest b ... FAILED\ntest c ... FAILED"), Some("b"));
        assert_eq!(failed_test("test a ... ok"), None);
    }
}
