//! Binary relations over events as square bit matrices, the carrier of the cat algebra.
//!
//! Row `i` holds the successors of event `i`. The graphs of the differential tests have a few dozen events,
//! so a row is nearly always one word: composition then costs one `or` per pair, closure (Warshall's
//! algorithm) n² word operations, and no sparse representation could win. Larger graphs use more words per
//! row and the same code; only the inner loop of the closure treats the single-word case apart.

use std::collections::VecDeque;
use std::fmt;

use crate::set::{EventSet, WORD_BITS, clear_tail, ones, words_for};

/// A binary relation over the events `0..n`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Relation {
    n: usize,
    /// Words per row, `words_for(n)`.
    words: usize,
    /// `n` rows; bits at columns `n..` are always zero.
    bits: Vec<u64>,
}

impl Relation {
    /// The empty relation over `n` events.
    pub fn new(n: usize) -> Self {
        let words = words_for(n);
        Relation { n, words, bits: vec![0; n * words] }
    }

    /// # Panics
    /// If an event is not below `n`.
    pub fn from_pairs(n: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut relation = Relation::new(n);
        for (from, to) in pairs {
            relation.insert(from, to);
        }
        relation
    }

    /// `[S]`: each member of the set related to itself.
    pub fn identity(set: &EventSet) -> Self {
        Relation::from_pairs(set.n_events(), set.iter().map(|event| (event, event)))
    }

    /// `S * T`: every member of `from` related to every member of `to`.
    pub fn product(from: &EventSet, to: &EventSet) -> Self {
        assert_eq!(from.n_events(), to.n_events(), "sets over different numbers of events");
        let mut relation = Relation::new(from.n_events());
        for event in from.iter() {
            relation.row_mut(event).copy_from_slice(to.words());
        }
        relation
    }

    /// The size of the universe, not the number of pairs.
    pub fn n_events(&self) -> usize {
        self.n
    }

    /// # Panics
    /// If an event is not below `n`.
    pub fn insert(&mut self, from: usize, to: usize) {
        assert!(from < self.n && to < self.n, "pair ({from}, {to}) in a relation over {} events", self.n);
        self.bits[from * self.words + to / WORD_BITS] |= 1 << (to % WORD_BITS);
    }

    pub fn contains(&self, from: usize, to: usize) -> bool {
        from < self.n && to < self.n && self.row(from)[to / WORD_BITS] >> (to % WORD_BITS) & 1 == 1
    }

    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|&word| word == 0)
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// All pairs in lexicographic order.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.n).flat_map(|from| self.successors(from).map(move |to| (from, to)))
    }

    pub fn successors(&self, event: usize) -> impl Iterator<Item = usize> + '_ {
        ones(self.row(event))
    }

    pub fn union(&self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a | b)
    }

    pub fn intersection(&self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a & b)
    }

    pub fn difference(&self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a & !b)
    }

    pub fn complement(&self) -> Relation {
        let mut relation = self.clone();
        for from in 0..self.n {
            let row = relation.row_mut(from);
            row.iter_mut().for_each(|word| *word = !*word);
            clear_tail(row, self.n);
        }
        relation
    }

    /// `self ; next`: pairs `(a, c)` with `(a, b)` in `self` and `(b, c)` in `next` for some `b`.
    pub fn compose(&self, next: &Relation) -> Relation {
        assert_eq!(self.n, next.n, "relations over different numbers of events");
        let mut relation = Relation::new(self.n);
        for from in 0..self.n {
            let row = relation.row_mut(from);
            for middle in self.successors(from) {
                for (word, add) in row.iter_mut().zip(next.row(middle)) {
                    *word |= add;
                }
            }
        }
        relation
    }

    pub fn inverse(&self) -> Relation {
        Relation::from_pairs(self.n, self.pairs().map(|(from, to)| (to, from)))
    }

    /// `self?`: the relation with the identity added.
    pub fn reflexive(&self) -> Relation {
        let mut relation = self.clone();
        for event in 0..self.n {
            relation.insert(event, event);
        }
        relation
    }

    /// `self^+`, by Warshall's algorithm.
    pub fn transitive_closure(&self) -> Relation {
        let mut closure = self.clone();
        let mut via_row = vec![0; self.words];
        for via in 0..self.n {
            via_row.copy_from_slice(closure.row(via));
            if let [via_word] = via_row[..] {
                // Without a branch: all ones if `via` is in the row, else zero.
                closure
                    .bits
                    .iter_mut()
                    .for_each(|word| *word |= via_word & (*word >> via & 1).wrapping_neg());
                continue;
            }
            for from in 0..self.n {
                if closure.contains(from, via) {
                    closure.row_mut(from).iter_mut().zip(&via_row).for_each(|(word, add)| *word |= add);
                }
            }
        }
        closure
    }

    /// `self^*`.
    pub fn reflexive_transitive_closure(&self) -> Relation {
        self.transitive_closure().reflexive()
    }

    pub fn is_irreflexive(&self) -> bool {
        self.find_reflexive().is_none()
    }

    /// The first event related to itself.
    pub fn find_reflexive(&self) -> Option<usize> {
        (0..self.n).find(|&event| self.contains(event, event))
    }

    pub fn is_acyclic(&self) -> bool {
        self.core().is_empty()
    }

    /// A shortest cycle `e0, e1, …` such that each event is related to the next and the last to `e0`. Among
    /// the shortest, one that starts with the smallest event: witnesses must not change from run to run.
    pub fn find_cycle(&self) -> Option<Vec<usize>> {
        let core = self.core();
        let cycles = core.iter().filter_map(|event| self.shortest_path(event, event));
        cycles.min_by_key(Vec::len)
    }

    /// The events of a shortest path with at least one step from `from` to `to`, without `to` itself.
    pub fn shortest_path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut parent = vec![usize::MAX; self.n];
        let mut queue = VecDeque::from([from]);
        while let Some(event) = queue.pop_front() {
            if self.contains(event, to) {
                let mut path = vec![event];
                while path[path.len() - 1] != from {
                    path.push(parent[path[path.len() - 1]]);
                }
                path.reverse();
                return Some(path);
            }
            for next in self.successors(event) {
                if parent[next] == usize::MAX && next != from {
                    parent[next] = event;
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// What remains after removing events without successors as long as there are any: empty exactly for
    /// acyclic relations, and cheaper than a closure. Events are visited from the last to the first because
    /// event numbers mostly follow program order, so that one pass is usually enough.
    fn core(&self) -> EventSet {
        let mut alive = EventSet::full(self.n);
        let mut n_alive = usize::MAX;
        while alive.len() < n_alive {
            n_alive = alive.len();
            for event in (0..self.n).rev() {
                let has_successor =
                    self.row(event).iter().zip(alive.words()).any(|(row, alive)| row & alive != 0);
                if !has_successor {
                    alive.remove(event);
                }
            }
        }
        alive
    }

    fn row(&self, event: usize) -> &[u64] {
        &self.bits[event * self.words..(event + 1) * self.words]
    }

    fn row_mut(&mut self, event: usize) -> &mut [u64] {
        &mut self.bits[event * self.words..(event + 1) * self.words]
    }

    fn zip(&self, other: &Relation, op: impl Fn(u64, u64) -> u64) -> Relation {
        assert_eq!(self.n, other.n, "relations over different numbers of events");
        let bits = self.bits.iter().zip(&other.bits).map(|(&a, &b)| op(a, b)).collect();
        Relation { n: self.n, words: self.words, bits }
    }
}

impl fmt::Debug for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.pairs()).finish()
    }
}
