//! RC11's partial order of sequentially consistent events: `acyclic psc-base | psc-F` of `models/rc11-axioms.cat`.
//!
//! A step of `psc` is a path whose edges come in a fixed sequence of relations. So each event is a node once for each
//! stage of such a path ([`PathStage`]); an edge leads from one stage to the next or continues within one. The ends of a
//! path are in the stage [`PathStage::Sc`]. No cycle lies within a stage, so `psc` has a cycle iff this graph has one.

use super::clocks::AxiomClocks;
use super::co_next;
use super::coherence::{Accesses, by_thread, last_before};
use super::digraph::Digraph;
use super::events::Order;
use atropos_event::{Label, ThreadId};
use atropos_graph::{Event, Graph, Slot};

#[derive(Clone, Copy, PartialEq, Eq)]
enum PathStage {
    /// A sequentially consistent event, where a step of `psc` begins and ends.
    Sc,
    /// After `[SC] | [F & SC] ; hb?`; `scb` comes next.
    Begun,
    /// After `scb`.
    Crossed,
    /// In `po`, after at least one step.
    Po,
    /// In accesses of one thread to one location, the last of which `hb-loc` leaves.
    Location,
    /// After `po-diff-loc`; `hb` comes next.
    Left,
    /// In the `hb` of `po-diff-loc ; hb ; po-diff-loc`.
    Between,
    /// In `co`, after at least one step, or `fr`.
    Overwritten,
    /// In the `hb?` after a fence, and before one.
    AfterFence,
    BeforeFence,
    /// In the first `hb` of `psc-F`, in its `eco`, and in its second `hb`.
    FirstHb,
    Eco,
    SecondHb,
}

const N_STAGES: usize = 13;

pub fn is_acyclic(graph: &Graph, clocks: &AxiomClocks) -> bool {
    if !graph.events().iter().any(|event| Order::of(event).is_seq_cst) {
        return true;
    }
    let mut paths = Paths { graph, clocks, edges: Digraph::new(N_STAGES * graph.len()) };
    let has_fences = graph.events().iter().any(is_sc_fence);
    for thread in 0..graph.n_threads() {
        paths.add_thread(graph.thread(ThreadId::new(thread)));
    }
    paths.add_locations();
    for (index, event) in graph.events().iter().enumerate() {
        let slot = Slot::new(index);
        paths.add_ends(slot, event);
        paths.add_overwritten(slot, event);
        if has_fences {
            paths.add_fence(slot, event);
            paths.add_eco(slot, event);
        }
        paths.add_hb(slot, has_fences);
    }
    paths.edges.is_acyclic()
}

fn is_sc_fence(event: &Event) -> bool {
    matches!(event.label, Label::Fence { .. }) && Order::of(event).is_seq_cst
}

struct Paths<'a> {
    graph: &'a Graph,
    clocks: &'a AxiomClocks,
    edges: Digraph,
}

