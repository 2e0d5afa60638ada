//! The closure [RVF-SMC §4.2]: what every witness has in common.
//!
//! For a read `r` let `Cl(r)` be its good writes that the order leaves visible to it. Until nothing changes:
//!
//! 1. `Cl(r)` must not be empty;
//! 2. the least element of `Cl(r)`, if there is one, comes before `r`;
//! 3. a bad write before `r` comes before the greatest element of `Cl(r)`, if there is one;
//! 4. a bad write after all of `Cl(r)` comes after `r`.
//!
//! The initial write comes before everything. A read-modify-write is one node, so rule 4 also forbids two of them
//! to share their only source. If the rules cannot be satisfied there is no witness; else every witness refines
//! the order. Good writes are fixed when a read is added and later writes are bad for it, so the order that was
//! found for fewer nodes is where the search for more of them starts. Of the reads, only those of a location are looked
//! at where something has changed: a node is new, or an access has become related to one of the location's writes.

use crate::instance::{Instance, NodeId};
use crate::order::Gain;
use crate::rows::{bits, has};

/// Scratch of [`Closure::close`].
#[derive(Clone, Debug, Default)]
pub struct Closure {
    candidates: Vec<NodeId>,
    bad: Vec<u64>,
    /// The locations to look at, as a list and as flags.
    open: Vec<usize>,
    is_open: Vec<bool>,
}

impl Closure {
    /// Adds to the order of `instance` what the rules demand. `false`: there is no witness.
    pub fn close(&mut self, instance: &mut Instance) -> bool {
        self.start(instance);
        while let Some(loc) = self.open.pop() {
            self.is_open[loc] = false;
            for index in 0..instance.locations[loc].reads.len() {
                let read = instance.locations[loc].reads[index];
                let n_changes = instance.order.n_changes();
                if !self.apply(instance, read) {
                    return false;
                }
                self.note_changes(instance, n_changes);
            }
        }
        instance.note_closed();
        true
    }

    /// Opens the locations where something has changed since the order was closed last.
    fn start(&mut self, instance: &Instance) {
        self.open.clear();
        self.is_open.clear();
        self.is_open.resize(instance.locations.len(), false);
        let (n_nodes, n_changes) = instance.last_closed();
        for node in &instance.nodes[n_nodes..] {
            self.open(node.loc);
        }
        self.note_changes(instance, n_changes);
    }

    fn open(&mut self, loc: usize) {
        if !std::mem::replace(&mut self.is_open[loc], true) {
            self.open.push(loc);
        }
    }

    fn note_changes(&mut self, instance: &Instance, since: usize) {
        for (node, Gain { word, bits }) in instance.order.changes(since) {
            let loc = instance.nodes[node].loc;
            if bits & instance.written(loc)[word] != 0 {
                self.open(loc);
            }
        }
    }

    fn apply(&mut self, instance: &mut Instance, read: NodeId) -> bool {
        let is_init_visible = self.find_visible(instance, read);
        let Some(&first) = self.candidates.first() else {
            return is_init_visible && self.after_init(instance, read);
        };
        let order = &mut instance.order;
        let all = &self.candidates;
        if !is_init_visible {
            let is_least =
                |&least: &NodeId| all.iter().all(|&write| write == least || order.has(least, write));
            let least = if all.len() == 1 { Some(first) } else { all.iter().copied().find(is_least) };
            if let Some(least) = least
                && !order.add(least, read)
            {
                return false;
            }
        }
        let is_greatest = |&most: &NodeId| all.iter().all(|&write| write == most || order.has(write, most));
        let greatest = if all.len() == 1 { Some(first) } else { all.iter().copied().find(is_greatest) };
        greatest.is_none_or(|greatest| self.order_before(instance, read, greatest))
            && self.order_after(instance, read)
    }

    /// Rule 3.
    fn order_before(&mut self, instance: &mut Instance, read: NodeId, greatest: NodeId) -> bool {
        let order = &instance.order;
        let (before, below) = (order.before(read), order.before(greatest));
        self.find_bad(instance, read, |_, word| before[word] & !below[word]);
        bits(&self.bad).all(|bad| instance.order.add(bad, greatest))
    }

    /// Rule 4.
    fn order_after(&mut self, instance: &mut Instance, read: NodeId) -> bool {
        let order = &instance.order;
        let after = order.after(read);
        self.find_bad(instance, read, |candidates, word| {
            candidates.iter().fold(!after[word], |all, &write| all & order.after(write)[word])
        });
        bits(&self.bad).all(|bad| instance.order.add(read, bad))
    }

    /// Keeps the bad writes of `read` among the nodes that are given by words.
    fn find_bad(&mut self, instance: &Instance, read: NodeId, nodes: impl Fn(&[NodeId], usize) -> u64) {
        let (written, good) = (instance.written(instance.nodes[read].loc), instance.good(read));
        let Closure { candidates, bad, .. } = self;
        bad.clear();
        bad.extend((0..written.len()).map(|word| nodes(candidates, word) & written[word] & !good[word]));
        bad[read / 64] &= !(1 << (read % 64));
    }

    /// Fills `candidates` with `Cl(read)` less the initial write; answers whether that is in `Cl(read)`.
    fn find_visible(&mut self, instance: &Instance, read: NodeId) -> bool {
        let (node, order) = (&instance.nodes[read], &instance.order);
        let (before, after) = (order.before(read), order.after(read));
        let written = instance.written(node.loc);
        let is_hidden = |write: NodeId| {
            let between = order.after(write).iter().zip(before).zip(written);
            has(after, write)
                || between.into_iter().any(|((&later, &earlier), &written)| later & earlier & written != 0)
        };
        self.candidates.clear();
        self.candidates.extend(bits(instance.good(read)).filter(|&write| !is_hidden(write)));
        node.is_init_good && before.iter().zip(written).all(|(&before, &written)| before & written == 0)
    }

    /// Rule 4 for a read that only the initial write is left to: all writes come after it.
    fn after_init(&mut self, instance: &mut Instance, read: NodeId) -> bool {
        // A good write that is not visible is behind the read, or would hide the initial one.
        let rows = instance.written(instance.nodes[read].loc).iter().zip(instance.order.after(read));
        self.bad.clear();
        self.bad.extend(rows.map(|(&written, &after)| written & !after));
        self.bad[read / 64] &= !(1 << (read % 64));
        bits(&self.bad).all(|write| instance.order.add(read, write))
    }
}
