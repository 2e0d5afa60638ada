//! Memory models over execution graphs. A model knows no explorer and no program.
//!
//! Each model exists twice: as `models/NAME.cat`, which is the specification, and as a file of this
//! crate, which answers the same question incrementally. The header of each file shows the axioms.
//!
//! An explorer adds one event at a time to a consistent graph. Because every axiom forbids a cycle, and a
//! `po`-last event that reads the `co`-last write (or is placed `co`-last) has no outgoing edge, such a
//! *maximal* addition is always consistent [TruSt §3.1]; a model is asked only about the others, and has
//! to look for cycles through the new event only.

pub mod barrier;
pub mod chains;
pub mod closure;
pub mod coherence;
pub mod custom;
mod forced;
mod greedy;
pub mod kept;
pub mod order_search;
pub mod psc;
pub mod psc_search;
pub mod ra;
pub mod rc11;
pub mod robustness;
pub mod sc;
pub mod sra;
pub mod store_buffer;
pub mod structure;
mod undecided;
pub mod wrc11;

pub use custom::Custom;
pub use kept::{Kept, Orders};
pub use ra::Ra;
pub use rc11::{Rc11, ReleaseSequences};
pub use sc::Sc;
pub use sra::Sra;
pub use store_buffer::{Pso, Tso};
pub use wrc11::Wrc11;

use atropos_graph::{Clock, Graph, Slot};

/// What an explorer needs to know of a memory model.
pub trait MemoryModel: Send {
    /// Whether the model keeps its own clocks in the graph.
    const HAS_VIEWS: bool;
    /// Whether coherence by [`MemoryModel::hb`] is one of the axioms, so that [`coherence`] computes windows.
    const IS_COHERENT: bool = true;
    /// Whether maximal additions are known to be consistent, so that nothing asks about them.
    const IS_EXTENSIBLE: bool = true;

    /// Computes the model's clocks of the event at `slot`, which has just been added or given a new
    /// source and is the last of its thread.
    fn observe(&mut self, graph: &mut Graph, slot: Slot);

    /// The events that happen before `slot`, itself included. Coherence and races are judged by it.
    fn hb<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock;

    /// The events that are over when `slot` happens, itself included. The use of dynamic memory is judged by it.
    fn past<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock {
        self.hb(graph, slot)
    }

    /// Does the graph stay consistent with the event at `added`? It was consistent before, and `added`
    /// respects the windows of [`coherence`]. After a revisit `added` is the read, whose new source was
    /// added with it.
    fn accepts(&mut self, graph: &Graph, added: Slot) -> bool;

    /// Whether [`MemoryModel::flagged`] may find something.
    fn has_flags(&self) -> bool {
        false
    }

    /// The flags that an execution raises, which is complete or goes no further.
    fn flagged(&mut self, _graph: &Graph, _is_complete: bool) -> Vec<Flagged> {
        Vec::new()
    }

    /// What makes the model unfit for exploration, if the last answer has shown it.
    fn complaint(&mut self) -> Option<String> {
        None
    }
}

/// A flag that an execution raises: its name, and the events that show it, as far as it is about events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flagged {
    pub name: String,
    pub events: Vec<Slot>,
}

/// A model that can be explored where coherence is not tracked.
pub trait ReadsFrom: MemoryModel {
    /// Is there a coherence order that makes the graph consistent, as it was before `added` came?
    fn realisable(&mut self, graph: &Graph, added: Slot) -> bool;

    /// Is there one in which the writes of all `accesses` (of a read, its source) are the last of their locations?
    fn may_be_final(&mut self, graph: &Graph, accesses: &[Slot]) -> bool;

    /// A coherence order that makes the kept part of the graph consistent, as a function of that part
    /// only (TruSt's `GetConsCO`); only the locations of `orders` are asked for. The kept part is known
    /// to be realisable.
    fn coherence(&mut self, graph: &Graph, kept: &Kept<'_>, orders: &mut Orders);
}

/// A write that is not half of a read-modify-write can always be placed last.
pub(crate) fn is_plain_write(graph: &Graph, slot: Slot) -> bool {
    let event = graph.event(slot);
    event.is_write() && !event.exclusive
}
