//! A sequence lock: a reader sees both halves of one write, or tries again.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation assertion
use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::thread;

static SEQUENCE: AtomicU32 = AtomicU32::new(0);
static LOW: AtomicU32 = AtomicU32::new(0);
static HIGH: AtomicU32 = AtomicU32::new(0);

fn write(value: u32) {
    let before = SEQUENCE.load(Ordering::Relaxed);
    SEQUENCE.store(before + 1, Ordering::Relaxed);
    if !cfg!(bug) {
        fence(Ordering::Release);
    }
    LOW.store(value, Ordering::Relaxed);
    HIGH.store(value, Ordering::Relaxed);
    SEQUENCE.store(before + 2, Ordering::Release);
}

fn read() -> Option<(u32, u32)> {
    let before = SEQUENCE.load(Ordering::Acquire);
    if before % 2 == 1 {
        return None;
    }
    let both = (LOW.load(Ordering::Relaxed), HIGH.load(Ordering::Relaxed));
    fence(Ordering::Acquire);
    (SEQUENCE.load(Ordering::Relaxed) == before).then_some(both)
}

fn main() {
    let writer = thread::spawn(|| write(7));
    if let Some((low, high)) = read() {
        assert!(low == high, "half a write: {low} and {high}");
    }
    writer.join().unwrap();
}
