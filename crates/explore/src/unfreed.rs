//! Heap objects that are still allocated at the end of an execution and not reachable.
//!
//! As for other leak detectors, reachable memory is not leaked: a global variable, or a reachable object, holds an
//! address inside the object. The final content of memory counts. If coherence is not tracked, that may be
//! undetermined; then every write that is not known to be overwritten counts, so an object is leaked only if no order
//! of the writes makes it reachable.

use atropos_event::{Access, Addr, AllocKind, Label, ReadOrder, Value, WriteOrder};
use atropos_graph::{Graph, LocId, Location, Slot};
use std::collections::BTreeMap;

/// How to tell that a write is overwritten by another one to the same location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overwriting {
    /// The graph's coherence order.
    Coherence,
    /// It happens before the other one. Only threads, and acquire reads of release writes, count: they are part of
    /// happens-before in every model that uses orders as written.
    HappensBefore,
    /// The same, and where more than one write may be the last, none counts: an object is leaked unless it is reachable
    /// in every order of the writes.
    HappensBeforeInAnyOrder,
    /// It comes earlier in its thread.
    ProgramOrder,
}

/// The `Alloc` events of the leaked objects of a complete execution. `is_root` says which addresses belong to
/// variables that outlive all threads.
pub fn leaked(graph: &Graph, overwriting: Overwriting, is_root: impl Fn(Addr) -> bool) -> Vec<Slot> {
    let mut objects = unfreed(graph);
    if objects.is_empty() {
        return Vec::new();
    }
    let finals = final_values(graph, overwriting);
    let mut open: Vec<Value> = Vec::new();
    for &addr in finals.keys().filter(|&&addr| is_root(Addr(addr))) {
        open.extend(pointers_at(&finals, addr));
    }
    while let Some(value) = open.pop() {
        let Some((&start, &(size, _))) = objects.range(..=value).next_back() else { continue };
        if value - start < size.max(1) {
            objects.remove(&start);
            for (&addr, _) in finals.range(start..start + size) {
                open.extend(pointers_at(&finals, addr));
            }
        }
    }
    objects.into_values().map(|(_, alloc)| alloc).collect()
}

/// Heap objects that are never freed: start, size and event.
fn unfreed(graph: &Graph) -> BTreeMap<u64, (u64, Slot)> {
    let mut objects = BTreeMap::new();
    for thread in 0..graph.n_threads() {
        for &slot in graph.thread_allocs(thread) {
            if let Label::Alloc { addr, size, kind: AllocKind::Heap } = graph.event(slot).label {
                objects.insert(addr.0, (size, slot));
            }
        }
    }
    for &slot in graph.frees() {
        if let Label::Free { addr, .. } = graph.event(slot).label {
            objects.remove(&addr.0);
        }
    }
    objects
}

/// The possible final content of a location.
struct Final {
    size: u8,
    values: Vec<Value>,
}

