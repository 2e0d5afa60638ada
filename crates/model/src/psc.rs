//! The `sc` axiom of RC11 [RCMC §3.2.4]: `acyclic psc`.
//!
//! ```text
//! let scb = po | po-nloc ; hb ; po-nloc | hb & loc | co | fr
//! let psc-base = ([SC] | [F & SC] ; hb?) ; scb ; ([SC] | hb? ; [F & SC])
//! let psc-f = [F & SC] ; (hb | hb ; eco ; hb) ; [F & SC]
//! ```
//!
//! `psc` contains `po` between SC events, so what is before an SC event is a clock: of each thread, only the latest SC
//! event with an edge to it matters. The axiom holds iff the SC events can be performed one after the other, each when
//! everything in its clock is done. By coherence, the accesses of a thread to a location are in the order of `eco`, so
//! bisection finds the latest one with an edge, and the check takes little more than linear time.
//!
//! If every access of the graph is SC, the axiom is `acyclic po | rf | co | fr`, which a closure decides without the
//! matrix (RC11 equals SC then).

use crate::Kept;
use crate::access_lists::AccessLists;
use crate::closure::{Closure, Edges, co_next, write_of};
use crate::rc11::effective_order;
use atropos_event::{FenceOrder, Label, ReadOrder, ThreadId, WriteOrder};
use atropos_graph::{Clock, Event, Graph, LocId, Slot, clock};

#[derive(Clone, Debug, Default)]
pub struct Psc {
    closure: Closure,
    /// The SC events of the graph.
    events: Vec<Slot>,
    /// Per thread: its SC events and its SC fences, by their positions in the thread.
    sc: Vec<Vec<u32>>,
    fences: Vec<Vec<u32>>,
    has_fences: bool,
    accesses: AccessLists,
    sc_accesses: AccessLists,
    /// Per location: the number of its SC accesses.
    n_sc_accesses: Vec<u32>,
    /// Per event: the position in the thread where the accesses to its location start that it ends.
    runs: Vec<u32>,
    /// Per thread: the number of SC events done, and what its next one waits for: of each thread, the SC events before
    /// a position.
    n_done: Vec<usize>,
    needs: Vec<Vec<u32>>,
    /// Scratch: the events that reach the SC event at hand by `eco` or `hb`.
    reached: Vec<u32>,
}

/// A coherence order, or a part of one.
pub trait Coherence {
    /// `first co second`, for two writes of `loc`.
    fn is_co(&self, graph: &Graph, loc: LocId, first: Slot, second: Slot) -> bool;
}

/// The coherence order that the graph tracks.
struct Tracked;

impl Coherence for Tracked {
    fn is_co(&self, graph: &Graph, _loc: LocId, first: Slot, second: Slot) -> bool {
        graph.co_position(first) < graph.co_position(second)
    }
}

/// How many events of a graph are SC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScEvents {
    /// Those of one thread at most: `psc` is part of `po`.
    Few,
    Some,
    /// Every access is SC.
    AllAccesses,
}

impl Psc {
    /// Collects the SC events of the graph.
    pub fn survey(&mut self, graph: &Graph) -> ScEvents {
        let all_accesses_are_sc = self.collect(graph);
        match in_one_thread(graph, self.events.iter()) {
            true => ScEvents::Few,
            false if all_accesses_are_sc => ScEvents::AllAccesses,
            false => ScEvents::Some,
        }
    }

    /// Whether too few of the surveyed SC events are kept to form a cycle.
    pub fn keeps_few(&self, graph: &Graph, kept: &Kept<'_>) -> bool {
        in_one_thread(graph, self.events.iter().filter(|&&event| kept.contains(graph, event)))
    }

    /// Whether `psc` is acyclic, given that it was before `added`.
    pub fn accepts(&mut self, graph: &Graph, added: Slot) -> bool {
        let Some(next) = co_next(graph, added) else { return true };
        match self.survey(graph) {
            ScEvents::Few => true,
            ScEvents::AllAccesses => !self.closure.reaches(graph, next, added, Edges::CoAndFr),
            ScEvents::Some => {
                self.prepare(graph);
                self.holds_under(graph, &Tracked)
            }
        }
    }

    /// Whether `psc` is acyclic in the whole graph.
    pub fn holds(&mut self, graph: &Graph) -> bool {
        self.survey(graph) == ScEvents::Few || {
            self.prepare(graph);
            self.holds_under(graph, &Tracked)
        }
    }

