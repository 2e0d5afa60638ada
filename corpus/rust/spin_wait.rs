//! A thread looks for a message a few times before it parks. The type that counts its looks has the path of one of a
//! package that is known, so the number of looks does not matter.
// check: rc11 rf verified 2
// check: --cfg=bug rc11 rf violation race
#![crate_name = "parking_lot_core"]
use spinwait::SpinWait;
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

mod spinwait {
    pub struct SpinWait {
        n_left: u32,
    }

    impl SpinWait {
        pub fn new() -> SpinWait {
            SpinWait { n_left: 10 }
        }

        /// Returns whether to look again before parking.
        pub fn spin(&mut self) -> bool {
            if self.n_left == 0 {
                return false;
            }
            self.n_left -= 1;
            std::hint::spin_loop();
            true
        }
    }
}

const LOOK: Ordering = if cfg!(bug) { Ordering::Relaxed } else { Ordering::Acquire };

struct Message(UnsafeCell<u32>);
unsafe impl Sync for Message {}

static MESSAGE: Message = Message(UnsafeCell::new(0));
static IS_THERE: AtomicBool = AtomicBool::new(false);

fn main() {
    let receiver = thread::current();
    let sender = thread::spawn(move || {
        unsafe { *MESSAGE.0.get() = 1 };
        IS_THERE.store(true, Ordering::Release);
        receiver.unpark();
    });
    let mut wait = SpinWait::new();
    while !IS_THERE.load(LOOK) {
        if !wait.spin() {
            thread::park();
        }
    }
    assert_eq!(unsafe { *MESSAGE.0.get() }, 1);
    sender.join().unwrap();
}
