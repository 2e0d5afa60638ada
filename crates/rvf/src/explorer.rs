//! The search [RVF-SMC §5, Algorithm 2].
//!
//! [`Explorer::visit`] is the paper's `RVF-SMC(X, GoodW, σ, C)`. Its arguments are one mutable structure that the
//! calls extend and take back: the events and good writes in [`Instance`], the trace σ, the causal map. A
//! read is a step that its thread stands before; giving it a value lets the thread run on to its next read.

use crate::Heuristics;
use crate::causal::{CausalMap, Entry};
use crate::closure::Closure;
use crate::instance::{Instance, Node, NodeId};
use crate::report::Picture;
use crate::rows::has;
use crate::sources::{Group, Read};
use crate::threads::{Step, Thread};
use crate::verify::{Guidance, Verify};
use atropos_event::{Label, Program, Rmw, Run, Step as Pending, ThreadId};
use atropos_explore::{Config, Control, Observer, Search, Stats};
use atropos_graph::Graph;

/// Explores `program` under sequential consistency. The search starts over, with a fresh observer, when the program
/// has to break up its accesses: [`atropos_event::Run::split`].
pub fn explore<'p, P: Program, O: Observer<P::Run<'p>>>(
    program: &'p P,
    heuristics: Heuristics,
    config: Config,
    control: &'p Control,
    observer: impl Fn() -> O,
) -> Search<O> {
    loop {
        let mut explorer = Explorer::new(program, heuristics, config, control, observer());
        explorer.explore();
        if !explorer.must_restart || control.is_stopped() {
            return Search { stats: explorer.stats, observers: vec![explorer.observer] };
        }
        control.executions.store(0, std::sync::atomic::Ordering::Relaxed);
    }
}

pub struct Explorer<'a, P: Program, O> {
    pub(crate) program: &'a P,
    pub(crate) config: Config,
    heuristics: Heuristics,
    pub(crate) control: &'a Control,
    pub observer: O,
    pub(crate) run: P::Run<'a>,
    pub stats: Stats,
    pub(crate) threads: Vec<Thread>,
    /// `X`, `GoodW`, and the closure found so far.
    pub(crate) instance: Instance,
    /// σ: a sequence of all nodes in which each read sees a good write.
    pub(crate) trace: Vec<NodeId>,
    pub(crate) causal: CausalMap,
    ancestors: Vec<Ancestor>,
    pub(crate) closure: Closure,
    pub(crate) verify: Verify,
    /// The execution graph of a trace, and all locations met.
    pub(crate) graph: Graph,
    pub(crate) picture: Picture,
    /// There is dynamic memory, which can be misused: every trace has to be looked at.
    pub(crate) judges_memory: bool,
    /// The thread of each step, in the order in which they were made.
    pub(crate) made: Vec<usize>,
    /// Threads that failed in the extension under way.
    pub(crate) failed: Vec<usize>,
    /// Scratch: threads that may move on.
    pub(crate) moving: Vec<usize>,
    pub(crate) is_stopped: bool,
    must_restart: bool,
    pub(crate) n_unreported: u64,
}

impl<P: Program, O> std::fmt::Debug for Explorer<'_, P, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Explorer").field("stats", &self.stats).finish_non_exhaustive()
    }
}

/// A read under exploration further up.
#[derive(Clone, Copy, Debug)]
struct Ancestor {
    thread: usize,
    loc: usize,
    /// A new source for it has shown up.
    has_signal: bool,
}

