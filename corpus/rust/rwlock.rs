//! A read-write lock. The bug: the value may change between reading and writing it.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation assertion
use std::sync::{Arc, RwLock};
use std::thread;

fn add(counter: &RwLock<u32>) {
    if cfg!(bug) {
        let now = *counter.read().unwrap();
        *counter.write().unwrap() = now + 1;
    } else {
        *counter.write().unwrap() += 1;
    }
}

fn main() {
    let counter = Arc::new(RwLock::new(0));
    let threads = [(); 2].map(|()| {
        let counter = Arc::clone(&counter);
        thread::spawn(move || add(&counter))
    });
    assert!(*counter.read().unwrap() <= 2);
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*counter.read().unwrap(), 2);
}
