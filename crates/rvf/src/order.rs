//! A strict partial order over nodes that only grows, until it is taken back.
//!
//! Both directions are kept, transitively closed, as rows of bits. Every changed word is logged, so going back
//! to an earlier order costs what was changed since and nothing is copied on the way down.

use crate::rows::{Rows, bits, has};

#[derive(Clone, Debug, Default)]
pub struct Order {
    before: Rows,
    after: Rows,
    log: Vec<Change>,
    /// Scratch: the two sets that a new pair connects.
    lower: Vec<u64>,
    upper: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Change {
    row: u32,
    word: u32,
    is_after: bool,
    old: u64,
}

/// Nodes that are newly related to one: 64 of them in one word of a row.
#[derive(Clone, Copy, Debug)]
pub struct Gain {
    pub word: usize,
    pub bits: u64,
}

/// A state of an [`Order`] to come back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    n_nodes: usize,
    n_changes: usize,
}

impl Order {
    pub fn len(&self) -> usize {
        self.before.n_rows()
    }

    /// All nodes that come before `node`.
    pub fn before(&self, node: usize) -> &[u64] {
        self.before.row(node)
    }

    pub fn after(&self, node: usize) -> &[u64] {
        self.after.row(node)
    }

    pub fn has(&self, first: usize, second: usize) -> bool {
        self.after.has(first, second)
    }

    pub fn stride(&self) -> usize {
        self.before.stride()
    }

    /// Adds a node without relations.
    pub fn push(&mut self) -> usize {
        let node = self.len();
        self.before.widen(node + 1);
        self.after.widen(node + 1);
        self.before.push();
        self.after.push();
        node
    }

    /// Orders two nodes. `false` if this would be a cycle; then nothing changes.
    pub fn add(&mut self, first: usize, second: usize) -> bool {
        if self.has(first, second) {
            return true;
        }
        if first == second || self.has(second, first) {
            return false;
        }
        let (mut lower, mut upper) = (std::mem::take(&mut self.lower), std::mem::take(&mut self.upper));
        closed_row(&mut lower, self.before.row(first), first);
        closed_row(&mut upper, self.after.row(second), second);
        for node in bits(&lower) {
            unite(&mut self.after, node, &upper, true, &mut self.log);
        }
        for node in bits(&upper) {
            unite(&mut self.before, node, &lower, false, &mut self.log);
        }
        (self.lower, self.upper) = (lower, upper);
        true
    }

    pub fn mark(&self) -> Mark {
        Mark { n_nodes: self.len(), n_changes: self.log.len() }
    }

    /// The number of changes made so far: it grows exactly when the order does.
    pub fn n_changes(&self) -> usize {
        self.log.len()
    }

    /// What has changed since there were that many changes: nodes, and among which others their relations have.
    pub fn changes(&self, since: usize) -> impl Iterator<Item = (usize, Gain)> + '_ {
        self.log[since..].iter().map(|&Change { row, word, is_after, old }| {
            let rows = if is_after { &self.after } else { &self.before };
            let bits = rows.row(row as usize)[word as usize] & !old;
            (row as usize, Gain { word: word as usize, bits })
        })
    }

    pub fn undo(&mut self, mark: Mark) {
        for Change { row, word, is_after, old } in self.log.drain(mark.n_changes..).rev() {
            let rows = if is_after { &mut self.after } else { &mut self.before };
            rows.row_mut(row as usize)[word as usize] = old;
        }
        self.before.truncate(mark.n_nodes);
        self.after.truncate(mark.n_nodes);
    }
}

/// Copies a row and adds the node itself.
fn closed_row(to: &mut Vec<u64>, row: &[u64], node: usize) {
    to.clear();
    to.extend_from_slice(row);
    to[node / 64] |= 1 << (node % 64);
    debug_assert!(has(to, node));
}

fn unite(rows: &mut Rows, row: usize, with: &[u64], is_after: bool, log: &mut Vec<Change>) {
    for (word, (old, &more)) in rows.row_mut(row).iter_mut().zip(with).enumerate() {
        if more & !*old != 0 {
            log.push(Change { row: row as u32, word: word as u32, is_after, old: *old });
            *old |= more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_transitive_refuses_cycles_and_is_taken_back() {
        let mut order = Order::default();
        for _ in 0..70 {
            order.push();
        }
        assert!(order.add(0, 65));
        let mark = order.mark();
        assert!(order.add(65, 3) && order.has(0, 3));
        assert!(!order.add(3, 0), "a cycle");
        let node = order.push();
        assert!(order.add(3, node) && order.has(0, node));
        order.undo(mark);
        assert!(order.has(0, 65) && !order.has(0, 3) && !order.has(65, 3));
        assert_eq!(order.len(), 70);
        assert!(order.add(3, 0) && order.has(3, 65));
    }
}
