//! `atropos weaken` and `atropos repair` on the data structures of the repository.

use crate::clang::{files, has_clang, root};
use crate::orders::solutions;
use crate::run::Run;
use expect_test::expect;
use serde_json::Value;
use std::process::Command;

/// The places where the first solution differs from the source, as `line operation written → found`.
fn changes(report: &Value) -> Vec<String> {
    let found = solutions(report).into_iter().next().unwrap_or_default();
    let orders = report["orders"].as_array().unwrap().iter().zip(found);
    let changed = orders.filter(|(order, found)| order["written"].as_str() != Some(found));
    let word = |value: &Value| value.as_str().unwrap().to_string();
    let changed = changed.map(|(order, found)| {
        let line = &order["location"]["line"];
        let place = order["added"].as_str().map_or(line.to_string(), |side| format!("{side} {line}"));
        format!("{place} {} {} → {found}", word(&order["operation"]), word(&order["written"]))
    });
    changed.collect()
}

/// The data structures of the repository in C or C++: name and text.
fn structures(extension: &str) -> Vec<(String, String)> {
    let paths = files(&root().join("benchmarks/structures"));
    let in_c = paths.into_iter().filter(|path| path.extension().is_some_and(|its| its == extension));
    let named = |path: std::path::PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_string(), std::fs::read_to_string(&path).unwrap())
    };
    in_c.map(named).collect()
}

/// Runs a command on a data structure.
fn on_structure(command: &str, name: &str, flags: &[String]) -> Run {
    let mut process = Command::new(env!("CARGO_BIN_EXE_atropos"));
    process.args(command.split_whitespace()).args(["--cache", "off", "--format", "json"]);
    process.arg(root().join("benchmarks/structures").join(name)).arg("--").args(flags);
    Run::of(process.output().unwrap())
}

