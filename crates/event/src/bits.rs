//! Sets of small numbers as bits: rows of words, and matrices of such rows.
//!
//! A row is a plain slice, which its owner can save, restore and share as it likes. [`BitSet`] and
//! [`BitMatrix`] own theirs, and keep the memory when they are reset.

const BITS: usize = u64::BITS as usize;

/// The number of words in a row of `n` bits.
pub fn words_for(n: usize) -> usize {
    n.div_ceil(BITS)
}

#[inline]
pub fn has(row: &[u64], bit: usize) -> bool {
    row[bit / BITS] >> (bit % BITS) & 1 == 1
}

#[inline]
pub fn set(row: &mut [u64], bit: usize) {
    row[bit / BITS] |= 1 << (bit % BITS);
}

#[inline]
pub fn unset(row: &mut [u64], bit: usize) {
    row[bit / BITS] &= !(1 << (bit % BITS));
}

/// Adds the bits of `other`.
#[inline]
pub fn union(row: &mut [u64], other: &[u64]) {
    row.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}

/// The bits that are set, in ascending order.
#[inline]
pub fn ones(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(index, &word)| ones_of(word).map(move |bit| index * BITS + bit))
}

/// The bits of a word that are set, in ascending order.
#[inline]
pub fn ones_of(word: u64) -> impl Iterator<Item = usize> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let bit = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(bit)
    })
}

/// A set of numbers below a limit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BitSet(Vec<u64>);

impl BitSet {
    /// The empty set of numbers below `n`.
    pub fn new(n: usize) -> Self {
        BitSet(vec![0; words_for(n)])
    }

    /// Makes this the empty set of numbers below `n`.
    pub fn reset(&mut self, n: usize) {
        self.0.clear();
        self.0.resize(words_for(n), 0);
    }

    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    #[inline]
    pub fn contains(&self, number: usize) -> bool {
        has(&self.0, number)
    }

    /// Returns whether the number is new.
    #[inline]
    pub fn insert(&mut self, number: usize) -> bool {
        let is_new = !has(&self.0, number);
        set(&mut self.0, number);
        is_new
    }

    #[inline]
    pub fn remove(&mut self, number: usize) {
        unset(&mut self.0, number);
    }

    pub fn union(&mut self, other: &BitSet) {
        union(&mut self.0, &other.0);
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        ones(&self.0)
    }

    #[inline]
    pub fn row(&self) -> &[u64] {
        &self.0
    }
}

/// Rows of bits, which come and go at the end; their width can grow.
#[derive(Clone, Debug)]
pub struct BitMatrix {
    words: Vec<u64>,
    /// The words in a row, at least one.
    stride: usize,
}

impl Default for BitMatrix {
    fn default() -> Self {
        BitMatrix { words: Vec::new(), stride: 1 }
    }
}

impl BitMatrix {
    /// Makes this `n_rows` rows of `n_bits` bits, none of which is set.
    pub fn reset(&mut self, n_rows: usize, n_bits: usize) {
        self.stride = words_for(n_bits).max(1);
        self.words.clear();
        self.words.resize(n_rows * self.stride, 0);
    }

    pub fn n_rows(&self) -> usize {
        self.words.len() / self.stride
    }

    #[inline]
    pub fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.stride..][..self.stride]
    }

    #[inline]
    pub fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.words[row * self.stride..][..self.stride]
    }

    #[inline]
    pub fn has(&self, row: usize, bit: usize) -> bool {
        self.words[row * self.stride + bit / BITS] >> (bit % BITS) & 1 == 1
    }

    #[inline]
    pub fn set(&mut self, row: usize, bit: usize) {
        self.words[row * self.stride + bit / BITS] |= 1 << (bit % BITS);
    }

    /// Adds the bits of row `from` to row `to`, another one.
    #[inline]
    pub fn union(&mut self, to: usize, from: usize) {
        let stride = self.stride;
        let (low, high) = self.words.split_at_mut(to.max(from) * stride);
        match to < from {
            true => union(&mut low[to * stride..][..stride], &high[..stride]),
            false => union(&mut high[..stride], &low[from * stride..][..stride]),
        }
    }

    pub fn push(&mut self) {
        self.words.resize(self.words.len() + self.stride, 0);
    }

    pub fn truncate(&mut self, n_rows: usize) {
        self.words.truncate(n_rows * self.stride);
    }

    /// Makes room for `n_bits` bits in each row.
    pub fn widen(&mut self, n_bits: usize) {
        if n_bits <= self.stride * BITS {
            return;
        }
        let stride = words_for(n_bits).next_power_of_two();
        let mut words = vec![0; self.n_rows() * stride];
        for row in 0..self.n_rows() {
            words[row * stride..][..self.stride].copy_from_slice(self.row(row));
        }
        (self.words, self.stride) = (words, stride);
    }

    /// All rows, one after the other.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_and_go() {
        let mut set = BitSet::new(130);
        assert!(set.insert(129) && set.insert(3) && !set.insert(3));
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 129]);
        set.remove(3);
        assert!(!set.contains(3) && set.contains(129));
        set.reset(1);
        assert_eq!(set, BitSet::new(1));
    }

    #[test]
    fn rows_are_added_whichever_comes_first() {
        let mut matrix = BitMatrix::default();
        matrix.reset(3, 70);
        matrix.set(0, 1);
        matrix.set(2, 69);
        matrix.union(0, 2);
        matrix.union(2, 0);
        assert_eq!(ones(matrix.row(0)).collect::<Vec<_>>(), [1, 69]);
        assert_eq!(matrix.row(0), matrix.row(2));
        assert!(ones(matrix.row(1)).next().is_none());
    }

    #[test]
    fn widening_keeps_the_bits() {
        let mut matrix = BitMatrix::default();
        (0..3).for_each(|_| matrix.push());
        matrix.set(1, 63);
        matrix.widen(65);
        matrix.set(1, 64);
        matrix.push();
        assert_eq!(ones(matrix.row(1)).collect::<Vec<_>>(), [63, 64]);
        assert_eq!((matrix.n_rows(), matrix.has(3, 64)), (4, false));
        matrix.truncate(1);
        assert_eq!(matrix.n_rows(), 1);
    }
}
