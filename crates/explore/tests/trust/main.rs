//! TruSt: counts, races, and programs that are not deterministic.

mod common;
mod golden_counts;
mod nondeterminism;
mod races;
