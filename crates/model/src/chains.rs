//! Reads-from consistency without a search, for models whose only constraint on `co` is coherence: RA, and
//! RC11 without its `sc` axiom [Tracer §4].
//!
//! Per location, a *chain* is a plain write (or the initial one) followed by the read-modify-writes that read from
//! it, each from the one before; atomicity makes a chain contiguous in `co`. A write `u` must come before a write `v`
//! if an access of `u` (the write itself or a reader) happens before an access of `v`. A coherence order exists iff
//! these demands do not form a cycle between chains, and then every topological order of the chains is one. Locations
//! are independent.
//!
//! Of the accesses of a thread that happen before an access of `v`, the last write and the last read suffice: what they
//! access comes after what the thread has accessed before. So there are few demands per write, and everything takes
//! little more than linear time.

use crate::closure::write_of;
use crate::coherence::updates_of;
use crate::{Kept, Orders};
use atropos_event::bits::ones_of;
use atropos_graph::{Clock, Event, Graph, LocId, Slot, clock};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Scratch space for the chains of one location.
#[derive(Clone, Debug, Default)]
pub struct Chains {
    /// The writes of the location, the initial one first.
    writes: Vec<Slot>,
    /// Per entry of the location's list: its number among these writes.
    numbers: Vec<u32>,
    /// Per write: its chain (the number of the chain's first write) and its place in it.
    chain: Vec<u32>,
    place: Vec<u32>,
    /// Per write: the read-modify-write that reads from it, if any.
    follower: Vec<u32>,
    /// Per write: the events that happen before the write or one of its readers.
    known: Vec<u32>,
    /// Per thread: its writes and its reads in program order, each with the number of the write or source.
    by_thread: Vec<[Vec<(u32, u32)>; 2]>,
    /// Pairs of different chains: the first must come before the second.
    demands: Vec<(u32, u32)>,
    /// Per chain: the number of demands that it waits for; and the chains that wait for none.
    n_open: Vec<u32>,
    ready: BinaryHeap<Reverse<(ChainName, u32)>>,
    /// Per chain, where there are few: the set of chains that must come before it.
    before: Vec<u64>,
}

/// Orders chains: the one of the initial write, which has no name, comes first.
type ChainName = Option<(u32, u32)>;

/// The chains of a location as lists of writes.
pub struct ChainLists {
    /// The chain of the initial write first, the others in canonical order.
    pub lists: Vec<Vec<Slot>>,
    /// Pairs of chains whose order coherence demands.
    pub demands: Vec<(usize, usize)>,
}

const NONE: u32 = u32::MAX;

