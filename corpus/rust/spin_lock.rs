//! A spin lock protects a counter.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation race
use std::cell::UnsafeCell;
use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const UNLOCK: Ordering = if cfg!(bug) { Ordering::Relaxed } else { Ordering::Release };

struct SpinLock<T> {
    locked: AtomicBool,
    value: UnsafeCell<T>,
}

unsafe impl<T: Send> Sync for SpinLock<T> {}

impl<T> SpinLock<T> {
    const fn new(value: T) -> SpinLock<T> {
        SpinLock { locked: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        while self.locked.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            hint::spin_loop();
        }
        let result = body(unsafe { &mut *self.value.get() });
        self.locked.store(false, UNLOCK);
        result
    }
}

static COUNTER: SpinLock<u32> = SpinLock::new(0);

fn main() {
    let threads = [(); 2].map(|()| thread::spawn(|| COUNTER.with(|n| *n += 1)));
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(COUNTER.with(|n| *n), 2);
}
