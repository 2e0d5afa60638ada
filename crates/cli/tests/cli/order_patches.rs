//! The patches of `atropos weaken` and `atropos repair`, for C, C++ and Rust.

use crate::clang::has_clang;
use crate::run::Sandbox;
use expect_test::{Expect, expect};
use std::process::Command;

/// Runs a command on `file`, compares its patch, and demands that the patched program verifies.
fn check(sandbox: &Sandbox, command: &str, file: &str, expected: &Expect) {
    let run = sandbox.run(&format!("{command} --cache off --patch found.patch {file}"));
    assert_eq!(run.exit, Some(0), "{}{}", run.stdout, run.stderr);
    let patch = std::fs::read_to_string(sandbox.path().join("found.patch")).unwrap();
    expected.assert_eq(&patch);
    apply(sandbox);
    let again = sandbox.run(&format!("check {file}"));
    assert_eq!(again.exit, Some(0), "{}{}", again.stdout, again.stderr);
}

/// Applies the patch to the files of the sandbox.
fn apply(sandbox: &Sandbox) {
    let mut git = Command::new("git");
    let applied = git.args(["apply", "found.patch"]).current_dir(sandbox.path()).output().unwrap();
    assert!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
}

#[test]
fn changes_are_written_as_a_patch() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new().with("message.c", MESSAGE_IN_C);
    check(
        &sandbox,
        "weaken",
        "message.c",
        &expect![[r#"
        --- a/message.c
        +++ b/message.c
        @@ -5,6 +5,5 @@
         static atomic_int flag;
         static void *reader(void *unused) {
        -    atomic_thread_fence(memory_order_seq_cst);
        -    if (atomic_load_explicit(&flag, memory_order_seq_cst))
        +    if (atomic_load_explicit(&flag, memory_order_acquire))
                 assert(data == 1);
             return unused;
        @@ -14,5 +13,5 @@
             pthread_create(&thread, 0, reader, 0);
             data = 1;
        -    atomic_store(&flag, 1);
        +    atomic_store_explicit(&flag, 1, memory_order_release);
             pthread_join(thread, 0);
         }
    "#]],
    );
}

/// A message whose orders are all stronger than needed, in several spellings.
const MESSAGE_IN_C: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int flag;
static void *reader(void *unused) {
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&flag, memory_order_seq_cst))
        assert(data == 1);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    data = 1;
    atomic_store(&flag, 1);
    pthread_join(thread, 0);
}
";

/// Two threads that must not both miss the other's store.
const STORE_BUFFERING_IN_C: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *other(void *seen) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    *(int *)seen = atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}
int main(void) {
    pthread_t thread;
    int seen;
    pthread_create(&thread, 0, other, &seen);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    int own = atomic_load_explicit(&y, memory_order_relaxed);
    pthread_join(thread, 0);
    assert(own || seen);
}
";

