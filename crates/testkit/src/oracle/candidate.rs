//! A candidate execution: events with their sources, and coherence orders, as plain vectors.

use atropos_event::{Access, EventId, Label, Rmw, ThreadId, ThreadKey, Value};
use atropos_graph::{Canonical, CanonicalEvent, CanonicalThread, Status};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A candidate execution, complete or not. It is closed under `po` and sources.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The spawned threads, and the main one. Events name threads as the run does.
    pub threads: BTreeMap<ThreadId, Rc<CanonicalThread>>,
    /// For each location, its writes in coherence order, without the initial one.
    pub co: BTreeMap<Access, Rc<Vec<EventId>>>,
    /// For each thread whose pending read waits for a later source: the present writes, none of which it will read
    /// from. `None` is the initial write.
    pub passed: BTreeMap<ThreadId, Vec<Option<EventId>>>,
}

/// Identifies a candidate of a program: see [`Candidate::key`].
pub type CandidateKey = Box<[Option<EventId>]>;

impl Candidate {
    /// The candidate without events.
    pub fn new() -> Self {
        let mut candidate =
            Candidate { threads: BTreeMap::new(), co: BTreeMap::new(), passed: BTreeMap::new() };
        candidate.add_thread(ThreadId::MAIN, ThreadKey::MAIN);
        candidate
    }

    pub fn add_thread(&mut self, thread: ThreadId, key: ThreadKey) {
        let new = CanonicalThread { key, status: Status::Unfinished, events: Vec::new() };
        self.threads.insert(thread, Rc::new(new));
    }

    /// Other candidates that share the thread do not change.
    pub(crate) fn thread_mut(&mut self, thread: ThreadId) -> &mut CanonicalThread {
        Rc::make_mut(self.threads.get_mut(&thread).expect("a thread that was spawned"))
    }

    pub fn event(&self, id: EventId) -> &CanonicalEvent {
        &self.threads[&id.thread()].events[id.index()]
    }

    /// All events with their positions, thread by thread.
    pub fn events(&self) -> impl Iterator<Item = (EventId, &CanonicalEvent)> {
        self.threads.iter().flat_map(|(&thread, of_thread)| {
            let events = of_thread.events.iter().enumerate();
            events.map(move |(index, event)| (EventId::new(thread, index), event))
        })
    }

    /// The writes in coherence order, without the initial one.
    pub fn writes(&self, access: Access) -> &[EventId] {
        self.co.get(&access.cell()).map_or(&[], |writes| writes.as_slice())
    }

    pub fn has_ended(&self, thread: ThreadId) -> bool {
        self.threads
            .get(&thread)
            .and_then(|thread| thread.events.last())
            .is_some_and(|last| last.label == Label::End)
    }

    /// The position of the next event of `thread`.
    pub(crate) fn next_id(&self, thread: ThreadId) -> EventId {
        EventId::new(thread, self.threads[&thread].events.len())
    }

    /// Adds an event that is neither a read nor a write.
    pub fn push(&mut self, thread: ThreadId, label: Label) {
        let source = match label {
            Label::Begin => self.spawn_of(thread),
            Label::Join { child } => {
                self.threads[&child].events.len().checked_sub(1).map(|end| EventId::new(child, end))
            }
            _ => None,
        };
        self.push_event(thread, CanonicalEvent { label, source, value: 0, exclusive: false });
    }

    fn spawn_of(&self, thread: ThreadId) -> Option<EventId> {
        let is_spawn = |event: &CanonicalEvent| event.label.created() == Some(thread);
        self.events().find(|(_, event)| is_spawn(event)).map(|(id, _)| id)
    }

    /// Adds a read of `value` from `source`. If it is the first half of a read-modify-write that succeeds, returns
    /// the label of its other half.
    pub(crate) fn push_read(
        &mut self,
        thread: ThreadId,
        label: Label,
        source: Option<EventId>,
        value: Value,
    ) -> Option<Label> {
        let Label::Read { access, rmw, .. } = label else { panic!("{label:?} is no read") };
        let write = rmw.write_after(access, value);
        self.push_event(thread, CanonicalEvent { label, source, value, exclusive: write.is_some() });
        write.map(|(value, order)| Label::Write { access, order, value, exclusive: true })
    }

    /// Adds a write that is not in memory yet.
    pub(crate) fn push_write(&mut self, thread: ThreadId, label: Label) -> EventId {
        let Label::Write { value, exclusive, .. } = label else { panic!("{label:?} is no write") };
        let id = self.next_id(thread);
        self.push_event(thread, CanonicalEvent { label, source: None, value, exclusive });
        id
    }

