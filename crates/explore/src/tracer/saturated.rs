//! Saturated traces [Tracer §4]: the part of the coherence order that `po` and `rf` force.
//!
//! Under release-acquire locations are independent, and `hb` is `porf`, so the order of a location's writes never
//! feeds back into `hb`. Read-modify-writes, which the paper omits, make the writes of a location into *chains*:
//! a plain write (or the initial one) followed by the read-modify-writes that read from it, one from the other.
//! Atomicity makes a chain contiguous in coherence, so the order is one of chains. Below, `f < c` for chains.
//!
//! * A write is *known* to a thread if it is `hb`-before the thread's next event.
//! * A write is *readable* if no known chain is above its chain, and it is not behind a known write of its own.
//!   For a read-modify-write it must be the last of its chain too.
//! * Reading from chain `c` puts every known chain `f ≠ c` below `c`; a read-modify-write then joins `c`.
//! * A plain write is a new chain above all known ones.
//!
//! The chains that start in one thread, a *lane*, are in program order, and a thread that knows one knows those before
//! it. So the sets of chains that are known, or below a chain, are clocks: a number of chains per lane. The order is
//! kept transitively closed, and what a step changes is logged to be undone. No readable source can close a cycle, and
//! the last write of a maximal chain is always readable.

use atropos_event::EventId;
use atropos_event::ThreadId;
use atropos_graph::{Clock, Graph, LocId, Slot, clock};

/// The chains that start in one thread; lane 0 has the chain of the initial write.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// Per chain: the position of its first write in the thread, and its last write.
    heads: Vec<u32>,
    tails: Vec<Slot>,
    /// Per chain: how many chains of each lane are below it.
    below: Vec<u32>,
}

/// The chains of one location.
#[derive(Clone, Debug)]
struct WriteChains {
    lanes: Vec<Lane>,
    /// The lanes that have chains, in the order of their first ones.
    used: Vec<usize>,
    /// The read-modify-write that reads the initial write, if any.
    first_update: Slot,
}

/// The place of a write: its lane, its chain there, and the read-modify-write that reads from it, if any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ChainPlace {
    lane: u32,
    chain: u32,
    update: Slot,
}

/// An entry of a chain's clock before it was changed.
#[derive(Clone, Copy, Debug)]
struct Change {
    loc: LocId,
    lane: u32,
    chain: u32,
    entry: u32,
    old: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Saturated {
    orders: Vec<WriteChains>,
    /// The number of lanes.
    n_lanes: usize,
    /// Per event of the graph; meaningful for writes only.
    places: Vec<ChainPlace>,
    /// The changes, and per event the height of the log before it.
    log: Vec<Change>,
    heights: Vec<u32>,
    view: View,
}

/// What a thread knows of a location; made by [`Saturated::look`].
#[derive(Clone, Debug, Default)]
struct View {
    past: Vec<u32>,
    /// Per lane: the number of known chains, and of those below a known one.
    known: Vec<u32>,
    hidden: Vec<u32>,
}

const NOWHERE: ChainPlace = ChainPlace { lane: 0, chain: 0, update: Slot::INIT };

impl Lane {
    fn clock(&self, chain: usize, n_lanes: usize) -> &Clock {
        &self.below[chain * n_lanes..(chain + 1) * n_lanes]
    }

    /// The first chain that is above chain `chain` of lane `lane`, as all later ones are.
    fn first_above(&self, lane: usize, chain: u32, n_lanes: usize) -> usize {
        let (mut low, mut high) = (0, self.heads.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.clock(middle, n_lanes)[lane] > chain { high = middle } else { low = middle + 1 }
        }
        low
    }
}

impl WriteChains {
    fn new(n_lanes: usize) -> Self {
        let initial = Lane { heads: vec![0], tails: vec![Slot::INIT], below: vec![0; n_lanes] };
        let mut lanes = vec![initial];
        lanes.resize_with(n_lanes, Lane::default);
        WriteChains { lanes, used: vec![0], first_update: Slot::INIT }
    }

