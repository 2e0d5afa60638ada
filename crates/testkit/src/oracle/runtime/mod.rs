//! An oracle for the thread library: what programs that call it may do, according to POSIX.
//!
//! [`program`] is a tiny language of calls, `state` the threads and objects at one moment, `step` what a thread can
//! do next, with `locks`, `waiting` and `threads` for the classes of objects. [`behaviour`] runs the threads of a
//! program in every possible order, one call or part of a call at a time, under sequential consistency, and records
//! how programs end.
//!
//! Where POSIX says that a call *shall fail*, the state machine returns the error. Where it leaves the behaviour
//! undefined, or allows but does not demand a failure, the call is a [`MisuseKind`]. Where it leaves a choice to the
//! implementation, a comment at the rule says which one this is. A wait with a deadline may end at any moment.
//!
//! What is absent: this module does not know the library that programs are checked with, nor any explorer.

mod locks;
pub mod program;
mod state;
mod step;
mod threads;
mod waiting;

pub use program::{
    Argument, Call, Class, Destructor, End, MutexKind, Op, RuntimeProgram, RuntimeStmt, ThreadBody,
};
pub use state::NOT_EXECUTED;
pub use step::{MisuseKind, errno};
pub use threads::{JOINED, UNKNOWN_THREAD};
pub use waiting::SEM_VALUE_MAX;

use rustc_hash::FxHashSet;
use state::RuntimeState;
use std::collections::BTreeSet;
use step::{RuntimeMove, ThreadMoves};

/// The results of all statements, thread by thread.
pub type ThreadResults = Vec<Vec<i64>>;

/// How a program may end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Behaviour {
    /// The outcomes of runs in which every thread ends.
    pub outcomes: BTreeSet<ThreadResults>,
    pub misuses: BTreeSet<MisuseKind>,
    /// The calls that are misuses.
    pub misused: BTreeSet<Op>,
    /// Some threads may wait forever, and the program does not end. One of them waits for an object, or all of them
    /// join.
    pub may_deadlock: bool,
    /// The same, but all of them read variables repeatedly, or join.
    pub may_spin_forever: bool,
    /// The main thread may return, and so end the program, while other threads are running.
    pub may_end_early: bool,
}

/// Assumptions about the implementation.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeConfig {
    /// Programs with more states are refused.
    pub max_states: usize,
    /// A thread may leave a condition variable without having been woken.
    pub may_wake_spuriously: bool,
}

impl Default for RuntimeConfig {
    fn default() -> Self {
        RuntimeConfig { max_states: 100_000, may_wake_spuriously: false }
    }
}

/// Everything that `program` may do; `None` if there are too many states.
pub fn behaviour(program: &RuntimeProgram, config: RuntimeConfig) -> Option<Behaviour> {
    let mut found = Behaviour::default();
    let start = RuntimeState::of(program);
    let mut seen = FxHashSet::default();
    seen.insert(start.clone());
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        let mut can_move = false;
        found.may_end_early |= state.has_exited && !state.has_ended();
        for me in 0..state.threads.len() {
            for next in ThreadMoves::moves(program, &state, me, config.may_wake_spuriously) {
                can_move = true;
                match next {
                    RuntimeMove::Misuse(misuse) => {
                        found.misuses.insert(misuse);
                        found.misused.extend(state.call_of(program, me));
                    }
                    RuntimeMove::To(next) => {
                        if seen.insert(next.clone()) {
                            open.push(next);
                        }
                    }
                }
            }
        }
        if !can_move {
            found.note_end(program, &state);
        }
        if seen.len() > config.max_states {
            return None;
        }
    }
    Some(found)
}

impl Behaviour {
    /// Records a state in which no thread can move.
    fn note_end(&mut self, program: &RuntimeProgram, state: &RuntimeState) {
        if state.has_ended() {
            self.outcomes.insert(state.threads.iter().map(|thread| thread.results.clone()).collect());
        } else if !state.has_exited {
            let is_waiting = |&thread: &usize| !state.has_left(thread);
            let calls = (0..state.threads.len()).filter(is_waiting).map(|at| state.call_of(program, at));
            let calls: BTreeSet<_> = calls.flatten().filter(|&op| op != Op::Join).collect();
            let only_spin = calls.iter().eq(&[Op::Await]);
            self.may_spin_forever |= only_spin;
            self.may_deadlock |= !only_spin;
        }
    }

    /// Whether nothing can go wrong.
    pub fn is_correct(&self) -> bool {
        self.misuses.is_empty() && !self.may_hang()
    }

    /// Whether some threads may wait forever.
    pub fn may_hang(&self) -> bool {
        self.may_deadlock || self.may_spin_forever
    }
}
