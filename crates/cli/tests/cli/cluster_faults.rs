//! `serve` and `work` when processes, the network and the store fail: the report is still that of `check`.

use crate::checkpoint::{busy, outcome};
use crate::cluster::{Cluster, has_server, kill_server};
use crate::run::{LONG, Sandbox};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Kills workers, the server and the leader in turn, and stops a worker for longer than its lease.
#[test]
fn whatever_is_killed_everything_is_counted_once() {
    if !has_server() {
        return;
    }
    let sandbox = Sandbox::new().with("p.vm", &busy(4, 3, 3, ""));
    let whole = sandbox.run("check --format json p.vm");
    let args = "--format json --lease 1 p.vm";
    let mut cluster = Cluster::new(sandbox, args);
    cluster.add_worker();
    cluster.add_worker();
    cluster.signal(0, Signal::SIGSTOP);
    let stopped = cluster.workers.swap_remove(0);
    for nth in 0.. {
        std::thread::sleep(Duration::from_millis(300));
        if nth > 8 || cluster.is_over() {
            break;
        }
        match nth % 4 {
            0 | 2 => cluster.kill_worker(0),
            1 => cluster.kill_server(),
            _ => {
                let _ = cluster.leader.kill();
                cluster.lead_again(args);
            }
        }
        while cluster.workers.len() < 2 {
            cluster.add_worker();
        }
    }
    kill(Pid::from_raw(stopped.id() as i32), Signal::SIGCONT).expect("the worker is there");
    cluster.workers.push(stopped);
    let run = cluster.end();
    assert_eq!((run.exit, outcome(&run)), (whole.exit, outcome(&whole)));
}

/// The leader does not give up while the server is killed before it has answered once.
#[test]
fn a_server_that_dies_at_its_start_is_started_again() {
    if !has_server() {
        return;
    }
    let sandbox = Sandbox::new().with("p.vm", &busy(3, 3, 2, ""));
    let whole = sandbox.run("check --format json p.vm");
    let folder = sandbox.path().to_path_buf();
    let killer = std::thread::spawn(move || {
        let (start, mut killed) = (Instant::now(), BTreeSet::new());
        while killed.len() < 5 && start.elapsed() < Duration::from_secs(60) {
            killed.extend(kill_server(&folder));
            std::thread::sleep(Duration::from_millis(2));
        }
        killed.len()
    });
    let mut cluster = Cluster::new(sandbox, "--format json p.vm");
    assert_eq!(killer.join().expect("no panic"), 5);
    cluster.add_worker();
    let run = cluster.end();
    assert_eq!((run.exit, outcome(&run)), (whole.exit, outcome(&whole)));
}

/// While the server is away, its port may become that of something else, which does not answer. The leader starts the
/// server until the port is free again, and workers wait, also one that comes meanwhile.
#[test]
fn a_port_that_is_taken_while_the_server_is_away_is_waited_for() {
    if !has_server() {
        return;
    }
    let sandbox = Sandbox::new().with("p.vm", &busy(4, 3, 3, ""));
    let whole = sandbox.run("check --format json p.vm");
    let mut cluster = Cluster::new(sandbox, "--format json --lease 1 p.vm");
    cluster.add_worker();
    let address = cluster.url.trim_start_matches("nats://").to_string();
    let leader = Pid::from_raw(cluster.leader.id() as i32);
    // The leader cannot start it again before the port is taken.
    kill(leader, Signal::SIGSTOP).expect("the leader is there");
    cluster.kill_server();
    let start = Instant::now();
    let other = loop {
        match TcpListener::bind(&address) {
            Ok(other) => break other,
            Err(error) => assert!(start.elapsed() < Duration::from_secs(60), "{error}"),
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    kill(leader, Signal::SIGCONT).expect("the leader is there");
    let log = cluster.sandbox.path().join("atropos-store/nats.log");
    let is_tried = || {
        let text = std::fs::read_to_string(&log).expect("a log");
        text.matches("address already in use").count() >= 3
    };
    while !is_tried() {
        assert!(start.elapsed() < Duration::from_secs(60) && !cluster.is_over(), "the leader gives up");
        std::thread::sleep(Duration::from_millis(20));
    }
    cluster.add_worker();
    drop(other);
    let run = cluster.end();
    assert_eq!((run.exit, outcome(&run)), (whole.exit, outcome(&whole)));
}

/// While the leader waits for an answer, it looks after the server: workers never lose it for long.
#[test]
fn a_server_that_is_killed_again_and_again_is_there_again_each_time() {
    if !has_server() {
        return;
    }
    let sandbox = Sandbox::new().with("p.vm", &busy(4, 3, 3, ""));
    let whole = sandbox.run("check --format json p.vm");
    let mut cluster = Cluster::new(sandbox, "--format json --lease 1 p.vm");
    (0..2).for_each(|_| cluster.add_worker());
    let mut killed = BTreeSet::new();
    while killed.len() < 20 && !cluster.is_over() {
        killed.extend(kill_server(cluster.sandbox.path()));
        std::thread::sleep(Duration::from_millis(100));
    }
    let run = cluster.end();
    assert_eq!((run.exit, outcome(&run)), (whole.exit, outcome(&whole)));
}

/// The file with the last entries of the log.
fn log_file(folder: &Path) -> Option<PathBuf> {
    let streams = folder.join("atropos-store/streams/jetstream/$G/streams");
    let log = std::fs::read_dir(streams).ok()?.flatten().find(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().ends_with("-log")
    })?;
    let files = std::fs::read_dir(log.path().join("msgs")).ok()?.flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "blk")).max()
}

