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
//! The order is kept transitively closed, a row of bits per chain, and what a step changes is logged to be undone.
//! No readable source can close a cycle, and the last write of a maximal chain is always readable.

use atropos_event::ThreadId;
use atropos_event::bits::{self, BitMatrix};
use atropos_graph::{Clock, Event, Graph, LocId, Slot, clock};

/// The chains of one location.
#[derive(Clone, Debug)]
struct WriteChains {
    /// The number of writes in each chain; the initial write's is the first.
    lengths: Vec<u32>,
    /// Row `c` holds the chains below `c`.
    below: BitMatrix,
}

/// The place of a write: its chain, and its position in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ChainPosition {
    chain: u32,
    position: u32,
}

#[derive(Clone, Copy, Debug)]
struct RowChange {
    loc: LocId,
    row: u32,
    word: u32,
    old: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Saturated {
    orders: Vec<WriteChains>,
    /// Per event of the graph; meaningful for writes only.
    places: Vec<ChainPosition>,
    /// The changes, and per event the height of the log before it.
    log: Vec<RowChange>,
    heights: Vec<u32>,
    view: View,
}

/// What a thread knows of a location; made by [`Saturated::look`].
#[derive(Clone, Debug, Default)]
struct View {
    known: Vec<u64>,
    /// The chains below a known one.
    hidden: Vec<u64>,
    /// Per chain the place of its last known write.
    floors: Vec<u32>,
}

const INIT: ChainPosition = ChainPosition { chain: 0, position: 0 };

impl WriteChains {
    fn new() -> Self {
        let mut below = BitMatrix::default();
        below.push();
        WriteChains { lengths: vec![1], below }
    }

    fn push_chain(&mut self) {
        self.lengths.push(1);
        self.below.widen(self.lengths.len());
        self.below.push();
    }

    fn pop_chain(&mut self) {
        self.lengths.pop();
        self.below.truncate(self.lengths.len());
    }
}

impl Saturated {
    fn place(&self, write: Slot) -> ChainPosition {
        if write.is_init() { INIT } else { self.places[write.index()] }
    }

    /// Computes what the next event of `thread` knows of `loc`.
    pub fn look(&mut self, graph: &Graph, thread: ThreadId, loc: LocId) {
        if self.orders.len() <= loc.index() {
            self.orders.resize_with(loc.index() + 1, WriteChains::new);
        }
        let order = &self.orders[loc.index()];
        let View { known, hidden, floors } = &mut self.view;
        for mask in [&mut *known, &mut *hidden] {
            mask.clear();
            mask.resize(order.below.row(0).len(), 0);
        }
        floors.clear();
        floors.resize(order.lengths.len(), 0);
        known[0] |= 1;
        let Some(last) = graph.last_of(thread) else { return };
        let hb: &Clock = graph.porf(last);
        for &write in &graph.location(loc).co[1..] {
            if !clock::contains(hb, graph.event(write).id) {
                continue;
            }
            let ChainPosition { chain, position } = self.places[write.index()];
            let chain = chain as usize;
            if !bits::has(known, chain) {
                bits::set(known, chain);
                bits::union(hidden, order.below.row(chain));
            }
            let floor = &mut floors[chain];
            *floor = position.max(*floor);
        }
    }

    /// Whether the current thread may read from `write`.
    pub fn is_readable(&self, write: Slot) -> bool {
        let ChainPosition { chain, position } = self.place(write);
        !bits::has(&self.view.hidden, chain as usize) && position >= self.view.floors[chain as usize]
    }

    /// Whether `write` is the last of its chain, so that no read-modify-write reads from it.
    pub fn is_free(&self, loc: LocId, write: Slot) -> bool {
        let ChainPosition { chain, position } = self.place(write);
        position + 1 == self.orders[loc.index()].lengths[chain as usize]
    }

    /// An event without effect on the order has been added.
    pub fn skip(&mut self) {
        self.heights.push(self.log.len() as u32);
        self.places.push(INIT);
    }

    /// The current thread has read from `source`.
    pub fn read(&mut self, loc: LocId, source: Slot) {
        self.skip();
        let chain = self.place(source).chain as usize;
        let order = &mut self.orders[loc.index()];
        let View { known: forced, hidden, .. } = &mut self.view;
        bits::union(forced, hidden);
        bits::unset(forced, chain);
        for (word, &forced) in forced.iter().enumerate() {
            if forced & !order.below.row(chain)[word] == 0 {
                continue;
            }
            for row in 0..order.lengths.len() {
                if row != chain && !order.below.has(row, chain) {
                    continue;
                }
                let entry = &mut order.below.row_mut(row)[word];
                if forced & !*entry != 0 {
                    self.log.push(RowChange { loc, row: row as u32, word: word as u32, old: *entry });
                    *entry |= forced;
                }
            }
        }
    }

    /// The current thread has made a plain write.
    pub fn write(&mut self, loc: LocId) {
        self.heights.push(self.log.len() as u32);
        let order = &mut self.orders[loc.index()];
        let chain = order.lengths.len();
        order.push_chain();
        let row = order.below.row_mut(chain);
        bits::union(row, &self.view.known);
        bits::union(row, &self.view.hidden);
        self.places.push(ChainPosition { chain: chain as u32, position: 0 });
    }

    /// The read-modify-write that has just read from `source` has written.
    pub fn write_exclusive(&mut self, loc: LocId, source: Slot) {
        let ChainPosition { chain, position } = self.place(source);
        self.heights.push(self.log.len() as u32);
        self.orders[loc.index()].lengths[chain as usize] += 1;
        self.places.push(ChainPosition { chain, position: position + 1 });
    }

    /// Undoes `event`, the last one.
    pub fn pop(&mut self, event: &Event) {
        let place = self.places.pop().expect("an event to take back");
        if event.is_write() {
            let order = &mut self.orders[event.loc.index()];
            if event.exclusive {
                order.lengths[place.chain as usize] -= 1;
            } else {
                order.pop_chain();
            }
        }
        let height = self.heights.pop().expect("an event to take back") as usize;
        while self.log.len() > height {
            let RowChange { loc, row, word, old } = self.log.pop().expect("the log is that high");
            let order = &mut self.orders[loc.index()];
            order.below.row_mut(row as usize)[word as usize] = old;
        }
    }
}
