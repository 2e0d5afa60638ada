//! `serve` and `work` with a real nats-server: whatever is killed, the report is that of `check`.
//!
//! Where nats-server is not installed, these tests are left out; `make test-cluster` installs it and demands them.

use crate::checkpoint::{busy, outcome};
use crate::clang::{has_clang, root};
use crate::run::{ENDLESS, LONG, LOST_UPDATE, MP, Run, Sandbox};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Whether the server is there. Its absence is an error if these tests were asked for.
pub fn has_server() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let is_there = folders.any(|folder| folder.join("nats-server").is_file());
    assert!(
        is_there || std::env::var_os("ATROPOS_REQUIRE_NATS").is_none(),
        "nats-server is missing: run `make setup-cluster`"
    );
    is_there
}

/// A leader and its workers, which are killed when this is dropped.
pub struct Cluster {
    pub sandbox: Sandbox,
    pub leader: Child,
    pub url: String,
    pub workers: Vec<Child>,
}

impl Cluster {
    /// Starts a leader, and waits until it has said where it is.
    pub fn new(sandbox: Sandbox, args: &str) -> Cluster {
        let (leader, url) = lead(&sandbox, &format!("serve --listen 127.0.0.1:0 {args}"));
        Cluster { sandbox, leader, url, workers: Vec::new() }
    }

    /// Starts the leader again, where it was.
    pub fn lead_again(&mut self, args: &str) {
        let _ = self.leader.wait();
        let address = self.url.trim_start_matches("nats://").to_string();
        self.leader = lead(&self.sandbox, &format!("serve --listen {address} {args}")).0;
    }

    pub fn add_worker(&mut self) {
        let mut command = self.sandbox.command(&format!("work --jobs 1 --wait 20 {}", self.url));
        let worker = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.workers.push(worker.expect("atropos starts"));
    }

    pub fn signal(&self, nth: usize, signal: Signal) {
        kill(Pid::from_raw(self.workers[nth].id() as i32), signal).expect("the worker is there");
    }

    /// Ends a worker at once.
    pub fn kill_worker(&mut self, nth: usize) {
        let mut worker = self.workers.swap_remove(nth);
        let _ = worker.kill();
        let _ = worker.wait();
    }

    pub fn kill_server(&self) {
        kill_server(self.sandbox.path());
    }

    pub fn is_over(&mut self) -> bool {
        self.leader.try_wait().expect("a child").is_some()
    }

