//! Reads-from consistency by running the machine: SC, TSO and PSO [Nidhugg §2, RVF-SMC §4].
//!
//! The threads of the graph run on a memory with store buffers, and every read has to find its source there. A read
//! that finds it changes nothing, so it may run at once. So may a write without readers, once all reads of the value
//! it overwrites are done. Only if nothing else is left, the run chooses a write that is still to be read; it prefers
//! one whose readers are waiting, and never takes the choice back. So a run that succeeds is a witness of
//! consistency. A run that gets stuck says nothing, and a search is needed.
//!
//! Choices depend on the names of threads and not on the order of addition: the result is a function of the given
//! part of the graph.

use crate::closure::write_of;
use crate::{Kept, Orders};
use atropos_event::{EventId, Label, Mapping, ThreadId, mark};
use atropos_graph::barrier::{Barrier, barrier_of};
use atropos_graph::{Event, Graph, LocId, Slot};

/// The store buffers of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Buffers {
    /// None: SC.
    None,
    /// One per thread: TSO.
    PerThread,
    /// One per thread and location: PSO. The parts of a cell have one each; stores that overlap stay in order.
    PerLocation,
}

/// The state of a write while the machine runs.
#[derive(Clone, Copy, Debug)]
struct Unread {
    /// The number of reads of it that have not run yet.
    n_reads: u32,
    /// The read-modify-write that must come next in memory.
    follower: Slot,
}

const READ: Unread = Unread { n_reads: 0, follower: Slot::INIT };

/// A store on its way to memory.
#[derive(Clone, Copy, Debug)]
struct Buffered {
    write: Slot,
    loc: LocId,
    index: usize,
    /// The earlier stores of the thread that must reach memory first.
    barrier: usize,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    id: usize,
    n_done: usize,
    n_events: usize,
    buffer: Vec<Buffered>,
    /// The position of the last store barrier.
    barrier: usize,
}

impl Thread {
    /// Whether everything has been issued and every store has reached memory. A merging store waits for its source,
    /// so a run can get stuck with nothing left to issue.
    fn is_through(&self) -> bool {
        self.n_done == self.n_events && self.buffer.is_empty()
    }
}

/// The merit of putting a write into memory now.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Merit {
    Unread,
    Awaited,
    Other,
}

/// Scratch space for a run.
#[derive(Clone, Debug, Default)]
pub struct GreedyRun {
    /// In the order of their names, and the place of each thread in this list.
    threads: Vec<Thread>,
    places: Vec<usize>,
    /// Per event; valid for writes only.
    unread: Vec<Unread>,
    /// Per location: the same for the initial write, and the write that memory holds.
    unread_init: Vec<Unread>,
    last: Vec<Slot>,
    /// The writes in the order in which they reached memory.
    committed: Vec<Slot>,
}

impl GreedyRun {
    /// Runs the kept part of the graph, or all of it.
    pub fn find(
        &mut self,
        graph: &Graph,
        kept: Option<&Kept<'_>>,
        buffers: Buffers,
        mapping: Mapping,
    ) -> bool {
        self.enter(graph, kept) && Machine { graph, buffers, mapping, state: self }.run()
    }

    fn enter(&mut self, graph: &Graph, kept: Option<&Kept<'_>>) -> bool {
        let n_threads = graph.n_threads();
        self.threads.resize_with(n_threads, Thread::default);
        for (id, thread) in self.threads.iter_mut().enumerate() {
            let n_events = match kept {
                Some(kept) => kept.n_events(graph, id),
                None => graph.thread(ThreadId::new(id)).len(),
            };
            (thread.id, thread.n_done, thread.n_events, thread.barrier) = (id, 0, n_events, 0);
            thread.buffer.clear();
        }
        self.threads.sort_unstable_by_key(|thread| (graph.rank_of(ThreadId::new(thread.id)), thread.id));
        self.places.resize(n_threads, 0);
        for (place, thread) in self.threads.iter().enumerate() {
            self.places[thread.id] = place;
        }
        self.unread.clear();
        self.unread.resize(graph.len(), READ);
        self.unread_init.clear();
        self.unread_init.resize(graph.locations().len(), READ);
        self.last.clear();
        self.last.resize(graph.locations().len(), Slot::INIT);
        self.committed.clear();
        for (index, event) in graph.events().iter().enumerate() {
            let slot = Slot::new(index);
            if kept.is_some_and(|kept| !kept.contains(graph, slot)) {
                continue;
            }
            if event.is_read() {
                self.unread_of(event.loc, event.rf).n_reads += 1;
            } else if event.is_write() && event.exclusive {
                let read = graph.po_before(slot).expect("an exclusive write follows its read");
                let source = self.unread_of(event.loc, graph.event(read).rf);
                if source.follower != Slot::INIT {
                    return false;
                }
                source.follower = slot;
            }
        }
        true
    }

