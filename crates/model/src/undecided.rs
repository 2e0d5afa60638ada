//! Partially decided coherence orders.
//!
//! The writes of a location form chains ([`crate::chains`]), and a coherence order is an order of the chains. This is
//! a transitively closed partial order of the chains of some locations, to which a search adds one pair after the
//! other. An axiom whose violations only grow with `co` can be judged at any time: if the decided part violates it,
//! so does every completion.

use crate::chains::{ChainLists, Chains};
use crate::closure::write_of;
use crate::psc::Coherence;
use atropos_event::bits::{self, words_for};
use atropos_graph::{Clock, Graph, LocId, Slot};

/// The chains of a location.
#[derive(Clone, Copy, Debug)]
struct Block {
    n_chains: usize,
    /// Where its rows start in [`Undecided::before`].
    start: usize,
}

impl Block {
    fn words(&self) -> usize {
        words_for(self.n_chains)
    }

    fn row(&self, chain: usize) -> std::ops::Range<usize> {
        let start = self.start + chain * self.words();
        start..start + self.words()
    }
}

/// Two chains of a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    block: usize,
    first: usize,
    second: usize,
}

impl Pair {
    pub fn reversed(self) -> Pair {
        Pair { first: self.second, second: self.first, ..self }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Undecided {
    blocks: Vec<Block>,
    /// Per location: its block.
    block_of: Vec<Option<usize>>,
    /// Per slot that holds a write of these locations: its chain and its place in the chain.
    places: Vec<(u32, u32)>,
    /// The writes of each chain, one chain after the other, block after block.
    writes: Vec<Vec<Vec<Slot>>>,
    /// Row `a` of a block holds the chains that `a` is before.
    before: Vec<u64>,
    /// The decisions at earlier points of the search.
    saved: Vec<u64>,
}

impl Undecided {
    pub fn start(&mut self, graph: &Graph) {
        self.blocks.clear();
        self.writes.clear();
        self.before.clear();
        self.saved.clear();
        self.block_of.clear();
        self.block_of.resize(graph.locations().len(), None);
        self.places.clear();
        self.places.resize(graph.len(), (0, 0));
    }

    /// Enters a location with the demands of coherence on its order; `false` if it has none.
    pub fn enter<'g>(
        &mut self,
        graph: &'g Graph,
        chains: &mut Chains,
        loc: LocId,
        hb: impl Fn(Slot) -> &'g Clock,
    ) -> bool {
        let Some(ChainLists { lists, demands }) = chains.lists(graph, loc, hb) else { return false };
        let block = Block { n_chains: lists.len(), start: self.before.len() };
        self.before.resize(block.start + block.n_chains * block.words(), 0);
        for (chain, list) in lists.iter().enumerate() {
            for (place, write) in list.iter().enumerate().filter(|(_, write)| !write.is_init()) {
                self.places[write.index()] = (chain as u32, place as u32);
            }
        }
        self.block_of[loc.index()] = Some(self.blocks.len());
        let initial = (1..block.n_chains).map(|chain| (0, chain));
        let number = self.blocks.len();
        self.blocks.push(block);
        self.writes.push(lists);
        let mut pairs = initial.chain(demands);
        pairs.all(|(first, second)| self.decide(Pair { block: number, first, second }))
    }

    /// Decides that the writes of the accesses `last` are the last of their locations; `false` if that is impossible.
    pub fn put_last(&mut self, graph: &Graph, last: &[Slot]) -> bool {
        last.iter().all(|&access| {
            let write = write_of(graph, access);
            let Some(block) = self.block_of[graph.event(access).loc.index()] else { return true };
            let (second, _) = self.place_of(write);
            self.writes[block][second].last() == Some(&write)
                && (0..self.blocks[block].n_chains)
                    .all(|first| first == second || self.decide(Pair { block, first, second }))
        })
    }

    /// Orders two chains, and all that follows by transitivity; `false` if they have the other order.
    pub fn decide(&mut self, pair: Pair) -> bool {
        let Pair { block, first, second } = pair;
        if first == second || self.is_decided(pair.reversed()) {
            return false;
        }
        let block = self.blocks[block];
        let to = block.row(second);
        for chain in 0..block.n_chains {
            let row = block.row(chain);
            if chain == first || bits::has(&self.before[row.clone()], first) {
                for word in 0..block.words() {
                    self.before[row.start + word] |= self.before[to.start + word];
                }
                bits::set(&mut self.before[row], second);
            }
        }
        true
    }

    fn is_decided(&self, Pair { block, first, second }: Pair) -> bool {
        bits::has(&self.before[self.blocks[block].row(first)], second)
    }

    /// The undecided pairs, in canonical order.
    pub fn open_pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        (0..self.blocks.len()).flat_map(move |block| {
            let n = self.blocks[block].n_chains;
            let pairs = (0..n).flat_map(move |first| (first + 1..n).map(move |second| (first, second)));
            let pairs = pairs.map(move |(first, second)| Pair { block, first, second });
            pairs.filter(|&pair| !self.is_decided(pair) && !self.is_decided(pair.reversed()))
        })
    }

