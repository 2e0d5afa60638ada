//! What a file compiles to is kept by content, and used again for the same content only.

use crate::clang::{files, has_clang};
use crate::run::Sandbox;
use std::path::PathBuf;
use std::time::Duration;

const PROGRAM: &str = "#include <assert.h>\n#include \"h.h\"\nint main(void) { assert(N == 3); }\n";

/// The kept files, without those that say what they depend on.
fn kept(sandbox: &Sandbox) -> Vec<PathBuf> {
    let compiled = sandbox.path().join(".cache/atropos/compiled");
    if !compiled.exists() {
        return Vec::new();
    }
    let all = files(&compiled).into_iter().flat_map(|unit| files(&unit));
    all.filter(|file| file.extension().is_some_and(|extension| extension == "ll")).collect()
}

/// Files that have just been written are not kept, because they may still change.
fn wait() {
    std::thread::sleep(Duration::from_millis(100));
}

fn check(sandbox: &Sandbox, options: &str, expected: i32) {
    let run = sandbox.run(&format!("check {options}"));
    assert_eq!(run.exit, Some(expected), "{options}: {run:?}");
}

#[test]
fn what_was_compiled_before_is_used_again_and_broken_files_are_not() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new().with("p.c", PROGRAM).with("h.h", "#define N 3\n");
    wait();
    check(&sandbox, "--no-cache p.c", 0);
    assert_eq!(kept(&sandbox).len(), 0);
    check(&sandbox, "p.c", 0);
    let right = kept(&sandbox);
    assert_eq!(right.len(), 1);
    let sandbox = sandbox.with("h.h", "#define N 4\n");
    wait();
    check(&sandbox, "p.c", 1);
    let wrong: Vec<_> = kept(&sandbox).into_iter().filter(|file| !right.contains(file)).collect();
    assert_eq!(wrong.len(), 1);
    // Exchange what was kept: it is what later checks see.
    let text = std::fs::read_to_string(&right[0]).unwrap();
    std::fs::write(&wrong[0], &text).unwrap();
    check(&sandbox, "p.c", 0);
    check(&sandbox, "--no-cache p.c", 1);
    std::fs::write(&wrong[0], &text[..text.len() / 2]).unwrap();
    check(&sandbox, "p.c", 1);
}

#[test]
fn a_header_that_hides_another_one_is_noticed() {
    if !has_clang() {
        return;
    }
    let program = PROGRAM.replace("\"h.h\"", "<h.h>");
    let sandbox = Sandbox::new().with("p.c", &program).with("second/h.h", "#define N 3\n");
    wait();
    let options = "p.c -- -Ifirst -Isecond";
    check(&sandbox, options, 0);
    assert_eq!(kept(&sandbox).len(), 1);
    check(&sandbox, options, 0);
    check(&sandbox, options, 0);
    check(&sandbox, &format!("{options} -DNOTHING"), 0);
    assert_eq!(kept(&sandbox).len(), 2);
    check(&sandbox.with("first/h.h", "#define N 4\n"), options, 1);
}

#[test]
fn dates_and_files_that_change_are_not_kept() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new().with("p.c", "const char *now = __TIME__;\nint main(void) {}\n");
    wait();
    check(&sandbox, "p.c", 0);
    let sandbox = sandbox.with("q.c", "int main(void) {}\n");
    let future = std::time::SystemTime::now() + Duration::from_secs(60);
    let file = std::fs::File::options().append(true).open(sandbox.path().join("q.c")).unwrap();
    file.set_modified(future).unwrap();
    check(&sandbox, "q.c", 0);
    assert_eq!(kept(&sandbox).len(), 0);
}

#[test]
fn programs_in_cpp_know_the_headers_of_this_run() {
    if !has_clang() {
        return;
    }
    let program = "#include <mutex>\nstd::mutex m, n;\nint main() { std::lock(m, n); m.lock(); }\n";
    let sandbox = Sandbox::new().with("p.cpp", program);
    wait();
    let first = sandbox.run("check p.cpp");
    assert_eq!((first.exit, kept(&sandbox).len()), (Some(1), 1), "{first:?}");
    let without_time = |text: &str| {
        text.lines().filter(|line| !line.contains("complete execution")).collect::<Vec<_>>().join("\n")
    };
    for _ in 0..3 {
        let again = sandbox.run("check p.cpp");
        assert_eq!(without_time(&first.stdout), without_time(&again.stdout));
    }
    let text = std::fs::read_to_string(&kept(&sandbox)[0]).unwrap();
    assert!(text.contains("atropos-temporary/mutex") && !text.contains("atropos-headers"));
}
