//! The part of a graph that a backward revisit keeps, and coherence orders computed for it.

use atropos_graph::{Clock, Graph, LocId, Slot, clock};

/// The events that stay when the read at `start` is revisited: those added before it and those in the `porf`-prefix
/// of the revisiting write. The read itself is not part of it.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    pub start: Slot,
    pub prefix: &'a Clock,
}

impl Kept<'_> {
    pub fn contains(&self, graph: &Graph, slot: Slot) -> bool {
        slot.is_init() || slot < self.start || clock::contains(self.prefix, graph.event(slot).id)
    }

    /// The number of the thread's events that are kept.
    pub fn n_events(&self, graph: &Graph, thread: usize) -> usize {
        let slots = graph.thread(atropos_event::ThreadId::new(thread));
        let before = slots.partition_point(|&slot| slot < self.start);
        before.max(self.prefix[thread] as usize).min(slots.len())
    }
}

/// Coherence orders of some locations: lists of writes, the initial write first.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    /// The requested locations.
    pub locs: Vec<LocId>,
    /// All orders, one after the other, and where each starts.
    pub writes: Vec<Slot>,
    pub starts: Vec<usize>,
    /// Per requested location and write listed there: its rank, and where the ranks of each location start.
    pub(crate) ranks: Vec<usize>,
    pub(crate) rank_starts: Vec<usize>,
    /// Per location: where the list of requested ones would have it. The entry of one that is not listed has no meaning.
    places: Vec<usize>,
}

impl Orders {
    /// Forgets the orders, but not for which locations they were requested.
    pub fn clear(&mut self) {
        self.writes.clear();
        self.starts.clear();
    }

    /// Whether `loc` is a requested location.
    pub fn lists(&self, loc: LocId) -> bool {
        let place = self.places.get(loc.index()).and_then(|&place| self.locs.get(place));
        place == Some(&loc)
    }

    /// Requests the order of `loc`.
    pub fn list(&mut self, loc: LocId) {
        if !self.lists(loc) {
            if self.places.len() <= loc.index() {
                self.places.resize(loc.index() + 1, 0);
            }
            self.places[loc.index()] = self.locs.len();
            self.locs.push(loc);
        }
    }

    /// The order of the `index`th requested location.
    pub fn order(&self, index: usize) -> &[Slot] {
        let end = self.starts.get(index + 1).copied().unwrap_or(self.writes.len());
        &self.writes[self.starts[index]..end]
    }

    pub fn begin_next(&mut self) {
        self.starts.push(self.writes.len());
    }

    /// Ranks all writes of the requested locations: the kept ones by their orders, then the others in order of
    /// addition.
    pub fn rank_writes(&mut self, graph: &Graph) {
        self.ranks.clear();
        self.rank_starts.clear();
        for index in 0..self.locs.len() {
            self.rank_starts.push(self.ranks.len());
            let end = self.starts.get(index + 1).copied().unwrap_or(self.writes.len());
            let order = &self.writes[self.starts[index]..end];
            let start = self.ranks.len();
            let writes = graph.location(self.locs[index]).co.iter();
            let rank = |&write: &Slot| if write.is_init() { 0 } else { order.len() + write.index() };
            self.ranks.extend(writes.map(rank));
            for (rank, &write) in order.iter().enumerate() {
                self.ranks[start + graph.co_position(write)] = rank;
            }
        }
    }

    /// The ranks of the writes of the `index`th requested location, in the order of its list.
    pub fn ranks(&self, index: usize) -> &[usize] {
        let end = self.rank_starts.get(index + 1).copied().unwrap_or(self.ranks.len());
        &self.ranks[self.rank_starts[index]..end]
    }
}
