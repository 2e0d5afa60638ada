//! A counter behind a spin lock.
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::thread;

static LOCKED: AtomicBool = AtomicBool::new(false);
static COUNTER: AtomicU32 = AtomicU32::new(0);

fn add() {
    while LOCKED.swap(true, Acquire) {}
    COUNTER.store(COUNTER.load(Relaxed) + 1, Relaxed);
    LOCKED.store(false, Release);
}

fn main() {
    let first = thread::spawn(add);
    let second = thread::spawn(add);
    add();
    first.join().unwrap();
    second.join().unwrap();
    assert_eq!(COUNTER.load(Relaxed), 3);
}
