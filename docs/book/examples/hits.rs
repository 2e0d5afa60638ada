//! Two threads count, and one of the hits may be lost.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

struct Statistics {
    hits: AtomicUsize,
}

fn main() {
    let statistics = Arc::new(Statistics { hits: AtomicUsize::new(0) });
    let others = Arc::clone(&statistics);
    let other = thread::spawn(move || {
        let seen = others.hits.load(Relaxed);
        others.hits.store(seen + 1, Relaxed);
    });
    statistics.hits.fetch_add(1, Relaxed);
    other.join().unwrap();
    assert_eq!(statistics.hits.load(Relaxed), 2);
}
