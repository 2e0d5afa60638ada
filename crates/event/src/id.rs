//! Names of threads and events.
//!
//! A [`ThreadId`] is a small dense number, good for indexing. A [`ThreadKey`] is the canonical name of a thread, a
//! function of nothing but the path of creations that led to it, so the same graph has the same names however it was
//! reached. An [`EventId`] is a position: thread and index in `po`.

use std::fmt;
use std::str::FromStr;

/// A thread, numbered densely in the order in which one run first saw it. `0` is the main thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(u16);

impl ThreadId {
    pub const MAIN: ThreadId = ThreadId(0);
    /// The number of threads that one program may have; [`EventId`] packs the thread into ten bits.
    pub const LIMIT: usize = 1 << 10;

    /// # Panics
    /// When `index` is not below [`ThreadId::LIMIT`]; front-ends report the limit before this.
    pub fn new(index: usize) -> Self {
        assert!(index < Self::LIMIT, "thread index {index} is over the limit of {}", Self::LIMIT);
        ThreadId(index as u16)
    }

    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The canonical name of a thread: the path of creation numbers from the main thread, e.g. `0.2.1` for
/// the first child of the main thread's second child. Keys order threads by depth, then by path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadKey(u64);

impl ThreadKey {
    pub const MAIN: ThreadKey = ThreadKey(0);
    const DEPTH_SHIFT: u32 = 60;
    /// The limits of a key: nested creations, and creations by one thread.
    pub const MAX_DEPTH: u64 = 5;
    pub(crate) const MAX_CHILDREN: u64 = (1 << 12) - 1;

    /// The key of the `nth` thread (from 1) that the thread `self` creates; `None` past the limits.
    pub fn child(self, nth: u64) -> Option<ThreadKey> {
        let depth = (self.0 >> Self::DEPTH_SHIFT) + 1;
        if depth > Self::MAX_DEPTH || nth == 0 || nth > Self::MAX_CHILDREN {
            return None;
        }
        let path = self.0 & ((1 << Self::DEPTH_SHIFT) - 1);
        Some(ThreadKey(depth << Self::DEPTH_SHIFT | path << 12 | nth))
    }

    /// The creation numbers from the main thread down; empty for the main thread itself.
    pub fn path(self) -> Vec<u64> {
        let depth = self.0 >> Self::DEPTH_SHIFT;
        (0..depth).rev().map(|level| (self.0 >> (12 * level)) & Self::MAX_CHILDREN).collect()
    }

    /// The inverse of [`ThreadKey::path`].
    pub fn from_path(path: &[u64]) -> Option<ThreadKey> {
        path.iter().try_fold(ThreadKey::MAIN, |key, &nth| key.child(nth))
    }
}

impl fmt::Display for ThreadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0")?;
        self.path().iter().try_for_each(|nth| write!(f, ".{nth}"))
    }
}

impl FromStr for ThreadKey {
    type Err = ();

    /// Reads what [`ThreadKey`] displays as.
    fn from_str(text: &str) -> Result<ThreadKey, ()> {
        let mut numbers = text.split('.').map(|number| number.parse().map_err(|_| ()));
        if numbers.next() != Some(Ok(0)) {
            return Err(());
        }
        ThreadKey::from_path(&numbers.collect::<Result<Vec<u64>, ()>>()?).ok_or(())
    }
}

impl fmt::Debug for ThreadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The position of an event: its thread and its index in that thread's program order, packed into 32 bits. The
/// initial writes belong to no thread and have no `EventId`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(u32);

impl EventId {
    const INDEX_BITS: u32 = 22;
    /// The number of events that one thread may have.
    pub const INDEX_LIMIT: usize = 1 << Self::INDEX_BITS;

    pub fn new(thread: ThreadId, index: usize) -> Self {
        assert!(index < Self::INDEX_LIMIT, "event index {index} is over the limit of {}", Self::INDEX_LIMIT);
        EventId(u32::from(thread.0) << Self::INDEX_BITS | index as u32)
    }

    pub fn thread(self) -> ThreadId {
        ThreadId((self.0 >> Self::INDEX_BITS) as u16)
    }

    pub fn index(self) -> usize {
        (self.0 & (Self::INDEX_LIMIT as u32 - 1)) as usize
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.thread(), self.index())
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_ids_unpack_to_what_was_packed() {
        let event = EventId::new(ThreadId::new(1023), EventId::INDEX_LIMIT - 1);
        assert_eq!((event.thread().index(), event.index()), (1023, EventId::INDEX_LIMIT - 1));
    }

    #[test]
    fn thread_keys_name_the_path_of_creations() {
        let child = ThreadKey::MAIN.child(2).unwrap();
        let grandchild = child.child(1).unwrap();
        assert_eq!(grandchild.to_string(), "0.2.1");
        assert_eq!(ThreadKey::from_path(&grandchild.path()), Some(grandchild));
        assert_eq!(grandchild.to_string().parse(), Ok(grandchild));
        assert!(["", "1", "0.", "0.0", "0.1.", "0.x"].iter().all(|text| text.parse::<ThreadKey>().is_err()));
        assert!(ThreadKey::MAIN < child && child < grandchild);
        assert_eq!(ThreadKey::MAIN.child(ThreadKey::MAX_CHILDREN + 1), None);
    }
}
