//! `atropos cargo`, which is `cargo atropos`: checks the tests or the binary of a cargo package.
//!
//! Cargo compiles the package, with this program in rustc's place ([`wrapper`]), into a folder of its own. Each test is
//! then a check of its own ([`tests`]), in a process of its own: a check may be stopped at any moment.

mod build;
mod compiled;
mod tests;
pub mod wrapper;

use crate::args::{CargoCommand, CargoRunArgs, CargoTestArgs, PackageCheckArgs};
use crate::exit::Exit;
use anyhow::{Context, Result, bail};
use build::{Build, Target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// # Errors
/// If the package does not compile, or the options do not fit it.
pub fn command(command: CargoCommand) -> Result<Exit> {
    match command {
        CargoCommand::Test(args) => test(&args),
        CargoCommand::Run(args) => run(&args),
    }
}

fn test(args: &CargoTestArgs) -> Result<Exit> {
    let programs = Build::new(&args.check.package)?.tests()?;
    tests::check(args, &programs)
}

fn run(args: &CargoRunArgs) -> Result<Exit> {
    let programs = Build::new(&args.check.package)?.binaries()?;
    let [program] = &programs[..] else {
        let names: Vec<&str> = programs.iter().map(|program| &*program.name).collect();
        match names[..] {
            [] => bail!("the package has no binary to check; `cargo atropos test` checks its tests"),
            _ => bail!("name one of {} with --bin or --example", names.join(", ")),
        }
    };
    let status = check_of(&args.check, program, None)?.status().context("cannot start a check")?;
    Ok(Exit::of_process(status))
}

/// The command that checks a program with these options; a test has a name.
fn check_of(args: &PackageCheckArgs, program: &Target, test: Option<&str>) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe().context("cannot find this program")?);
    command.arg("check");
    for (name, values) in args.given.written() {
        match name {
            "verbose" => {
                command.args(vec!["--verbose"; args.output.verbose.into()]);
            }
            "report" => values.iter().for_each(|value| {
                command.args(["--report", value]);
            }),
            _ => {
                command.arg(format!("--{name}"));
                command.args((!values.is_empty()).then(|| values.join(",")));
            }
        }
    }
    command.args(test.map(|name| format!("--entry={name}")));
    command.arg(near(&program.file));
    Ok(command)
}

/// A path as short as possible.
fn near(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).to_path_buf()
}
