//! A value is passed to another thread with a flag.
use std::sync::atomic::{AtomicU32, Ordering::*};
use std::thread;

static SLOT: AtomicU32 = AtomicU32::new(0);
static READY: AtomicU32 = AtomicU32::new(0);

fn main() {
    let writer = thread::spawn(|| {
        SLOT.store(42, Relaxed);
        READY.store(1, Release);
    });
    if READY.load(Acquire) == 1 {
        assert_eq!(SLOT.load(Relaxed), 42);
    }
    writer.join().unwrap();
}
