//! Two threads store and then look at what the other one has stored.
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static X: AtomicU32 = AtomicU32::new(0);
static Y: AtomicU32 = AtomicU32::new(0);

fn main() {
    let first = thread::spawn(|| {
        X.store(1, SeqCst);
        Y.load(SeqCst)
    });
    let second = thread::spawn(|| {
        Y.store(1, SeqCst);
        X.load(SeqCst)
    });
    assert!(first.join().unwrap() + second.join().unwrap() > 0);
}
