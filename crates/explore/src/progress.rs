//! Waiting threads in an execution in which nothing can move: which of them will never move again.
//!
//! One argument covers every kind of waiting [ALGORITHMS §A]. Let `S` be the threads that have not ended. Suppose that
//! each thread of `S` either waits for values (a spin loop, a lock, a condition variable, a barrier, a semaphore) or
//! wants to join a thread of `S`, and that every value waited for is the final one of its location. Then no thread of
//! `S` can be the first to move: a value changes only if a thread of `S` writes, and a thread of `S` ends only if it
//! moves. So `S` waits forever. If `S` has a thread of another kind (a failed `assume`, a loop at its bound, a call of
//! `exit`), the execution was cut short and nothing is concluded.

use crate::{Ending, Report};
use atropos_event::{
    Awaited, BlockReason, Label, Run, Step, ThreadId, Violation, ViolationKind, Wait, WaitReason, mark,
};
use atropos_graph::{Graph, Slot};

/// Threads of which none moves again if all awaited values are final.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// The thread to blame, and for what.
    pub thread: ThreadId,
    kind: ViolationKind,
    /// The threads that wait for values, each with the number of reads by which it waits.
    pub reads: Vec<(ThreadId, u32)>,
    /// All threads that wait.
    threads: Vec<ThreadId>,
}

/// Waiting threads, and the accesses by which they wait.
#[derive(Clone, Debug)]
pub struct Stuck {
    pub waiting: Waiting,
    /// If all these writes, and the sources of all these reads, are the last writes of their locations, no thread
    /// will ever continue.
    pub awaited: Vec<Slot>,
}

/// How an execution in which nothing can move has ended.
#[derive(Clone, Copy, Debug)]
pub struct Closing {
    pub ending: Ending,
    /// A loop bound has blocked a thread.
    pub is_bounded: bool,
}

impl Closing {
    pub const COMPLETE: Closing = Closing { ending: Ending::Complete, is_bounded: false };

    /// From the next steps of the threads that have not ended.
    pub fn of(unfinished: impl Iterator<Item = Step>) -> Closing {
        let (mut exits, mut is_open, mut is_blocked, mut is_bounded) = (false, false, false, false);
        for step in unfinished {
            is_open = true;
            match step {
                Step::Blocked(BlockReason::Exit) => exits = true,
                Step::Do(Label::Join { .. }) => {}
                step => {
                    is_blocked = true;
                    is_bounded |= step == Step::Blocked(BlockReason::Bound);
                }
            }
        }
        let is_complete = !is_open || (exits && !is_blocked);
        Closing { ending: if is_complete { Ending::Complete } else { Ending::Blocked }, is_bounded }
    }
}

/// What the `unfinished` threads of an execution wait for, if nothing can move; `None` if there are none, if the
/// program has ended, or if the execution was cut short.
pub fn waiting(run: &mut dyn Run, unfinished: impl Iterator<Item = ThreadId>) -> Option<Waiting> {
    if run.has_exited() {
        return None;
    }
    let (mut reads, mut threads, mut joiner) = (Vec::new(), Vec::new(), None);
    let mut blamed: Option<(ThreadId, ViolationKind)> = None;
    for thread in unfinished {
        threads.push(thread);
        let (n_reads, kind) = match run.pending(thread) {
            Step::Blocked(BlockReason::Spin { reads }) => (reads, ViolationKind::NonTermination),
            Step::Blocked(BlockReason::Lock { reads } | BlockReason::Wait { reads }) => {
                (reads, ViolationKind::Deadlock)
            }
            Step::Do(Label::Join { .. }) => {
                joiner.get_or_insert((thread, ViolationKind::Deadlock));
                continue;
            }
            Step::Do(_)
            | Step::Blocked(
                BlockReason::Assume | BlockReason::Bound | BlockReason::Exit | BlockReason::Retry,
            )
            | Step::Failed
            | Step::Finished
            | Step::Unsupported => return None,
        };
        reads.push((thread, n_reads));
        if blamed.is_none_or(|(_, known)| kind < known) {
            blamed = Some((thread, kind));
        }
    }
    // Blame a thread that waits for a value rather than one that joins it.
    let (thread, kind) = blamed.or(joiner)?;
    Some(Waiting { thread, kind, reads, threads })
}

