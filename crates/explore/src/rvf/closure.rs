//! The closure [RVF-SMC §4.2]: what every witness has in common.
//!
//! For a read `r` let `Cl(r)` be its good writes that the order leaves visible to it. Until nothing changes:
//!
//! 1. `Cl(r)` must not be empty;
//! 2. the least element of `Cl(r)`, if there is one, comes before `r`;
//! 3. a bad write before `r` comes before the greatest element of `Cl(r)`, if there is one;
//! 4. a bad write after all of `Cl(r)` comes after `r`.
//!
//! The initial write comes before everything. A read-modify-write is one node, so rule 4 also forbids two of them to
//! share their only source. If the rules cannot be satisfied there is no witness; otherwise every witness refines the
//! order. Good writes are fixed when a read is added and later writes are bad for it, so the closure of more nodes
//! starts from the order found for fewer. Only reads that a change concerns are visited: the read is new, or a write
//! of its location that does not come after it is, or two accesses of it have become related.

use super::instance::{AccessId, Instance, LONG_LIST};
use super::order::Gain;

/// Scratch of [`WitnessClosure::close`].
#[derive(Clone, Debug, Default)]
pub struct WitnessClosure {
    /// Relevant writes before the current read: see [`Instance::find_latest`].
    latest: Vec<AccessId>,
    candidates: Vec<AccessId>,
    /// The reads to visit, as a list and as flags.
    open: Vec<AccessId>,
    is_open: Vec<bool>,
}

impl WitnessClosure {
    /// Adds to the order of `instance` what the rules demand; `false` if there is no witness.
    pub fn close(&mut self, instance: &mut Instance) -> bool {
        self.start(instance);
        while let Some(read) = self.open.pop() {
            self.is_open[read] = false;
            let n_changes = instance.order.n_changes();
            if !self.apply(instance, read) {
                self.open.drain(..).for_each(|read| self.is_open[read] = false);
                return false;
            }
            self.note_gains(instance, n_changes);
        }
        instance.note_closed();
        true
    }

    /// Opens the reads that a change concerns since the order was last closed.
    fn start(&mut self, instance: &Instance) {
        if self.is_open.len() < instance.len() {
            self.is_open.resize(instance.len(), false);
        }
        let (n_nodes, n_changes) = instance.last_closed();
        for node in n_nodes..instance.len() {
            match instance.nodes[node].is_plain_read() {
                true => self.open(node),
                false => self.open_unordered(instance, node),
            }
        }
        self.note_gains(instance, n_changes);
    }

    fn open(&mut self, read: AccessId) {
        if !std::mem::replace(&mut self.is_open[read], true) {
            self.open.push(read);
        }
    }

    /// Opens the reads of its location that do not come before the new write.
    fn open_unordered(&mut self, instance: &Instance, write: AccessId) {
        let loc = instance.nodes[write].loc;
        let reads = &instance.locations[loc].reads;
        if reads.len() <= LONG_LIST {
            return reads
                .iter()
                .filter(|&&read| !instance.order.has(read, write))
                .for_each(|&read| self.open(read));
        }
        for (nodes, &n_before) in instance.threads().iter().zip(instance.order.clock(write)) {
            let others = nodes[n_before as usize..].iter().copied();
            let is_read =
                |&node: &AccessId| instance.nodes[node].loc == loc && instance.nodes[node].read.is_some();
            others.filter(is_read).for_each(|read| self.open(read));
        }
    }

    fn open_all(&mut self, instance: &Instance, loc: usize) {
        for &read in &instance.locations[loc].reads {
            self.open(read);
        }
    }

    /// Opens the reads that a change of the order concerns: a read and a write of its location have become related,
    /// or two of its writes.
    fn note_gains(&mut self, instance: &Instance, since: usize) {
        for change in since..instance.order.n_changes() {
            let Gain { node: later, thread, from, to } = instance.order.gain(change);
            let of_later = &instance.nodes[later];
            for &earlier in &instance.threads()[thread][from..to] {
                let of_earlier = &instance.nodes[earlier];
                if of_earlier.loc != of_later.loc {
                    continue;
                }
                match (of_earlier.is_plain_read(), of_later.is_plain_read()) {
                    (true, true) => {}
                    (true, false) => self.open(earlier),
                    (false, true) => self.open(later),
                    (false, false) => self.open_all(instance, of_later.loc),
                }
            }
        }
    }

    fn apply(&mut self, instance: &mut Instance, read: AccessId) -> bool {
        let is_init_visible = self.find_visible(instance, read);
        if self.candidates.is_empty() && !is_init_visible {
            return false;
        }
        let order = &mut instance.order;
        let is_least = |&least: &AccessId| {
            self.candidates.iter().all(|&write| write == least || order.has(least, write))
        };
        if !is_init_visible
            && let Some(least) = self.candidates.iter().copied().find(is_least)
            && !order.add(least, read)
        {
            return false;
        }
        let is_greatest =
            |&most: &AccessId| self.candidates.iter().all(|&write| write == most || order.has(write, most));
        let greatest = self.candidates.iter().copied().find(is_greatest);
        greatest.is_none_or(|greatest| self.order_before(instance, read, greatest))
            && self.order_after(instance, read)
    }

    /// Rule 3. A hidden write comes before one of the latest.
    fn order_before(&mut self, instance: &mut Instance, read: AccessId, greatest: AccessId) -> bool {
        self.latest.iter().all(|&write| instance.is_good(read, write) || instance.order.add(write, greatest))
    }

    /// Rule 4. What comes before the read does not come after all of its sources.
    fn order_after(&mut self, instance: &mut Instance, read: AccessId) -> bool {
        let loc = instance.nodes[read].loc;
        let n_before = instance.n_hidden(loc, |write| write == read || instance.order.has(write, read));
        for index in n_before..instance.locations[loc].writes.len() {
            let write = instance.locations[loc].writes[index];
            let order = &mut instance.order;
            let is_later = write != read
                && !order.has(read, write)
                && self.candidates.iter().all(|&candidate| order.has(candidate, write));
            if is_later && !instance.is_good(read, write) && !instance.order.add(read, write) {
                return false;
            }
        }
        true
    }

    /// Fills `candidates` with `Cl(read)` without the initial write; returns whether that is in `Cl(read)`.
    fn find_visible(&mut self, instance: &Instance, read: AccessId) -> bool {
        let (node, order) = (&instance.nodes[read], &instance.order);
        let WitnessClosure { latest, candidates, .. } = self;
        instance.find_latest(node.loc, order.clock(read), latest);
        // One of the latest hides each other write before the read.
        let is_visible = |write: AccessId| !order.has(read, write) && !instance.is_hidden(write, latest);
        candidates.clear();
        candidates.extend(instance.good(read).filter(|&write| is_visible(write)));
        node.is_init_good && latest.is_empty()
    }
}
