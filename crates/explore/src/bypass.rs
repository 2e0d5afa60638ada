//! Bypassed mutexes: threads communicate past them while they are held.
//!
//! Let `W` be an acquisition of a mutex, the write of its compare-and-swap, and `U` the release that follows. The events
//! from `W` up to `U` are its section. The mutex is bypassed
//!
//! 1. out, if an event of another thread reads from an event of the section and does not come after `U`;
//! 2. aside, if the section reads a location that another thread writes, or tries to update, and neither access comes
//!    after the other, nor after `U`;
//! 3. by a write, if a write of the mutex neither updates the previous one nor happens after it.
//!
//! Searches assume that no mutex is bypassed and leave out what is then useless. They watch the assumption, and start
//! over without it for a mutex that is bypassed. [ALGORITHMS §C.9] proves this for TruSt. Tracer needs rule 3 only
//! [ALGORITHMS §E.2].

use crate::learned::Lessons;
use atropos_event::{Addr, mark};
use atropos_graph::{Graph, Slot};

/// A mutex that is bypassed out because of the source of the event at `slot`.
pub(crate) fn by_source(graph: &Graph, lessons: &Lessons, slot: Slot) -> Option<Addr> {
    let event = graph.event(slot);
    if event.rf.is_init() || graph.event(event.rf).id.thread() == event.id.thread() {
        return None;
    }
    let known = graph.po_before(slot).map(|before| graph.porf(before));
    let is_known = |slot: Slot| known.is_some_and(|known| graph.is_in(known, slot));
    let out = find_held(graph, lessons, event.rf, |release| !release.is_some_and(is_known));
    if out.is_some() {
        mark!("bypass: out");
    }
    out
}

/// A mutex that is bypassed aside because of the new access at `slot`: a write, or the read of a read-modify-write.
pub(crate) fn by_access(graph: &Graph, lessons: &Lessons, slot: Slot) -> Option<Addr> {
    let (porf, reads) = (graph.porf(slot), &graph.location(graph.event(slot).loc).reads);
    reads[graph.n_enclosed(reads, porf)..].iter().find_map(|&read| {
        if graph.is_in(porf, read) || graph.event(read).rf == slot {
            return None;
        }
        let aside = find_held(graph, lessons, read, |release| {
            release.is_some_and(|release| !graph.is_in(porf, release))
        });
        if aside.is_some() {
            mark!("bypass: aside");
        }
        aside
    })
}

/// The address that the event at `slot` accesses.
pub(crate) fn addr_of(graph: &Graph, slot: Slot) -> Addr {
    graph.location(graph.event(slot).loc).access.addr
}

/// The first of the intact mutexes held at the event at `slot` whose release, if it exists, is wanted. A mutex is held if
/// the thread's last write of it is an acquisition, so the search goes back only until all mutexes have been met.
fn find_held(
    graph: &Graph,
    lessons: &Lessons,
    slot: Slot,
    wanted: impl Fn(Option<Slot>) -> bool,
) -> Option<Addr> {
    let id = graph.event(slot).id;
    let (before, after) = graph.thread(id.thread()).split_at(id.index() + 1);
    let (mut met, mut held) = (Vec::new(), None);
    for &write in before.iter().rev() {
        let event = graph.event(write);
        if !event.is_write() {
            continue;
        }
        let addr = addr_of(graph, write);
        if met.contains(&addr) || !lessons.is_intact_mutex(addr) {
            continue;
        }
        if event.exclusive && !graph.is_merging(write) {
            let is_release = |&&slot: &&Slot| {
                let other = graph.event(slot);
                other.loc == event.loc && other.is_write()
            };
            if wanted(after.iter().find(is_release).copied()) {
                held = Some(addr);
            }
        }
        if met.len() + 1 == lessons.mutexes.len() {
            break;
        }
        met.push(addr);
    }
    held
}
