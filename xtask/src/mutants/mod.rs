//! `cargo xtask mutants` puts small faults into the engine and reports whether the tests notice them.
//!
//! The list of faults is `mutants/list.txt`. One copy of the tree ([`plant`]) contains all of them; an environment
//! variable selects one, so a single build serves all mutants ([`build`]). The build leaves a folder with everything
//! that a run needs: stripped test binaries, the list, and this program. So a run can happen on another machine, which
//! needs the working tree but neither cargo nor clang.
//!
//! A run ([`suites`]) executes the test binaries once without a fault, and then for each mutant, the cheapest first,
//! until one fails. It notes each result in the folder ([`results`]). A second run continues there. When all results
//! are known, they become `docs/mutants.md` ([`report`]).

mod build;
pub mod list;
mod plant;
mod report;
mod results;
mod suites;

use list::{List, Mutant};
use results::{Fate, Results};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use suites::Suites;

/// The list, and the document with the result.
pub const LIST: &str = "mutants/list.txt";
const RESULT: &str = "docs/mutants.md";
/// The selected mutant, in the environment of a test.
const VARIABLE: &str = "ATROPOS_MUTANT";

/// The options of the command line.
#[derive(Default)]
pub struct MutantsOptions {
    /// Only mutants whose names contain one of these.
    only: Vec<String>,
    /// Run every suite for every mutant, not only those that the list names.
    all_suites: bool,
    /// How many mutants to run at a time.
    jobs: Option<usize>,
    step: MutantsStep,
}

#[derive(Default, PartialEq, Eq)]
enum MutantsStep {
    #[default]
    BuildAndRun,
    Build(PathBuf),
    Run(PathBuf),
}

impl MutantsOptions {
    /// `None` if the arguments make no sense.
    pub fn parse(arguments: &[&str]) -> Option<MutantsOptions> {
        let mut options = MutantsOptions::default();
        let mut words = arguments.iter();
        while let Some(&word) = words.next() {
            match word {
                "--all-suites" => options.all_suites = true,
                "--jobs" => options.jobs = Some(words.next()?.parse().ok().filter(|&jobs| jobs > 0)?),
                "--build" => options.step = MutantsStep::Build(words.next()?.into()),
                "--run" => options.step = MutantsStep::Run(words.next()?.into()),
                name if name.starts_with("--") => return None,
                name => options.only.push(name.into()),
            }
        }
        Some(options)
    }

    fn wants(&self, mutant: &Mutant) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| mutant.name.contains(part.as_str()))
    }

    fn jobs(&self) -> usize {
        self.jobs.or_else(|| std::thread::available_parallelism().ok().map(NonZero::get)).unwrap_or(1)
    }
}

/// Builds and runs the mutants, or does one of the two.
pub fn run(root: &Path, options: &MutantsOptions) -> Result<ExitCode, String> {
    let folder = match &options.step {
        MutantsStep::Build(folder) | MutantsStep::Run(folder) => folder.clone(),
        MutantsStep::BuildAndRun => root.join("target/mutants/run"),
    };
    if !matches!(options.step, MutantsStep::Run(_)) {
        let list = List::read(&root.join(LIST))?;
        let copy = root.join("target/mutants");
        plant::plant(root, &copy, &list.mutants)?;
        let is_needed = |suite: &&list::Suite| {
            let is_named = |mutant: &Mutant| options.wants(mutant) && mutant.suites.contains(&suite.name);
            options.all_suites || list.mutants.iter().any(is_named)
        };
        build::build(&copy, &list.suites.iter().filter(is_needed).collect::<Vec<_>>(), &folder)?;
    }
    if matches!(options.step, MutantsStep::Build(_)) {
        return Ok(ExitCode::SUCCESS);
    }
    run_folder(root, &folder, options)
}

/// Runs what a build has left in `folder`, and writes the document if all results are known.
fn run_folder(root: &Path, folder: &Path, options: &MutantsOptions) -> Result<ExitCode, String> {
    let list = List::read(&folder.join(build::LIST))?;
    let results = Results::open(folder)?;
    let is_open = |mutant: &&Mutant| options.wants(mutant) && results.fate(&mutant.name).is_none();
    let mut open: Vec<_> = list.mutants.iter().filter(is_open).collect();
    // Those that run through all their suites take longest.
    open.sort_by_key(|mutant| mutant.equivalent.is_none());
    let suites = Suites::prepare(root, folder, &list, &open, options)?;
    let results = Mutex::new(results);
    in_parallel(options.jobs(), &open, |mutant| {
        let fate = suites.try_mutant(mutant);
        eprintln!(
            "{:40} {}",
            mutant.name,
            fate.as_ref().map_or("open: a suite could not be run".into(), Fate::to_string)
        );
        fate.map_or(Ok(()), |fate| results.lock().expect("no worker panics").note(&mutant.name, fate))
    })
    .into_iter()
    .collect::<Result<(), String>>()?;
    let results = results.into_inner().expect("no worker panics");
    let outcomes = list.mutants.iter().filter(|mutant| options.wants(mutant));
    let outcomes: Vec<_> =
        outcomes.filter_map(|mutant| Some((mutant, results.fate(&mutant.name)?))).collect();
    if outcomes.len() == list.mutants.len() && !options.all_suites {
        std::fs::write(root.join(RESULT), report::document(&outcomes))
            .map_err(|error| format!("{RESULT}: {error}"))?;
    }
    eprint!("{}", report::summary(&outcomes));
    let is_bad =
        |(mutant, fate): &(&Mutant, &Fate)| (**fate == Fate::Survived) == mutant.equivalent.is_none();
    let is_complete =
        list.mutants.iter().all(|mutant| !options.wants(mutant) || results.fate(&mutant.name).is_some());
    let is_good = is_complete && !outcomes.iter().any(is_bad);
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Applies `work` to all items, `jobs` at a time; the results are in the order of the items.
fn in_parallel<T: Sync, R: Send>(jobs: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            done.push((index, work(item)));
        }
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(take)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no worker panics")).collect()
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let options = MutantsOptions::parse(&["--jobs", "3", "psc", "--run", "there"]).unwrap();
        assert_eq!((options.jobs(), options.only.len()), (3, 1));
        assert!(options.step == MutantsStep::Run("there".into()) && !options.all_suites);
        for wrong in [&["--jobs"][..], &["--jobs", "0"], &["--all"], &["--build"]] {
            assert!(MutantsOptions::parse(wrong).is_none(), "{wrong:?}");
        }
    }

    #[test]
    fn work_in_parallel_keeps_its_order() {
        let items: Vec<usize> = (0..50).collect();
        assert_eq!(in_parallel(4, &items, |item| item * item)[7], 49);
    }
}
