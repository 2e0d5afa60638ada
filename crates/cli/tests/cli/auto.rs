//! `--algorithm auto`.

use super::run::{LONG, MP, Sandbox};
use expect_test::{Expect, expect};

/// A program whose threads are `others` and `n` times `body`, with a different `i` in each so that none are identical.
fn threads(others: &[&str], n: usize, body: &str) -> String {
    let others = others.iter().map(|name| format!("{name}()"));
    let threads: Vec<_> = others.chain((1..=n).map(|i| format!("worker({i})"))).collect();
    format!("global x: i32 = 0\nfn worker(i) {{\n{body}  return\n}}\nthreads {}\n", threads.join(", "))
}

/// Threads that add to a variable and look at the sum. Their order is all that there is: up to `rf` and up to `co`, there
/// are equally many executions.
fn adders(n: usize) -> String {
    let body = "  r = rmw.add.rlx.i32 x, i\n  if not r goto done\n  s = load.rlx.i32 z\ndone:\n";
    format!("global z: i32 = 0\n{}", threads(&[], n, body))
}

/// Threads that write different values. There are many orders of writes for each way to read them.
fn writers(n: usize) -> String {
    threads(&[], n, "  store.rlx.i32 x, i\n  r = load.rlx.i32 x\n")
}

const REPEAT: &str = "  store.rlx.i32 x, 1\n  r = load.rlx.i32 x\n  s = load.rlx.i32 x\n";

/// Threads that write the same value, so that no thread ever sees another one.
fn repeaters(n: usize) -> String {
    threads(&[], n, REPEAT)
}

/// The same, and a violation that TruSt finds only after all executions without it.
fn repeaters_with_a_bug(n: usize) -> String {
    let bug = "global y: i32 = 0\nfn reader() {\n  r = load.rlx.i32 y\n  good = eq.i32 r, 0\n  assert good, \"the flag is up\"\n  \
               return\n}\nfn raiser() {\n  store.rlx.i32 y, 1\n  return\n}\n";
    format!("{bug}{}", threads(&["reader", "raiser"], n, REPEAT))
}

/// The algorithm, the equivalence, the verdict, the number of executions and the reason.
fn chosen(program: &str, options: &str) -> String {
    let sandbox = Sandbox::new().with("p.vm", program);
    let json = sandbox.run(&format!("check --format json {options} p.vm")).json();
    let text = |name: &str| json[name].as_str().unwrap_or("no reason").to_string();
    let [algorithm, equivalence, verdict, reason] =
        ["algorithm", "equivalence", "verdict", "algorithm_note"].map(text);
    let executions = json["executions"].as_u64().unwrap();
    format!("{algorithm} up to {equivalence}: {verdict}, {executions} executions, {reason}\n")
}

/// Whatever the number of workers, the same is chosen.
#[track_caller]
fn check(program: &str, options: &str, expected: Expect) {
    let by_auto = |jobs: &str| chosen(program, &format!("--algorithm auto {options} --jobs {jobs}"));
    let first = by_auto("1");
    expected.assert_eq(&first);
    for jobs in ["1", "2", "3"] {
        assert_eq!(by_auto(jobs), first, "{jobs} workers");
    }
}