impl<'a, P: Program, O: Observer<P::Run<'a>>> Explorer<'a, P, O> {
    pub fn new(
        program: &'a P,
        heuristics: Heuristics,
        config: Config,
        control: &'a Control,
        observer: O,
    ) -> Self {
        Explorer {
            program,
            config,
            heuristics,
            control,
            observer,
            run: program.start(),
            stats: Stats::default(),
            threads: vec![Thread { exists: true, ..Thread::default() }],
            instance: Instance::with_threads(1),
            trace: Vec::new(),
            causal: CausalMap::default(),
            ancestors: Vec::new(),
            closure: Closure::default(),
            verify: Verify::default(),
            graph: Graph::new(false),
            picture: Picture::default(),
            judges_memory: false,
            made: Vec::new(),
            failed: Vec::new(),
            moving: Vec::new(),
            is_stopped: false,
            must_restart: false,
            n_unreported: 0,
        }
    }

    pub fn explore(&mut self) {
        self.visit(ThreadId::MAIN.index());
        self.flush_progress();
    }

    /// Algorithm 2. `moved` is the thread whose read was given a value last.
    fn visit(&mut self, moved: usize) {
        let (n_made, positions) = (self.made.len(), self.run.mark());
        let n_nodes = self.trace.len();
        self.is_stopped |= self.control.is_stopped();
        self.extend(moved);
        if !self.is_stopped {
            let reads = self.enabled_reads();
            match reads.is_empty() {
                true => self.finish(),
                false => self.mutate(&reads),
            }
        }
        self.take_back(n_made, positions);
        self.trace.truncate(n_nodes);
    }

    /// Lines 12 to 30: gives every read each of its values, as long as signals ask for more.
    fn mutate(&mut self, reads: &[Read]) {
        let causal_mark = self.causal.mark();
        let mut replaced: Vec<(usize, Option<Entry>)> = Vec::new();
        let mut backtrack = true;
        for &read in reads {
            if !backtrack || self.is_stopped {
                break;
            }
            let entry = self.causal.get(read.thread);
            if entry.is_none() {
                backtrack = !self.heuristics.signals;
            }
            for group in self.groups(read, entry) {
                backtrack |= self.explore_value(read, &group, backtrack);
                if self.is_stopped {
                    break;
                }
            }
            let counts = self.causal.enter(self.instance.threads.iter().map(Vec::len));
            replaced.push((read.thread, self.causal.set(read.thread, Some(counts))));
        }
        for (thread, entry) in replaced {
            self.causal.set(thread, entry);
        }
        self.causal.release(causal_mark);
    }

    /// Lines 20 to 28: lets the read see the value of a group, if there is a witness. Answers the signal.
    fn explore_value(&mut self, read: Read, group: &Group, signal: bool) -> bool {
        self.add_read(read, group);
        let Some(witness) = self.witness() else {
            self.stats.dead += 1;
            self.take_back_step();
            return signal;
        };
        let trace = std::mem::replace(&mut self.trace, witness);
        let entry = self.causal.set(read.thread, None);
        if read.rmw != Rmw::None {
            // Its write is new; and if it fails, it may succeed elsewhere, which is a new write too.
            self.send_signals(read.thread, read.loc);
        }
        self.ancestors.push(Ancestor { thread: read.thread, loc: read.loc, has_signal: signal });
        let positions = self.run.mark();
        let thread = ThreadId::new(read.thread);
        if group.has_init && self.initial(read.loc).1 {
            self.run.resume_unwritten(thread);
        } else {
            self.run.resume(thread, group.value);
        }
        self.visit(read.thread);
        let before = self.threads[read.thread].steps.last().expect("the read").before;
        self.run.rewind(ThreadId::new(read.thread), before);
        self.run.release(positions);
        let ancestor = self.ancestors.pop().expect("pushed above");
        self.causal.set(read.thread, entry);
        self.trace = trace;
        self.take_back_step();
        ancestor.has_signal
    }

    /// Line 22: a trace in which the last node, a read, sees one of its good writes, and the others still do.
    fn witness(&mut self) -> Option<Vec<NodeId>> {
        let read = self.instance.len() - 1;
        if self.heuristics.closure && !self.closure.close(&mut self.instance) {
            return None;
        }
        if self.heuristics.guide
            && let Some(place) = self.place_in_trace(read)
        {
            let mut trace = Vec::with_capacity(self.trace.len() + 8);
            trace.extend_from_slice(&self.trace[..place]);
            trace.push(read);
            trace.extend_from_slice(&self.trace[place..]);
            return Some(trace);
        }
        let trace = self.heuristics.guide.then_some(&self.trace[..]);
        let guidance = Guidance { control: self.control, is_greedy: self.heuristics.greedy, trace };
        self.verify.solve(&self.instance, guidance).then(|| self.verify.sequence.clone())
    }

    /// A place in the trace where the new read sees a good write: the last there is. A read-modify-write must not
    /// come between a write and another one that reads it.
    fn place_in_trace(&self, read: NodeId) -> Option<usize> {
        let (instance, node) = (&self.instance, &self.instance.nodes[read]);
        let before = instance.order.before(read);
        // Right before the next write, so that all reads of the earlier one have passed.
        let mut place = self.trace.len();
        let mut is_last = false;
        let may_enter = |place: usize| {
            let next = self.trace.get(place).map(|&next| &instance.nodes[next]);
            node.written.is_none() || next.is_none_or(|next| next.is_plain_write())
        };
        for (index, &other) in self.trace.iter().enumerate().rev() {
            let is_before = has(before, other);
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

    /// Lines 6 to 11: the reads that threads stand before, those without a causal map first.
    fn enabled_reads(&mut self) -> Vec<Read> {
        let mut reads = Vec::new();
        for thread in 0..self.threads.len() {
            if !self.threads[thread].exists {
                continue;
            }
            let Pending::Do(label @ Label::Read { access, rmw, .. }) =
                self.run.pending(ThreadId::new(thread))
            else {
                continue;
            };
            let Some(loc) = self.locate(thread, access) else { return Vec::new() };
            reads.push(Read { thread, label, loc, rmw });
        }
        reads.sort_by_key(|read| self.causal.get(read.thread).is_some());
        reads
    }

    /// Lines 20 and 21: the read, with its value and its good writes.
    fn add_read(&mut self, read: Read, group: &Group) {
        let Label::Read { access, rmw, .. } = read.label else { unreachable!("{:?} reads", read.label) };
        let written = rmw.write_after(access, group.value).map(|(value, _)| value);
        let (thread, loc) = (read.thread, read.loc);
        let (n_steps, is_init_good) = (self.threads[thread].steps.len(), group.has_init);
        let node = Node { thread, step: n_steps, loc, read: Some(group.value), written, is_init_good };
        let mut step = Step::new(read.label, self.run.position(ThreadId::new(thread)));
        step.value = group.value;
        self.add_node(&mut step, node);
        for &write in &group.writes {
            self.instance.add_good(self.instance.len() - 1, write);
        }
        self.stats.events += 1;
        self.threads[thread].steps.push(step);
        self.made.push(thread);
    }

    /// Lines 2 to 5: a write of `loc` by `thread` is news for the reads under exploration.
    pub(crate) fn send_signals(&mut self, thread: usize, loc: usize) {
        for ancestor in &mut self.ancestors {
            ancestor.has_signal |= ancestor.loc == loc && ancestor.thread != thread;
        }
    }

    pub(crate) fn start_over(&mut self) {
        self.must_restart = true;
        self.is_stopped = true;
    }
}
