//! Misuse of dynamic memory, judged by the `Alloc` and `Free` events of the graph. The program decides whether a read
//! of memory that was never written is an error ([`atropos_event::Run::resume_unwritten`]).
//!
//! An access must happen after the allocation of its object and before its deallocation. An access that is not
//! ordered with one of them races with it, and is equally wrong. Both are checked when either event is added: its
//! `hb` clock contains everything that happens before it, and it happens before nothing yet.
//!
//! If an access does not happen after the allocation of its object, its race with the write that initialises the object
//! is reported first, where races are errors and there is such a write ([`in_order`]).

use crate::Report;
use atropos_event::{
    Access, Addr, AllocKind, EndOfLife, Extent, FreeError, Initial, Label, Memory, Violation,
};
use atropos_graph::{Clock, Graph, LocId, Slot, clock};

/// The error of the event at `added`. Calls `past` only for dynamic memory.
#[inline]
pub fn judge<'g>(graph: &'g Graph, added: Slot, past: impl FnOnce() -> &'g Clock) -> Option<Report> {
    let event = graph.event(added);
    if event.loc != LocId::NONE && graph.location(event.loc).initial != Initial::Uninitialised {
        return None;
    }
    let (violation, other) = misuse(graph, added, past())?;
    let events = other.into_iter().chain([added]).collect();
    Some(Report { violation, thread: event.id.thread(), events })
}

/// Misuse and a race of the same access, in reporting order.
pub fn in_order(misuse: Option<Report>, race: Option<Report>) -> [Option<Report>; 2] {
    match &misuse {
        Some(Report { violation: Violation::AccessBeforeAllocation { .. }, .. }) => [race, misuse],
        _ => [misuse, race],
    }
}

/// The error of the event at `added`, and the event it conflicts with.
pub fn misuse(graph: &Graph, added: Slot, hb: &Clock) -> Option<(Violation, Option<Slot>)> {
    match graph.event(added).label {
        Label::Read { access, .. } | Label::Write { access, .. } => {
            misused_by_access(graph, added, access.part(), hb)
        }
        Label::Free { addr, kind: AllocKind::Heap } => misused_by_free(graph, added, addr, hb),
        Label::Free { addr, kind: AllocKind::Stack } => used_beyond(graph, added, addr, hb),
        Label::Begin
        | Label::End
        | Label::Fence { .. }
        | Label::Spawn { .. }
        | Label::Join { .. }
        | Label::Alloc { .. } => None,
    }
}

fn misused_by_access(
    graph: &Graph,
    added: Slot,
    access: Access,
    hb: &Clock,
) -> Option<(Violation, Option<Slot>)> {
    let event = graph.event(added);
    if graph.location(event.loc).initial != Initial::Uninitialised {
        return None;
    }
    let memory = Memory::of(access);
    let outside = |nearest: Option<Allocated>| {
        let object = nearest.map(|(_, base, size)| Extent { object: Memory::At { addr: base, size }, size });
        let violation =
            Violation::OutOfBounds { size: access.size.into(), at: Some(Memory::of(access)), object };
        Some((violation, nearest.map(|(alloc, ..)| alloc)))
    };
    let Some((alloc, base, size)) = object_around(graph, access.addr) else {
        return outside(object_above(graph, access.addr));
    };
    let offset = access.addr.0 - base.0;
    if offset + u64::from(access.size) > size {
        let beyond = offset.saturating_sub(size);
        let above = object_above(graph, access.addr);
        let nearer = above.filter(|&(_, start, _)| start.0 - access.addr.0 < beyond);
        return outside(nearer.or(Some((alloc, base, size))));
    }
    if !clock::contains(hb, graph.event(alloc).id) {
        return Some((Violation::AccessBeforeAllocation { memory, object: base }, Some(alloc)));
    }
    let free = free_of(graph, base, added)?;
    let end = match clock::contains(hb, graph.event(free).id) {
        true => EndOfLife::Freed,
        false => EndOfLife::FreedConcurrently,
    };
    Some((Violation::UseAfterFree { memory, end }, Some(free)))
}

fn misused_by_free(graph: &Graph, added: Slot, addr: Addr, hb: &Clock) -> Option<(Violation, Option<Slot>)> {
    let invalid = |reason, other| {
        let object = Memory::At { addr, size: 0 };
        Some((Violation::InvalidFree { object, reason }, other))
    };
    let Some((alloc, base, _)) = object_around(graph, addr) else {
        return invalid(FreeError::NotAllocated, None);
    };
    let is_heap = matches!(graph.event(alloc).label, Label::Alloc { kind: AllocKind::Heap, .. });
    if base != addr || !is_heap {
        return invalid(FreeError::NotAnObject, Some(alloc));
    }
    if let Some(free) = free_of(graph, addr, added) {
        return Some((Violation::DoubleFree { object: addr }, Some(free)));
    }
    if !clock::contains(hb, graph.event(alloc).id) {
        return invalid(FreeError::BeforeAllocation, Some(alloc));
    }
    used_beyond(graph, added, addr, hb)
}

/// An access to the object at `addr` that does not happen before its end of life.
fn used_beyond(graph: &Graph, added: Slot, addr: Addr, hb: &Clock) -> Option<(Violation, Option<Slot>)> {
    let (_, base, size) = object_around(graph, addr)?;
    let object = base.0..base.0 + size;
    let user = (0..added.index()).map(Slot::new).find(|&slot| {
        let event = graph.event(slot);
        event.label.access().is_some_and(|access| object.contains(&access.part().addr.0))
            && !clock::contains(hb, event.id)
    })?;
    let memory = graph.event(user).label.access().map(Memory::of)?;
    Some((Violation::UseAfterFree { memory, end: EndOfLife::FreedConcurrently }, Some(user)))
}

/// The allocation whose object, or the gap after it, contains `addr`: event, start and size.
pub fn object_around(graph: &Graph, addr: Addr) -> Option<Allocated> {
    let below = (0..graph.n_threads()).filter_map(|thread| {
        let allocs = graph.thread_allocs(thread);
        let last = n_below(graph, allocs, addr).checked_sub(1)?;
        Some(allocated(graph, allocs[last]))
    });
    below.max_by_key(|&(_, start, _)| start)
}

/// The allocation of the first object behind `addr`.
#[cold]
fn object_above(graph: &Graph, addr: Addr) -> Option<Allocated> {
    let above = (0..graph.n_threads()).filter_map(|thread| {
        let allocs = graph.thread_allocs(thread);
        allocs.get(n_below(graph, allocs, addr)).map(|&slot| allocated(graph, slot))
    });
    above.min_by_key(|&(_, start, _)| start)
}

/// An allocation: its event, and start and size of the object.
type Allocated = (Slot, Addr, u64);

fn allocated(graph: &Graph, slot: Slot) -> Allocated {
    match graph.event(slot).label {
        Label::Alloc { addr, size, .. } => (slot, addr, size),
        ref label => unreachable!("{label:?} in the list of allocations"),
    }
}

/// How many of these allocations of one thread made objects that start at or before `addr`.
fn n_below(graph: &Graph, allocs: &[Slot], addr: Addr) -> usize {
    allocs.partition_point(|&slot| allocated(graph, slot).1 <= addr)
}

/// A `Free` of the object at `base` other than the event at `except`.
fn free_of(graph: &Graph, base: Addr, except: Slot) -> Option<Slot> {
    graph.frees().iter().copied().find(|&slot| {
        slot != except && matches!(graph.event(slot).label, Label::Free { addr, .. } if addr == base)
    })
}