impl Paths<'_> {
    fn add(&mut self, (from_stage, from): (PathStage, Slot), (to_stage, to): (PathStage, Slot)) {
        let n = self.graph.len();
        self.edges.add(from_stage as usize * n + from.index(), to_stage as usize * n + to.index());
    }

    fn add_ends(&mut self, slot: Slot, event: &Event) {
        if Order::of(event).is_seq_cst {
            self.add((PathStage::Sc, slot), (PathStage::Begun, slot));
            self.add((PathStage::Crossed, slot), (PathStage::Sc, slot));
        }
    }

    /// `po`, and `po-diff-loc` on both sides of `hb`. It suffices to leave to the first event with another location
    /// and to come from the last one: `hb` continues along `po`.
    fn add_thread(&mut self, thread: &[Slot]) {
        for pair in thread.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            self.add((PathStage::Begun, from), (PathStage::Po, to));
            self.add((PathStage::Po, from), (PathStage::Po, to));
            self.add((PathStage::Po, to), (PathStage::Crossed, to));
        }
        // The events since `start` are accesses to the same location.
        let mut start = 0;
        for index in 1..thread.len() {
            let is_same = {
                let (before, now) = (self.graph.event(thread[index - 1]), self.graph.event(thread[index]));
                before.label.access().is_some() && now.label.access().is_some() && before.loc == now.loc
            };
            if is_same {
                continue;
            }
            for from in start..index {
                self.add((PathStage::Begun, thread[from]), (PathStage::Left, thread[index]));
            }
            start = index;
        }
        let mut other = None;
        for index in 1..thread.len() {
            let (before, now) = (self.graph.event(thread[index - 1]), self.graph.event(thread[index]));
            let is_same =
                before.label.access().is_some() && now.label.access().is_some() && before.loc == now.loc;
            if !is_same {
                other = Some(thread[index - 1]);
            }
            if let Some(other) = other {
                self.add((PathStage::Between, other), (PathStage::Crossed, thread[index]));
            }
        }
    }

    /// `hb-loc`: from the last access of each thread that happens before this one.
    fn add_locations(&mut self) {
        let mut of_threads: Vec<Accesses> = vec![Vec::new(); self.graph.n_threads()];
        for location in self.graph.locations() {
            by_thread(self.graph, location, &mut of_threads);
            for accesses in &of_threads {
                for &(_, slot, _) in accesses {
                    self.add((PathStage::Begun, slot), (PathStage::Location, slot));
                }
                for pair in accesses.windows(2) {
                    self.add((PathStage::Location, pair[0].1), (PathStage::Location, pair[1].1));
                    self.add((PathStage::Location, pair[0].1), (PathStage::Crossed, pair[1].1));
                }
            }
            for &slot in location.co[1..].iter().chain(&location.reads) {
                let own = self.graph.event(slot).id.thread().index();
                for (thread, accesses) in of_threads.iter().enumerate().filter(|&(thread, _)| thread != own) {
                    let known = self.clocks.of_event(slot)[thread];
                    if let Some(&(_, before, _)) = last_before(accesses, known) {
                        self.add((PathStage::Location, before), (PathStage::Crossed, slot));
                    }
                }
            }
        }
    }

    /// `co` and `fr`.
    fn add_overwritten(&mut self, slot: Slot, event: &Event) {
        let write = if event.is_write() { slot } else { event.rf };
        if event.label.access().is_none() {
            return;
        }
        if let Some(next) = co_next(self.graph, event.loc, write) {
            self.add((PathStage::Begun, slot), (PathStage::Overwritten, next));
            if event.is_write() {
                self.add((PathStage::Overwritten, slot), (PathStage::Overwritten, next));
            }
        }
        if event.is_write() {
            self.add((PathStage::Overwritten, slot), (PathStage::Crossed, slot));
        }
    }

    fn add_fence(&mut self, slot: Slot, event: &Event) {
        self.add((PathStage::AfterFence, slot), (PathStage::Begun, slot));
        self.add((PathStage::Crossed, slot), (PathStage::BeforeFence, slot));
        if is_sc_fence(event) {
            self.add((PathStage::Sc, slot), (PathStage::AfterFence, slot));
            self.add((PathStage::BeforeFence, slot), (PathStage::Sc, slot));
            self.add((PathStage::FirstHb, slot), (PathStage::Sc, slot));
            self.add((PathStage::SecondHb, slot), (PathStage::Sc, slot));
        }
    }

    fn add_eco(&mut self, slot: Slot, event: &Event) {
        if event.label.access().is_none() {
            return;
        }
        let write = if event.is_write() { slot } else { event.rf };
        if let Some(next) = co_next(self.graph, event.loc, write) {
            self.add((PathStage::FirstHb, slot), (PathStage::Eco, next));
            self.add((PathStage::Eco, slot), (PathStage::Eco, next));
        }
        if event.is_read() && !event.rf.is_init() {
            let source = event.rf;
            self.add((PathStage::FirstHb, source), (PathStage::Eco, slot));
            self.add((PathStage::Eco, source), (PathStage::Eco, slot));
        }
    }

    /// The edges of `hb` into `slot` that no others imply, in all stages along `hb`.
    fn add_hb(&mut self, slot: Slot, has_fences: bool) {
        let event = self.graph.event(slot);
        let before = self.graph.po_before(slot);
        let mut sources: Vec<Slot> = before.into_iter().collect();
        for thread in (0..self.graph.n_threads()).filter(|&thread| thread != event.id.thread().index()) {
            let known = self.clocks.of_event(slot)[thread];
            if before.map_or(0, |before| self.clocks.of_event(before)[thread]) < known {
                sources.push(self.graph.thread(ThreadId::new(thread))[known as usize - 1]);
            }
        }
        let among_all = [(PathStage::Left, PathStage::Between), (PathStage::Between, PathStage::Between)];
        let with_fences = [
            (PathStage::AfterFence, PathStage::AfterFence),
            (PathStage::BeforeFence, PathStage::BeforeFence),
            (PathStage::Sc, PathStage::FirstHb),
            (PathStage::FirstHb, PathStage::FirstHb),
            (PathStage::Eco, PathStage::SecondHb),
            (PathStage::SecondHb, PathStage::SecondHb),
        ];
        for from in sources {
            for (from_stage, to_stage) in among_all {
                self.add((from_stage, from), (to_stage, slot));
            }
            for (from_stage, to_stage) in with_fences.into_iter().filter(|_| has_fences) {
                let is_from_fence = from_stage != PathStage::Sc || is_sc_fence(self.graph.event(from));
                if is_from_fence {
                    self.add((from_stage, from), (to_stage, slot));
                }
            }
        }
    }
}
