//! Takes an alternative, and takes it back.

use super::choice::{Choice, ChoicePoint, PendingAccess, Restricted};
use super::{TrustRules, TrustWorker};
use crate::engine::Cursor;
use crate::host::Host;
use crate::journal;
use atropos_event::{EventId, Label, RefusalReason, Run};
use atropos_graph::Slot;
use atropos_model::MemoryModel;
use log::Level;

impl<R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'_, R, M, Q> {
    /// Chooses among the alternatives `choices[first..]`. A single one that adds an event is taken at once and needs
    /// no node: it is taken back with the node below it. Otherwise the new node waits for [`TrustWorker::advance`].
    /// Returns whether the graph has been extended.
    pub(super) fn choose(&mut self, pending: &PendingAccess, first: usize) -> bool {
        let end = self.choices.len();
        let needs_node = match &self.choices[first..] {
            [] => return false,
            [choice] => matches!(choice, Choice::Revisit(_)),
            _ => true,
        };
        if !needs_node {
            let choice = self.choices.pop().expect("a single alternative");
            return self.apply(pending, choice);
        }
        let mut node = ChoicePoint {
            pending: *pending,
            taken: self.choices[first],
            first,
            next: first,
            end,
            base: self.engine.graph.len(),
            mark: self.engine.run.mark(),
            cursor: self.engine.cursor,
            waits_from: self.engine.waits_from,
            n_owners: self.engine.owners.len(),
            restricted: None,
        };
        if let Some(&turn) = self.root.turns.get(self.n_replayed) {
            // On the way to this worker's part of the search: most alternatives belong to other workers.
            let Some((next, end)) = self.follow(turn, first) else {
                self.engine.refuse(RefusalReason::OtherSearch);
                return false;
            };
            (node.next, node.end) = (next, end);
            self.n_replayed += 1;
            self.engine.is_replaying = self.n_replayed < self.root.turns.len();
            self.is_on_its_way = true;
        } else if let Some(dice) = self.dice {
            self.gamble(&mut node, dice);
        }
        self.nodes.push(node);
        false
    }

    /// Continues with the latest choice that has an untried alternative; `false` if there is none.
    pub(super) fn advance(&mut self) -> bool {
        while let Some(node) = self.nodes.len().checked_sub(1) {
            if self.engine.is_replaying && !std::mem::take(&mut self.is_on_its_way) {
                self.engine.refuse(RefusalReason::OtherSearch);
                return false;
            }
            self.undo(node);
            let ChoicePoint { pending, first, next, end, .. } = self.nodes[node];
            if next == end {
                self.nodes.pop();
                self.choices.truncate(first);
                continue;
            }
            let choice = self.choices[next];
            self.nodes[node].next = next + 1;
            self.nodes[node].taken = choice;
            if journal::is_on(Level::Trace) {
                self.log_choice(node);
            }
            if self.apply(&pending, choice) {
                return true;
            }
            if self.engine.is_stopped {
                return false;
            }
        }
        false
    }

    /// Restores the graph and the run of the node.
    fn undo(&mut self, node: usize) {
        let ChoicePoint { base, mark, restricted, cursor, waits_from, n_owners, .. } = self.nodes[node];
        self.engine.owners.truncate(n_owners);
        self.pending = None;
        self.engine.cursor = cursor;
        self.engine.waits_from = waits_from;
        self.engine.cut_to(restricted.map_or(base, |restricted| restricted.len));
        if let Some(Restricted { positions, .. }) = restricted {
            self.engine.graph.restore(&mut self.attic);
            for (thread, position) in self.positions.drain(positions..) {
                self.engine.run.rewind(thread, position);
            }
            self.nodes[node].restricted = None;
        }
        self.engine.run.release(mark);
        debug_assert_eq!(self.engine.graph.len(), base);
    }

    /// Takes everything back.
    pub(super) fn reset(&mut self) {
        while let Some(node) = self.nodes.len().checked_sub(1) {
            self.undo(node);
            self.nodes.pop();
        }
        self.choices.clear();
        self.pending = None;
        self.engine.cursor = Cursor::START;
        self.engine.waits_from = usize::MAX;
        self.engine.owners.clear();
        self.engine.cut_to(0);
        let root_mark = self.engine.root_mark;
        self.engine.run.release(root_mark);
    }

    fn apply(&mut self, pending: &PendingAccess, choice: Choice) -> bool {
        let consistent = match choice {
            Choice::Source(source) => self.apply_source(pending, source),
            Choice::Place(place) => match pending.revisited {
                None => self.apply_place(pending, place),
                Some(read) => self.apply_revisit(pending, place, read),
            },
            Choice::Revisit(read) => return self.restrict(pending, read),
            Choice::LastOwner(number) => {
                self.choose_owner(pending.loc, number);
                true
            }
        };
        if !consistent {
            self.engine.stats.dead += 1;
        }
        consistent && !self.engine.is_stopped
    }

    fn apply_source(&mut self, pending: &PendingAccess, source: Option<EventId>) -> bool {
        let PendingAccess { thread, label, loc, .. } = *pending;
        let source = source.map_or(Slot::INIT, |id| self.engine.graph.slot_of(id));
        let read = self.engine.add_read(thread, label, loc, source);
        if !self.engine.is_consistent(read) {
            return false;
        }
        self.compare_with_twin(read);
        match self.found_number(read) {
            Some(number) => {
                self.engine.pass(read, number);
                self.engine.check_access(read);
            }
            None => self.engine.answer_read(read),
        }
        self.follow_section(read);
        self.engine.watch_source(read);
        if self.engine.graph.event(read).exclusive {
            self.pending = Some(read);
        }
        !self.is_doomed(read)
    }

    fn apply_place(&mut self, pending: &PendingAccess, place: u32) -> bool {
        let write = self.add_write(pending, place);
        if !self.engine.is_consistent(write) {
            return false;
        }
        self.compare_with_twin(write);
        self.resume_writer(pending, write);
        self.follow_section(write);
        self.engine.check_access(write);
        self.watch_arrival(write);
        if !self.engine.owners.is_empty() {
            // The one that was chosen may be able to move.
            self.engine.cursor.next = 0;
        }
        !self.leaves_waiter_behind(write)
    }

    fn add_write(&mut self, pending: &PendingAccess, place: u32) -> Slot {
        self.engine.add_write(pending.thread, pending.label, pending.loc, place)
    }

    /// The thread of an exclusive write was answered when its read was.
    fn resume_writer(&mut self, pending: &PendingAccess, write: Slot) {
        match pending.label {
            Label::Write { exclusive: false, .. } => self.engine.answer(pending.thread, 0),
            _ => self.engine.run_on(write),
        }
    }

    /// Algorithm 1, line 18: removes what the revisit deletes; the places of the write come next.
    fn restrict(&mut self, pending: &PendingAccess, read: EventId) -> bool {
        self.engine.stats.revisits += 1;
        self.engine.cursor.next = 0;
        let positions = self.save_positions();
        let mut outside = std::mem::take(&mut self.outside);
        self.enclose(&mut outside, pending.thread);
        if journal::is_on(Level::Debug) {
            self.log_revisit(pending, read, &outside.prefix);
        }
        let Host { run, graph, .. } = &mut self.engine.host;
        let (start, len) = (graph.slot_of(read), graph.len());
        graph.restrict(start, &outside.prefix, &mut self.attic, |event| {
            run.rewind(event.id.thread(), event.before)
        });
        let n_deleted = len - graph.len();
        if self.engine.waits_from >= start.index() {
            // No event depends on a read that waits, so all later ones are deleted.
            self.engine.waits_from = usize::MAX;
        }
        self.outside = outside;
        self.engine.note_conflict(read.thread(), pending.thread, n_deleted);
        self.nodes.last_mut().expect("the node of the revisit").restricted =
            Some(Restricted { len: self.engine.graph.len(), positions });
        let first = self.choices.len();
        let pending = PendingAccess { revisited: Some(read), ..*pending };
        self.push_places(&pending);
        self.choose(&pending, first)
    }

    /// Places the revisiting write and makes the read read from it.
    fn apply_revisit(&mut self, pending: &PendingAccess, place: u32, read: EventId) -> bool {
        let write = self.add_write(pending, place);
        let read = self.engine.graph.slot_of(read);
        let value = self.engine.graph.event(write).value;
        self.engine.graph.set_rf(read, write, value);
        self.engine.model.observe(&mut self.engine.host.graph, read);
        self.engine.stats.events += 1;
        if !self.engine.is_consistent(read) {
            return false;
        }
        self.compare_with_twin(write);
        self.compare_with_twin(read);
        let event = *self.engine.graph.event(read);
        self.engine.run.rewind(event.id.thread(), event.before);
        self.engine.pass(read, value);
        self.resume_writer(pending, write);
        self.follow_section(write);
        self.follow_section(read);
        self.engine.check_access(write);
        self.engine.check_access(read);
        self.engine.watch_source(read);
        if event.exclusive {
            self.pending = Some(read);
        }
        !self.is_doomed(read) && !self.leaves_waiter_behind(write)
    }

    /// Records the position of each thread; returns where the records begin.
    fn save_positions(&mut self) -> usize {
        let start = self.positions.len();
        for &thread in &self.engine.schedule {
            if self.engine.graph.exists(thread) {
                self.positions.push((thread, self.engine.run.position(thread)));
            }
        }
        start
    }
}
