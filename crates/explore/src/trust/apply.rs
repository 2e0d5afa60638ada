//! Taking an alternative, and taking it back.

use super::choice::{Choice, Node, Restricted, What};
use super::{Equivalence, Explorer};
use crate::{EVENTS_BETWEEN_LOOKS, LONGEST_THREAD, ThreadOrder, thread_too_long};
use atropos_event::{EventId, Label, Program, RefusalReason, Run, ThreadId, Value, mark};
use atropos_graph::{LocId, Outcome, Slot};
use atropos_model::MemoryModel;

impl<'a, P: Program, M: MemoryModel, Q: Equivalence<M>> Explorer<'a, P, M, Q> {
    /// Chooses among the alternatives `choices[first..]`. A single one that adds an event is taken at once
    /// and needs no node: it is taken back with the node below it. Otherwise the new node waits for
    /// [`Explorer::advance`], and the answer is that the graph has not been extended.
    pub(super) fn choose(&mut self, what: What, first: usize) -> bool {
        let end = self.choices.len();
        let needs_node = match &self.choices[first..] {
            [] => return false,
            [choice] => matches!(choice, Choice::Revisit(_)),
            _ => true,
        };
        if !needs_node {
            let choice = self.choices.pop().expect("a single alternative");
            return self.apply(what, choice);
        }
        let mut node = Node {
            what,
            taken: self.choices[first],
            first,
            next: first,
            end,
            base: self.graph.len(),
            mark: self.run.mark(),
            cursor: self.cursor,
            joiner: self.joiner,
            restricted: None,
        };
        if let Some(&choice) = self.root.choices.get(self.n_replayed) {
            // On the way to this worker's part of the search: the other alternatives are somebody else's.
            self.n_replayed += 1;
            self.choices.truncate(first);
            self.choices.push(self.local(choice));
            node.end = first + 1;
        }
        self.nodes.push(node);
        false
    }

    /// Goes on with the latest choice that has an untried alternative; `false` when there is none left.
    pub(super) fn advance(&mut self) -> bool {
        while let Some(node) = self.nodes.len().checked_sub(1) {
            self.undo(node);
            let Node { what, first, next, end, .. } = self.nodes[node];
            if next == end {
                self.nodes.pop();
                self.choices.truncate(first);
                continue;
            }
            let choice = self.choices[next];
            self.nodes[node].next = next + 1;
            self.nodes[node].taken = choice;
            if self.apply(what, choice) {
                return true;
            }
            if self.stopped {
                return false;
            }
        }
        false
    }

    /// Brings the graph and the run back to where the node stands.
    fn undo(&mut self, node: usize) {
        let Node { base, mark, restricted, cursor, joiner, .. } = self.nodes[node];
        self.pending = None;
        (self.cursor, self.joiner) = (cursor, joiner);
        self.cut_to(restricted.map_or(base, |restricted| restricted.len));
        if let Some(Restricted { positions, .. }) = restricted {
            self.graph.restore(&mut self.attic);
            for (thread, position) in self.positions.drain(positions..) {
                self.run.rewind(thread, position);
            }
            self.nodes[node].restricted = None;
        }
        self.run.release(mark);
        debug_assert_eq!(self.graph.len(), base);
        // Between a restriction and the place of the revisiting write, the read has no source.
        if self.nodes[node].what.revisited.is_none() {
            self.validate();
        }
    }

    /// Whatever goes wrong with the graph should show as early as possible.
    pub(super) fn validate(&self) {
        if self.config.validate
            && let Err(broken) = atropos_graph::validate(&self.graph)
        {
            panic!("a malformed graph: {broken:?}");
        }
    }

    /// Takes everything back.
    pub(super) fn reset(&mut self) {
        while let Some(node) = self.nodes.len().checked_sub(1) {
            self.undo(node);
            self.nodes.pop();
        }
        self.choices.clear();
        self.pending = None;
        (self.cursor, self.joiner) = (0, usize::MAX);
        self.cut_to(0);
        self.run.release(self.root_mark);
    }

    fn cut_to(&mut self, len: usize) {
        while self.graph.len() > len {
            let event = self.graph.pop();
            self.run.rewind(event.id.thread(), event.before);
        }
    }

    fn apply(&mut self, what: What, choice: Choice) -> bool {
        let consistent = match choice {
            Choice::Source(source) => self.apply_source(what, source),
            Choice::Place(place) => match what.revisited {
                None => self.apply_place(what, place),
                Some(read) => self.apply_revisit(what, place, read),
            },
            Choice::Revisit(read) => return self.restrict(what, read),
        };
        self.validate();
        if !consistent {
            self.stats.dead += 1;
        }
        consistent && !self.stopped
    }

    fn apply_source(&mut self, what: What, source: Option<EventId>) -> bool {
        let What { thread, label, loc, .. } = what;
        let source = source.map_or(Slot::INIT, |id| self.graph.slot_of(id));
        let value = self.graph.value_of(loc, source);
        let before = self.run.position(thread);
        let read = self.add(thread, label, loc, Outcome { rf: source, co: 0, value, before });
        if !self.is_consistent(read) {
            return false;
        }
        self.answer_read(read);
        self.watch_read(read);
        if self.graph.event(read).exclusive {
            self.pending = Some(read);
        }
        !self.is_doomed(read)
    }