    /// Makes room for more lanes.
    fn widen(&mut self, old: usize, new: usize) {
        self.lanes.resize_with(new, Lane::default);
        for lane in &mut self.lanes {
            let widened = lane
                .below
                .chunks_exact(old)
                .flat_map(|clock| clock.iter().copied().chain(std::iter::repeat_n(0, new - old)));
            lane.below = widened.collect();
        }
    }
}

impl Saturated {
    fn place(&self, loc: LocId, write: Slot) -> ChainPlace {
        match write {
            Slot::INIT => ChainPlace { update: self.orders[loc.index()].first_update, ..NOWHERE },
            write => self.places[write.index()],
        }
    }

    /// Computes what the next event of `thread` knows of `loc`.
    pub fn look(&mut self, graph: &Graph, thread: ThreadId, loc: LocId) {
        let n_lanes = graph.width() + 1;
        if self.n_lanes != n_lanes {
            self.orders.iter_mut().for_each(|order| order.widen(self.n_lanes, n_lanes));
            self.n_lanes = n_lanes;
        }
        while self.orders.len() <= loc.index() {
            self.orders.push(WriteChains::new(n_lanes));
        }
        let View { past, known, hidden } = &mut self.view;
        past.clear();
        match graph.last_of(thread) {
            Some(last) => past.extend_from_slice(graph.porf(last)),
            None => past.resize(graph.width(), 0),
        }
        for counts in [&mut *known, hidden] {
            counts.clear();
            counts.resize(n_lanes, 0);
        }
        let WriteChains { lanes, used, .. } = &self.orders[loc.index()];
        for &number in used {
            let lane = &lanes[number];
            let n_known = match number.checked_sub(1) {
                None => 1,
                Some(thread) => lane.heads.partition_point(|&head| head < past[thread]),
            };
            known[number] = n_known as u32;
            if let Some(last) = n_known.checked_sub(1) {
                clock::join(hidden, lane.clock(last, n_lanes));
            }
        }
    }

    fn is_known(&self, graph: &Graph, write: Slot) -> bool {
        write.is_init() || clock::contains(&self.view.past, graph.event(write).id)
    }

    /// Appends the writes of `loc` that the current thread may read from, in the order of addition.
    pub fn push_readable(&self, graph: &Graph, loc: LocId, sources: &mut Vec<Slot>) {
        let first = sources.len();
        let View { known, hidden, .. } = &self.view;
        let WriteChains { lanes, used, .. } = &self.orders[loc.index()];
        for &number in used {
            let lowest = hidden[number].max(known[number].saturating_sub(1));
            for &tail in lanes[number].tails.iter().skip(lowest as usize) {
                let mut write = tail;
                sources.push(write);
                while !self.is_known(graph, write) && graph.event(write).exclusive {
                    let read = graph.po_before(write).expect("an exclusive write follows its read");
                    write = graph.event(read).rf;
                    sources.push(write);
                }
            }
        }
        sources[first..].sort_unstable_by_key(|&write| (!write.is_init()).then_some(write));
    }

    /// Whether the current thread may read from `write`.
    pub fn is_readable(&self, graph: &Graph, loc: LocId, write: Slot) -> bool {
        let ChainPlace { lane, chain, update } = self.place(loc, write);
        chain >= self.view.hidden[lane as usize] && (update.is_init() || !self.is_known(graph, update))
    }

    /// Whether `write` is the last of its chain, so that no read-modify-write reads from it.
    pub fn is_free(&self, loc: LocId, write: Slot) -> bool {
        self.place(loc, write).update.is_init()
    }

    /// An event without effect on the order has been added.
    pub fn skip(&mut self) {
        self.heights.push(self.log.len() as u32);
        self.places.push(NOWHERE);
    }

