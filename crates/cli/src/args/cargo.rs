//! `atropos cargo` as written, which is also `cargo atropos`.

use super::{LimitArgs, OutputArgs, SearchArgs, Unroll};
use crate::flags::Given;
use clap::{Args, Subcommand};
use std::path::PathBuf;

const TEST_HELP: &str = "\
Every #[test] of the package is checked by itself, and must succeed in all of its executions: it must not panic, or must \
panic if it has #[should_panic]. Tests with #[ignore] and tests in documentation are left out. Limits are for each test. \
Options that concern one check, such as --report, need a FILTER that names one test.

Exit status:
  0    every test was verified
  1    a violation was found
  2    bad usage or input: the package does not compile, or a test does something that is not supported
  3    inconclusive: a limit was hit
  101  a bug in Atropos";

const RUN_HELP: &str = "\
Exit status: that of `atropos check`.";

/// What to do with a cargo package.
#[derive(Subcommand, Debug)]
pub enum CargoCommand {
    /// Check every #[test] of a package
    Test(Box<CargoTestArgs>),
    /// Check the binary of a package
    Run(Box<CargoRunArgs>),
}

#[derive(Args, Debug)]
#[command(after_help = TEST_HELP)]
pub struct CargoTestArgs {
    /// Only tests whose names contain this
    pub filter: Option<String>,

    /// FILTER is the whole name of a test
    #[arg(long, requires = "filter")]
    pub exact: bool,

    #[command(flatten)]
    pub check: PackageCheckArgs,
}

#[derive(Args, Debug)]
#[command(after_help = RUN_HELP)]
pub struct CargoRunArgs {
    #[command(flatten)]
    pub check: PackageCheckArgs,
}

/// What to check, and how.
#[derive(Args, Debug)]
pub struct PackageCheckArgs {
    // This field comes first because clap takes the other values out of the matches.
    #[command(flatten)]
    pub given: Given,
    #[command(flatten)]
    pub package: PackageArgs,
    #[command(flatten)]
    pub search: SearchArgs,

    /// Bound loops to N iterations, or only the loop at a line [default: no bound]
    #[arg(long, value_name = "N|FILE:LINE=N", value_delimiter = ',', value_parser = str::parse::<Unroll>)]
    #[arg(help_heading = "Program")]
    pub unroll: Vec<Unroll>,

    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What cargo compiles. These are cargo's own options.
#[derive(Args, Debug)]
#[command(next_help_heading = "Package")]
pub struct PackageArgs {
    /// The package
    #[arg(long, short, value_name = "SPEC")]
    pub package: Option<String>,

    /// All packages of the workspace
    #[arg(long)]
    pub workspace: bool,

    /// Only the library
    #[arg(long)]
    pub lib: bool,

    /// Only this binary
    #[arg(long, value_name = "NAME")]
    pub bin: Option<String>,

    /// Only this integration test
    #[arg(long, value_name = "NAME")]
    pub test: Option<String>,

    /// Only this example
    #[arg(long, value_name = "NAME")]
    pub example: Option<String>,

    /// The features to activate
    #[arg(long, short = 'F', value_name = "FEATURES")]
    pub features: Option<String>,

    /// Activate all features
    #[arg(long)]
    pub all_features: bool,

    /// Do not activate the default features
    #[arg(long)]
    pub no_default_features: bool,

    /// The Cargo.toml of the package
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,

    /// Do not use the network
    #[arg(long)]
    pub offline: bool,

    /// Require that Cargo.lock stays the same
    #[arg(long)]
    pub locked: bool,
}

impl PackageArgs {
    /// The same options for cargo.
    pub fn words(&self) -> Vec<String> {
        let manifest = self.manifest_path.as_ref().map(|path| path.display().to_string());
        let values = [
            ("--package", &self.package),
            ("--bin", &self.bin),
            ("--test", &self.test),
            ("--example", &self.example),
            ("--features", &self.features),
            ("--manifest-path", &manifest),
        ];
        let switches = [
            ("--workspace", self.workspace),
            ("--lib", self.lib),
            ("--all-features", self.all_features),
            ("--no-default-features", self.no_default_features),
            ("--offline", self.offline),
            ("--locked", self.locked),
        ];
        let switches = switches.into_iter().filter(|(_, is_given)| *is_given);
        let mut words: Vec<String> = switches.map(|(name, _)| name.to_string()).collect();
        for (name, value) in values {
            if let Some(value) = value {
                words.extend([name.to_string(), value.clone()]);
            }
        }
        words
    }
}
