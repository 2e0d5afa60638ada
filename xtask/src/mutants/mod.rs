//! `cargo xtask mutants` puts small faults into the engine and reports whether the tests notice them.
//!
//! The list of faults is `mutants/list.txt`. One copy of the tree ([`plant`]) contains all of them; an environment
//! variable selects one, so a single build serves all mutants. The test binaries ([`suites`]) run once without a
//! fault. Then they run for each mutant, the cheapest first, until one fails. The last result is `docs/mutants.md`
//! ([`report`]).

pub mod list;
mod plant;
mod report;
mod suites;

use list::{List, Mutant};
use std::path::Path;
use std::process::ExitCode;
use suites::{Ran, Suites};

/// The list, and the document with the result.
pub const LIST: &str = "mutants/list.txt";
const RESULT: &str = "docs/mutants.md";
/// The selected mutant, in the environment of a test.
const VARIABLE: &str = "ATROPOS_MUTANT";

/// The result for one mutant.
pub struct Outcome<'a> {
    pub mutant: &'a Mutant,
    pub fate: Fate,
}

pub enum Fate {
    /// A suite failed at this test, or did not end.
    Killed {
        suite: String,
        test: String,
    },
    Survived,
}

/// The options of the command line.
#[derive(Default)]
pub struct Options {
    /// Only mutants whose names contain one of these.
    pub only: Vec<String>,
    /// Run every suite for every mutant, not only those that the list names.
    pub all_suites: bool,
}

/// Runs the mutants, and writes the result down if all of them ran.
pub fn run(root: &Path, options: &Options) -> Result<ExitCode, String> {
    let text = std::fs::read_to_string(root.join(LIST)).map_err(|error| format!("{LIST}: {error}"))?;
    let list = List::parse(&text)?;
    let copy = root.join("target/mutants");
    plant::plant(root, &copy, &list.mutants)?;
    let is_wanted = |mutant: &&Mutant| {
        options.only.is_empty() || options.only.iter().any(|part| mutant.name.contains(part.as_str()))
    };
    let wanted: Vec<_> = list.mutants.iter().filter(is_wanted).collect();
    let suites = Suites::build(&copy, &list, &wanted, options.all_suites)?;
    let mut outcomes = Vec::new();
    for mutant in wanted {
        let fate = suites.try_mutant(mutant);
        eprintln!("{:40} {}", mutant.name, fate.describe());
        outcomes.push(Outcome { mutant, fate });
    }
    let is_bad = |outcome: &&Outcome<'_>| {
        matches!(outcome.fate, Fate::Survived) == outcome.mutant.equivalent.is_none()
    };
    let n_bad = outcomes.iter().filter(is_bad).count();
    if options.only.is_empty() && !options.all_suites {
        std::fs::write(root.join(RESULT), report::document(&outcomes))
            .map_err(|error| format!("{RESULT}: {error}"))?;
    }
    eprint!("{}", report::summary(&outcomes));
    Ok(if n_bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Fate {
    fn describe(&self) -> String {
        match self {
            Fate::Killed { suite, test } => format!("killed by {suite}: {test}"),
            Fate::Survived => "survives".to_string(),
        }
    }
}

impl Suites {
    fn try_mutant(&self, mutant: &Mutant) -> Fate {
        for suite in self.for_mutant(mutant) {
            if let Ran::Failed(test) = self.run(suite, Some(mutant.number)) {
                return Fate::Killed { suite: suite.name.clone(), test };
            }
        }
        Fate::Survived
    }
}