    /// The current thread has read from `source`.
    pub fn read(&mut self, loc: LocId, source: Slot) {
        self.skip();
        let ChainPlace { lane, chain, .. } = self.place(loc, source);
        let View { known: forced, hidden, .. } = &mut self.view;
        clock::join(forced, hidden);
        // Nothing above the chain is known, or it could not be read.
        let own = &mut forced[lane as usize];
        *own = chain.min(*own);
        let n_lanes = self.n_lanes;
        let WriteChains { lanes, used, .. } = &mut self.orders[loc.index()];
        for &number in &*used {
            let above = &mut lanes[number];
            let start = match number == lane as usize {
                true => chain as usize,
                false => above.first_above(lane as usize, chain, n_lanes),
            };
            for above_chain in start..above.heads.len() {
                let mut has_changed = false;
                let clock = &mut above.below[above_chain * n_lanes..(above_chain + 1) * n_lanes];
                for (entry, (old, &forced)) in clock.iter_mut().zip(forced.iter()).enumerate() {
                    if *old < forced {
                        let (lane, chain, entry) = (number as u32, above_chain as u32, entry as u32);
                        self.log.push(Change { loc, lane, chain, entry, old: *old });
                        *old = forced;
                        has_changed = true;
                    }
                }
                // What is below a chain is below the later ones of its lane.
                if !has_changed {
                    break;
                }
            }
        }
    }

    /// The current thread has made the plain write `id`.
    pub fn write(&mut self, loc: LocId, id: EventId, write: Slot) {
        self.heights.push(self.log.len() as u32);
        let number = id.thread().index() + 1;
        let WriteChains { lanes, used, .. } = &mut self.orders[loc.index()];
        let lane = &mut lanes[number];
        if lane.heads.is_empty() {
            used.push(number);
        }
        let chain = lane.heads.len() as u32;
        lane.heads.push(id.index() as u32);
        lane.tails.push(write);
        let View { known, hidden, .. } = &self.view;
        lane.below.extend(known.iter().zip(hidden).map(|(&known, &hidden)| known.max(hidden)));
        self.places.push(ChainPlace { lane: number as u32, chain, update: Slot::INIT });
    }

    /// The read-modify-write that has just read from `source` has made `write`.
    pub fn write_exclusive(&mut self, loc: LocId, source: Slot, write: Slot) {
        self.heights.push(self.log.len() as u32);
        let ChainPlace { lane, chain, .. } = self.place(loc, source);
        self.places.push(ChainPlace { lane, chain, update: Slot::INIT });
        self.end_chain(loc, source, write, write);
    }

    /// The chain of `source` ends with `tail`; `update` reads from `source`, if any does.
    fn end_chain(&mut self, loc: LocId, source: Slot, update: Slot, tail: Slot) {
        let ChainPlace { lane, chain, .. } = self.place(loc, source);
        let order = &mut self.orders[loc.index()];
        order.lanes[lane as usize].tails[chain as usize] = tail;
        match source {
            Slot::INIT => order.first_update = update,
            source => self.places[source.index()].update = update,
        }
    }

    /// Undoes the event at `last`, the last one.
    pub fn pop(&mut self, graph: &Graph, last: Slot) {
        let event = graph.event(last);
        let place = self.places.pop().expect("an event to take back");
        if event.is_write() && event.exclusive {
            let read = graph.po_before(last).expect("an exclusive write follows its read");
            let source = graph.event(read).rf;
            self.end_chain(event.loc, source, Slot::INIT, source);
        } else if event.is_write() {
            let WriteChains { lanes, used, .. } = &mut self.orders[event.loc.index()];
            let lane = &mut lanes[place.lane as usize];
            lane.heads.pop();
            lane.tails.pop();
            lane.below.truncate(lane.heads.len() * self.n_lanes);
            if lane.heads.is_empty() {
                used.pop();
            }
        }
        let height = self.heights.pop().expect("an event to take back") as usize;
        for Change { loc, lane, chain, entry, old } in self.log.drain(height..).rev() {
            let lane = &mut self.orders[loc.index()].lanes[lane as usize];
            lane.below[chain as usize * self.n_lanes + entry as usize] = old;
        }
    }
}
