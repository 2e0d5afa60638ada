//! A strict partial order over nodes that only grows, until changes are taken back.
//!
//! The nodes of a thread are a chain. So the nodes before a node are one number per thread: how many of its nodes
//! come before. These clocks are transitively closed. In every thread, the nodes after a node are all those from some
//! node on; they are not stored. Every changed number is logged, so going back to an earlier order costs as much as
//! the changes since, and nothing is copied on the way down.

use super::instance::AccessId;

#[derive(Clone, Debug)]
pub struct AccessOrder {
    /// The nodes of each thread, in their order.
    threads: Vec<Vec<AccessId>>,
    places: Vec<ThreadPosition>,
    /// A clock for each node: `width` numbers, one per thread, and zeros for threads to come.
    clocks: Vec<u32>,
    width: usize,
    log: Vec<ClockChange>,
}

/// A node's thread, and how many nodes of it come before.
#[derive(Clone, Copy, Debug)]
struct ThreadPosition {
    thread: u32,
    position: u32,
}

#[derive(Clone, Copy, Debug)]
struct ClockChange {
    node: u32,
    thread: u32,
    old: u32,
}

/// The nodes of `thread` from `from` up to `to` have come before `node`.
#[derive(Clone, Copy, Debug)]
pub struct Gain {
    pub node: AccessId,
    pub thread: usize,
    pub from: usize,
    pub to: usize,
}

/// A state of an [`AccessOrder`] to return to.
#[derive(Clone, Copy, Debug)]
pub struct OrderMark {
    n_nodes: usize,
    n_changes: usize,
}

impl Default for AccessOrder {
    fn default() -> Self {
        AccessOrder { threads: Vec::new(), places: Vec::new(), clocks: Vec::new(), width: 1, log: Vec::new() }
    }
}

impl AccessOrder {
    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn threads(&self) -> &[Vec<AccessId>] {
        &self.threads
    }

    /// The latest node of a thread.
    pub fn last_of(&self, thread: usize) -> Option<AccessId> {
        self.threads.get(thread)?.last().copied()
    }

    pub fn position(&self, node: AccessId) -> usize {
        self.places[node].position as usize
    }

    /// How many nodes of each thread come before `node`.
    pub fn clock(&self, node: AccessId) -> &[u32] {
        &self.clocks[node * self.width..][..self.width]
    }

    /// Whether `node` is among those that `clock` counts.
    pub fn is_in(&self, clock: &[u32], node: AccessId) -> bool {
        let ThreadPosition { thread, position } = self.places[node];
        clock[thread as usize] > position
    }

    pub fn has(&self, first: AccessId, second: AccessId) -> bool {
        let ThreadPosition { thread, position } = self.places[first];
        self.clocks[second * self.width + thread as usize] > position
    }

    /// Makes room for `n_threads` threads.
    pub fn widen(&mut self, n_threads: usize) {
        if self.threads.len() < n_threads {
            self.threads.resize_with(n_threads, Vec::new);
        }
        let width = n_threads.next_power_of_two();
        if width <= self.width {
            return;
        }
        let mut clocks = vec![0; self.len() * width];
        for node in 0..self.len() {
            clocks[node * width..][..self.width].copy_from_slice(self.clock(node));
        }
        (self.clocks, self.width) = (clocks, width);
    }

    /// The clock of a new last node of `thread`, after the nodes `others` of other threads.
    pub fn next_clock(&self, thread: usize, others: &[AccessId], clock: &mut Vec<u32>) {
        clock.clear();
        clock.resize(self.width, 0);
        for &node in self.threads.get(thread).and_then(|nodes| nodes.last()).into_iter().chain(others) {
            clock.iter_mut().zip(self.clock(node)).for_each(|(own, &other)| *own = (*own).max(other));
            let ThreadPosition { thread, position } = self.places[node];
            let own = &mut clock[thread as usize];
            *own = (*own).max(position + 1);
        }
    }

    /// Adds a node at the end of `thread`, after the nodes `others` of other threads.
    pub fn push(&mut self, thread: usize, others: &[AccessId]) -> AccessId {
        self.widen(thread + 1);
        let (node, start) = (self.len(), self.clocks.len());
        let nodes = &mut self.threads[thread];
        let position = nodes.len() as u32;
        match nodes.last() {
            Some(&last) => self.clocks.extend_from_within(last * self.width..(last + 1) * self.width),
            None => self.clocks.resize(start + self.width, 0),
        }
        nodes.push(node);
        self.clocks[start + thread] = position;
        self.places.push(ThreadPosition { thread: thread as u32, position });
        let (earlier, own) = self.clocks.split_at_mut(start);
        for &other in others {
            let clock = &earlier[other * self.width..][..self.width];
            own.iter_mut().zip(clock).for_each(|(own, &other)| *own = (*own).max(other));
            let ThreadPosition { thread, position } = self.places[other];
            let own = &mut own[thread as usize];
            *own = (*own).max(position + 1);
        }
        node
    }

