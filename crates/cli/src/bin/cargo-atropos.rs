//! `cargo atropos`: cargo starts this program for a command that it does not have. `atropos cargo` does the work.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    // Cargo's first argument is the name of the command.
    let args = std::env::args_os().skip(1);
    let args: Vec<_> = args.enumerate().filter(|(nth, word)| *nth > 0 || word != "atropos").collect();
    let atropos = atropos();
    let status = Command::new(&atropos).arg("cargo").args(args.into_iter().map(|(_, word)| word)).status();
    match status {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(101).into(),
        Err(error) => {
            eprintln!("error: cannot run {}: {error}", atropos.display());
            ExitCode::from(2)
        }
    }
}

/// The program beside this one, or of this name.
fn atropos() -> PathBuf {
    let name = format!("atropos{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().map(|path| path.with_file_name(&name));
    beside.filter(|path| path.exists()).unwrap_or_else(|| PathBuf::from(name))
}
