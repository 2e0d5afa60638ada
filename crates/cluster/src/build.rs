//! What this process is, and what it may know.

use sha2::{Digest, Sha256};
use std::io;
use std::path::Path;
use std::sync::OnceLock;

/// The version and the build of this program: records of another one may mean something else.
///
/// # Errors
/// If the program cannot read itself.
pub fn build() -> io::Result<String> {
    static BUILD: OnceLock<String> = OnceLock::new();
    if let Some(known) = BUILD.get() {
        return Ok(known.clone());
    }
    let program = std::fs::read("/proc/self/exe").or_else(|_| std::fs::read(std::env::current_exe()?));
    let unreadable = |error| io::Error::other(format!("cannot read this program itself: {error}"));
    let digest = Sha256::digest(program.map_err(unreadable)?);
    let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let build = format!("{} (build {digest})", env!("CARGO_PKG_VERSION"));
    Ok(BUILD.get_or_init(|| build).clone())
}

/// The secret word in a file.
///
/// # Errors
/// If there is none.
pub fn read_token(path: &Path) -> io::Result<String> {
    let unreadable = |error| io::Error::other(format!("cannot read {}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    match text.trim() {
        "" => Err(io::Error::other(format!("{} is empty: it should have a secret word", path.display()))),
        token => Ok(token.to_string()),
    }
}
