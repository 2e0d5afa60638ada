//! The build: a folder with everything that a run needs.
//!
//! It has the stripped test binaries, named after package and target; `list.txt`; `root.txt` with the path of the copy,
//! which is compiled into the tests; and `xtask`, this program.

use super::list::Suite;
use super::results;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const LIST: &str = "list.txt";
pub const ROOT: &str = "root.txt";

/// Builds the binaries of some suites, and empties the results.
pub fn build(copy: &Path, suites: &[&Suite], folder: &Path) -> Result<(), String> {
    let complain = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(complain)?;
    // First, because cargo may replace this program while the tests are built.
    let this = std::env::current_exe().map_err(complain)?;
    std::fs::copy(this, folder.join("xtask")).map_err(complain)?;
    let packages: BTreeSet<&str> = suites.iter().map(|suite| suite.package.as_str()).collect();
    for package in packages {
        eprintln!("building {package}");
        let of_package = suites.iter().filter(|suite| suite.package == package);
        let targets: BTreeSet<&str> = of_package.map(|suite| suite.target.as_str()).collect();
        let binaries = build_package(copy, package, &targets)?;
        for target in targets {
            let binary = binaries.iter().find(|(found, _)| found == target);
            let (_, binary) = binary.ok_or_else(|| format!("{package} has no {target}"))?;
            std::fs::copy(binary, folder.join(file_name(package, target))).map_err(complain)?;
        }
    }
    std::fs::copy(copy.join(super::LIST), folder.join(LIST)).map_err(complain)?;
    std::fs::write(folder.join(ROOT), copy.display().to_string()).map_err(complain)?;
    std::fs::write(folder.join(results::FILE), "").map_err(complain)
}

/// The name of a test binary in the folder.
pub fn file_name(package: &str, target: &str) -> String {
    format!("{package}.{target}")
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
    command.env("CARGO_PROFILE_TEST_DEBUG", "0").env("CARGO_PROFILE_TEST_STRIP", "symbols");
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
}
