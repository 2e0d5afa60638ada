//! What a trace comes to, and what can be wrong with the program under test.
//!
//! Failing threads are reported where they fail. Whether threads wait for ever is a question about all traces with
//! these values, not about the one at hand: is there one in which what they wait for has its final value? That
//! is an instance of `VerifySC` again, with all writes of a value good for its reads, and the reads that wait
//! behind all writes of their locations.

use crate::rvf::explorer::Explorer;
use crate::rvf::instance::{Instance, Node, NodeId};
use crate::rvf::verify::Guidance;
use crate::{Ending, Execution, Report, memory, progress};
use atropos_event::{
    Access, Addr, AllocKind, BlockReason, Initial, Label, Program, Refusal, RefusalReason, Run,
    Step as Pending, ThreadId,
};
use atropos_graph::{Event, Outcome};

impl<'a, P: Program> Explorer<'a, P> {
    /// The location of an access. Where it overlaps a known one only partially, the program is asked to break its
    /// accesses up, and the search starts over.
    pub(crate) fn locate(&mut self, thread: usize, access: Access) -> Option<usize> {
        let program = self.program;
        match self.graph.locate(access, || program.initial(access)) {
            Ok(loc) => {
                self.judges_memory |= self.graph.location(loc).initial == Initial::Uninitialised;
                Some(loc.index())
            }
            Err(known) => {
                if self.run.split(known, access) {
                    self.start_over();
                } else {
                    let key = self.run.key(ThreadId::new(thread));
                    self.refuse(RefusalReason::MixedSizes { accesses: [known, access], thread: key });
                }
                None
            }
        }
    }

    /// The trace is maximal: nothing can be added to it. It is not looked at if it is one more than were asked for.
    pub(crate) fn finish(&mut self) {
        if !self.tally.admit(&self.config, self.control) {
            self.is_stopped = true;
            return;
        }
        let is_looked_at = self.observer.looks_at_executions();
        if is_looked_at || self.judges_memory {
            self.draw();
        }
        let mut is_bounded = false;
        let (run, threads) = (&mut self.run, self.threads.iter().enumerate());
        let open = threads.filter(|(_, thread)| thread.exists && !thread.has_ended());
        let ending =
            progress::ending(open.map(|(index, _)| run.pending(ThreadId::new(index))).inspect(|step| {
                is_bounded |= *step == Pending::Blocked(BlockReason::Bound);
            }));
        match ending {
            Ending::Complete => self.stats.executions += 1,
            Ending::Blocked => self.stats.blocked += 1,
        }
        self.stats.bounded += u64::from(is_bounded);
        self.stats.largest = self.stats.largest.max(self.n_events() as u64);
        if is_looked_at {
            self.observer.execution(ending, Execution { graph: &self.graph, run: &mut self.run });
        }
        if self.judges_memory {
            self.check_memory();
        }
        if ending == Ending::Blocked && !self.is_stopped {
            self.check_progress();
        }
        self.is_stopped |= self.control.is_stopped();
    }

    /// The number of events of the trace's graph: a read-modify-write that writes is two.
    fn n_events(&self) -> usize {
        let is_both = |&&Node { read, written, .. }: &&Node| read.is_some() && written.is_some();
        self.made.len() + self.instance.nodes.iter().filter(is_both).count()
    }

    /// Tells whoever watches how far the search is, and hears whether to stop.
    pub(crate) fn flush_progress(&mut self) {
        self.tally.flush(self.control);
        self.is_stopped |= self.control.is_stopped();
    }

    /// Reports the threads that have failed in the extension at hand.
    pub(crate) fn report_failures(&mut self, failed: &[usize]) {
        self.draw();
        if self.report_misuse() {
            return;
        }
        for &thread in failed {
            let thread = ThreadId::new(thread);
            let violation = self.run.violation(thread);
            self.report(Report { violation, thread, events: Vec::new() });
            if self.is_stopped {
                return;
            }
        }
    }

    /// Misuse of dynamic memory in the trace at hand. If there is none, but an object is freed by one thread and
    /// used by another, other traces with the same values might show some, and the program cannot be judged.
    fn check_memory(&mut self) {
        if !self.report_misuse()
            && let Some((object, kind)) = self.shared_and_freed()
        {
            self.refuse(RefusalReason::FreedAndShared { object, kind });
        }
    }

