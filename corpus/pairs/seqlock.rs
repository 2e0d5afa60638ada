//! A reader of two words notices that a writer was there.
use std::sync::atomic::{AtomicU32, Ordering::*, fence};
use std::thread;

static SEQUENCE: AtomicU32 = AtomicU32::new(0);
static LOW: AtomicU32 = AtomicU32::new(0);
static HIGH: AtomicU32 = AtomicU32::new(0);

fn main() {
    let writer = thread::spawn(|| {
        SEQUENCE.store(1, Relaxed);
        fence(Release);
        LOW.store(7, Relaxed);
        HIGH.store(7, Relaxed);
        SEQUENCE.store(2, Release);
    });
    let before = SEQUENCE.load(Acquire);
    if before % 2 == 0 {
        let (low, high) = (LOW.load(Relaxed), HIGH.load(Relaxed));
        fence(Acquire);
        if SEQUENCE.load(Relaxed) == before {
            assert!(low == high);
        }
    }
    writer.join().unwrap();
}
