//! Every exit code of the contract.

use crate::run::{LONG, LOST_UPDATE, MP, RACE, Sandbox};

fn exit(file: &str, text: &str, args: &str) -> Option<i32> {
    Sandbox::new().with(file, text).run(args).exit
}

#[test]
fn verified_is_0() {
    assert_eq!(exit("mp.litmus", MP, "check mp.litmus"), Some(0));
    assert_eq!(exit("p.vm", "fn main() {\n return\n}\n", "check p.vm"), Some(0));
}

#[test]
fn a_violation_is_1() {
    assert_eq!(exit("p.vm", LOST_UPDATE, "check p.vm"), Some(1));
    assert_eq!(exit("race.litmus", RACE, "check race.litmus"), Some(1));
}

#[test]
fn a_condition_that_does_not_hold_is_1() {
    assert_eq!(exit("mp.litmus", MP, "check --model sc mp.litmus"), Some(1), "exists, but there is none");
    let forbidden = MP.replace("exists", "~exists");
    assert_eq!(exit("mp.litmus", &forbidden, "check mp.litmus"), Some(1));
    assert_eq!(exit("mp.litmus", &forbidden, "check --model sc mp.litmus"), Some(0));
}

#[test]
fn a_race_is_no_violation_where_races_are_not_detected() {
    assert_eq!(exit("race.litmus", RACE, "check --no-race-detection race.litmus"), Some(0));
    assert_eq!(exit("race.litmus", RACE, "check --model pso race.litmus"), Some(0));
}

#[test]
fn bad_usage_and_bad_input_are_2() {
    assert_eq!(exit("mp.litmus", MP, "check --bogus mp.litmus"), Some(2));
    assert_eq!(exit("mp.litmus", "C", "check mp.litmus"), Some(2));
    assert_eq!(exit("mp.litmus", MP, "check other.litmus"), Some(2));
    assert_eq!(exit("mp.litmus", MP, ""), Some(2));
}

#[test]
fn a_limit_is_3() {
    assert_eq!(exit("long.vm", LONG, "check --max-executions 10 long.vm"), Some(3));
}

#[test]
fn a_bug_in_atropos_is_101_and_tells_how_to_reproduce_it() {
    let run = Sandbox::new().run("panic");
    assert_eq!(run.exit, Some(101));
    assert!(run.stdout.is_empty());
    assert!(run.stderr.contains("This is a bug in Atropos"), "{}", run.stderr);
    assert!(run.stderr.contains("atropos panic"), "{}", run.stderr);
}

#[test]
fn help_and_version_are_no_errors() {
    for args in ["--help", "--version", "check --help"] {
        let run = Sandbox::new().run(args);
        assert_eq!((run.exit, run.stderr.as_str()), (Some(0), ""), "{args}");
    }
}