#[test]
fn data_structures_need_the_orders_that_are_published_or_weaker_ones() {
    if !has_clang() {
        return;
    }
    let mut lines = String::new();
    for (name, _) in structures("c") {
        let report = on_structure("weaken --from seq-cst", &name, &[]).json();
        assert_eq!(report["verdict"], "weakest", "{name}");
        let changes = changes(&report);
        lines += &format!(
            "{name}: {}\n",
            if changes.is_empty() { "as written".into() } else { changes.join("; ") }
        );
    }
    expect![[r#"
        chase_lev.c: 37 load acquire → relaxed; 41 fence release → none; 43 store relaxed → release; 48 store relaxed → seq_cst; 50 fence seq_cst → none; 52 load relaxed → seq_cst; 59 update seq_cst → release; 69 fence seq_cst → none; 70 load acquire → seq_cst; 114 load seq_cst → relaxed
        clh_lock.c: 43 load seq_cst → relaxed
        free_list.c: 46 update acquire → relaxed
        futex_mutex.c: as written
        hazard_pointers.c: 39 store release → seq_cst; 44 fence seq_cst → none; 46 load acquire → seq_cst; 63 load acquire → seq_cst; 91 update acq_rel → seq_cst; 94 fence seq_cst → none; 124 load seq_cst → relaxed
        mcs_lock.c: 55 failure relaxed → acquire; 58 load acquire → relaxed
        mpmc_queue.c: 47 load acquire → relaxed; 92 store release → relaxed
        ms_queue.c: 68 load acquire → relaxed; 69 load acquire → relaxed; 71 update release → relaxed; 76 update release → relaxed; 86 load acquire → relaxed; 91 update release → relaxed; 95 update acq_rel → release
        rcu_publisher.c: 35 store relaxed → seq_cst; 37 fence seq_cst → none; 44 fence seq_cst → none; 46 load acquire → seq_cst; 59 load acquire → seq_cst; 70 store release → seq_cst; 90 load seq_cst → relaxed
        rw_lock.c: as written
        seqlock.c: 37 fence release → none; 39 store relaxed → release; 40 store relaxed → release; 48 load relaxed → acquire; 49 load relaxed → acquire; 51 fence acquire → none
        ticket_lock.c: as written
        treiber_stack.c: 69 update acquire → relaxed
        ttas_lock.c: as written
    "#]].assert_eq(&lines);
}

/// The orders of an answer by place: operation and strength of each. A new fence is where it would be.
fn by_place(report: &Value, orders: &[&str]) -> Vec<(String, u8)> {
    let rank = |order: &str| match order {
        "none" | "relaxed" => 0,
        "acquire" => 1,
        "release" => 2,
        "acq_rel" => 3,
        _ => 7,
    };
    let mut all = Vec::new();
    for (order, strength) in report["orders"].as_array().unwrap().iter().zip(orders) {
        if order["added"].is_string() && *strength == "none" {
            continue;
        }
        let (line, column) = (&order["location"]["line"], &order["location"]["column"]);
        let column = match order["added"].as_str() {
            Some("before") => 0,
            Some(_) => u64::MAX,
            None => column.as_u64().unwrap(),
        };
        let operation = order["operation"].as_str().unwrap().to_string();
        all.push(((line.as_u64().unwrap(), column), operation, rank(strength)));
    }
    all.sort();
    all.into_iter().map(|(_, operation, strength)| (operation, strength)).collect()
}

/// Whether the repaired program of some answer has the operations of the original, fences included, and no order is
/// stronger.
fn is_within(report: &Value, original: &Value) -> bool {
    let written = original["orders"].as_array().unwrap().iter();
    let written: Vec<&str> = written.map(|order| order["written"].as_str().unwrap()).collect();
    let original = by_place(original, &written);
    let is_weaker = |new: &(String, u8), old: &(String, u8)| new.0 == old.0 && new.1 & !old.1 == 0;
    let is_within = |repaired: &[(String, u8)]| {
        original.len() == repaired.len()
            && repaired.iter().zip(&original).all(|(new, old)| is_weaker(new, old))
    };
    solutions(report).iter().any(|orders| is_within(&by_place(report, orders)))
}

/// A line for each bug: its repair, and whether the repair is at most the original. The original of `refcount.cpp` has a
/// release operation and an acquire fence; one operation that does both is a smaller change, and cheaper, so only `--all`
/// shows the original's.
fn repairs(extension: &str) -> String {
    let mut lines = String::new();
    for (name, text) in structures(extension) {
        let original = on_structure("repair", &name, &[]).json();
        assert_eq!(original["verdict"], "verified", "{name}");
        for bug in text.lines().filter_map(|line| line.strip_prefix("// BUG=")?.split(':').next()) {
            let report = on_structure("repair", &name, &[format!("-DBUG={bug}")]).json();
            let answer = match report["verdict"].as_str() {
                Some("repaired") => {
                    let all = || on_structure("repair --all", &name, &[format!("-DBUG={bug}")]).json();
                    let which = match is_within(&report, &original) {
                        true => "at most the original",
                        false if is_within(&all(), &original) => {
                            "smaller than the original, which --all shows"
                        }
                        false => "not the original",
                    };
                    format!("{}: {which}", changes(&report).join("; "))
                }
                Some("no-repair") => {
                    format!("no repair of the {}", report["violation"]["kind"].as_str().unwrap())
                }
                verdict => format!("{verdict:?}"),
            };
            lines += &format!("{name} {bug}: {answer}\n");
        }
    }
    lines
}

#[test]
fn bugs_of_data_structures_are_repaired_if_they_are_a_matter_of_orders() {
    if has_clang() {
        expect![[r#"
            chase_lev.c 1: before 52 fence none → seq_cst: at most the original
            chase_lev.c 2: before 43 fence none → release: at most the original
            clh_lock.c 1: no repair of the non-termination
            clh_lock.c 2: 58 store relaxed → release: at most the original
            free_list.c 1: no repair of the assertion
            futex_mutex.c 1: no repair of the deadlock
            futex_mutex.c 2: no repair of the deadlock
            futex_mutex.c 3: 72 update relaxed → release: at most the original
            hazard_pointers.c 1: before 46 fence none → seq_cst: at most the original
            hazard_pointers.c 2: no repair of the use-after-free
            hazard_pointers.c 3: 55 store relaxed → release: at most the original
            mcs_lock.c 1: no repair of the non-termination
            mcs_lock.c 2: 63 store relaxed → release: at most the original
            mpmc_queue.c 1: 64 store relaxed → release: at most the original
            mpmc_queue.c 2: no repair of the assertion
            mpmc_queue.c 3: no repair of the assertion
            ms_queue.c 1: 75 update relaxed → release: at most the original
            ms_queue.c 2: no repair of the use-after-free
            rcu_publisher.c 1: after 35 fence none → seq_cst: at most the original
            rcu_publisher.c 2: 68 store relaxed → release: at most the original
            rcu_publisher.c 3: no repair of the use-after-free
            rw_lock.c 1: 40 update relaxed → release: at most the original
            rw_lock.c 2: no repair of the race
            seqlock.c 1: before 53 fence none → acquire: at most the original
            seqlock.c 2: before 39 fence none → release: at most the original
            seqlock.c 3: no repair of the assertion
            ticket_lock.c 1: 36 load relaxed → acquire: at most the original
            ticket_lock.c 2: no repair of the race
            treiber_stack.c 1: no repair of the use-after-free
            treiber_stack.c 2: 42 update relaxed → release: at most the original
            ttas_lock.c 1: 48 store relaxed → release: at most the original
            ttas_lock.c 2: no repair of the race
        "#]]
        .assert_eq(&repairs("c"));
    }
}

#[test]
fn bugs_of_data_structures_in_cpp_are_repaired_if_they_are_a_matter_of_orders() {
    if has_clang() {
        expect![[r#"
            bounded_buffer.cpp 1: no repair of the deadlock
            bounded_buffer.cpp 2: no repair of the assertion
            bounded_buffer.cpp 3: no repair of the deadlock
            double_checked.cpp 1: 48 load relaxed → acquire; 56 store relaxed → release: at most the original
            double_checked.cpp 2: no repair of the race
            double_checked.cpp 3: no repair of the assertion
            refcount.cpp 1: 32 update relaxed → acq_rel: smaller than the original, which --all shows
            refcount.cpp 2: no repair of the assertion
            spsc_ring.cpp 1: 35 store relaxed → release: at most the original
            spsc_ring.cpp 2: no repair of the race
        "#]]
        .assert_eq(&repairs("cpp"));
    }
}