    fn unread_of(&mut self, loc: LocId, write: Slot) -> &mut Unread {
        if write.is_init() { &mut self.unread_init[loc.index()] } else { &mut self.unread[write.index()] }
    }

    /// After a successful run: whether memory holds the writes of all `accesses`.
    pub fn ends_with(&self, graph: &Graph, accesses: &[Slot]) -> bool {
        accesses.iter().all(|&access| self.last[graph.event(access).loc.index()] == write_of(graph, access))
    }

    /// After a successful run of the kept part: the requested orders.
    pub fn write_orders(&self, graph: &Graph, orders: &mut Orders) {
        for index in 0..orders.locs.len() {
            orders.begin_next();
            let loc = orders.locs[index];
            orders.writes.push(Slot::INIT);
            orders.writes.extend(self.committed.iter().filter(|&&write| graph.event(write).loc == loc));
        }
    }
}

struct Machine<'a> {
    graph: &'a Graph,
    buffers: Buffers,
    mapping: Mapping,
    state: &'a mut GreedyRun,
}

impl<'a> Machine<'a> {
    fn run(&mut self) -> bool {
        loop {
            let mut has_moved = false;
            for place in 0..self.state.threads.len() {
                while self.step(place) {
                    has_moved = true;
                }
            }
            if has_moved {
                continue;
            }
            match self.best_write() {
                Some((_, place, write)) => self.commit(place, write),
                None => {
                    let is_through = self.state.threads.iter().all(Thread::is_through);
                    if !is_through {
                        mark!("greedy run: stuck");
                    }
                    return is_through;
                }
            }
        }
    }

