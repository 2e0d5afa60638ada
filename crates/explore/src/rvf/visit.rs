//! The loop [RVF-SMC §5, Algorithm 2].
//!
//! A [`Visit`] is a call of the paper's `RVF-SMC(X, GoodW, σ, C)`. Its arguments are one mutable structure that the
//! calls extend and restore: the events and good writes in [`Instance`](super::instance::Instance), the trace σ, the
//! causal map. A read is the next step of its thread; giving it a value runs the thread to its next read. Visits are
//! as deep as an execution has reads, so they are on an explicit stack.

use super::causal;
use super::explorer::{Ancestor, RvfWorker};
use super::sources::{Group, Read};
use super::traces::Outer;
use crate::driver::Worker;
use crate::host::Host;
use crate::journal::{self, journal};
use atropos_event::{Position, Rmw, Run, ThreadId, mark};
use log::Level;
use std::ops::Range;

/// A current call.
pub(crate) struct Visit {
    /// The state before it.
    past: Past,
    n_made: usize,
    /// The next reads of its threads, and those that have not had their turn.
    reads: Range<usize>,
    left: Range<usize>,
    turn: Option<Turn>,
    /// Other reads are to have their turn too.
    backtrack: bool,
    n_descents: u64,
}

/// A read that is given its values.
struct Turn {
    read: Read,
    sources: Range<usize>,
    left: Range<usize>,
    /// One of them would make it wait for a mutex.
    waits: bool,
    n_descents: u64,
    /// The state before its present value.
    past: Option<Past>,
}

/// A state of what visits add to.
#[derive(Clone, Copy)]
struct Past {
    trace: Outer,
    causal: causal::CausalMark,
    positions: Position,
}

impl<'a, R: Run> Worker<'a, R> for RvfWorker<'a, R> {
    type Part = ();

    fn explore(&mut self, (): ()) {
        self.enter(ThreadId::MAIN.index());
        while !self.stack.visits.is_empty() {
            if !self.advance() {
                self.leave();
            }
        }
    }

    fn host(&mut self) -> &mut Host<'a, R> {
        &mut self.host
    }
}

