//! Sleep sets, and which steps are independent [ALGORITHMS §F.4].
//!
//! A process sleeps at a prefix if all executions that begin with its next step there have been explored. It wakes
//! when a step is taken that conflicts with its own next step. The next step of a sleeping process is the same at
//! every prefix where it sleeps, so a [`Move`] describes it completely.

use super::machine::Machine;
use super::process::ProcId;
use super::step::{Act, BufferEffect, MemoryEffect, NONE, TraceStep};
use atropos_event::{ThreadId, mark};
use atropos_graph::LocId;

/// A step without its place in a trace. Steps are identified by their number in their process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    pub proc: ProcId,
    pub thread: ThreadId,
    pub loc: LocId,
    pub effect: Effect,
}

/// The effect of a step on the memory at its location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    Nothing,
    /// A load. `own` is the thread's newest store before it to any of its bytes, if that writes all of them, else 0:
    /// while that is in its buffer the load is served from there.
    Load {
        own: u32,
    },
    /// A read-modify-write that fails: reads memory.
    Read,
    /// Writes memory, and may read it too. `commits` is the store of the thread that it takes from a buffer, or 0.
    Write {
        commits: u32,
    },
}

/// The moves that sleep at a prefix.
#[derive(Clone, Debug, Default)]
pub struct Sleep {
    moves: Vec<Move>,
    /// The processes with numbers below 64 among them, as bits.
    bits: u64,
}

impl Sleep {
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    pub(crate) fn bits(&self) -> u64 {
        self.bits
    }

    pub fn clear(&mut self) {
        self.moves.clear();
        self.bits = 0;
    }

    pub fn push(&mut self, step: Move) {
        self.moves.push(step);
        self.bits |= bit(step.proc);
    }

    pub fn has(&self, proc: ProcId) -> bool {
        match bit(proc) {
            0 => self.moves.iter().any(|sleeper| sleeper.proc == proc),
            bit => self.bits & bit != 0,
        }
    }
}

/// The bit of a process in sets of those with numbers below 64.
pub(crate) fn bit(proc: ProcId) -> u64 {
    if proc.index() < 64 { 1 << proc.index() } else { 0 }
}

impl Machine {
    /// The step at `place` as a move.
    #[inline]
    pub fn as_move(&self, place: u32) -> Move {
        match self.moves.get(place as usize) {
            Some(&known) => known,
            None => self.move_of(&self.steps[place as usize]),
        }
    }

    /// `step`, which was taken or is about to be, as a move.
    pub(crate) fn move_of(&self, step: &TraceStep) -> Move {
        let TraceStep {
            proc,
            thread,
            loc,
            act,
            memory: MemoryEffect { writes, .. },
            buffer: BufferEffect { store, .. },
            ..
        } = *step;
        let number = |store: u32| if store == NONE { 0 } else { self.steps[store as usize].index };
        let effect = match act {
            Act::Load => Effect::Load { own: number(store) },
            Act::Rmw if !writes => Effect::Read,
            Act::Rmw | Act::Direct => Effect::Write { commits: 0 },
            Act::Update => Effect::Write { commits: number(store) },
            Act::Store | Act::Barrier | Act::Join(_) | Act::StoreBarrier | Act::Local => Effect::Nothing,
        };
        Move { proc, thread, loc, effect }
    }

    /// The step of `thread` with that number.
    pub fn numbered(&self, thread: ThreadId, number: u32) -> Option<u32> {
        let proc = self.threads[thread.index()].proc;
        self.procs[proc.index()].steps.get(number as usize - 1).copied()
    }

    /// Whether `sleeper`, if it moved now, would come after the last step of the trace.
    pub fn is_woken(&self, sleeper: &Move) -> bool {
        let last = self.steps.last().expect("a step was taken");
        let Move { thread, loc, effect, .. } = *sleeper;
        if last.loc != loc || !(last.memory.reads || last.memory.writes) {
            return false;
        }
        match effect {
            Effect::Nothing => false,
            Effect::Read => last.memory.writes,
            Effect::Load { own } => {
                let is_buffered = |store: u32| self.steps[store as usize].buffer.updated_at == NONE;
                let is_forwarded = own > 0 && self.numbered(thread, own).is_some_and(is_buffered);
                if is_forwarded && last.memory.writes && last.thread != thread {
                    mark!("sleep: a load from the buffer sleeps on");
                }
                last.memory.writes && last.thread != thread && !is_forwarded
            }
            Effect::Write { .. } => last.thread != thread,
        }
    }
}
