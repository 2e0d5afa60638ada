//! Condition variables, semaphores, barriers, once objects, and the atomic variables [POSIX].

use super::program::{MutexKind, Op};
use super::state::{BarrierObject, Health, Life, Once, Phase, RuntimeState, Semaphore};
use super::step::{Patience, ThreadMoves, errno};

/// The largest value of a semaphore.
pub const SEM_VALUE_MAX: i64 = 0x7fff_ffff;

/// The result of a barrier for one of its threads.
pub(crate) const SERIAL_THREAD: i64 = -1;

impl ThreadMoves<'_> {
    pub fn cond(&mut self) {
        let at = self.call.object;
        let life = self.state.conds[at];
        match self.phase() {
            Phase::OnCond => return self.wait_on(),
            Phase::Relock(code) => return self.relock(Some(code)),
            Phase::RelockToEnd => return self.relock(None),
            _ => {}
        }
        let blocked = self.blocked_on(at);
        match self.call.op {
            Op::CondInit => match life {
                Life::Static if blocked.is_empty() => {
                    self.finish(0, |state| state.conds[at] = Life::Initialised)
                }
                Life::Destroyed => self.finish(0, |state| state.conds[at] = Life::Initialised),
                _ => self.misuse(),
            },
            // The variable is read before the condition variable is used.
            Op::CondAwait if self.phase() == Phase::Start => match self.state.variables[at] {
                0 => self.enter(Phase::AwaitCall, |_| {}),
                _ => self.finish(0, |_| {}),
            },
            Op::CondWait | Op::CondTimedwait | Op::CondAwait if self.must_end() && self.owns_mutex() => {
                self.end_early(|_| {});
            }
            _ if life == Life::Destroyed => self.misuse(),
            Op::CondDestroy if !blocked.is_empty() => self.misuse(),
            Op::CondDestroy => self.finish(0, |state| state.conds[at] = Life::Destroyed),
            Op::CondSignal if blocked.is_empty() => self.finish(0, |_| {}),
            Op::CondSignal => blocked.iter().for_each(|&other| self.finish(0, |state| state.wake(other))),
            Op::CondBroadcast => {
                self.finish(0, |state| blocked.iter().for_each(|&other| state.wake(other)));
            }
            _ => self.begin_to_wait(&blocked),
        }
    }

    /// Whether the thread owns the mutex that goes with a condition variable.
    fn owns_mutex(&self) -> bool {
        self.state.mutexes[self.call.argument as usize].owner == Some(self.me as u8)
    }

    /// The threads that are blocked on a condition variable.
    fn blocked_on(&self, cond: usize) -> Vec<usize> {
        let is_blocked = |&other: &usize| {
            let thread = &self.state.threads[other];
            thread.phase == Phase::OnCond
                && self.program.threads[other].body[thread.statement].call.object == cond
        };
        (0..self.state.threads.len()).filter(is_blocked).collect()
    }

    fn begin_to_wait(&mut self, blocked: &[usize]) {
        let (me, at) = (self.me as u8, self.call.argument as usize);
        let mutex = self.state.mutexes[at];
        let uses_other_mutex = |&other: &usize| {
            let thread = &self.state.threads[other];
            self.program.threads[other].body[thread.statement].call.argument != self.call.argument
        };
        if mutex.life == Life::Destroyed {
            return self.misuse();
        }
        match (mutex.owner == Some(me), mutex.kind) {
            (true, _) if blocked.iter().any(uses_other_mutex) => self.misuse(),
            (true, _) => self.enter(Phase::OnCond, |state| state.mutexes[at].leave()),
            (false, MutexKind::Errorcheck) => self.finish(errno::EPERM, |_| {}),
            (false, kind) if kind.is_robust() => self.finish(errno::EPERM, |_| {}),
            (false, _) => self.misuse(),
        }
    }

    /// A blocked thread moves by itself only when its deadline passes, or spuriously.
    fn wait_on(&mut self) {
        if self.call.op == Op::CondTimedwait {
            self.enter(Phase::Relock(errno::ETIMEDOUT), |_| {});
        }
        if self.may_wake_spuriously {
            self.enter(Phase::Relock(0), |_| {});
        }
        if self.must_end() {
            self.enter(Phase::RelockToEnd, |_| {});
        }
    }

    /// Locks the mutex again, and returns `code`, or ends the thread.
    fn relock(&mut self, code: Option<i64>) {
        let (me, at) = (self.me as u8, self.call.argument as usize);
        let mutex = self.state.mutexes[at];
        if mutex.life == Life::Destroyed {
            return self.misuse();
        }
        if mutex.owner.is_some_and(|owner| owner != me) {
            return;
        }
        // A thread that has locked a recursive mutex twice has kept it, and learns nothing.
        let learned = if mutex.owner.is_none() { mutex.code_of_next_owner() } else { 0 };
        let lock = |state: &mut RuntimeState| {
            if mutex.health != Health::Lost {
                state.enter_mutex(at, me);
            }
        };
        match code {
            None => self.end_early(lock),
            Some(_) if learned != 0 => self.finish(learned, lock),
            Some(_) if self.call.op == Op::CondAwait => self.enter(Phase::Start, lock),
            Some(code) => self.finish(code, lock),
        }
    }

    pub fn semaphore(&mut self) {
        let at = self.call.object;
        let semaphore = self.state.semaphores[at];
        if self.call.op == Op::SemInit {
            return self.sem_init();
        }
        if semaphore.life != Life::Initialised {
            return self.misuse();
        }
        let take = |state: &mut RuntimeState| state.semaphores[at].value -= 1;
        let is_free = semaphore.value > 0;
        match self.call.op {
            Op::SemDestroy => {
                let waits = |op| matches!(op, Op::SemWait | Op::SemTimedwait);
                if self.is_waited_for(|call, _| waits(call.op) && call.object == at) {
                    return self.misuse();
                }
                self.finish(0, |state| state.semaphores[at].life = Life::Destroyed);
            }
            // A thread that has found no request to end takes the semaphore even if a request comes in between.
            Op::SemWait | Op::SemTimedwait if self.phase() == Phase::Start => {
                self.enter(Phase::Blocked, |_| {});
            }
            Op::SemWait => self.acquire(is_free, Patience::Unlimited, take),
            Op::SemTrywait => self.acquire(is_free, Patience::None(errno::EAGAIN), take),
            Op::SemTimedwait => self.acquire(is_free, self.until_deadline(), take),
            Op::SemPost if semaphore.value == SEM_VALUE_MAX => self.finish(errno::EOVERFLOW, |_| {}),
            Op::SemPost => self.finish(0, |state| state.semaphores[at].value += 1),
            _ => self.finish(100 + semaphore.value, |_| {}),
        }
    }

    fn sem_init(&mut self) {
        let (at, value) = (self.call.object, self.call.argument);
        if value > SEM_VALUE_MAX {
            return self.finish(errno::EINVAL, |_| {});
        }
        if self.state.semaphores[at].life == Life::Initialised {
            return self.misuse();
        }
        self.finish(0, |state| state.semaphores[at] = Semaphore { life: Life::Initialised, value });
    }

    pub fn barrier(&mut self) {
        let at = self.call.object;
        let barrier = self.state.barriers[at];
        match self.phase() {
            Phase::Blocked => return,
            Phase::Released => return self.finish(0, |_| {}),
            _ => {}
        }
        match self.call.op {
            Op::BarrierInit if self.call.argument == 0 => self.finish(errno::EINVAL, |_| {}),
            Op::BarrierInit if barrier.life == Life::Initialised => self.misuse(),
            Op::BarrierInit => {
                let count = self.call.argument;
                self.finish(0, |state| {
                    state.barriers[at] = BarrierObject { life: Life::Initialised, count, waiting: 0 };
                });
            }
            _ if barrier.life != Life::Initialised => self.misuse(),
            Op::BarrierDestroy if barrier.waiting > 0 => self.misuse(),
            Op::BarrierDestroy => self.finish(0, |state| state.barriers[at].life = Life::Destroyed),
            // It is unspecified which thread is the serial one; here it is the last one.
            _ if barrier.waiting + 1 == barrier.count => {
                let blocked = self.blocked_in(at);
                self.finish(SERIAL_THREAD, |state| {
                    state.barriers[at].waiting = 0;
                    blocked.iter().for_each(|&other| state.threads[other].phase = Phase::Released);
                });
            }
            _ => self.enter(Phase::Blocked, |state| state.barriers[at].waiting += 1),
        }
    }

    /// The threads that are blocked in a barrier.
    fn blocked_in(&self, barrier: usize) -> Vec<usize> {
        let is_blocked = |&other: &usize| {
            let thread = &self.state.threads[other];
            let stmt = self.program.threads[other].body.get(thread.statement);
            let waits = |call: super::Call| call.op == Op::BarrierWait && call.object == barrier;
            thread.phase == Phase::Blocked && stmt.is_some_and(|stmt| waits(stmt.call))
        };
        (0..self.state.threads.len()).filter(is_blocked).collect()
    }

    /// The function of a once object adds 1 to the variable of the same number.
    pub fn once(&mut self) {
        let at = self.call.object;
        match (self.phase(), self.state.onces[at]) {
            (Phase::InOnce, _) => self.enter(Phase::AfterOnce, |state| state.variables[at] += 1),
            (Phase::AfterOnce, _) => self.finish(0, |state| state.onces[at] = Once::Done),
            (_, Once::Never) => self.enter(Phase::InOnce, |state| state.onces[at] = Once::Running),
            (_, Once::Running) => {}
            (_, Once::Done) => self.finish(0, |_| {}),
        }
    }

    pub fn variable(&mut self) {
        let (at, argument) = (self.call.object, self.call.argument);
        let value = self.state.variables[at];
        match self.call.op {
            Op::Load => self.finish(value, |_| {}),
            Op::Store => self.finish(0, |state| state.variables[at] = argument),
            // The thread reads the variable repeatedly until it is not zero.
            Op::Await if value == 0 => {}
            Op::Await => self.finish(0, |_| {}),
            _ => self.finish(value, |state| state.variables[at] += argument),
        }
    }
}

impl RuntimeState {
    fn wake(&mut self, thread: usize) {
        self.threads[thread].phase = Phase::Relock(0);
    }
}
