//! Long threads: every search takes time and memory that grow with the length of a thread, not with its square. Were
//! that not so, these tests would take minutes, or all memory.

use crate::run::Sandbox;

/// Every model with the algorithms that have it. RVF-SMC is left out: its witnesses are orders of all events.
const SEARCHES: [&str; 21] = [
    "--model sc",
    "--model sc --equivalence co",
    "--model tso",
    "--model tso --equivalence co",
    "--model pso",
    "--model pso --equivalence co",
    "--model ra",
    "--model ra --equivalence co",
    "--model sra",
    "--model sra --equivalence co",
    "--model rc11",
    "--model rc11 --equivalence co",
    "--model rc11 --algorithm rcmc",
    "--model wrc11 --algorithm rcmc",
    "--model ra --algorithm tracer",
    "--model sc --algorithm source-dpor",
    "--model sc --algorithm optimal-dpor",
    "--model tso --algorithm source-dpor",
    "--model tso --algorithm optimal-dpor",
    "--model pso --algorithm source-dpor",
    "--model pso --algorithm optimal-dpor",
];

/// A program whose threads repeat `body` that many times, each on a variable of its own.
fn repeated(body: &str, n_times: usize, n_threads: usize) -> String {
    let mut text = String::new();
    for thread in 0..n_threads {
        let body = body.replace('X', &format!("x{thread}"));
        text += &format!(
            "global x{thread}: i32 = 0\nfn worker{thread}() {{\n  n = add.i32 {n_times}, 0\nagain:\n  {body}\n  \
             n = sub.i32 n, 1\n  if n goto again\n  return\n}}\n"
        );
    }
    let threads: Vec<String> = (0..n_threads).map(|thread| format!("worker{thread}()")).collect();
    text + &format!("threads {}\n", threads.join(", "))
}

fn check(program: &str, searches: &[&str], executions: u64) {
    let sandbox = Sandbox::new().with("long.vm", program);
    for search in searches {
        let run = sandbox.run(&format!("check {search} -j 1 --format json long.vm"));
        assert_eq!(run.json()["executions"], executions, "{search}\n{program}");
    }
}

#[test]
fn one_thread_may_have_many_events() {
    for body in [
        "rmw.add.rlx.i32 X, 1",
        "store.sc.i32 X, 1",
        "r = load.rlx.i32 X",
        "store.rlx.i32 X, 1\n  r = load.rlx.i32 X",
    ] {
        check(&repeated(body, 20_000, 1), &SEARCHES, 1);
    }
}

#[test]
fn two_threads_may_have_many_events() {
    for body in ["rmw.add.rlx.i32 X, 1", "store.rlx.i32 X, 1\n  r = load.rlx.i32 X"] {
        check(&repeated(body, 10_000, 2), &SEARCHES, 1);
    }
}

/// Store buffering, in which one thread stores often: each of its stores can be read.
#[test]
fn sc_accesses_may_be_many() {
    let mut program = "global x: i32 = 0\nglobal y: i32 = 0\nglobal z: i32 = 0\n".to_string();
    program += "fn reader() {\n  store.sc.i32 x, 1\n  store.rlx.i32 z, 1\n  r = load.sc.i32 y\n  return\n}\n";
    program += &format!(
        "fn writer() {{\n{}  r = load.sc.i32 x\n  return\n}}\n",
        "  store.sc.i32 y, 1\n".repeat(400)
    );
    program += "threads reader(), writer()\n";
    check(&program, &["--model rc11", "--model sc"], 402);
}
