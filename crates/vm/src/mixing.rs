//! How a program uses a cell that other threads may access: what a model that treats it as one location can get wrong.
//!
//! Three things matter (docs/ALGORITHMS.md, *Sizes*): whether the program accesses different parts, whether it stores
//! to a part, and whether a thread loads bytes that its own store to a part, perhaps still in its buffer, has not
//! written. A thread remembers the parts to which it has stored since it certainly drained its buffer: since its last
//! read-modify-write of shared memory or sequentially consistent fence.
//!
//! What `main` does before it creates a thread, or after it has joined all, does not matter. All runs record everything
//! else in one place.

use atropos_event::{Access, Mixing};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What is known about one cell.
#[derive(Debug, Default)]
pub(crate) struct Notes(AtomicU64);

const STORES: u64 = 1 << 32;
const LOADS_BESIDE: u64 = 1 << 33;
const PARTS: u64 = (1 << 16) - 1;

impl Notes {
    pub fn mixing(&self) -> Mixing {
        let notes = self.0.load(Relaxed);
        Mixing {
            in_several_parts: (notes & PARTS).count_ones() > 1,
            stores_to_part: notes & STORES != 0,
            loads_beside_own_store: notes & LOADS_BESIDE != 0,
        }
    }

    pub fn bits(&self) -> u64 {
        self.0.load(Relaxed)
    }

    pub fn add_bits(&self, bits: u64) {
        self.note(bits & (PARTS | STORES | LOADS_BESIDE));
    }

    fn note(&self, bits: u64) {
        if self.0.load(Relaxed) & bits != bits {
            self.0.fetch_or(bits, Relaxed);
        }
    }

    /// A load of `part` of the cell by a thread that has stored to the parts in `stored`.
    pub fn note_load(&self, cell: Access, part: Access, stored: StoredParts) {
        let beside = if stored.has_other_than(cell, part) { LOADS_BESIDE } else { 0 };
        self.note(met(cell, part) | beside);
    }

    pub fn note_part_store(&self, cell: Access, part: Access) {
        self.note(met(cell, part) | STORES);
    }

    /// A store to the whole cell, or a read-modify-write.
    pub fn note_other(&self, cell: Access, part: Access) {
        self.note(met(cell, part));
    }
}

/// The bits of a part that was accessed. A part without its own number counts as two.
fn met(cell: Access, part: Access) -> u64 {
    match kind(cell, part) {
        OTHER if cell != part => 1 << OTHER | 1 << (OTHER - 1),
        kind => 1 << kind,
    }
}

/// The parts of cells that a thread has stored to and that its buffer may hold. Cells share four places, by their
/// addresses, so the set may contain more than there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct StoredParts(u64);

impl StoredParts {
    pub fn add(&mut self, cell: Access, part: Access) {
        self.0 |= 1 << (place(cell) + kind(cell, part));
    }

    /// Whether there is one here that does not write all bytes of `part`.
    fn has_other_than(self, cell: Access, part: Access) -> bool {
        let stored = self.0 >> place(cell) & PARTS;
        let covers = |kind: u32| bytes(kind).is_some_and(|bytes| bytes.contains(within_word(part)));
        (0..16).any(|kind| stored >> kind & 1 == 1 && !covers(kind))
    }
}

fn place(cell: Access) -> u32 {
    (cell.addr.0 / 8 % 4) as u32 * 16
}

/// The bytes as those of the first word of eight.
fn within_word(part: Access) -> Access {
    Access::new(part.addr.0 % 8, part.size)
}

/// The number of parts without their own number.
const OTHER: u32 = 15;

/// The number of an aligned part among those of a word of eight bytes: first the bytes, then larger parts.
fn kind(cell: Access, part: Access) -> u32 {
    let is_in_word = cell.addr.0 % 8 + u64::from(cell.size) <= 8;
    let first = match part.size {
        1 => 0,
        2 => 8,
        4 => 12,
        8 => 14,
        _ => return OTHER,
    };
    if !is_in_word || !part.addr.0.is_multiple_of(u64::from(part.size)) {
        return OTHER;
    }
    first + (part.addr.0 % 8 / u64::from(part.size)) as u32
}

/// The part of that number.
fn bytes(kind: u32) -> Option<Access> {
    let (size, first) = match kind {
        0..8 => (1, 0),
        8..12 => (2, 8),
        12..14 => (4, 12),
        14 => (8, 14),
        _ => return None,
    };
    Some(Access::new(u64::from(kind - first) * u64::from(size), size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_numbers_and_numbers_parts() {
        let parts = [1u8, 2, 4, 8].into_iter().flat_map(|size| {
            (0..8).step_by(usize::from(size)).map(move |offset| Access::new(0x100 + offset, size))
        });
        let word = Access::new(0x100, 8);
        let kinds: Vec<_> = parts.map(|part| (kind(word, part), within_word(part))).collect();
        assert_eq!(kinds.iter().map(|&(kind, _)| kind).collect::<Vec<_>>(), (0..15).collect::<Vec<_>>());
        assert!(kinds.iter().all(|&(kind, part)| bytes(kind) == Some(part)));
    }

    #[test]
    fn a_load_of_what_was_stored_is_not_beside_it() {
        let check = |cell: Access, store: Access, load: Access, expected: bool| {
            let (notes, mut stored) = (Notes::default(), StoredParts::default());
            stored.add(cell, store);
            notes.note_load(cell, load, stored);
            assert_eq!(notes.mixing().loads_beside_own_store, expected, "{store:?} {load:?}");
        };
        let cell = Access::new(0x10, 4);
        check(cell, Access::new(0x11, 1), Access::new(0x11, 1), false);
        check(cell, Access::new(0x12, 2), Access::new(0x13, 1), false);
        check(cell, Access::new(0x11, 1), cell, true);
        check(cell, Access::new(0x11, 1), Access::new(0x12, 1), true);
        let wide = Access::new(0x10, 24);
        check(wide, Access::new(0x10, 8), Access::new(0x18, 8), true);
        check(wide, Access::new(0x10, 8), Access::new(0x10, 8), true);
    }

    #[test]
    fn parts_of_a_wide_cell_count_as_several() {
        let (notes, wide) = (Notes::default(), Access::new(0x10, 24));
        notes.note_other(wide, wide);
        assert!(!notes.mixing().in_several_parts);
        notes.note_other(wide, Access::new(0x18, 8));
        assert!(notes.mixing().in_several_parts);
    }
}
