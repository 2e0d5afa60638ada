//! Two threads meet, and see what the other one has stored.
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::Barrier;
use std::thread;

static X: AtomicU32 = AtomicU32::new(0);
static Y: AtomicU32 = AtomicU32::new(0);

fn main() {
    let barrier = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            X.store(1, Relaxed);
            barrier.wait();
            assert_eq!(Y.load(Relaxed), 1);
        });
        Y.store(1, Relaxed);
        barrier.wait();
        assert_eq!(X.load(Relaxed), 1);
    });
}
