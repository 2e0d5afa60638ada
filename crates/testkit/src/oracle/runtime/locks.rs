//! Mutexes, read-write locks and spin locks [POSIX].

use super::program::{MutexKind, Op};
use super::state::{Health, Life, Mutex, Phase, Rwlock, Spin};
use super::step::{Patience, ThreadMoves, errno};

impl ThreadMoves<'_> {
    pub fn mutex(&mut self) {
        let (me, at) = (self.me as u8, self.call.object);
        let mutex = self.state.mutexes[at];
        if self.call.op == Op::MutexInit {
            return self.mutex_init();
        }
        if mutex.life == Life::Destroyed {
            return self.misuse();
        }
        match self.call.op {
            Op::MutexDestroy => {
                if mutex.owner.is_some() || self.is_mutex_wanted() {
                    return self.misuse();
                }
                self.finish(0, |state| state.mutexes[at].life = Life::Destroyed);
            }
            Op::MutexLock => self.mutex_lock(errno::EDEADLK, Patience::Unlimited),
            Op::MutexTrylock => self.mutex_lock(errno::EBUSY, Patience::None(errno::EBUSY)),
            Op::MutexTimedlock => self.mutex_lock(errno::EDEADLK, self.until_deadline()),
            Op::MutexConsistent => match (mutex.owner == Some(me), mutex.health) {
                (true, Health::Inconsistent) => {
                    self.finish(0, |state| state.mutexes[at].health = Health::Consistent);
                }
                _ => self.finish(errno::EINVAL, |_| {}),
            },
            _ => match (mutex.owner == Some(me), mutex.kind) {
                (true, _) => self.finish(0, |state| state.mutexes[at].leave()),
                (false, MutexKind::Normal | MutexKind::Adaptive) => self.misuse(),
                (false, _) => self.finish(errno::EPERM, |_| {}),
            },
        }
    }

    /// Zeroed memory may be initialised, unless it is already in use as a static mutex.
    fn mutex_init(&mut self) {
        let at = self.call.object;
        let mutex = self.state.mutexes[at];
        let is_fresh = mutex.life == Life::Static
            && mutex.kind == MutexKind::Normal
            && mutex.owner.is_none()
            && !self.is_mutex_wanted();
        if !is_fresh && mutex.life != Life::Destroyed {
            return self.misuse();
        }
        let kind = MutexKind::of(self.call.argument);
        self.finish(0, |state| {
            state.mutexes[at] = Mutex::new(Life::Initialised, kind);
        });
    }

    /// Another thread is trying to lock it. A thread that is blocked on a condition variable with it does not count,
    /// although POSIX leaves that undefined, too: it fails when it returns to a destroyed mutex.
    fn is_mutex_wanted(&self) -> bool {
        let at = self.call.object;
        self.is_waited_for(|call, phase| match call.op {
            Op::MutexLock | Op::MutexTimedlock => call.object == at,
            Op::CondWait | Op::CondTimedwait | Op::CondAwait => {
                call.argument == at as i64 && phase != Phase::OnCond
            }
            _ => false,
        })
    }

    /// `refusal` is the answer of an error-checking mutex to its owner.
    fn mutex_lock(&mut self, refusal: i64, patience: Patience) {
        let (me, at) = (self.me as u8, self.call.object);
        let mutex = self.state.mutexes[at];
        match (mutex.owner == Some(me), mutex.kind) {
            (true, MutexKind::Errorcheck) => self.finish(refusal, |_| {}),
            (true, kind) if kind.is_recursive() => self.finish(0, |state| state.enter_mutex(at, me)),
            _ if mutex.health == Health::Lost => self.finish(errno::ENOTRECOVERABLE, |_| {}),
            _ if mutex.owner.is_none() => {
                self.finish(mutex.code_of_next_owner(), |state| state.enter_mutex(at, me));
            }
            // The owner of any other mutex waits for itself.
            _ => self.wait(patience),
        }
    }

    pub fn rwlock(&mut self) {
        let (me, at) = (self.me, self.call.object);
        let lock = self.state.rwlocks[at];
        let is_held = lock.writer.is_some() || lock.readers.iter().any(|&n| n > 0);
        let is_wanted = self.is_waited_for(|call, _| {
            let waits = matches!(call.op, Op::Rdlock | Op::Wrlock | Op::Timedrdlock | Op::Timedwrlock);
            waits && call.object == at
        });
        if self.call.op == Op::RwlockInit {
            if lock.life == Life::Initialised || lock.life == Life::Static && (is_held || is_wanted) {
                return self.misuse();
            }
            return self.finish(0, |state| {
                state.rwlocks[at] =
                    Rwlock { life: Life::Initialised, writer: None, readers: Default::default() };
            });
        }
        if lock.life == Life::Destroyed {
            return self.misuse();
        }
        let patience = match self.call.op {
            Op::Tryrdlock | Op::Trywrlock => Patience::None(errno::EBUSY),
            Op::Timedrdlock | Op::Timedwrlock => self.until_deadline(),
            _ => Patience::Unlimited,
        };
        match self.call.op {
            Op::RwlockDestroy => {
                if is_held || is_wanted {
                    return self.misuse();
                }
                self.finish(0, |state| state.rwlocks[at].life = Life::Destroyed);
            }
            // The implementation decides whether waiting writers keep readers out; here they do not.
            Op::Rdlock | Op::Tryrdlock | Op::Timedrdlock => {
                self.acquire(lock.writer.is_none(), patience, |state| state.rwlocks[at].readers[me] += 1);
            }
            Op::Wrlock | Op::Trywrlock | Op::Timedwrlock => {
                self.acquire(!is_held, patience, |state| state.rwlocks[at].writer = Some(me as u8));
            }
            _ if lock.writer == Some(me as u8) => self.finish(0, |state| state.rwlocks[at].writer = None),
            _ if lock.readers[me] > 0 => self.finish(0, |state| state.rwlocks[at].readers[me] -= 1),
            _ => self.misuse(),
        }
    }

    pub fn spin(&mut self) {
        let (me, at) = (self.me as u8, self.call.object);
        let spin = self.state.spins[at];
        if self.call.op == Op::SpinInit {
            if spin.life == Life::Initialised {
                return self.misuse();
            }
            return self.finish(0, |state| {
                state.spins[at] = Spin { life: Life::Initialised, holder: None };
            });
        }
        if spin.life != Life::Initialised {
            return self.misuse();
        }
        let is_mine = spin.holder == Some(me);
        match self.call.op {
            Op::SpinDestroy => {
                let is_wanted = self.is_waited_for(|call, _| call.op == Op::SpinLock && call.object == at);
                if spin.holder.is_some() || is_wanted {
                    return self.misuse();
                }
                self.finish(0, |state| state.spins[at].life = Life::Destroyed);
            }
            Op::SpinLock if is_mine => self.misuse(),
            Op::SpinLock => self.acquire(spin.holder.is_none(), Patience::Unlimited, |state| {
                state.spins[at].holder = Some(me);
            }),
            Op::SpinTrylock => {
                self.acquire(spin.holder.is_none(), Patience::None(errno::EBUSY), |state| {
                    state.spins[at].holder = Some(me);
                });
            }
            _ if is_mine => self.finish(0, |state| state.spins[at].holder = None),
            _ => self.misuse(),
        }
    }
}

impl Mutex {
    pub fn new(life: Life, kind: MutexKind) -> Mutex {
        Mutex { life, kind, health: Health::Consistent, owner: None, count: 0, rank: 0 }
    }

    /// What a thread that locks the mutex learns.
    pub fn code_of_next_owner(&self) -> i64 {
        match self.health {
            Health::Consistent => 0,
            Health::Inconsistent => errno::EOWNERDEAD,
            Health::Lost => errno::ENOTRECOVERABLE,
        }
    }

    pub fn enter(&mut self, thread: u8) {
        self.owner = Some(thread);
        self.count += 1;
    }

    pub fn leave(&mut self) {
        self.count -= 1;
        if self.count == 0 {
            (self.owner, self.rank) = (None, 0);
            if self.health == Health::Inconsistent {
                self.health = Health::Lost;
            }
        }
    }
}
