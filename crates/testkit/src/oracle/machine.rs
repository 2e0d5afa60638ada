//! Machines with store buffers, run in every possible way [ALGORITHMS §F.1].
//!
//! A store goes to a buffer and later from there to memory; the order in which the stores to one location reach
//! memory is its coherence order. So the buffers need no representation of their own: a write is buffered while it
//! has no place in coherence order. A load takes the newest buffered store of its own thread, else the value in
//! memory. A store to a part of a cell merges with the rest when it leaves its buffer, and a load of some of the rest
//! waits for that.
//!
//! | machine | buffers | a store may leave its buffer when |
//! |---|---|---|
//! | SC | none | |
//! | TSO | one per thread | it is the oldest of its thread |
//! | PSO | one per thread and location | it is the oldest of its thread and location, and no store barrier keeps it, nor a store that merges |
//!
//! Barriers wait until the thread's buffers are empty, then act on memory directly. At the end of an execution all
//! buffers are empty.

use super::axiomatic::Enumeration;
use super::candidate::Candidate;
use super::structure::{StoreBarrier, barrier, merging};
use super::walk::{Pending, Refused, Semantics, WalkMove, walk};
use atropos_event::{Access, EventId, Initial, Label, Mapping, Program, Rmw, Step, ThreadId, ViolationKind};

/// How stores are buffered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MachineKind {
    Sc,
    Tso,
    Pso,
}

/// All executions of `program` on `machine`; visits at most `limit` states.
pub fn run_machine(
    program: &dyn Program,
    machine: MachineKind,
    mapping: Mapping,
    limit: usize,
) -> Result<Enumeration, Refused> {
    let initial = |label: Label| match label.access().map(|access| program.initial(access)) {
        Some(Initial::Value(value)) => value,
        Some(Initial::Uninitialised) | None => 0,
    };
    loop {
        let mut buffered = BufferedMachine { machine, mapping, initial, found: Enumeration::default() };
        match walk(program, &mut buffered, limit) {
            Err(Refused::Learned) => {}
            ended => return ended.map(|()| buffered.found),
        }
    }
}

struct BufferedMachine<I> {
    machine: MachineKind,
    mapping: Mapping,
    /// The initial value of a label's location.
    initial: I,
    found: Enumeration,
}

impl<I: Fn(Label) -> u64> Semantics for BufferedMachine<I> {
    fn moves(&mut self, candidate: &Candidate, pending: &Pending) -> Vec<WalkMove> {
        let steps = pending.iter().filter_map(|&(thread, step)| match step {
            Step::Do(label) => self.step(candidate, thread, label),
            Step::Finished | Step::Blocked(_) | Step::Failed | Step::Unsupported => None,
        });
        let writes = candidate.threads.keys().flat_map(|&thread| buffered(candidate, thread));
        let flushes = writes.filter(|&write| self.may_flush(candidate, write)).map(|write| {
            let mut next = candidate.clone();
            self.flush(&mut next, write);
            WalkMove { next, resume: None, is_forced: false }
        });
        steps.chain(flushes).collect()
    }

    fn keep(&mut self, _candidate: &Candidate) -> Result<bool, Refused> {
        Ok(true)
    }

    fn meets_again(&self) -> bool {
        true
    }

    fn finish(&mut self, candidate: &Candidate, failures: &[ViolationKind]) -> Result<(), Refused> {
        let canonical = candidate.canonical();
        self.found.failed.extend(failures.iter().map(|&kind| (canonical.clone(), kind)));
        let is_complete = canonical.is_complete();
        let set = if is_complete { &mut self.found.complete } else { &mut self.found.blocked };
        set.insert(canonical);
        Ok(())
    }
}

