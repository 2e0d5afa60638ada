//! The input of `VerifySC`: accesses, their order, and the good writes of each read [RVF-SMC §4].
//!
//! An [`AccessNode`] is one access: a read, a write, or a read-modify-write that succeeds, which is both and never split.
//! The order starts as program order with the creation and joining of threads, so only accesses need to be nodes.
//! Nodes are added and removed at the end.
//!
//! A thread that works alone must not look at all it has done. So a write of a location with many records whether it
//! comes after all earlier ones: what comes after it need not look at them.

use super::good::GoodWrites;
use super::order::{AccessOrder, OrderMark};
use atropos_event::Value;

/// A node's number, in the order of addition.
pub type AccessId = usize;

#[derive(Clone, Copy, Debug)]
pub struct AccessNode {
    pub thread: usize,
    /// Its place among all steps of the thread.
    pub step: usize,
    pub loc: usize,
    /// The value read, if it reads.
    pub read: Option<Value>,
    /// The value written, if it writes.
    pub written: Option<Value>,
    /// The initial write is among the good writes.
    pub is_init_good: bool,
}

impl AccessNode {
    pub fn is_plain_read(&self) -> bool {
        self.written.is_none()
    }

    pub fn is_plain_write(&self) -> bool {
        self.read.is_none()
    }
}

/// The nodes of one location.
#[derive(Clone, Debug, Default)]
pub struct LocationAccesses {
    pub reads: Vec<AccessId>,
    pub writes: Vec<AccessId>,
    /// Per write: whether it is known to come after all earlier ones. Only if there are many.
    is_after_all: Vec<bool>,
}

/// Lists of accesses that are not longer are searched from end to end. Tests, whose programs are small, have shorter ones.
pub const LONG_LIST: usize = if cfg!(debug_assertions) { 2 } else { 16 };

#[derive(Clone, Debug, Default)]
pub struct Instance {
    pub nodes: Vec<AccessNode>,
    pub locations: Vec<LocationAccesses>,
    pub order: AccessOrder,
    /// The good writes of each node that reads.
    good: GoodWrites,
    /// When the order was last closed: the numbers of nodes and of changes then.
    closed: Vec<(usize, usize)>,
}

impl Instance {
    /// An instance of `n_threads` threads without a node.
    pub fn with_threads(n_threads: usize) -> Self {
        let mut instance = Instance::default();
        instance.order.widen(n_threads);
        instance
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_good(&self, read: AccessId, write: AccessId) -> bool {
        self.good.has(read, write)
    }

    pub fn good(&self, read: AccessId) -> impl Iterator<Item = AccessId> + '_ {
        self.good.of(read)
    }

    pub fn is_write_of(&self, loc: usize, node: AccessId) -> bool {
        let node = &self.nodes[node];
        node.loc == loc && node.written.is_some()
    }

    /// The nodes of each thread in program order.
    pub fn threads(&self) -> &[Vec<AccessId>] {
        self.order.threads()
    }

    /// Finds the writes of a location among the nodes that `clock` counts, except some that others of them hide. Returns
    /// a number of writes of the location, from the first, that are hidden.
    pub fn find_latest(&self, loc: usize, clock: &[u32], latest: &mut Vec<AccessId>) -> usize {
        latest.clear();
        let n_hidden = self.n_hidden(loc, |write| self.order.is_in(clock, write));
        for &write in self.locations[loc].writes[n_hidden..].iter().rev() {
            if self.order.is_in(clock, write) && !self.is_hidden(write, latest) {
                latest.push(write);
            }
        }
        n_hidden
    }

    /// How many writes of a location come before the latest one with a property that is known to come after all earlier
    /// ones.
    pub fn n_hidden(&self, loc: usize, mut has: impl FnMut(AccessId) -> bool) -> usize {
        let LocationAccesses { writes, is_after_all, .. } = &self.locations[loc];
        if writes.len() <= LONG_LIST {
            return 0;
        }
        let mut places = (0..writes.len()).rev();
        places.find(|&place| is_after_all[place] && has(writes[place])).unwrap_or(0)
    }

    /// Whether the new write comes after all earlier ones of its location.
    fn is_after_all(&self, loc: usize, write: AccessId) -> bool {
        let LocationAccesses { writes, is_after_all, .. } = &self.locations[loc];
        let Some((last, earlier)) = writes.split_last().filter(|_| writes.len() >= LONG_LIST) else {
            return false;
        };
        self.order.has(*last, write)
            && (is_after_all[earlier.len()] || earlier.iter().all(|&other| self.order.has(other, write)))
    }

    /// Whether the write comes before another one.
    pub fn is_hidden(&self, write: AccessId, by: &[AccessId]) -> bool {
        by.iter().any(|&later| self.order.has(write, later))
    }

    /// Adds a node at the end of its thread, after the nodes `others` of other threads.
    pub fn push(&mut self, node: AccessNode, others: &[AccessId]) -> AccessId {
        let id = self.order.push(node.thread, others);
        self.good.push();
        while self.locations.len() <= node.loc {
            self.locations.push(LocationAccesses::default());
        }
        let is_after_all = node.written.is_some() && self.is_after_all(node.loc, id);
        let accesses = &mut self.locations[node.loc];
        if node.read.is_some() {
            accesses.reads.push(id);
        }
        if node.written.is_some() {
            accesses.writes.push(id);
            accesses.is_after_all.push(is_after_all);
        }
        self.nodes.push(node);
        id
    }

    pub fn add_good(&mut self, read: AccessId, write: AccessId) {
        self.good.add(read, write);
    }

    /// The present order is closed: see [`super::closure`].
    pub fn note_closed(&mut self) {
        self.closed.push((self.len(), self.order.n_changes()));
    }

    /// The numbers of nodes and of changes when the order was last closed.
    pub fn last_closed(&self) -> (usize, usize) {
        self.closed.last().copied().unwrap_or_default()
    }

    /// Takes back the last node, and the order to what it was before it.
    pub fn pop(&mut self, mark: OrderMark) {
        let id = self.nodes.len() - 1;
        let node = self.nodes.pop().expect("a node to take back");
        let accesses = &mut self.locations[node.loc];
        if node.read.is_some() {
            accesses.reads.pop();
        }
        if node.written.is_some() {
            accesses.writes.pop();
            accesses.is_after_all.pop();
        }
        self.good.pop();
        self.order.undo(mark);
        let is_over =
            |&(n_nodes, n_changes): &(usize, usize)| n_nodes > id || n_changes > self.order.n_changes();
        while self.closed.last().is_some_and(is_over) {
            self.closed.pop();
        }
    }
}
