//! Checks of closures that are spread over processes, with a real nats-server: this executable is the leader and all
//! workers. Every process that takes part comes to the same result as one that checks alone.
//!
//! The tests named `closure_*` are ordinary checks. The others start them again as leaders and workers.

use atropos::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use atropos::sync::atomic::{AtomicUsize, fence};
use atropos::sync::{Arc, Mutex};
use atropos::{Builder, Outcome, Verdict, hint, thread};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What one process finds must be found by all.
#[track_caller]
fn expect(outcome: &Outcome, verdict: Verdict, executions: u64) {
    let found = (outcome.verdict(), outcome.executions() + outcome.blocked());
    assert_eq!(found, (verdict, executions), "{}", outcome.report());
}

/// Each of `n` threads adds one, so the executions are the orders of the threads.
fn increments(n: usize) -> Outcome {
    static X: AtomicUsize = AtomicUsize::new(5);
    Builder::new().explore(move || {
        let threads: Vec<_> = (0..n).map(|_| thread::spawn(|| X.fetch_add(1, Relaxed))).collect();
        threads.into_iter().for_each(|thread| assert!(thread.join().unwrap() >= 5));
        assert_eq!(X.load(Relaxed), 5 + n);
    })
}

/// Two checks, one after the other.
#[test]
fn closure_with_a_static_counter() {
    expect(&increments(6), Verdict::Verified, 720);
    expect(&increments(4), Verdict::Verified, 24);
}

#[test]
fn closure_with_many_executions() {
    expect(&increments(8), Verdict::Verified, 40320);
}

