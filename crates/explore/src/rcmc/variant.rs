//! RC11 and WRC11, as far as the search has to tell them apart.
//!
//! Both have the same happens-before. RC11 tracks coherence: a new write has several places, and coherence leaves a
//! read the writes from a floor upwards. WRC11 derives it [RCMC §5].

use atropos_graph::{Clock, Graph, LocId, Slot};
use atropos_model::psc::Psc;
use atropos_model::{Wrc11, closure, coherence};

pub trait Variant: Default {
    /// Whether the lists of writes are coherence orders.
    const TRACKS_CO: bool;

    /// The writes of `loc` that an event which happens after `hb` may read from.
    fn sources(&mut self, graph: &Graph, loc: LocId, hb: Option<&Clock>, sources: &mut Vec<Slot>);

    /// Does the graph, which is consistent otherwise, satisfy the `sc` axiom?
    fn accepts(&mut self, graph: &Graph) -> bool;

    /// Can the write of `access` (of a read, its source) be the last one of its location?
    fn is_final(graph: &Graph, access: Slot) -> bool;
}

/// RC11.
#[derive(Debug, Default)]
pub struct Strong {
    psc: Psc,
}

impl Variant for Strong {
    const TRACKS_CO: bool = true;

    fn sources(&mut self, graph: &Graph, loc: LocId, hb: Option<&Clock>, sources: &mut Vec<Slot>) {
        let floor = hb.map_or(0, |hb| coherence::floor(graph, loc, hb));
        sources.extend_from_slice(&graph.location(loc).co[floor..]);
    }

    fn accepts(&mut self, graph: &Graph) -> bool {
        self.psc.holds(graph)
    }

    fn is_final(graph: &Graph, access: Slot) -> bool {
        closure::co_next(graph, access).is_none()
    }
}

/// WRC11.
#[derive(Debug, Default)]
pub struct Weak {
    model: Wrc11,
}

impl Variant for Weak {
    const TRACKS_CO: bool = false;

    fn sources(&mut self, graph: &Graph, loc: LocId, hb: Option<&Clock>, sources: &mut Vec<Slot>) {
        self.model.sources(graph, loc, hb, sources);
    }

    fn accepts(&mut self, graph: &Graph) -> bool {
        self.model.accepts(graph)
    }

    fn is_final(graph: &Graph, access: Slot) -> bool {
        Wrc11::is_final(graph, access)
    }
}
