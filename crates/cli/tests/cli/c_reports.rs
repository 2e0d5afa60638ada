//! What people read about C programs: one golden per kind of report, in `corpus/c/reports`.

use crate::clang::has_clang;
use crate::run::Sandbox;
use expect_test::{Expect, ExpectFile, expect, expect_file};
use std::path::Path;

/// A sandbox with a program of the repository.
fn sandbox(program: &str) -> (Sandbox, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(program);
    let name = path.file_name().unwrap().to_str().unwrap().to_string();
    let text = std::fs::read_to_string(&path).unwrap();
    (Sandbox::new().with(&name, &text), name)
}

fn check(program: &str, args: &str, expected: ExpectFile) {
    if has_clang() {
        let (sandbox, name) = sandbox(program);
        expected.assert_eq(&sandbox.run(&format!("check --jobs 1 {args} {name}")).transcript());
    }
}

macro_rules! golden {
    ($($test:ident: $program:literal $args:literal => $file:literal;)*) => {
        $(#[test]
        fn $test() {
            check($program, $args, expect_file![concat!("../../../../corpus/c/reports/", $file)]);
        })*
    };
}

golden! {
    an_assertion: "examples/publication.c" "" => "assertion.txt";
    a_race: "corpus/c/fail/race_on_heap.c" "" => "race.txt";
    a_deadlock: "corpus/c/fail/deadlock.c" "" => "deadlock.txt";
    a_deadlock_of_heap_objects: "corpus/c/fail/transfer.c" "" => "deadlock_on_heap.txt";
    an_index_out_of_bounds: "corpus/c/fail/behind_the_end.c" "" => "out_of_bounds.txt";
    an_access_before_an_object: "corpus/c/fail/before_the_start.c" "" => "before_the_start.txt";
    a_condition_variable: "corpus/c/fail/signal_wakes_one.c" "" => "condition_variable.txt";
    a_futex: "corpus/c/fail/futex_wakes_one.c" "" => "futex.txt";
    a_signal_that_comes_too_early: "corpus/c/fail/lost_signal.c" "" => "lost_signal.txt";
    every_kind_of_lock: "corpus/c/fail/every_lock.c" "" => "every_lock.txt";
    a_misused_mutex: "corpus/c/fail/destroy_locked.c" "" => "lock_misuse.txt";
    a_use_after_free: "corpus/c/fail/use_after_free.c" "" => "use_after_free.txt";
    an_unwritten_field: "corpus/c/fail/unwritten_copy.c" "" => "uninitialised.txt";
    a_leak: "corpus/c/fail/leak_of_popped_node.c" "--leaks" => "leak.txt";
    a_leak_that_is_only_mentioned: "corpus/c/fail/leak_of_popped_node.c" "" => "leak_mentioned.txt";
    a_spin_without_end: "corpus/c/fail/endless_spin.c" "" => "non_termination.txt";
    a_bounded_verification: "corpus/c/pass/bounded.c" "--unroll 2" => "bounded.txt";
    parts_of_an_atomic_word: "corpus/c/fail/narrow_store_buffering.c" "--model pso" => "mixed_sizes.txt";
    parts_that_are_seen_beside_memory: "corpus/c/fail/own_byte_then_word.c" "--model tso" => "mixed_sizes_by_bytes.txt";
    parts_that_trust_leaves_open: "corpus/c/fail/own_byte_then_word.c" "--model tso --algorithm trust" => "mixed_sizes_trust.txt";
    parts_that_leave_the_verdict_open: "corpus/c/pass/ticket_word.c" "" => "mixed_sizes_open.txt";
    parts_that_are_merged: "corpus/c/pass/ticket_word.c" "--mixed-sizes merge" => "mixed_sizes_merged.txt";
    all_violations: "corpus/c/fail/several.c" "--keep-going" => "several.txt";
}

/// How many steps there are depends on the C++ library.
#[test]
fn the_steps_of_the_cpp_library_do_not_hide_those_of_the_program() {
    if !has_clang() {
        return;
    }
    let (sandbox, name) = sandbox("benchmarks/structures/bounded_buffer.cpp");
    let run = sandbox.run(&format!("check --jobs 1 {name} -- -DBUG"));
    let is_shown = |text: &str| run.stdout.contains(text);
    assert!(is_shown("  lock buffer.mutex ") && is_shown("  notify_one buffer.not_empty "), "{run:?}");
    assert!(is_shown("  spawn t2   ("), "what the library does to create a thread is one line: {run:?}");
    assert!(!is_shown("vtable") && !is_shown("&buffer"), "what a thread is given is left out: {run:?}");
    assert!(is_shown("-v shows all"), "{run:?}");
    let run = sandbox.run(&format!("check --jobs 1 -v {name} -- -DBUG"));
    assert!(run.stdout.contains("vtable") && run.stdout.contains("&buffer"), "{run:?}");
}

