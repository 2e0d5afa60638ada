//! The canonical value of an execution graph: what two explorations must agree on.
//!
//! A [`Graph`] depends on the order in which its events were added: slots, thread numbers and location numbers all
//! show how it was reached. A [`Canonical`] does not. Its threads are sorted by [`ThreadKey`] and renumbered in that
//! order, sources are positions, and coherence is listed by address. Two explorations have visited the same execution
//! exactly if the canonical values are equal, so tests compare sets of them. Dropping `co` gives the class of
//! executions that reads-from equivalence identifies.
//!
//! A thread's [`Status`] is a function of its events, because threads are deterministic. So it never distinguishes
//! two executions that are otherwise equal. The graph knows only whether the thread has ended; callers that know more
//! may add it for the reader.

use crate::event::Slot;
use crate::graph::Graph;
use atropos_event::{Access, BlockReason, EventId, Label, ThreadId, ThreadKey, Value};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Canonical {
    /// All threads, also those without an event, in the order of their keys. The [`ThreadId`]s and
    /// [`EventId`]s inside a canonical value count threads in this order.
    pub threads: Vec<CanonicalThread>,
    /// The writes of each location in coherence order, without the initial one, sorted by location. Empty
    /// where coherence is not part of the value; locations without writes are not listed.
    pub co: Vec<(Access, Vec<EventId>)>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CanonicalThread {
    pub key: ThreadKey,
    pub status: Status,
    pub events: Vec<CanonicalEvent>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CanonicalEvent {
    pub label: Label,
    /// The write that a read reads from (`None`: the initial one), the `Spawn` behind a `Begin`, the `End`
    /// that a `Join` waited for; `None` for other labels.
    pub source: Option<EventId>,
    /// The value read or written; 0 for other labels.
    pub value: Value,
    /// Half of a successful read-modify-write.
    pub exclusive: bool,
}

/// How far a thread has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    /// Its last event is [`Label::End`].
    Finished,
    /// It has not ended; nothing more is known.
    Unfinished,
    Blocked(BlockReason),
    /// It waits for a thread that has not ended.
    Joining,
    /// Its next step is a violation.
    Failed,
}

impl Canonical {
    /// The canonical value of `graph`, where `keys(t)` is the key of thread `t`. `with_co` says whether the lists of
    /// writes are coherence orders and belong to the value.
    ///
    /// Calls `keys` only for threads that have an event or were spawned.
    pub fn of(graph: &Graph, keys: impl Fn(ThreadId) -> ThreadKey, with_co: bool) -> Self {
        let names = Names::of(graph, keys);
        let threads = names.sorted.iter().map(|&(key, thread)| names.thread(graph, key, thread)).collect();
        let co = if with_co { names.co(graph) } else { Vec::new() };
        Canonical { threads, co }
    }

    /// The value without coherence.
    pub fn rf_projection(&self) -> Self {
        Canonical { threads: self.threads.clone(), co: Vec::new() }
    }

    /// The value with as much as a graph alone shows: of each thread, only whether it has ended.
    pub fn without_reasons(mut self) -> Self {
        for thread in &mut self.threads {
            if thread.status != Status::Finished {
                thread.status = Status::Unfinished;
            }
        }
        self
    }

    /// Whether every thread ran to its end.
    pub fn is_complete(&self) -> bool {
        self.threads.iter().all(|thread| thread.status == Status::Finished)
    }

    pub fn n_events(&self) -> usize {
        self.threads.iter().map(|thread| thread.events.len()).sum()
    }

    pub fn event(&self, id: EventId) -> &CanonicalEvent {
        &self.threads[id.thread().index()].events[id.index()]
    }

    /// All events with their positions, thread by thread.
    pub fn events(&self) -> impl Iterator<Item = (EventId, &CanonicalEvent)> {
        self.threads.iter().enumerate().flat_map(|(thread, of_thread)| {
            let events = of_thread.events.iter().enumerate();
            events.map(move |(index, event)| (EventId::new(ThreadId::new(thread), index), event))
        })
    }
}

/// The renaming of a graph's threads.
struct Names {
    sorted: Vec<(ThreadKey, ThreadId)>,
    /// The canonical number of each thread of the graph; meaningless for threads that do not exist.
    renamed: Vec<ThreadId>,
}

impl Names {
    fn of(graph: &Graph, keys: impl Fn(ThreadId) -> ThreadKey) -> Self {
        let mut is_present = vec![false; graph.n_threads()];
        is_present[ThreadId::MAIN.index()] = true;
        for event in graph.events() {
            is_present[event.id.thread().index()] = true;
            if let Label::Spawn { child, .. } = event.label {
                is_present[child.index()] = true;
            }
        }
        let present = (0..is_present.len()).filter(|&thread| is_present[thread]).map(ThreadId::new);
        let mut sorted: Vec<_> = present.map(|thread| (keys(thread), thread)).collect();
        sorted.sort_unstable();
        let mut renamed = vec![ThreadId::MAIN; graph.n_threads()];
        for (rank, &(_, thread)) in sorted.iter().enumerate() {
            renamed[thread.index()] = ThreadId::new(rank);
        }
        Names { sorted, renamed }
    }

    fn thread(&self, graph: &Graph, key: ThreadKey, thread: ThreadId) -> CanonicalThread {
        let events = graph.thread(thread).iter().map(|&slot| self.event(graph, slot)).collect();
        let status = if graph.has_ended(thread) { Status::Finished } else { Status::Unfinished };
        CanonicalThread { key, status, events }
    }

    fn event(&self, graph: &Graph, slot: Slot) -> CanonicalEvent {
        let event = graph.event(slot);
        let label = match event.label {
            Label::Spawn { child, drains } => Label::Spawn { child: self.renamed[child.index()], drains },
            Label::Join { child } => Label::Join { child: self.renamed[child.index()] },
            label @ (Label::Begin
            | Label::End
            | Label::Read { .. }
            | Label::Write { .. }
            | Label::Fence { .. }
            | Label::Alloc { .. }
            | Label::Free { .. }) => label,
        };
        let source = (!event.rf.is_init()).then(|| self.id(graph, event.rf));
        CanonicalEvent { label, source, value: event.value, exclusive: event.exclusive }
    }

    fn id(&self, graph: &Graph, slot: Slot) -> EventId {
        let id = graph.event(slot).id;
        EventId::new(self.renamed[id.thread().index()], id.index())
    }

    fn co(&self, graph: &Graph) -> Vec<(Access, Vec<EventId>)> {
        let written = graph.locations().iter().filter(|location| location.co.len() > 1);
        let mut co: Vec<_> = written
            .map(|location| {
                (location.access, location.co[1..].iter().map(|&write| self.id(graph, write)).collect())
            })
            .collect();
        co.sort_unstable();
        co
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::{Sketch, X, Y};

    /// The main thread spawns two threads, one of which writes `x` and the other reads it.
    fn sketch(writer: usize, reader: usize) -> Sketch {
        let mut sketch = Sketch::new();
        let [spawn_writer, spawn_reader] = [sketch.spawn(0, writer), sketch.spawn(0, reader)];
        sketch.begin(writer, spawn_writer);
        let write = sketch.write(writer, X, 1);
        sketch.begin(reader, spawn_reader);
        sketch.read(reader, X, write);
        sketch
    }

    #[test]
    fn thread_numbers_and_the_order_of_addition_do_not_matter() {
        let keys = |first: usize| {
            move |thread: ThreadId| match thread.index() {
                0 => ThreadKey::MAIN,
                index => ThreadKey::MAIN.child(if index == first { 1 } else { 2 }).unwrap(),
            }
        };
        let one = Canonical::of(&sketch(1, 2).graph, keys(1), true);
        let other = Canonical::of(&sketch(2, 1).graph, keys(2), true);
        assert_eq!(one, other);
        assert_ne!(one, Canonical::of(&sketch(1, 2).graph, keys(2), true));
    }

    #[test]
    fn the_rf_projection_forgets_coherence_only() {
        let graph = |last: usize| {
            let mut sketch = Sketch::new();
            sketch.write(0, X, 1);
            sketch.write_at(1, X, 2, last);
            sketch.write(1, Y, 1);
            sketch.canonical()
        };
        let (before, after) = (graph(1), graph(2));
        assert_ne!(before, after);
        assert_eq!(before.rf_projection(), after.rf_projection());
        assert_eq!(before.co.len(), 2);
    }

    #[test]
    fn a_graph_is_complete_when_all_its_threads_have_ended() {
        let mut sketch = Sketch::new();
        let spawn = sketch.spawn(0, 1);
        sketch.end(0);
        assert!(!sketch.canonical().is_complete(), "the child has no event yet, but was spawned");
        sketch.begin(1, spawn);
        sketch.end(1);
        assert!(sketch.canonical().is_complete());
    }
}
