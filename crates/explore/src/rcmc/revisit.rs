//! Which reads a new write may revisit [RCMC §4.4, Algorithm 5].
//!
//! The candidates are the revisitable reads of the location that do not come before the write and would read it
//! coherently. The write may revisit any set of independent ones, an *antichain* of `porf`. At most one of them may
//! become the read of a read-modify-write. If the write belongs to a read-modify-write whose source another one,
//! `must`, has already read, that one must be revisited, or be deleted with what it depends on.

use atropos_event::{EventId, Label, ThreadId, Value};
use atropos_graph::{Graph, LocId, Slot, clock};
use atropos_model::coherence;

/// A read that the write may revisit.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    read: EventId,
    becomes_exclusive: bool,
}

/// The sets of reads that one write revisits, one after the other: first none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Antichains {
    candidates: Vec<Candidate>,
    /// Which candidates depend on each other: a square of flags.
    related: Vec<bool>,
    /// The read that must be revisited, and the candidates it depends on.
    must: Option<(EventId, Vec<bool>)>,
    chosen: Vec<usize>,
}

impl Antichains {
    /// The sets for `write`, the last event of the graph. `is_coherent` says whether a read could read from it.
    pub(crate) fn new(
        graph: &Graph,
        write: Slot,
        revisitable: &[bool],
        is_coherent: impl Fn(Slot) -> bool,
    ) -> Self {
        let event = graph.event(write);
        let must = rival(graph, write);
        let is_candidate = |&read: &Slot| {
            revisitable[read.index()]
                && !graph.is_in(graph.porf(write), read)
                && must.is_none_or(|must| !clock::contains(graph.porf(read), graph.event(must).id))
                && is_coherent(read)
        };
        let reads = &graph.location(event.loc).reads;
        let n_known = graph.n_known(reads, graph.porf(write));
        let reads: Vec<Slot> = reads[n_known..].iter().copied().filter(is_candidate).collect();
        let depends =
            |later: Slot, earlier: Slot| clock::contains(graph.porf(later), graph.event(earlier).id);
        let related = reads
            .iter()
            .flat_map(|&one| reads.iter().map(move |&two| depends(one, two) || depends(two, one)))
            .collect();
        let candidate = |&read: &Slot| Candidate {
            read: graph.event(read).id,
            becomes_exclusive: becomes_exclusive(&graph.event(read).label, event.value),
        };
        let must =
            must.map(|must| (graph.event(must).id, reads.iter().map(|&read| depends(must, read)).collect()));
        Antichains { candidates: reads.iter().map(candidate).collect(), related, must, chosen: Vec::new() }
    }

    /// Advances to the next set; `false` after the last one.
    pub(crate) fn advance(&mut self) -> bool {
        let mut from = self.chosen.last().map_or(0, |&last| last + 1);
        loop {
            if let Some(next) = (from..self.candidates.len()).find(|&next| self.is_compatible(next)) {
                self.chosen.push(next);
                return true;
            }
            let Some(last) = self.chosen.pop() else { return false };
            from = last + 1;
        }
    }

    fn is_compatible(&self, next: usize) -> bool {
        let Antichains { candidates, related, chosen, .. } = self;
        let clash = |&one: &usize| {
            related[one * candidates.len() + next]
                || (candidates[one].becomes_exclusive && candidates[next].becomes_exclusive)
        };
        !chosen.iter().any(clash)
    }

    /// The reads chosen (the paper's `K1`).
    pub(crate) fn chosen(&self) -> impl Iterator<Item = EventId> + '_ {
        self.chosen.iter().map(|&index| self.candidates[index].read)
    }

    /// All reads to be revisited (the paper's `K`).
    pub(crate) fn all(&self) -> Vec<EventId> {
        let must = self.must.iter().filter(|(_, depends)| !self.chosen.iter().any(|&index| depends[index]));
        self.chosen().chain(must.map(|&(read, _)| read)).collect()
    }
}

fn becomes_exclusive(label: &Label, value: Value) -> bool {
    matches!(*label, Label::Read { access, rmw, .. } if rmw.writes_after(access, value))
}

/// The exclusive read, other than that of the exclusive `write`, with the same source (the paper's `Kmust`).
fn rival(graph: &Graph, write: Slot) -> Option<Slot> {
    let event = graph.event(write);
    if !event.exclusive {
        return None;
    }
    let own = graph.po_before(write).expect("an exclusive write follows its read");
    taker(graph, event.loc, graph.event(own).rf, |read| read != own)
}

/// An exclusive read of `source` that satisfies `is_meant`.
pub(crate) fn taker(
    graph: &Graph,
    loc: LocId,
    source: Slot,
    is_meant: impl Fn(Slot) -> bool,
) -> Option<Slot> {
    let is_pending = |&read: &Slot| {
        let event = graph.event(read);
        event.is_read() && event.exclusive && event.loc == loc && event.rf == source
    };
    let last = (0..graph.n_threads()).filter_map(|thread| graph.last_of(ThreadId::new(thread)));
    let takers = coherence::updates_of(graph, loc, source).chain(last.filter(is_pending));
    takers.filter(|&read| is_meant(read)).min()
}
