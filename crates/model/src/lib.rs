//! Memory models over execution graphs. A model knows no explorer and no program.
//!
//! Each model exists twice: as `models/NAME.cat`, which is the specification, and as a file of this crate, which
//! decides the same question incrementally. The header of each file shows the axioms.
//!
//! An explorer adds one event at a time to a consistent graph. Every axiom forbids a cycle, and a `po`-last event
//! that reads the `co`-last write (or is placed `co`-last) has no outgoing edge, so such a *maximal* addition is
//! always consistent [TruSt §3.1]. A model decides only about other additions, and only looks for cycles through the
//! new event.

mod access_lists;
mod chains;
pub mod closure;
pub mod coherence;
mod forced;
mod greedy;
mod kept;
mod order_search;
pub mod psc;
mod psc_search;
mod ra;
mod rc11;
mod sc;
mod sra;
mod store_buffer;
mod undecided;

pub use greedy::Buffers;
pub use kept::{Kept, Orders};
pub use ra::Ra;
pub use rc11::{Rc11, ReleaseSequences};
pub use sc::Sc;
pub use sra::Sra;
pub use store_buffer::{Pso, Tso};

use atropos_event::RefusalReason;
use atropos_graph::{Clock, Graph, Slot};

/// What an explorer needs to know of a memory model.
pub trait MemoryModel: Send {
    /// Whether the model keeps its own clocks in the graph.
    const HAS_VIEWS: bool;
    /// Whether coherence by [`MemoryModel::hb`] is one of the axioms, so that [`coherence`] computes windows.
    const IS_COHERENT: bool = true;
    /// Whether maximal additions are known to be consistent, so that the explorer need not ask about them.
    const IS_EXTENSIBLE: bool = true;

    /// When the order of read-modify-writes may be left open whose results no thread uses.
    const COUNTING: Counting = Counting::Never;

    /// Whether coherence orders and `porf`-paths from reads to writes never form a cycle.
    const CO_FOLLOWS_PORF: bool = false;

    /// Computes the model's clocks of the event at `slot`, the last of its thread. It has just been added or has a
    /// new source.
    fn observe(&mut self, graph: &mut Graph, slot: Slot);

    /// The events that happen before `slot`, itself included. They decide coherence and races.
    fn hb<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock;

    /// The events that are over when `slot` happens, itself included. They decide misuse of dynamic memory.
    fn past<'graph>(&self, graph: &'graph Graph, slot: Slot) -> &'graph Clock {
        self.hb(graph, slot)
    }

    /// Whether the graph stays consistent with the event at `added`. It was consistent before, and `added` respects
    /// the windows of [`coherence`]. After a revisit `added` is the read, whose new source was added with it.
    fn accepts(&mut self, graph: &Graph, added: Slot) -> bool;

    /// Whether [`MemoryModel::flagged`] may find something.
    fn has_flags(&self) -> bool {
        false
    }

    /// The flags that an execution raises. The execution is complete or cannot be extended.
    fn flagged(&mut self, _graph: &Graph, _is_complete: bool) -> Vec<Flagged> {
        Vec::new()
    }

    /// Why the model is unfit for exploration, if the last answer has shown it.
    fn complaint(&mut self) -> Option<RefusalReason> {
        None
    }
}

/// When read-modify-writes that nothing else can tell apart need no order: in an execution without their order, there is
/// one in which the model allows them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counting {
    Never,
    /// They synchronise with each other, so what comes after one must not depend on whether it comes after others.
    Synchronised,
    /// The same if their orders, or fences, make them synchronise.
    ByOrder,
    /// Every execution is the run of a machine, which takes them one after the other.
    Always,
}

/// A flag that an execution raises: its name, and the events that show it, if it concerns events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flagged {
    pub name: String,
    pub events: Vec<Slot>,
}

/// A model that can be explored without tracking coherence.
pub trait ReadsFrom: MemoryModel {
    /// Whether some coherence order makes the graph consistent. One did before `added` was added.
    fn realisable(&mut self, graph: &Graph, added: Slot) -> bool;

    /// Whether, in one such order, the writes of all `accesses` (for a read, its source) are the last of their
    /// locations.
    fn may_be_final(&mut self, graph: &Graph, accesses: &[Slot]) -> bool;

    /// A coherence order that makes the kept part of the graph consistent, as a function of that part only (TruSt's
    /// `GetConsCO`), for the locations of `orders`. The kept part is known to be realisable.
    fn coherence(&mut self, graph: &Graph, kept: &Kept<'_>, orders: &mut Orders);
}

/// A write that is not half of a read-modify-write can always be placed last.
pub(crate) fn is_plain_write(graph: &Graph, slot: Slot) -> bool {
    let event = graph.event(slot);
    event.is_write() && !event.exclusive
}