/// What processes number as they meet it: threads of threads, and objects on stacks with large initial values.
#[test]
fn closure_with_nested_threads() {
    let outcome = Builder::new().explore(|| {
        let counter = Arc::new(AtomicUsize::new(1 << 40));
        let threads: Vec<_> = (0..2)
            .map(|nth| {
                let counter = Arc::clone(&counter);
                thread::spawn(move || {
                    let own = AtomicUsize::new(counter.fetch_add(1 << 20, Relaxed));
                    let own = &own;
                    thread::scope(|scope| {
                        scope.spawn(move || own.fetch_add(nth, Relaxed));
                        own.fetch_add(7, Relaxed);
                    });
                    counter.fetch_add(own.load(Relaxed), Relaxed);
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    expect(&outcome, Verdict::Verified, 24);
}

/// Lessons: a mutex that threads wait for, a loop that waits, data behind a static lock.
#[test]
fn closure_with_locks_and_loops() {
    static DATA: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    static TURN: AtomicUsize = AtomicUsize::new(0);
    let outcome = Builder::new().explore(|| {
        let threads: Vec<_> = (0..3)
            .map(|nth| {
                thread::spawn(move || {
                    DATA.lock().unwrap().push(nth);
                    TURN.fetch_add(1, Release);
                })
            })
            .collect();
        while TURN.load(Acquire) < 3 {
            hint::spin_loop();
        }
        assert_eq!(DATA.lock().unwrap().len(), 3);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    expect(&outcome, Verdict::Verified, 144);
}

#[test]
fn closure_that_fails() {
    static X: AtomicUsize = AtomicUsize::new(0);
    static Y: AtomicUsize = AtomicUsize::new(0);
    let outcome = Builder::new().explore(|| {
        let thread = thread::spawn(|| {
            X.store(1, Relaxed);
            fence(Release);
            Y.load(Relaxed)
        });
        Y.store(1, SeqCst);
        let x = X.load(SeqCst);
        assert!(x + thread.join().unwrap() > 0, "both read zero");
    });
    assert_eq!(outcome.verdict(), Verdict::Violation, "{}", outcome.report());
    assert!(outcome.report().contains("both read zero"), "{}", outcome.report());
    assert!(outcome.report().contains("cluster.rs"), "{}", outcome.report());
}

#[test]
fn closure_that_leaks() {
    let outcome = Builder::new().explore(|| std::mem::forget(Arc::new(1)));
    assert_eq!(outcome.verdict(), Verdict::Violation, "{}", outcome.report());
}

/// What was created outside of the closure has no name in other processes.
#[test]
fn closure_with_an_object_from_outside() {
    let counter = Arc::new(AtomicUsize::new(0));
    let outcome = Builder::new().explore(move || {
        let other = Arc::clone(&counter);
        let thread = thread::spawn(move || other.fetch_add(1, Relaxed));
        counter.fetch_add(1, Relaxed);
        thread.join().unwrap();
    });
    let is_spread = ["ATROPOS_SERVE", "ATROPOS_WORK"].iter().any(|name| std::env::var_os(name).is_some());
    let expected = if is_spread { Verdict::Refused } else { Verdict::Verified };
    assert_eq!(outcome.verdict(), expected, "{}", outcome.report());
    assert!(!is_spread || outcome.report().contains("neither static nor captured"), "{}", outcome.report());
}

/// What a worker says if the check was over when it joined.
const TOO_LATE: [&str; 3] = ["has not seen the end of the check", "cannot reach", "offers another check"];

/// A leader and workers, which end with this.
struct Processes {
    test: &'static str,
    address: String,
    store: PathBuf,
    children: Vec<Child>,
}

impl Processes {
    fn new(test: &'static str) -> Processes {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let address = free.expect("a free port").to_string();
        let store = std::env::temp_dir().join(format!("atropos-closures-{}-{test}", std::process::id()));
        let mut processes = Processes { test, address, store, children: Vec::new() };
        processes.start("ATROPOS_SERVE", processes.address.clone());
        processes
    }

    fn add_worker(&mut self) {
        self.start("ATROPOS_WORK", format!("nats://{}", self.address));
    }

    fn start(&mut self, role: &str, value: String) {
        let mut command = Command::new(std::env::current_exe().expect("a program"));
        command.args([self.test, "--exact"]).env(role, value);
        command.env("ATROPOS_STORE", &self.store).env("ATROPOS_WAIT", "10");
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        self.children.push(child.expect("this program starts"));
    }

    /// All come to the same result, but for workers that come too late. The leader explores nothing itself.
    fn end(mut self) {
        for (nth, child) in std::mem::take(&mut self.children).into_iter().enumerate() {
            let output = child.wait_with_output().expect("its output");
            let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            let is_late = nth > 0 && TOO_LATE.iter().any(|words| text.contains(words));
            assert!(is_late || text.contains("1 passed"), "{}, process {nth}: {text}", self.test);
        }
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = std::fs::remove_dir_all(&self.store);
    }
}

/// Whether nats-server is there. Its absence is an error if these tests were asked for.
fn has_server() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let is_there = folders.any(|folder| folder.join("nats-server").is_file());
    assert!(
        is_there || std::env::var_os("ATROPOS_REQUIRE_NATS").is_none(),
        "nats-server is missing: run `make setup-cluster`"
    );
    is_there
}

#[test]
fn all_processes_find_what_one_finds() {
    if !has_server() {
        return;
    }
    for test in [
        "closure_with_a_static_counter",
        "closure_with_nested_threads",
        "closure_with_locks_and_loops",
        "closure_that_fails",
        "closure_that_leaks",
        "closure_with_an_object_from_outside",
    ] {
        let mut processes = Processes::new(test);
        processes.add_worker();
        processes.add_worker();
        processes.end();
    }
}

#[test]
fn a_worker_that_is_killed_costs_nothing_but_time() {
    if !has_server() {
        return;
    }
    let mut processes = Processes::new("closure_with_many_executions");
    for _ in 0..3 {
        processes.add_worker();
        std::thread::sleep(Duration::from_millis(300));
        let mut killed = processes.children.pop().expect("a worker");
        let _ = killed.kill();
        let _ = killed.wait();
    }
    processes.add_worker();
    processes.add_worker();
    processes.end();
}
