//! The execution graph of a trace.
//!
//! Observers see execution graphs. The graph follows the trace only on demand: then the steps taken since are added,
//! each step of a thread as its event (a read-modify-write as two), and the coherence order of each location becomes
//! the order of memory. Stores that are still buffered come last, in the order of their issue, as if all buffers were
//! drained now. Going back below a recorded step takes its events back.
//!
//! The source of a store to a part of a cell is known only when the store is in memory, and may have been issued
//! later than the store itself. If there are such stores, the graph is rebuilt on demand, along `po` and `rf`.

use super::explorer::Explorer;
use super::machine::Machine;
use super::step::{Act, NONE, Step};
use atropos_event::{Label, Program};
use atropos_graph::{Graph, Kind, LocId, Outcome, Slot};

impl<'a, P: Program> Explorer<'a, P> {
    /// Brings the graph up to date.
    pub(crate) fn record(&mut self) {
        if self.machine.has_merges {
            self.record_anew();
        }
        for place in self.n_recorded..self.machine.steps.len() {
            self.n_recorded = place + 1;
            self.record_and_check(place);
        }
        if self.machine.buffers != super::Buffers::None {
            self.order_writes();
        }
    }

    fn record_and_check(&mut self, place: usize) {
        let n_events = self.host.graph.len();
        self.record_step(place);
        for slot in n_events..self.host.graph.len() {
            self.check_memory(Slot::new(slot));
        }
    }

    /// Records all steps, each after its source.
    fn record_anew(&mut self) {
        self.forget();
        self.drain_merges();
        let n_steps = self.machine.steps.len();
        let mut waiting: Vec<usize> = (0..n_steps).collect();
        let mut is_recorded = vec![false; n_steps];
        while !waiting.is_empty() {
            let n_waiting = waiting.len();
            // The threads that have a step which cannot be recorded yet.
            let mut late = Vec::new();
            waiting.retain(|&place| {
                let Step { thread, source, act, .. } = self.machine.steps[place];
                let is_ready = source == NONE || is_recorded[source as usize];
                let waits =
                    act != Act::Update && (!is_ready || late.contains(&thread) || !self.can_record(place));
                if waits {
                    late.push(thread);
                } else {
                    self.record_and_check(place);
                    is_recorded[place] = true;
                }
                waits
            });
            assert!(waiting.len() < n_waiting, "the sources of a trace have no cycle");
        }
        self.n_recorded = n_steps;
    }

    /// Whether the event before a thread's first step or a join is in the graph.
    fn can_record(&self, place: usize) -> bool {
        let Step { thread, next, .. } = self.machine.steps[place];
        match self.machine.nexts[next as usize].label {
            Label::Begin => self.host.graph.exists(thread),
            Label::Join { child } => self.host.graph.has_ended(child),
            _ => true,
        }
    }

    /// Merges the merging stores that are still buffered, as if all buffers were drained now.
    fn drain_merges(&mut self) {
        for index in 0..self.machine.cells.len() {
            let loc = LocId::new(index);
            let (mut value, mut source) = self.machine.memory(loc);
            for place in 0..self.machine.steps.len() {
                if !is_buffered(&self.machine, place, loc) {
                    continue;
                }
                if self.machine.steps[place].merges {
                    let merged = self.machine.merged(self.machine.steps[place].next, value);
                    let step = &mut self.machine.steps[place];
                    (step.value_read, step.source, step.value_written) = (value, source, merged);
                }
                (value, source) = (self.machine.steps[place].value_written, place as u32);
            }
        }
    }

    fn record_step(&mut self, place: usize) {
        let Step { thread, act, loc, source, value_read, value_written, next, before, after, .. } =
            self.machine.steps[place];
        if act == Act::Update {
            return;
        }
        let next = self.machine.nexts[next as usize];
        let graph = &mut self.host.graph;
        let slot_of =
            |step: u32| if step == NONE { Slot::INIT } else { self.machine.steps[step as usize].slot };
        let rf = match next.label {
            Label::Begin => graph.spawn_of(thread).expect("a thread runs after its creation"),
            Label::Join { child } => graph.last_of(child).expect("a joined thread has ended"),
            Label::Read { .. } => slot_of(source),
            _ => Slot::INIT,
        };
        let value = match next.label {
            // The load has not seen, and did not read, what the store that served it has merged with since.
            Label::Read { .. } if act == Act::Load => self.machine.value_of(loc, source),
            Label::Read { .. } => value_read,
            Label::Write { .. } => value_written,
            _ => 0,
        };
        let co = |graph: &Graph| {
            if loc == LocId::NONE { 0 } else { graph.location(loc).co.len() as u32 }
        };
        let place_in_co = if next.label.is_write() { co(graph) } else { 0 };
        let mut slot = graph.add(thread, next.label, loc, Outcome { rf, co: place_in_co, value, before });
        if graph.has_views() && matches!(next.label, Label::Begin | Label::Join { .. }) {
            graph.join_clock(Kind::Hb, slot, Kind::Hb, rf);
        }
        if let Some(label @ Label::Write { value, .. }) = next.label.exclusive_write(value_read) {
            let outcome = Outcome { rf: Slot::INIT, co: co(graph), value, before: after };
            slot = graph.add(thread, label, loc, outcome);
        }
        self.machine.steps[place].slot = slot;
    }

    /// Sets the coherence orders to the order of memory.
    fn order_writes(&mut self) {
        for index in 0..self.machine.cells.len() {
            let cell = &self.machine.cells[index];
            let loc = LocId::new(index);
            self.order.clear();
            self.order.push(Slot::INIT);
            self.order.extend(cell.writes.iter().map(|&write| self.machine.steps[write as usize].slot));
            if self.order.len() < self.host.graph.location(loc).co.len() {
                let buffered =
                    (0..self.machine.steps.len()).filter(|&place| is_buffered(&self.machine, place, loc));
                self.order.extend(buffered.map(|place| self.machine.steps[place].slot));
            }
            if self.host.graph.location(loc).co != self.order {
                self.host.graph.set_co(loc, &self.order);
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
        if self.machine.has_merges {
            self.forget();
            return;
        }
        self.n_recorded = place;
        let Step { act, writes, .. } = self.machine.steps[place];
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
    let Step { act, updated_at, loc: written, .. } = machine.steps[place];
    act == Act::Store && written == loc && updated_at == NONE
}
