//! Threads that borrow a counter. The bug: loading and storing is not adding.
// check: rc11 rf verified 1
// check: --cfg=bug rc11 rf violation assertion
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

fn main() {
    let counter = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                if cfg!(bug) {
                    counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                } else {
                    counter.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(counter.into_inner(), 2);
}
