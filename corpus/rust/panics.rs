//! Panics that are caught: values are dropped, a lock is poisoned, and `join` returns what was said. With the bug, a
//! thread relies on a lock that was never poisoned.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation assertion
// check: -Cpanic=abort rc11 rf violation assertion 26

use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

static DROPPED: AtomicU32 = AtomicU32::new(0);

struct Noticed;

impl Drop for Noticed {
    fn drop(&mut self) {
        assert!(thread::panicking());
        DROPPED.fetch_add(1, Relaxed);
    }
}

fn fails(n: u32) -> u32 {
    let _noticed = Noticed;
    match n {
        0 => panic!("nothing is left of {}", std::hint::black_box(n)),
        _ => fails(n - 1) + 1,
    }
}

fn main() {
    let value = catch_unwind(|| fails(2)).unwrap_err();
    assert_eq!(value.downcast_ref::<String>().unwrap(), "nothing is left of 0");
    assert_eq!(DROPPED.load(Relaxed), 3);
    assert!(!thread::panicking());

    let lock = Arc::new(Mutex::new(1));
    let other = Arc::clone(&lock);
    let thread = thread::spawn(move || {
        let mut n = other.lock().unwrap();
        *n = 2;
        panic!("while the lock is held");
    });
    assert!(thread.join().is_err());
    assert!(lock.is_poisoned());
    let n = if cfg!(bug) { lock.lock().unwrap() } else { lock.lock().unwrap_or_else(PoisonError::into_inner) };
    assert_eq!(*n, 2);
}
