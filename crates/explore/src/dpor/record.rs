//! The execution graph of a trace.
//!
//! Observers see execution graphs. The graph follows the trace only on demand: then the steps taken since are added,
//! each step of a thread as its event (a read-modify-write as two), and the coherence order of each location becomes
//! the order of memory. Stores that are still buffered come last, in the order of their issue, as if all buffers were
//! drained now. Going back below a recorded step takes its events back.
//!
//! A buffered store to a part of a cell is one event, and the source of a load there depends on what came to memory
//! since ([`atropos_graph::parts`]). If there are such stores, the graph is rebuilt on demand.

use super::Buffers;
use super::explorer::DporWorker;
use super::machine::Machine;
use super::step::{Act, BufferEffect, MemoryEffect, NONE, RunPositions, TraceStep};
use atropos_event::{Access, Label, Rmw, Run};
use atropos_graph::{ClockKind, Graph, LocId, Outcome, Slot};

impl<'a, R: Run> DporWorker<'a, R> {
    /// Brings the graph up to date.
    pub(crate) fn record(&mut self) {
        if self.machine.has_mixed {
            self.forget();
            let locs = (0..self.machine.cells.len()).map(LocId::new);
            let is_mixed = |loc: &LocId| self.machine.cells[loc.index()].is_mixed;
            self.mixed = locs.filter(is_mixed).map(|loc| (loc, self.machine.memory_order(loc))).collect();
        }
        for place in self.n_recorded..self.machine.steps.len() {
            self.n_recorded = place + 1;
            let n_events = self.host.graph.len();
            self.record_step(place);
            for slot in n_events..self.host.graph.len() {
                self.check_memory(Slot::new(slot));
            }
        }
        if self.machine.buffers != Buffers::None {
            self.order_writes();
        }
        self.host.validate();
    }

    /// The memory order of the step's location, if parts of that are stored to.
    fn mixed_order(&self, place: usize) -> Option<&[u32]> {
        let loc = self.machine.steps[place].loc;
        let (_, order) = self.mixed.iter().find(|&&(mixed, _)| mixed == loc)?;
        Some(order)
    }

    fn record_step(&mut self, place: usize) {
        let TraceStep {
            thread,
            act,
            loc,
            memory: MemoryEffect { source, value_read, value_written, merges, .. },
            run: RunPositions { before, after, .. },
            ..
        } = self.machine.steps[place];
        if act == Act::Update {
            return;
        }
        let label = match self.machine.nexts[self.machine.steps[place].nexts.next as usize].label {
            Label::Read { access, rmw: Rmw::Merge { value, write_order: order }, .. } if merges => {
                Label::Write { access, order, value: access.merge(0, value), exclusive: false }
            }
            label => label,
        };
        let source = match self.mixed_order(place) {
            Some(order) if label.is_read() => self.machine.source_by_bytes(place as u32, order),
            _ => source,
        };
        let graph = &mut self.host.graph;
        let rf = match label {
            Label::Begin => graph.spawn_of(thread).expect("a thread runs after its creation"),
            Label::Join { child } => graph.last_of(child).expect("a joined thread has ended"),
            Label::Read { .. } if source != NONE => self.machine.steps[source as usize].slot,
            _ => Slot::INIT,
        };
        let value = match label {
            Label::Read { .. } => value_read,
            Label::Write { value, .. } if merges => value,
            Label::Write { .. } => value_written,
            _ => 0,
        };
        let co = |graph: &Graph| {
            if loc == LocId::NONE { 0 } else { graph.location(loc).co.len() as u32 }
        };
        let place_in_co = if label.is_write() { co(graph) } else { 0 };
        let mut slot = graph.add(thread, label, loc, Outcome { rf, co: place_in_co, value, before });
        if graph.has_views() && matches!(label, Label::Begin | Label::Join { .. }) {
            graph.join_clock(ClockKind::Hb, slot, ClockKind::Hb, rf);
        }
        self.join_sources(place, source, slot);
        if let Label::Read { access, rmw, .. } = label
            && let Some((value, order)) = rmw.write_after(access, value_read)
        {
            let label = Label::Write { access, order, value, exclusive: true };
            let outcome = Outcome { rf: Slot::INIT, co: co(&self.host.graph), value, before: after };
            slot = self.host.graph.add(thread, label, loc, outcome);
        }
        self.machine.steps[place].slot = slot;
    }

    /// A read of a mixed location, at `slot`, comes after all that it may have seen: [`Graph::sources`].
    fn join_sources(&mut self, place: usize, source: u32, slot: Slot) {
        let asked =
            self.host.graph.event(slot).label.access().filter(|_| self.host.graph.event(slot).is_read());
        let (Some(asked), Some(order)) = (asked.map(Access::part), self.mixed_order(place)) else { return };
        let in_memory = order.iter().position(|&write| write == source).map_or(0, |position| position + 1);
        let mut sources = Vec::new();
        for &write in order[..in_memory].iter().rev() {
            let written = self.machine.bytes_of(write);
            if written.overlaps(asked) {
                sources.push(self.machine.steps[write as usize].slot);
            }
            if written.contains(asked) {
                break;
            }
        }
        for source in sources {
            self.host.graph.join_clock(ClockKind::Porf, slot, ClockKind::Porf, source);
        }
    }

    /// Sets the coherence orders to the order of memory.
    fn order_writes(&mut self) {
        for index in 0..self.machine.cells.len() {
            let cell = &self.machine.cells[index];
            let loc = LocId::new(index);
            let mixed = self.mixed.iter().find(|&&(mixed, _)| mixed == loc);
            let writes = mixed.map_or(&cell.writes, |(_, order)| order);
            self.scratch.order.clear();
            self.scratch.order.push(Slot::INIT);
            self.scratch.order.extend(writes.iter().map(|&write| self.machine.steps[write as usize].slot));
            if self.scratch.order.len() < self.host.graph.location(loc).co.len() {
                let buffered =
                    (0..self.machine.steps.len()).filter(|&place| is_buffered(&self.machine, place, loc));
                self.scratch.order.extend(buffered.map(|place| self.machine.steps[place].slot));
            }
            if self.host.graph.location(loc).co != self.scratch.order {
                self.host.graph.set_co(loc, &self.scratch.order);
            }
            if self.host.graph.location(loc).has_parts {
                self.host.graph.settle_parts(loc);
            }
        }
    }

    fn forget(&mut self) {
        self.n_recorded = 0;
        while !self.host.graph.is_empty() {
            self.host.graph.pop();
        }
    }

    /// Takes back the events of the step at `place`, the last one.
    pub(crate) fn unrecord(&mut self, place: usize) {
        if place >= self.n_recorded {
            return;
        }
        if self.machine.has_mixed {
            self.forget();
            return;
        }
        self.n_recorded = place;
        let TraceStep { act, memory: MemoryEffect { writes, .. }, .. } = self.machine.steps[place];
        if act == Act::Update {
            return;
        }
        if act == Act::Rmw && writes {
            self.host.graph.pop();
        }
        self.host.graph.pop();
    }
}

fn is_buffered(machine: &Machine, place: usize, loc: LocId) -> bool {
    let TraceStep { act, loc: written, buffer: BufferEffect { updated_at, .. }, .. } = machine.steps[place];
    act == Act::Store && written == loc && updated_at == NONE
}