#[test]
fn a_repair_adds_fences() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new().with("sb.c", STORE_BUFFERING_IN_C);
    let report = sandbox.run("repair --cache off --format json sb.c").json();
    let added = report["orders"].as_array().unwrap().iter().filter(|order| !order["added"].is_null());
    let added: Vec<_> = added.map(|order| (&order["added"], &order["location"]["line"])).collect();
    assert_eq!(added, [(&"before".into(), &7.into()), (&"before".into(), &15.into())]);
    check(
        &sandbox,
        "repair",
        "sb.c",
        &expect![[r#"
        --- a/sb.c
        +++ b/sb.c
        @@ -5,4 +5,5 @@
         static void *other(void *seen) {
             atomic_store_explicit(&y, 1, memory_order_relaxed);
        +    atomic_thread_fence(memory_order_seq_cst);
             *(int *)seen = atomic_load_explicit(&x, memory_order_relaxed);
             return 0;
        @@ -13,4 +14,5 @@
             pthread_create(&thread, 0, other, &seen);
             atomic_store_explicit(&x, 1, memory_order_relaxed);
        +    atomic_thread_fence(memory_order_seq_cst);
             int own = atomic_load_explicit(&y, memory_order_relaxed);
             pthread_join(thread, 0);
    "#]],
    );
}

#[test]
fn a_fence_that_does_not_fit_into_the_text_is_described() {
    if !has_clang() {
        return;
    }
    let text = STORE_BUFFERING_IN_C;
    let calls = "static void set(atomic_int *at) { atomic_store_explicit(at, 1, memory_order_relaxed); }\n\
                 static int get(atomic_int *at) { return atomic_load_explicit(at, memory_order_relaxed); }\n";
    let (head, tail) = text.split_at(text.find("static void *other").unwrap());
    let tail = tail
        .replace("atomic_store_explicit(&y, 1, memory_order_relaxed)", "set(&y)")
        .replace("atomic_store_explicit(&x, 1, memory_order_relaxed)", "set(&x)")
        .replace("atomic_load_explicit(&x, memory_order_relaxed)", "get(&x)")
        .replace("atomic_load_explicit(&y, memory_order_relaxed)", "get(&y)");
    let sandbox = Sandbox::new().with("sb.c", &[head, calls, &tail].concat());
    let report = sandbox.run("repair --cache off --format json sb.c").json();
    let solution = &report["solutions"][0];
    assert_eq!(solution["patch"], "");
    let by_hand = solution["by_hand"].as_array().unwrap();
    assert_eq!(by_hand.len(), 1);
    assert_eq!(by_hand[0]["change"], "new seq_cst fence after the accesses of this line");
    assert_eq!(by_hand[0]["location"]["line"], 5);
    assert_eq!(by_hand[0]["reason"], "the line is not a statement by itself");
}

/// A lock with one order for both ends of its compare-and-swap, and with operators.
const LOCK_IN_CPP: &str = "\
#include <atomic>
#include <cassert>
#include <thread>
static std::atomic<int> lock, entries;
static int data;
static void enter() {
    int open = 0;
    while (!lock.compare_exchange_weak(open, 1, std::memory_order_seq_cst))
        open = 0;
    data++;
    entries++;
    lock = 0;
}
int main() {
    std::thread a(enter), b(enter);
    a.join();
    b.join();
    assert(data == 2 && entries.load() == 2);
}
";

#[test]
fn a_patch_says_what_must_be_done_by_hand() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new().with("lock.cpp", LOCK_IN_CPP);
    let run = sandbox.run("weaken --cache off lock.cpp");
    let by_hand: Vec<&str> = run.stdout.lines().filter(|line| line.contains("by hand")).collect();
    expect![[r#"
        lock.cpp:11:5: by hand: seq_cst → relaxed; there is no call at this place: an operator has no order, so write it as a call
        lock.cpp:12:10: by hand: seq_cst → release; there is no call at this place: an operator has no order, so write it as a call
        lock.cpp:18:5: by hand: seq_cst → relaxed; the order is no token at this place, but perhaps in a macro or a variable
    "#]].assert_eq(&(by_hand.join("\n") + "\n"));
    check(
        &sandbox,
        "weaken",
        "lock.cpp",
        &expect![[r#"
        --- a/lock.cpp
        +++ b/lock.cpp
        @@ -6,5 +6,5 @@
         static void enter() {
             int open = 0;
        -    while (!lock.compare_exchange_weak(open, 1, std::memory_order_seq_cst))
        +    while (!lock.compare_exchange_weak(open, 1, std::memory_order_acquire, std::memory_order_relaxed))
                 open = 0;
             data++;
    "#]],
    );
}

#[test]
fn a_program_may_have_several_files() {
    if !has_clang() {
        return;
    }
    let (reader, main) = MESSAGE_IN_C.split_at(MESSAGE_IN_C.find("int main").unwrap());
    let includes = &reader[..reader.find("static").unwrap()];
    let shared = "extern int data;\nextern atomic_int flag;\nvoid *reader(void *unused);\n";
    let sandbox = Sandbox::new()
        .with("reader.c", &reader.replace("static ", ""))
        .with("first.c", &[includes, shared, main].concat())
        .with(
            "second.c",
            &[includes, shared, &main.replace("data = 1;", "atomic_load(&flag);\n    data = 1;")].concat(),
        );
    let report = sandbox.run("weaken --cache off --format json --with reader.c first.c second.c").json();
    assert_eq!(report["verdict"], "weakest");
    assert_eq!(report["files"], serde_json::json!(["first.c", "second.c"]));
    let found = crate::orders::solutions(&report);
    assert_eq!(found, [["release", "none", "acquire", "relaxed", "release"]]);
    let patch = report["solutions"][0]["patch"].as_str().unwrap();
    assert_eq!(patch.matches("+++").count(), 3, "{patch}");
    let run = sandbox.run("weaken --cache off first.c");
    assert_eq!(run.exit, Some(2), "{}", run.stdout);
    let vm = Sandbox::new().with("a.vm", "fn main() {\n}\n").with("b.c", "");
    let run = vm.run("weaken --cache off --with b.c a.vm");
    assert_eq!(run.exit, Some(2), "{}{}", run.stdout, run.stderr);
}

/// A message in Rust, whose orders are all stronger than needed.
const MESSAGE_IN_RUST: &str = "\
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{fence, AtomicU32, Ordering};
type Start = extern \"C\" fn(*mut c_void) -> *mut c_void;
extern \"C\" {
    fn pthread_create(thread: *mut usize, how: *const c_void, start: Start, argument: *mut c_void) -> i32;
    fn pthread_join(thread: usize, result: *mut *mut c_void) -> i32;
    fn abort() -> !;
}
static DATA: AtomicU32 = AtomicU32::new(0);
static FLAG: AtomicU32 = AtomicU32::new(0);
extern \"C\" fn reader(unused: *mut c_void) -> *mut c_void {
    fence(Ordering::SeqCst);
    if FLAG.load(Ordering::SeqCst) == 1 && DATA.load(Ordering::Relaxed) != 1 {
        unsafe { abort() }
    }
    unused
}
#[no_mangle]
pub extern \"C\" fn test() {
    let mut thread = 0;
    unsafe { pthread_create(&mut thread, null_mut(), reader, null_mut()) };
    DATA.store(1, Ordering::Relaxed);
    let _ = FLAG.compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst);
    unsafe { pthread_join(thread, null_mut()) };
}
";

#[test]
fn rust_programs_with_the_standard_library_are_patched() {
    if !crate::rust_corpus::has_rustc() {
        return;
    }
    let text = "\
use std::sync::atomic::{fence, AtomicBool, AtomicU32, Ordering};
use std::thread;
static DATA: AtomicU32 = AtomicU32::new(0);
static FLAG: AtomicBool = AtomicBool::new(false);
fn main() {
    let writer = thread::spawn(|| {
        DATA.store(1, Ordering::SeqCst);
        FLAG.store(true, Ordering::SeqCst);
    });
    fence(Ordering::SeqCst);
    if FLAG.load(Ordering::SeqCst) {
        assert_eq!(DATA.load(Ordering::SeqCst), 1);
    }
    writer.join().unwrap();
}
";
    check(
        &Sandbox::new().with("message.rs", text),
        "weaken",
        "message.rs",
        &expect![[r#"
            --- a/message.rs
            +++ b/message.rs
            @@ -5,10 +5,9 @@
             fn main() {
                 let writer = thread::spawn(|| {
            -        DATA.store(1, Ordering::SeqCst);
            -        FLAG.store(true, Ordering::SeqCst);
            +        DATA.store(1, Ordering::Relaxed);
            +        FLAG.store(true, Ordering::Release);
                 });
            -    fence(Ordering::SeqCst);
            -    if FLAG.load(Ordering::SeqCst) {
            -        assert_eq!(DATA.load(Ordering::SeqCst), 1);
            +    if FLAG.load(Ordering::Acquire) {
            +        assert_eq!(DATA.load(Ordering::Relaxed), 1);
                 }
                 writer.join().unwrap();
        "#]],
    );
}

#[test]
fn rust_is_patched_too() {
    let sandbox = Sandbox::new().with("message.rs", MESSAGE_IN_RUST);
    let compile = |flags: &str| {
        let mut rustc = Command::new("rustc");
        rustc.args("--edition 2021 --crate-type lib --emit llvm-ir -C debuginfo=2 message.rs".split(' '));
        rustc.args(flags.split(' ')).current_dir(sandbox.path());
        let compiled = rustc.output().expect("what compiles the tests is there");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    };
    // What is inlined belongs to the call in the user's code.
    for flags in ["-C opt-level=1", "-C opt-level=0"] {
        compile(flags);
        let report = sandbox.run("weaken --entry test --cache off --format json message.ll").json();
        let found = crate::orders::solutions(&report);
        assert_eq!(found, [["none", "acquire", "relaxed", "relaxed", "release", "relaxed"]], "{flags}");
    }
    check(
        &sandbox,
        "weaken",
        "--entry test message.ll",
        &expect![[r#"
        --- a/message.rs
        +++ b/message.rs
        @@ -11,6 +11,5 @@
         static FLAG: AtomicU32 = AtomicU32::new(0);
         extern "C" fn reader(unused: *mut c_void) -> *mut c_void {
        -    fence(Ordering::SeqCst);
        -    if FLAG.load(Ordering::SeqCst) == 1 && DATA.load(Ordering::Relaxed) != 1 {
        +    if FLAG.load(Ordering::Acquire) == 1 && DATA.load(Ordering::Relaxed) != 1 {
                 unsafe { abort() }
             }
        @@ -22,5 +21,5 @@
             unsafe { pthread_create(&mut thread, null_mut(), reader, null_mut()) };
             DATA.store(1, Ordering::Relaxed);
        -    let _ = FLAG.compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst);
        +    let _ = FLAG.compare_exchange(0, 1, Ordering::Release, Ordering::Relaxed);
             unsafe { pthread_join(thread, null_mut()) };
         }
    "#]],
    );
    compile("-C opt-level=0");
    let again = sandbox.run("repair --entry test --cache off --format json message.ll").json();
    assert_eq!(again["verdict"], "verified");
    let weakest = sandbox.run("weaken --entry test --cache off --format json message.ll").json();
    assert_eq!(weakest["solutions"][0]["patch"], "", "the patched program is as weak as it can be");
}
