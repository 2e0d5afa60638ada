//! Limits are honoured, Ctrl-C reports, and the number of workers changes nothing.

use crate::run::{BOTTOMLESS, ENDLESS, LONG, LOST_UPDATE, Run, Sandbox};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Each algorithm, with a model that it supports.
const ALGORITHMS: [&str; 6] = [
    "--model rc11",
    "--model rc11 --algorithm rcmc",
    "--model ra --algorithm tracer",
    "--model sc --algorithm source-dpor",
    "--model tso --algorithm optimal-dpor",
    "--model sc --algorithm rvf",
];

#[test]
fn a_timeout_stops_the_search() {
    let run = Sandbox::new().with("long.vm", LONG).run("check --timeout 0.3 long.vm");
    assert_eq!(run.exit, Some(3));
    assert!(run.stdout.contains("--timeout"), "{}", run.stdout);
}

#[test]
fn a_timeout_stops_even_an_execution_that_never_ends() {
    let sandbox = Sandbox::new().with("endless.vm", ENDLESS);
    for algorithm in ALGORITHMS {
        let run = sandbox.run(&format!("check {algorithm} --timeout 0.3 --format json endless.vm"));
        assert_eq!((run.exit, &run.json()["limit"]), (Some(3), &"timeout".into()), "{algorithm}");
    }
}

#[test]
fn a_memory_limit_stops_even_an_execution_that_never_ends() {
    let sandbox = Sandbox::new().with("deep.vm", BOTTOMLESS);
    for algorithm in ALGORITHMS {
        let run = sandbox.run(&format!("check {algorithm} --memory-limit 100 --format json deep.vm"));
        assert_eq!((run.exit, &run.json()["limit"]), (Some(3), &"memory-limit".into()), "{algorithm}");
    }
}

#[test]
fn exactly_as_many_executions_are_explored_as_are_asked_for() {
    let sandbox = Sandbox::new().with("long.vm", LONG);
    let check = |options: &str| {
        let run = sandbox.run(&format!("check {options} --max-executions 1001 --format json long.vm"));
        let object = run.json();
        assert_eq!((run.exit, &object["limit"]), (Some(3), &"max-executions".into()), "{options}");
        let count = |name: &str| object[name].as_u64().unwrap();
        assert_eq!(count("executions") + count("blocked"), 1001, "{options}");
    };
    ALGORITHMS.iter().for_each(|algorithm| check(algorithm));
    for jobs in [2, 3, 8] {
        check(&format!("--jobs {jobs}"));
        check(&format!("--jobs {jobs} --equivalence co"));
        check(&format!("--jobs {jobs} --model ra --algorithm tracer"));
    }
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
    let is_found = run.stdout.contains("an update is lost");
    assert_eq!(run.exit, Some(if is_found { 1 } else { 3 }), "{run:?}");
    let run = Sandbox::new().with("p.vm", LOST_UPDATE).run("check --max-executions 1000 --timeout 60 p.vm");
    assert_eq!(run.exit, Some(1));
}

