//! `atropos serve` and `atropos work`: one check on many machines.
//!
//! The leader compiles the program, offers its text, and adds up what workers record. At the end it is like a check that
//! continues from a checkpoint with nothing left to do: it checks the findings again and reports.

mod flags;
mod lead;
mod progress;
mod work;

pub use lead::{ServeOptions, Served, lead};
pub use work::command as work;

use anyhow::{Context, Result, bail};
use atropos_report::human::grouped;
use sha2::{Digest, Sha256};
use std::path::Path;

/// The version and the build of this program: records of another one may mean something else.
fn build() -> Result<String> {
    let program = std::fs::read("/proc/self/exe").or_else(|_| std::fs::read(std::env::current_exe()?));
    let digest = Sha256::digest(program.context("cannot read this program itself")?);
    let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{} (build {digest})", env!("CARGO_PKG_VERSION")))
}

/// A number of things.
fn counted(n: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// The secret word in a file.
fn read_token(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let token = text.trim();
    if token.is_empty() {
        bail!("{} is empty: it should have a secret word", path.display());
    }
    Ok(token.to_string())
}
