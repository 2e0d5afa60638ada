//! The search that both oracles share: all sequences of moves, each candidate once.
//!
//! A [`Semantics`] says which moves a candidate has; the walk performs them on a run of the program, depth
//! first, and enters each candidate once. A candidate without moves is final.

use super::candidate::{Candidate, CandidateKey};
use atropos_event::{Access, Initial, Label, Program, Refusal, Run, Step, ThreadId, Value, ViolationKind};
use atropos_graph::Status;
use rustc_hash::FxHashSet;
use std::fmt;

/// Why the oracle gives no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// There are more candidates than the limit.
    TooLarge { limit: usize },
    /// The program says that it cannot be checked.
    Unsupported(Box<Refusal>),
    /// Two accesses share some of their bytes but not all.
    Overlap(Access, Access),
    /// The same, but the program has learned from it: try again.
    Learned,
    /// The cat model could not be evaluated.
    Model(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::TooLarge { limit } => write!(f, "the program has more than {limit} partial executions"),
            Refused::Unsupported(reason) => write!(f, "unsupported: {reason:?}"),
            Refused::Overlap(one, other) => write!(f, "{one:?} and {other:?} overlap partially"),
            Refused::Learned => write!(f, "the program has learned that accesses overlap"),
            Refused::Model(error) => write!(f, "the model cannot be evaluated: {error}"),
        }
    }
}

impl std::error::Error for Refused {}

/// One move: its result, and which thread it resumes with which value, if any.
pub struct WalkMove {
    pub next: Candidate,
    pub resume: Option<(ThreadId, Value)>,
    /// A forced move, or one that models rarely reject: the walk does not call `keep`.
    pub is_forced: bool,
}

/// The next steps of the threads of a candidate.
pub type Pending = [(ThreadId, Step)];

pub trait Semantics {
    fn moves(&mut self, candidate: &Candidate, pending: &Pending) -> Vec<WalkMove>;

    /// Whether to visit a candidate.
    fn keep(&mut self, candidate: &Candidate) -> Result<bool, Refused>;

    /// Whether several sequences of moves may lead to one candidate.
    fn meets_again(&self) -> bool;

    /// Takes a final candidate, in which the threads' statuses are set, and how its failed threads failed.
    fn finish(&mut self, candidate: &Candidate, failures: &[ViolationKind]) -> Result<(), Refused>;
}

/// Visits all candidates of `program`, at most `limit` of them.
pub fn walk(program: &dyn Program, semantics: &mut impl Semantics, limit: usize) -> Result<(), Refused> {
    let run = program.start();
    let mut walk = Walk { program, run, semantics, seen: FxHashSet::default(), n_entered: 0, limit };
    walk.visit(Candidate::new())
}

struct Walk<'a, S> {
    program: &'a dyn Program,
    run: Box<dyn Run + 'a>,
    semantics: &'a mut S,
    seen: FxHashSet<CandidateKey>,
    n_entered: usize,
    limit: usize,
}

impl<S: Semantics> Walk<'_, S> {
    fn visit(&mut self, candidate: Candidate) -> Result<(), Refused> {
        let threads = candidate.threads.keys();
        let pending: Vec<_> = threads.map(|&thread| (thread, self.run.pending(thread))).collect();
        self.refuse(&candidate, &pending)?;
        let moves = self.semantics.moves(&candidate, &pending);
        if moves.is_empty() {
            return self.finish(candidate, &pending);
        }
        for WalkMove { next, resume, is_forced } in moves {
            let is_new = !self.semantics.meets_again() || self.seen.insert(next.key());
            if !is_new || !(is_forced || self.semantics.keep(&next)?) {
                continue;
            }
            self.n_entered += 1;
            if self.n_entered > self.limit {
                return Err(Refused::TooLarge { limit: self.limit });
            }
            match resume {
                Some((thread, value)) => self.visit_resumed(next, thread, value)?,
                None => self.visit(next)?,
            }
        }
        Ok(())
    }

    /// Resumes `thread`, visits `next`, and rewinds the thread.
    fn visit_resumed(&mut self, mut next: Candidate, thread: ThreadId, value: Value) -> Result<(), Refused> {
        let (position, mark) = (self.run.position(thread), self.run.mark());
        if self.reads_unwritten(&next, thread) {
            self.run.resume_unwritten(thread);
        } else {
            self.run.resume(thread, value);
        }
        if let Some(Label::Spawn { child, .. }) = next.threads[&thread].events.last().map(|event| event.label)
        {
            next.add_thread(child, self.run.key(child));
        }
        self.visit(next)?;
        self.run.rewind(thread, position);
        self.run.release(mark);
        Ok(())
    }

    /// Whether the pending read of `thread`, its last event in `next`, finds memory without a value.
    fn reads_unwritten(&mut self, next: &Candidate, thread: ThreadId) -> bool {
        let Step::Do(label @ Label::Read { access, .. }) = self.run.pending(thread) else { return false };
        let read = next.threads[&thread].events.iter().rfind(|event| event.label.is_read());
        self.program.initial(access) == Initial::Uninitialised
            && label.bytes().zip(read).is_some_and(|(bytes, read)| !next.is_written(bytes, read.source))
    }

    /// Refuses what no semantics can handle.
    fn refuse(&mut self, candidate: &Candidate, pending: &Pending) -> Result<(), Refused> {
        for &(thread, step) in pending {
            match step {
                Step::Unsupported => {
                    return Err(Refused::Unsupported(Box::new(self.run.unsupported(thread))));
                }
                Step::Do(Label::Read { access, .. } | Label::Write { access, .. }) => {
                    let known = candidate.events().filter_map(|(_, event)| event.label.access());
                    if let Some(other) = known
                        .into_iter()
                        .find(|&other| other.cell() != access.cell() && other.overlaps(access))
                    {
                        let has_learned = self.run.split(other, access);
                        return Err(if has_learned {
                            Refused::Learned
                        } else {
                            Refused::Overlap(other, access)
                        });
                    }
                }
                Step::Do(_) | Step::Finished | Step::Blocked(_) | Step::Failed => {}
            }
        }
        Ok(())
    }

    fn finish(&mut self, mut candidate: Candidate, pending: &Pending) -> Result<(), Refused> {
        let mut failures = Vec::new();
        for &(thread, step) in pending {
            candidate.thread_mut(thread).status = match step {
                Step::Finished => Status::Finished,
                Step::Blocked(reason) => Status::Blocked(reason),
                Step::Do(Label::Join { .. }) => Status::Joining,
                Step::Failed => {
                    failures.push(self.run.violation(thread).kind());
                    Status::Failed
                }
                Step::Do(_) | Step::Unsupported => Status::Unfinished,
            };
        }
        self.semantics.finish(&candidate, &failures)
    }
}