    /// Hands the thread of a read its value, and judges the access. One that should not have been made at all is
    /// not blamed for what it reads as well.
    fn answer_read(&mut self, read: Slot) {
        let event = self.graph.event(read);
        let (thread, value) = (event.id.thread(), event.value);
        if self.graph.reads_unwritten(read) {
            self.run.resume_unwritten(thread);
            if !self.check_access(read) {
                self.watch(thread);
            }
        } else {
            self.resume(thread, value);
            self.check_access(read);
        }
    }

    fn apply_place(&mut self, what: What, place: u32) -> bool {
        let write = self.add_write(what, place);
        if !self.is_consistent(write) {
            return false;
        }
        self.resume_writer(what);
        self.check_access(write);
        !self.leaves_waiter_behind(write)
    }

    fn add_write(&mut self, what: What, place: u32) -> Slot {
        let What { thread, label, loc, .. } = what;
        let Label::Write { access, value, .. } = label else { unreachable!("{label:?} is no write") };
        let before = self.run.position(thread);
        let value = access.truncate(value);
        self.add(thread, label, loc, Outcome { rf: Slot::INIT, co: place, value, before })
    }

    /// The thread of an exclusive write went on when its read was answered.
    fn resume_writer(&mut self, what: What) {
        if matches!(what.label, Label::Write { exclusive: false, .. }) {
            self.resume(what.thread, 0);
        }
    }

    /// Algorithm 1, line 18: removes what the revisit deletes; the places of the write come next.
    fn restrict(&mut self, what: What, read: EventId) -> bool {
        self.stats.revisits += 1;
        self.cursor = 0;
        let positions = self.save_positions();
        let mut prefix = std::mem::take(&mut self.prefix);
        prefix.clear();
        match self.graph.last_of(what.thread) {
            Some(last) => prefix.extend_from_slice(self.graph.porf(last)),
            None => prefix.resize(self.graph.width(), 0),
        }
        let run = &mut self.run;
        let start = self.graph.slot_of(read);
        let len = self.graph.len();
        self.graph
            .restrict(start, &prefix, &mut self.attic, |event| run.rewind(event.id.thread(), event.before));
        self.prefix = prefix;
        self.note_conflict(read.thread(), what.thread, len - self.graph.len());
        self.nodes.last_mut().expect("the node of the revisit").restricted =
            Some(Restricted { len: self.graph.len(), positions });
        let first = self.choices.len();
        let what = What { revisited: Some(read), ..what };
        self.push_places(what);
        self.choose(what, first)
    }

    fn note_conflict(&mut self, reader: ThreadId, writer: ThreadId, n_deleted: usize) {
        let is_fixed = self.config.thread_order != ThreadOrder::Learned;
        if is_fixed || self.lessons.thread_order.is_some() || self.conflicts.is_over() {
            return;
        }
        let order: Vec<_> = self.schedule.iter().map(|&thread| self.run.key(thread)).collect();
        let (reader, writer) = (self.run.key(reader), self.run.key(writer));
        if let Some(order) = self.conflicts.note(reader, writer, n_deleted, &order) {
            mark!("trust: another order of threads");
            self.school.learn(|lessons| lessons.thread_order = Some(order));
            self.start_over();
        }
    }

    /// Places the revisiting write and lets the read read from it.
    fn apply_revisit(&mut self, what: What, place: u32, read: EventId) -> bool {
        let write = self.add_write(what, place);
        let read = self.graph.slot_of(read);
        let value = self.graph.event(write).value;
        self.graph.set_rf(read, write, value);
        self.model.observe(&mut self.graph, read);
        self.stats.events += 1;
        if !self.is_consistent(read) {
            return false;
        }
        let event = *self.graph.event(read);
        self.run.rewind(event.id.thread(), event.before);
        self.resume(event.id.thread(), value);
        self.resume_writer(what);
        self.check_access(write);
        self.check_access(read);
        self.watch_read(read);
        if event.exclusive {
            self.pending = Some(read);
        }
        !self.is_doomed(read) && !self.leaves_waiter_behind(write)
    }

    pub(super) fn add(&mut self, thread: ThreadId, label: Label, loc: LocId, outcome: Outcome) -> Slot {
        let slot = self.graph.add(thread, label, loc, outcome);
        self.model.observe(&mut self.graph, slot);
        self.stats.events += 1;
        if self.stats.events.is_multiple_of(EVENTS_BETWEEN_LOOKS) {
            // Executions may be long, or all of them inconsistent.
            self.flush_progress();
        }
        if self.graph.event(slot).id.index() >= LONGEST_THREAD {
            let key = self.run.key(thread);
            self.refuse(thread_too_long(key));
        }
        self.stats.largest = self.stats.largest.max(self.graph.len() as u64);
        slot
    }

    pub(super) fn is_consistent(&mut self, added: Slot) -> bool {
        let is_consistent = Q::is_consistent(&mut self.model, &self.graph, added);
        if !is_consistent && let Some(complaint) = self.model.complaint() {
            self.refuse(RefusalReason::Model(complaint));
        }
        is_consistent
    }

    pub(super) fn resume(&mut self, thread: ThreadId, value: Value) {
        self.run.resume(thread, value);
        self.watch(thread);
    }

    /// Notes where each thread stands; answers where the notes begin.
    fn save_positions(&mut self) -> usize {
        let start = self.positions.len();
        for &thread in &self.schedule {
            if self.graph.exists(thread) {
                self.positions.push((thread, self.run.position(thread)));
            }
        }
        start
    }
}
