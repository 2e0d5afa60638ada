//! One event of a graph, and its slot.

use crate::location::LocId;
use atropos_event::{EventId, Label, Position, Value};
use std::fmt;

/// The position of an event in the order of addition (TruSt's `<G`), which is also where it is stored. A slot is
/// valid only while the events before it stay; [`EventId`] names an event permanently. [`Slot::INIT`] is the initial
/// write of the location in question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(u32);

impl Slot {
    pub const INIT: Slot = Slot(u32::MAX);

    pub fn new(index: usize) -> Self {
        debug_assert!(index < u32::MAX as usize);
        Slot(index as u32)
    }

    pub fn index(self) -> usize {
        debug_assert_ne!(self, Slot::INIT);
        self.0 as usize
    }

    pub fn is_init(self) -> bool {
        self == Slot::INIT
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_init() { f.write_str("init") } else { write!(f, "#{}", self.0) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    pub label: Label,
    pub id: EventId,
    /// The location of a read or write; [`LocId::NONE`] otherwise.
    pub loc: LocId,
    /// The write that a read reads from, the `End` that a `Join` waits for, or the `Spawn` of a `Begin`;
    /// [`Slot::INIT`] otherwise.
    pub rf: Slot,
    /// The position of a write in the coherence order of its location (the initial write has 0).
    pub co: u32,
    /// Whether this is half of a successful read-modify-write.
    pub exclusive: bool,
    /// Whether all earlier entries of its list, of the writes or of the reads of its location, are known to happen
    /// before it. Only for long lists: see [`Graph::n_known`](crate::Graph::n_known).
    pub is_after_all: bool,
    /// The same for the `porf`-prefix, which may contain more than what happens before.
    pub follows_all: bool,
    /// Whether the writes of its location up to this one are a chain: each is the read-modify-write that reads from the
    /// one before it in the list. Only for long lists: see [`Graph::n_taken`](crate::Graph::n_taken).
    pub ends_chain: bool,
    /// Whether a read that was added before this write has read from it since.
    pub is_read_earlier: bool,
    /// Whether this and all earlier events of its thread are like those of its twin, an interchangeable thread. Set by
    /// searches that use symmetry.
    pub is_alike: bool,
    /// Where its thread is. Set by searches that leave the order of sections open.
    pub section: Section,
    /// The value read or written; 0 for other labels.
    pub value: Value,
    /// The position of the thread's run before this event.
    pub before: Position,
}

/// Where a thread is, after an event, with respect to sections whose order is left open: see [`crate::sections`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Section {
    /// The thread has entered none.
    #[default]
    None,
    Inside,
    /// The thread has left the last one.
    Left,
}

impl Event {
    pub fn is_read(&self) -> bool {
        self.label.is_read()
    }

    pub fn is_write(&self) -> bool {
        self.label.is_write()
    }

    /// What was known about the earlier entries of its list may no longer be true.
    pub(crate) fn forget_list(&mut self) {
        (self.is_after_all, self.follows_all, self.ends_chain) = (false, false, false);
    }
}
