//! Two threads store and then look at what the other one has stored.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation assertion 20
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

const STORE: Ordering = if cfg!(bug) { Ordering::Release } else { Ordering::SeqCst };

fn main() {
    let both = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let threads = [0, 1].map(|mine| {
        let both = Arc::clone(&both);
        thread::spawn(move || {
            both[mine].store(1, STORE);
            both[1 - mine].load(Ordering::SeqCst)
        })
    });
    let [first, second] = threads.map(|thread| thread.join().unwrap());
    assert!(first + second > 0, "both threads have missed the other's store");
}