    /// Runs the next event of the thread if it can run and puts nothing into memory.
    fn step(&mut self, place: usize) -> bool {
        let Some((slot, event)) = self.next_of(place) else { return false };
        let thread = &self.state.threads[place];
        let barrier = self.barrier_of(slot);
        if barrier == Some(Barrier::Full) && !thread.buffer.is_empty() {
            return false;
        }
        let can_go = match event.label {
            // It runs with its write, which comes right after the source; or now, if there is no write yet.
            Label::Read { .. } if event.label.is_merge() && barrier != Some(Barrier::Full) => {
                let is_pending = thread.n_done + 1 == thread.n_events;
                !is_pending || (thread.buffer.is_empty() && self.state.last[event.loc.index()] == event.rf)
            }
            Label::Read { .. } => {
                let own = thread.buffer.iter().rev().find(|store| store.loc == event.loc);
                let is_served = own.is_none_or(|store| self.graph.covers(store.write, slot));
                is_served && own.map_or(self.state.last[event.loc.index()], |store| store.write) == event.rf
            }
            Label::Write { .. } => barrier != Some(Barrier::Full),
            Label::Begin | Label::Join { .. } => self.is_done(self.graph.event(event.rf).id),
            Label::End
            | Label::Fence { .. }
            | Label::Spawn { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => true,
        };
        if !can_go {
            return false;
        }
        let (loc, index) = (event.loc, event.id.index());
        let thread = &mut self.state.threads[place];
        thread.n_done += 1;
        if barrier == Some(Barrier::Stores) {
            thread.barrier = index;
        }
        if event.is_write() {
            thread.buffer.push(Buffered { write: slot, loc, index, barrier: thread.barrier });
            if self.graph.is_merging(slot) {
                thread.barrier = index + 1;
            }
        } else if event.is_read() {
            self.state.unread_of(loc, event.rf).n_reads -= 1;
        }
        true
    }

    fn next_of(&self, place: usize) -> Option<(Slot, &'a Event)> {
        let thread = &self.state.threads[place];
        if thread.n_done == thread.n_events {
            return None;
        }
        let slot = self.graph.thread(ThreadId::new(thread.id))[thread.n_done];
        Some((slot, self.graph.event(slot)))
    }

    fn is_done(&self, id: EventId) -> bool {
        self.state.threads[self.state.places[id.thread().index()]].n_done > id.index()
    }

    fn barrier_of(&self, slot: Slot) -> Option<Barrier> {
        match self.buffers {
            Buffers::None => Some(Barrier::Full),
            Buffers::PerThread | Buffers::PerLocation => barrier_of(self.graph, slot, self.mapping),
        }
    }

    /// The best write to put into memory now, with the place of its thread.
    fn best_write(&mut self) -> Option<(Merit, usize, Slot)> {
        let mut best: Option<(Merit, usize, Slot)> = None;
        for place in 0..self.state.threads.len() {
            for nth in 0..=self.state.threads[place].buffer.len() {
                let Some(write) = self.ready_write(place, nth) else { continue };
                let Some(merit) = self.merit(write) else { continue };
                if merit == Merit::Unread {
                    return Some((merit, place, write));
                }
                if best.is_none_or(|(other, ..)| merit < other) {
                    best = Some((merit, place, write));
                }
            }
        }
        best
    }

    /// The `nth` store of the thread's buffer, or, past the end of an empty buffer, the write that the thread makes
    /// next; only if nothing in the thread has to come before it.
    fn ready_write(&self, place: usize, nth: usize) -> Option<Slot> {
        let buffer = &self.state.threads[place].buffer;
        let Some(store) = buffer.get(nth) else {
            let (slot, event) = self.next_of(place)?;
            let is_direct = event.is_write() && self.barrier_of(slot) == Some(Barrier::Full);
            return (is_direct && buffer.is_empty()).then_some(slot);
        };
        let is_ready = match self.buffers {
            Buffers::None | Buffers::PerThread => nth == 0,
            Buffers::PerLocation => {
                let goes_first = |other: &Buffered| other.loc == store.loc || other.index < store.barrier;
                !buffer[..nth].iter().any(goes_first)
            }
        };
        is_ready.then_some(store.write)
    }

    /// The merit of overwriting what memory holds with `write`; `None` if the old write is still to be read.
    fn merit(&mut self, write: Slot) -> Option<Merit> {
        let loc = self.graph.event(write).loc;
        if self.graph.is_merging(write) {
            let read = self.graph.po_before(write).expect("an exclusive write follows its read");
            if self.graph.event(read).rf != self.state.last[loc.index()] {
                return None;
            }
        }
        let overwritten = *self.state.unread_of(loc, self.state.last[loc.index()]);
        if overwritten.n_reads > 0 || (overwritten.follower != Slot::INIT && overwritten.follower != write) {
            return None;
        }
        let n_reads = self.state.unread[write.index()].n_reads;
        let waits =
            |place: usize| self.next_of(place).is_some_and(|(_, event)| event.is_read() && event.rf == write);
        let n_waiting = (0..self.state.threads.len()).filter(|&place| waits(place)).count();
        Some(match n_reads as usize {
            0 => Merit::Unread,
            n_reads if n_reads == n_waiting => Merit::Awaited,
            _ => Merit::Other,
        })
    }

    fn commit(&mut self, place: usize, write: Slot) {
        let loc = self.graph.event(write).loc;
        self.state.last[loc.index()] = write;
        self.state.committed.push(write);
        let thread = &mut self.state.threads[place];
        match thread.buffer.iter().position(|store| store.write == write) {
            Some(nth) => drop(thread.buffer.remove(nth)),
            None => thread.n_done += 1,
        }
    }
}
