//! Two threads write, and one reads.
use std::sync::RwLock;
use std::thread;

static COUNTER: RwLock<u32> = RwLock::new(0);

fn add() {
    *COUNTER.write().unwrap() += 1;
}

fn main() {
    let first = thread::spawn(add);
    let second = thread::spawn(add);
    assert!(*COUNTER.read().unwrap() <= 2);
    first.join().unwrap();
    second.join().unwrap();
}
