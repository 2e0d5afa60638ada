//! The results of traces, and the errors of the program under test.
//!
//! Failing threads are reported where they fail. Whether threads wait forever depends on all traces with these
//! values, not only on the current one: is there one in which the awaited values are final? That is an instance of
//! `VerifySC` again, with all writes of a value good for its reads, and the waiting reads after all writes of their
//! locations.

use super::explorer::RvfWorker;
use super::instance::{AccessId, AccessNode, Instance};
use super::verify::Guidance;
use crate::{Ending, Report, memory, progress};
use atropos_event::{Access, Addr, AllocKind, Initial, Label, RefusalReason, Run, ThreadId};
use atropos_graph::{Event, Outcome};

impl<R: Run> RvfWorker<'_, R> {
    /// The location of an access.
    pub(crate) fn locate(&mut self, thread: usize, access: Access) -> Option<usize> {
        let loc = self.host.locate(ThreadId::new(thread), access)?;
        self.judges_memory |= self.host.graph.location(loc).initial == Initial::Uninitialised;
        Some(loc.index())
    }

    /// The trace is maximal: nothing can be added to it.
    pub(crate) fn finish(&mut self) {
        if self.judges_memory || self.host.looks_at_executions() {
            self.draw();
        }
        let threads = &self.threads;
        let closing = self.host.closing((0..threads.len()).map(ThreadId::new), |_, thread| {
            threads[thread.index()].exists && !threads[thread.index()].has_ended()
        });
        if !self.host.finish(closing) {
            return;
        }
        let n_events: usize = self.threads.iter().map(|thread| thread.n_events).sum();
        self.host.note_size(n_events);
        if self.judges_memory {
            self.check_memory();
        }
        if closing.ending == Ending::Blocked && !self.host.is_stopped {
            self.check_progress();
        }
        self.host.look_up();
    }

    /// Reports the threads that have failed in the current extension.
    pub(crate) fn report_failures(&mut self, failed: &[usize]) {
        self.draw();
        if self.report_misuse() {
            return;
        }
        for &thread in failed {
            if let Some(report) = self.host.failure(ThreadId::new(thread)) {
                self.host.report(report);
            }
            if self.host.is_stopped {
                return;
            }
        }
    }

    /// Misuse of dynamic memory in the current trace. If there is none, but one thread frees an object and another
    /// uses it, other traces with the same values might show some, and the program is refused.
    fn check_memory(&mut self) {
        if !self.report_misuse()
            && let Some((object, kind)) = self.shared_and_freed()
        {
            self.host.refuse(RefusalReason::FreedAndShared { object, kind });
        }
    }

    /// Reports misuse of dynamic memory in the current trace, if there is any.
    fn report_misuse(&mut self) -> bool {
        if !self.judges_memory {
            return false;
        }
        // Judged event by event: later events of the trace cannot be misused yet.
        let events = self.host.graph.events().to_vec();
        let mut graph = self.host.graph.clone();
        while !graph.is_empty() {
            graph.pop();
        }
        for Event { id, label, loc, rf, co, value, before, .. } in events {
            let slot = graph.add(id.thread(), label, loc, Outcome { rf, co, value, before });
            if let Some((violation, other)) = memory::misuse(&graph, slot, graph.porf(slot)) {
                let events = other.into_iter().chain([slot]).collect();
                std::mem::swap(&mut self.host.graph, &mut graph);
                self.host.report(Report { violation, thread: id.thread(), events });
                std::mem::swap(&mut self.host.graph, &mut graph);
                return true;
            }
        }
        false
    }

    /// An object that one thread frees and another accesses, unless joins put the access first.
    fn shared_and_freed(&mut self) -> Option<(Addr, AllocKind)> {
        for thread in 0..self.threads.len() {
            for index in 0..self.threads[thread].steps.len() {
                let Label::Free { addr, kind } = self.threads[thread].steps[index].label else { continue };
                let Some((_, base, size)) = memory::object_around(&self.host.graph, addr) else { continue };
                let object = base.0..base.0 + size;
                let past = self.trace_graph.past(&self.threads, thread, index);
                let is_foreign = self.threads.iter().zip(past).any(|(other, n_before)| {
                    let later = other.steps.iter().skip(*n_before).filter_map(|step| step.label.access());
                    later.into_iter().any(|access| object.contains(&access.addr.0))
                });
                if is_foreign {
                    return Some((addr, kind));
                }
            }
        }
        None
    }

    /// In a trace in which nothing can move: reports it if the waiting threads wait forever.
    fn check_progress(&mut self) {
        let threads = self.threads.iter().enumerate();
        let unfinished = threads.filter(|(_, thread)| thread.exists && !thread.has_ended());
        let unfinished = unfinished.map(|(index, _)| ThreadId::new(index));
        let Some(waiting) = progress::waiting(&mut self.host.run, unfinished) else { return };
        let mut awaited = Vec::new();
        for &(thread, n_reads) in &waiting.reads {
            let nodes = self.instance.threads()[thread.index()].iter().rev().copied();
            let reads = nodes.filter(|&node| self.instance.nodes[node].read.is_some());
            // As for graphs: if the thread writes the location again, it waits by the later access, or for nothing.
            let of_thread = &self.instance.threads()[thread.index()];
            let is_undone = |&read: &AccessId| {
                let later = of_thread.iter().skip_while(|&&node| node != read).skip(1);
                let is_same =
                    |&&node: &&AccessId| self.instance.nodes[node].loc == self.instance.nodes[read].loc;
                later.filter(is_same).any(|&node| self.instance.nodes[node].written.is_some())
            };
            awaited.extend(reads.take(n_reads as usize).filter(|read| !is_undone(read)));
        }
        if !awaited.iter().all(|&read| self.may_be_last(read)) {
            return;
        }
        if self.find_final_trace(&awaited) {
            let shown = self.traces.enter_copy(&self.witness.verify.sequence);
            self.draw();
            let report = waiting.report(&self.host.graph, &mut self.host.run);
            self.host.report(report);
            self.traces.leave(shown);
        }
    }

    /// Whether the value read could be the final one: some write of it must be the last of its thread.
    fn may_be_last(&self, read: AccessId) -> bool {
        let node = &self.instance.nodes[read];
        let accesses = &self.instance.locations[node.loc];
        if accesses.writes.is_empty() {
            return true;
        }
        accesses.writes.iter().enumerate().any(|(index, &write)| {
            let (of_write, later) = (&self.instance.nodes[write], &accesses.writes[index + 1..]);
            of_write.written == node.read
                && later.iter().all(|&other| self.instance.nodes[other].thread != of_write.thread)
        })
    }

    /// Finds a trace with the same values in which the `awaited` reads see the final values of their locations. Those
    /// that are read-modify-writes write back what they read, and may follow each other.
    fn find_final_trace(&mut self, awaited: &[AccessId]) -> bool {
        let mut instance = self.without_choices();
        for &read in awaited {
            let loc = instance.nodes[read].loc;
            for index in 0..instance.locations[loc].writes.len() {
                let write = instance.locations[loc].writes[index];
                if !awaited.contains(&write) && !instance.order.add(write, read) {
                    return false;
                }
            }
        }
        let guidance =
            Guidance { control: self.host.control(), is_greedy: true, trace: Some(self.traces.current()) };
        self.witness.closure.close(&mut instance) && self.witness.verify.solve(&instance, guidance)
    }

    /// The instance in which only values are fixed: program order, and all writes of a value are good.
    fn without_choices(&self) -> Instance {
        let mut instance = Instance::with_threads(self.threads.len());
        for (id, &node) in self.instance.nodes.iter().enumerate() {
            let step = &self.threads[node.thread].steps[node.step];
            let (value, is_uninitialised) = self.initial(node.loc);
            let is_init_good = node.read == Some(value) && (!is_uninitialised || node.is_init_good);
            let added = instance.push(AccessNode { is_init_good, ..node }, &step.frontier);
            debug_assert_eq!(added, id);
        }
        for read in 0..instance.len() {
            let node = instance.nodes[read];
            if node.read.is_none() || (node.is_init_good && self.initial(node.loc).1) {
                continue;
            }
            for index in 0..instance.locations[node.loc].writes.len() {
                let write = instance.locations[node.loc].writes[index];
                if write != read && instance.nodes[write].written == node.read {
                    instance.add_good(read, write);
                }
            }
        }
        instance
    }
}
