//! Vector clocks in flat arenas.
//!
//! A clock stands for a set of events that is closed under `po`: entry `t` counts how many events of
//! thread `t`, from its first, are in the set. Membership is one comparison. All clocks of one kind live
//! in one [`Clocks`] arena, a row per slot of the graph, so that adding an event extends the arena and
//! taking it back truncates it.

use crate::event::Slot;
use atropos_event::{EventId, ThreadId};

/// A clock: a row of [`Clocks`], or a scratch copy of one.
pub type Clock = [u32];

/// Is `event` in the set that `clock` stands for?
pub fn contains(clock: &Clock, event: EventId) -> bool {
    clock[event.thread().index()] as usize > event.index()
}

/// Adds the events of `other` to `clock`.
pub fn join(clock: &mut Clock, other: &Clock) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// Adds `event`, and all that is `po`-before it, to `clock`.
pub fn include(clock: &mut Clock, event: EventId) {
    let entry = &mut clock[event.thread().index()];
    *entry = (*entry).max(event.index() as u32 + 1);
}

/// An arena of clocks, one row of `width` entries per slot.
#[derive(Clone, Debug)]
pub struct Clocks {
    width: usize,
    entries: Vec<u32>,
}

impl Clocks {
    pub fn new(width: usize) -> Self {
        Clocks { width, entries: Vec::new() }
    }

    pub fn row(&self, slot: Slot) -> &Clock {
        let start = slot.index() * self.width;
        &self.entries[start..start + self.width]
    }

    pub fn row_mut(&mut self, slot: Slot) -> &mut Clock {
        let start = slot.index() * self.width;
        &mut self.entries[start..start + self.width]
    }

    /// The row of `slot` for writing beside the row of an earlier slot for reading.
    pub fn row_pair(&mut self, slot: Slot, earlier: Slot) -> (&mut Clock, &Clock) {
        debug_assert_ne!(slot, earlier);
        let width = self.width;
        let (low, high) = (slot.index().min(earlier.index()), slot.index().max(earlier.index()));
        let (head, tail) = self.entries.split_at_mut(high * width);
        let (low_row, high_row) = (&mut head[low * width..(low + 1) * width], &mut tail[..width]);
        if slot.index() == high { (high_row, low_row) } else { (low_row, high_row) }
    }

    /// A new last row: a copy of the row of `from`, or empty.
    pub fn push(&mut self, from: Option<Slot>) {
        match from {
            Some(slot) => {
                let start = slot.index() * self.width;
                self.entries.extend_from_within(start..start + self.width);
            }
            None => self.entries.resize(self.entries.len() + self.width, 0),
        }
    }

    /// A new last row with the entries of `row`, which may be narrower when it was set aside before the
    /// arena was widened.
    pub fn push_row(&mut self, row: &Clock) {
        let width = self.entries.len() + self.width;
        self.entries.extend_from_slice(row);
        self.entries.resize(width, 0);
    }

    pub fn truncate_rows(&mut self, n_rows: usize) {
        self.entries.truncate(n_rows * self.width);
    }

    pub fn pop(&mut self) {
        self.entries.truncate(self.entries.len() - self.width);
    }

    /// All rows from `slot` on, as one slice.
    pub fn rows_from(&self, slot: Slot) -> &[u32] {
        &self.entries[slot.index() * self.width..]
    }

    /// Makes room for more threads; every row keeps its entries.
    pub fn widen(&mut self, width: usize) {
        let rows = self.entries.len().checked_div(self.width).unwrap_or(0);
        let mut entries = vec![0; rows * width];
        for row in 0..rows {
            entries[row * width..row * width + self.width]
                .copy_from_slice(&self.entries[row * self.width..(row + 1) * self.width]);
        }
        (self.width, self.entries) = (width, entries);
    }

    /// Sets the own entry of the event at `slot`.
    pub fn tick(&mut self, slot: Slot, thread: ThreadId, index: usize) {
        self.row_mut(slot)[thread.index()] = index as u32 + 1;
    }
}
