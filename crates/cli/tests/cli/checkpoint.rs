//! `--checkpoint`: a check that was killed continues, and what it says is what one check without interruption says.

use crate::run::{LOST_UPDATE, MP, Run, Sandbox};
use std::process::{Child, Stdio};
use std::time::Duration;

/// Writers of different values and readers: many executions. `check` is what the main thread asserts.
pub fn busy(n_writers: usize, n_readers: usize, n_reads: usize, check: &str) -> String {
    let mut text = "global x: i32 = 0\nglobal y: i32 = 0\n\n".to_string();
    for nth in 1..=n_writers {
        text += &format!("fn writer{nth}() {{\n  store.rlx.i32 x, {nth}\n  return\n}}\n\n");
    }
    for nth in 1..=n_readers {
        let reads = (1..=n_reads).map(|read| format!("  r{read} = load.rlx.i32 x\n"));
        let last = format!("  store.rlx.i32 y, {nth}\n  return\n");
        text += &format!("fn reader{nth}() {{\n{}{last}}}\n\n", reads.collect::<String>());
    }
    text += "fn main() {\n";
    let writers = (1..=n_writers).map(|nth| format!("writer{nth}"));
    let threads: Vec<String> = writers.chain((1..=n_readers).map(|nth| format!("reader{nth}"))).collect();
    threads.iter().for_each(|name| text += &format!("  t_{name} = spawn {name}()\n"));
    threads.iter().for_each(|name| text += &format!("  join t_{name}\n"));
    text + &format!("  r = load.rlx.i32 y\n{check}  return\n}}\n")
}

fn start(sandbox: &Sandbox, args: &str) -> Child {
    let mut command = sandbox.command(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("atropos starts")
}

/// How often a check is killed before it may end.
const N_KILLED: u32 = 4;

/// Starts a check again and again, and kills it after its first record, before it may end. Returns how it ended, and the
/// starts.
fn run_and_kill(sandbox: &Sandbox, args: &str) -> (Run, u32) {
    let len = || std::fs::metadata(sandbox.path().join("c")).map_or(0, |file| file.len());
    for n_starts in 1..=N_KILLED {
        let before = len();
        let mut child = start(sandbox, args);
        // The first start also writes the head of the file, of about this length.
        while child.try_wait().expect("a child").is_none() && len() <= before.max(600) {
            std::thread::sleep(Duration::from_millis(5));
        }
        if child.try_wait().expect("a child").is_some() {
            return (Run::of(child.wait_with_output().expect("its output")), n_starts);
        }
        child.kill().expect("SIGKILL");
        child.wait().expect("it is dead");
    }
    (sandbox.run(args), N_KILLED + 1)
}

/// What a report says, apart from times and how the search went.
pub fn outcome(run: &Run) -> serde_json::Value {
    let mut object = run.json();
    let fields = object.as_object_mut().expect("an object");
    for name in
        ["time_ms", "peak_rss_kib", "jobs", "explore_us", "explore_cpu_us", "events", "revisits", "dead"]
    {
        fields.remove(name);
    }
    object
}

#[test]
fn a_killed_check_continues_and_counts_everything_once() {
    for method in ["--jobs 1", "--jobs 2 --model ra --algorithm tracer"] {
        let sandbox = Sandbox::new().with("p.vm", &busy(4, 3, 3, ""));
        let whole = sandbox.run(&format!("check --format json {method} p.vm"));
        let args = format!("check {method} --format json --checkpoint c p.vm");
        let (run, n_starts) = run_and_kill(&sandbox, &args);
        assert!(n_starts > 1, "the check is too short to be killed");
        assert_eq!((run.exit, outcome(&run)), (whole.exit, outcome(&whole)), "{method}");
        assert!(run.stderr.contains("the check continues after"), "{}", run.stderr);
        let done = sandbox.run(&args);
        assert_eq!(outcome(&done), outcome(&whole));
    }
}

#[test]
fn violations_are_kept() {
    let check = "  good = ne.i32 r, 1\n  assert good, \"one was last\"\n";
    let sandbox = Sandbox::new().with("p.vm", &busy(4, 3, 3, check));
    let whole = sandbox.run("check --keep-going --format json p.vm");
    let (run, n_starts) =
        run_and_kill(&sandbox, "check --jobs 1 --keep-going --format json --checkpoint c p.vm");
    assert!(n_starts > 1, "the check is too short to be killed");
    let counts = |run: &Run| {
        let object = run.json();
        let violation = &object["violations"][0];
        ["executions", "blocked"]
            .map(|name| object[name].clone())
            .into_iter()
            .chain([
                object["violations"].as_array().expect("a list").len().into(),
                violation["count"].clone(),
                violation["message"].clone(),
            ])
            .collect::<Vec<_>>()
    };
    assert_eq!((run.exit, counts(&run)), (Some(1), counts(&whole)));
}

#[test]
fn final_states_are_kept() {
    let sandbox = Sandbox::new().with("mp.litmus", MP);
    let whole = sandbox.run("check --format json mp.litmus");
    for _ in 0..2 {
        let run = sandbox.run("check --format json --checkpoint c mp.litmus");
        assert_eq!((run.exit, outcome(&run)), (whole.exit, outcome(&whole)));
    }
}

#[test]
fn another_check_is_refused_with_what_differs() {
    let sandbox = Sandbox::new().with("p.vm", &busy(2, 1, 1, ""));
    assert_eq!(sandbox.run("check --checkpoint c p.vm").exit, Some(0));
    let refused = |args: &str, reason: &str| {
        let run = sandbox.run(args);
        assert_eq!(run.exit, Some(2), "{args}");
        assert!(run.stderr.contains(reason), "{args}: {}", run.stderr);
    };
    refused("check --checkpoint c --model tso p.vm", "--model is tso, it was rc11");
    refused("check --checkpoint c --unroll 3 p.vm", "--unroll is 3, it was absent");
    std::fs::write(sandbox.path().join("p.vm"), LOST_UPDATE).unwrap();
    refused("check --checkpoint c p.vm", "the program has changed");
    refused("check --checkpoint p.vm p.vm", "is not a checkpoint");
    refused("check --checkpoint . p.vm", "it is not a file");
    refused("check --checkpoint c --algorithm rcmc p.vm", "cannot be continued");
    refused("check --checkpoint c --print-executions p.vm", "--print-executions");
}

#[test]
fn a_broken_part_is_refused() {
    let sandbox = Sandbox::new().with("p.vm", &busy(2, 1, 1, ""));
    let limited = sandbox.run("check --checkpoint c --max-executions 1 p.vm");
    assert_eq!(limited.exit, Some(3));
    let path = sandbox.path().join("c");
    let text = std::fs::read_to_string(&path).unwrap();
    let (_, line) = text.lines().nth(2).expect("the sum").split_once(' ').expect("a checksum");
    for part in ["s:0.1[3]", "nonsense", "p:1 p:1 p:1 p:1 p:1 p:1 p:1 p:1", "r:0.7[1]", "s:init/99"] {
        let line = line.replace("\"parts\":[\"\"]", &format!("\"parts\":[\"{part}\"]"));
        let head: Vec<&str> = text.lines().take(2).collect();
        let sum = crc32fast::hash(line.as_bytes());
        std::fs::write(&path, format!("{}\n{sum:08x} {line}\n", head.join("\n"))).unwrap();
        let run = sandbox.run("check --checkpoint c p.vm");
        assert_eq!(run.exit, Some(2), "{part}: {run:?}");
        assert!(run.stderr.contains("not about this program"), "{part}: {}", run.stderr);
    }
}
