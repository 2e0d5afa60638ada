//! Accesses that share some of their bytes but not all: what runs have learned about them.
//!
//! A *boundary* is an address that plain accesses must not cross: they are split into pieces. Atomic accesses cannot be
//! split. If one crosses a boundary, and something else accesses a piece of it, then its bytes become a *cell*: every
//! access inside becomes an event on the whole cell that concerns a part of it. Of two accesses that overlap, one
//! contains the other, since they are aligned and their sizes are powers of two; the cell is the larger one. This does
//! not hold for atomic objects that are too large for any instruction: if two of them overlap otherwise, their cell
//! contains both.
//!
//! The behaviour of a run must not change while it runs. So a run has a copy of what was known when it started, and
//! uses that copy to decide what there is to learn.

use crate::mixing::Notes;
use atropos_event::{Access, Addr};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What the runs of a program have learned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlaps {
    boundaries: BTreeSet<u64>,
    /// By address; none contains another one.
    cells: BTreeMap<Addr, Cell>,
}

/// A cell, and where its parts are accessed. All runs share it.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub access: Access,
    /// For parts of each of these sizes, the first statement that accesses one, as one number.
    parts: Arc<[AtomicU64; PART_SIZES.len()]>,
    pub notes: Arc<Notes>,
}

const NOWHERE: u64 = u64::MAX;

/// The sizes of parts of a cell; other sizes count as the next smaller one.
const PART_SIZES: [u8; 4] = [1, 2, 4, 8];

impl Cell {
    fn new(access: Access) -> Self {
        let parts = Arc::new([NOWHERE; PART_SIZES.len()].map(AtomicU64::new));
        Cell { access, parts, notes: Arc::default() }
    }

    /// Records that a statement, given by function and number, accesses a part of `size` bytes.
    pub fn note_part(&self, size: u8, (function, at): (u32, u32)) {
        let nth = (size.ilog2() as usize).min(PART_SIZES.len() - 1);
        let (place, note) = (u64::from(function) << 32 | u64::from(at), &self.parts[nth]);
        if note.load(Relaxed) > place {
            note.fetch_min(place, Relaxed);
        }
    }

    /// The sizes of the parts accessed, smallest first, each with a statement.
    pub fn parts_met(&self) -> Vec<(u8, (u32, u32))> {
        let notes = self.parts.iter().zip(PART_SIZES).map(|(note, size)| (size, note.load(Relaxed)));
        let met = notes.filter(|&(_, place)| place != NOWHERE);
        met.map(|(size, place)| (size, ((place >> 32) as u32, place as u32))).collect()
    }
}

impl Overlaps {
    pub fn is_empty(&self) -> bool {
        self.boundaries.is_empty() && self.cells.is_empty()
    }

    pub fn has_cells(&self) -> bool {
        !self.cells.is_empty()
    }

    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.cells.values()
    }

    pub fn boundaries(&self) -> impl Iterator<Item = u64> {
        self.boundaries.iter().copied()
    }

    pub fn add_boundary(&mut self, at: u64) {
        self.boundaries.insert(at);
    }

    pub fn add_cell(&mut self, access: Access) {
        if !self.cells.values().any(|cell| cell.access.contains(access)) {
            self.cells.retain(|_, cell| !access.contains(cell.access));
            self.cells.insert(access.addr, Cell::new(access));
        }
    }

    /// Learns from two accesses, one inside the other, that were made in a run that knew `known`.
    pub fn learn(&mut self, known: &Overlaps, first: Access, second: Access) {
        let (first, second) = (first.cell(), second.cell());
        let outer = first.union(second);
        let is_inside = |&at: &u64| outer.addr.0 < at && at < outer.addr.0 + u64::from(outer.size);
        let ends = [first, second].map(|access| [access.addr.0, access.addr.0 + u64::from(access.size)]);
        let ends = ends.as_flattened();
        if ends.iter().filter(|at| is_inside(at)).any(|at| !known.boundaries.contains(at)) {
            self.boundaries.extend(ends.iter().filter(|at| is_inside(at)));
        } else {
            self.add_cell(outer);
        }
    }

    /// The cell that contains `access`, or is it.
    pub fn cell_with(&self, access: Access) -> Option<&Cell> {
        let (_, cell) = self.cells.range(..=access.addr).next_back()?;
        cell.access.contains(access).then_some(cell)
    }

    /// Whether a plain access to these bytes must be split. Boundaries in a cell have no effect.
    pub fn is_cut(&self, access: Access) -> bool {
        let Access { addr: Addr(start), size, .. } = access;
        // An access at the end of the address space is refused later.
        let (first, end) = (start.saturating_add(1), start.saturating_add(u64::from(size)));
        first < end && self.boundaries.range(first..end).next().is_some() && self.cell_with(access).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_in_vain_becomes_a_cell() {
        let [word, half, byte] = [Access::new(0x10, 8), Access::new(0x14, 4), Access::new(0x15, 1)];
        let mut overlaps = Overlaps::default();
        let learn = |overlaps: &mut Overlaps, first, second| overlaps.learn(&overlaps.clone(), first, second);
        learn(&mut overlaps, half, byte);
        assert!(overlaps.is_cut(half) && overlaps.is_cut(word) && !overlaps.has_cells());
        learn(&mut overlaps, byte, half);
        assert!(!overlaps.is_cut(half) && overlaps.is_cut(word));
        let around = |overlaps: &Overlaps, access| overlaps.cell_with(access).map(|cell| cell.access);
        assert_eq!((around(&overlaps, byte), around(&overlaps, word)), (Some(half), None));
        learn(&mut overlaps, word, half);
        learn(&mut overlaps, word, byte.within(half));
        assert_eq!(overlaps.cells().map(|cell| cell.access).collect::<Vec<_>>(), [word]);
        assert_eq!((around(&overlaps, byte), overlaps.is_cut(word)), (Some(word), false));
    }

    #[test]
    fn a_large_object_is_a_cell_and_plain_accesses_stop_at_its_ends() {
        let (object, word) = (Access::new(0x14, 20), Access::new(0x10, 8));
        let mut overlaps = Overlaps::default();
        overlaps.learn(&overlaps.clone(), object, word);
        assert!(overlaps.is_cut(word) && !overlaps.has_cells());
        let half = Access::new(0x14, 4);
        overlaps.learn(&overlaps.clone(), object, half);
        overlaps.learn(&overlaps.clone(), object, half);
        let around = |access| overlaps.cell_with(access).map(|cell| cell.access);
        assert_eq!((around(half), around(object), around(word)), (Some(object), Some(object), None));
        assert!(overlaps.is_cut(word));
        let other = Access::new(0x20, 12);
        let mut overlaps = overlaps.clone();
        overlaps.learn(&overlaps.clone(), object, other);
        overlaps.learn(&overlaps.clone(), object, other);
        assert_eq!(overlaps.cells().map(|cell| cell.access).collect::<Vec<_>>(), [Access::new(0x14, 24)]);
    }

    #[test]
    fn two_runs_that_meet_the_same_pieces_learn_the_same() {
        let (before, mut overlaps) = (Overlaps::default(), Overlaps::default());
        for _ in 0..2 {
            overlaps.learn(&before, Access::new(0, 8), Access::new(4, 4));
        }
        assert!(!overlaps.has_cells());
    }
}