    /// Orders two nodes. Returns `false` and changes nothing if this would be a cycle.
    pub fn add(&mut self, first: AccessId, second: AccessId) -> bool {
        if self.has(first, second) {
            return true;
        }
        if first == second || self.has(second, first) {
            return false;
        }
        let of_second = self.places[second];
        for thread in 0..self.threads.len() {
            let start = if thread == of_second.thread as usize {
                of_second.position as usize
            } else {
                self.threads[thread].partition_point(|&node| !self.has(second, node))
            };
            for index in start..self.threads[thread].len() {
                let node = self.threads[thread][index];
                // The nodes after it already have all of this.
                if self.has(first, node) {
                    break;
                }
                self.join(node, first);
            }
        }
        true
    }

    /// Puts `first`, and everything before it, before `node`.
    fn join(&mut self, node: AccessId, first: AccessId) {
        let ThreadPosition { thread: of_first, position } = self.places[first];
        for thread in 0..self.threads.len() {
            let with = self.clocks[first * self.width + thread];
            let with = if thread == of_first as usize { position + 1 } else { with };
            let own = &mut self.clocks[node * self.width + thread];
            if *own < with {
                self.log.push(ClockChange { node: node as u32, thread: thread as u32, old: *own });
                *own = with;
            }
        }
    }

    pub fn mark(&self) -> OrderMark {
        OrderMark { n_nodes: self.len(), n_changes: self.log.len() }
    }

    /// The number of changes so far: it grows exactly if unordered nodes are ordered.
    pub fn n_changes(&self) -> usize {
        self.log.len()
    }

    /// One change. If a number has grown more than once, the gains overlap.
    pub fn gain(&self, change: usize) -> Gain {
        let ClockChange { node, thread, old } = self.log[change];
        let (node, thread) = (node as usize, thread as usize);
        Gain { node, thread, from: old as usize, to: self.clocks[node * self.width + thread] as usize }
    }

    pub fn undo(&mut self, mark: OrderMark) {
        for ClockChange { node, thread, old } in self.log.drain(mark.n_changes..).rev() {
            self.clocks[node as usize * self.width + thread as usize] = old;
        }
        for place in self.places.drain(mark.n_nodes..) {
            self.threads[place.thread as usize].pop();
        }
        self.clocks.truncate(mark.n_nodes * self.width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_transitive_refuses_cycles_and_is_taken_back() {
        let mut order = AccessOrder::default();
        // Threads 0, 1 and 2 with nodes 0 1, 2 3 and 4 5.
        for node in 0..6 {
            assert_eq!(order.push(node / 2, &[]), node);
        }
        assert!(order.has(0, 1) && !order.has(1, 0) && !order.has(0, 2));
        assert!(order.add(1, 3) && order.has(0, 3) && !order.has(0, 2));
        let mark = order.mark();
        assert!(order.add(3, 4) && order.has(0, 4) && order.has(2, 5));
        assert!(!order.add(5, 2), "a cycle");
        assert!(!order.add(4, 4), "a cycle");
        let node = order.push(7, &[4]);
        assert!(order.has(0, node) && order.has(4, node) && !order.has(5, node));
        order.undo(mark);
        assert!(order.has(1, 3) && !order.has(3, 4) && !order.has(0, 4));
        assert_eq!(order.len(), 6);
        assert!(order.add(5, 2) && order.has(4, 3) && !order.has(4, 1));
    }

    #[test]
    fn gains_are_what_has_newly_come_before() {
        let mut order = AccessOrder::default();
        for node in 0..4 {
            order.push(node / 2, &[]);
        }
        assert!(order.add(1, 2));
        let gains: Vec<_> = (0..order.n_changes()).map(|change| order.gain(change)).collect();
        let found: Vec<_> = gains.iter().map(|gain| (gain.node, gain.thread, gain.from, gain.to)).collect();
        assert_eq!(found, [(2, 0, 0, 2), (3, 0, 0, 2)]);
    }

    #[test]
    fn the_next_node_comes_after_the_threads_last_one_and_what_it_joins() {
        let mut order = AccessOrder::default();
        let (a, b) = (order.push(0, &[]), order.push(1, &[]));
        let mut clock = Vec::new();
        order.next_clock(0, &[b], &mut clock);
        assert!(order.is_in(&clock, a) && order.is_in(&clock, b));
        order.next_clock(0, &[], &mut clock);
        assert!(order.is_in(&clock, a) && !order.is_in(&clock, b));
        let c = order.push(0, &[b]);
        order.next_clock(2, &[c], &mut clock);
        assert!(order.is_in(&clock, a) && order.is_in(&clock, b) && order.is_in(&clock, c));
    }
}
