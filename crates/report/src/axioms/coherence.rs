//! Coherence and atomicity.
//!
//! All accesses to a location have a *rank*: a write twice its position in coherence, a read one more than its
//! source. Two accesses are related by `eco` iff the first has the smaller rank. So `hb ; eco` is irreflexive iff no
//! access happens after one of a greater rank.

use super::clocks::AxiomClocks;
use super::digraph::Digraph;
use super::{add_co, add_fr};
use atropos_graph::{Graph, Location, Slot};

/// The accesses of one thread to one location, in program order: index in the thread, slot, and the greatest rank so far.
pub type Accesses = Vec<(u32, Slot, u32)>;

/// The accesses of each thread to a location.
pub fn by_thread(graph: &Graph, location: &Location, of_threads: &mut [Accesses]) {
    of_threads.iter_mut().for_each(Vec::clear);
    for &slot in location.co[1..].iter().chain(&location.reads) {
        let id = graph.event(slot).id;
        of_threads[id.thread().index()].push((id.index() as u32, slot, rank(graph, slot)));
    }
    for accesses in of_threads {
        accesses.sort_unstable();
        let mut greatest = 0;
        for (_, _, rank) in accesses {
            greatest = greatest.max(*rank);
            *rank = greatest;
        }
    }
}

fn rank(graph: &Graph, slot: Slot) -> u32 {
    let event = graph.event(slot);
    let position = |write: Slot| 2 * graph.co_position(write) as u32;
    if event.is_write() { position(slot) } else { position(event.rf) + 1 }
}

/// The last of a thread's accesses with a smaller index.
pub(crate) fn last_before(accesses: &Accesses, bound: u32) -> Option<&(u32, Slot, u32)> {
    accesses[..accesses.partition_point(|&(index, ..)| index < bound)].last()
}

/// `irreflexive hb ; eco?`.
pub fn is_coherent(graph: &Graph, clocks: &AxiomClocks) -> bool {
    let mut of_threads: Vec<Accesses> = vec![Vec::new(); graph.n_threads()];
    graph.locations().iter().all(|location| {
        if location.co.len() == 1 {
            return true;
        }
        by_thread(graph, location, &mut of_threads);
        location.co[1..].iter().chain(&location.reads).all(|&slot| {
            let (own, rank) = (graph.event(slot).id, rank(graph, slot));
            of_threads.iter().enumerate().all(|(thread, accesses)| {
                let known = clocks.of_event(slot)[thread];
                let bound = if thread == own.thread().index() { own.index() as u32 } else { known };
                last_before(accesses, bound).is_none_or(|&(_, _, greatest)| greatest <= rank)
            })
        })
    })
}

/// `acyclic po-loc | rf | co | fr`.
pub(crate) fn is_coherent_by_location(graph: &Graph) -> bool {
    let mut edges = Digraph::new(graph.len());
    add_co(graph, &mut edges);
    add_fr(graph, &mut edges);
    for (index, event) in graph.events().iter().enumerate() {
        if event.is_read() && !event.rf.is_init() {
            edges.add(event.rf.index(), index);
        }
    }
    let mut of_threads: Vec<Accesses> = vec![Vec::new(); graph.n_threads()];
    for location in graph.locations() {
        by_thread(graph, location, &mut of_threads);
        for accesses in &of_threads {
            for pair in accesses.windows(2) {
                edges.add(pair[0].1.index(), pair[1].1.index());
            }
        }
    }
    edges.is_acyclic()
}

/// No write comes between a read-modify-write and its source.
pub fn is_atomic(graph: &Graph) -> bool {
    graph.events().iter().enumerate().all(|(index, event)| {
        if !event.is_write() || !event.exclusive {
            return true;
        }
        let read = graph.po_before(Slot::new(index));
        read.is_none_or(|read| event.co as usize <= graph.co_position(graph.event(read).rf) + 1)
    })
}
