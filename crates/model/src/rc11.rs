//! RC11 [RCMC §3.2], the repaired C/C++11 model.
//!
//! ```text
//! let rs = [W & A] ; (rf ; rmw)*                                   (C++20)
//!      or  [W] ; (po & loc)? ; [W & A] ; (rf ; rmw)*               (C11, as in the paper)
//! let sw = [REL+] ; ([F] ; po)? ; rs ; rf ; [R & A] ; (po ; [F])? ; [ACQ+]
//! let hb = (po | sw | sync)+
//! irreflexive hb ; eco? as coherence
//! empty rmw & (fr ; co) as atomicity
//! acyclic po | rf | sync as no-thin-air
//! acyclic psc as sc
//! ```
//!
//! `hb` is a clock per event. The *message* clock of a write contains the events that happen before an acquiring
//! reader: the union of `hb` over the release events at the heads of the release sequences that contain the write.
//! The `sc` axiom is in [`crate::psc`].

use crate::chains::Chains;
use crate::coherence::settled;
use crate::psc::{self, Psc};
use crate::psc_search::PscSearch;
use crate::{Counting, Kept, MemoryModel, Orders, ReadsFrom, is_plain_write};
use atropos_event::{FenceOrder, Label, ReadOrder, Rmw};
use atropos_graph::{Clock, ClockKind, Event, Graph, Slot};

/// Which writes continue a release sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReleaseSequences {
    /// Read-modify-writes only.
    #[default]
    Cpp20,
    /// Also later writes of the releasing thread to the location.
    C11,
}

#[derive(Clone, Debug, Default)]
pub struct Rc11 {
    pub release_sequences: ReleaseSequences,
    /// Whether the program has SC events at all, and SC fences.
    has_sc: bool,
    has_sc_fences: bool,
    psc: Psc,
    chains: Chains,
    psc_search: PscSearch,
}

impl Rc11 {
    pub fn new(release_sequences: ReleaseSequences) -> Self {
        Rc11 { release_sequences, ..Rc11::default() }
    }

    /// The message clock of the write at `slot`.
    fn send(&self, graph: &mut Graph, slot: Slot) {
        let event = *graph.event(slot);
        let Label::Write { order, .. } = event.label else { return };
        if order.is_release() {
            join_message_with_hb(graph, slot, slot);
        } else if order.is_atomic() {
            if let Some(&fence) = graph.release_fences(event.id.thread()).last() {
                join_message_with_hb(graph, slot, fence);
            }
            if self.release_sequences == ReleaseSequences::C11 {
                self.continue_own_sequences(graph, slot);
            }
        }
        if event.exclusive {
            let read = graph.po_before(slot).expect("an exclusive write follows its read");
            let source = graph.event(read).rf;
            if !source.is_init() {
                graph.join_clock(ClockKind::Message, slot, ClockKind::Message, source);
            }
        }
    }

    /// C11: the write continues the release sequences of its thread's earlier writes to the location.
    fn continue_own_sequences(&self, graph: &mut Graph, slot: Slot) {
        let Event { loc, id, .. } = *graph.event(slot);
        for index in (0..id.index()).rev() {
            let head = graph.thread(id.thread())[index];
            let event = graph.event(head);
            if event.loc == loc && matches!(event.label, Label::Write { order, .. } if order.is_release()) {
                join_message_with_hb(graph, slot, head);
                return;
            }
        }
    }
}

/// `message(slot) |= hb(head)`.
fn join_message_with_hb(graph: &mut Graph, slot: Slot, head: Slot) {
    graph.join_clock(ClockKind::Message, slot, ClockKind::Hb, head);
}

/// The order of a read, given the result of its read-modify-write.
pub fn effective_order(event: &Event) -> Option<ReadOrder> {
    match event.label {
        Label::Read { rmw: Rmw::Cas { failure_order, .. }, .. } if !event.exclusive => Some(failure_order),
        Label::Read { order, .. } => Some(order),
        _ => None,
    }
}

/// An acquire fence synchronises with the writes that earlier atomic reads have read from.
fn receive_at_fence(graph: &mut Graph, fence: Slot) {
    let id = graph.event(fence).id;
    for index in (0..id.index()).rev() {
        let earlier = *graph.event(graph.thread(id.thread())[index]);
        match earlier.label {
            Label::Fence { order } if order.is_acquire() => return,
            Label::Read { .. }
                if !earlier.rf.is_init() && effective_order(&earlier).is_some_and(ReadOrder::is_atomic) =>
            {
                graph.join_clock(ClockKind::Hb, fence, ClockKind::Message, earlier.rf);
            }
            _ => {}
        }
    }
}

impl MemoryModel for Rc11 {
    const HAS_VIEWS: bool = true;
    const COUNTING: Counting = Counting::ByOrder;

    fn observe(&mut self, graph: &mut Graph, slot: Slot) {
        let event = *graph.event(slot);
        self.has_sc |= psc::is_sc(&event);
        match event.label {
            Label::Read { .. } => {
                // A revisited read starts again from what its thread knew.
                if event.rf > slot && !event.rf.is_init() {
                    graph.restart_hb(slot);
                }
                if !event.rf.is_init() && effective_order(&event).is_some_and(ReadOrder::is_acquire) {
                    graph.join_clock(ClockKind::Hb, slot, ClockKind::Message, event.rf);
                }
            }
            Label::Write { .. } => self.send(graph, slot),
            Label::Begin | Label::Join { .. } => {
                graph.join_clock(ClockKind::Hb, slot, ClockKind::Hb, event.rf);
            }
            Label::Fence { order: FenceOrder::Release } => {}
            Label::Fence { order } => {
                self.has_sc_fences |= order == FenceOrder::SeqCst;
                receive_at_fence(graph, slot);
            }
            Label::End | Label::Spawn { .. } | Label::Alloc { .. } | Label::Free { .. } => {}
        }
    }

    fn hb<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock {
        graph.hb(slot)
    }

    fn accepts(&mut self, graph: &Graph, added: Slot) -> bool {
        let may_violate_sc = self.has_sc && (self.has_sc_fences || psc::may_close_cycle(graph, added));
        !may_violate_sc || self.psc.accepts(graph, added)
    }
}

impl ReadsFrom for Rc11 {
    fn realisable(&mut self, graph: &Graph, added: Slot) -> bool {
        let hb = |slot| graph.hb(slot);
        if !self.has_sc {
            return is_plain_write(graph, added) || self.chains.admit(graph, added, hb);
        }
        settled(graph, added, hb)
            .unwrap_or_else(|| self.chains.admit(graph, added, hb) && self.psc_search.succeeds(graph, &[]))
    }

    fn may_be_final(&mut self, graph: &Graph, accesses: &[Slot]) -> bool {
        self.chains.may_all_be_last(graph, accesses, |slot| graph.hb(slot))
            && self.psc_search.succeeds(graph, accesses)
    }

    fn coherence(&mut self, graph: &Graph, kept: &Kept<'_>, orders: &mut Orders) {
        if !self.has_sc || !self.psc_search.orders(graph, kept, orders) {
            self.chains.orders(graph, kept, |slot| graph.hb(slot), orders);
        }
    }
}
