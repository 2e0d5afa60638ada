//! Hints, as in [`std::hint`].

use crate::{idle, perform};
use atropos_event::Violation;
use std::panic::Location;

pub use std::hint::black_box;

/// Lets other threads continue, as [`crate::thread::yield_now`].
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
#[inline(always)]
#[track_caller]
pub fn spin_loop() {
    idle::pause(Location::caller());
}

/// Says that the program never comes here, as [`std::hint::unreachable_unchecked`]. If it does, that is a violation.
///
/// # Safety
/// As for the function of the standard library. Here, it is checked.
#[track_caller]
pub unsafe fn unreachable_unchecked() -> ! {
    perform::violate(Violation::Unreachable, Location::caller())
}
