//! Judges again whether threads wait forever.
//!
//! The definition is in docs/ALGORITHMS.md, section A: no thread that has not ended can move, each waits for a value
//! or for the end of another such thread, and every awaited value is the final one of its location.

use crate::arrange::Finals;
use crate::replay::Replay;
use atropos_event::{BlockReason, Label, Run, Step, ViolationKind};
use atropos_graph::{Graph, LocId, Slot};
use std::collections::HashMap;

/// The writes that must be the last ones of their locations for the wait to last.
///
/// # Errors
/// Why the threads do not wait like this with any coherence order.
pub fn awaited(replay: &mut Replay<'_>, kind: ViolationKind) -> Result<Finals, String> {
    if replay.run.has_exited() {
        return Err("the program has ended".to_string());
    }
    let (mut reads, mut waits, mut spins, mut n_waiting) = (Vec::new(), false, false, 0);
    for thread in replay.threads() {
        if replay.graph.has_ended(thread) {
            continue;
        }
        n_waiting += 1;
        let n_reads = match replay.run.pending(thread) {
            Step::Blocked(BlockReason::Spin { reads }) => {
                spins = true;
                reads
            }
            Step::Blocked(BlockReason::Lock { reads } | BlockReason::Wait { reads }) => {
                waits = true;
                reads
            }
            Step::Do(Label::Join { child }) if !replay.graph.has_ended(child) => continue,
            step => return Err(format!("a thread does not wait: {step:?}")),
        };
        let slots = replay.graph.thread(thread).iter().rev().copied();
        let is_read = |slot: &Slot| {
            let event = replay.graph.event(*slot);
            event.is_read() && !event.label.is_merge()
        };
        let last = slots.filter(is_read).take(n_reads as usize);
        reads.extend(last.filter(|&read| !is_undone(&replay.graph, read)));
    }
    if n_waiting == 0 {
        return Err("no thread waits".to_string());
    }
    let is_deadlock = waits || !spins;
    if is_deadlock != (kind == ViolationKind::Deadlock) {
        return Err("the threads wait in another way".to_string());
    }
    finals(&replay.graph, &reads)
}

/// Whether the thread later writes to the location of `read`. In an idle iteration it then waits by that later
/// access, or it has taken the guard of an atomic section here and released it there.
fn is_undone(graph: &Graph, read: Slot) -> bool {
    let event = graph.event(read);
    let own = 1 + usize::from(event.exclusive);
    let mut later = graph.thread(event.id.thread()).iter().skip(event.id.index() + own);
    later.any(|&slot| graph.event(slot).is_write() && graph.event(slot).loc == event.loc)
}

/// The last writes of the values that `reads` have seen. A waiting thread may write back what it reads, and another
/// one may read that.
fn finals(graph: &Graph, reads: &[Slot]) -> Result<Finals, String> {
    let mut updates: HashMap<(LocId, Slot), Slot> = HashMap::new();
    for &read in reads {
        let event = graph.event(read);
        let id = event.id;
        if let Some(&write) = graph.thread(id.thread()).get(id.index() + 1).filter(|_| event.exclusive) {
            updates.insert((event.loc, event.rf), write);
        }
    }
    let mut finals = Finals::new();
    for &read in reads {
        let (loc, mut last) = (graph.event(read).loc, graph.event(read).rf);
        if graph.location(loc).has_parts {
            // What it has seen of its own stores is no change.
            let later = &graph.location(loc).co[graph.co_position(last) + 1..];
            if graph.own_stores_seen(read).count() == later.len() {
                last = later.last().copied().unwrap_or(last);
            }
        }
        for _ in 0..=updates.len() {
            last = updates.get(&(loc, last)).copied().unwrap_or(last);
        }
        if *finals.entry(loc).or_insert(last) != last {
            return Err("two threads wait for different last values of one location".to_string());
        }
    }
    Ok(finals)
}