impl<I: Fn(Label) -> u64> BufferedMachine<I> {
    /// The result of `thread` performing `label` now; `None` if it has to wait.
    fn step(&self, candidate: &Candidate, thread: ThreadId, label: Label) -> Option<WalkMove> {
        let merging = match label {
            Label::Read { rmw: Rmw::Merge { write_order, .. }, .. } => Some(write_order),
            _ => None,
        };
        let is_barrier = barrier(label, merging, self.mapping) == Some(StoreBarrier::Full);
        if is_barrier && buffered(candidate, thread).next().is_some() {
            return None;
        }
        let mut next = candidate.clone();
        let mut answer = 0;
        match label {
            Label::Read { .. } if merging.is_some() => {
                let write = next.push_read(thread, label, None, 0).expect("a merging store always writes");
                let write = next.push_write(thread, write);
                if is_barrier || self.machine == MachineKind::Sc {
                    self.flush(&mut next, write);
                }
            }
            Label::Read { access, .. } => {
                let is_same = |write: &EventId| {
                    let other = candidate.event(*write).label.access();
                    other.is_some_and(|other| other.cell() == access.cell())
                };
                let own = buffered(candidate, thread).filter(is_same).last();
                let asked = label.bytes();
                let covers = |own: EventId| {
                    let written = candidate.event(own).label.bytes();
                    matches!((written, asked), (Some(written), Some(asked)) if written.contains(asked))
                };
                if own.is_some_and(|own| !covers(own)) {
                    return None;
                }
                let source = own.or(candidate.writes(access).last().copied());
                answer = source.map_or((self.initial)(label), |write| candidate.event(write).value);
                if let Some(write) = next.push_read(thread, label, source, answer) {
                    let write = next.push_write(thread, write);
                    self.flush(&mut next, write);
                }
            }
            Label::Write { .. } => {
                let write = next.push_write(thread, label);
                if is_barrier || self.machine == MachineKind::Sc {
                    self.flush(&mut next, write);
                }
            }
            Label::Join { child } if !candidate.has_ended(child) => return None,
            Label::Join { .. }
            | Label::Begin
            | Label::End
            | Label::Fence { .. }
            | Label::Spawn { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => next.push(thread, label),
        }
        Some(WalkMove { next, resume: Some((thread, answer)), is_forced: false })
    }

    /// Whether a buffered write may go to memory now.
    fn may_flush(&self, candidate: &Candidate, write: EventId) -> bool {
        let cell = |id: EventId| candidate.event(id).label.access().map(Access::cell);
        let older = buffered(candidate, write.thread()).take_while(|&older| older != write);
        older.into_iter().all(|older| match self.machine {
            MachineKind::Sc | MachineKind::Tso => false,
            MachineKind::Pso => {
                let mut between =
                    (older.index()..=write.index()).map(|index| EventId::new(write.thread(), index));
                let is_other = cell(older) != cell(write);
                is_other && !between.any(|id| self.keeps_apart(candidate, id, write))
            }
        })
    }

    /// Whether the event `id`, between an older write and `write`, keeps their order. A store barrier fence does, a
    /// release store waits for what is before it, and no store passes a merging one.
    fn keeps_apart(&self, candidate: &Candidate, id: EventId, write: EventId) -> bool {
        let (label, merging) = (candidate.event(id).label, merging(candidate, id));
        let is_barrier = barrier(label, merging, self.mapping) == Some(StoreBarrier::Stores);
        let is_merging = merging.is_some() && label.is_write();
        if id == write { is_barrier } else { is_merging || (is_barrier && label.access().is_none()) }
    }

    /// Puts the write into memory.
    fn flush(&self, candidate: &mut Candidate, write: EventId) {
        let label = candidate.event(write).label;
        let access = label.access().expect("a write accesses memory");
        let last = candidate.writes(access).last().copied();
        if merging(candidate, write).is_some() {
            let value = last.map_or((self.initial)(label), |write| candidate.event(write).value);
            candidate.merge(write, last, value);
        }
        let n_writes = candidate.writes(access).len();
        candidate.place(write, n_writes);
    }
}

/// The writes of `thread` that are not in memory yet, oldest first.
fn buffered(candidate: &Candidate, thread: ThreadId) -> impl Iterator<Item = EventId> {
    let ids = (0..candidate.threads[&thread].events.len()).map(move |index| EventId::new(thread, index));
    ids.filter(|&id| match candidate.event(id).label {
        Label::Write { access, .. } => !candidate.writes(access).contains(&id),
        _ => false,
    })
}
