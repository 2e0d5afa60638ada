//! `--estimate` and `--profile`.

use super::run::{LONG, LOST_UPDATE, Sandbox};
use expect_test::expect;

/// Threads that write and read the same variable.
fn crowd(n_threads: usize) -> String {
    let threads: Vec<String> = (1..=n_threads).map(|i| format!("worker({i})")).collect();
    format!(
        "global x: i32 = 0\nfn worker(i) {{\n  store.rlx.i32 x, i\n  r = load.rlx.i32 x\n  return\n}}\nthreads {}\n",
        threads.join(", ")
    )
}

/// Threads that spin until a flag is raised.
const SPINNING: &str = "\
global flag: i32 = 0

fn waiter() {
again:
  f = load.rlx.i32 flag
  if not f goto again
  return
}

fn raiser() {
  store.rlx.i32 flag, 1
  return
}

threads waiter(), waiter(), raiser()
";

/// Compares the estimate with what the search finds then.
fn check_estimate(search: &str) {
    for program in [crowd(3), crowd(4), LOST_UPDATE.to_string(), SPINNING.to_string()] {
        let sandbox = Sandbox::new().with("p.vm", &program);
        let options = format!("{search} --jobs 1 --keep-going");
        let json = sandbox.run(&format!("check --format json --estimate {options} p.vm")).json();
        let n = json["executions"].as_f64().unwrap() + json["blocked"].as_f64().unwrap();
        let [low, high] = ["low", "high"].map(|end| json["estimate"][end].as_f64().unwrap());
        // Two standard errors; the descents are the same in every run.
        assert!(low * 0.97 <= n && n <= high * 1.03, "{options}: {n} is not in {low}..{high}\n{program}");
    }
}

#[test]
fn estimates_are_close_to_what_the_search_finds() {
    for model in ["sc", "tso", "ra", "rc11"] {
        for equivalence in ["rf", "co"] {
            check_estimate(&format!("--model {model} --equivalence {equivalence}"));
        }
    }
}

#[test]
fn algorithms_with_the_executions_of_trust_are_estimated_too() {
    for (algorithm, model) in [
        ("rcmc", "rc11"),
        ("tracer", "ra"),
        ("source-dpor", "sc"),
        ("optimal-dpor", "tso"),
        ("optimal-dpor", "pso"),
    ] {
        check_estimate(&format!("--algorithm {algorithm} --model {model}"));
    }
}

#[test]
fn an_estimate_is_known_before_a_search_that_takes_too_long() {
    let sandbox = Sandbox::new().with("p.vm", LONG);
    let run = sandbox.run("check --estimate --max-executions 10 p.vm");
    assert_eq!(run.exit, Some(3), "{run:?}");
    assert!(run.stderr.starts_with("note: about ") && run.stderr.contains(" to "), "{run:?}");
}

#[test]
fn a_profile_says_where_executions_come_from() {
    let sandbox = Sandbox::new().with("p.vm", SPINNING);
    let run = sandbox.run("check --profile --reduce none --jobs 1 p.vm");
    expect![[r#"
        p.vm: model rc11 (the default), trust up to rf, 1 worker

        1 complete execution, 2 blocked, in TIME
        about 3 executions, by 10,000 random descents

        where executions come from, as shares of all choices among outcomes:
           66 %  p.vm:11  store.rlx.i32 flag, 1
           34 %  p.vm:5  f = load.rlx.i32 flag
          hot variables: flag 100 %
          threads that meet: t2 and t3 67 %, t1 and t3 33 %
          at p.vm:5:3, a loop waits for another value, in about 2 executions

        verified: no violation in any execution
        stderr: note: about 3 executions
        exit 0
    "#]]
    .assert_eq(&run.transcript());
    let json = sandbox.run("check --profile --format json --jobs 1 p.vm").json();
    assert_eq!(json["profile"]["variables"][0]["variable"], "flag");
    assert_eq!(json["profile"]["stops"][0]["reason"], "spin");
}

#[test]
fn searches_with_other_executions_have_bounds() {
    for (search, bound, words) in [
        ("--algorithm rvf --model sc", "upper", "at most about"),
        ("--algorithm rcmc --model wrc11", "lower", "at least about"),
    ] {
        for program in [crowd(3), crowd(4), LOST_UPDATE.to_string(), SPINNING.to_string()] {
            let sandbox = Sandbox::new().with("p.vm", &program);
            let run = sandbox.run(&format!("check --profile --format json --keep-going {search} p.vm"));
            let (json, estimate) = (run.json(), &run.json()["estimate"]);
            let n = json["executions"].as_f64().unwrap() + json["blocked"].as_f64().unwrap();
            let [low, high] = ["low", "high"].map(|end| estimate[end].as_f64().unwrap());
            assert_eq!(estimate["bound"], bound);
            let holds = if bound == "upper" { n <= high * 1.03 } else { n >= low * 0.97 };
            assert!(holds, "{search}: {n} and {low}..{high}\n{program}");
        }
        let sandbox = Sandbox::new().with("p.vm", &crowd(3));
        let run = sandbox.run(&format!("check --estimate {search} p.vm"));
        assert!(run.stderr.starts_with(&format!("note: {words} ")), "{run:?}");
    }
}
