//! Chores of the repository, as a program instead of shell scripts: `cargo xtask tidy`, `cargo xtask packages`,
//! `cargo xtask mutants`, `cargo xtask rust-targets`.

mod child;
mod mutants;
mod packages;
mod targets;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask tidy                     check the rules that compilers do not know
       cargo xtask packages                 check licences and sources of all packages that are built
       cargo xtask mutants [NAME...]        put faults into the engine and see whether the tests notice
         --all-suites   run every suite for every mutant
         --jobs N       run N mutants at a time, not one for each core
         --build DIR    only build; leave in DIR what a run needs, on another machine too
         --run DIR      only run what a build has left in DIR; continue an earlier run
       cargo xtask rust-targets [PACKAGE...]   run the loom tests of published packages
         --limit N      give each test N seconds instead of 60
         --alone        do not run loom itself";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => check_repository(),
        ["packages"] => packages::run(&root()).unwrap_or_else(|message| {
            eprintln!("packages: {message}");
            ExitCode::from(2)
        }),
        ["mutants", ref rest @ ..] => try_mutants(rest),
        ["rust-targets", ref rest @ ..] => targets::run(&root(), rest).unwrap_or_else(|message| {
            eprintln!("rust-targets: {message}");
            ExitCode::from(2)
        }),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn try_mutants(arguments: &[&str]) -> ExitCode {
    let Some(options) = mutants::MutantsOptions::parse(arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    mutants::run(&root(), &options).unwrap_or_else(|message| {
        eprintln!("mutants: {message}");
        ExitCode::from(2)
    })
}

/// The repository that cargo runs this for, since several clones may share a build folder; without cargo, the folder
/// in which this runs.
fn root() -> PathBuf {
    match std::env::var_os("CARGO_MANIFEST_DIR") {
        Some(package) => Path::new(&package).parent().expect("xtask lies in the repository").into(),
        None => std::env::current_dir().expect("the folder in which this runs exists"),
    }
}

fn check_repository() -> ExitCode {
    let root = root();
    let tree = match tidy::SourceTree::read(&root) {
        Ok(tree) => tree,
        Err(error) => {
            eprintln!("tidy: cannot read {}: {error}", root.display());
            return ExitCode::from(2);
        }
    };
    let findings = tidy::check(&tree);
    for finding in &findings {
        eprintln!("{finding}");
    }
    let n_errors = findings.iter().filter(|finding| finding.is_error()).count();
    eprintln!("tidy: {} files, {n_errors} errors, {} warnings", tree.files.len(), findings.len() - n_errors);
    if n_errors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