fn final_values(graph: &Graph, overwriting: Overwriting) -> BTreeMap<u64, Final> {
    let past = match overwriting {
        Overwriting::HappensBefore | Overwriting::HappensBeforeInAnyOrder => pasts(graph),
        Overwriting::Coherence | Overwriting::ProgramOrder => Vec::new(),
    };
    let locations = (0..graph.locations().len()).map(LocId::new).filter(|&loc| !graph.is_share(loc));
    let written =
        locations.filter(|&loc| graph.location(loc).co.len() > 1 || graph.shares(loc).next().is_some());
    written
        .flat_map(|loc| {
            let location = graph.location(loc);
            let last = match location.co.len() {
                1 => vec![Slot::INIT],
                _ => last_writes(graph, overwriting, &past, location),
            };
            let values: Vec<Value> = last.into_iter().map(|write| graph.final_value(loc, write)).collect();
            words(location.access)
                .map(move |word| {
                    let values = values.iter().map(|&value| word.narrow(value)).collect();
                    (word.part().addr.0, Final { size: word.part().size, values })
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The words of a location; most have only one.
fn words(cell: Access) -> impl Iterator<Item = Access> {
    let starts = (0..cell.size).step_by(8);
    starts.map(move |at| Access::new(cell.addr.0 + u64::from(at), (cell.size - at).min(8)).within(cell))
}

/// The writes to a location that may be the last one.
fn last_writes(graph: &Graph, overwriting: Overwriting, past: &[Vec<u32>], location: &Location) -> Vec<Slot> {
    let writes = &location.co[1..];
    if overwriting == Overwriting::Coherence {
        return writes.last().copied().into_iter().collect();
    }
    let is_vague = |last: &[Slot]| overwriting == Overwriting::HappensBeforeInAnyOrder && last.len() > 1;
    let comes_before = |write: Slot, later: Slot| {
        let (first, second) = (graph.event(write).id, graph.event(later).id);
        // A read-modify-write comes right after its source.
        let reads_it = graph.event(later).exclusive
            && graph.po_before(later).is_some_and(|read| graph.event(read).rf == write);
        let is_earlier = first.thread() == second.thread() && first.index() < second.index();
        let happens_before = past.get(later.index()).is_some_and(|past| {
            past.get(first.thread().index()).is_some_and(|&n| first.index() < n as usize)
        });
        reads_it || is_earlier || happens_before
    };
    let is_last = |&write: &Slot| !writes.iter().any(|&later| later != write && comes_before(write, later));
    let last: Vec<Slot> = writes.iter().copied().filter(is_last).collect();
    if is_vague(&last) { Vec::new() } else { last }
}

/// For each event, how many events of each thread happen before it, itself included. Threads advance as far as they
/// can, in turns: what an event waits for is earlier in program order and reads-from, which have no cycles.
fn pasts(graph: &Graph) -> Vec<Vec<u32>> {
    let n_threads = graph.n_threads();
    let mut past: Vec<Vec<u32>> = vec![Vec::new(); graph.len()];
    let mut done = vec![0; n_threads];
    let mut has_moved = true;
    while has_moved {
        has_moved = false;
        for thread in 0..n_threads {
            let slots = graph.thread(atropos_event::ThreadId::new(thread));
            while let Some(&slot) = slots.get(done[thread]) {
                let source = synchronises_with(graph, slot);
                if source.is_some_and(|source| past[source.index()].is_empty()) {
                    break;
                }
                let before = done[thread].checked_sub(1).map(|index| slots[index]);
                let mut now = vec![0; n_threads];
                for earlier in before.into_iter().chain(source) {
                    now.iter_mut().zip(&past[earlier.index()]).for_each(|(now, &n)| *now = n.max(*now));
                }
                now[thread] = done[thread] as u32 + 1;
                past[slot.index()] = now;
                done[thread] += 1;
                has_moved = true;
            }
        }
    }
    past
}

/// The event of another thread that certainly happens before this one.
fn synchronises_with(graph: &Graph, slot: Slot) -> Option<Slot> {
    let event = graph.event(slot);
    let source = Some(event.rf).filter(|rf| !rf.is_init())?;
    match event.label {
        Label::Begin | Label::Join { .. } => Some(source),
        Label::Read { order: ReadOrder::Acquire | ReadOrder::SeqCst, rmw, .. } => {
            // The order of a read-modify-write is that of its success.
            let is_acquire = rmw == atropos_event::Rmw::None || event.exclusive;
            let releases = matches!(
                graph.event(source).label,
                Label::Write { order: WriteOrder::Release | WriteOrder::SeqCst, .. }
            );
            (is_acquire && releases).then_some(source)
        }
        _ => None,
    }
}

/// The maximum number of combinations of pieces.
const MOST_COMBINATIONS: usize = 256;

/// The possible addresses at `addr`, including those written in pieces.
fn pointers_at(finals: &BTreeMap<u64, Final>, addr: u64) -> Vec<Value> {
    let mut found = vec![0];
    let mut at = addr;
    while at < addr + 8 {
        let Some(piece) = finals.get(&at) else { break };
        let shift = 8 * (at - addr);
        let combine = |&known: &Value| piece.values.iter().map(move |value| known | value << shift);
        found = found.iter().flat_map(combine).take(MOST_COMBINATIONS).collect();
        at += u64::from(piece.size);
    }
    found
}
