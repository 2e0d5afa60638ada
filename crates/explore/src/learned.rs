//! What a search learns and profits from knowing at the start.
//!
//! A lesson changes how the search proceeds, so the search starts over when one is learned; the lessons stay. There are
//! finitely many, and most are learned early.

use atropos_event::{Access, Addr, Label, ThreadKey};

/// Shared by the workers of a search and kept when it starts over.
#[derive(Debug, Default)]
pub struct Learned {
    lessons: std::sync::Mutex<Lessons>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mutex {
    pub addr: Addr,
    /// Threads communicate past it while it is held: see [`crate::bypass`].
    pub is_bypassed: bool,
}

/// All lessons so far. A worker has a copy, which stays the same until the search starts over.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    /// The mutexes that threads have waited for.
    pub(crate) mutexes: Vec<Mutex>,
    /// The order in which threads move, once one was chosen.
    pub(crate) thread_order: Option<Vec<ThreadKey>>,
    /// Locations that threads wait for like a mutex but use in another way: see [`crate::rvf::mutexes`].
    pub(crate) irregular: Vec<Access>,
}

impl Learned {
    pub(crate) fn lessons(&self) -> Lessons {
        self.lessons.lock().expect("no worker panics while it holds the lock").clone()
    }

    pub(crate) fn learn(&self, lesson: impl FnOnce(&mut Lessons)) {
        lesson(&mut self.lessons.lock().expect("no worker panics while it holds the lock"));
    }
}

impl Lessons {
    pub(crate) fn is_mutex(&self, addr: Addr) -> bool {
        self.mutexes.iter().any(|mutex| mutex.addr == addr)
    }

    /// Whether this is a mutex that is not known to be bypassed.
    pub fn is_intact_mutex(&self, addr: Addr) -> bool {
        self.mutexes.contains(&Mutex { addr, is_bypassed: false })
    }

    /// A mutex that is a part of a cell is not watched: accesses to the rest of the cell look the same.
    pub(crate) fn may_watch(&self, label: &Label) -> bool {
        label.access().is_some_and(|access| access.is_whole() && !self.is_mutex(access.addr))
    }

    pub(crate) fn add_mutex(&mut self, addr: Addr) {
        if !self.is_mutex(addr) {
            self.mutexes.push(Mutex { addr, is_bypassed: false });
        }
    }

    pub(crate) fn add_bypass(&mut self, addr: Addr) {
        self.mutexes.iter_mut().filter(|mutex| mutex.addr == addr).for_each(|mutex| mutex.is_bypassed = true);
    }

    /// The place of a thread in the chosen order; unknown threads come last.
    pub(crate) fn rank(&self, key: ThreadKey) -> usize {
        let order = self.thread_order.as_deref().unwrap_or_default();
        order.iter().position(|&other| other == key).unwrap_or(order.len())
    }
}