    /// Decides all open pairs: among the chains that may come next, the first in canonical order does.
    pub fn complete(&mut self) {
        for block in 0..self.blocks.len() {
            let order = self.order(block);
            for (&first, &second) in order.iter().zip(&order[1..]) {
                let is_possible = self.decide(Pair { block, first, second });
                assert!(is_possible, "a topological order respects what is decided");
            }
        }
    }

    /// The chains of a block in an order that respects the decisions.
    fn order(&self, block: usize) -> Vec<usize> {
        let n = self.blocks[block].n_chains;
        let mut left: Vec<usize> = (0..n).collect();
        let mut order = Vec::with_capacity(n);
        while !left.is_empty() {
            let is_next = |second: &usize| {
                !left.iter().any(|&first| self.is_decided(Pair { block, first, second: *second }))
            };
            let next = left.iter().position(is_next).expect("what is decided has no cycle");
            order.push(left.remove(next));
        }
        order
    }

    /// The writes of `loc` in an order that respects the decisions, if the location was entered.
    pub fn writes(&self, loc: LocId) -> Option<impl Iterator<Item = Slot> + '_> {
        let block = self.block_of[loc.index()]?;
        let lists = &self.writes[block];
        Some(self.order(block).into_iter().flat_map(move |chain| lists[chain].iter().copied()))
    }

    /// Saves the decisions for [`Undecided::restore`].
    pub fn save(&mut self) {
        self.saved.extend_from_slice(&self.before);
    }

    /// Returns to the decisions of the last [`Undecided::save`] that was not dropped.
    pub fn restore(&mut self) {
        let start = self.saved.len() - self.before.len();
        self.before.copy_from_slice(&self.saved[start..]);
    }

    /// Drops the last [`Undecided::save`].
    pub fn drop_saved(&mut self) {
        self.saved.truncate(self.saved.len() - self.before.len());
    }

    fn place_of(&self, write: Slot) -> (usize, u32) {
        if write.is_init() {
            return (0, 0);
        }
        let (chain, place) = self.places[write.index()];
        (chain as usize, place)
    }
}

impl Coherence for Undecided {
    fn is_co(&self, _graph: &Graph, loc: LocId, first: Slot, second: Slot) -> bool {
        let Some(block) = self.block_of[loc.index()] else { return false };
        let ((chain, place), (other_chain, other_place)) = (self.place_of(first), self.place_of(second));
        if chain == other_chain {
            place < other_place
        } else {
            self.is_decided(Pair { block, first: chain, second: other_chain })
        }
    }

    fn is_eco_from(
        &self,
        graph: &Graph,
        loc: LocId,
        mut from: impl Iterator<Item = Slot>,
        to: impl Iterator<Item = Slot> + Clone,
    ) -> bool {
        let is_eco = |first: Slot, second: Slot| {
            let (source, other) = (write_of(graph, first), write_of(graph, second));
            if source == other {
                graph.event(first).is_write() && graph.event(second).is_read()
            } else {
                self.is_co(graph, loc, source, other)
            }
        };
        from.any(|first| to.clone().any(|second| is_eco(first, second)))
    }
}