    /// Whether `psc` can depend on the coherence order of `loc`. It relates the SC accesses of a location, and the
    /// accesses that happen after an SC fence to those that happen before one. The graph has been prepared.
    pub fn sees(&self, graph: &Graph, loc: LocId) -> bool {
        let n_accesses = self.n_sc_accesses[loc.index()];
        if n_accesses > 1 || !self.has_fences {
            return n_accesses > 1;
        }
        let slot = |thread: usize, index: u32| graph.thread(ThreadId::new(thread))[index as usize];
        let fences = || self.fences.iter().enumerate().filter(|(_, fences)| !fences.is_empty());
        let leaves_fence =
            |access: Slot| fences().any(|(thread, fences)| graph.hb(access)[thread] > fences[0]);
        let enters_fence = |access: Slot| {
            fences().any(|(thread, fences)| is_hb(graph, access, slot(thread, fences[fences.len() - 1])))
        };
        n_accesses > 0 || accesses(graph, loc).any(leaves_fence) && accesses(graph, loc).any(enters_fence)
    }

    /// Collects the SC events; returns whether all accesses are among them.
    fn collect(&mut self, graph: &Graph) -> bool {
        self.events.clear();
        let mut n_other_accesses = 0;
        for (index, event) in graph.events().iter().enumerate() {
            if is_sc(event) {
                self.events.push(Slot::new(index));
            } else if event.loc != LocId::NONE {
                n_other_accesses += 1;
            }
        }
        n_other_accesses == 0
    }

    /// Sorts the surveyed events by threads and locations, for [`Psc::holds_under`].
    pub fn prepare(&mut self, graph: &Graph) {
        let n_threads = graph.n_threads();
        for lists in [&mut self.sc, &mut self.fences] {
            lists.resize_with(n_threads, Vec::new);
            lists.iter_mut().for_each(Vec::clear);
        }
        self.n_sc_accesses.clear();
        self.n_sc_accesses.resize(graph.locations().len(), 0);
        for &slot in &self.events {
            let Event { id, loc, .. } = *graph.event(slot);
            self.sc[id.thread().index()].push(id.index() as u32);
            match loc {
                LocId::NONE => self.fences[id.thread().index()].push(id.index() as u32),
                loc => self.n_sc_accesses[loc.index()] += 1,
            }
        }
        self.has_fences = self.fences.iter().any(|fences| !fences.is_empty());
        self.sc_accesses.collect(graph, is_sc);
        if self.has_fences {
            self.accesses.collect(graph, |_| true);
        }
        self.runs.clear();
        for event in graph.events() {
            let before = event.id.index().checked_sub(1);
            let before = before.map(|index| graph.thread(event.id.thread())[index]);
            let continues = |&before: &Slot| event.loc != LocId::NONE && graph.event(before).loc == event.loc;
            let run =
                before.filter(continues).map_or(event.id.index() as u32, |slot| self.runs[slot.index()]);
            self.runs.push(run);
        }
    }

    /// Whether `psc` is acyclic, with this coherence order or part of one. The graph has been prepared.
    pub fn holds_under(&mut self, graph: &Graph, coherence: &impl Coherence) -> bool {
        let n_threads = graph.n_threads();
        self.n_done.clear();
        self.n_done.resize(n_threads, 0);
        self.needs.resize_with(n_threads, Vec::new);
        for thread in 0..n_threads {
            self.find_needs(graph, coherence, thread);
        }
        loop {
            let mut has_moved = false;
            for thread in 0..n_threads {
                while self.n_done[thread] < self.sc[thread].len() && self.is_ready(thread) {
                    self.n_done[thread] += 1;
                    self.find_needs(graph, coherence, thread);
                    has_moved = true;
                }
            }
            if !has_moved {
                return self.n_done.iter().zip(&self.sc).all(|(&n_done, events)| n_done == events.len());
            }
        }
    }

    /// Whether everything that the next SC event of `thread` waits for is done.
    fn is_ready(&self, thread: usize) -> bool {
        self.needs[thread].iter().enumerate().all(|(other, &need)| {
            let next = self.sc[other].get(self.n_done[other]);
            other == thread || next.is_none_or(|&next| next >= need)
        })
    }