impl Chains {
    /// Whether there is still a coherence order after adding `added`, a read or half of a read-modify-write.
    pub fn admit<'g>(&mut self, graph: &'g Graph, added: Slot, hb: impl Fn(Slot) -> &'g Clock) -> bool {
        implied(graph, added, &hb).unwrap_or_else(|| self.exist(graph, graph.event(added).loc, hb))
    }

    /// Whether there is a coherence order for `loc`.
    fn exist<'g>(&mut self, graph: &'g Graph, loc: LocId, hb: impl Fn(Slot) -> &'g Clock) -> bool {
        self.collect(graph, loc, |_| true)
            && self.demand(graph, loc, |_| true, hb)
            && if self.are_few() { self.is_acyclic() } else { self.arrange_many(graph, &mut |_| {}) }
    }

    /// The requested coherence orders.
    pub fn orders<'g>(
        &mut self,
        graph: &'g Graph,
        kept: &Kept<'_>,
        hb: impl Fn(Slot) -> &'g Clock,
        orders: &mut Orders,
    ) {
        for index in 0..orders.locs.len() {
            orders.begin_next();
            self.order(graph, orders.locs[index], kept, &hb, &mut orders.writes);
        }
    }

    /// The canonical coherence order of `loc`.
    pub fn order_of<'g>(
        &mut self,
        graph: &'g Graph,
        loc: LocId,
        hb: impl Fn(Slot) -> &'g Clock,
    ) -> Vec<Slot> {
        let everything = Kept { start: Slot::new(graph.len()), prefix: &[] };
        let mut order = Vec::new();
        self.order(graph, loc, &everything, hb, &mut order);
        order
    }

    /// Whether the writes of `accesses` can all be last in their coherence orders.
    pub fn may_all_be_last<'g>(
        &mut self,
        graph: &'g Graph,
        accesses: &[Slot],
        hb: impl Fn(Slot) -> &'g Clock,
    ) -> bool {
        accesses.iter().all(|&access| {
            let (loc, write) = (graph.event(access).loc, write_of(graph, access));
            self.may_be_last(graph, loc, write, &hb)
                && accesses
                    .iter()
                    .all(|&other| graph.event(other).loc != loc || write_of(graph, other) == write)
        })
    }

    /// The coherence order of the kept part of `loc`, appended to `order`.
    fn order<'g>(
        &mut self,
        graph: &'g Graph,
        loc: LocId,
        kept: &Kept<'_>,
        hb: impl Fn(Slot) -> &'g Clock,
        order: &mut Vec<Slot>,
    ) {
        let keep = |slot| kept.contains(graph, slot);
        let mut found = self.collect(graph, loc, keep);
        if found && self.is_forced(graph, &hb) {
            let heads = (0..self.writes.len()).filter(|&number| self.chain[number] == number as u32);
            heads.for_each(|head| self.hand_out(head, &mut |write| order.push(write)));
        } else {
            found = found
                && self.demand(graph, loc, keep, hb)
                && self.arrange(graph, &mut |write| order.push(write));
        }
        assert!(found, "a part of a consistent graph is consistent");
    }

    /// Whether every chain knows of the one before it, so that the present order is the only one.
    fn is_forced<'g>(&self, graph: &'g Graph, hb: impl Fn(Slot) -> &'g Clock) -> bool {
        let is_head = |number: &usize| self.chain[*number] == *number as u32;
        let mut heads = (1..self.writes.len()).filter(is_head).map(|number| self.writes[number]);
        let Some(mut last) = heads.next() else { return true };
        heads.all(|head| {
            let before = graph.event(std::mem::replace(&mut last, head)).id;
            clock::contains(hb(head), before)
        })
    }

    /// Passes the writes of a chain to `place`, one after the other.
    fn hand_out(&self, head: usize, place: &mut dyn FnMut(Slot)) {
        let mut next = head as u32;
        while next != NONE {
            place(self.writes[next as usize]);
            next = self.follower[next as usize];
        }
    }

    /// The chains of `loc`; `None` if two read-modify-writes read from one write or a chain would have to precede
    /// itself.
    pub fn lists<'g>(
        &mut self,
        graph: &'g Graph,
        loc: LocId,
        hb: impl Fn(Slot) -> &'g Clock,
    ) -> Option<ChainLists> {
        if !(self.collect(graph, loc, |_| true) && self.demand(graph, loc, |_| true, hb)) {
            return None;
        }
        let is_head = |head: &usize| self.chain[*head] == *head as u32;
        let mut heads: Vec<usize> = (0..self.writes.len()).filter(is_head).collect();
        heads[1..].sort_unstable_by_key(|&head| graph.canonical_id(self.writes[head]));
        let list = |&head: &usize| {
            let mut list = Vec::new();
            self.hand_out(head, &mut |write| list.push(write));
            list
        };
        // Per chain: its place in the list of chains.
        let mut places = vec![0; self.writes.len()];
        heads.iter().enumerate().for_each(|(place, &head)| places[head] = place);
        let demand = |&(from, to): &(u32, u32)| (places[from as usize], places[to as usize]);
        let demands = self.demands.iter().map(demand).collect();
        Some(ChainLists { lists: heads.iter().map(list).collect(), demands })
    }

    /// Whether `source` can be last in the coherence order of `loc`. It must be at the end of a chain, and no demand
    /// may put that chain before another.
    fn may_be_last<'g>(
        &mut self,
        graph: &'g Graph,
        loc: LocId,
        source: Slot,
        hb: impl Fn(Slot) -> &'g Clock,
    ) -> bool {
        if !(self.collect(graph, loc, |_| true) && self.demand(graph, loc, |_| true, hb)) {
            return false;
        }
        let write = self.number(graph, source);
        let chain = self.chain[write];
        // The initial chain comes before all others even without a demand.
        self.follower[write] == NONE
            && (chain != 0 || self.chain.iter().all(|&other| other == 0))
            && !self.demands.iter().any(|&(from, _)| from == chain)
    }

    fn number(&self, graph: &Graph, write: Slot) -> usize {
        self.numbers[graph.co_position(write)] as usize
    }

    /// Collects writes and chains; `false` when two read-modify-writes read from one write.
    fn collect(&mut self, graph: &Graph, loc: LocId, keep: impl Fn(Slot) -> bool) -> bool {
        self.writes.clear();
        self.numbers.clear();
        for &write in &graph.location(loc).co {
            self.numbers.push(self.writes.len() as u32);
            if keep(write) {
                self.writes.push(write);
            }
        }
        let n = self.writes.len();
        self.follower.clear();
        self.follower.resize(n, NONE);
        for number in 1..n {
            let event = graph.event(self.writes[number]);
            if event.exclusive {
                let read = graph.po_before(self.writes[number]).expect("an exclusive write follows its read");
                let source = self.number(graph, graph.event(read).rf);
                if self.follower[source] != NONE {
                    return false;
                }
                self.follower[source] = number as u32;
            }
        }
        self.chain.clear();
        self.chain.resize(n, NONE);
        self.place.clear();
        self.place.resize(n, 0);
        for head in 0..n {
            if head != 0 && graph.event(self.writes[head]).exclusive {
                continue;
            }
            let (mut next, mut place) = (head as u32, 0);
            while next != NONE {
                self.chain[next as usize] = head as u32;
                self.place[next as usize] = place;
                next = self.follower[next as usize];
                place += 1;
            }
        }
        true
    }

    /// Collects the demands between chains; `false` if a chain would have to precede itself or the initial write.
    fn demand<'g>(
        &mut self,
        graph: &'g Graph,
        loc: LocId,
        keep: impl Fn(Slot) -> bool,
        hb: impl Fn(Slot) -> &'g Clock,
    ) -> bool {
        let (n, width) = (self.writes.len(), graph.width());
        self.known.clear();
        self.known.resize(n * width, 0);
        for number in 1..n {
            self.known[number * width..(number + 1) * width].copy_from_slice(hb(self.writes[number]));
        }
        self.by_thread.resize_with(width, Default::default);
        self.by_thread.iter_mut().flatten().for_each(Vec::clear);
        for number in 1..n {
            let id = graph.event(self.writes[number]).id;
            self.by_thread[id.thread().index()][0].push((id.index() as u32, number as u32));
        }
        for &read in graph.location(loc).reads.iter().filter(|&&read| keep(read)) {
            let Event { id, rf, .. } = *graph.event(read);
            let source = self.number(graph, rf);
            clock::join(&mut self.known[source * width..(source + 1) * width], hb(read));
            self.by_thread[id.thread().index()][1].push((id.index() as u32, source as u32));
        }
        self.demands.clear();
        let mut is_possible = true;
        for later in 0..n {
            for (thread, lists) in self.by_thread.iter().enumerate() {
                let n_known = self.known[later * width + thread];
                for list in lists {
                    let known = &list[..list.partition_point(|&(index, _)| index < n_known)];
                    let others = known.iter().rev().find(|&&(_, number)| number as usize != later);
                    let Some(&(_, earlier)) = others else { continue };
                    let (from, to) = (self.chain[earlier as usize], self.chain[later]);
                    if from != to {
                        is_possible &= to != 0;
                        self.demands.push((from, to));
                    } else {
                        is_possible &= self.place[earlier as usize] < self.place[later];
                    }
                }
            }
        }
        is_possible
    }

    /// Whether a word can hold any set of chains.
    fn are_few(&self) -> bool {
        self.writes.len() <= u64::BITS as usize
    }

    /// Collects what must come before each of few chains. The result is the set of all chains.
    fn collect_before(&mut self) -> u64 {
        let n = self.writes.len();
        self.before.clear();
        self.before.resize(n, 0);
        self.demands.iter().for_each(|&(from, to)| self.before[to as usize] |= 1 << from);
        (0..n).filter(|&head| self.chain[head] == head as u32).fold(0, |chains, head| chains | 1 << head)
    }

    /// Whether the demands between few chains form no cycle.
    fn is_acyclic(&mut self) -> bool {
        let mut left = self.collect_before();
        while left != 0 {
            let is_ready = |head: &usize| self.before[*head] & left == 0;
            let ready = ones_of(left).filter(is_ready).fold(0, |ready, head| ready | 1 << head);
            if ready == 0 {
                return false;
            }
            left &= !ready;
        }
        true
    }

    /// Sorts the chains and passes their writes to `place`; `false` if the demands form a cycle. Among the possible
    /// next chains, the one with the smallest first write comes first.
    fn arrange(&mut self, graph: &Graph, place: &mut dyn FnMut(Slot)) -> bool {
        if !self.are_few() {
            return self.arrange_many(graph, place);
        }
        let mut left = self.collect_before();
        while left != 0 {
            let ready = ones_of(left).filter(|&head| self.before[head] & left == 0);
            let name = |&head: &usize| (head != 0).then(|| graph.canonical_id(self.writes[head]));
            let Some(head) = ready.min_by_key(name) else { return false };
            left &= !(1 << head);
            self.hand_out(head, place);
        }
        true
    }

    /// The same for any number of chains.
    fn arrange_many(&mut self, graph: &Graph, place: &mut dyn FnMut(Slot)) -> bool {
        let n = self.writes.len();
        self.demands.sort_unstable();
        self.demands.dedup();
        self.n_open.clear();
        self.n_open.resize(n, 0);
        self.demands.iter().for_each(|&(_, to)| self.n_open[to as usize] += 1);
        let name = |head: usize, writes: &[Slot]| (head != 0).then(|| graph.canonical_id(writes[head]));
        self.ready.clear();
        let mut n_left = 0;
        for head in (0..n).filter(|&head| self.chain[head] == head as u32) {
            n_left += 1;
            if self.n_open[head] == 0 {
                self.ready.push(Reverse((name(head, &self.writes), head as u32)));
            }
        }
        while let Some(Reverse((_, head))) = self.ready.pop() {
            n_left -= 1;
            self.hand_out(head as usize, place);
            let first = self.demands.partition_point(|&(from, _)| from < head);
            for &(_, to) in self.demands[first..].iter().take_while(|&&(from, _)| from == head) {
                self.n_open[to as usize] -= 1;
                if self.n_open[to as usize] == 0 {
                    self.ready.push(Reverse((name(to as usize, &self.writes), to)));
                }
            }
        }
        n_left == 0
    }
}

