//! Source-DPOR, optimal-DPOR and the question of robustness, from outside.

use crate::run::{LOST_UPDATE, MP, SB_X86, Sandbox};
use expect_test::expect;

#[test]
fn the_algorithms_visit_the_same_executions() {
    let sandbox = Sandbox::new().with("mp.litmus", MP);
    for model in ["sc", "tso", "pso"] {
        let count = |how: &str| {
            let args = format!("check --print-executions --jobs 1 --model {model} {how} mp.litmus");
            sandbox.run(&args).stdout.matches("execution complete").count()
        };
        let expected = count("--equivalence co");
        assert_eq!(count("--algorithm source-dpor"), expected);
        assert_eq!(count("--algorithm optimal-dpor"), expected);
    }
}

#[test]
fn a_violation_is_found_and_rechecked() {
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE);
    for algorithm in ["source-dpor", "optimal-dpor"] {
        for model in ["sc", "tso", "pso"] {
            let run =
                sandbox.run(&format!("check --format json --model {model} --algorithm {algorithm} p.vm"));
            assert_eq!(run.exit, Some(1), "{algorithm} {model}: {run:?}");
            assert!(run.stdout.contains("\"rechecked\": true"), "{}", run.stdout);
        }
    }
}

/// Threads that acquire the same mutex have an execution for each order, and nothing else is explored.
#[test]
fn no_trace_ends_with_a_thread_that_waits_for_a_mutex_in_vain() {
    let spawns: String = (0..5).map(|_| "t = spawn worker();\n").collect();
    let sections = format!(
        "global m: i32\nglobal x: i32\n
         fn worker() {{ lock m; r = load.i32 x; r = add.i32 r, 1; store.i32 x, r; unlock m; return }}
         fn main() {{ {spawns} return }}"
    );
    let sandbox = Sandbox::new().with("sections.vm", &sections);
    for algorithm in ["source-dpor", "optimal-dpor"] {
        for model in ["sc", "tso", "pso"] {
            let run = sandbox
                .run(&format!("check --format json --model {model} --algorithm {algorithm} sections.vm"));
            assert_eq!(run.exit, Some(0), "{algorithm} {model}: {run:?}");
            assert!(run.stdout.contains("\"executions\": 120,\n  \"blocked\": 0,"), "{}", run.stdout);
        }
    }
}

/// A tried mutex that is held is a step like any other; one that is never released is a deadlock.
#[test]
fn only_a_thread_that_waits_is_left_out() {
    let tried = "global m: i32\nglobal x: i32\n
        fn worker() { ok = trylock m; if not ok goto out; store.rlx.i32 x, 1; unlock m; out: return }
        fn main() { t = spawn worker(); lock m; unlock m; join t; r = load.rlx.i32 x; assert r, \"tried\"; return }";
    let kept = "global m: i32\n
        fn worker() { lock m; return }
        fn main() { a = spawn worker(); b = spawn worker(); join a; join b; return }";
    let sandbox = Sandbox::new().with("tried.vm", tried).with("kept.vm", kept);
    for algorithm in ["source-dpor", "optimal-dpor"] {
        for (file, kind) in [("tried.vm", "assertion"), ("kept.vm", "deadlock")] {
            let run = sandbox.run(&format!("check --format json --model sc --algorithm {algorithm} {file}"));
            assert_eq!(run.exit, Some(1), "{algorithm} {file}: {run:?}");
            assert!(run.stdout.contains(&format!("\"kind\": \"{kind}\"")), "{}", run.stdout);
        }
    }
}

#[test]
fn an_execution_that_sc_does_not_have_is_shown() {
    let sandbox = Sandbox::new().with("sb.litmus", SB_X86).with("mp.litmus", MP);
    for how in ["--algorithm optimal-dpor", "--algorithm source-dpor", "--jobs 1"] {
        let run = sandbox.run(&format!("check --check-robustness --model tso {how} --format json sb.litmus"));
        assert_eq!(run.exit, Some(1), "{run:?}");
        assert!(run.stdout.contains("\"kind\": \"robustness\""), "{}", run.stdout);
    }
    let robust = sandbox.run("check --check-robustness --model tso --algorithm optimal-dpor mp.litmus");
    assert!(!robust.stdout.contains("not robust"), "{}", robust.stdout);
}

#[test]
fn robustness_is_a_question_about_machines_with_buffers() {
    let run = Sandbox::new().with("mp.litmus", MP).run("check --check-robustness --model sc mp.litmus");
    assert_eq!(run.exit, Some(2));
    expect![[r#"
        error: --check-robustness is for tso and pso, not for sc
    "#]]
    .assert_eq(&run.stderr);
}