    /// Computes what the next SC event of `thread` waits for.
    fn find_needs(&mut self, graph: &Graph, coherence: &impl Coherence, thread: usize) {
        let Some(&index) = self.sc[thread].get(self.n_done[thread]) else { return };
        let slot = graph.thread(ThreadId::new(thread))[index as usize];
        let mut needs = std::mem::take(&mut self.needs[thread]);
        needs.clear();
        needs.resize(graph.n_threads(), 0);
        match graph.event(slot).loc {
            LocId::NONE => self.needs_of_fence(graph, coherence, slot, &mut needs),
            _ => self.needs_of_access(graph, coherence, slot, &mut needs),
        }
        self.needs[thread] = needs;
    }

    /// The edges into an access: `po-nloc ; hb ; po-nloc`, those of its location, and those that start at fences.
    fn needs_of_access(
        &mut self,
        graph: &Graph,
        coherence: &impl Coherence,
        access: Slot,
        needs: &mut [u32],
    ) {
        let Event { id, loc, .. } = *graph.event(access);
        self.reach_access(graph, coherence, access);
        let own = graph.thread(id.thread());
        // The latest way into `access` from an event at another location.
        let enter = self.runs[access.index()].checked_sub(1).map(|index| graph.hb(own[index as usize]));
        for thread in (0..needs.len()).filter(|&thread| thread != id.thread().index()) {
            let slots = graph.thread(ThreadId::new(thread));
            let known = enter.map_or(0, |enter| enter[thread]);
            // Not the last accesses among the known events, if they are all to one location: no `po-nloc` leaves them.
            let run = known.checked_sub(1).map_or(0, |last| self.runs[slots[last as usize].index()]);
            let list = self.sc_accesses.of(loc, thread);
            let at_loc = n_before(graph, coherence, list, access).checked_sub(1);
            let at_loc = at_loc.map_or(0, |last| graph.event(list[last]).id.index() as u32 + 1);
            needs[thread] = run.max(at_loc).max(self.last_fence(thread, self.reached.get(thread).copied()));
        }
    }

    /// What happens before an access, or before an access of its location that is `hb`- or `eco`-before it.
    fn reach_access(&mut self, graph: &Graph, coherence: &impl Coherence, access: Slot) {
        self.reached.clear();
        if !self.has_fences {
            return;
        }
        let Event { id, loc, .. } = *graph.event(access);
        match graph.po_before(access) {
            Some(before) => self.reached.extend_from_slice(graph.hb(before)),
            None => self.reached.resize(graph.width(), 0),
        }
        for thread in (0..graph.n_threads()).filter(|&thread| thread != id.thread().index()) {
            let list = self.accesses.of(loc, thread);
            if let Some(last) = n_before(graph, coherence, list, access).checked_sub(1) {
                clock::join(&mut self.reached, graph.hb(list[last]));
            }
        }
    }

    /// The edges into a fence: `hb`, `hb ; eco ; hb` from fences, and those from SC accesses.
    fn needs_of_fence(&mut self, graph: &Graph, coherence: &impl Coherence, fence: Slot, needs: &mut [u32]) {
        let (own, past) = (graph.event(fence).id.thread().index(), graph.hb(fence));
        self.reached.clear();
        self.reached.extend_from_slice(past);
        // Whatever an SC access has after it in its thread happens before the fence.
        needs.iter_mut().zip(past).for_each(|(need, &known)| *need = known.saturating_sub(1));
        let n_threads = needs.len();
        let written = (0..graph.locations().len()).map(LocId::new);
        for loc in written.filter(|&loc| graph.location(loc).co.len() > 1) {
            for via_thread in 0..n_threads {
                let list = self.accesses.of(loc, via_thread);
                let Some(last) = n_known(graph, list, past).checked_sub(1) else { continue };
                let via = list[last];
                for (thread, need) in needs.iter_mut().enumerate() {
                    let earlier = self.accesses.of(loc, thread);
                    let n = earlier.partition_point(|&first| is_eco(graph, coherence, loc, first, via));
                    if let Some(last) = n.checked_sub(1) {
                        clock::join(&mut self.reached, graph.hb(earlier[last]));
                    }
                    let list = self.sc_accesses.of(loc, thread);
                    let mut n = if thread == via_thread { 0 } else { n_known(graph, list, graph.hb(via)) };
                    if let Some(write) = self.accesses.latest_write(loc, via_thread, last) {
                        n = n.max(list.partition_point(|&a| is_co_or_fr(graph, coherence, a, write)));
                    }
                    if let Some(last) = n.checked_sub(1) {
                        *need = (*need).max(graph.event(list[last]).id.index() as u32 + 1);
                    }
                }
            }
        }
        for thread in (0..n_threads).filter(|&thread| thread != own) {
            needs[thread] = needs[thread].max(self.last_fence(thread, Some(self.reached[thread])));
        }
    }

