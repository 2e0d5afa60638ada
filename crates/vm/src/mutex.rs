//! Locks: four bytes that say whether the lock is free, held or destroyed ([`LockKind`], [ALGORITHMS §A]).
//!
//! Locking is a CAS from free to held with acquire order, and the thread blocks if it reads that the lock is held.
//! Unlocking is a release store. The value that the CAS reads also shows a destroyed or uninitialised lock, so
//! neither check costs an event. The lock does not record its holder: each thread remembers what it holds. So an
//! unlock needs no read to know whether it is allowed, and the values in the graph are the same for all threads.
//! Locking twice blocks, as with a normal POSIX mutex.
//!
//! On machines with store buffers, unlocking is a barrier, like the exchange in the C library: the store is
//! sequentially consistent, or stands between two fences if orders have no meaning ([`crate::vm::Buffering`]).

use atropos_event::{
    Access, BlockReason, Label, LockStep, Position, ReadOrder, Rmw, RmwOp, Value, WriteOrder,
};

use crate::code::Op;
use crate::fault::Fault;
use crate::instr::{AwaitReason, LockKind};
use crate::interp::Thread;
use crate::run::VmRun;
use crate::vm::Buffering;

const SIZE: u8 = 4;

impl Thread<'_, '_> {
    /// Tries to take a lock; returns the value read, if that needs no event.
    fn acquire(&mut self, mutex: u64, known: bool, kind: LockKind) -> Result<Option<Value>, Fault> {
        let access = Access::new(mutex, SIZE);
        let rmw = Rmw::Cas {
            expected: kind.free(),
            desired: kind.held(),
            write_order: WriteOrder::Relaxed,
            failure_order: ReadOrder::Relaxed,
        };
        if known && self.overlaps.is_empty() {
            self.perform(Label::Read { access, order: ReadOrder::Acquire, rmw });
            return Ok(None);
        }
        self.modify(access, ReadOrder::Acquire, rmw)
    }

    fn release(&mut self, mutex: u64, known: bool, kind: LockKind) -> Result<Option<Value>, Fault> {
        let order = match (self.vm.config.buffering, kind) {
            (Buffering::Ordered, LockKind::Mutex) => WriteOrder::SeqCst,
            _ => WriteOrder::Release,
        };
        if known && self.overlaps.is_empty() {
            let access = Access::new(mutex, SIZE);
            self.perform(Label::Write { access, order, value: kind.free(), exclusive: false });
            return Ok(None);
        }
        self.store(mutex, SIZE, order, kind.free())
    }

    /// Runs a lock operation. Returns `None` if the thread stops there.
    pub fn touch_mutex(&mut self, op: Op) -> Result<Option<()>, Fault> {
        match op {
            Op::Lock { mutex, known, kind } => {
                let mutex = self.get(mutex);
                let Some(value) = self.acquire(mutex, known, kind)? else { return Ok(None) };
                if self.take(mutex, kind, value)? {
                    return Ok(Some(()));
                }
                self.wait_for_lock(mutex, kind, 0)?;
                Ok(None)
            }
            Op::TryLock { dst, mutex, known, kind } => {
                let mutex = self.get(mutex);
                let Some(value) = self.acquire(mutex, known, kind)? else { return Ok(None) };
                let is_taken = self.take(mutex, kind, value)?;
                self.set(dst, u64::from(is_taken));
                Ok(Some(()))
            }
            Op::Unlock { mutex, known, kind } => {
                let mutex = self.get(mutex);
                self.check_held(mutex)?;
                Ok(self.release(mutex, known, kind)?.map(|_| self.let_go(mutex)))
            }
            _ => unreachable!("{op:?} is not about locks"),
        }
    }

    /// Records that the thread holds the lock, if `value` says that it was free; returns whether it was.
    pub fn take(&mut self, mutex: u64, kind: LockKind, value: Value) -> Result<bool, Fault> {
        if value == kind.free() {
            self.hold(mutex)?;
            return Ok(true);
        }
        if value == kind.held() {
            return Ok(false);
        }
        Err(Fault::NotALock { mutex, is_destroyed: value == LockKind::DESTROYED })
    }

    /// Blocks, because the lock is held. A thread that holds the mutex itself waits forever; for spin locks, POSIX
    /// has no such rule, and the thread fails.
    pub fn wait_for_lock(&mut self, mutex: u64, kind: LockKind, reads: u32) -> Result<(), Fault> {
        if kind == LockKind::Spin && self.held_at(mutex).is_some() {
            return Err(Fault::LockedTwice { mutex });
        }
        self.block(BlockReason::Lock { reads });
        Ok(())
    }

    /// Runs an operation on the list of what the thread holds.
    pub fn touch_held(&mut self, op: Op) -> Result<(), Fault> {
        match op {
            Op::Hold { object } => self.hold(self.get(object))?,
            Op::LetGo { object } => self.let_go(self.get(object)),
            Op::Holds { dst, object } => {
                let object = self.get(object);
                let held = self.pages.words(self.state.held).iter().filter(|&&held| held == object);
                let n_held = held.count() as u64;
                self.set(dst, n_held);
            }
            _ => unreachable!("{op:?} is not about what a thread holds"),
        }
        Ok(())
    }

    fn held_at(&self, mutex: u64) -> Option<usize> {
        self.pages.words(self.state.held).iter().position(|&held| held == mutex)
    }

    pub fn holds_something(&self) -> bool {
        self.pages.words(self.state.held).iter().any(|&held| held != 0)
    }

    pub fn is_held(&self, object: u64) -> bool {
        self.held_at(object).is_some()
    }

    /// Remembers something optional if there is room for it.
    pub fn hold_if_fits(&mut self, object: u64) {
        if let Some(free) = self.held_at(0) {
            self.state.held = self.pages.set_word(self.state.held, free, object);
        }
    }

    /// Remembers that this thread holds `mutex` now.
    fn hold(&mut self, mutex: u64) -> Result<(), Fault> {
        let free = self.held_at(0).ok_or(Fault::TooManyMutexes)?;
        self.state.held = self.pages.set_word(self.state.held, free, mutex);
        Ok(())
    }

    pub fn let_go(&mut self, mutex: u64) {
        if let Some(at) = self.held_at(mutex) {
            self.state.held = self.pages.set_word(self.state.held, at, 0);
        }
    }

    fn check_held(&self, mutex: u64) -> Result<(), Fault> {
        match self.held_at(mutex) {
            Some(_) if mutex != 0 => Ok(()),
            _ => Err(Fault::NotLocked { mutex }),
        }
    }
}

impl VmRun<'_> {
    /// What the step at `position` does at a mutex.
    pub(crate) fn step_at_mutex(&self, position: Position) -> Option<LockStep> {
        let state = &self.snapshots[position.0 as usize].state;
        let ops = &self.vm.code.functions[state.function as usize].ops;
        match ops[state.pc as usize] {
            Op::Lock { kind: LockKind::Mutex, .. } => Some(LockStep::Lock),
            Op::Unlock { kind: LockKind::Mutex, .. } => Some(LockStep::Unlock),
            Op::Cas { success, .. } => {
                let waits = matches!(
                    ops.get(state.pc as usize + 1),
                    Some(&Op::Await { condition, reason: AwaitReason::Lock, .. }) if condition == success
                );
                waits.then_some(LockStep::Lock)
            }
            Op::Rmw { op: RmwOp::Exchange, write_order, .. } if write_order.is_release() => {
                Some(LockStep::Unlock)
            }
            _ => None,
        }
    }
}