impl<R: Run> RvfWorker<'_, R> {
    fn here(&mut self) -> Past {
        Past { trace: self.traces.here(), causal: self.causal.mark(), positions: self.host.run.mark() }
    }

    /// Lines 1 to 13. `moved` is the thread whose read was given a value last.
    fn enter(&mut self, moved: usize) {
        let (past, n_made) = (self.here(), self.extension.made.len());
        self.host.look_up();
        self.extend(moved);
        let mut reads = self.stack.reads.len()..self.stack.reads.len();
        if !self.host.is_stopped {
            reads = self.find_reads();
            match reads.is_empty() {
                true => self.finish(),
                false => self.close(),
            }
        }
        let (left, n_descents) = (reads.clone(), self.stack.n_descents);
        self.stack.visits.push(Visit { past, n_made, reads, left, turn: None, backtrack: true, n_descents });
    }

    /// What every witness has in common narrows the sources of all reads.
    fn close(&mut self) {
        if self.heuristics.closure {
            let has_witness = self.witness.closure.close(&mut self.instance);
            assert!(has_witness, "the trace is a witness");
        }
    }

    fn current(&mut self) -> &mut Visit {
        self.stack.visits.last_mut().expect("a visit is under way")
    }

    /// Lines 14 to 28: visits what follows the next value of a read; `false` if none is left.
    fn advance(&mut self) -> bool {
        while !self.host.is_stopped && self.has_turn() {
            let Some((read, group)) = self.next_group() else {
                self.end_turn();
                continue;
            };
            if self.would_wait(read, group) {
                journal!(
                    self.host,
                    Trace,
                    "a thread would wait for a mutex: {}",
                    self.host.label(&read.label)
                );
                self.current().turn.as_mut().expect("it has its turn").waits = true;
                self.send_signals(read.thread, read.loc);
            } else if self.give(read, group) {
                return true;
            }
        }
        false
    }

    /// Lines 14 to 18: whether a read has its turn.
    fn has_turn(&mut self) -> bool {
        let visit = self.stack.visits.last_mut().expect("a visit is under way");
        if visit.turn.is_some() {
            return true;
        }
        let index = visit.left.next().filter(|_| visit.backtrack);
        let Some(read) = index.map(|index| self.stack.reads[index]) else { return false };
        let entry = self.causal.get(read.thread);
        if entry.is_none() {
            visit.backtrack = !self.heuristics.signals;
        }
        let (first, n_descents) = (self.stack.sources.len(), self.stack.n_descents);
        self.find_sources(read, entry);
        let sources = first..self.stack.sources.len();
        let left = sources.clone();
        self.current().turn = Some(Turn { read, sources, left, waits: false, n_descents, past: None });
        true
    }

    /// Line 19: the next value of the read whose turn it is.
    fn next_group(&mut self) -> Option<(Read, Group)> {
        let turn = self.stack.visits.last_mut()?.turn.as_mut()?;
        let (read, first) = (turn.read, turn.sources.start);
        let all = &self.stack.sources;
        let is_new = |&index: &usize| all[first..index].iter().all(|source| source.group != all[index].group);
        turn.left.by_ref().find(is_new).map(|index| (read, all[index].group))
    }

    /// Lines 29 and 30: from now on the read must read from a write that is not there yet. If it can only wait for a
    /// mutex, other reads must have their turn.
    fn end_turn(&mut self) {
        let n_descents = self.stack.n_descents;
        let visit = self.current();
        let turn = visit.turn.take().expect("it has its turn");
        if turn.waits && turn.n_descents == n_descents {
            mark!("rvf: a read that can only wait");
            visit.backtrack = true;
        }
        self.stack.sources.truncate(turn.sources.start);
        self.causal.enter(turn.read.thread, self.instance.threads().iter().map(Vec::len));
    }

    /// Lines 20 to 27: gives the read the value of a group and visits what follows; `false` if there is no witness.
    fn give(&mut self, read: Read, group: Group) -> bool {
        let past = self.here();
        let turn = self.current().turn.as_mut().expect("it has its turn");
        turn.past = Some(past);
        let sources = turn.sources.clone();
        if journal::is_on(Level::Trace) {
            self.log_value(read, group, sources.clone());
        }
        self.add_read(read, group, sources);
        if !self.enter_witness() {
            self.host.stats.dead += 1;
            journal!(self.host, Trace, "no trace has this value");
            self.take_back_read(read);
            return false;
        }
        self.stack.n_descents += 1;
        self.causal.clear(read.thread);
        if read.rmw != Rmw::None {
            // Its write is new; and if it fails, it may succeed elsewhere, which is a new write too.
            self.send_signals(read.thread, read.loc);
        }
        let has_signal = self.current().backtrack;
        self.stack.push_ancestor(Ancestor { thread: read.thread, loc: read.loc, has_signal });
        match group.is_unwritten {
            true => self.host.run.resume_unwritten(ThreadId::new(read.thread)),
            false => self.host.run.resume(ThreadId::new(read.thread), group.value),
        }
        self.enter(read.thread);
        true
    }

    /// The latest visit is over: takes back what it has added, and the value that led to it.
    fn leave(&mut self) {
        let Visit { past, n_made, reads, n_descents, .. } =
            self.stack.visits.pop().expect("a visit is under way");
        if !reads.is_empty() && self.stack.n_descents == n_descents && !self.host.is_stopped {
            self.finish_waiting(reads.clone());
        }
        self.causal.undo(past.causal);
        self.stack.reads.truncate(reads.start);
        self.take_back(n_made, past.positions);
        self.traces.leave(past.trace);
        if self.stack.visits.is_empty() {
            return;
        }
        let has_signal = self.stack.pop_ancestor().has_signal;
        let visit = self.current();
        visit.backtrack |= has_signal;
        let Turn { read, past, .. } = visit.turn.as_mut().expect("it has its turn");
        let (read, past) = (*read, past.take().expect("it has a value"));
        let before = self.threads[read.thread].steps.last().expect("the read").before;
        self.host.run.rewind(ThreadId::new(read.thread), before);
        self.host.run.release(past.positions);
        self.causal.undo(past.causal);
        self.traces.leave(past.trace);
        self.take_back_read(read);
    }

    fn take_back_read(&mut self, read: Read) {
        self.take_back_step();
        self.threads[read.thread].next_read = Some(read);
    }
}
