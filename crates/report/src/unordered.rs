//! How events of different threads are ordered, and why two of them are not.
//!
//! Happens-before is program order and what crosses from one thread to another. [`synchronisation`] finds the crossings:
//! the pairs that no other crossing implies. Of two events that are not ordered, [`unordered`] looks for the chain of
//! program order and reads-from that could have ordered them, and for the first read in it that does not synchronise.

use crate::misuse::IsBefore;
use crate::order::porf;
use atropos_event::{Label, ThreadId};
use atropos_graph::{Graph, Slot};
use std::collections::VecDeque;

/// Two events that happens-before does not order. Events are indices into [`crate::trace::Trace::events`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unordered {
    pub first: usize,
    pub second: usize,
    /// The read that could have ordered them; `None` if no chain of reads leads from one event to the other.
    pub broken: Option<BrokenLink>,
}

/// A read from another thread that does not synchronise with what it reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrokenLink {
    pub write: usize,
    pub read: usize,
    /// Whether the writing thread releases, and the reading one acquires.
    pub releases: bool,
    pub acquires: bool,
}

/// Why happens-before orders neither `first` before `second` nor the other way round.
pub(crate) fn unordered(graph: &Graph, is_before: IsBefore<'_>, first: Slot, second: Slot) -> Unordered {
    let broken = [(first, second), (second, first)].into_iter().find_map(|(from, to)| {
        let path = path(graph, from, to)?;
        broken_link(graph, is_before, &path)
    });
    Unordered { first: first.index(), second: second.index(), broken }
}

/// Why `from` does not happen before `to`, although reads lead from one to the other.
pub(crate) fn missing_link(
    graph: &Graph,
    is_before: IsBefore<'_>,
    from: Slot,
    to: Slot,
) -> Option<BrokenLink> {
    broken_link(graph, is_before, &path(graph, from, to)?)
}

/// The pairs of events by which happens-before crosses from one thread to another, without those that follow from
/// others.
pub(crate) fn synchronisation(graph: &Graph, is_before: IsBefore<'_>) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for slot in (0..graph.len()).map(Slot::new) {
        let own = graph.event(slot).id.thread();
        let before = graph.po_before(slot);
        let is_known = |event: Slot| before.is_some_and(|before| is_before(event, before));
        let others = (0..graph.n_threads()).map(ThreadId::new).filter(|&thread| thread != own);
        let last = others.filter_map(|thread| {
            let events = graph.thread(thread);
            let n_before = events.partition_point(|&event| is_before(event, slot));
            n_before.checked_sub(1).map(|last| events[last])
        });
        let new: Vec<Slot> = last.filter(|&event| !is_known(event)).collect();
        let is_implied = |event: Slot| new.iter().any(|&other| other != event && is_before(event, other));
        pairs.extend(
            new.iter().filter(|&&event| !is_implied(event)).map(|event| (event.index(), slot.index())),
        );
    }
    pairs
}

/// A path of `porf` with few changes of thread. That `to` reads `from` itself is no reason for an order.
fn path(graph: &Graph, from: Slot, to: Slot) -> Option<Vec<Slot>> {
    let mut after = vec![Vec::new(); graph.len()];
    for (before, slot) in porf(graph).into_iter().filter(|&edge| edge != (from, to)) {
        after[before.index()].push(slot);
    }
    let mut came_from = vec![None; graph.len()];
    let mut queue = VecDeque::from([(from, from)]);
    while let Some((slot, before)) = queue.pop_front() {
        if came_from[slot.index()].is_some() {
            continue;
        }
        came_from[slot.index()] = Some(before);
        for &next in &after[slot.index()] {
            if graph.event(next).id.thread() == graph.event(slot).id.thread() {
                queue.push_front((next, slot));
            } else {
                queue.push_back((next, slot));
            }
        }
    }
    let mut path = vec![to];
    while *path.last()? != from {
        path.push(came_from[path.last()?.index()]?);
    }
    path.reverse();
    Some(path)
}

/// The first reads-from edge of a path that does not order what comes before it and what comes after it.
fn broken_link(graph: &Graph, is_before: IsBefore<'_>, path: &[Slot]) -> Option<BrokenLink> {
    let thread = |slot: Slot| graph.event(slot).id.thread();
    let mut entry = 0;
    for at in 1..path.len() {
        let (write, read) = (path[at - 1], path[at]);
        if thread(write) == thread(read) {
            continue;
        }
        let rest = path[at..].iter().take_while(|&&slot| thread(slot) == thread(read)).count();
        let (from, to) = (&path[entry..at], &path[at..at + rest]);
        entry = at;
        let crosses = is_before(from[0], to[rest - 1]);
        if !crosses && graph.event(read).is_read() {
            let releases = from.iter().any(|&slot| sides(graph, slot, write).0);
            let acquires = to.iter().any(|&slot| sides(graph, slot, read).1);
            return Some(BrokenLink { write: write.index(), read: read.index(), releases, acquires });
        }
    }
    None
}

/// Whether the event at `slot` is what releases at the write `access`, or acquires at the read `access`: the access
/// itself, or a fence beside it.
fn sides(graph: &Graph, slot: Slot, access: Slot) -> (bool, bool) {
    match graph.event(slot).label {
        Label::Write { order, .. } => (slot == access && order.is_release(), false),
        Label::Read { order, .. } => (false, slot == access && order.is_acquire()),
        Label::Fence { order } => (order.is_release(), order.is_acquire()),
        Label::Begin
        | Label::End
        | Label::Spawn { .. }
        | Label::Join { .. }
        | Label::Alloc { .. }
        | Label::Free { .. } => (false, false),
    }
}
