//! Partially decided coherence orders.
//!
//! The writes of a location form chains ([`crate::chains`]), and a coherence order is an order of the chains. This is
//! a transitively closed partial order of the chains of some locations, to which a search adds one pair after the
//! other. An axiom whose violations only grow with `co` can be judged at any time: if the decided part violates it,
//! so does every completion.
//!
//! Program order decides the order of the chains that start in one thread, a *lane*. So what comes before a chain is
//! a clock: the number of chains of each lane.

use crate::chains::{ChainLists, Chains};
use crate::closure::write_of;
use crate::psc::Coherence;
use atropos_graph::{Clock, Graph, LocId, Slot};

/// The chains of a location: that of the initial write, then those of one lane after the other.
#[derive(Clone, Debug)]
struct Block {
    n_chains: usize,
    /// Per lane: its first chain. The initial write is a lane of its own.
    lanes: Vec<usize>,
    /// Per chain: its lane.
    lane_of: Vec<usize>,
    /// Where its clocks start in [`Undecided::before`].
    start: usize,
}

impl Block {
    fn new(graph: &Graph, lists: &[Vec<Slot>], start: usize) -> Block {
        let thread = |chain: usize| match lists[chain][0] {
            Slot::INIT => None,
            head => Some(graph.event(head).id.thread()),
        };
        let (mut lanes, mut lane_of) = (Vec::new(), Vec::new());
        for chain in 0..lists.len() {
            if chain == 0 || thread(chain) != thread(chain - 1) {
                lanes.push(chain);
            }
            lane_of.push(lanes.len() - 1);
        }
        Block { n_chains: lists.len(), lanes, lane_of, start }
    }

    fn clock(&self, chain: usize) -> std::ops::Range<usize> {
        let start = self.start + chain * self.lanes.len();
        start..start + self.lanes.len()
    }

    /// The chains of a lane.
    fn lane(&self, lane: usize) -> std::ops::Range<usize> {
        self.lanes[lane]..self.lanes.get(lane + 1).copied().unwrap_or(self.n_chains)
    }

    /// The number of chains of its lane up to this one.
    fn height(&self, chain: usize) -> u32 {
        (chain - self.lanes[self.lane_of[chain]]) as u32 + 1
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
    /// Per chain, block after block: how many chains of each lane come before it.
    before: Vec<u32>,
    /// The decisions at earlier points of the search.
    saved: Vec<u32>,
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
        let Some(ChainLists { lists, mut demands }) = chains.lists(graph, loc, hb) else { return false };
        let block = Block::new(graph, &lists, self.before.len());
        for chain in 0..block.n_chains {
            let clock = self.before.len()..self.before.len() + block.lanes.len();
            self.before.resize(clock.end, 0);
            self.before[clock.start] = 1;
            self.before[clock.start + block.lane_of[chain]] = block.height(chain) - 1;
        }
        for (chain, list) in lists.iter().enumerate() {
            for (place, write) in list.iter().enumerate().filter(|(_, write)| !write.is_init()) {
                self.places[write.index()] = (chain as u32, place as u32);
            }
        }
        let number = self.blocks.len();
        self.block_of[loc.index()] = Some(number);
        self.blocks.push(block);
        self.writes.push(lists);
        // From the last chains down, so that little has to be passed on.
        demands.sort_unstable_by_key(|&(_, second)| std::cmp::Reverse(second));
        demands.into_iter().all(|(first, second)| self.decide(Pair { block: number, first, second }))
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
        if self.is_decided(pair) {
            return true;
        }
        let block = &self.blocks[block];
        let (lane, height) = (block.lane_of[second], block.height(second));
        for other in 0..block.lanes.len() {
            let chains = block.lane(other);
            let start = match other == lane {
                true => second,
                false => first_after(chains.clone(), |chain| {
                    self.before[block.clock(chain).start + lane] >= height
                }),
            };
            for chain in start..chains.end {
                let mut has_changed = false;
                for (at, (to, from)) in block.clock(chain).zip(block.clock(first)).enumerate() {
                    let own = if at == block.lane_of[first] { block.height(first) } else { 0 };
                    let n_before = self.before[from].max(own);
                    has_changed |= self.before[to] < n_before;
                    self.before[to] = self.before[to].max(n_before);
                }
                // What comes before a chain comes before the later ones of its lane.
                if !has_changed {
                    break;
                }
            }
        }
        true
    }

    fn is_decided(&self, Pair { block, first, second }: Pair) -> bool {
        let block = &self.blocks[block];
        let known = self.before[block.clock(second).start + block.lane_of[first]];
        first != second && known >= block.height(first)
    }

    /// The undecided pairs, in canonical order.
    pub fn open_pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        (0..self.blocks.len()).flat_map(move |number| {
            let block = &self.blocks[number];
            (0..block.n_chains).flat_map(move |first| {
                let later = block.lane_of[first] + 1..block.lanes.len();
                later.flat_map(move |lane| {
                    let n_before = self.before[block.clock(first).start + lane] as usize;
                    let pairs = block.lane(lane).skip(n_before);
                    let pairs = pairs.map(move |second| Pair { block: number, first, second });
                    pairs.take_while(|&pair| !self.is_decided(pair))
                })
            })
        })
    }

    /// Decides all open pairs: among the chains that may come next, the first in canonical order does.
    pub fn complete(&mut self) {
        for number in 0..self.blocks.len() {
            let order = self.order(number);
            let block = &self.blocks[number];
            let mut n_before = vec![0; block.lanes.len()];
            for chain in order {
                self.before[block.clock(chain)].copy_from_slice(&n_before);
                n_before[block.lane_of[chain]] += 1;
            }
        }
    }

    /// The chains of a block in an order that respects the decisions.
    fn order(&self, number: usize) -> Vec<usize> {
        let block = &self.blocks[number];
        let mut n_done = vec![0; block.lanes.len()];
        let mut order = Vec::with_capacity(block.n_chains);
        while order.len() < block.n_chains {
            let next = |lane: usize| block.lane(lane).nth(n_done[lane] as usize);
            let is_next = |chain: &usize| {
                let before = &self.before[block.clock(*chain)];
                before.iter().zip(&n_done).all(|(before, n_done)| before <= n_done)
            };
            let next = (0..block.lanes.len()).filter_map(next).find(is_next);
            let next = next.expect("what is decided has no cycle");
            order.push(next);
            n_done[block.lane_of[next]] += 1;
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

/// The first chain of a lane that is `after`, as all later ones are.
fn first_after(chains: std::ops::Range<usize>, is_after: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (chains.start, chains.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_after(middle) { high = middle } else { low = middle + 1 }
    }
    low
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
}
