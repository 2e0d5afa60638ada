//! `atropos`: flags, files, signals and exit codes. All I/O of the project is in this crate.
//!
//! [`main`] parses the arguments ([`args`]) and runs one command; each command is a file. What a check was asked
//! for is settled in [`options`], explored in [`dispatch`] under the eyes of [`watch`], collected by
//! [`collect`] and put together in [`check`]. Exit codes are decided in [`exit`].

mod algorithms;
mod args;
mod check;
mod collect;
mod crash;
mod dispatch;
mod exit;
mod findings;
mod generate;
mod input;
mod interrupt;
mod litmus;
mod models;
mod options;
mod output;
mod resources;
mod watch;

use args::{Cli, Command};
use clap::Parser;
use exit::Exit;

fn main() -> std::process::ExitCode {
    crash::install_hook();
    let exit = match Cli::try_parse() {
        Ok(cli) => run(cli.command),
        Err(error) => {
            // Help and version come this way too, and are no errors. A closed pipe is not worth a message.
            let _ = error.print();
            if error.use_stderr() { Exit::BadInput } else { Exit::Verified }
        }
    };
    exit.into()
}

fn run(command: Command) -> Exit {
    let result = match command {
        Command::Check(args) => check::check(&args),
        Command::Models(args) => models::list(&args),
        Command::Algorithms => algorithms::list(),
        Command::Generate(args) => generate::generate(&args),
        Command::Panic => panic!("as asked for"),
    };
    result.unwrap_or_else(|error| {
        match error.downcast_ref::<input::Malformed>() {
            Some(malformed) => output::complain_about_input(&malformed.0),
            None => output::complain(&format!("{error:#}")),
        }
        Exit::BadInput
    })
}