    /// Reports misuse of dynamic memory in the trace at hand, if there is some.
    fn report_misuse(&mut self) -> bool {
        if !self.judges_memory {
            return false;
        }
        // Judged event by event: what comes later in the trace cannot be misused yet.
        let events = self.graph.events().to_vec();
        let mut graph = self.graph.clone();
        while !graph.is_empty() {
            graph.pop();
        }
        for Event { id, label, loc, rf, co, value, before, .. } in events {
            let slot = graph.add(id.thread(), label, loc, Outcome { rf, co, value, before });
            if let Some((violation, other)) = memory::misuse(&graph, slot, graph.porf(slot)) {
                let events = other.into_iter().chain([slot]).collect();
                std::mem::swap(&mut self.graph, &mut graph);
                self.report(Report { violation, thread: id.thread(), events });
                std::mem::swap(&mut self.graph, &mut graph);
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
                let Some((_, base, size)) = memory::object_around(&self.graph, addr) else { continue };
                let object = base.0..base.0 + size;
                let past = self.picture.past(&self.threads, thread, index);
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

    /// In a trace that cannot go on: do the waiting threads wait for ever?
    fn check_progress(&mut self) {
        let threads = self.threads.iter().enumerate();
        let unfinished = threads.filter(|(_, thread)| thread.exists && !thread.has_ended());
        let unfinished = unfinished.map(|(index, _)| ThreadId::new(index));
        let Some(waiting) = progress::waiting(&mut self.run, unfinished) else { return };
        let mut awaited = Vec::new();
        for &(thread, n_reads) in &waiting.reads {
            let nodes = self.instance.threads()[thread.index()].iter().rev().copied();
            let reads = nodes.filter(|&node| self.instance.nodes[node].read.is_some());
            // As for graphs: what the thread writes again waits by the later access, or for nothing.
            let of_thread = &self.instance.threads()[thread.index()];
            let is_undone = |&read: &NodeId| {
                let later = of_thread.iter().skip_while(|&&node| node != read).skip(1);
                let is_same =
                    |&&node: &&NodeId| self.instance.nodes[node].loc == self.instance.nodes[read].loc;
                later.filter(is_same).any(|&node| self.instance.nodes[node].written.is_some())
            };
            awaited.extend(reads.take(n_reads as usize).filter(|read| !is_undone(read)));
        }
        if !awaited.iter().all(|&read| self.may_be_last(read)) {
            return;
        }
        if self.find_final_trace(&awaited) {
            let shown = self.traces.enter_copy(&self.verify.sequence);
            self.draw();
            let report = waiting.report(&self.graph, &mut self.run);
            self.report(report);
            self.traces.leave(shown);
        }
    }

    /// Could the value that was read be the final one? Some write of it has to be the last of its thread.
    fn may_be_last(&self, read: NodeId) -> bool {
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

    /// Finds a trace with the same values in which the `awaited` reads see the final values of their locations. Those of
    /// them that are read-modify-writes write back what they read, and may follow each other.
    fn find_final_trace(&mut self, awaited: &[NodeId]) -> bool {
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
            Guidance { control: self.control, is_greedy: true, trace: Some(self.traces.current()) };
        self.closure.close(&mut instance) && self.verify.solve(&instance, guidance)
    }

    /// The instance in which only values are fixed: program order, and all writes of a value are good.
    fn without_choices(&self) -> Instance {
        let mut instance = Instance::with_threads(self.threads.len());
        for (id, &node) in self.instance.nodes.iter().enumerate() {
            let step = &self.threads[node.thread].steps[node.step];
            let (value, is_uninitialised) = self.initial(node.loc);
            let is_init_good = node.read == Some(value) && (!is_uninitialised || node.is_init_good);
            let added = instance.push(Node { is_init_good, ..node }, &step.frontier);
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

    fn report(&mut self, report: Report) {
        self.observer.violation(report, Execution { graph: &self.graph, run: &mut self.run });
        if !self.config.keep_going {
            self.is_stopped = true;
            self.control.stop();
        }
    }

    pub(crate) fn refuse(&mut self, refusal: impl Into<Refusal>) {
        self.draw();
        self.observer.refused(refusal.into(), Execution { graph: &self.graph, run: &mut self.run });
        self.is_stopped = true;
        self.control.stop();
    }
}
