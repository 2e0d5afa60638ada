//! Coherence by computed windows: which writes a read may read from, and where a write may be placed.
//!
//! `irreflexive(hb ; eco)`: a new event must not be `eco`-before anything that it happens after. All events at its
//! location that it happens after are at or below a *floor* in the coherence order: the largest position of a write
//! that happens before it or is read by a read that does. A read may read from the floor upwards; a write may be
//! placed above it. A new event has no `hb`-successors, so nothing bounds it from above, and there are no candidates
//! to generate and reject.

use crate::MemoryModel;
use crate::closure::write_of;
use atropos_event::ThreadId;
use atropos_graph::{Clock, Graph, LocId, Slot, clock};

/// The floor at `loc` for an event that happens after exactly the events of `hb`.
pub fn floor(graph: &Graph, loc: LocId, hb: &Clock) -> usize {
    let location = graph.location(loc);
    let mut floor = 0;
    for (position, &write) in location.co.iter().enumerate().skip(1).rev() {
        if clock::contains(hb, graph.event(write).id) {
            floor = position;
            break;
        }
    }
    if floor + 1 < location.co.len() {
        for &read in &location.reads {
            let event = graph.event(read);
            let position = graph.co_position(event.rf);
            if position > floor && clock::contains(hb, event.id) {
                floor = position;
            }
        }
    }
    floor
}

/// The floor at `loc` for the next event of `thread`.
pub fn floor_of_next<M: MemoryModel>(model: &M, graph: &Graph, thread: ThreadId, loc: LocId) -> usize {
    match graph.last_of(thread) {
        Some(last) if M::IS_COHERENT => floor(graph, loc, model.hb(graph, last)),
        _ => 0,
    }
}

/// The last write of each thread to `loc` that happens before an event with the clock `hb`, without the first `n_taken`
/// writes. If coherence is not tracked; returns a number of writes, from the first, that are among these or certainly
/// overwritten then.
pub fn latest_writes(graph: &Graph, loc: LocId, n_taken: usize, hb: &Clock, latest: &mut Vec<Slot>) -> usize {
    latest.clear();
    let writes = &graph.location(loc).co;
    let n_overwritten = n_taken + graph.n_known(&writes[n_taken..], hb).saturating_sub(1);
    for &write in writes[n_overwritten..].iter().filter(|write| !write.is_init()) {
        let id = graph.event(write).id;
        if !clock::contains(hb, id) {
            continue;
        }
        match latest.iter_mut().find(|other| graph.event(**other).id.thread() == id.thread()) {
            Some(other) if graph.event(*other).id.index() < id.index() => *other = write,
            Some(_) => {}
            None => latest.push(write),
        }
    }
    n_overwritten
}

/// The reads of the completed read-modify-writes that read from `source`, a write of `loc`. Their writes come after it
/// in the list.
pub fn updates_of(graph: &Graph, loc: LocId, source: Slot) -> impl Iterator<Item = Slot> + '_ {
    let later = &graph.location(loc).co[graph.co_position(source) + 1..];
    let updates = later.iter().filter(|&&write| graph.event(write).exclusive);
    let reads = updates.filter_map(|&write| graph.po_before(write));
    reads.filter(move |&read| graph.event(read).rf == source)
}

/// Whether a write is certainly overwritten when `latest` have happened: it happens before one of them.
pub fn is_overwritten<M: MemoryModel>(model: &M, graph: &Graph, write: Slot, latest: &[Slot]) -> bool {
    latest.iter().any(|&later| {
        later != write && (write.is_init() || clock::contains(model.hb(graph, later), graph.event(write).id))
    })
}

/// What happens-before alone says about the event at `added` if coherence is not tracked: `Some(false)` for a read
/// whose source is overwritten before it, `Some(true)` for a plain write and for an access at the end of every
/// coherence order, which an extensible model accepts. This settles long stretches in which one thread works alone.
pub fn settled<'g>(graph: &'g Graph, added: Slot, hb: impl Fn(Slot) -> &'g Clock) -> Option<bool> {
    let event = graph.event(added);
    let (read, own) = match (event.is_read(), event.exclusive) {
        (true, _) => (added, None),
        (false, true) => (graph.po_before(added)?, Some(added)),
        (false, false) => return event.is_write().then_some(true),
    };
    let source = graph.event(read).rf;
    let precedes =
        |write: Slot, later: &Clock| write.is_init() || clock::contains(later, graph.event(write).id);
    // Writes that happen after the source come after it in the list.
    let writes = &graph.location(event.loc).co;
    let (earlier, later) = writes.split_at(graph.co_position(source));
    let mut later = later[1..].iter().copied().filter(|&write| Some(write) != own);
    if own.is_none()
        && let Some(before) = graph.po_before(read)
        && later.clone().any(|w| precedes(w, hb(before)) && precedes(source, hb(w)))
    {
        return Some(false);
    }
    let is_last = later.next().is_none()
        && (source.is_init() || {
            let n_known = graph.n_known(&writes[..=earlier.len()], hb(source)).min(earlier.len());
            earlier[n_known..].iter().all(|&write| precedes(write, hb(source)))
        });
    is_last.then_some(true)
}

/// Whether the writes of all `accesses` (for a read, its source) happen after all other writes of their locations. They
/// are then the last ones in every coherence order, and none has to be searched for, which would take too much memory
/// in a long execution.
pub fn must_be_last<'g>(graph: &'g Graph, accesses: &[Slot], hb: impl Fn(Slot) -> &'g Clock) -> bool {
    accesses.iter().all(|&access| {
        let last = write_of(graph, access);
        let is_before = |write: Slot| !last.is_init() && clock::contains(hb(last), graph.event(write).id);
        let writes = graph.location(graph.event(access).loc).co.iter().skip(1);
        writes.copied().all(|write| write == last || is_before(write))
    })
}
