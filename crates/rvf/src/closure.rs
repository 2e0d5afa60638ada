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
//! found for fewer nodes is where the search for more of them starts.

use crate::instance::{Instance, NodeId};
use crate::rows::{bits, has};

/// Scratch of [`Closure::close`].
#[derive(Clone, Debug, Default)]
pub struct Closure {
    candidates: Vec<NodeId>,
    bad: Vec<NodeId>,
}

impl Closure {
    /// Adds to the order of `instance` what the rules demand. `false`: there is no witness.
    pub fn close(&mut self, instance: &mut Instance) -> bool {
        loop {
            let n_changes = instance.order.n_changes();
            for loc in 0..instance.locations.len() {
                for index in 0..instance.locations[loc].reads.len() {
                    let read = instance.locations[loc].reads[index];
                    if !self.apply(instance, read) {
                        return false;
                    }
                }
            }
            if instance.order.n_changes() == n_changes {
                return true;
            }
        }
    }

    fn apply(&mut self, instance: &mut Instance, read: NodeId) -> bool {
        let loc = instance.nodes[read].loc;
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
        self.bad.clear();
        self.bad.extend(
            instance.locations[loc]
                .writes
                .iter()
                .filter(|&&write| write != read && !has(instance.good(read), write)),
        );
        let order = &mut instance.order;
        for &bad in &self.bad {
            if let Some(greatest) = greatest
                && order.has(bad, read)
                && !order.add(bad, greatest)
            {
                return false;
            }
            if all.iter().all(|&write| order.has(write, bad)) && !order.add(read, bad) {
                return false;
            }
        }
        true
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
        let loc = instance.nodes[read].loc;
        (0..instance.locations[loc].writes.len()).all(|index| {
            let write = instance.locations[loc].writes[index];
            // A good write that is not visible is behind the read, or would hide the initial one.
            write == read || instance.order.add(read, write)
        })
    }
}