/// Starts a long search, and sends it a signal once it runs.
fn interrupt(args: &str) -> Run {
    let sandbox = Sandbox::new().with("long.vm", LONG);
    let mut command = sandbox.command(args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until_it_listens(&child);
    wait_until_it_has_worked(&child);
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

/// Waits until the process has used a quarter of a second of a processor, however few it gets.
fn wait_until_it_has_worked(child: &Child) {
    let ticks = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
        let fields: Vec<&str> = stat.split_whitespace().collect();
        fields.get(13).and_then(|user| user.parse::<u64>().ok()).unwrap_or(0)
    };
    let started = Instant::now();
    while ticks() < 25 && started.elapsed() < Duration::from_secs(60) {
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
    // The first one may be obeyed before the second one comes.
    send_interrupt(&child);
    std::thread::sleep(Duration::from_millis(20));
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    let run = Run::of(child.wait_with_output().unwrap());
    assert!(matches!(run.exit, Some(130 | 3)), "{run:?}");
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

/// A compiler that never ends, and starts another process.
const SLOW_COMPILER: &str = "#!/bin/sh\nsleep 1000 &\necho $! >other\necho $$ >self\nsleep 1000\n";

fn slow_compiler() -> Sandbox {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new().with("clang", SLOW_COMPILER).with("p.c", "int main(void) { return 0; }");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(sandbox.path().join("clang"), executable).unwrap();
    sandbox
}

/// Whether the compiler, and what it has started, are gone.
fn is_compiler_gone(sandbox: &Sandbox) -> bool {
    ["self", "other"].iter().all(|name| {
        // It may have been stopped before it could identify itself.
        let Ok(pid) = std::fs::read_to_string(sandbox.path().join(name)) else { return true };
        let status = std::fs::read_to_string(format!("/proc/{}/status", pid.trim()));
        // What has ended may wait for its parent to notice.
        status.is_err() || status.is_ok_and(|status| status.contains("State:\tZ"))
    })
}

fn wait_until(what: impl Fn() -> bool) -> bool {
    let started = Instant::now();
    while !what() && started.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(10));
    }
    what()
}

#[test]
fn a_timeout_stops_the_compiler_and_what_it_has_started() {
    let sandbox = slow_compiler();
    let run = sandbox.run("check --timeout 1 --clang ./clang --format json p.c");
    assert_eq!((run.exit, &run.json()["limit"]), (Some(3), &"timeout".into()));
    assert!(wait_until(|| is_compiler_gone(&sandbox)));
}

#[test]
fn an_interrupt_stops_the_compiler_and_what_it_has_started() {
    let sandbox = slow_compiler();
    let mut command = sandbox.command("check --clang ./clang --format json p.c");
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(wait_until(|| sandbox.path().join("self").exists()));
    send_interrupt(&child);
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!((run.exit, &run.json()["limit"]), (Some(3), &"interrupt".into()));
    assert!(wait_until(|| is_compiler_gone(&sandbox)));
}

/// One thread goes wrong at once, the other never ends.
const WRONG_AND_ENDLESS: &str = "\
global x: i32 = 0

fn bad() {
  r = load.rlx.i32 x
  good = ne.i32 r, 0
  assert good, \"nothing is there\"
  return
}

fn worker() {
again:
  rmw.add.rlx.i32 x, 1
  goto again
}

threads bad(), worker(), worker()
";

#[test]
fn what_was_found_before_a_search_is_abandoned_is_reported() {
    let sandbox = Sandbox::new().with("p.vm", WRONG_AND_ENDLESS);
    for algorithm in ALGORITHMS {
        let run = sandbox.run(&format!("check {algorithm} --keep-going --timeout 1 --format json p.vm"));
        let object = run.json();
        assert_eq!((run.exit, &object["verdict"]), (Some(1), &"violation".into()), "{algorithm}");
        assert_eq!(object["violations"][0]["message"], "nothing is there", "{algorithm}");
    }
}

#[test]
fn output_that_cannot_be_written_does_not_change_what_was_found() {
    let sandbox = Sandbox::new().with("bad.vm", LOST_UPDATE).with("good.vm", "fn main() { return }\n");
    let run = sandbox.run("check --dot no/such/folder/p.dot bad.vm");
    assert_eq!(run.exit, Some(1), "{run:?}");
    assert!(run.stderr.contains("cannot write no/such/folder/p.dot"), "{}", run.stderr);
    let to_full_disk = |args: &str| {
        let full = std::fs::File::create("/dev/full").unwrap();
        sandbox.command(args).stdout(full).stderr(Stdio::null()).status().unwrap().code()
    };
    assert_eq!(to_full_disk("check bad.vm"), Some(1));
    assert_eq!(to_full_disk("check good.vm"), Some(2));
    assert_eq!(to_full_disk("models"), Some(2));
}

/// A thread spins after many events. Finding this out with an order of all events would take too much memory.
const LATE_SPIN: &str = "\
global x: i32 = 0
global y: i32 = 0

fn worker() {
  i = 0
again:
  store.rlx.i32 x, i
  i = add.i32 i, 1
  more = ult.i32 i, 100000
  if more goto again
wait:
  r = load.rlx.i32 y
  if not r goto wait
  return
}

fn other() {
  r = load.rlx.i32 y
  return
}

threads worker(), other()
";

#[test]
fn a_wait_after_many_events_is_judged_in_little_memory() {
    let sandbox = Sandbox::new().with("p.vm", LATE_SPIN);
    for model in ["sc", "tso", "pso", "sra"] {
        let run = sandbox.run(&format!("check --model {model} --memory-limit 1000 --format json p.vm"));
        let object = run.json();
        assert_eq!(
            (run.exit, &object["violations"][0]["kind"]),
            (Some(1), &"non-termination".into()),
            "{model}"
        );
    }
}
