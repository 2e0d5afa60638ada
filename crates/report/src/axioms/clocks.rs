//! Vector clocks: for each event, how many events of each thread happen before it, itself included.

use super::HappensBefore;
use super::events::Order;
use atropos_event::{EventId, Label, ThreadId};
use atropos_graph::{Event, Graph, LocId, Slot};
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub struct AxiomClocks {
    n_threads: usize,
    entries: Vec<u32>,
}

/// What a read learns from a write that it acquires.
#[derive(Clone, Debug)]
enum Message {
    Empty,
    /// What the event at this slot, a release store or fence, knows.
    Of(Slot),
    Merged(Box<[u32]>),
}

impl AxiomClocks {
    /// The clocks of `relation`; `order` lists all events and extends `porf`.
    pub fn of(graph: &Graph, relation: HappensBefore, order: &[u32]) -> Self {
        let n_threads = graph.n_threads();
        let clocks = AxiomClocks { n_threads, entries: vec![0; graph.len() * n_threads] };
        let mut teller = Teller {
            graph,
            relation,
            clocks,
            messages: vec![Message::Empty; graph.len()],
            fences: vec![None; n_threads],
            pending: vec![vec![0; n_threads]; n_threads],
            releases: HashMap::new(),
        };
        for &index in order {
            teller.enter(Slot::new(index as usize));
        }
        teller.clocks
    }

    pub(crate) fn of_event(&self, slot: Slot) -> &[u32] {
        &self.entries[slot.index() * self.n_threads..][..self.n_threads]
    }

    /// Whether the event `id` happens before the one at `slot`, or equals it.
    pub fn contains(&self, slot: Slot, id: EventId) -> bool {
        id.index() < self.of_event(slot)[id.thread().index()] as usize
    }

    fn join(&mut self, slot: Slot, other: Slot) {
        let (to, from) = (slot.index() * self.n_threads, other.index() * self.n_threads);
        for thread in 0..self.n_threads {
            self.entries[to + thread] = self.entries[to + thread].max(self.entries[from + thread]);
        }
    }

    fn join_entries(&mut self, slot: Slot, entries: &[u32]) {
        let own = &mut self.entries[slot.index() * self.n_threads..][..self.n_threads];
        own.iter_mut().zip(entries).for_each(|(own, &other)| *own = other.max(*own));
    }
}

/// Computes clocks, one event after the other.
struct Teller<'a> {
    graph: &'a Graph,
    relation: HappensBefore,
    clocks: AxiomClocks,
    /// By slot, the message of each write.
    messages: Vec<Message>,
    /// By thread: its last release fence, and the messages of its reads, which an acquire fence receives.
    fences: Vec<Option<Slot>>,
    pending: Vec<Vec<u32>>,
    /// By thread and location: the last release store.
    releases: HashMap<(ThreadId, LocId), Slot>,
}

impl Teller<'_> {
    fn enter(&mut self, slot: Slot) {
        let event = *self.graph.event(slot);
        if let Some(before) = self.graph.po_before(slot) {
            self.clocks.join(slot, before);
        }
        let thread = event.id.thread().index();
        self.clocks.entries[slot.index() * self.clocks.n_threads + thread] = event.id.index() as u32 + 1;
        let has_source = !event.rf.is_init();
        match event.label {
            Label::Begin | Label::Join { .. } if has_source => self.clocks.join(slot, event.rf),
            Label::Read { .. } if has_source && self.relation == HappensBefore::Porf => {
                self.clocks.join(slot, event.rf);
                if self.graph.location(event.loc).has_parts {
                    self.graph.sources(slot).for_each(|source| self.clocks.join(slot, source));
                }
            }
            _ if self.relation == HappensBefore::Porf => {}
            Label::Read { .. } if has_source => self.receive(slot, &event),
            Label::Fence { .. } => {
                if Order::of(&event).is_acquire {
                    let pending = std::mem::take(&mut self.pending[thread]);
                    self.clocks.join_entries(slot, &pending);
                    self.pending[thread] = pending;
                }
                if Order::of(&event).is_release {
                    self.fences[thread] = Some(slot);
                }
            }
            Label::Write { .. } => self.send(slot, &event),
            _ => {}
        }
    }

    fn entries<'b>(clocks: &'b AxiomClocks, message: &'b Message) -> Option<&'b [u32]> {
        match message {
            Message::Empty => None,
            Message::Of(slot) => Some(clocks.of_event(*slot)),
            Message::Merged(entries) => Some(entries),
        }
    }

    fn receive(&mut self, slot: Slot, read: &Event) {
        let order = Order::of(read);
        let message = std::mem::replace(&mut self.messages[read.rf.index()], Message::Empty);
        if let Some(entries) = Self::entries(&self.clocks, &message).filter(|_| order.is_atomic) {
            let pending = &mut self.pending[read.id.thread().index()];
            pending.iter_mut().zip(entries).for_each(|(own, &other)| *own = other.max(*own));
            if order.is_acquire {
                let entries = entries.to_vec();
                self.clocks.join_entries(slot, &entries);
            }
        }
        self.messages[read.rf.index()] = message;
    }

    /// Computes the message of the write at `slot`, from its release store or fence and from the release sequence
    /// that it continues.
    fn send(&mut self, slot: Slot, write: &Event) {
        let (order, thread) = (Order::of(write), write.id.thread());
        if order.is_release && self.relation == HappensBefore::Rc11OfC11 {
            self.releases.insert((thread, write.loc), slot);
        }
        let store = match self.relation {
            HappensBefore::Rc11OfC11 => self.releases.get(&(thread, write.loc)).copied(),
            HappensBefore::Rc11 | HappensBefore::Porf => order.is_release.then_some(slot),
        };
        // The later of the two knows what the other knows.
        let head = store.max_by_po(self.fences[thread.index()], self.graph).filter(|_| order.is_atomic);
        let own = head.map_or(Message::Empty, Message::Of);
        let read = self.graph.po_before(slot).filter(|_| write.exclusive);
        let source = read.map(|read| self.graph.event(read).rf).filter(|source| !source.is_init());
        let continued = source.map_or(&Message::Empty, |source| &self.messages[source.index()]);
        self.messages[slot.index()] =
            match (Self::entries(&self.clocks, &own), Self::entries(&self.clocks, continued)) {
                (_, None) => own,
                (None, Some(_)) => continued.clone(),
                (Some(own), Some(continued)) => {
                    Message::Merged(own.iter().zip(continued).map(|(&own, &other)| own.max(other)).collect())
                }
            };
    }
}

trait MaxByPo {
    fn max_by_po(self, other: Option<Slot>, graph: &Graph) -> Option<Slot>;
}

impl MaxByPo for Option<Slot> {
    /// The later of two events of one thread.
    fn max_by_po(self, other: Option<Slot>, graph: &Graph) -> Option<Slot> {
        [self, other].into_iter().flatten().max_by_key(|&slot| graph.event(slot).id.index())
    }
}
