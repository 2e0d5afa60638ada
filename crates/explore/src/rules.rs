//! What tells the searches apart that stand on an [`Engine`](crate::engine::Engine).

use atropos_graph::{Graph, Slot};
use atropos_model::MemoryModel;

/// Answers are about graphs that the search in question makes under the model `M`.
pub trait Rules<M: MemoryModel> {
    /// Whether the lists of writes are coherence orders.
    const TRACKS_CO: bool;

    /// Whether executions may end before the joins and ends that nobody looks at.
    const MAY_BE_SILENT: bool = true;

    /// Whether a thread that would fail to acquire a mutex moves last: see [`crate::waiting`].
    const DELAYS_WAITERS: bool = true;

    /// Is the graph, which was consistent before, consistent with the event at `added`? Searches that only add what is
    /// consistent say yes.
    fn is_consistent(_model: &mut M, _graph: &Graph, _added: Slot) -> bool {
        true
    }

    /// Can the writes of all `accesses` (of a read, its source) be the last of their locations?
    fn is_final(model: &mut M, graph: &Graph, accesses: &[Slot]) -> bool;

    /// Can what the graph shows happen? Asked before an error is reported. Searches whose graphs are all consistent say
    /// yes.
    fn is_real(_graph: &Graph) -> bool {
        true
    }
}
