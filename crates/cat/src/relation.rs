//! Binary relations over events as square bit matrices, the carrier of the cat algebra.
//!
//! Row `i` holds the successors of event `i`. The graphs of the differential tests have a few dozen events,
//! so a row is nearly always one word: composition then costs one `or` per pair, closure (Warshall's
//! algorithm) n² word operations, and no sparse representation could win. Larger graphs use more words per
//! row and the same code; only the innermost loops treat the single-word case apart.
//!
//! A relation owns its rows or borrows them ([`View`]) from an evaluation, which keeps the values of all its nodes in
//! one piece of memory. The operations of the algebra are functions of [`rows`], which write their result to given rows.

use std::collections::VecDeque;
use std::fmt;

use crate::rows;
use crate::set::{EventSet, words_for};
use atropos_event::bits::{self, ones};

/// A binary relation over the events `0..n`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Relation<Rows = Vec<u64>> {
    n: usize,
    /// `n` rows of `words_for(n)` words; bits at columns `n..` are always zero.
    bits: Rows,
}

/// A relation that borrows its rows.
pub(crate) type View<'rows> = Relation<&'rows [u64]>;

impl Relation {
    /// The empty relation over `n` events.
    pub fn new(n: usize) -> Self {
        Relation { n, bits: vec![0; n * words_for(n)] }
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
        let mut relation = Relation::new(set.n_events());
        rows::identity(set.words(), &mut relation.bits);
        relation
    }

    /// `S * T`: every member of `from` related to every member of `to`.
    pub fn product(from: &EventSet, to: &EventSet) -> Self {
        assert_eq!(from.n_events(), to.n_events(), "sets over different numbers of events");
        let mut relation = Relation::new(from.n_events());
        rows::product(from.words(), to.words(), &mut relation.bits);
        relation
    }

    /// # Panics
    /// If an event is not below `n`.
    pub fn insert(&mut self, from: usize, to: usize) {
        assert!(from < self.n && to < self.n, "pair ({from}, {to}) in a relation over {} events", self.n);
        let words = self.words();
        bits::set(&mut self.bits[from * words..], to);
    }

    /// Relates `from` to every member of `to`.
    ///
    /// # Panics
    /// If `from` is not below `n`, or the set is over another number of events.
    pub fn insert_all(&mut self, from: usize, to: &EventSet) {
        assert_eq!(self.n, to.n_events(), "a set over another number of events");
        let words = self.words();
        let row = &mut self.bits[from * words..][..words];
        row.iter_mut().zip(to.words()).for_each(|(word, add)| *word |= add);
    }

    pub(crate) fn view(&self) -> View<'_> {
        Relation { n: self.n, bits: &self.bits }
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
        self.map(|bits, out| rows::complement(self.n, bits, out))
    }

    /// `self ; next`: pairs `(a, c)` with `(a, b)` in `self` and `(b, c)` in `next` for some `b`.
    pub fn compose(&self, next: &Relation) -> Relation {
        assert_eq!(self.n, next.n, "relations over different numbers of events");
        self.map(|bits, out| rows::compose(self.n, bits, &next.bits, out))
    }

    pub fn inverse(&self) -> Relation {
        self.map(|bits, out| rows::inverse(self.n, bits, out))
    }

    /// `self?`: the relation with the identity added.
    pub fn reflexive(&self) -> Relation {
        let mut relation = self.clone();
        rows::add_identity(self.n, &mut relation.bits);
        relation
    }

    /// `self^+`.
    pub fn transitive_closure(&self) -> Relation {
        self.map(|bits, out| rows::closure(self.n, bits, out))
    }

    fn map(&self, op: impl Fn(&[u64], &mut [u64])) -> Relation {
        let mut relation = Relation::new(self.n);
        op(&self.bits, &mut relation.bits);
        relation
    }

    fn zip(&self, other: &Relation, op: impl Fn(u64, u64) -> u64) -> Relation {
        assert_eq!(self.n, other.n, "relations over different numbers of events");
        self.map(|bits, out| rows::zip(bits, &other.bits, out, &op))
    }
}

impl<'rows> View<'rows> {
    /// A relation over `n` events with these rows.
    pub(crate) fn of_rows(n: usize, bits: &'rows [u64]) -> Self {
        Relation { n, bits }
    }

    pub(crate) fn to_owned(self) -> Relation {
        Relation { n: self.n, bits: self.bits.to_vec() }
    }

    pub(crate) fn rows(self) -> &'rows [u64] {
        self.bits
    }
}

impl<Rows: AsRef<[u64]>> Relation<Rows> {
    /// The size of the universe, not the number of pairs.
    pub fn n_events(&self) -> usize {
        self.n
    }

    pub fn contains(&self, from: usize, to: usize) -> bool {
        from < self.n && to < self.n && bits::has(self.row(from), to)
    }

    pub fn is_empty(&self) -> bool {
        self.bits.as_ref().iter().all(|&word| word == 0)
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.bits.as_ref().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// All pairs in lexicographic order.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.n).flat_map(|from| self.successors(from).map(move |to| (from, to)))
    }

    pub fn successors(&self, event: usize) -> impl Iterator<Item = usize> + '_ {
        ones(self.row(event))
    }

    pub fn is_irreflexive(&self) -> bool {
        self.find_reflexive().is_none()
    }

    /// The first event related to itself.
    pub fn find_reflexive(&self) -> Option<usize> {
        (0..self.n).find(|&event| self.contains(event, event))
    }

    pub fn is_acyclic(&self) -> bool {
        if self.words() == 1 { rows::core(self.bits.as_ref()) == 0 } else { self.core().is_empty() }
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

    fn words(&self) -> usize {
        words_for(self.n)
    }

    fn row(&self, event: usize) -> &[u64] {
        let words = self.words();
        &self.bits.as_ref()[event * words..][..words]
    }
}

impl<Rows: AsRef<[u64]>> fmt::Debug for Relation<Rows> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.pairs()).finish()
    }
}
