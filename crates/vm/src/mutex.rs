//! Mutexes: four bytes, 0 when free and 1 when held [ALGORITHMS §A].
//!
//! To lock is a CAS from 0 to 1 with acquire order, and the thread blocks if it reads anything but 0; to
//! unlock is a release store of 0. Who holds a mutex is not written into it: each thread remembers what it
//! holds itself. So an unlock needs no read to know whether it is allowed, and the values in the graph are
//! the same for all threads. Locking twice blocks, as it does with a normal POSIX mutex.
//!
//! Where the orders of accesses mean nothing to a machine, a fence in front of the store does what its order
//! would have done ([`crate::vm::Config::fenced_unlocks`]).

use atropos_event::{Access, BlockReason, FenceOrder, Label, ReadOrder, Rmw, Value, WriteOrder};

use crate::code::Op;
use crate::fault::Fault;
use crate::interp::Thread;

const FREE: Value = 0;
const HELD: Value = 1;
const SIZE: u8 = 4;

impl Thread<'_, '_> {
    /// Tries to take a mutex: 0 is read if that works.
    pub fn acquire(&mut self, mutex: u64, known: bool) -> Result<Option<Value>, Fault> {
        let access = Access::new(mutex, SIZE);
        let rmw = Rmw::Cas {
            expected: FREE,
            desired: HELD,
            write_order: WriteOrder::Relaxed,
            failure_order: ReadOrder::Relaxed,
        };
        if known && self.overlaps.is_empty() {
            self.perform(Label::Read { access, order: ReadOrder::Acquire, rmw });
            return Ok(None);
        }
        self.modify(access, ReadOrder::Acquire, rmw)
    }

    pub fn release(&mut self, mutex: u64, known: bool) -> Result<Option<Value>, Fault> {
        if known && self.overlaps.is_empty() {
            let access = Access::new(mutex, SIZE);
            let order = WriteOrder::Release;
            self.perform(Label::Write { access, order, value: FREE, exclusive: false });
            return Ok(None);
        }
        self.store(mutex, SIZE, WriteOrder::Release, FREE)
    }

    /// Runs a mutex operation. Gives nothing if the thread stops there.
    pub fn touch_mutex(&mut self, op: Op) -> Result<Option<()>, Fault> {
        match op {
            Op::Lock { mutex, known } => {
                let mutex = self.get(mutex);
                match self.acquire(mutex, known)? {
                    None => Ok(None),
                    Some(FREE) => self.hold(mutex).map(Some),
                    Some(_) => {
                        self.block(BlockReason::Lock { reads: 0 });
                        Ok(None)
                    }
                }
            }
            Op::TryLock { dst, mutex, known } => {
                let mutex = self.get(mutex);
                let Some(value) = self.acquire(mutex, known)? else { return Ok(None) };
                if value == FREE {
                    self.hold(mutex)?;
                }
                self.set(dst, u64::from(value == FREE));
                Ok(Some(()))
            }
            Op::Unlock { mutex, known } => {
                let mutex = self.get(mutex);
                self.check_held(mutex)?;
                if self.vm.config.fenced_unlocks && self.state.progress == 0 {
                    self.perform(Label::Fence { order: FenceOrder::SeqCst });
                    return Ok(None);
                }
                Ok(self.release(mutex, known)?.map(|_| self.let_go(mutex)))
            }
            _ => unreachable!("{op:?} is not about mutexes"),
        }
    }

    fn held_at(&self, mutex: u64) -> Option<usize> {
        self.pages.words(self.state.held).iter().position(|&held| held == mutex)
    }

    /// Remembers that this thread holds `mutex` now.
    pub fn hold(&mut self, mutex: u64) -> Result<(), Fault> {
        let free = self.held_at(0).ok_or(Fault::TooManyMutexes)?;
        self.state.held = self.pages.set_word(self.state.held, free, mutex);
        Ok(())
    }

    pub fn let_go(&mut self, mutex: u64) {
        if let Some(at) = self.held_at(mutex) {
            self.state.held = self.pages.set_word(self.state.held, at, 0);
        }
    }

    pub fn check_held(&self, mutex: u64) -> Result<(), Fault> {
        match self.held_at(mutex) {
            Some(_) if mutex != 0 => Ok(()),
            _ => Err(Fault::NotLocked { mutex }),
        }
    }
}
