//! A thread of a scope outlives the scope in which its handle is dropped, and starts others. The bug: it reads what the
//! main thread is still writing.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation race
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

struct Shared(UnsafeCell<u32>);
unsafe impl Sync for Shared {}

fn main() {
    let (ready, shared) = (AtomicBool::new(false), Shared(UnsafeCell::new(0)));
    let (ready, shared) = (&ready, &shared);
    thread::scope(|outer| {
        let reader = outer.spawn(move || {
            while !ready.load(if cfg!(bug) { Ordering::Relaxed } else { Ordering::Acquire }) {
                thread::yield_now();
            }
            outer.spawn(move || assert_eq!(unsafe { *shared.0.get() }, 2));
        });
        thread::scope(|inner| {
            drop(reader);
            inner.spawn(|| unsafe { *shared.0.get() = 1 });
        });
        unsafe { *shared.0.get() += 1 };
        ready.store(true, Ordering::Release);
    });
}