    /// The position after the last SC fence among the first `n_events` of `thread`.
    fn last_fence(&self, thread: usize, n_events: Option<u32>) -> u32 {
        let fences = &self.fences[thread];
        let n = fences.partition_point(|&fence| fence < n_events.unwrap_or(0));
        n.checked_sub(1).map_or(0, |last| fences[last] + 1)
    }
}

/// Whether the SC events are in one thread at most, so that `psc` is part of `po`.
pub fn has_few(graph: &Graph) -> bool {
    let sc = graph.events().iter().filter(|event| is_sc(event));
    sc.map(|event| event.id.thread()).is_sorted_by(|one, two| one == two)
}

/// Whether `added`, and its source if that came later, can close a cycle of `psc` in a graph without SC fences.
///
/// Nothing happens after a new event, so a cycle leaves it by `co` or `fr` and comes to an SC write.
pub fn may_close_cycle(graph: &Graph, added: Slot) -> bool {
    let event = graph.event(added);
    if event.loc == LocId::NONE {
        return false;
    }
    let own = write_of(graph, added);
    let is_revisited = event.is_read() && own > added && !own.is_init();
    let later = &graph.location(event.loc).co[graph.co_position(own) + 1..];
    (is_sc(event) || is_revisited && is_sc(graph.event(own)))
        && later.iter().any(|&write| is_sc(graph.event(write)))
}

fn in_one_thread<'a>(graph: &Graph, mut events: impl Iterator<Item = &'a Slot>) -> bool {
    let thread = |&event: &Slot| graph.event(event).id.thread();
    let Some(first) = events.next().map(thread) else { return true };
    events.all(|event| thread(event) == first)
}

/// Whether this is an SC access or fence.
pub fn is_sc(event: &Event) -> bool {
    match event.label {
        Label::Read { .. } => effective_order(event) == Some(ReadOrder::SeqCst),
        Label::Write { order, .. } => order == WriteOrder::SeqCst,
        Label::Fence { order } => order == FenceOrder::SeqCst,
        Label::Begin
        | Label::End
        | Label::Spawn { .. }
        | Label::Join { .. }
        | Label::Alloc { .. }
        | Label::Free { .. } => false,
    }
}

/// `first (hb?) second`.
fn is_hb(graph: &Graph, first: Slot, second: Slot) -> bool {
    clock::contains(graph.hb(second), graph.event(first).id)
}

/// `first (co | fr) second`, for two accesses of one location.
fn is_co_or_fr(graph: &Graph, coherence: &impl Coherence, first: Slot, second: Slot) -> bool {
    let event = graph.event(second);
    let source = write_of(graph, first);
    event.is_write() && source != second && coherence.is_co(graph, event.loc, source, second)
}

/// `first eco second`, for two accesses of `loc`.
fn is_eco(graph: &Graph, coherence: &impl Coherence, loc: LocId, first: Slot, second: Slot) -> bool {
    let (source, other) = (write_of(graph, first), write_of(graph, second));
    match source == other {
        true => graph.event(first).is_write() && graph.event(second).is_read(),
        false => coherence.is_co(graph, loc, source, other),
    }
}

/// How many of the accesses of a thread, in program order, are in the set `past`.
fn n_known(graph: &Graph, list: &[Slot], past: &Clock) -> usize {
    list.partition_point(|&slot| clock::contains(past, graph.event(slot).id))
}

/// How many of the accesses of another thread to the location of `access` are `hb`-, `co`- or `fr`-before it.
fn n_before(graph: &Graph, coherence: &impl Coherence, list: &[Slot], access: Slot) -> usize {
    let n = n_known(graph, list, graph.hb(access));
    n.max(list.partition_point(|&first| is_co_or_fr(graph, coherence, first, access)))
}

fn accesses(graph: &Graph, loc: LocId) -> impl Iterator<Item = Slot> + '_ {
    let location = graph.location(loc);
    location.co.iter().skip(1).chain(&location.reads).copied()
}
