//! The C front-end against native runs: a bounded, seeded part of what `make fuzz-c` does without end.

use atropos_differential::sequential::compare::compare;
use atropos_testkit::clang::has_clang;

#[test]
fn random_programs_compute_what_they_compute_natively() {
    if !has_clang() {
        return;
    }
    for seed in 0..3 {
        compare(seed, 20, &["-O0", "-O1", "-O2", "-O3"]).unwrap_or_else(|complaint| panic!("{complaint}"));
    }
}
