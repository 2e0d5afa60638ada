//! What a thread can do next: the parts common to all calls.

use super::program::{Call, Class, End, RuntimeProgram};
use super::state::{Phase, RuntimeState};

/// Error numbers, as in Linux.
pub mod errno {
    pub const EPERM: i64 = 1;
    pub const EAGAIN: i64 = 11;
    pub const EBUSY: i64 = 16;
    pub const EINVAL: i64 = 22;
    pub const EDEADLK: i64 = 35;
    pub const EOWNERDEAD: i64 = 130;
    pub const ENOTRECOVERABLE: i64 = 131;
    pub const EOVERFLOW: i64 = 75;
    pub const ETIMEDOUT: i64 = 110;
}

/// What POSIX leaves undefined, by the kind of object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MisuseKind {
    /// Of a synchronisation object or a key.
    Lock,
    /// A join or a detach.
    Join,
}

pub enum RuntimeMove {
    To(RuntimeState),
    Misuse(MisuseKind),
}

/// What to do if a lock is not available at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// Fail with this error.
    None(i64),
    /// Wait until the deadline, if it is a valid time.
    Limited {
        is_valid: bool,
    },
    Unlimited,
}

/// One thread of a state that is about to move.
pub struct ThreadMoves<'a> {
    pub program: &'a RuntimeProgram,
    pub state: &'a RuntimeState,
    pub me: usize,
    pub call: Call,
    pub may_wake_spuriously: bool,
    pub moves: Vec<RuntimeMove>,
}

impl<'a> ThreadMoves<'a> {
    /// All moves of thread `me`.
    pub fn moves(
        program: &'a RuntimeProgram,
        state: &'a RuntimeState,
        me: usize,
        may_wake_spuriously: bool,
    ) -> Vec<RuntimeMove> {
        let thread = &state.threads[me];
        let statements = &program.threads[me].body;
        if matches!(thread.phase, Phase::Absent | Phase::Ended | Phase::HasQuit) {
            return Vec::new();
        }
        let call = match statements.get(thread.statement) {
            Some(stmt) => stmt.call,
            // The thread has ended, and this value is not used.
            None => Call { op: super::program::Op::Load, object: 0, argument: 0 },
        };
        let mut step = ThreadMoves { program, state, me, call, may_wake_spuriously, moves: Vec::new() };
        match statements.get(thread.statement) {
            None => step.end(),
            Some(stmt) => match stmt.guard {
                Some((index, value)) if thread.results[index] != value => step.skip(),
                _ => step.perform(),
            },
        }
        step.moves
    }

    fn perform(&mut self) {
        if self.is_cancelled_here() {
            self.end_early(|_| {});
            if self.phase() != Phase::Blocked {
                return;
            }
        }
        match self.call.op.class() {
            Class::Thread => self.thread(),
            Class::Mutex => self.mutex(),
            Class::Cond => self.cond(),
            Class::Rwlock => self.rwlock(),
            Class::Spin => self.spin(),
            Class::Semaphore => self.semaphore(),
            Class::Barrier => self.barrier(),
            Class::Once => self.once(),
            Class::Key => self.key(),
            Class::Variable => self.variable(),
        }
    }

    pub fn phase(&self) -> Phase {
        self.state.threads[self.me].phase
    }

    /// Skips a statement.
    fn skip(&mut self) {
        let mut next = self.state.clone();
        next.threads[self.me].statement += 1;
        self.moves.push(RuntimeMove::To(next));
    }

    /// Ends the statement with a result and a change of objects.
    pub fn finish(&mut self, result: i64, change: impl FnOnce(&mut RuntimeState)) {
        let mut next = self.state.clone();
        change(&mut next);
        let thread = &mut next.threads[self.me];
        thread.results[thread.statement] = result;
        thread.statement += 1;
        thread.phase = Phase::Start;
        self.moves.push(RuntimeMove::To(next));
    }

    /// Continues within the statement.
    pub fn enter(&mut self, phase: Phase, change: impl FnOnce(&mut RuntimeState)) {
        let mut next = self.state.clone();
        change(&mut next);
        next.threads[self.me].phase = phase;
        self.moves.push(RuntimeMove::To(next));
    }

    pub fn misuse(&mut self) {
        self.moves.push(RuntimeMove::Misuse(MisuseKind::Lock));
    }

    /// Takes a lock if it is free, and otherwise acts according to `patience`.
    pub fn acquire(&mut self, is_free: bool, patience: Patience, take: impl FnOnce(&mut RuntimeState)) {
        if is_free {
            return self.finish(0, take);
        }
        self.wait(patience);
    }

    /// Waits for a lock that is not free.
    pub(crate) fn wait(&mut self, patience: Patience) {
        match (patience, self.phase()) {
            (Patience::None(code), _) => self.finish(code, |_| {}),
            (Patience::Limited { is_valid: false }, _) => self.finish(errno::EINVAL, |_| {}),
            (_, Phase::Start) => self.enter(Phase::Blocked, |_| {}),
            (Patience::Limited { .. }, _) => self.finish(errno::ETIMEDOUT, |_| {}),
            (Patience::Unlimited, _) => {}
        }
    }

    /// The patience of a call with a deadline.
    pub(crate) fn until_deadline(&self) -> Patience {
        Patience::Limited { is_valid: self.call.argument == 0 }
    }

    /// Whether another thread has begun such a call and waits.
    pub(crate) fn is_waited_for(&self, is_such: impl Fn(Call, Phase) -> bool) -> bool {
        self.state.threads.iter().enumerate().any(|(other, thread)| {
            let stmt = self.program.threads[other].body.get(thread.statement);
            other != self.me
                && matches!(
                    thread.phase,
                    Phase::Blocked | Phase::OnCond | Phase::Relock(_) | Phase::RelockToEnd
                )
                && stmt.is_some_and(|stmt| is_such(stmt.call, thread.phase))
        })
    }

    fn end(&mut self) {
        match (self.phase(), self.program.threads[self.me].end) {
            (Phase::Start, End::Return(_) | End::Quit(_)) if self.me == 0 => {
                self.enter(Phase::Ended, |state| state.has_exited = true);
            }
            (Phase::Start, End::Quit(_)) => self.enter(Phase::HasQuit, |state| state.has_exited = true),
            (Phase::Start, End::Return(value) | End::Exit(value)) => {
                let me = self.me;
                let first = Phase::Destroying { round: 0, key: 0, found: false };
                self.enter(first, |state| state.threads[me].value = value);
            }
            _ => self.destroy_values(),
        }
    }
}
