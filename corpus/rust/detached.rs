//! Threads that are never joined, one of which wakes the main thread. The bug: the main thread does not wait for the other.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation assertion
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static N: AtomicU32 = AtomicU32::new(0);

fn main() {
    let main = thread::current();
    for _ in 0..2 {
        let main = main.clone();
        thread::spawn(move || {
            N.fetch_add(1, Ordering::Release);
            main.unpark();
            "text".to_string()
        });
    }
    while N.load(Ordering::Acquire) < if cfg!(bug) { 1 } else { 2 } {
        thread::park();
    }
    assert_eq!(N.load(Ordering::Relaxed), 2);
}
