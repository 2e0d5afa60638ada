//! WRC11 [RCMC §5], RC11 without an order between racing writes.
//!
//! ```text
//! let co = [W] ; (hb & loc | rf)+ ; [W]
//! ```
//!
//! and all axioms of RC11 with that `co`, which is derived from the graph and not an input. A new event has no
//! successor, so it adds `co` edges only into itself if it is a write, and none if it is a read. Coherence is
//! preserved, and only the sources of a new read have to be filtered. The `sc` axiom needs a whole graph; the cat
//! file decides it, if there are SC events at all.

use atropos_cat::Model;
use atropos_cat::bridge::structure;
use atropos_event::Mapping;
use atropos_graph::{Clock, Graph, LocId, Slot, clock};
use atropos_model::closure::write_of;
use atropos_model::psc;
use std::sync::LazyLock;

#[derive(Debug)]
pub(crate) struct Wrc11 {
    specification: &'static Model,
    /// Per write of a location: whether it was found to be before a known one. And those whose predecessors have not
    /// been visited yet.
    earlier: Vec<bool>,
    todo: Vec<Slot>,
}

/// Read once: searches of small programs take less time than that.
static SPECIFICATION: LazyLock<Model> =
    LazyLock::new(|| Model::builtin("wrc11").expect("the specification is built in"));

impl Default for Wrc11 {
    fn default() -> Self {
        Wrc11 { specification: &SPECIFICATION, earlier: Vec::new(), todo: Vec::new() }
    }
}

impl Wrc11 {
    /// The writes of `loc` that an event which happens after `hb` may read from: those that are not `co`-before a
    /// write that happens before it or is read by a read that does.
    pub fn sources(&mut self, graph: &Graph, loc: LocId, hb: Option<&Clock>, sources: &mut Vec<Slot>) {
        let Some(hb) = hb else { return sources.extend_from_slice(&graph.location(loc).co) };
        // What comes before a write that happens after all before it, in turn, is among those before it.
        let writes = &graph.location(loc).co;
        let start = graph.n_known(writes, hb).saturating_sub(1);
        self.earlier.clear();
        self.earlier.resize(writes.len(), false);
        self.todo.clear();
        known(graph, loc, start, hb, |write| self.todo.push(write));
        while let Some(write) = self.todo.pop() {
            let Wrc11 { earlier, todo, .. } = self;
            before(graph, loc, start, write, |other| {
                let is_new = !std::mem::replace(&mut earlier[graph.co_position(other)], true);
                if is_new && graph.co_position(other) >= start {
                    todo.push(other);
                }
            });
        }
        let readable = writes[start..].iter().copied();
        sources.extend(readable.filter(|&write| !self.earlier[graph.co_position(write)]));
    }

    /// Whether no write of the location is `co`-after the write of `access`. What comes after the source of a
    /// read-modify-write also comes after its write.
    pub fn is_final(graph: &Graph, access: Slot) -> bool {
        let loc = graph.event(access).loc;
        let mut chain = vec![write_of(graph, access)];
        while let Some(&write) = chain.last()
            && !write.is_init()
            && graph.event(write).exclusive
        {
            let id = graph.event(write).id;
            let read = graph.thread(id.thread())[id.index() - 1];
            chain.push(graph.event(read).rf);
        }
        let others = graph.location(loc).co.iter().copied().filter(|write| !chain.contains(write));
        others.into_iter().all(|other| {
            let mut is_before = false;
            before(graph, loc, 0, other, |write| is_before |= chain.contains(&write));
            !is_before
        })
    }

    /// Whether a graph built from coherent sources satisfies the `sc` axiom.
    pub fn accepts(&self, graph: &Graph) -> bool {
        psc::has_few(graph)
            || self
                .specification
                .is_consistent(&structure(graph, Mapping::Compiled))
                .expect("the specification speaks of what a structure has")
    }
}

/// The writes of `loc` from place `start` of its list on that happen before, or that are read by reads that do.
fn known(graph: &Graph, loc: LocId, start: usize, hb: &Clock, mut found: impl FnMut(Slot)) {
    let location = graph.location(loc);
    let mut is_missing = false;
    for &write in location.co[start..].iter().filter(|write| !write.is_init()) {
        match clock::contains(hb, graph.event(write).id) {
            true => found(write),
            false => is_missing = true,
        }
    }
    if !is_missing {
        return;
    }
    // Reads come after their sources.
    let first = location.co[start];
    let n_earlier = location.reads.partition_point(|&read| !first.is_init() && read < first);
    for &read in &location.reads[n_earlier..] {
        let event = graph.event(read);
        if clock::contains(hb, event.id) {
            found(event.rf);
        }
    }
}

/// The writes from place `start` of the list on from which one step of `hb & loc`, or of `rf` and `hb`, leads to
/// `write`; and the initial one.
fn before(graph: &Graph, loc: LocId, start: usize, write: Slot, mut found: impl FnMut(Slot)) {
    if write.is_init() {
        return;
    }
    found(Slot::INIT);
    known(graph, loc, start, graph.hb(write), |other| {
        if other != write {
            found(other);
        }
    });
}
