//! RC11 and WRC11, as far as they differ for the search.
//!
//! Both have the same happens-before. RC11 tracks coherence: a new write has several places, and coherence leaves a
//! read the writes from a floor upwards. WRC11 derives it [RCMC §5].

use super::wrc11::Wrc11;
use crate::rules::Rules;
use atropos_graph::{Clock, Graph, LocId, Slot};
use atropos_model::psc::Psc;
use atropos_model::{Rc11, closure, coherence};

pub trait Variant: Rules<Rc11> + Default + Send + Sync {
    /// The writes of `loc` that an event which happens after `hb` may read from.
    fn sources(&mut self, graph: &Graph, loc: LocId, hb: Option<&Clock>, sources: &mut Vec<Slot>);

    /// Whether the graph, which is otherwise consistent, satisfies the `sc` axiom.
    fn accepts(&mut self, graph: &Graph) -> bool;
}

/// RC11.
#[derive(Debug, Default)]
pub struct Strong {
    psc: Psc,
}

impl Rules<Rc11> for Strong {
    const TRACKS_CO: bool = true;
    // An execution that is visited again must be recognised.
    const MAY_BE_SILENT: bool = false;

    fn is_final(_model: &mut Rc11, graph: &Graph, accesses: &[Slot]) -> bool {
        accesses.iter().all(|&access| closure::co_next(graph, access).is_none())
    }

    fn is_real(graph: &Graph) -> bool {
        Strong::default().accepts(graph)
    }
}

impl Variant for Strong {
    fn sources(&mut self, graph: &Graph, loc: LocId, hb: Option<&Clock>, sources: &mut Vec<Slot>) {
        let floor = hb.map_or(0, |hb| coherence::floor(graph, loc, hb));
        sources.extend_from_slice(&graph.location(loc).co[floor..]);
    }

    fn accepts(&mut self, graph: &Graph) -> bool {
        self.psc.holds(graph)
    }
}

/// WRC11.
#[derive(Debug, Default)]
pub struct Weak {
    model: Wrc11,
}

impl Rules<Rc11> for Weak {
    const TRACKS_CO: bool = false;
    const MAY_BE_SILENT: bool = false;

    fn is_final(_model: &mut Rc11, graph: &Graph, accesses: &[Slot]) -> bool {
        accesses.iter().all(|&access| Wrc11::is_final(graph, access))
    }

    fn is_real(graph: &Graph) -> bool {
        Weak::default().accepts(graph)
    }
}

impl Variant for Weak {
    fn sources(&mut self, graph: &Graph, loc: LocId, hb: Option<&Clock>, sources: &mut Vec<Slot>) {
        self.model.sources(graph, loc, hb, sources);
    }

    fn accepts(&mut self, graph: &Graph) -> bool {
        self.model.accepts(graph)
    }
}
