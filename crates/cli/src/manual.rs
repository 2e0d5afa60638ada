//! `atropos manual` and `atropos completions`: files for the rest of the system, made from the command line's own
//! description.

use crate::args::Cli;
use crate::exit::Exit;
use crate::output;
use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;
use std::path::Path;

/// Prints completions for a shell.
///
/// # Errors
/// If standard output cannot be written to.
pub fn completions(shell: Shell) -> Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "atropos", &mut text);
    output::print(&String::from_utf8(text).context("completions are text")?)?;
    Ok(Exit::Verified)
}

/// Writes a manual page for each command into `folder`.
///
/// # Errors
/// If the folder cannot be written to.
pub fn pages(folder: &Path) -> Result<Exit> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    clap_mangen::generate_to(Cli::command(), folder)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    Ok(Exit::Verified)
}