/// What the store has lost is explored again: the end of the log, and all of it.
#[test]
fn records_that_are_deleted_are_made_again() {
    if !has_server() {
        return;
    }
    let sandbox = Sandbox::new().with("p.vm", &busy(4, 3, 3, ""));
    let whole = sandbox.run("check --format json p.vm");
    let args = "--format json --lease 1 p.vm";
    let mut cluster = Cluster::new(sandbox, args);
    let folder = cluster.sandbox.path().to_path_buf();
    for share in [2, 0] {
        (0..4).for_each(|_| cluster.add_worker());
        let start = Instant::now();
        let len = || log_file(&folder).and_then(|file| file.metadata().ok()).map_or(0, |data| data.len());
        while len() < 2000 && start.elapsed() < Duration::from_secs(60) && !cluster.is_over() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = cluster.leader.kill();
        cluster.kill_server();
        (0..4).for_each(|_| cluster.kill_worker(0));
        let (file, kept) = (log_file(&folder).expect("a log"), len() / 3 * share);
        match share {
            0 => std::fs::remove_file(&file).expect("removed"),
            _ => {
                let log = std::fs::OpenOptions::new().write(true).open(&file);
                log.and_then(|log| log.set_len(kept)).expect("cut");
            }
        }
        cluster.lead_again(args);
    }
    (0..4).for_each(|_| cluster.add_worker());
    let run = cluster.end();
    assert_eq!((run.exit, outcome(&run)), (whole.exit, outcome(&whole)));
}

/// What others have put into the queue and the log is no part of the search.
#[test]
fn messages_that_cannot_be_read_do_not_count() {
    if !has_server() {
        return;
    }
    let sandbox = Sandbox::new().with("p.vm", &busy(3, 3, 2, ""));
    let whole = sandbox.run("check --format json p.vm");
    let mut cluster = Cluster::new(sandbox, "--format json --lease 1 p.vm");
    let log = log_file(cluster.sandbox.path()).expect("a log");
    let stream = log.ancestors().nth(2).and_then(Path::file_name).expect("a folder").to_string_lossy();
    let search = stream.trim_start_matches("atropos-").trim_end_matches("-log");
    for (kind, text) in [
        ("tasks", "no task"),
        ("tasks", "{\"part\":\"\"}"),
        ("log", "no entry"),
        ("log", "{\"record\":{\"epoch\":\"x\",\"record\":{\"part\":\"\",\"counts\":{}}}}"),
        ("news", "no news"),
        ("wish", "many"),
        ("alive", "{\"name\":7}"),
    ] {
        publish(&cluster.url, &format!("atropos.{search}.{kind}"), text);
    }
    (0..2).for_each(|_| cluster.add_worker());
    let run = cluster.end();
    assert_eq!((run.exit, outcome(&run)), (whole.exit, outcome(&whole)));
}

/// Sends a message as any client of the server can.
fn publish(url: &str, subject: &str, text: &str) {
    let mut server = TcpStream::connect(url.trim_start_matches("nats://")).expect("the server");
    let message = format!("CONNECT {{}}\r\nPUB {subject} {}\r\n{text}\r\nPING\r\n", text.len());
    server.write_all(message.as_bytes()).expect("sent");
    assert!(BufReader::new(server).lines().any(|line| line.expect("text") == "PONG"));
}

/// A worker does not wait for another offer than the one that it cannot read.
#[test]
fn the_offer_of_another_version_is_refused() {
    if !has_server() {
        return;
    }
    let cluster = Cluster::new(Sandbox::new().with("p.vm", LONG), "p.vm");
    publish(&cluster.url, "atropos.offer", "{\"check\":\"p.vm\"}");
    let run = cluster.sandbox.run(&format!("work --wait 3600 {}", cluster.url));
    assert_eq!(run.exit, Some(2), "{run:?}");
    assert!(run.stderr.contains("the server has the offer of another version of Atropos"), "{run:?}");
}
