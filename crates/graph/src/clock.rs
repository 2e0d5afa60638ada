//! Vector clocks in flat arenas.
//!
//! A clock is a set of events that is closed under `po`: entry `t` counts how many events of thread `t`, from its
//! first, are in the set. Membership is one comparison. All clocks are in one [`Clocks`] arena with a row per slot of
//! the graph, so adding an event extends the arena and removing it truncates the arena.

use crate::event::Slot;
use atropos_event::EventId;

/// A clock: a row of [`Clocks`], or a scratch copy of one.
pub type Clock = [u32];

/// Whether `event` is in the set `clock`.
pub fn contains(clock: &Clock, event: EventId) -> bool {
    clock[event.thread().index()] as usize > event.index()
}

/// Adds the events of `other` to `clock`.
pub fn join(clock: &mut Clock, other: &Clock) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// Adds `event` and all events `po`-before it to `clock`.
pub fn include(clock: &mut Clock, event: EventId) {
    let entry = &mut clock[event.thread().index()];
    *entry = (*entry).max(event.index() as u32 + 1);
}

/// The clocks of one event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockKind {
    /// The `porf`-prefix of the event.
    Porf,
    /// The events that happen before this one, as the memory model defines it.
    Hb,
    /// For a write: the events that happen before a reader that synchronises with it.
    Message,
}

/// An arena of clocks. The row of a slot is its `porf` clock, followed by its `hb` and its message clock if the model
/// keeps them, so adding and saving an event's clocks is one copy.
#[derive(Clone, Debug)]
pub struct Clocks {
    width: usize,
    /// Clocks per row: one, or three where the model keeps its own.
    kinds: usize,
    entries: Vec<u32>,
}

impl Clocks {
    pub fn new(width: usize, has_views: bool) -> Self {
        Clocks { width, kinds: if has_views { 3 } else { 1 }, entries: Vec::new() }
    }

    /// The length of a slot's row.
    fn stride(&self) -> usize {
        self.kinds * self.width
    }

    fn start(&self, kind: ClockKind, slot: Slot) -> usize {
        slot.index() * self.stride() + kind as usize * self.width
    }

    pub fn n_rows(&self) -> usize {
        self.entries.len() / self.stride()
    }

    pub fn get(&self, kind: ClockKind, slot: Slot) -> &Clock {
        let start = self.start(kind, slot);
        &self.entries[start..start + self.width]
    }

    pub fn get_mut(&mut self, kind: ClockKind, slot: Slot) -> &mut Clock {
        let start = self.start(kind, slot);
        &mut self.entries[start..start + self.width]
    }

    /// One clock for writing, another one for reading.
    fn pair(&mut self, kind: ClockKind, slot: Slot, from: ClockKind, source: Slot) -> (&mut Clock, &Clock) {
        let (mine, theirs) = (self.start(kind, slot), self.start(from, source));
        let width = self.width;
        let (head, tail) = self.entries.split_at_mut(mine.max(theirs));
        let low = mine.min(theirs);
        let (low_row, high_row) = (&mut head[low..low + width], &mut tail[..width]);
        if mine > theirs { (high_row, low_row) } else { (low_row, high_row) }
    }

    /// Adds the events of one clock to another.
    pub fn join(&mut self, kind: ClockKind, slot: Slot, from: ClockKind, source: Slot) {
        if (kind, slot) != (from, source) {
            let (mine, theirs) = self.pair(kind, slot, from, source);
            join(mine, theirs);
        }
    }

    /// Sets a clock to that of the previous event of the thread, plus the event itself.
    pub fn restart(&mut self, kind: ClockKind, slot: Slot, before: Option<Slot>, id: EventId) {
        match before {
            Some(before) => {
                let (mine, theirs) = self.pair(kind, slot, kind, before);
                mine.copy_from_slice(theirs);
            }
            None => self.get_mut(kind, slot).fill(0),
        }
        self.get_mut(kind, slot)[id.thread().index()] = id.index() as u32 + 1;
    }

    /// A row for a new last event: the clocks of the previous event of its thread, plus the event itself. Its message
    /// is empty.
    pub fn push(&mut self, before: Option<Slot>, id: EventId) {
        let (start, stride) = (self.entries.len(), self.stride());
        match before {
            Some(before) => {
                let from = before.index() * stride;
                self.entries.extend_from_within(from..from + stride);
            }
            None => self.entries.resize(start + stride, 0),
        }
        let row = &mut self.entries[start..];
        let own = id.index() as u32 + 1;
        row[id.thread().index()] = own;
        if self.kinds > 1 {
            row[self.width + id.thread().index()] = own;
            if before.is_some() {
                row[2 * self.width..].fill(0);
            }
        }
    }

    pub fn pop(&mut self) {
        self.entries.truncate(self.entries.len() - self.stride());
    }

    /// All rows from `slot` on, as one slice.
    pub fn rows_from(&self, slot: Slot) -> &[u32] {
        &self.entries[slot.index() * self.stride()..]
    }

    pub fn truncate_rows(&mut self, n_rows: usize) {
        self.entries.truncate(n_rows * self.stride());
    }

    /// A new last row: the `nth` of `rows`, which were saved when clocks had `width` entries.
    pub fn push_row(&mut self, rows: &[u32], width: usize, nth: usize) {
        let stride = self.kinds * width;
        let row = &rows[nth * stride..(nth + 1) * stride];
        if width == self.width {
            self.entries.extend_from_slice(row);
        } else {
            for clock in row.chunks_exact(width) {
                self.entries.extend_from_slice(clock);
                self.entries.resize(self.entries.len() + self.width - width, 0);
            }
        }
    }

    /// Appends rows that were saved as one piece.
    pub fn push_rows(&mut self, rows: &[u32], width: usize) {
        if width == self.width {
            self.entries.extend_from_slice(rows);
        } else {
            let n_rows = rows.len() / (self.kinds * width);
            (0..n_rows).for_each(|nth| self.push_row(rows, width, nth));
        }
    }

    /// Makes room for more threads; every clock keeps its entries.
    pub fn widen(&mut self, width: usize) {
        let narrow = std::mem::take(&mut self.entries);
        let narrow_width = std::mem::replace(&mut self.width, width);
        self.push_rows(&narrow, narrow_width);
    }
}
