//! The state of the search, and its steps; the loop is in [`super::visit`].

use super::Heuristics;
use super::causal::CausalMap;
use super::closure::WitnessClosure;
use super::instance::{AccessId, AccessNode, Instance};
use super::mutexes::Mutexes;
use super::report::TraceGraph;
use super::sources::{Group, Read, ReadSource};
use super::threads::{ThreadStep, ThreadTrace};
use super::traces::Traces;
use super::verify::{Guidance, Verify};
use super::visit::Visit;
use crate::host::Host;
use atropos_event::{Label, Run, ThreadId};
use std::ops::Range;

pub struct RvfWorker<'a, R: Run> {
    /// Its graph is that of a trace, if one is drawn, and has all known locations.
    pub(crate) host: Host<'a, R>,
    pub(crate) heuristics: Heuristics,
    pub(crate) threads: Vec<ThreadTrace>,
    /// `X`, `GoodW`, and the closure found so far.
    pub(crate) instance: Instance,
    /// σ is the current one.
    pub(crate) traces: Traces,
    pub(crate) causal: CausalMap,
    pub(crate) stack: VisitStack,
    pub(crate) mutexes: Mutexes,
    pub(crate) witness: WitnessSearch,
    pub(crate) trace_graph: TraceGraph,
    /// There is dynamic memory, which can be misused: every trace must be checked.
    pub(crate) judges_memory: bool,
    pub(crate) extension: Extension,
}

/// The current visits.
#[derive(Default)]
pub(crate) struct VisitStack {
    pub visits: Vec<Visit>,
    pub ancestors: Vec<Ancestor>,
    /// Per thread: how many of them are its own.
    pub n_ancestors: Vec<usize>,
    /// The reads being explored, and their sources, of all visits.
    pub reads: Vec<Read>,
    pub sources: Vec<ReadSource>,
    /// The number of values given to reads so far.
    pub n_descents: u64,
}

impl VisitStack {
    pub fn push_ancestor(&mut self, ancestor: Ancestor) {
        if self.n_ancestors.len() <= ancestor.thread {
            self.n_ancestors.resize(ancestor.thread + 1, 0);
        }
        self.n_ancestors[ancestor.thread] += 1;
        self.ancestors.push(ancestor);
    }

    pub fn pop_ancestor(&mut self) -> Ancestor {
        let ancestor = self.ancestors.pop().expect("one for each value given");
        self.n_ancestors[ancestor.thread] -= 1;
        ancestor
    }
}

/// How a trace is found.
#[derive(Default)]
pub(crate) struct WitnessSearch {
    pub closure: WitnessClosure,
    pub verify: Verify,
}

/// The steps that threads make by themselves.
#[derive(Default)]
pub(crate) struct Extension {
    /// The thread of each step, in the order in which they were made.
    pub made: Vec<usize>,
    /// Threads that failed in the current extension.
    pub failed: Vec<usize>,
    /// Scratch: threads that may move on.
    pub moving: Vec<usize>,
    /// Scratch: the clock of a read to come, and the latest writes in it.
    pub past: Vec<u32>,
    pub latest: Vec<AccessId>,
}

/// A read under exploration further up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ancestor {
    pub thread: usize,
    pub loc: usize,
    /// A new source for it has appeared.
    pub has_signal: bool,
}

impl<'a, R: Run> RvfWorker<'a, R> {
    pub(super) fn new(host: Host<'a, R>, heuristics: Heuristics) -> Self {
        RvfWorker {
            host,
            heuristics,
            threads: vec![ThreadTrace { exists: true, ..ThreadTrace::default() }],
            instance: Instance::with_threads(1),
            traces: Traces::default(),
            causal: CausalMap::default(),
            stack: VisitStack::default(),
            mutexes: Mutexes::default(),
            witness: WitnessSearch::default(),
            trace_graph: TraceGraph::default(),
            judges_memory: false,
            extension: Extension::default(),
        }
    }

