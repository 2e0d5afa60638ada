//! An oracle for the thread library: what programs that call it may do, by POSIX's text.
//!
//! [`program`] is a tiny language of calls, `state` what threads and objects are like at one moment, `step` what a
//! thread can do next, with `locks`, `waiting` and `threads` for the classes of objects. [`behaviour`] lets the
//! threads of a program move in every possible order, one call or part of a call at a time, in a sequentially
//! consistent world, and notes how programs end.
//!
//! Where POSIX says that a call *shall fail*, the state machine returns the error. Where it leaves the behaviour
//! undefined, or lets a call fail without demanding it, the call is a [`Misuse`]. Where it leaves a choice to the
//! implementation, the choice is noted beside the rule. A wait with a deadline may end at any moment.
//!
//! What is absent: this module knows nothing of the library that programs are checked with, nor of any explorer.

mod locks;
pub mod program;
mod state;
mod step;
mod threads;
mod waiting;

pub use program::{Argument, Call, Class, Destructor, End, MutexKind, Op, Program, Stmt, Thread};
pub use state::NOT_EXECUTED;
pub use step::{Misuse, errno};
pub use threads::{JOINED, UNKNOWN_THREAD};
pub use waiting::{SEM_VALUE_MAX, SERIAL_THREAD};

use rustc_hash::FxHashSet;
use state::State;
use std::collections::BTreeSet;
use step::{Move, Step};

/// The results of all statements, thread by thread.
pub type Outcome = Vec<Vec<i64>>;

/// How a program may end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Behaviour {
    /// The outcomes of runs in which every thread comes to its end.
    pub outcomes: BTreeSet<Outcome>,
    pub misuses: BTreeSet<Misuse>,
    /// Some threads may wait for ever, and the program does not end.
    pub may_deadlock: bool,
    /// The main thread may return, and so end the program, while others are still running.
    pub may_end_early: bool,
}

/// What is assumed of the implementation.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Programs with more states are too large.
    pub max_states: usize,
    /// A thread may leave a condition variable without having been woken.
    pub may_wake_spuriously: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config { max_states: 100_000, may_wake_spuriously: false }
    }
}

/// Everything that `program` may do; nothing if that is too much.
pub fn behaviour(program: &Program, config: Config) -> Option<Behaviour> {
    let mut found = Behaviour::default();
    let start = State::of(program);
    let mut seen = FxHashSet::default();
    seen.insert(start.clone());
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        let mut can_move = false;
        found.may_end_early |= state.has_exited && !state.has_ended();
        for me in 0..state.threads.len() {
            for next in Step::moves(program, &state, me, config.may_wake_spuriously) {
                can_move = true;
                match next {
                    Move::Misuse(misuse) => drop(found.misuses.insert(misuse)),
                    Move::To(next) => {
                        if seen.insert(next.clone()) {
                            open.push(next);
                        }
                    }
                }
            }
        }
        if !can_move {
            found.note_end(&state);
        }
        if seen.len() > config.max_states {
            return None;
        }
    }
    Some(found)
}

impl Behaviour {
    /// A state in which nothing moves.
    fn note_end(&mut self, state: &State) {
        if state.has_ended() {
            self.outcomes.insert(state.threads.iter().map(|thread| thread.results.clone()).collect());
        } else if !state.has_exited {
            self.may_deadlock = true;
        }
    }
}
