//! Programs that were once answered wrongly. Each row of `corpus/answers/answers.tsv` has one or more files, options, flags
//! for clang, and the answer: a verdict, perhaps with the kind of a violation, `bounded` or the most executions
//! (`executions<=17`, `blocked<=17`), or `exit` and a status.

use crate::clang::{has_clang, root};
use serde_json::Value;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What is wrong with the answer to a row.
fn complaint(row: &str) -> Option<String> {
    let fields: Vec<_> = row.split('\t').collect();
    let [files, options, flags, expected] = fields[..] else { return Some(format!("no row: {row}")) };
    let mut command = Command::new(env!("CARGO_BIN_EXE_atropos"));
    command.current_dir(root()).args(["check", "--format", "json"]).args(options.split_whitespace());
    command.args(files.split_whitespace().map(|file| format!("corpus/answers/{file}")));
    command.arg("--").args(flags.split_whitespace());
    let output = command.output().unwrap();
    let status = output.status.code();
    let mut words = expected.split_whitespace();
    let is_right = match words.next() {
        Some("exit") => words.next().map(str::parse) == status.map(Ok),
        verdict => serde_json::from_slice(&output.stdout).is_ok_and(|answer: Value| {
            let has_kind =
                |kind: &str| answer["violations"].as_array().unwrap().iter().any(|one| one["kind"] == kind);
            let holds = |word: &str| match word.split_once("<=") {
                Some((count, most)) => answer[count].as_u64().unwrap() <= most.parse().unwrap(),
                None if word == "bounded" => answer["bounded"] == true,
                None => has_kind(word),
            };
            answer["verdict"].as_str() == verdict && words.all(holds)
        }),
    };
    (!is_right).then(|| {
        let [text, error] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        format!("{row}\nstatus {status:?}\n{text}{error}")
    })
}

#[test]
fn programs_that_were_answered_wrongly_are_answered_rightly() {
    if !has_clang() {
        return;
    }
    let text = std::fs::read_to_string(root().join("corpus/answers/answers.tsv")).unwrap();
    let rows: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Relaxed)) {
                    complaints.lock().unwrap().extend(complaint(row));
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
