//! `VerifySC` [RVF-SMC §4.1, Algorithm 1]: a sequence of all nodes in which every read sees a good write.
//!
//! The search places one node after the other, depth first, and backtracks. A state is the set of placed nodes and
//! the active (latest) write of each location: from equal states the same continuations lead to a witness, so no
//! state is branched on twice. A location is *held* while an unplaced read has all its good writes placed; then no
//! write may be placed there. Of the nodes that are first in the order among the unplaced ones,
//!
//! * a read whose active write is good may be placed, and is at once [§4.2, greedy step 1];
//! * a write to a location that is not held may be placed; at once, if neither it nor the active write is good
//!   for any read still to come [§4.2, greedy step 2];
//! * a read-modify-write is both in one step, and is never placed greedily.
//!
//! The auxiliary trace says which of several nodes to try first [§4.2, heuristic 3].

use super::instance::{AccessId, Instance};
use super::states::States;
use crate::Control;
use atropos_event::mark;

/// The active write of a location that was not written.
const INIT: u32 = u32::MAX;

/// The search, and its scratch space.
#[derive(Clone, Debug, Default)]
pub struct Verify {
    /// The placed nodes, in order: the witness in the end.
    pub sequence: Vec<AccessId>,
    /// How many nodes of each thread have been placed.
    positions: Vec<u32>,
    /// Per location: the active write, reads that hold it, and reads to come for which the initial write is good.
    active: Vec<u32>,
    n_holders: Vec<u32>,
    n_wanting_init: Vec<u32>,
    /// Per read: its good writes not yet placed. Per write: the reads to come for which it is good.
    n_missing: Vec<u32>,
    n_wanting: Vec<u32>,
    /// The place of each node in the auxiliary trace.
    ranks: Vec<u32>,
    /// What was active before each node of the sequence, for taking back.
    overwritten: Vec<u32>,
    branches: Vec<OpenChoice>,
    alternatives: Vec<AccessId>,
    /// The states from which no continuation leads to a witness. Those on the way to the current one cannot be met again:
    /// fewer nodes are placed there.
    visited: States,
    /// Scratch space: the current state.
    state: Vec<u32>,
}

/// A state with several continuations: where in `sequence` and `alternatives` it begins.
#[derive(Clone, Copy, Debug)]
struct OpenChoice {
    n_placed: usize,
    alternatives: usize,
    is_new: bool,
}

/// The settings of the search: [`super::Heuristics`].
#[derive(Clone, Copy, Debug)]
pub struct Guidance<'a> {
    /// A search that must stop returns that there is no witness.
    pub control: &'a Control,
    pub is_greedy: bool,
    /// The auxiliary trace: all nodes, or all but the last.
    pub trace: Option<&'a [AccessId]>,
}

impl Verify {
    /// Looks for a witness of `instance` that refines its order, and leaves it in `sequence`.
    pub fn solve(&mut self, instance: &Instance, guidance: Guidance<'_>) -> bool {
        self.start(instance, guidance);
        loop {
            while guidance.is_greedy && self.place_greedily(instance) {}
            if self.sequence.len() == instance.len() {
                return true;
            }
            let first = self.alternatives.len();
            let is_new = !self.is_visited();
            if is_new {
                self.find_alternatives(instance);
            }
            self.branches.push(OpenChoice { n_placed: self.sequence.len(), alternatives: first, is_new });
            if guidance.control.is_stopped() || !self.advance(instance) {
                return false;
            }
        }
    }

    /// Places the next alternative of the latest state that has one left.
    fn advance(&mut self, instance: &Instance) -> bool {
        while let Some(&OpenChoice { n_placed, alternatives, is_new }) = self.branches.last() {
            while self.sequence.len() > n_placed {
                self.take_back(instance);
            }
            if self.alternatives.len() > alternatives {
                let node = self.alternatives.pop().expect("there is one");
                self.place(instance, node);
                return true;
            }
            mark!("rvf: the search for a witness takes back a choice");
            self.branches.pop();
            if is_new {
                self.note_state();
                self.visited.insert(&self.state);
            }
        }
        false
    }

    fn start(&mut self, instance: &Instance, guidance: Guidance<'_>) {
        let (n_nodes, n_locations) = (instance.len(), instance.locations.len());
        self.sequence.clear();
        self.overwritten.clear();
        self.branches.clear();
        self.alternatives.clear();
        self.visited.clear();
        reset(&mut self.positions, instance.threads().len(), 0);
        reset(&mut self.active, n_locations, INIT);
        reset(&mut self.n_holders, n_locations, 0);
        reset(&mut self.n_wanting_init, n_locations, 0);
        reset(&mut self.n_missing, n_nodes, 0);
        reset(&mut self.n_wanting, n_nodes, 0);
        reset(&mut self.ranks, n_nodes, INIT);
        for (rank, &node) in guidance.trace.unwrap_or_default().iter().enumerate() {
            self.ranks[node] = rank as u32;
        }
        for (id, node) in instance.nodes.iter().enumerate().filter(|(_, node)| node.read.is_some()) {
            for write in instance.good(id) {
                self.n_missing[id] += 1;
                self.n_wanting[write] += 1;
            }
            self.n_wanting_init[node.loc] += u32::from(node.is_init_good);
            self.n_holders[node.loc] += u32::from(self.n_missing[id] == 0);
        }
    }

