//! What distinguishes the searches built on an [`Engine`](crate::engine::Engine).

use atropos_graph::{Graph, Slot};
use atropos_model::MemoryModel;

/// The answers concern graphs that the search makes under the model `M`.
pub trait Rules<M: MemoryModel> {
    /// Whether the lists of writes are coherence orders.
    const TRACKS_CO: bool;

    /// Whether executions may end before joins and ends that the observer does not look at.
    const MAY_BE_SILENT: bool = true;

    /// Whether a thread that would fail to acquire a mutex moves last: see [`crate::waiting`].
    const DELAYS_WAITERS: bool = true;

    /// Whether the graph, which was consistent before, is consistent with the event at `added`. Always true for
    /// searches that only add consistent events.
    fn is_consistent(_model: &mut M, _graph: &Graph, _added: Slot) -> bool {
        true
    }

    /// Whether the writes of all `accesses` (for a read, its source) can be the last of their locations.
    fn is_final(model: &mut M, graph: &Graph, accesses: &[Slot]) -> bool;

    /// Whether what the graph shows can happen, before an error is reported. Always true for searches whose graphs
    /// are all consistent.
    fn is_real(_graph: &Graph) -> bool {
        true
    }
}
