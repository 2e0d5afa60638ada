//! The quick rows of the papers' tables: `make bench` does the rest.

use crate::clang::has_clang;
use atropos_bench::check::{ask, command};
use atropos_bench::row::Row;
use atropos_bench::suite;
use std::path::Path;
use std::thread;

#[test]
fn the_figures_of_the_quick_rows_are_those_of_the_papers_or_explained() {
    if !has_clang() {
        return;
    }
    let rows = suite::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks")).unwrap();
    let quick: Vec<Row> = rows.into_iter().filter(Row::is_quick).collect();
    assert!(quick.len() > 200, "where are the programs?");
    let n_threads = thread::available_parallelism().map_or(1, usize::from);
    let wrong: Vec<String> = thread::scope(|scope| {
        let share = |rows| scope.spawn(move || complaints(rows));
        let threads: Vec<_> = quick.chunks(quick.len().div_ceil(n_threads)).map(share).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How the results of the rows differ from the expectations.
fn complaints(rows: &[Row]) -> Vec<String> {
    let complaint = |row: &Row| {
        let atropos = Path::new(env!("CARGO_BIN_EXE_atropos"));
        match ask(command(atropos, row, 1)) {
            Ok(answer) if row.expected().agree_with(&answer.found) => None,
            Ok(answer) => Some(format!("{row}: expected {}, found {}", row.expected(), answer.found)),
            Err(error) => Some(format!("{row}: {error}")),
        }
    };
    rows.iter().filter_map(complaint).collect()
}
