//! The counts of the paper's text and tables.

use crate::common::count;
use atropos_testkit::families::member;

/// Executions and duplicates of `name(n)`.
fn check(name: &str, n: u64, model: &str, expected: (u64, u64)) {
    let stats = count(&member(name, n), model);
    println!("{name}({n}) under {model}: {stats:?}");
    assert_eq!((stats.executions, stats.duplicates), expected, "{name}({n}) under {model}");
}

/// Table 4: duplicates come with increments of several variables.
#[test]
fn increments_are_met_again_as_often_as_printed() {
    check("ainc", 3, "rc11", (6, 0));
    check("ainc", 4, "rc11", (24, 0));
    check("binc", 3, "rc11", (36, 2));
    check("binc", 4, "rc11", (576, 98));
    check("binc", 5, "rc11", (14400, 5002));
}

#[test]
fn compare_and_swap_is_never_met_again() {
    check("casw", 3, "rc11", (66, 0));
    check("casw", 4, "rc11", (1200, 0));
    check("casrot", 4, "rc11", (14, 0));
    check("casrot", 6, "rc11", (144, 0));
    check("casw", 3, "wrc11", (24, 0));
    check("casw", 4, "wrc11", (200, 0));
}

/// Section 2.3: without an order of the two writes each pair of reads sees seven combinations.
#[test]
fn weak_coherence_lets_two_readers_disagree() {
    check("corr2", 0, "rc11", (72, 0));
    check("corr2", 0, "wrc11", (49, 0));
}

/// Section 2.2.
#[test]
fn a_write_revisits_sets_of_reads() {
    let program = "global x: i32
fn rr() { a = load.rlx.i32 x; b = load.rlx.i32 x; return }
fn r() { a = load.rlx.i32 x; return }
fn w() { store.rlx.i32 x, 1; return }
fn main() { t = spawn rr(); u = spawn r(); v = spawn w(); return }\n";
    assert_eq!(count(program, "rc11").executions, 6);
    assert_eq!(count(program, "wrc11").executions, 6);
}

#[test]
fn programs_without_read_modify_writes_have_the_printed_number_of_executions() {
    check("readers", 6, "rc11", (64, 0));
    check("lastzero", 5, "rc11", (64, 0));
    check("lastzero", 10, "rc11", (3328, 0));
    check("fib", 3, "rc11", (2258, 0));
    check("fib", 3, "wrc11", (2258, 0));
}
