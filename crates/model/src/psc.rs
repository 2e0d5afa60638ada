//! The `sc` axiom of RC11 [RCMC §3.2.4]: `acyclic psc`.
//!
//! ```text
//! let scb = po | po-nloc ; hb ; po-nloc | hb & loc | co | fr
//! let psc-base = ([SC] | [F & SC] ; hb?) ; scb ; ([SC] | hb? ; [F & SC])
//! let psc-f = [F & SC] ; (hb | hb ; eco ; hb) ; [F & SC]
//! ```
//!
//! `psc` relates SC events only, so it is computed as a small bit matrix over them, each entry from clocks
//! and coherence positions. On one location `eco` is the order of *ranks*: the write at position `p` has
//! rank `2p`, its readers `2p + 1`; `x eco y` iff `rank(x) < rank(y)`.
//!
//! If every access of the graph is SC, the axiom is `acyclic po | rf | co | fr`, which a closure decides without the
//! matrix (RC11 equals SC then).

use crate::Kept;
use crate::closure::{Closure, Edges, co_next, write_of};
use crate::rc11::effective_order;
use atropos_event::bits::{BitMatrix, BitSet};
use atropos_event::{FenceOrder, Label, ReadOrder, WriteOrder};
use atropos_graph::{Event, Graph, LocId, Slot, clock};

#[derive(Clone, Debug, Default)]
pub struct Psc {
    closure: Closure,
    /// The SC events of the graph.
    events: Vec<Slot>,
    /// Row `a` holds the SC events `b` with `a psc b`.
    rows: BitMatrix,
    alive: BitSet,
}

/// The questions that `psc` has about the coherence order.
pub trait Coherence {
    /// `first co second`, for two writes of `loc`.
    fn is_co(&self, graph: &Graph, loc: LocId, first: Slot, second: Slot) -> bool;

    /// Whether one of the accesses `from` of `loc` is `eco`-before one of `to`.
    fn is_eco_from(
        &self,
        graph: &Graph,
        loc: LocId,
        from: impl Iterator<Item = Slot>,
        to: impl Iterator<Item = Slot> + Clone,
    ) -> bool;
}

/// The coherence order that the graph tracks.
struct Tracked;

impl Coherence for Tracked {
    fn is_co(&self, graph: &Graph, _loc: LocId, first: Slot, second: Slot) -> bool {
        graph.co_position(first) < graph.co_position(second)
    }

    fn is_eco_from(
        &self,
        graph: &Graph,
        _loc: LocId,
        from: impl Iterator<Item = Slot>,
        to: impl Iterator<Item = Slot> + Clone,
    ) -> bool {
        let lowest = from.map(|slot| rank(graph, slot)).min();
        let highest = to.map(|slot| rank(graph, slot)).max();
        matches!((lowest, highest), (Some(lowest), Some(highest)) if lowest < highest)
    }
}

/// How many events of a graph are SC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScEvents {
    /// Fewer than two events: `psc` is empty.
    Few,
    Some,
    /// Every access is SC.
    AllAccesses,
}

impl Psc {
    /// Collects the SC events of the graph.
    pub fn survey(&mut self, graph: &Graph) -> ScEvents {
        let all_accesses_are_sc = self.collect(graph);
        match self.events.len() {
            0 | 1 => ScEvents::Few,
            _ if all_accesses_are_sc => ScEvents::AllAccesses,
            _ => ScEvents::Some,
        }
    }

    /// Whether too few of the surveyed SC events are kept to form a cycle.
    pub fn keeps_few(&self, graph: &Graph, kept: &Kept<'_>) -> bool {
        self.events.iter().filter(|&&event| kept.contains(graph, event)).nth(1).is_none()
    }

    /// Whether `psc` is acyclic, given that it was before `added`.
    pub fn accepts(&mut self, graph: &Graph, added: Slot) -> bool {
        let Some(next) = co_next(graph, added) else { return true };
        match self.survey(graph) {
            ScEvents::Few => true,
            ScEvents::AllAccesses => !self.closure.reaches(graph, next, added, Edges::CoAndFr),
            ScEvents::Some => {
                self.fill_matrix(graph, &Tracked);
                self.is_acyclic()
            }
        }
    }

    /// Whether `psc` is acyclic in the whole graph.
    pub fn holds(&mut self, graph: &Graph) -> bool {
        self.collect(graph);
        self.holds_under(graph, &Tracked)
    }

    /// Whether `psc` is acyclic over the surveyed events, with this coherence order or part of one.
    pub fn holds_under(&mut self, graph: &Graph, coherence: &impl Coherence) -> bool {
        self.fill_matrix(graph, coherence);
        self.is_acyclic()
    }

