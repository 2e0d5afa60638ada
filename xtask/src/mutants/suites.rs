//! Runs the test binaries: once without a fault, then with one mutant at a time.

use super::list::{List, Mutant, Suite};
use super::results::Fate;
use super::{MutantsOptions, VARIABLE, build, in_parallel};
use crate::child;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A mutant counts as endless if the tests take this many times longer than without it.
const PATIENCE: u32 = 8;
const LEAST_PATIENCE: Duration = Duration::from_secs(60);
/// How long the tests may take without a mutant.
const MOST_PATIENCE: Duration = Duration::from_secs(900);
/// A mutant may use up memory: this much of its own, in KiB. Closures reserve more addresses than that.
const MEMORY: &str = "8000000";

/// The suites that are needed, the cheapest first.
pub struct Suites {
    /// The tests look for their files here: the path is compiled into them.
    root: PathBuf,
    folder: PathBuf,
    ready: Vec<Ready>,
    takes_all: bool,
    has_clang: bool,
}

struct Ready {
    suite: Suite,
    limit: Duration,
}

/// The result of one run of a suite.
enum Ran {
    Passed,
    /// The test that failed first.
    Failed(String),
}

impl Suites {
    /// Runs the suites that `mutants` need without any mutant.
    pub fn prepare(
        tree: &Path,
        folder: &Path,
        list: &List,
        mutants: &[&Mutant],
        options: &MutantsOptions,
    ) -> Result<Self, String> {
        let root = std::fs::read_to_string(folder.join(build::ROOT));
        let root = root.map_err(|error| format!("{}: {error}", folder.display()))?;
        let has_clang =
            ["clang-19", "clang"].iter().any(|name| Command::new(name).arg("--version").output().is_ok());
        let takes_all = options.all_suites;
        let mut suites =
            Suites { root: root.into(), folder: folder.into(), ready: Vec::new(), takes_all, has_clang };
        provide(&suites.root, tree)?;
        let is_needed = |suite: &&Suite| suites.wants_suite(suite, mutants);
        let needed: Vec<_> = list.suites.iter().filter(is_needed).collect();
        let timed = in_parallel(options.jobs(), &needed, |suite| {
            let ready = Ready { suite: (*suite).clone(), limit: MOST_PATIENCE };
            let start = Instant::now();
            match suites.run(&ready, None) {
                Ran::Failed(test) => {
                    eprintln!("{} is left out, because it fails without a mutant: {test}", suite.name);
                    None
                }
                Ran::Passed => {
                    let time = start.elapsed();
                    eprintln!("{:40} {:.1} s", suite.name, time.as_secs_f64());
                    Some((time, Ready { limit: (time * PATIENCE).max(LEAST_PATIENCE), ..ready }))
                }
            }
        });
        let mut timed: Vec<_> = timed.into_iter().flatten().collect();
        timed.sort_by_key(|(time, _)| *time);
        suites.ready = timed.into_iter().map(|(_, ready)| ready).collect();
        Ok(suites)
    }

    /// Whether this suite can be run and one of `mutants` needs it.
    fn wants_suite(&self, suite: &Suite, mutants: &[&Mutant]) -> bool {
        let is_named = |mutant: &&Mutant| mutant.suites.contains(&suite.name);
        (self.takes_all && !mutants.is_empty() || mutants.iter().any(is_named))
            && (self.has_clang || !suite.needs_clang)
    }

    /// Runs the suites for a mutant, the cheapest first, until one fails. `None` if none fails, but not all could be
    /// run: one needs clang, or fails without a mutant.
    pub fn try_mutant(&self, mutant: &Mutant) -> Option<Fate> {
        let is_wanted = |ready: &&Ready| self.takes_all || mutant.suites.contains(&ready.suite.name);
        let mut n_run = 0;
        for ready in self.ready.iter().filter(is_wanted) {
            if let Ran::Failed(test) = self.run(ready, Some(mutant)) {
                return Some(Fate::Killed { suite: ready.suite.name.clone(), test });
            }
            n_run += 1;
        }
        (n_run >= mutant.suites.len()).then_some(Fate::Survived)
    }

    fn run(&self, ready: &Ready, mutant: Option<&Mutant>) -> Ran {
        let Suite { name, package, target, filters, .. } = &ready.suite;
        let log = match mutant {
            None => format!("{name}.log"),
            Some(mutant) => format!("{}.{name}.log", mutant.name),
        };
        let log = self.folder.join(log);
        let file = std::fs::File::create(&log).expect("the folder can be written to");
        let binary = self.folder.join(build::file_name(package, target));
        let binary = std::path::absolute(binary).expect("a path");
        let limited = format!("ulimit -d {MEMORY}; exec nice \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &limited]).arg(binary).args(filters);
        command.current_dir(self.root.join("crates").join(package.trim_start_matches("atropos-")));
        command.stdout(file).stderr(Stdio::null()).stdin(Stdio::null());
        if ready.suite.needs_clang {
            // Tests that need clang pass without it unless they are asked not to.
            command.env("ATROPOS_REQUIRE_CLANG", "1");
        }
        if let Some(mutant) = mutant {
            command.env(VARIABLE, mutant.number.to_string());
        }
        let child = command.spawn().expect("sh runs a test");
        let is_enough = || mutant.is_some() && has_failed(&log);
        let status = child::wait(child, ready.limit, is_enough).expect("a child can be waited for");
        let has_passed = status.is_some_and(|status| status.success());
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        let _ = std::fs::remove_file(&log);
        match has_passed {
            true => Ran::Passed,
            false => Ran::Failed(failed_test(&text).unwrap_or("it does not end, or aborts").to_string()),
        }
    }
}

/// Makes the files of `tree` available at `root`, which is compiled into the tests.
fn provide(root: &Path, tree: &Path) -> Result<(), String> {
    if root.exists() {
        return Ok(());
    }
    let parent = root.parent().expect("the copy lies in a folder");
    std::fs::create_dir_all(parent)
        .and_then(|()| std::os::unix::fs::symlink(std::path::absolute(tree)?, root))
        .map_err(|error| format!("{}: {error}", root.display()))
}

fn has_failed(log: &Path) -> bool {
    std::fs::read_to_string(log).is_ok_and(|text| failed_test(&text).is_some())
}

/// The first test that failed, according to the output of a test binary.
fn failed_test(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_counts() {
        assert_eq!(failed_test("test a ... ok\ntest b ... FAILED\ntest c ... FAILED"), Some("b"));
        assert_eq!(failed_test("test a ... ok"), None);
    }
}