/// Calls of the C++ library are quoted, and what `new` creates has the fields of its type.
#[test]
fn calls_of_the_cpp_library_and_fields_of_objects_are_named() {
    if !has_clang() {
        return;
    }
    let (sandbox, name) = sandbox("benchmarks/structures/refcount.cpp");
    let run = sandbox.run(&format!("check --jobs 1 {name} -- -DBUG=1"));
    let is_shown = |text: &str| run.stdout.contains(text);
    assert!(is_shown("  std::thread second(…)   (1 step in the library)"), "{run:?}");
    assert!(is_shown("R(heap1.owners) rlx (sub 1) = 1"), "{run:?}");
}

#[test]
fn each_distinct_violation_has_its_own_trace_in_json() {
    if !has_clang() {
        return;
    }
    let (sandbox, name) = sandbox("corpus/c/fail/several.c");
    let object = sandbox.run(&format!("check --jobs 1 --keep-going --format json {name}")).json();
    let violations = object["violations"].as_array().unwrap();
    let kinds: Vec<_> = violations.iter().map(|violation| violation["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["division-by-zero", "assertion", "race", "race", "race"]);
    assert!(violations.iter().all(|violation| !violation["trace"].as_array().unwrap().is_empty()));
    assert_eq!(object["complete"], true);
}

/// The verdict names the loops; they are found in optimised code too, where they have been rotated or inlined.
#[test]
fn the_loops_that_were_cut_are_named_by_their_lines() {
    let check = |flags: &str, expected: Expect| {
        if has_clang() {
            let (sandbox, name) = sandbox("corpus/c/pass/bounded.c");
            let run = sandbox.run(&format!("check --jobs 1 {name} {flags}"));
            expected.assert_eq(run.stdout.lines().last().unwrap());
            assert_eq!(run.exit, Some(0));
        }
    };
    check("--unroll 2", expect!["verified up to 2 iterations of the loop at bounded.c:11:5"]);
    check("--unroll 5", expect!["verified: no violation in any execution"]);
    check("--unroll 2 -- -O1", expect!["verified up to 2 iterations of the loop at bounded.c:11:5"]);
    check("", expect!["verified: no violation in any execution"]);
}

/// The program has loops at lines 11 and 23. `FILE:LINE` bounds one of them, also where another bound is for all.
#[test]
fn a_bound_may_be_for_the_loop_at_one_line() {
    if !has_clang() {
        return;
    }
    let (sandbox, name) = sandbox("corpus/c/pass/bounded.c");
    let check = |flags: &str, expected: Expect| {
        let run = sandbox.run(&format!("check --jobs 1 {name} {flags}"));
        expected.assert_eq(run.stdout.lines().last().unwrap());
        assert_eq!(run.exit, Some(0));
        assert!(!run.stderr.contains("has no loop"), "{run:?}");
    };
    check("--unroll bounded.c:11=2", expect!["verified up to 2 iterations of the loop at bounded.c:11:5"]);
    check("--unroll bounded.c:12=1", expect!["verified up to 1 iteration of the loop at bounded.c:11:5"]);
    check("--unroll bounded.c:23=2", expect!["verified: no violation in any execution"]);
    check("--unroll 2 --unroll bounded.c:11=5", expect!["verified: no violation in any execution"]);
    check("--unroll 5,bounded.c:11=3", expect!["verified up to 3 iterations of the loop at bounded.c:11:5"]);
    check(
        "--unroll bounded.c:11=2 -- -O1",
        expect!["verified up to 2 iterations of the loop at bounded.c:11:5"],
    );

    let object = sandbox.run(&format!("check --jobs 1 --format json {name} --unroll bounded.c:11=2")).json();
    let location = serde_json::json!({"file": "bounded.c", "line": 11, "column": 5});
    assert_eq!(object["bounded_loops"], serde_json::json!([{"location": location, "iterations": 2}]));

    let run = sandbox.run(&format!("check --jobs 1 {name} --unroll bounded.c:8=2"));
    let note = "note: the program has no loop at bounded.c:8, so this --unroll has no effect\n";
    assert_eq!((run.exit, run.stderr.as_str()), (Some(0), note));
    let run = sandbox.run(&format!("check --jobs 1 {name} --unroll bounded.c:11=2,3,bounded.c:11=4"));
    assert!(run.stderr.contains("--unroll bounds the loop at bounded.c:11 twice"), "{run:?}");
    assert_eq!(run.exit, Some(2));
}

/// Sequential consistency needs no note: a location that is accessed in parts is nothing but its bytes there.
#[test]
fn variables_that_are_accessed_in_parts_are_named_under_weak_models() {
    if has_clang() {
        let (sandbox, name) = sandbox("corpus/c/pass/qspinlock.c");
        let mixed = |model: &str| {
            let run = sandbox.run(&format!("check --jobs 1 --format json --model {model} {name}"));
            run.json()["mixed_sizes"].to_string()
        };
        let location = r#"{"column":5,"file":"qspinlock.c","line":75}"#;
        let expected =
            format!(r#"[{{"location":{location},"parts":[1,2],"size":4,"variable":"lock.value"}}]"#);
        assert_eq!(mixed("rc11"), expected);
        assert_eq!(mixed("sc"), "null");
        assert_eq!(mixed("tso"), "null");
    }
}

/// A verdict is given only where accesses of several sizes are explored exactly, or the user accepts less.
#[test]
fn accesses_of_several_sizes_leave_the_verdict_open_where_the_model_is_not_exact() {
    let check = |program: &str, args: &str, expected: &str| {
        if !has_clang() {
            return;
        }
        let (sandbox, name) = sandbox(program);
        let run = sandbox.run(&format!("check --jobs 1 --format json {args} {name}"));
        let object = run.json();
        let merged = &object["mixed_sizes_merged"];
        let actual = format!("{} {} {} {merged}", run.exit.unwrap_or(-1), object["verdict"], object["limit"]);
        assert_eq!(actual.replace('"', ""), expected, "{program} {args}");
    };
    let lock = "corpus/c/pass/qspinlock.c";
    check(lock, "--model sc", "0 verified null null");
    check(lock, "--model tso", "0 verified null null");
    check(lock, "--model tso --algorithm optimal-dpor", "0 verified null null");
    check(lock, "--model pso", "0 verified null null");
    check(lock, "--model pso --algorithm trust", "3 inconclusive mixed-sizes false");
    check(lock, "--model pso --mixed-sizes merge", "0 verified null true");
    check(lock, "--model rc11", "3 inconclusive mixed-sizes false");
    check(lock, "--model rc11 --mixed-sizes merge", "0 verified null true");
    let own = "corpus/c/fail/own_byte_then_word.c";
    check(own, "--model sc", "0 verified null null");
    check(own, "--model tso", "1 violation null null");
    check(own, "--model tso --keep-going", "1 violation null null");
    check(own, "--model tso --algorithm source-dpor", "1 violation null null");
    check(own, "--model tso --algorithm trust", "3 inconclusive mixed-sizes false");
    check(own, "--model tso --mixed-sizes merge", "0 verified null true");
    // After all threads are joined, and in plain accesses, sizes may be mixed at will.
    check("corpus/c/pass/cpp_parts.cpp", "--model tso", "0 verified null null");
    check("corpus/c/pass/mixed_sizes.c", "--model rc11", "0 verified null null");
    check("corpus/c/fail/byte_store_buffering.c", "--model pso", "1 violation null false");
}

#[test]
fn json_says_that_a_bound_was_met() {
    if has_clang() {
        let (sandbox, name) = sandbox("corpus/c/pass/bounded.c");
        let bounded =
            |flags: &str| sandbox.run(&format!("check --jobs 1 --format json {flags} {name}")).json();
        assert_eq!(bounded("--unroll 2")["bounded"], true);
        assert_eq!(bounded("--unroll 9")["bounded"], false);
    }
}

#[test]
fn a_race_in_a_library_is_shown_where_the_program_uses_it() {
    let program = "#include <array>\n#include <sstream>\n#include <thread>\n\
        struct item { int key, value; };\n\
        static std::ostringstream text;\n\
        static std::array<item, 2> items;\n\
        int main() {\n    std::thread other([] { USE; });\n    USE;\n    other.join();\n}\n";
    if !has_clang() {
        return;
    }
    let transcript = |statement: &str| {
        let sandbox = Sandbox::new().with("both.cpp", &program.replace("USE", statement));
        sandbox.run("check --jobs 1 both.cpp").transcript()
    };
    let said = transcript("text << 1");
    assert!(said.contains("both.cpp:9:10: race") || said.contains("both.cpp:8:33: race"), "{said}");
    assert!(said.contains("(in atropos/streams.h:") && !said.contains("atropos-headers"), "{said}");
    let said = transcript("items[1].value = 1");
    assert!(said.contains("race: data race on `items[1].value`"), "{said}");
}
