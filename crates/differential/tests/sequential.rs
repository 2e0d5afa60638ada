//! The C front-end against native runs and against itself: a bounded, seeded part of what `make fuzz-c` does without
//! end.

use atropos_differential::concurrent;
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

#[test]
fn random_concurrent_programs_have_the_same_outcomes_at_every_level() {
    if !has_clang() {
        return;
    }
    concurrent::compare::compare(0..15, &["-O0", "-O1", "-O2", "-O3"])
        .unwrap_or_else(|complaint| panic!("{complaint}"));
}
