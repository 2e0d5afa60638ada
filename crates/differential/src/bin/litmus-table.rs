//! `litmus-table [COUNT]`: the algorithms for release-acquire on COUNT generated litmus tests (1000 by default), beside
//! the figures of the paper [Tracer Table 1].

use atropos_differential::litmus_table::{TOOLS, table, tests};
use std::process::ExitCode;

/// The figures of Tracer's Table 1: wrong answers, and executions per test.
const PAPER: [(&str, u64, f64); 3] =
    [("RCMC/RC11", 0, 90.27), ("RCMC/WRC11", 81, 82.91), ("Tracer", 0, 64.64)];

fn main() -> ExitCode {
    let count = std::env::args().nth(1).map_or(Ok(1000), |word| word.parse());
    let Ok(count) = count else {
        eprintln!("litmus-table: expected the number of tests");
        return ExitCode::from(2);
    };
    let (lines, n_tests) = table(tests(count, 1));
    println!("Tracer Table 1, on {n_tests} generated tests where the paper has 8064 others");
    let head = ["", "wrong", "executions", "per test"];
    println!("{:12} {:>6} {:>12} {:>9}   paper: wrong, per test", head[0], head[1], head[2], head[3]);
    let mut n_different = 0;
    for ((name, _, model, _), line) in TOOLS.iter().zip(lines) {
        let per_test = line.n_executions as f64 / n_tests as f64;
        let paper = PAPER.iter().find(|(tool, ..)| tool == name);
        let paper = paper.map_or(String::new(), |(_, wrong, executions)| format!("{wrong}, {executions}"));
        println!("{name:12} {:>6} {:>12} {per_test:>9.2}   {paper}", line.n_wrong, line.n_executions);
        n_different += if *model == "wrc11" { 0 } else { line.n_different };
    }
    println!("{n_different} times other executions than the oracle's, WRC11 aside");
    ExitCode::from(u8::from(n_different > 0))
}
