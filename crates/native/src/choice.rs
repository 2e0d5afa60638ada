//! A choice: the thread that chooses reads while another thread writes all values in turn, so it may see any of them.
//!
//! This way explorers need no notion of choices, and each value is chosen in exactly one execution. A choice orders
//! nothing: the other thread reads nothing, is not joined, and its creation drains no store buffer.

use crate::atomic::{AtomicUsize, Ordering::Relaxed};
use crate::perform;
use std::panic::Location;

/// A number below `n`: all of them are explored.
///
/// # Panics
/// If `n` is 0.
#[track_caller]
pub fn choose(n: usize) -> usize {
    assert!(n > 0, "there is nothing to choose from");
    if n == 1 {
        return 0;
    }
    // It stays until the execution is over.
    let offered: &'static AtomicUsize = Box::leak(Box::new(AtomicUsize::preset(0)));
    let offer = move || (1..n).for_each(|value| offered.store(value, Relaxed));
    perform::spawn(Box::new(offer), false, Location::caller());
    offered.load(Relaxed)
}
