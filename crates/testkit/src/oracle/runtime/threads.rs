//! The life of threads, and their thread-specific values [POSIX].

use super::program::{Destructor, N_OBJECTS, Op};
use super::state::{Health, Life, Phase, RuntimeState, SpecificKey};
use super::step::{MisuseKind, RuntimeMove, ThreadMoves, errno};

/// The result of a join or a detach of a thread whose identifier the caller cannot know yet: the call is skipped.
pub const UNKNOWN_THREAD: i64 = -1;

/// What a successful join adds to the value of the thread.
pub const JOINED: i64 = 100;

/// The value of a thread that was cancelled.
const CANCELED: i64 = -1;

/// How many rounds of destructors there are.
const ROUNDS: u8 = 4;

impl ThreadMoves<'_> {
    pub fn thread(&mut self) {
        match self.call.op {
            Op::Create => self.create(),
            Op::TestCancel => self.finish(0, |_| {}),
            Op::SetCancelState if !matches!(self.call.argument, 0 | 1) => self.finish(errno::EINVAL, |_| {}),
            Op::SetCancelState => {
                let (me, new) = (self.me, self.call.argument != 0);
                let old = i64::from(self.state.threads[me].is_unwilling);
                self.finish(old, |state| state.threads[me].is_unwilling = new);
            }
            _ if !self.is_known() => self.finish(UNKNOWN_THREAD, |_| {}),
            Op::Cancel => self.cancel(),
            Op::Join => self.join(),
            _ => self.detach(),
        }
    }

    /// Whether the caller can know the thread of the call. A thread knows itself.
    fn is_known(&self) -> bool {
        self.state.threads[self.call.object].is_known || self.call.object == self.me
    }

    /// The new thread runs before others learn its identifier.
    fn create(&mut self) {
        let (at, is_detached) = (self.call.object, self.call.argument == 1);
        if self.phase() == Phase::Publish {
            return self.finish(0, |state| state.threads[at].is_known = true);
        }
        self.enter(Phase::Publish, |state| {
            state.threads[at].phase = Phase::Start;
            state.threads[at].is_detached = is_detached;
        });
    }

    /// Whether the thread is at a cancellation point and must end there. If it already waits, it may also go on when what
    /// it waits for happens. Waits on condition variables are [`ThreadMoves::cond`]'s.
    pub(crate) fn is_cancelled_here(&self) -> bool {
        let is_point = match self.call.op {
            Op::TestCancel | Op::SemWait | Op::SemTimedwait => true,
            Op::Join => self.is_known(),
            _ => false,
        };
        is_point && matches!(self.phase(), Phase::Start | Phase::Blocked) && self.must_end()
    }

    pub(crate) fn must_end(&self) -> bool {
        let thread = &self.state.threads[self.me];
        thread.is_cancelled && !thread.is_unwilling
    }

    /// The thread ends here, as if by `pthread_exit(PTHREAD_CANCELED)`.
    pub(crate) fn end_early(&mut self, change: impl FnOnce(&mut RuntimeState)) {
        let (me, n_statements) = (self.me, self.program.threads[self.me].body.len());
        self.enter(Phase::Destroying { round: 0, key: 0, found: false }, |state| {
            change(state);
            let thread = &mut state.threads[me];
            (thread.value, thread.statement, thread.is_unwilling) = (CANCELED, n_statements, true);
        });
    }

    /// The last steps of a thread: others can take over its robust mutexes. Their order is unspecified; here, as in
    /// Linux, the one locked last is the first.
    fn leave(&mut self) {
        let me = self.me as u8;
        let is_mine = |&at: &usize| {
            let mutex = self.state.mutexes[at];
            mutex.kind.is_robust() && mutex.owner == Some(me)
        };
        let Some(last) = (0..N_OBJECTS).filter(is_mine).max_by_key(|&at| self.state.mutexes[at].rank) else {
            return self.enter(Phase::Ended, |_| {});
        };
        self.enter(self.phase(), |state| {
            let mutex = &mut state.mutexes[last];
            (mutex.owner, mutex.count, mutex.rank) = (None, 0, 0);
            mutex.health = Health::Inconsistent;
        });
    }

    fn is_being_joined(&self) -> bool {
        let at = self.call.object;
        self.is_waited_for(|call, _| call.op == Op::Join && call.object == at)
    }

    /// Joining oneself is undefined; the members of any other cycle of joins wait forever.
    fn join(&mut self) {
        let at = self.call.object;
        let target = &self.state.threads[at];
        if at == self.me || target.is_detached || target.is_joined || self.is_being_joined() {
            return self.moves.push(RuntimeMove::Misuse(MisuseKind::Join));
        }
        // As for semaphores: a request to end may come too late.
        if self.phase() == Phase::Start {
            return self.enter(Phase::Blocked, |_| {});
        }
        if target.phase != Phase::Ended || at == 0 && self.state.has_exited {
            return;
        }
        let value = target.value;
        self.finish(JOINED + value, |state| state.threads[at].is_joined = true);
    }

    /// The identifier of a thread that was joined, or has ended detached, may belong to another one.
    fn cancel(&mut self) {
        let at = self.call.object;
        let target = &self.state.threads[at];
        if target.is_joined || target.is_detached && target.phase == Phase::Ended {
            return self.moves.push(RuntimeMove::Misuse(MisuseKind::Join));
        }
        self.finish(0, |state| state.threads[at].is_cancelled = true);
    }

    fn detach(&mut self) {
        let at = self.call.object;
        let target = &self.state.threads[at];
        if target.is_detached || target.is_joined || self.is_being_joined() {
            return self.moves.push(RuntimeMove::Misuse(MisuseKind::Join));
        }
        self.finish(0, |state| state.threads[at].is_detached = true);
    }

    pub fn key(&mut self) {
        let (me, at) = (self.me, self.call.object);
        let key = self.state.keys[at];
        let argument = self.call.argument;
        match self.call.op {
            Op::KeyCreate => {
                let (life, destructor) = (Life::Initialised, Destructor::of(argument));
                let number = self.state.keys.iter().filter(|key| key.life != Life::Static).count() as u8;
                self.finish(0, |state| {
                    state.keys[at] = SpecificKey { life, destructor, number };
                    state.threads.iter_mut().for_each(|thread| thread.specific[at] = 0);
                });
            }
            _ if key.life != Life::Initialised => self.misuse(),
            Op::KeyDelete => self.finish(0, |state| state.keys[at].life = Life::Destroyed),
            Op::SetSpecific => self.finish(0, |state| state.threads[me].specific[at] = argument),
            _ => self.finish(self.state.threads[me].specific[at], |_| {}),
        }
    }

    /// The key with this number.
    fn numbered(&self, number: u8) -> Option<usize> {
        self.state.keys.iter().position(|key| key.life != Life::Static && key.number == number)
    }

    /// A step of a thread that has ended except for its values. The order of the keys is unspecified; here it is that
    /// of their creation.
    pub(crate) fn destroy_values(&mut self) {
        let me = self.me;
        match self.phase() {
            Phase::Destroying { round, key, .. } if round == ROUNDS || key as usize > N_OBJECTS => {
                self.leave();
            }
            Phase::Destroying { key, found: false, .. } if key as usize == N_OBJECTS => self.leave(),
            Phase::Destroying { round, key, .. } if key as usize == N_OBJECTS => {
                self.enter(Phase::Destroying { round: round + 1, key: 0, found: false }, |_| {});
            }
            Phase::Destroying { round, key, found } => {
                let has_destructor = |&at: &usize| {
                    let SpecificKey { life, destructor, .. } = self.state.keys[at];
                    life == Life::Initialised && destructor != Destructor::None
                };
                let value_of = |at: usize| (at, self.state.threads[me].specific[at]);
                let found_value = self.numbered(key).filter(has_destructor).map(value_of);
                let Some((at, value)) = found_value.filter(|&(_, value)| value != 0) else {
                    return self.enter(Phase::Destroying { round, key: key + 1, found }, |_| {});
                };
                let key = at as u8;
                self.enter(Phase::InDestructor { round, key, value }, |state| {
                    state.threads[me].specific[at] = 0;
                });
            }
            Phase::InDestructor { round, key, value } => {
                let is_sum = self.state.keys[key as usize].destructor == Destructor::Add;
                self.enter(Phase::AfterAdd { round, key, value }, |state| {
                    state.variables[0] += if is_sum { value } else { 1 };
                });
            }
            Phase::AfterAdd { round, key, value } => self.set_from_destructor(round, key, value),
            _ => unreachable!("the thread is at its end"),
        }
    }

    fn set_from_destructor(&mut self, round: u8, key: u8, value: i64) {
        let me = self.me;
        let number = self.state.keys[key as usize].number;
        let next = Phase::Destroying { round, key: number + 1, found: true };
        let goal = match self.state.keys[key as usize].destructor {
            Destructor::Again if value > 1 => key as usize,
            Destructor::Other if value > 1 => 1 - key as usize,
            _ => return self.enter(next, |_| {}),
        };
        if self.state.keys[goal].life != Life::Initialised {
            return self.misuse();
        }
        self.enter(next, |state| state.threads[me].specific[goal] = value - 1);
    }
}
