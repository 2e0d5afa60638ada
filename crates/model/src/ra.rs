//! Release-acquire [Tracer Def. 3.1]: every read acquires, every write releases.
//!
//! ```text
//! let hb = (po | rf | sync)+
//! irreflexive hb ; eco? as coherence
//! empty rmw & (fr ; co) as atomicity
//! ```
//!
//! The windows of [`crate::coherence`] with `hb` = `porf` decide coherence; nothing else needs checking. Without
//! `co`, [`crate::chains`] decides.

use crate::chains::Chains;
use crate::{Counting, Kept, MemoryModel, Orders, ReadsFrom, is_plain_write};
use atropos_graph::{Clock, Graph, Slot};

#[derive(Clone, Debug, Default)]
pub struct Ra {
    chains: Chains,
}

impl MemoryModel for Ra {
    const HAS_VIEWS: bool = false;
    const COUNTING: Counting = Counting::Synchronised;

    fn observe(&mut self, _graph: &mut Graph, _slot: Slot) {}

    fn hb<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock {
        graph.porf(slot)
    }

    fn accepts(&mut self, _graph: &Graph, _added: Slot) -> bool {
        true
    }
}

impl ReadsFrom for Ra {
    fn realisable(&mut self, graph: &Graph, added: Slot) -> bool {
        is_plain_write(graph, added) || self.chains.admit(graph, added, |slot| graph.porf(slot))
    }

    fn may_be_final(&mut self, graph: &Graph, accesses: &[Slot]) -> bool {
        self.chains.may_all_be_last(graph, accesses, |slot| graph.porf(slot))
    }

    fn coherence(&mut self, graph: &Graph, kept: &Kept<'_>, orders: &mut Orders) {
        self.chains.orders(graph, kept, |slot| graph.porf(slot), orders);
    }
}