    /// Whether some of `bytes` are written if memory holds the value of `source`.
    pub fn is_written(&self, bytes: Access, source: Option<EventId>) -> bool {
        source.is_some_and(|write| {
            let event = self.event(write);
            let is_here = event.label.bytes().is_some_and(|written| written.overlaps(bytes));
            is_here
                || event.exclusive && {
                    let read = self.event(EventId::new(write.thread(), write.index() - 1));
                    self.is_written(bytes, read.source)
                }
        })
    }

    /// Merges the store with the write `id`, buffered until now, with memory: `source` and its `value`. Loads that
    /// the buffer has served get the rest of the location's value, which they did not read.
    pub fn merge(&mut self, id: EventId, source: Option<EventId>, value: Value) {
        let events = &mut self.thread_mut(id.thread()).events;
        let [read, write] = &mut events[id.index() - 1..=id.index()] else { panic!("two halves") };
        let Label::Read { access, rmw, .. } = read.label else { panic!("{:?} is no read", read.label) };
        (read.source, read.value) = (source, value);
        let (merged, _) = rmw.write_after(access, value).expect("a merging store always writes");
        write.value = merged;
        if let Label::Write { value, .. } = &mut write.label {
            *value = merged;
        }
        let is_served = |event: &&mut CanonicalEvent| event.source == Some(id) && event.label.is_read();
        events.iter_mut().filter(is_served).for_each(|load| load.value = merged);
    }

    /// Gives a write its place in coherence order, counted from 0 after the initial write.
    pub fn place(&mut self, write: EventId, position: usize) {
        let access = self.event(write).label.access().expect("a write accesses memory");
        Rc::make_mut(self.co.entry(access.cell()).or_default()).insert(position, write);
    }

    fn push_event(&mut self, thread: ThreadId, event: CanonicalEvent) {
        self.thread_mut(thread).events.push(event);
    }

    /// The sources of all reads, the coherence orders, the progress of each thread, and what it has passed. Threads
    /// are deterministic, so labels and values follow from these.
    pub fn key(&self) -> CandidateKey {
        let mut key = Vec::new();
        for (&thread, of_thread) in &self.threads {
            key.push(Some(self.next_id(thread)));
            key.extend(
                of_thread.events.iter().filter(|event| event.label.is_read()).map(|event| event.source),
            );
        }
        key.extend(self.co.values().flat_map(|writes| writes.iter()).map(|&write| Some(write)));
        for (&thread, passed) in &self.passed {
            key.push(Some(self.next_id(thread)));
            key.extend(passed);
        }
        key.into_boxed_slice()
    }

    /// The canonical value, with threads named by their keys.
    pub fn canonical(&self) -> Canonical {
        let mut sorted: Vec<_> =
            self.threads.iter().map(|(&thread, of_thread)| (of_thread.key, thread)).collect();
        sorted.sort_unstable();
        let place = |thread: ThreadId| sorted.iter().position(|&(_, other)| other == thread);
        let renamed = |thread: ThreadId| ThreadId::new(place(thread).expect("a thread of the candidate"));
        let moved = |id: EventId| EventId::new(renamed(id.thread()), id.index());
        let event = |event: &CanonicalEvent| {
            let label = match event.label {
                Label::Spawn { child, drains } => Label::Spawn { child: renamed(child), drains },
                Label::Join { child } => Label::Join { child: renamed(child) },
                other => other,
            };
            CanonicalEvent { label, source: event.source.map(moved), ..*event }
        };
        let thread = |&(key, thread): &(ThreadKey, ThreadId)| {
            let CanonicalThread { status, ref events, .. } = *self.threads[&thread];
            CanonicalThread { key, status, events: events.iter().map(event).collect() }
        };
        let writes = |writes: &Vec<EventId>| writes.iter().map(|&write| moved(write)).collect();
        Canonical {
            threads: sorted.iter().map(thread).collect(),
            co: self.co.iter().map(|(&access, list)| (access, writes(list))).collect(),
        }
    }
}

impl Default for Candidate {
    fn default() -> Self {
        Candidate::new()
    }
}

/// The read of a compare-and-swap that fails in this execution.
pub fn is_failed_cas(event: &CanonicalEvent) -> bool {
    matches!(event.label, Label::Read { rmw: Rmw::Cas { .. }, .. }) && !event.exclusive
}
