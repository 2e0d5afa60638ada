//! A trace as an execution graph.
//!
//! The trace is a sequence of accesses. Other steps go where they are first needed; then a read reads from the latest
//! write and a write comes last in coherence, as sequential consistency demands. Successive traces often begin alike,
//! so only the part that differs is rebuilt.

use super::explorer::RvfWorker;
use super::threads::ThreadTrace;
use atropos_event::{Label, Position, Run, ThreadId, Value};
use atropos_graph::{Graph, LocId, Outcome, Slot};

/// The steps of the present graph, and scratch space for the next one.
#[derive(Clone, Debug, Default)]
pub struct TraceGraph {
    drawn: Vec<DrawnStep>,
    wanted: Vec<DrawnStep>,
    /// How many steps of each thread are in `wanted`.
    n_done: Vec<usize>,
}

/// A step of the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct DrawnStep {
    thread: ThreadId,
    label: Label,
    loc: LocId,
    value: Value,
    before: Position,
    /// The index of its first event in the graph.
    n_events: usize,
}

impl<R: Run> RvfWorker<'_, R> {
    /// Makes the graph that of the trace.
    pub(crate) fn draw(&mut self) {
        let trace_graph = &mut self.trace_graph;
        trace_graph.wanted.clear();
        trace_graph.n_done.clear();
        trace_graph.n_done.resize(self.threads.len(), 0);
        for &node in self.traces.current() {
            let node = &self.instance.nodes[node];
            trace_graph.reach(&self.threads, node.thread, node.step + 1);
        }
        for thread in 0..self.threads.len() {
            trace_graph.reach(&self.threads, thread, self.threads[thread].steps.len());
        }
        trace_graph.update(&mut self.host.graph);
        self.host.validate();
    }
}

impl TraceGraph {
    /// How many steps of each thread come before a step in program order, including creations and joins.
    pub fn past(&mut self, threads: &[ThreadTrace], thread: usize, n_steps: usize) -> &[usize] {
        self.wanted.clear();
        self.n_done.clear();
        self.n_done.resize(threads.len(), 0);
        self.reach(threads, thread, n_steps);
        &self.n_done
    }

    /// Enters the first `n_steps` steps of a thread, and what must come before them.
    fn reach(&mut self, threads: &[ThreadTrace], thread: usize, n_steps: usize) {
        while self.n_done[thread] < n_steps {
            let step = &threads[thread].steps[self.n_done[thread]];
            match step.label {
                Label::Begin => {
                    let (parent, spawn) = threads[thread].creation;
                    self.reach(threads, parent, spawn + 1);
                }
                Label::Join { child } => {
                    self.reach(threads, child.index(), threads[child.index()].steps.len());
                }
                _ => {}
            }
            let &crate::rvf::threads::ThreadStep { label, loc, value, before, .. } = step;
            let thread_id = ThreadId::new(thread);
            self.wanted.push(DrawnStep { thread: thread_id, label, loc, value, before, n_events: 0 });
            self.n_done[thread] += 1;
        }
    }

    /// Takes back the graph to where it differs from the wanted steps, and adds the rest.
    fn update(&mut self, graph: &mut Graph) {
        let is_same =
            |(drawn, wanted): &(&DrawnStep, &DrawnStep)| DrawnStep { n_events: 0, ..**drawn } == **wanted;
        let n_common = self.drawn.iter().zip(&self.wanted).take_while(is_same).count();
        if let Some(first) = self.drawn.get(n_common) {
            while graph.len() > first.n_events {
                graph.pop();
            }
        }
        self.drawn.truncate(n_common);
        for index in n_common..self.wanted.len() {
            let stroke = DrawnStep { n_events: graph.len(), ..self.wanted[index] };
            self.drawn.push(stroke);
            stroke.draw(graph);
        }
    }
}

impl DrawnStep {
    fn draw(self, graph: &mut Graph) {
        let DrawnStep { thread, label, loc, value, before, .. } = self;
        let last = |graph: &Graph| *graph.location(loc).co.last().expect("the initial write");
        let rf = match label {
            Label::Read { .. } => last(graph),
            Label::Begin => graph.spawn_of(thread).expect("a thread runs after its creation"),
            Label::Join { child } => graph.last_of(child).expect("a joined thread has ended"),
            _ => Slot::INIT,
        };
        let co = if label.is_write() { graph.location(loc).co.len() as u32 } else { 0 };
        if label.is_read() {
            assert_eq!(graph.value_of(loc, rf), value, "a trace gives {label:?} of {thread} another value");
        }
        graph.add(thread, label, loc, Outcome { rf, co, value, before });
        if let Label::Read { access, rmw, .. } = label
            && let Some((value, order)) = rmw.write_after(access, value)
        {
            let label = Label::Write { access, order, value, exclusive: true };
            let co = graph.location(loc).co.len() as u32;
            graph.add(thread, label, loc, Outcome { rf: Slot::INIT, co, value, before });
        }
    }
}
