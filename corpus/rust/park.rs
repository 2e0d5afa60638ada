//! A thread waits for a flag. The bug: it is unparked before the flag is set.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation deadlock
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let waiting = thread::spawn(|| {
        while !READY.load(Ordering::Acquire) {
            thread::park();
        }
    });
    if cfg!(bug) {
        waiting.thread().unpark();
    }
    READY.store(true, Ordering::Release);
    if !cfg!(bug) {
        waiting.thread().unpark();
    }
    waiting.join().unwrap();
}
