//! A failing test keeps the guilty execution, and another process replays it: this executable runs itself.

use atropos::Builder;
use atropos::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use atropos::sync::{Arc, Mutex};
use atropos::thread;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Says which variant of the victim fails.
const VARIANT: &str = "REPLAYED_VARIANT";
const REPORT: &str = "REPLAYED_REPORT";

static COUNTER: AtomicUsize = AtomicUsize::new(0);
static LAST: Mutex<Option<Box<usize>>> = Mutex::new(None);
static FIRST: AtomicUsize = AtomicUsize::new(7);
static POINTER: AtomicPtr<AtomicUsize> = AtomicPtr::new(std::ptr::null_mut());

/// Two threads, created by a third one, lose an update. Values are addresses of statics, of the heap and of a stack.
fn lose_an_update(is_changed: bool) {
    let parent = thread::spawn(move || {
        let children: Vec<_> = (0..2)
            .map(|nth| {
                thread::spawn(move || {
                    let on_stack = AtomicUsize::new(1_000 + nth);
                    POINTER.store(std::ptr::from_ref(&FIRST).cast_mut(), Release);
                    let seen = COUNTER.load(Acquire);
                    COUNTER.store(seen + 1, Release);
                    *LAST.lock().unwrap() = Some(Box::new(on_stack.load(Relaxed)));
                    if is_changed {
                        COUNTER.load(Relaxed);
                    }
                })
            })
            .collect();
        children.into_iter().for_each(|child| child.join().unwrap());
        assert!(LAST.lock().unwrap().take().is_some());
    });
    let extra = Arc::new(Mutex::new(0));
    *extra.lock().unwrap() += 1;
    parent.join().unwrap();
    assert!(POINTER.load(Acquire) == std::ptr::from_ref(&FIRST).cast_mut());
    assert_eq!(COUNTER.load(Relaxed), 2, "an update is lost");
}

/// Fails if another test starts it.
#[test]
fn victim() {
    let Ok(variant) = std::env::var(VARIANT) else { return };
    let is_changed = variant == "changed";
    let mut builder = Builder::new();
    builder.reports.extend(std::env::var_os(REPORT).map(PathBuf::from));
    builder.jobs = if variant == "two workers" { 2 } else { 1 };
    builder.check(move || lose_an_update(is_changed));
}

/// What the victim prints when it fails.
fn failure(variant: &str, more: &[(&str, &Path)]) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this executable"));
    command.args(["--exact", "victim", "--nocapture"]).env(VARIANT, variant).env_remove("ATROPOS_REPLAY");
    command.envs(more.iter().copied());
    let output = command.output().expect("this executable runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{text}");
    text
}

/// The file that the report names.
fn kept(report: &str) -> PathBuf {
    let line = report.lines().find_map(|line| line.strip_prefix("to replay it: ATROPOS_REPLAY="));
    let (file, command) = line.and_then(|line| line.split_once(' ')).expect("a command that replays it");
    assert_eq!(command, "cargo test victim");
    file.into()
}

/// The lines that show the execution.
fn shown(report: &str) -> Vec<&str> {
    let lines = report.lines().skip_while(|line| !line.contains(": assertion: "));
    lines.take_while(|line| !line.starts_with("to see it again")).collect()
}

/// Victims keep their executions in the same file.
static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[test]
fn another_process_replays_the_guilty_execution() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for variant in ["one worker", "two workers"] {
        let found = failure(variant, &[]);
        let file = kept(&found);
        let replayed = failure(variant, &[("ATROPOS_REPLAY", &file)]);
        assert!(found.contains("assert_eq!(COUNTER.load(Relaxed), 2, \"an update is lost\");"), "{found}");
        assert_eq!(shown(&found), shown(&replayed), "{found}\n{replayed}");
        assert!(replayed.contains("replay") && !replayed.contains("to replay it"), "{replayed}");
        let changed = failure("changed", &[("ATROPOS_REPLAY", &file)]);
        assert!(changed.contains("this execution is not one of the check"), "{changed}");
        std::fs::remove_file(&file).expect("the file was written");
        let missing = failure(variant, &[("ATROPOS_REPLAY", &file)]);
        assert!(missing.contains("ATROPOS_REPLAY=") && missing.contains("No such file"), "{missing}");
    }
}

#[test]
fn reports_are_written_in_the_format_of_their_extension() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let folder = std::env::temp_dir().join(format!("atropos-reports-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, content) in [
        ("a.html", "<!DOCTYPE html>"),
        ("a.svg", "<svg"),
        ("a.dot", "digraph"),
        ("a.json", "\"assertion\""),
        ("a.sarif", "\"runs\""),
        ("a.xml", "<testsuite"),
    ] {
        let path = folder.join(name);
        failure("one worker", &[(REPORT, &path)]);
        let text = std::fs::read_to_string(&path).expect("a report");
        assert!(text.to_lowercase().contains(&content.to_lowercase()), "{name}: {text}");
    }
    let refused = failure("one worker", &[(REPORT, &folder.join("a.txt"))]);
    assert!(refused.contains("the name must end with one of"), "{refused}");
    std::fs::remove_dir_all(&folder).expect("the folder is there");
}
