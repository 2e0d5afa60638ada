//! Limits are honoured, Ctrl-C reports, and the number of workers changes nothing.

use crate::run::{ENDLESS, LONG, LOST_UPDATE, Run, Sandbox};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_timeout_stops_the_search() {
    let started = Instant::now();
    let run = Sandbox::new().with("long.vm", LONG).run("check --timeout 0.3 long.vm");
    assert_eq!(run.exit, Some(3));
    assert!(run.stdout.contains("--timeout"), "{}", run.stdout);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_timeout_stops_even_an_execution_that_never_ends() {
    let run = Sandbox::new().with("endless.vm", ENDLESS).run("check --timeout 0.3 --format json endless.vm");
    assert_eq!(run.exit, Some(3));
    assert_eq!(run.json()["limit"], "timeout");
}

#[test]
fn a_memory_limit_stops_the_search() {
    let run = Sandbox::new().with("long.vm", LONG).run("check --memory-limit 1 long.vm");
    assert_eq!(run.exit, Some(3));
    assert!(run.stdout.contains("stopped at 1 MiB of memory"), "{}", run.stdout);
}

#[test]
fn a_violation_found_before_the_limit_is_a_violation() {
    let run = Sandbox::new().with("p.vm", LOST_UPDATE).run("check --keep-going --max-executions 2 p.vm");
    assert!(matches!(run.exit, Some(1 | 3)), "{run:?}");
    let run = Sandbox::new().with("p.vm", LOST_UPDATE).run("check --max-executions 1000 --timeout 60 p.vm");
    assert_eq!(run.exit, Some(1));
}

/// Starts a long search, and sends it a signal once it runs.
fn interrupt(args: &str) -> Run {
    let sandbox = Sandbox::new().with("long.vm", LONG);
    let mut command = sandbox.command(args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until_it_listens(&child);
    std::thread::sleep(Duration::from_millis(300));
    send_interrupt(&child);
    Run::of(child.wait_with_output().unwrap())
}

/// Waits until the process has taken over Ctrl-C, however slow the machine is.
fn wait_until_it_listens(child: &Child) {
    let is_listening = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        caught.is_some_and(|mask| mask & (1 << 1) != 0)
    };
    let started = Instant::now();
    while !is_listening() && started.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn send_interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn an_interrupted_search_reports_what_it_has_explored() {
    let run = interrupt("check --jobs 2 long.vm");
    assert_eq!(run.exit, Some(3), "{run:?}");
    assert!(run.stdout.contains("inconclusive: interrupted"), "{}", run.stdout);
    assert!(!run.stdout.contains("\n0 complete executions"), "{}", run.stdout);
    assert_eq!(run.stderr, "", "no progress line where there is no terminal");
}

#[test]
fn a_second_interrupt_kills() {
    let sandbox = Sandbox::new().with("endless.vm", ENDLESS);
    let mut command = sandbox.command("check endless.vm");
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until_it_listens(&child);
    for _ in 0..2 {
        std::thread::sleep(Duration::from_millis(300));
        send_interrupt(&child);
    }
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!((run.exit, run.stdout.as_str()), (Some(130), ""));
}

#[test]
fn an_interrupted_search_prints_whole_json() {
    let run = interrupt("check --format json long.vm");
    assert_eq!((run.exit, &run.json()["limit"]), (Some(3), &"interrupt".into()));
    assert!(run.json()["executions"].as_u64().unwrap() > 0);
}

#[test]
fn totals_do_not_depend_on_the_number_of_workers() {
    let program = LONG.replace(", worker(5), worker(6), worker(7), worker(8)", "").replace(", worker(4)", "");
    let sandbox = Sandbox::new().with("p.vm", &program);
    let totals = |jobs: u32, equivalence: &str| {
        let run = sandbox.run(&format!("check --format json --jobs {jobs} --equivalence {equivalence} p.vm"));
        let object = run.json();
        assert_eq!((&object["jobs"], &object["verdict"]), (&jobs.into(), &"verified".into()));
        (object["executions"].clone(), object["blocked"].clone())
    };
    for equivalence in ["co", "rf"] {
        assert_eq!(totals(1, equivalence), totals(2, equivalence));
        assert_eq!(totals(1, equivalence), totals(5, equivalence));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = Sandbox::new().with("long.vm", LONG);
    let mut command = sandbox.command("check --print-executions --max-executions 2000 long.vm");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!((run.exit, run.stderr.as_str()), (Some(3), ""));
}
