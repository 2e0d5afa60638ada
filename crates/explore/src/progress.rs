//! Threads that wait: who they are and what they wait for, in an execution that cannot go on.

use crate::{Ending, Report};
use atropos_event::{BlockReason, Label, Run, Step, ThreadId, Violation, ViolationKind};
use atropos_graph::{Graph, Slot};

/// A thread that may be waiting for ever, and the accesses by which all waiting threads wait.
#[derive(Clone, Debug)]
pub struct Stuck {
    pub thread: ThreadId,
    pub kind: ViolationKind,
    /// If all these writes, and the sources of all these reads, are the last writes of their locations, nobody
    /// will ever go on.
    pub awaited: Vec<Slot>,
}

/// How an execution that cannot go on has ended, by what its threads want that have not.
pub fn ending(unfinished: impl Iterator<Item = Step>) -> Ending {
    let (mut exits, mut is_open, mut is_blocked) = (false, false, false);
    for step in unfinished {
        is_open = true;
        match step {
            Step::Blocked(BlockReason::Exit) => exits = true,
            Step::Do(Label::Join { .. }) => {}
            _ => is_blocked = true,
        }
    }
    if !is_open || (exits && !is_blocked) { Ending::Complete } else { Ending::Blocked }
}

/// Which of `threads` waits; `None` if none does, or if the execution was cut short, so that whoever waits may
/// be waiting for the rest of it.
pub fn stuck<R: Run>(graph: &Graph, run: &mut R, threads: &[ThreadId]) -> Option<Stuck> {
    if run.has_exited() {
        return None;
    }
    let mut stuck: Option<(ThreadId, ViolationKind)> = None;
    let mut awaited = Vec::new();
    for &thread in threads {
        if !graph.exists(thread) || graph.has_ended(thread) {
            continue;
        }
        let (n_reads, kind) = match run.pending(thread) {
            Step::Blocked(BlockReason::Spin { reads }) => (reads, ViolationKind::NonTermination),
            Step::Blocked(BlockReason::Lock { reads } | BlockReason::Wait { reads }) => {
                (reads, ViolationKind::Deadlock)
            }
            // It waits for a child, which is judged by itself.
            Step::Do(_) => continue,
            Step::Blocked(BlockReason::Assume | BlockReason::Bound | BlockReason::Exit) | Step::Failed => {
                return None;
            }
            Step::Finished | Step::Unsupported => continue,
        };
        let slots = graph.thread(thread).iter().rev().copied();
        let reads = slots.filter(|&slot| graph.event(slot).is_read() && !graph.event(slot).label.is_merge());
        awaited.extend(reads.take(n_reads as usize));
        if stuck.is_none_or(|(_, known)| kind < known) {
            stuck = Some((thread, kind));
        }
    }
    let awaited = awaited.iter().map(|&read| last_of_chain(graph, read, &awaited)).collect();
    stuck.map(|(thread, kind)| Stuck { thread, kind, awaited })
}

/// Where the value that `read` has seen is written for the last time: by its source, or by a read-modify-write of
/// a spinning thread, which writes back what it reads. In the second case, that write is given.
pub fn last_of_chain(graph: &Graph, read: Slot, awaited: &[Slot]) -> Slot {
    let (loc, mut source) = (graph.event(read).loc, graph.event(read).rf);
    let mut last = read;
    let follows = |read: Slot, source: Slot| {
        let event = graph.event(read);
        event.exclusive && event.loc == loc && event.rf == source
    };
    while let Some(&next) = awaited.iter().find(|&&read| follows(read, source)) {
        let id = graph.event(next).id;
        source = graph.thread(id.thread())[id.index() + 1];
        last = source;
    }
    last
}

impl Stuck {
    /// What is wrong if the wait never ends.
    pub fn report(&self) -> Report {
        let message = match self.kind {
            ViolationKind::Deadlock => "every thread that has not ended waits for ever".into(),
            _ => "the thread spins for ever: nothing will change what it reads".into(),
        };
        let violation = Violation { kind: self.kind, message };
        Report { violation, thread: self.thread, events: Vec::new() }
    }
}
