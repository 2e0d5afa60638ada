//! The good writes of each read.
//!
//! They are a set of bits, with the words between the first and the last one only: most reads have few good writes, not
//! far from each other. The sets are on one stack, so taking back a node truncates it.

use super::instance::AccessId;
use atropos_event::bits::{ones, ones_of};

const BITS: usize = u64::BITS as usize;

#[derive(Clone, Debug, Default)]
pub struct GoodWrites {
    rows: Vec<Row>,
    words: Vec<u64>,
}

/// The set of a node: `len` words from `start` on, of which the first has the bits from `first * BITS` on.
#[derive(Clone, Copy, Debug)]
struct Row {
    start: usize,
    first: u32,
    len: u32,
    /// A copy of the first word, which is often the only one.
    word: u64,
}

impl GoodWrites {
    /// A new last node, without good writes.
    pub fn push(&mut self) {
        self.rows.push(Row { start: self.words.len(), first: 0, len: 0, word: 0 });
    }

    /// Takes back the last node, which was added after those that have good writes, or is the last that got any.
    pub fn pop(&mut self) {
        let row = self.rows.pop().expect("a node to take back");
        if row.len > 0 {
            self.words.truncate(row.start);
        }
    }

    /// Adds a write to the set that was added to last, or to an empty one.
    pub fn add(&mut self, read: AccessId, write: AccessId) {
        let word = (write / BITS) as u32;
        let row = &mut self.rows[read];
        if row.len == 0 {
            *row = Row { start: self.words.len(), first: word, len: 0, word: 0 };
        }
        assert_eq!(row.start + row.len as usize, self.words.len(), "one set is completed after the other");
        if word < row.first {
            let missing = (row.first - word) as usize;
            self.words.splice(row.start..row.start, std::iter::repeat_n(0, missing));
            (row.first, row.len) = (word, row.len + missing as u32);
        }
        row.len = row.len.max(word - row.first + 1);
        self.words.resize(row.start + row.len as usize, 0);
        self.words[row.start + (word - row.first) as usize] |= 1 << (write % BITS);
        row.word = self.words[row.start];
    }

    #[inline]
    pub fn has(&self, read: AccessId, write: AccessId) -> bool {
        let row = &self.rows[read];
        let nth = ((write / BITS) as u32).wrapping_sub(row.first);
        let word = match nth {
            0 => row.word,
            _ if nth < row.len => self.words[row.start + nth as usize],
            _ => 0,
        };
        word >> (write % BITS) & 1 == 1
    }

    /// The good writes of a node, in ascending order.
    #[inline]
    pub fn of(&self, read: AccessId) -> impl Iterator<Item = AccessId> + '_ {
        let Row { start, first, len, word } = self.rows[read];
        let others = if len > 1 { &self.words[start + 1..start + len as usize] } else { &[] };
        let others = ones(others).map(|bit| bit + BITS);
        ones_of(word).chain(others).map(move |bit| bit + first as usize * BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_what_was_added_in_any_order() {
        let mut good = GoodWrites::default();
        (0..3).for_each(|_| good.push());
        [200, 70, 71, 500].into_iter().for_each(|write| good.add(1, write));
        good.add(2, 3);
        assert_eq!(good.of(1).collect::<Vec<_>>(), [70, 71, 200, 500]);
        assert_eq!(good.of(2).collect::<Vec<_>>(), [3]);
        assert_eq!(good.of(0).next(), None);
        assert!(good.has(1, 200) && !good.has(1, 201) && !good.has(1, 3) && !good.has(1, 600));
        assert!(!good.has(0, 0));
    }

    #[test]
    fn taking_back_a_node_leaves_the_others() {
        let mut good = GoodWrites::default();
        good.push();
        good.add(0, 64);
        good.push();
        good.pop();
        good.push();
        good.add(1, 1);
        good.pop();
        assert_eq!(good.of(0).collect::<Vec<_>>(), [64]);
        assert_eq!(good.words.len(), 1);
    }
}
