//! Builds the tests of a package.

use super::{Target, Workshop};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the package is built with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Loom {
    Ours,
    Theirs,
}

/// The test programs, in the order of their names. Packages share a build folder, so most dependencies are built once.
pub(super) fn build(
    workshop: &Workshop,
    target: &Target,
    source: &Path,
    loom: Loom,
) -> Result<Vec<PathBuf>, String> {
    let folder = workshop.folder.join(if loom == Loom::Ours { "ours" } else { "theirs" });
    let mut command = Command::new("cargo");
    command.current_dir(source).args(["test", "--no-run"]).args(target.arguments);
    command.env("CARGO_TARGET_DIR", folder).env("RUSTFLAGS", target.flags);
    // The package is optimised a little, with debug assertions. What it depends on is optimised well, with either loom.
    for setting in ["opt-level=3", "codegen-units=1", "debug-assertions=false", "overflow-checks=false"] {
        command.arg("--config").arg(format!("profile.dev.package.\"*\".{setting}"));
    }
    for (key, value) in [("OPT_LEVEL", "1"), ("DEBUG", "0"), ("INCREMENTAL", "false")] {
        command
            .env(format!("CARGO_PROFILE_DEV_{key}"), value)
            .env(format!("CARGO_PROFILE_TEST_{key}"), value);
    }
    if loom == Loom::Ours {
        let path = workshop.root.join(target.loom);
        command.arg("--config").arg(format!("patch.crates-io.loom.path={:?}", path.display().to_string()));
    }
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{} {} does not build:\n{text}", target.name, target.version));
    }
    let mut programs: Vec<(String, PathBuf)> = text.lines().filter_map(executable).collect();
    programs.sort();
    Ok(programs.into_iter().map(|(_, program)| program).collect())
}

/// What cargo has built, and where: `Executable tests/loom.rs (target/debug/deps/loom-123)`.
fn executable(line: &str) -> Option<(String, PathBuf)> {
    let (name, path) = line.trim().strip_prefix("Executable ")?.rsplit_once(" (")?;
    Some((name.to_string(), path.strip_suffix(')')?.into()))
}
