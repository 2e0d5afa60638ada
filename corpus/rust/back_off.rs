//! A thread tries to take a message a few times before it parks. The type that counts its tries has the path of one of a
//! package that is known: its back-off is complete after one try.
// check: rc11 rf verified 3
// check: --cfg=bug rc11 rf violation assertion
#![crate_name = "crossbeam_utils"]
use backoff::Backoff;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

mod backoff {
    use std::cell::Cell;

    pub struct Backoff {
        step: Cell<u32>,
    }

    impl Backoff {
        pub fn new() -> Backoff {
            Backoff { step: Cell::new(0) }
        }

        pub fn snooze(&self) {
            self.step.set(self.step.get() + 1);
            std::thread::yield_now();
        }

        pub fn is_completed(&self) -> bool {
            self.step.get() > 10
        }
    }
}

static MESSAGE: AtomicU32 = AtomicU32::new(0);

fn main() {
    let receiver = thread::current();
    let sender = thread::spawn(move || {
        MESSAGE.store(1, Ordering::Release);
        receiver.unpark();
    });
    let backoff = Backoff::new();
    let message = loop {
        match MESSAGE.swap(0, Ordering::Acquire) {
            0 if backoff.is_completed() && cfg!(bug) => break 0,
            0 if backoff.is_completed() => thread::park(),
            0 => backoff.snooze(),
            message => break message,
        }
    };
    assert_eq!(message, 1);
    sender.join().unwrap();
}
