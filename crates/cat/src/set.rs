//! Sets of events as bit vectors, the unary half of the cat algebra.
//!
//! Events are dense indices `0..n`. A set knows its universe size, because complement needs it and because
//! mixing sets of two different structures is always a bug: every binary operation asserts equal sizes.

use atropos_event::bits;
use std::fmt;

const WORD_BITS: usize = u64::BITS as usize;

/// Words needed for one row of `n` bits. At least one, so that a row is never an empty slice.
pub(crate) fn words_for(n: usize) -> usize {
    bits::words_for(n).max(1)
}

/// A set of events out of `0..n`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EventSet {
    n: usize,
    /// Bits at positions `n..` are always zero.
    bits: Vec<u64>,
}

impl EventSet {
    /// The empty set over `n` events.
    pub fn new(n: usize) -> Self {
        EventSet { n, bits: vec![0; words_for(n)] }
    }

    /// All `n` events.
    pub fn full(n: usize) -> Self {
        let mut set = EventSet { n, bits: vec![u64::MAX; words_for(n)] };
        set.clear_tail();
        set
    }

    /// # Panics
    /// If a member is not below `n`.
    pub fn from_events(n: usize, events: impl IntoIterator<Item = usize>) -> Self {
        let mut set = EventSet::new(n);
        for event in events {
            set.insert(event);
        }
        set
    }

    /// The size of the universe, not the number of members.
    pub fn n_events(&self) -> usize {
        self.n
    }

    /// # Panics
    /// If `event` is not below `n`.
    pub fn insert(&mut self, event: usize) {
        assert!(event < self.n, "event {event} in a set over {} events", self.n);
        bits::set(&mut self.bits, event);
    }

    pub(crate) fn remove(&mut self, event: usize) {
        bits::unset(&mut self.bits, event);
    }

    pub fn contains(&self, event: usize) -> bool {
        event < self.n && bits::has(&self.bits, event)
    }

    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|&word| word == 0)
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        bits::ones(&self.bits)
    }

    pub fn union(&self, other: &EventSet) -> EventSet {
        self.zip(other, |a, b| a | b)
    }

    pub fn intersection(&self, other: &EventSet) -> EventSet {
        self.zip(other, |a, b| a & b)
    }

    pub fn difference(&self, other: &EventSet) -> EventSet {
        self.zip(other, |a, b| a & !b)
    }

    pub fn complement(&self) -> EventSet {
        let mut set = EventSet { n: self.n, bits: self.bits.iter().map(|word| !word).collect() };
        set.clear_tail();
        set
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.bits
    }

    fn zip(&self, other: &EventSet, op: impl Fn(u64, u64) -> u64) -> EventSet {
        assert_eq!(self.n, other.n, "sets over different numbers of events");
        EventSet { n: self.n, bits: self.bits.iter().zip(&other.bits).map(|(&a, &b)| op(a, b)).collect() }
    }

    fn clear_tail(&mut self) {
        clear_tail(&mut self.bits, self.n);
    }
}

impl fmt::Debug for EventSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Zeroes the bits at positions `n..` of one row.
pub(crate) fn clear_tail(row: &mut [u64], n: usize) {
    if n == 0 {
        row[0] = 0;
    } else if !n.is_multiple_of(WORD_BITS) {
        row[n / WORD_BITS] &= (1 << (n % WORD_BITS)) - 1;
    }
}