    /// Line 22: enters a trace in which the last node, a read, sees one of its good writes, and the others still do.
    /// The closure only helps a search; what it finds here is found again below.
    pub(crate) fn enter_witness(&mut self) -> bool {
        let read = self.instance.len() - 1;
        if self.heuristics.guide
            && let Some(place) = self.place_in_trace(read)
        {
            self.traces.enter_with(read, place);
            return true;
        }
        if self.heuristics.closure && !self.witness.closure.close(&mut self.instance) {
            return false;
        }
        let trace = self.heuristics.guide.then_some(self.traces.current());
        let guidance = Guidance { control: self.host.control(), is_greedy: self.heuristics.greedy, trace };
        let is_found = self.witness.verify.solve(&self.instance, guidance);
        if is_found {
            self.traces.enter_copy(&self.witness.verify.sequence);
        }
        is_found
    }

    /// The last place in the trace where the new read sees a good write. A read-modify-write must not come between a
    /// write and another one that reads it.
    fn place_in_trace(&self, read: AccessId) -> Option<usize> {
        let (instance, node) = (&self.instance, &self.instance.nodes[read]);
        let (trace, before) = (self.traces.current(), instance.order.clock(read));
        if instance.locations[node.loc].writes.is_empty() {
            return node.is_init_good.then_some(trace.len());
        }
        // Right before the next write, so that all reads of the earlier one have passed.
        let mut place = trace.len();
        let mut is_last = false;
        let may_enter = |place: usize| {
            let next = trace.get(place).map(|&next| &instance.nodes[next]);
            node.written.is_none() || next.is_none_or(|next| next.is_plain_write())
        };
        for (index, &other) in trace.iter().enumerate().rev() {
            let is_before = instance.order.is_in(before, other);
            if instance.is_write_of(node.loc, other) {
                if instance.is_good(read, other) && may_enter(place) {
                    return Some(place);
                }
                if is_last || is_before {
                    return None;
                }
                place = index;
            }
            is_last |= is_before;
        }
        (node.is_init_good && may_enter(place)).then_some(place)
    }

    /// Lines 6 to 11: puts the next reads of threads on the stack of reads, those without a causal map first.
    pub(crate) fn find_reads(&mut self) -> Range<usize> {
        let first = self.stack.reads.len();
        self.stack.reads.extend(self.threads.iter().filter_map(|thread| thread.next_read));
        let causal = &self.causal;
        self.stack.reads[first..].sort_by_key(|read| causal.get(read.thread).is_some());
        first..self.stack.reads.len()
    }

    /// Lines 20 and 21: the read, with its value and its good writes.
    pub(crate) fn add_read(&mut self, read: Read, group: Group, sources: Range<usize>) {
        let Label::Read { access, rmw, .. } = read.label else { unreachable!("{:?} reads", read.label) };
        let written = rmw.write_after(access, group.value).map(|(value, _)| value);
        let (thread, loc) = (read.thread, read.loc);
        let n_steps = self.threads[thread].steps.len();
        let mut node =
            AccessNode { thread, step: n_steps, loc, read: Some(group.value), written, is_init_good: false };
        let of_group = |source: &&ReadSource| source.group == group;
        node.is_init_good =
            self.stack.sources[sources.clone()].iter().filter(of_group).any(|source| source.write.is_none());
        let mut step = ThreadStep::new(read.label, self.host.run.position(ThreadId::new(thread)));
        step.value = group.value;
        self.add_node(&mut step, node);
        for source in self.stack.sources[sources].iter().filter(of_group) {
            if let Some(write) = source.write {
                self.instance.add_good(self.instance.len() - 1, write);
            }
        }
        self.threads[thread].steps.push(step);
        self.extension.made.push(thread);
        self.count_event(thread);
        self.watch(self.instance.len() - 1, access);
    }

    /// Lines 2 to 5: a write of `loc` by `thread` is news for the reads under exploration.
    pub(crate) fn send_signals(&mut self, thread: usize, loc: usize) {
        let VisitStack { ancestors, n_ancestors, .. } = &mut self.stack;
        if ancestors.len() == n_ancestors.get(thread).copied().unwrap_or_default() {
            return;
        }
        for ancestor in ancestors {
            ancestor.has_signal |= ancestor.loc == loc && ancestor.thread != thread;
        }
    }
}
