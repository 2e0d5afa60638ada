//! A guilty execution, copied out of an exploration.

use atropos_event::{EventId, Run, ThreadId, ThreadKey};
use atropos_graph::{Graph, Slot};

/// All that is needed to show an execution again and to check it independently: it shares nothing with the
/// exploration.
#[derive(Clone, Debug)]
pub struct Witness {
    pub graph: Graph,
    /// Whether the graph's coherence order is meaningful.
    pub tracks_co: bool,
    /// The canonical name of each thread that has an event or was created.
    keys: Vec<ThreadKey>,
    /// The thread that goes wrong, if one does.
    pub thread: Option<ThreadId>,
    /// The events that show it.
    pub guilty: Vec<EventId>,
}

impl Witness {
    /// Copies the execution `graph` of `run`.
    pub fn new(graph: &Graph, run: &dyn Run, tracks_co: bool) -> Self {
        let key = |index| {
            let thread = ThreadId::new(index);
            if graph.exists(thread) { run.key(thread) } else { ThreadKey::MAIN }
        };
        let keys = (0..graph.n_threads()).map(key).collect();
        Witness { graph: graph.clone(), tracks_co, keys, thread: None, guilty: Vec::new() }
    }

    /// The same execution with `thread` and the events at `guilty` to blame.
    pub fn blaming(mut self, thread: ThreadId, guilty: &[Slot]) -> Self {
        self.thread = Some(thread);
        self.guilty = guilty.iter().map(|&slot| self.graph.event(slot).id).collect();
        self
    }

    pub fn key(&self, thread: ThreadId) -> ThreadKey {
        self.keys[thread.index()]
    }

    /// The rank of a thread among all threads of the execution, in the order of their canonical names.
    pub fn rank(&self, thread: ThreadKey) -> usize {
        let threads = (0..self.keys.len()).filter(|&index| self.graph.exists(ThreadId::new(index)));
        threads.filter(|&index| self.keys[index] < thread).count()
    }
}
