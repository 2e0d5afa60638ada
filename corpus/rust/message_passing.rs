//! A value is passed to another thread with a flag.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation race 23
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const PUBLISH: Ordering = if cfg!(bug) { Ordering::Relaxed } else { Ordering::Release };

struct Slot(UnsafeCell<u64>);
unsafe impl Sync for Slot {}

static SLOT: Slot = Slot(UnsafeCell::new(0));
static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let writer = thread::spawn(|| {
        unsafe { *SLOT.0.get() = 42 };
        READY.store(true, PUBLISH);
    });
    if READY.load(Ordering::Acquire) {
        assert_eq!(
            unsafe { *SLOT.0.get() },
            42
        );
    }
    writer.join().unwrap();
}
