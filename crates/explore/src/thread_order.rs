//! Which thread goes first, learned from where revisits happen.
//!
//! Any order of the threads visits the same executions [TruSt §3.2; Tracer §5], but not at the same cost: a revisit
//! deletes, and the search then adds again, everything between the read and the write. So threads that revisit each
//! other should be adjacent, and threads that are never revisited should go first. The search starts in the order of
//! the threads' names and counts revisits between threads. If another order promises to be much cheaper, it starts
//! over with that one, once and early.

use crate::ThreadOrder;
use crate::learned::Lessons;
use atropos_event::ThreadKey;

/// Revisits counted before an order is chosen.
const SAMPLE: usize = 32;
/// The mean number of events deleted by a revisit that makes another order worth a new start.
const WORTHWHILE: usize = 24;

/// Threads of a lower rank move first.
pub fn rank(key: ThreadKey, order: ThreadOrder, lessons: &Lessons) -> u64 {
    match order {
        ThreadOrder::Learned => lessons.rank(key) as u64,
        ThreadOrder::Shuffled(seed) => shuffled_rank(key, seed),
    }
}

/// A rank that looks random, from a seed.
fn shuffled_rank(key: ThreadKey, seed: u64) -> u64 {
    let mix = |hash: u64, part: u64| (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    key.path().into_iter().chain([seed]).fold(seed, mix)
}

/// Counts revisits between threads.
#[derive(Clone, Debug, Default)]
pub struct Conflicts {
    pairs: Vec<(ThreadKey, ThreadKey)>,
    n_deleted: usize,
    is_over: bool,
}

impl Conflicts {
    /// Whether the sample is complete.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Records that a write of `writer` revisits a read of `reader` and deletes that many events. When the sample is
    /// complete and a cheaper order is found, returns it: all threads in `order`, rearranged.
    pub fn note(
        &mut self,
        reader: ThreadKey,
        writer: ThreadKey,
        n_deleted: usize,
        order: &[ThreadKey],
    ) -> Option<Vec<ThreadKey>> {
        if self.is_over {
            return None;
        }
        self.pairs.push((reader, writer));
        self.n_deleted += n_deleted;
        if self.pairs.len() < SAMPLE {
            return None;
        }
        self.is_over = true;
        if self.n_deleted < WORTHWHILE * self.pairs.len() {
            return None;
        }
        let better = self.arrange(order);
        (2 * self.cost(&better) < self.cost(order)).then_some(better)
    }

    /// The sum of the distances between threads that revisit each other.
    fn cost(&self, order: &[ThreadKey]) -> usize {
        let place = |key: &ThreadKey| order.iter().position(|other| other == key).unwrap_or(0);
        self.pairs.iter().map(|(reader, writer)| place(reader).abs_diff(place(writer))).sum()
    }

    /// Threads without conflicts first; then from each remaining thread on, those it conflicts with.
    fn arrange(&self, order: &[ThreadKey]) -> Vec<ThreadKey> {
        let has_conflicts = |key: &&ThreadKey| self.pairs.iter().any(|(a, b)| a == *key || b == *key);
        let mut arranged: Vec<ThreadKey> = order.iter().filter(|key| !has_conflicts(key)).copied().collect();
        for &first in order {
            let mut open = vec![first];
            while let Some(key) = open.pop() {
                if arranged.contains(&key) {
                    continue;
                }
                arranged.push(key);
                let others = self.pairs.iter().filter_map(|&(a, b)| match key {
                    _ if key == a => Some(b),
                    _ if key == b => Some(a),
                    _ => None,
                });
                open.extend(others);
            }
        }
        arranged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(names: &[u64]) -> Vec<ThreadKey> {
        names.iter().map(|&name| ThreadKey::MAIN.child(name).unwrap()).collect()
    }

    #[test]
    fn threads_that_revisit_each_other_come_to_stand_side_by_side() {
        let all = keys(&[1, 2, 3, 4, 5, 6]);
        let mut conflicts = Conflicts::default();
        let mut answer = None;
        for index in 0..SAMPLE {
            let (reader, writer) = if index % 2 == 0 { (0, 4) } else { (1, 5) };
            answer = conflicts.note(all[reader], all[writer], 100, &all);
        }
        assert_eq!(answer, Some(keys(&[3, 4, 1, 5, 2, 6])));
    }

    #[test]
    fn a_good_order_is_kept() {
        let all = keys(&[1, 2, 3]);
        let mut conflicts = Conflicts::default();
        let answers = (0..2 * SAMPLE).filter_map(|_| conflicts.note(all[1], all[2], 100, &all));
        assert_eq!(answers.count(), 0);
    }
}
