//! A place for one value, which one thread puts there and another takes.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

/// With the bug, the flag does not publish the value.
const PUBLISH: Ordering = if cfg!(feature = "bug") { Ordering::Relaxed } else { Ordering::Release };

#[derive(Default)]
pub struct Mailbox<T> {
    is_full: AtomicBool,
    value: UnsafeCell<Option<T>>,
}

unsafe impl<T: Send> Sync for Mailbox<T> {}

impl<T> Mailbox<T> {
    /// # Panics
    /// If the slot is full.
    pub fn put(&self, value: T) {
        assert!(!self.is_full.load(Ordering::Acquire), "the slot is full");
        unsafe { *self.value.get() = Some(value) };
        self.is_full.store(true, PUBLISH);
    }

    pub fn take(&self) -> Option<T> {
        if !self.is_full.load(Ordering::Acquire) {
            return None;
        }
        unsafe { (*self.value.get()).take() }
    }
}
