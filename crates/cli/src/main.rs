//! `atropos`: flags, files, signals and exit codes.
//!
//! [`main`] parses the arguments ([`args`]) and runs one command; each command is a file. [`options`] resolves the
//! options of a check, and [`flags`] has a row for each. [`watch`] enforces limits during a check, and [`check`]
//! reports. [`exit`] has the exit codes, and [`complaint`] draws the errors of an input.
//!
//! Only this crate prints, and writes the files that the user asked for. Others do I/O on its behalf: `cat` reads a model
//! and what it includes, `llvm` runs clang and rustc and keeps what they make, `spread` keeps a checkpoint, and `cluster`
//! starts nats-server and talks to it.

mod algorithms;
mod args;
mod build_database;
mod cache_folder;
mod cargo;
mod check;
mod checkpoint;
mod cluster;
mod complaint;
mod contest;
mod crash;
mod doctor;
mod exit;
mod explain;
mod flags;
mod generate;
mod graphs;
mod input;
mod insight;
mod interrupt;
mod litmus;
mod logger;
mod manual;
mod models;
mod options;
mod orders;
mod output;
mod replay;
mod reports;
mod resources;
mod survey;
mod watch;

use args::{Cli, Color, Command};
use atropos_event::Diagnostics;
use atropos_orders::question::Purpose;
use clap::Parser;
use exit::Exit;

fn main() -> std::process::ExitCode {
    crash::install_hook();
    if let Some(exit) = cargo::wrapper::requested() {
        return exit.into();
    }
    let exit = match Cli::try_parse() {
        Ok(cli) => run(cli.command),
        Err(error) => {
            // Help and version arrive here too, and are no errors. A closed pipe needs no message.
            let _ = error.print();
            if error.use_stderr() { Exit::BadInput } else { Exit::Verified }
        }
    };
    exit.into()
}

fn run(command: Command) -> Exit {
    let result = match command {
        Command::Check(args) => check::check(*args),
        Command::Serve(args) => check::serve(*args),
        Command::Cargo(args) => cargo::command(args),
        Command::Work(args) => cluster::work(args),
        Command::Explain(args) => explain::command(*args),
        Command::Weaken(args) => orders::command(Purpose::Weaken, *args),
        Command::Repair(args) => orders::command(Purpose::Repair, *args),
        Command::Models(args) => models::list(&args),
        Command::Algorithms => algorithms::list(),
        Command::Generate(args) => generate::generate(&args),
        Command::Doctor => doctor::doctor(),
        Command::Completions { shell } => manual::completions(shell),
        Command::Manual { folder } => manual::pages(&folder),
        Command::Panic => panic!("as asked for"),
    };
    result.unwrap_or_else(|error| {
        match error.downcast_ref::<Diagnostics>() {
            Some(complaints) => output::complain_about_input(complaints, Color::Auto),
            None => output::complain(&format!("{error:#}")),
        }
        Exit::BadInput
    })
}
