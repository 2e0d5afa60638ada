//! Recognises executions visited before, by fingerprint.
//!
//! Only distinct executions are shown, and the paper counts the others. A fingerprint has 128 bits; the probability
//! that two of a billion executions share one by chance is about 10⁻²¹.

use atropos_event::{Label, Rmw, ThreadId};
use atropos_graph::{Graph, LocId, Slot};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

#[derive(Debug, Default)]
pub(crate) struct Seen {
    fingerprints: HashSet<(u64, u64)>,
    has_rmw: bool,
}

impl Seen {
    /// Records that the program has this label. Without read-modify-writes there is nothing to remember.
    pub(crate) fn meet(&mut self, label: Label) {
        self.has_rmw |= matches!(label, Label::Read { rmw, .. } if rmw != Rmw::None);
    }

    /// Remembers the graph; returns whether it was known before.
    pub(crate) fn is_repeated(&mut self, graph: &Graph, threads: &[ThreadId], tracks_co: bool) -> bool {
        if !self.has_rmw {
            return false;
        }
        let print = |seed: u64| {
            let mut hasher = DefaultHasher::new();
            seed.hash(&mut hasher);
            write(graph, threads, tracks_co, &mut hasher);
            hasher.finish()
        };
        !self.fingerprints.insert((print(1), print(2)))
    }
}

/// The names of threads and locations are those of one run, and only its graphs are compared. Locations that only
/// other graphs write to are left out: how many of them are known is not part of this graph.
fn write(graph: &Graph, threads: &[ThreadId], tracks_co: bool, hasher: &mut DefaultHasher) {
    let id = |slot: Slot| (!slot.is_init()).then(|| graph.event(slot).id);
    for &thread in threads.iter().filter(|&&thread| graph.exists(thread)) {
        thread.hash(hasher);
        for &slot in graph.thread(thread) {
            let event = graph.event(slot);
            event.label.hash(hasher);
            id(event.rf).hash(hasher);
        }
    }
    for index in (0..graph.locations().len()).filter(|_| tracks_co) {
        let co = &graph.location(LocId::new(index)).co;
        if co.len() > 1 {
            index.hash(hasher);
            co.iter().for_each(|&write| id(write).hash(hasher));
        }
    }
}
