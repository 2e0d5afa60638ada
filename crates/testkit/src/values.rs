//! Executions up to the values of reads [RVF-SMC §3]: histories and classes.

use atropos_event::{Label, ThreadKey, Value};
use atropos_graph::Canonical;

/// What every thread did and saw, without the sources of reads.
pub type ValueHistory = Vec<(ThreadKey, Vec<(Label, Value)>)>;

/// A history, and which reads are causally before which.
pub type ValueClass = (ValueHistory, Vec<(usize, usize)>);

pub fn history(execution: &Canonical) -> ValueHistory {
    let of_thread = |thread: &atropos_graph::CanonicalThread| {
        (thread.key, thread.events.iter().map(|event| (event.label, event.value)).collect())
    };
    execution.threads.iter().map(of_thread).collect()
}

/// The class of an execution under the reads-value-from equivalence.
///
/// # Panics
/// If an event's source is not in the execution.
pub fn class(execution: &Canonical) -> ValueClass {
    let events: Vec<_> = execution.events().collect();
    let index = |id| events.iter().position(|&(other, _)| other == id).expect("an event of the execution");
    let n = events.len();
    let mut before = vec![vec![false; n]; n];
    for (second, (id, event)) in events.iter().enumerate() {
        if id.index() > 0 {
            before[second - 1][second] = true;
        }
        if let Some(source) = event.source {
            before[index(source)][second] = true;
        }
    }
    for middle in 0..n {
        for first in 0..n {
            if before[first][middle] {
                let beyond = before[middle].clone();
                before[first].iter_mut().zip(beyond).for_each(|(bit, more)| *bit |= more);
            }
        }
    }
    let reads: Vec<_> = (0..n).filter(|&event| events[event].1.label.is_read()).collect();
    let pairs = reads.iter().flat_map(|&first| reads.iter().map(move |&second| (first, second)));
    (history(execution), pairs.filter(|&(first, second)| before[first][second]).collect())
}
