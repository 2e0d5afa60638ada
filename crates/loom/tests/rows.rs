//! Small programs for loom's interface, whose numbers of executions are known. `cargo xtask rust-targets rows` runs them
//! with loom, too, and with `--cfg loom`, which adds two rows for measuring speed.

#![allow(unexpected_cfgs, reason = "nothing else knows this flag")]
#![allow(unsafe_code, reason = "programs under test use raw pointers, as the programs of users do")]

use loom::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use loom::sync::{Arc, Mutex};
use loom::thread;
use std::ptr;

#[test]
fn message_passing() {
    loom::model(|| {
        let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let other = Arc::clone(&shared);
        let writer = thread::spawn(move || {
            other.0.store(1, Relaxed);
            other.1.store(1, Release);
        });
        if shared.1.load(Acquire) == 1 {
            assert_eq!(shared.0.load(Relaxed), 1);
        }
        writer.join().unwrap();
    });
}

/// `n` threads read what one writes twice: 3^n executions.
fn readers(n: usize) {
    check(n, move || {
        let x = Arc::new(AtomicUsize::new(0));
        let clone = || Arc::clone(&x);
        let readers: Vec<_> =
            (0..n).map(|_| clone()).map(|x| thread::spawn(move || x.load(Acquire))).collect();
        x.store(1, Release);
        x.store(2, Release);
        readers.into_iter().for_each(|reader| assert!(reader.join().unwrap() <= 2));
    });
}

/// `n` threads increment a counter: n! executions.
fn increments(n: usize) {
    check(n, move || {
        let x = Arc::new(AtomicUsize::new(0));
        let clone = || Arc::clone(&x);
        let threads: Vec<_> =
            (0..n).map(|_| clone()).map(|x| thread::spawn(move || x.fetch_add(1, Relaxed))).collect();
        threads.into_iter().for_each(|thread| assert!(thread.join().unwrap() < n));
        assert_eq!(x.load(Relaxed), n);
    });
}

/// Checks `body`, which creates `n` threads. loom has room for four, and says how many executions there were only if
/// there are no settings.
fn check(n: usize, body: impl Fn() + Send + Sync + 'static) {
    if n <= 4 {
        return loom::model(body);
    }
    let mut builder = loom::model::Builder::new();
    builder.max_threads = n + 1;
    builder.check(body);
}

#[test]
fn readers_3() {
    readers(3);
}

#[cfg(loom)]
#[test]
fn readers_10() {
    readers(10);
}

#[test]
fn increments_3() {
    increments(3);
}

#[test]
fn increments_4() {
    increments(4);
}

#[cfg(loom)]
#[test]
fn increments_8() {
    increments(8);
}

#[test]
fn mutex_3() {
    loom::model(|| {
        let counter = Arc::new(Mutex::new(0));
        let clone = || Arc::clone(&counter);
        let add = |counter: Arc<Mutex<i32>>| thread::spawn(move || *counter.lock().unwrap() += 1);
        let threads: Vec<_> = (0..3).map(|_| add(clone())).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(*counter.lock().unwrap(), 3);
    });
}

struct Node {
    next: *mut Node,
}

/// Treiber's stack; nodes are never freed.
#[derive(Default)]
struct Stack {
    top: AtomicPtr<Node>,
}

impl Stack {
    fn push(&self) {
        let node = Box::into_raw(Box::new(Node { next: ptr::null_mut() }));
        let mut top = self.top.load(Relaxed);
        loop {
            unsafe { (*node).next = top };
            match self.top.compare_exchange(top, node, AcqRel, Relaxed) {
                Ok(_) => return,
                Err(now) => top = now,
            }
        }
    }

    fn pop(&self) {
        let mut top = self.top.load(Acquire);
        while !top.is_null() {
            match self.top.compare_exchange(top, unsafe { (*top).next }, AcqRel, Acquire) {
                Ok(_) => return,
                Err(now) => top = now,
            }
        }
    }
}

fn treiber(n_pushing: usize, n_popping: usize) {
    check(n_pushing + n_popping, move || {
        let stack = Arc::new(Stack::default());
        let start = |pushes: bool| {
            let stack = Arc::clone(&stack);
            thread::spawn(move || if pushes { stack.push() } else { stack.pop() })
        };
        let threads: Vec<_> = (0..n_pushing + n_popping).map(|nth| start(nth < n_pushing)).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn treiber_2_1() {
    treiber(2, 1);
}

#[test]
fn treiber_2_2() {
    treiber(2, 2);
}