    /// Whether `psc` can depend on the coherence order of `loc`. It relates the SC accesses of a location, and the
    /// accesses that happen after an SC fence to those that happen before one.
    pub fn sees(&self, graph: &Graph, loc: LocId) -> bool {
        let is_here = |event: &&Slot| graph.event(**event).loc == loc;
        let n_accesses = self.events.iter().filter(is_here).count();
        let fences = || self.events.iter().copied().filter(|&event| graph.event(event).loc == LocId::NONE);
        if n_accesses > 1 || fences().next().is_none() {
            return n_accesses > 1;
        }
        let leaves_fence = |access: Slot| fences().any(|fence| is_hb(graph, fence, access));
        let enters_fence = |access: Slot| fences().any(|fence| is_hb(graph, access, fence));
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

    fn fill_matrix(&mut self, graph: &Graph, coherence: &impl Coherence) {
        self.rows.reset(self.events.len(), self.events.len());
        for (row, &first) in self.events.iter().enumerate() {
            for (column, &second) in self.events.iter().enumerate() {
                if row != column && is_psc(graph, coherence, first, second) {
                    self.rows.set(row, column);
                }
            }
        }
    }

    /// Removes events without a successor until none is left, or a cycle.
    fn is_acyclic(&mut self) -> bool {
        self.alive.reset(self.events.len());
        for event in 0..self.events.len() {
            self.alive.insert(event);
        }
        let mut n_alive = self.events.len();
        loop {
            let before = n_alive;
            for event in 0..self.events.len() {
                let mut successors = self.rows.row(event).iter().zip(self.alive.row());
                if self.alive.contains(event) && successors.all(|(row, alive)| row & alive == 0) {
                    self.alive.remove(event);
                    n_alive -= 1;
                }
            }
            if n_alive == 0 || n_alive == before {
                return n_alive == 0;
            }
        }
    }
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

fn is_psc(graph: &Graph, coherence: &impl Coherence, first: Slot, second: Slot) -> bool {
    let is_fence = |slot: Slot| graph.event(slot).loc == LocId::NONE;
    match (is_fence(first), is_fence(second)) {
        (false, false) => is_scb(graph, coherence, first, second),
        (true, false) => fence_to_access(graph, coherence, first, second),
        (false, true) => access_to_fence(graph, coherence, first, second),
        (true, true) => fence_to_fence(graph, coherence, first, second),
    }
}

/// `first (hb?) second`.
fn is_hb(graph: &Graph, first: Slot, second: Slot) -> bool {
    clock::contains(graph.hb(second), graph.event(first).id)
}

fn rank(graph: &Graph, access: Slot) -> usize {
    let event = graph.event(access);
    if event.is_read() { 2 * graph.co_position(event.rf) + 1 } else { 2 * event.co as usize }
}

/// `first (co | fr) second`, for two accesses of one location.
fn is_co_or_fr(graph: &Graph, coherence: &impl Coherence, first: Slot, second: Slot) -> bool {
    let event = graph.event(second);
    let source = write_of(graph, first);
    event.is_write() && source != second && coherence.is_co(graph, event.loc, source, second)
}

fn accesses(graph: &Graph, loc: LocId) -> impl Iterator<Item = Slot> + Clone + '_ {
    let location = graph.location(loc);
    location.co.iter().skip(1).chain(&location.reads).copied()
}

/// `scb` between two SC accesses.
fn is_scb(graph: &Graph, coherence: &impl Coherence, first: Slot, second: Slot) -> bool {
    let (one, two) = (graph.event(first), graph.event(second));
    if one.id.thread() == two.id.thread() {
        return one.id.index() < two.id.index();
    }
    if one.loc == two.loc && (is_hb(graph, first, second) || is_co_or_fr(graph, coherence, first, second)) {
        return true;
    }
    // po-nloc ; hb ; po-nloc: the earliest way out of `first` and the latest way into `second`.
    let after = graph.thread(one.id.thread())[one.id.index() + 1..].iter();
    let before = graph.thread(two.id.thread())[..two.id.index()].iter().rev();
    let leave = after.copied().find(|&slot| graph.event(slot).loc != one.loc);
    let enter = before.copied().find(|&slot| graph.event(slot).loc != two.loc);
    matches!((leave, enter), (Some(leave), Some(enter)) if is_hb(graph, leave, enter))
}

/// `[F & SC] ; hb? ; scb ; [SC]` into an access.
fn fence_to_access(graph: &Graph, coherence: &impl Coherence, fence: Slot, access: Slot) -> bool {
    let enters_by_po = graph.po_before(access).is_some_and(|before| is_hb(graph, fence, before));
    enters_by_po
        || accesses(graph, graph.event(access).loc).any(|via| {
            via != access
                && is_hb(graph, fence, via)
                && (is_hb(graph, via, access) || is_co_or_fr(graph, coherence, via, access))
        })
}

/// `[SC] ; scb ; hb? ; [F & SC]` out of an access.
fn access_to_fence(graph: &Graph, coherence: &impl Coherence, access: Slot, fence: Slot) -> bool {
    let id = graph.event(access).id;
    let after = graph.thread(id.thread()).get(id.index() + 1);
    let leaves_by_po = after.is_some_and(|&after| is_hb(graph, after, fence));
    leaves_by_po
        || accesses(graph, graph.event(access).loc).any(|via| {
            via != access
                && is_hb(graph, via, fence)
                && (is_hb(graph, access, via) || is_co_or_fr(graph, coherence, access, via))
        })
}

/// `[F & SC] ; (hb | hb ; eco ; hb) ; [F & SC]`; what `psc-base` adds between fences is in it.
fn fence_to_fence(graph: &Graph, coherence: &impl Coherence, first: Slot, second: Slot) -> bool {
    is_hb(graph, first, second)
        || (0..graph.locations().len()).any(|index| {
            let loc = LocId::new(index);
            let from = accesses(graph, loc).filter(|&slot| is_hb(graph, first, slot));
            let to = accesses(graph, loc).filter(|&slot| is_hb(graph, slot, second));
            coherence.is_eco_from(graph, loc, from, to)
        })
}