/// Which of `threads` wait, and for what: see [`waiting`].
pub fn stuck(graph: &Graph, run: &mut dyn Run, threads: &[ThreadId]) -> Option<Stuck> {
    let unfinished = threads.iter().filter(|&&thread| graph.exists(thread) && !graph.has_ended(thread));
    let waiting = waiting(run, unfinished.copied())?;
    let mut awaited = Vec::new();
    for &(thread, n_reads) in &waiting.reads {
        awaited.extend(last_reads(graph, thread, n_reads));
    }
    let awaited = awaited.iter().map(|&read| last_of_chain(graph, read, &awaited)).collect();
    Some(Stuck { waiting, awaited })
}

/// The last `n_reads` reads of `thread`, without those that it has undone.
fn last_reads(graph: &Graph, thread: ThreadId, n_reads: u32) -> impl Iterator<Item = Slot> {
    let slots = graph.thread(thread).iter().rev().copied();
    let reads = slots.filter(|&slot| graph.event(slot).is_read() && !graph.event(slot).label.is_merge());
    reads.take(n_reads as usize).filter(|&read| !is_undone(graph, read))
}

/// Whether the thread of `read` later writes to the same location. In an idle iteration it then either waits by that
/// later access, or it has taken the guard of an atomic section here and released it.
fn is_undone(graph: &Graph, read: Slot) -> bool {
    let event = graph.event(read);
    let own = 1 + usize::from(event.exclusive);
    let later = graph.thread(event.id.thread()).iter().skip(event.id.index() + own);
    later.into_iter().any(|&slot| graph.event(slot).is_write() && graph.event(slot).loc == event.loc)
}

/// The last write of the value that `read` has seen: its source, or a read-modify-write of a spinning thread, which
/// writes back what it reads.
fn last_of_chain(graph: &Graph, read: Slot, awaited: &[Slot]) -> Slot {
    let (loc, mut source) = (graph.event(read).loc, graph.event(read).rf);
    let mut last = read;
    let follows = |read: Slot, source: Slot| {
        let event = graph.event(read);
        event.exclusive && event.loc == loc && event.rf == source
    };
    while let Some(&next) = awaited.iter().find(|&&read| follows(read, source)) {
        let id = graph.event(next).id;
        mark!("progress: a chain of idle updates");
        source = graph.thread(id.thread())[id.index() + 1];
        last = source;
    }
    last
}

impl Waiting {
    /// The violation if the wait never ends.
    pub fn report(&self, graph: &Graph, run: &mut dyn Run) -> Report {
        let waits = self.threads.iter().filter_map(|&thread| wait(graph, run, thread)).collect();
        let violation = match self.kind {
            ViolationKind::Deadlock => Violation::Deadlock { waits },
            _ => Violation::NonTermination { waits },
        };
        Report { violation, thread: self.thread, events: Vec::new() }
    }
}

/// What `thread` waits for.
fn wait(graph: &Graph, run: &mut dyn Run, thread: ThreadId) -> Option<Wait> {
    let (reason, n_reads) = match run.pending(thread) {
        Step::Blocked(BlockReason::Spin { reads }) => (WaitReason::Spin, reads),
        Step::Blocked(BlockReason::Lock { reads }) => (WaitReason::Lock, reads),
        Step::Blocked(BlockReason::Wait { reads }) => (WaitReason::Wait, reads),
        Step::Do(Label::Join { child }) => {
            return Some(Wait { thread: run.key(thread), awaited: Awaited::End(run.key(child)) });
        }
        _ => return None,
    };
    let reads = last_reads(graph, thread, n_reads);
    let mut bytes: Vec<_> = reads.filter_map(|read| graph.event(read).label.bytes()).collect();
    bytes.sort_unstable();
    bytes.dedup();
    let calls = run.library_calls(thread);
    Some(Wait { thread: run.key(thread), awaited: Awaited::Values { reason, bytes, calls } })
}
