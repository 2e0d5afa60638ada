//! Chores of the repository, as a program instead of shell scripts: `cargo xtask tidy`, `cargo xtask mutants`.

mod mutants;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask tidy                     check the rules that compilers do not know
       cargo xtask mutants [NAME...]        put faults into the engine and see whether the tests notice
       cargo xtask mutants --all-suites ... the same with every suite for every mutant";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => check_repository(),
        ["mutants", ref rest @ ..] => try_mutants(rest),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn try_mutants(arguments: &[&str]) -> ExitCode {
    let (flags, names): (Vec<&str>, Vec<&str>) = arguments.iter().partition(|word| word.starts_with("--"));
    if flags.iter().any(|&flag| flag != "--all-suites") {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    let only = names.into_iter().map(String::from).collect();
    let options = mutants::Options { only, all_suites: !flags.is_empty() };
    mutants::run(&root(), &options).unwrap_or_else(|message| {
        eprintln!("mutants: {message}");
        ExitCode::from(2)
    })
}

/// The repository that cargo runs this for. Several clones may share a build folder.
fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR");
    let package = package.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&package).parent().expect("xtask lies in the repository").into()
}

fn check_repository() -> ExitCode {
    let root = root();
    let tree = match tidy::Tree::read(&root) {
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
