//! The input of `VerifySC`: accesses, their order, and the good writes of each read [RVF-SMC §4].
//!
//! A [`Node`] is one access: a read, a write, or a read-modify-write that succeeds, which is both and never split.
//! The order starts as program order with the creation and joining of threads, so only accesses need to be nodes.
//! Nodes are added and removed at the end.

use super::order::{Mark, Order};
use super::rows::Rows;
use atropos_event::Value;

/// A node's number, in the order of addition.
pub type NodeId = usize;

#[derive(Clone, Copy, Debug)]
pub struct Node {
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

impl Node {
    pub fn is_plain_read(&self) -> bool {
        self.written.is_none()
    }

    pub fn is_plain_write(&self) -> bool {
        self.read.is_none()
    }
}

/// The nodes of one location.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    pub reads: Vec<NodeId>,
    pub writes: Vec<NodeId>,
}

#[derive(Clone, Debug, Default)]
pub struct Instance {
    pub nodes: Vec<Node>,
    pub locations: Vec<Accesses>,
    pub order: Order,
    /// The good writes of each node that reads.
    good: Rows,
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

    pub fn is_good(&self, read: NodeId, write: NodeId) -> bool {
        self.good.has(read, write)
    }

    pub fn good(&self, read: NodeId) -> &[u64] {
        self.good.row(read)
    }

    pub fn is_write_of(&self, loc: usize, node: NodeId) -> bool {
        let node = &self.nodes[node];
        node.loc == loc && node.written.is_some()
    }

    /// The nodes of each thread in program order.
    pub fn threads(&self) -> &[Vec<NodeId>] {
        self.order.threads()
    }

    /// Finds the writes of a location among the nodes that `clock` counts, except some that others of them hide.
    pub fn find_latest(&self, loc: usize, clock: &[u32], latest: &mut Vec<NodeId>) {
        latest.clear();
        for &write in self.locations[loc].writes.iter().rev() {
            if self.order.is_in(clock, write) && !self.is_hidden(write, latest) {
                latest.push(write);
            }
        }
    }

    /// Whether the write comes before another one.
    pub fn is_hidden(&self, write: NodeId, by: &[NodeId]) -> bool {
        by.iter().any(|&later| self.order.has(write, later))
    }

    /// Adds a node at the end of its thread, after the nodes `others` of other threads.
    pub fn push(&mut self, node: Node, others: &[NodeId]) -> NodeId {
        let id = self.order.push(node.thread, others);
        self.good.widen(id + 1);
        self.good.push();
        while self.locations.len() <= node.loc {
            self.locations.push(Accesses::default());
        }
        let accesses = &mut self.locations[node.loc];
        if node.read.is_some() {
            accesses.reads.push(id);
        }
        if node.written.is_some() {
            accesses.writes.push(id);
        }
        self.nodes.push(node);
        id
    }

    pub fn add_good(&mut self, read: NodeId, write: NodeId) {
        self.good.set(read, write);
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
    pub fn pop(&mut self, mark: Mark) {
        let id = self.nodes.len() - 1;
        let node = self.nodes.pop().expect("a node to take back");
        let accesses = &mut self.locations[node.loc];
        if node.read.is_some() {
            accesses.reads.pop();
        }
        if node.written.is_some() {
            accesses.writes.pop();
        }
        self.good.truncate(id);
        self.order.undo(mark);
        let is_over =
            |&(n_nodes, n_changes): &(usize, usize)| n_nodes > id || n_changes > self.order.n_changes();
        while self.closed.last().is_some_and(is_over) {
            self.closed.pop();
        }
    }
}