    /// What the leader says in the end. Then all workers end, too.
    pub fn end(mut self) -> Run {
        let leader = std::mem::replace(&mut self.leader, sleeper());
        let run = Run::of(leader.wait_with_output().expect("its output"));
        let start = Instant::now();
        for worker in &mut self.workers {
            while worker.try_wait().expect("a child").is_none() {
                assert!(start.elapsed() < Duration::from_secs(60), "the worker does not end");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        run
    }
}

/// Ends the server at once, and returns its number. It may have ended before.
pub fn kill_server(folder: &Path) -> Option<i32> {
    let process = std::fs::read_to_string(folder.join("atropos-store/nats.pid"));
    let process = process.ok()?.trim().parse().ok()?;
    let _ = kill(Pid::from_raw(process), Signal::SIGKILL);
    Some(process)
}

/// Some process, in place of one that is gone.
fn sleeper() -> Child {
    std::process::Command::new("true").spawn().expect("a process")
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.kill_server();
        for child in self.workers.iter_mut().chain([&mut self.leader]) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Starts a leader. Returns it with the address for workers, which it prints.
fn lead(sandbox: &Sandbox, args: &str) -> (Child, String) {
    let mut command = sandbox.command(args);
    let mut leader = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("atropos starts");
    let mut lines = BufReader::new(leader.stderr.take().expect("a pipe"));
    let (mut url, mut line) = (String::new(), String::new());
    while url.is_empty() {
        line.clear();
        assert!(lines.read_line(&mut line).expect("text") > 0, "the leader ends before it serves");
        if let Some((_, rest)) = line.split_once("`atropos work ") {
            url = rest.trim_end().trim_end_matches('`').to_string();
        }
    }
    // It may say more, and must not wait for a reader.
    std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
    (leader, url)
}

#[test]
fn two_workers_say_what_one_check_says() {
    if !has_server() {
        return;
    }
    for (name, text, method) in [
        ("p.vm", busy(4, 3, 2, ""), ""),
        ("p.vm", busy(4, 3, 2, ""), "--model ra --algorithm tracer"),
        ("mp.litmus", MP.to_string(), ""),
    ] {
        let sandbox = Sandbox::new().with(name, &text);
        let whole = sandbox.run(&format!("check --format json {method} {name}"));
        let mut cluster = Cluster::new(sandbox, &format!("--format json --progress lines {method} {name}"));
        cluster.add_worker();
        cluster.add_worker();
        let lines = cluster.sandbox.path().join("lines");
        cluster.leader.wait().expect("a child");
        let progress = std::fs::read_to_string(lines).expect("lines");
        let run = cluster.end();
        assert_eq!((run.exit, outcome(&run)), (whole.exit, outcome(&whole)));
        let last: serde_json::Value =
            serde_json::from_str(progress.lines().last().expect("a line")).expect("JSON");
        let object = whole.json();
        let names = ["executions", "blocked"];
        assert_eq!(names.map(|name| &last[name]), names.map(|name| &object[name]));
        assert_eq!(last["parts_left"], 0);
    }
}

/// The totals of benchmarks, with one process and with four workers.
#[test]
fn four_workers_find_what_the_papers_count() {
    if !has_server() || !has_clang() {
        return;
    }
    let benchmarks = root().join("benchmarks");
    for (name, n, executions) in [
        ("trust/exp-mem", 5, 240),
        ("trust/exp-mem2", 3, 900),
        ("rcmc/lastzero", 10, 3328),
        ("rcmc/binc", 4, 576),
        ("rcmc/fib_bench", 4, 34205),
        ("rcmc/ms-queue", 2, 98),
    ] {
        let file = benchmarks.join(name).with_extension("c");
        let options = "--format json --model rc11 --equivalence co --reduce none";
        let args = format!("{options} {} -- -DN={n}", file.display());
        let alone = Sandbox::new().run(&format!("check {args}"));
        let mut cluster = Cluster::new(Sandbox::new(), &args);
        (0..4).for_each(|_| cluster.add_worker());
        let run = cluster.end();
        for run in [alone, run] {
            let object = run.json();
            let counted = ["executions", "blocked"].map(|name| object[name].as_u64().expect("a number"));
            assert_eq!((run.exit, counted.iter().sum()), (Some(0), executions), "{name}({n})");
        }
    }
}

/// Workers find out which loops are cut off; the leader names them.
#[test]
fn loops_that_are_cut_off_are_named() {
    if !has_server() {
        return;
    }
    let sandbox = Sandbox::new().with("p.vm", ENDLESS);
    let whole = sandbox.run("check --format json --unroll 5 p.vm");
    assert!(whole.json()["bounded_loops"][0]["iterations"] == 5, "{whole:?}");
    let mut cluster = Cluster::new(sandbox, "--format json --unroll 5 p.vm");
    (0..2).for_each(|_| cluster.add_worker());
    let run = cluster.end();
    assert_eq!((run.exit, outcome(&run)), (whole.exit, outcome(&whole)));
}

#[test]
fn the_first_violation_stops_all() {
    if !has_server() {
        return;
    }
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE);
    let mut cluster = Cluster::new(sandbox, "p.vm");
    cluster.add_worker();
    cluster.leader.wait().expect("a child");
    // Started again, the leader knows.
    cluster.lead_again("p.vm");
    let run = cluster.end();
    assert_eq!(run.exit, Some(1), "{run:?}");
    assert!(run.stdout.contains("an update is lost"), "{run:?}");
    assert!(run.stdout.contains("store.rlx") || run.stdout.contains('x'), "{run:?}");
}

#[test]
fn all_violations_are_counted() {
    if !has_server() {
        return;
    }
    let check = "  good = ne.i32 r, 1\n  assert good, \"one was last\"\n";
    let sandbox = Sandbox::new().with("p.vm", &busy(3, 3, 2, check));
    let whole = sandbox.run("check --keep-going --format json p.vm");
    let mut cluster = Cluster::new(sandbox, "--keep-going --format json p.vm");
    cluster.add_worker();
    cluster.add_worker();
    let run = cluster.end();
    let counts = |run: &Run| {
        let object = run.json();
        let violation = &object["violations"][0];
        let n = object["violations"].as_array().expect("a list").len();
        (
            n,
            [&object["executions"], &object["blocked"], &violation["count"], &violation["message"]]
                .map(Clone::clone),
        )
    };
    assert_eq!((run.exit, counts(&run)), (Some(1), counts(&whole)));
}

#[test]
fn a_limit_on_executions_is_exact() {
    if !has_server() {
        return;
    }
    let sandbox = Sandbox::new().with("p.vm", LONG);
    let mut cluster = Cluster::new(sandbox, "--format json --max-executions 20011 p.vm");
    cluster.add_worker();
    cluster.add_worker();
    let run = cluster.end();
    let object = run.json();
    let counted = ["executions", "blocked"].map(|name| object[name].as_u64().expect("a number"));
    assert_eq!((run.exit, counted.iter().sum()), (Some(3), 20011_u64), "{run:?}");
}

#[test]
fn a_worker_of_another_build_is_refused() {
    if !has_server() {
        return;
    }
    let cluster = Cluster::new(Sandbox::new().with("p.vm", LONG), "p.vm");
    let other = cluster.sandbox.path().join("atropos");
    let mut bytes = std::fs::read(env!("CARGO_BIN_EXE_atropos")).expect("the program");
    bytes.push(0);
    std::fs::write(&other, bytes).expect("written");
    std::fs::set_permissions(&other, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("executable");
    let run =
        Run::of(std::process::Command::new(&other).args(["work", &cluster.url]).output().expect("a run"));
    assert_eq!(run.exit, Some(2), "{run:?}");
    assert!(run.stderr.contains("this worker cannot take part: this is Atropos"), "{run:?}");
}

#[test]
fn a_program_that_cannot_be_checked_is_refused_by_the_leader() {
    if !has_server() {
        return;
    }
    let text =
        "global x: i32 = 0\n\nfn main() {\n  r = load.rlx.i32 x\n  unsupported too_many_keys, 2048\n}\n";
    let sandbox = Sandbox::new().with("p.vm", text);
    let whole = sandbox.run("check p.vm");
    let mut cluster = Cluster::new(sandbox, "p.vm");
    cluster.add_worker();
    let run = cluster.end();
    assert_eq!((run.exit, run.stdout), (Some(2), whole.stdout), "{}", whole.stderr);
}

#[test]
fn a_store_is_for_one_check() {
    if !has_server() {
        return;
    }
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE);
    let mut cluster = Cluster::new(sandbox, "p.vm");
    cluster.add_worker();
    cluster.leader.wait().expect("a child");
    let run = cluster.sandbox.run("serve --listen 127.0.0.1:0 --model tso p.vm");
    assert_eq!(run.exit, Some(2));
    assert!(run.stderr.contains("--model is tso, it was rc11"), "{}", run.stderr);
}

#[test]
fn a_token_is_asked_for() {
    if !has_server() {
        return;
    }
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE).with("token", "secret\n").with("other", "guess\n");
    let mut cluster = Cluster::new(sandbox, "--token-file token p.vm");
    for args in ["", "--token-file other"] {
        let run = cluster.sandbox.run(&format!("work --wait 0.1 {args} {}", cluster.url));
        assert_eq!(run.exit, Some(2), "{run:?}");
    }
    let run = cluster.sandbox.run(&format!("work --token-file token {}", cluster.url));
    assert_eq!(run.exit, Some(0), "{run:?}");
    cluster.leader.wait().expect("a child");
    assert_eq!(cluster.end().exit, Some(1));
}

/// With a certificate as docs/cluster.md makes it.
#[test]
fn other_machines_connect_over_tls() {
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE).with("token", "secret\n");
    let openssl = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout key.pem -out cert.pem \
                   -subj /CN=atropos -addext basicConstraints=critical,CA:FALSE -addext \
                   subjectAltName=DNS:localhost,IP:127.0.0.1";
    let mut command = std::process::Command::new("openssl");
    command.args(openssl.split_whitespace()).current_dir(sandbox.path()).stderr(Stdio::null());
    if !has_server() || !command.status().is_ok_and(|status| status.success()) {
        return;
    }
    let options = "--token-file token --tls-cert cert.pem --tls-key key.pem";
    let mut cluster = Cluster::new(sandbox, &format!("{options} p.vm"));
    let plain = cluster.sandbox.run(&format!("work --wait 0.1 --token-file token {}", cluster.url));
    assert_eq!(plain.exit, Some(2), "{plain:?}");
    let run = cluster.sandbox.run(&format!("work --token-file token --tls-ca cert.pem {}", cluster.url));
    assert_eq!(run.exit, Some(0), "{run:?}");
    cluster.leader.wait().expect("a child");
    assert_eq!(cluster.end().exit, Some(1));
}

#[test]
fn what_cannot_be_served_is_refused() {
    let sandbox = Sandbox::new().with("p.vm", LOST_UPDATE).with("m.cat", "acyclic po | rf\n");
    let refused = |args: &str, reason: &str| {
        let run = sandbox.run(args);
        assert_eq!(run.exit, Some(2), "{args}");
        assert!(run.stderr.contains(reason), "{args}: {}", run.stderr);
    };
    refused("serve --listen 0.0.0.0:4222 p.vm", "needs --token-file, --tls-cert and --tls-key");
    refused("serve --jobs 2 p.vm", "--jobs is for `atropos work`");
    refused("serve --checkpoint c p.vm", "--store keeps what was explored");
    refused("serve --algorithm rcmc p.vm", "a search of rcmc cannot be spread over processes");
    refused("serve --model m.cat p.vm", "a model of your own cannot be sent to workers");
    refused("work --wait 0.1 nats://127.0.0.1:1", "cannot reach nats://127.0.0.1:1");
}
