//! Hints, as in [`std::hint`].

use crate::perform;
use atropos_event::Violation;
use std::panic::Location;

pub use std::hint::black_box;

/// Does nothing: a loop that waits for other threads ends when nothing changes any more.
///
/// ```
/// use atropos::sync::atomic::{AtomicBool, Ordering::{Acquire, Release}};
/// use atropos::{hint, thread};
///
/// static READY: AtomicBool = AtomicBool::new(false);
///
/// atropos::model(|| {
///     thread::spawn(|| READY.store(true, Release));
///     while !READY.load(Acquire) {
///         hint::spin_loop();
///     }
/// });
/// ```
pub fn spin_loop() {}

/// Says that the program never comes here, as [`std::hint::unreachable_unchecked`]. If it does, that is a violation.
///
/// # Safety
/// As for the function of the standard library. Here, it is checked.
#[track_caller]
pub unsafe fn unreachable_unchecked() -> ! {
    perform::violate(Violation::Unreachable, Location::caller())
}