    /// The next node of a thread, if nothing has to come before it.
    fn head(&self, instance: &Instance, thread: usize) -> Option<AccessId> {
        let &node = instance.threads()[thread].get(self.positions[thread] as usize)?;
        let mut counts = self.positions.iter().zip(instance.order.clock(node));
        counts.all(|(&placed, &before)| before <= placed).then_some(node)
    }

    fn is_placed(&self, instance: &Instance, node: AccessId) -> bool {
        instance.order.is_in(&self.positions, node)
    }

    fn sees_good(&self, instance: &Instance, read: AccessId) -> bool {
        let node = &instance.nodes[read];
        match self.active[node.loc] {
            INIT => node.is_init_good,
            write => instance.is_good(read, write as usize),
        }
    }

    fn is_executable(&self, instance: &Instance, id: AccessId) -> bool {
        let node = &instance.nodes[id];
        let is_own_hold = node.read.is_some() && self.n_missing[id] == 0;
        (node.read.is_none() || self.sees_good(instance, id))
            && (node.written.is_none() || self.n_holders[node.loc] == u32::from(is_own_hold))
    }

    /// Whether the active write of the location is good for no later read.
    fn is_spent(&self, loc: usize) -> bool {
        match self.active[loc] {
            INIT => self.n_wanting_init[loc] == 0,
            write => self.n_wanting[write as usize] == 0,
        }
    }

    /// Places what can be placed without loss; returns whether there was anything.
    fn place_greedily(&mut self, instance: &Instance) -> bool {
        let mut has_placed = false;
        for thread in 0..instance.threads().len() {
            while let Some(id) = self.head(instance, thread) {
                let node = &instance.nodes[id];
                let is_harmless = if node.is_plain_read() {
                    self.sees_good(instance, id)
                } else {
                    node.is_plain_write() && self.n_wanting[id] == 0 && self.is_spent(node.loc)
                };
                if !is_harmless {
                    break;
                }
                self.place(instance, id);
                has_placed = true;
            }
        }
        has_placed
    }

    /// Whether the search has been in the current state.
    fn is_visited(&mut self) -> bool {
        !self.visited.is_empty() && {
            self.note_state();
            self.visited.contains(&self.state)
        }
    }

    fn note_state(&mut self) {
        self.state.clear();
        self.state.extend_from_slice(&self.positions);
        self.state.extend_from_slice(&self.active);
    }

    /// All nodes that may be placed next, the one to be tried first at the end.
    fn find_alternatives(&mut self, instance: &Instance) {
        let first = self.alternatives.len();
        for thread in (0..instance.threads().len()).rev() {
            if let Some(node) = self.head(instance, thread)
                && self.is_executable(instance, node)
            {
                self.alternatives.push(node);
            }
        }
        let ranks = &self.ranks;
        self.alternatives[first..].sort_by_key(|&node| std::cmp::Reverse(ranks[node]));
    }

    fn place(&mut self, instance: &Instance, id: AccessId) {
        let node = &instance.nodes[id];
        self.positions[node.thread] += 1;
        self.sequence.push(id);
        self.overwritten.push(self.active[node.loc]);
        if node.read.is_some() {
            instance.good(id).for_each(|write| self.n_wanting[write] -= 1);
            self.n_wanting_init[node.loc] -= u32::from(node.is_init_good);
            self.n_holders[node.loc] -= u32::from(self.n_missing[id] == 0);
        }
        if node.written.is_some() {
            self.active[node.loc] = id as u32;
            for &read in instance.locations[node.loc].reads.iter().filter(|&&read| instance.is_good(read, id))
            {
                self.n_missing[read] -= 1;
                let is_held = self.n_missing[read] == 0 && !self.is_placed(instance, read);
                self.n_holders[node.loc] += u32::from(is_held);
            }
        }
    }

    fn take_back(&mut self, instance: &Instance) {
        let id = self.sequence.pop().expect("a node to take back");
        let overwritten = self.overwritten.pop().expect("one for each node");
        let node = &instance.nodes[id];
        if node.written.is_some() {
            self.active[node.loc] = overwritten;
            for &read in instance.locations[node.loc].reads.iter().filter(|&&read| instance.is_good(read, id))
            {
                let is_held = self.n_missing[read] == 0 && !self.is_placed(instance, read);
                self.n_holders[node.loc] -= u32::from(is_held);
                self.n_missing[read] += 1;
            }
        }
        if node.read.is_some() {
            instance.good(id).for_each(|write| self.n_wanting[write] += 1);
            self.n_wanting_init[node.loc] += u32::from(node.is_init_good);
            self.n_holders[node.loc] += u32::from(self.n_missing[id] == 0);
        }
        self.positions[node.thread] -= 1;
    }
}

fn reset<T: Clone>(list: &mut Vec<T>, len: usize, value: T) {
    list.clear();
    list.resize(len, value);
}
