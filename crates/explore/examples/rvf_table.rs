//! The paper's tables: traces and times of RVF-SMC beside TruSt up to rf, under SC.
//!
//! `cargo run --release -p atropos-explore --example rvf_table [FILTER]`

#[path = "../tests/rvf/common/programs.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod programs;

use atropos_event::Refusal;
use atropos_explore::rvf::{Heuristics, Rvf};
use atropos_explore::{Config, Control, Execution, Observer, Report, Rf, Trust, search};
use atropos_model::Sc;

struct Nothing;

impl Observer for Nothing {
    fn violation(&mut self, report: Report, _execution: Execution<'_>) {
        panic!("{report:?}");
    }

    fn refused(&mut self, refusal: Refusal) {
        panic!("{refusal:?}");
    }
}

/// The processor time of this thread, which a busy machine does not disturb as much as the clock on the wall.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds: f64 = text.split(' ').next().and_then(|word| word.parse().ok()).expect("a number");
    nanoseconds / 1e9
}

type Family = fn(u64) -> String;

/// Programs with what the paper prints: traces and seconds of RVF-SMC and of Nidhugg/rfsc.
const ROWS: &[(&str, Family, u64, &str)] = &[
    ("45_monabsex1", programs::monabsex, 7, "1, 0.09 s; 262144, 33 s"),
    ("reorder_5", programs::reorder, 9, "4, 0.10 s; 1540, 0.44 s"),
    ("reorder_5", programs::reorder, 30, "4, 0.09 s; 54901, 49 s"),
    ("singleton", programs::singleton, 20, "2, 0.07 s; 20, 0.08 s"),
    ("13_unverif", programs::unverif, 4, ""),
    ("13_unverif", programs::unverif, 5, "14400, 7.45 s; 14400, 3.33 s"),
    ("13_unverif", programs::unverif, 6, "518400, 376 s; 518400, 134 s"),
    ("approxds_append", programs::approxds, 4, ""),
    ("approxds_append", programs::approxds, 5, ""),
    ("approxds_append", programs::approxds, 6, "50897, 60 s; 198936, 67 s"),
    ("pgsql", programs::pgsql, 2, ""),
    ("pgsql", programs::pgsql, 3, "3906, 3.30 s; 3906, 1.01 s"),
    ("pgsql", programs::pgsql, 4, "335923, 412 s; 335923, 107 s"),
];

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let without = std::env::args().nth(2).unwrap_or_default();
    let mut heuristics = Heuristics::default();
    for name in without.split(',').filter(|name| !name.is_empty()) {
        heuristics = heuristics.without(name).unwrap_or_else(|| panic!("{:?}", Heuristics::NAMES));
    }
    let config = Config { detect_races: false, ..Config::default() };
    for &(name, program, u, printed) in ROWS {
        if !format!("{name}({u})").contains(&filter) {
            continue;
        }
        let vm = programs::machine(&program(u));
        let control = Control::default();
        let start = cpu_seconds();
        let rvf = search(&vm, &Rvf { heuristics }, config, &control, 1, || Nothing).stats;
        let rvf_time = cpu_seconds() - start;
        let control = Control::default();
        let start = cpu_seconds();
        let rf = search(&vm, &Trust::<_, Rf>::new(Sc::default()), config, &control, 1, || Nothing).stats;
        let rf_time = cpu_seconds() - start;
        println!(
            "{name}({u}): rvf {} + {} blocked, {} dead, {rvf_time:.4} s; rf {} + {} blocked, {rf_time:.4} s; ratio {:.2}; paper: {printed}",
            rvf.executions,
            rvf.blocked,
            rvf.dead,
            rf.executions,
            rf.blocked,
            rvf_time / rf_time
        );
    }
}
