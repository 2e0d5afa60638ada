//! What a search learns on its way and is better off knowing from the start.
//!
//! A lesson changes how the search proceeds, so whoever learns one starts it over; the lessons stay. There are
//! finitely many, and most are learned early.

use atropos_event::{Addr, ThreadKey};
use std::sync::Mutex;

/// Shared by the workers of a search and kept when it starts over.
#[derive(Debug, Default)]
pub struct School {
    lessons: Mutex<Lessons>,
}

/// All lessons so far. A worker has a copy, which stays the same until the search starts over.
#[derive(Clone, Debug, Default)]
pub(super) struct Lessons {
    /// Threads wait for mutexes: leaks are watched for.
    pub has_mutex_waits: bool,
    /// Mutexes that leak.
    pub leaky: Vec<Addr>,
    /// The order in which threads are to move, once one was chosen.
    pub thread_order: Option<Vec<ThreadKey>>,
}

impl School {
    pub(super) fn lessons(&self) -> Lessons {
        self.lessons.lock().expect("no worker panics while it holds the lock").clone()
    }

    pub(super) fn learn(&self, lesson: impl FnOnce(&mut Lessons)) {
        lesson(&mut self.lessons.lock().expect("no worker panics while it holds the lock"));
    }
}

impl Lessons {
    /// The place of a thread in the chosen order; threads it does not know come last.
    pub fn rank(&self, key: ThreadKey) -> usize {
        let order = self.thread_order.as_deref().unwrap_or_default();
        order.iter().position(|&other| other == key).unwrap_or(order.len())
    }
}
