//! The data of a lock. A thread that begins to panic while it may write poisons it, as in the standard library.

use crate::context::with;
use std::cell::Cell;
use std::sync::{LockResult, PoisonError};

pub(crate) struct Guarded<T: ?Sized> {
    is_poisoned: Cell<bool>,
    pub data: T,
}

impl<T> Guarded<T> {
    pub const fn new(data: T) -> Self {
        Guarded { is_poisoned: Cell::new(false), data }
    }

    pub fn into_inner(self) -> LockResult<T> {
        let Guarded { is_poisoned, data } = self;
        if is_poisoned.get() { Err(PoisonError::new(data)) } else { Ok(data) }
    }
}

impl<T: ?Sized> Guarded<T> {
    pub fn is_poisoned(&self) -> bool {
        self.is_poisoned.get()
    }

    pub fn clear_poison(&self) {
        self.is_poisoned.set(false);
    }

    /// The guard of a thread that has just taken the lock.
    pub fn judged<G>(&self, guard: G) -> LockResult<G> {
        if self.is_poisoned() { Err(PoisonError::new(guard)) } else { Ok(guard) }
    }

    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        match self.is_poisoned() {
            true => Err(PoisonError::new(&mut self.data)),
            false => Ok(&mut self.data),
        }
    }

    /// The thread that may write releases the lock. A panic from before it took the lock does not poison.
    pub fn poison_since(&self, taken: Taken) {
        if !taken.was_panicking && is_panicking() {
            self.is_poisoned.set(true);
        }
    }
}

/// The state of a thread when it took a lock.
#[derive(Clone, Copy)]
pub(crate) struct Taken {
    was_panicking: bool,
}

impl Taken {
    pub fn now() -> Taken {
        Taken { was_panicking: is_panicking() }
    }
}

fn is_panicking() -> bool {
    with(|context| context.running().panics.n_unwinding > 0)
}
