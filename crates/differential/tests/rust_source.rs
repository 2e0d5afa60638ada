//! Random programs as Rust source, with the real standard library, against the oracle.
//!
//! `make fuzz-rust COUNT=5000` tries more programs.

use atropos_differential::rust_source::{BATCH, SourceTotals, compare};
use atropos_testkit::UpTo;
use std::process::Command;

/// Only one version of rustc has a standard library that Atropos knows.
fn has_rustc() -> bool {
    let version = Command::new("rustc").arg("-V").output().map(|output| output.stdout).unwrap_or_default();
    let version = String::from_utf8_lossy(&version);
    let is_known = version.starts_with("rustc 1.95.");
    if !is_known {
        eprintln!("skipped: Rust programs are checked with rustc 1.95, and this is `{}`", version.trim());
    }
    is_known
}

#[test]
fn random_programs_have_the_same_executions_as_rust_source() {
    if !has_rustc() {
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (from, count) = (number("RUST_FROM").unwrap_or(0), number("RUST_COUNT").unwrap_or(16));
    let ways = [("rc11", UpTo::Co), ("sc", UpTo::Rf), ("rc11", UpTo::Rf), ("tso", UpTo::Co)];
    let mut all = SourceTotals::default();
    for batch in 0..count.div_ceil(BATCH) {
        let (first, rest) = (from + batch * BATCH, count - batch * BATCH);
        let (model, equivalence) = ways[batch as usize % ways.len()];
        let compared = compare(first..first + rest.clamp(2, BATCH), model, equivalence);
        let SourceTotals { agreed, too_large, executions } = compared.unwrap_or_else(|text| panic!("{text}"));
        all.agreed += agreed;
        all.too_large += too_large;
        all.executions += executions;
    }
    println!("{all:?}");
    assert!(all.agreed > all.too_large, "{all:?}");
}