/// Whether the demands before `added` imply or contradict those of `added`; `None` if neither is obvious.
///
/// Nothing happens after `added`, so a read demands only that the writes it knows of come before its source. That is
/// nothing new if the source knew of them itself or comes after them in its chain, and a contradiction if one of them
/// knew of the source. An exclusive write demands what its read has demanded, and to be the only one that follows its
/// source.
fn implied<'g>(graph: &'g Graph, added: Slot, hb: &impl Fn(Slot) -> &'g Clock) -> Option<bool> {
    let event = graph.event(added);
    let read = if event.is_read() { Some(added) } else { graph.po_before(added) };
    let read = read.expect("an exclusive write follows its read");
    let source = graph.event(read).rf;
    let location = graph.location(event.loc);
    if added != read {
        return Some(updates_of(graph, event.loc, source).all(|other| other == read));
    }
    // In a single chain that ends with the source, everything comes before it.
    let is_chain = !source.is_init() && graph.event(source).ends_chain;
    if (is_chain && location.co.last() == Some(&source)) || repeats_latest(graph, read, source, hb) {
        return Some(true);
    }
    let known = hb(read);
    let knows = |slot: Slot, earlier: Slot| clock::contains(hb(slot), graph.event(earlier).id);
    let mut is_settled = true;
    // What the source knows is nothing new.
    let unknown = |list: &'g [Slot]| match source {
        Slot::INIT => list,
        source => &list[graph.n_known(list, hb(source))..],
    };
    let writes = unknown(&location.co).iter().map(|&write| (write, write));
    let reads = unknown(&location.reads).iter().map(|&other| (other, graph.event(other).rf));
    for (access, write) in writes.chain(reads) {
        if write == source || write.is_init() || !clock::contains(known, graph.event(access).id) {
            continue;
        }
        if !source.is_init() && (knows(source, write) || knows(source, access)) {
            continue;
        }
        if source.is_init() || knows(access, source) || knows(write, source) || follows(graph, write, source)
        {
            return Some(false);
        }
        is_settled &= follows(graph, source, write);
    }
    is_settled.then_some(true)
}