#[test]
fn a_small_search_is_as_ever() {
    for model in ["sc", "tso", "pso", "ra", "sra", "rc11"] {
        let options = format!("--model {model}");
        check(
            &adders(5),
            &options,
            expect![[r#"
        trust up to rf: verified, 120 executions, no reason
    "#]],
        );
    }
}

#[test]
fn where_coherence_is_free_the_search_tracks_it() {
    check(
        &adders(7),
        "--model sc",
        expect![[r#"
        trust up to co: verified, 5040 executions, chosen because it is faster and has hardly more executions: about 39, and 39 up to rf
    "#]],
    );
    check(
        &adders(7),
        "--model rc11",
        expect![[r#"
        trust up to co: verified, 5040 executions, chosen because it is faster and has hardly more executions: about 39, and 39 up to rf
    "#]],
    );
}

#[test]
fn where_coherence_multiplies_executions_the_search_does_not_track_it() {
    check(
        &writers(6),
        "--model tso",
        expect![[r#"
        trust up to rf: verified, 16807 executions, no reason
    "#]],
    );
    check(
        &writers(6),
        "",
        expect![[r#"
        trust up to rf: verified, 16807 executions, no reason
    "#]],
    );
}

#[test]
fn where_values_are_equal_rvf_ends_first() {
    check(
        &repeaters(5),
        "--model sc",
        expect![[r#"
        rvf up to rvf: verified, 1 executions, chosen because trust up to rf had not ended after 4,096 executions
    "#]],
    );
}

#[test]
fn a_violation_that_another_search_finds_is_reported() {
    let program = repeaters_with_a_bug(5);
    expect![[r#"
        rvf up to rvf: violation, 0 executions, chosen because trust up to rf had not ended after 4,096 executions
    "#]].assert_eq(&chosen(&program, "--algorithm auto --model sc --jobs 1"));
    let run = Sandbox::new().with("p.vm", &program).run("check --algorithm auto --model sc --jobs 1 p.vm");
    assert_eq!(run.exit, Some(1));
    for text in ["the flag is up", "rvf (chosen because trust up to rf had not ended", "--algorithm rvf"] {
        assert!(run.stdout.contains(text), "{text} is not in {}", run.stdout);
    }
}

#[test]
fn the_command_that_repeats_a_check_names_the_way() {
    let program = repeaters_with_a_bug(5);
    let sandbox = Sandbox::new().with("p.vm", &program);
    let again = "check --model sc --algorithm rvf --jobs 1 p.vm";
    let text = sandbox.run("check --algorithm auto --model sc --jobs 1 p.vm").stdout;
    assert!(text.contains(&format!("atropos {again}")), "{text}");
    assert_eq!(sandbox.run(again).exit, Some(1));
}

#[test]
fn a_page_says_what_was_chosen() {
    let sandbox = Sandbox::new().with("p.vm", &adders(7));
    sandbox.run("check --algorithm auto --report p.html --report p.sarif p.vm");
    for file in ["p.html", "p.sarif"] {
        let text = std::fs::read_to_string(sandbox.path().join(file)).unwrap();
        assert!(text.contains("chosen because"), "{file}");
    }
}

#[test]
fn limits_hold_for_all_searches_together() {
    let sandbox = Sandbox::new().with("long.vm", LONG);
    for model in ["sc", "tso", "rc11"] {
        let json = sandbox
            .run(&format!("check --algorithm auto --model {model} --timeout 1 --format json long.vm"))
            .json();
        assert_eq!(
            (&json["verdict"], &json["limit"]),
            (&"inconclusive".into(), &"timeout".into()),
            "{model}"
        );
    }
}

#[test]
fn there_is_no_race_unless_it_is_asked_for() {
    for model in ["sc", "tso", "rc11"] {
        let expected = "trust up to rf: verified, 5040 executions, no reason\n";
        assert_eq!(chosen(&adders(7), &format!("--model {model}")), expected, "{model}");
    }
}

#[test]
fn auto_cannot_be_combined_with_what_is_about_one_way() {
    let sandbox = Sandbox::new().with("p.vm", &adders(3)).with("mp.litmus", MP);
    for (options, reason) in [
        ("--equivalence co", "which belongs to one way of them"),
        ("--reduce none", "because not all of them have the same reductions"),
        ("--model tso --check-robustness", "for which coherence decides"),
        ("--max-executions 10", "because each has other executions to count"),
        ("--checkpoint f", "which records one search"),
        ("--print-executions", "because each has other executions to show"),
        ("--dump-graphs d", "because each has other executions to show"),
        ("--rvf-without guide", "is for rvf"),
    ] {
        let run = sandbox.run(&format!("check --algorithm auto {options} p.vm"));
        assert_eq!(run.exit, Some(2), "{options}");
        assert!(run.stderr.contains(reason), "{options}: {}", run.stderr);
    }
    for command in ["serve --store s", "weaken"] {
        let run = sandbox.run(&format!("{command} --algorithm auto p.vm"));
        assert_eq!(run.exit, Some(2), "{command}");
        assert!(run.stderr.contains("--algorithm auto is for `atropos check`"), "{command}: {}", run.stderr);
    }
}

#[test]
fn auto_takes_the_only_way_where_there_is_one() {
    let sandbox = Sandbox::new().with("p.vm", &adders(3)).with("mp.litmus", MP);
    for (options, algorithm) in
        [("--model wrc11 p.vm", "rcmc"), ("mp.litmus", "trust"), ("--model tso mp.litmus", "trust")]
    {
        let json = sandbox.run(&format!("check --algorithm auto --format json {options}")).json();
        assert_eq!(json["algorithm"], algorithm, "{options}");
        assert!(json["algorithm_note"].is_null(), "{options}");
    }
}
