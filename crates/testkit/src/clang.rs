//! The compiler that tests of C programs need.
//!
//! Without clang such a test says so and passes; where `CI` or `ATROPOS_REQUIRE_CLANG` is set, it fails instead.

use std::process::Command;
use std::sync::LazyLock;

/// The name of the compiler.
pub const CLANG: &str = "clang-19";

/// Whether clang is installed; see [`has_compiler`].
pub fn has_clang() -> bool {
    static FOUND: LazyLock<bool> = LazyLock::new(|| has_compiler(CLANG));
    *FOUND
}

/// Whether a compiler is installed.
///
/// # Panics
/// If it is not, although it is required.
pub fn has_compiler(compiler: &str) -> bool {
    let found = Command::new(compiler).arg("--version").output().is_ok();
    let required = ["CI", "ATROPOS_REQUIRE_CLANG"].iter().any(|name| std::env::var_os(name).is_some());
    assert!(found || !required, "{compiler} is missing: run `make setup`");
    if !found {
        eprintln!("SKIPPED: {compiler} is missing, so no C program is checked; run `make setup`");
    }
    found
}