/// Whether `read` sees what its thread's latest access to the location saw or wrote, and the thread has learned
/// nothing from other threads since. Then the read demands nothing new. Looks back over a few events only, so that
/// each step of a long thread that works alone costs the same.
fn repeats_latest<'g>(graph: &'g Graph, read: Slot, source: Slot, hb: &impl Fn(Slot) -> &'g Clock) -> bool {
    const NEARBY: usize = 64;
    let Event { id, loc, .. } = *graph.event(read);
    let earlier = &graph.thread(id.thread())[..id.index()];
    let nearby = earlier.iter().rev().take(NEARBY).copied();
    let Some(latest) = nearby.into_iter().find(|&slot| graph.event(slot).loc == loc) else { return false };
    let knows_all = |clocks: (&u32, &u32)| clocks.0 <= clocks.1;
    let is_own = |thread: usize| thread == id.thread().index();
    let mut clocks = hb(read).iter().zip(hb(latest)).enumerate();
    write_of(graph, latest) == source && clocks.all(|(thread, clocks)| is_own(thread) || knows_all(clocks))
}

/// Whether `later` comes after `earlier` in the same chain.
fn follows(graph: &Graph, later: Slot, earlier: Slot) -> bool {
    let mut write = later;
    while !write.is_init() && graph.event(write).exclusive {
        let read = graph.po_before(write).expect("an exclusive write follows its read");
        write = graph.event(read).rf;
        if write == earlier {
            return true;
        }
    }
    false
}
