//! What an operation does with the answer to its label.
//!
//! The most common operations need only the value. Only the others read the label, which is larger than everything
//! else here.

use atropos_event::{Access, Label, Step, Value};

use crate::code::{Index, Op};
use crate::fault::Fault;
use crate::interp::Thread;
use crate::layout::is_zeroed;

/// The state of an operation after an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The thread continues with the next operation.
    Done,
    /// The operation has made the thread's next step.
    Stopped,
}

impl Thread<'_, '_> {
    /// Processes the answer to `label`.
    #[inline]
    pub fn answer(&mut self, label: &Label, value: Value) -> Result<Progress, Fault> {
        match self.function().ops[self.state.pc as usize] {
            Op::Load { dst, .. } if !self.state.pending.in_pieces => {
                self.state.counts.n_reads += 1;
                self.set(dst, value);
            }
            Op::Store { addr, .. } if !self.state.pending.in_pieces => {
                self.count_write(label, value, true)?;
                if self.vm.code.forgets {
                    self.publish_by_write(self.get(addr));
                }
            }
            Op::Rmw { dst, op, operand, size, addr, .. } if !self.state.pending.in_pieces => {
                let access = Access::new(0, size);
                let changes = op.apply(access, value, access.truncate(self.get(operand))) != value;
                self.state.counts.n_reads += 1;
                self.count_write(label, value, changes)?;
                if self.vm.code.forgets {
                    self.publish_by_write(self.get(addr));
                }
                self.set(dst, value);
            }
            Op::Cas { old, success, expected, desired, size, addr, .. } if !self.state.pending.in_pieces => {
                let unused = 64 - Access::new(0, size).bits();
                let succeeds = (value ^ self.get(expected)) << unused == 0;
                let changes = succeeds && (value ^ self.get(desired)) << unused != 0;
                self.state.counts.n_reads += 1;
                self.count_write(label, value, changes)?;
                if changes && self.vm.code.forgets {
                    self.publish_by_write(self.get(addr));
                }
                self.set(old, value);
                self.set(success, u64::from(succeeds));
            }
            Op::Fence { .. } => {}
            op @ (Op::EnterSection | Op::LeaveSection) => return Ok(self.answer_section(op, value)),
            op => return self.answer_rarely(op, label, value),
        }
        self.state.pc += 1;
        Ok(Progress::Done)
    }

    #[inline(never)]
    fn answer_rarely(&mut self, op: Op, label: &Label, value: Value) -> Result<Progress, Fault> {
        match op {
            Op::Lock { .. } | Op::Unlock { .. } if self.vm.code.hides_locks || self.tries_in_vain() => {
                self.count_lock(label);
            }
            Op::TryLock { kind, .. } if value == kind.free() && self.tries_in_vain() => {
                self.count_lock(label)
            }
            _ => self.count(label, value)?,
        }
        if self.state.pending.asks_life {
            return self.answer_life(op, value);
        }
        let stopped = match op {
            Op::Load { .. } | Op::Store { .. } => self.answer_piece(op, label, value)?.is_none(),
            Op::Copy { .. } => {
                self.answer_copy(label, value);
                self.access_memory(op)?.is_none()
            }
            Op::Fill { .. } => {
                self.take_piece(label, 0);
                self.access_memory(op)?.is_none()
            }
            Op::CompareBytes { dst, left, right, length } => {
                let operands = (self.get(left), self.get(right), self.get(length));
                let order = self.answer_compare(label, value, operands)?;
                order.map(|order| self.set(dst, order)).is_none()
            }
            Op::Return { .. } | Op::ExitThread { .. } => {
                self.answer_end(op, label);
                true
            }
            Op::Halt => {
                *self.step = Step::Finished;
                true
            }
            Op::Lock { mutex, kind, .. } if value == kind.held() => {
                self.wait_for_lock(self.get(mutex), kind, 1)?;
                true
            }
            _ => {
                self.finish(op, label, value)?;
                false
            }
        };
        Ok(self.go_on_unless(stopped))
    }

    pub fn go_on_unless(&mut self, stopped: bool) -> Progress {
        if stopped {
            return Progress::Stopped;
        }
        self.state.partial.progress = 0;
        self.state.partial.value = 0;
        self.state.pending.in_pieces = false;
        self.state.pc += 1;
        Progress::Done
    }

    /// The pending read has found memory that was never written, which is allowed only for a copy and for objects that
    /// start with zeroes.
    pub fn answer_unwritten(&mut self, label: &Label) -> Result<Progress, Fault> {
        let op = self.function().ops[self.state.pc as usize];
        let addr = label.access().map_or(0, |access| access.part().addr.0);
        if matches!(op, Op::Peek { .. }) || is_zeroed(addr) {
            return self.answer(label, 0);
        }
        let Op::Copy { to, from, length } = op else {
            return Err(Fault::Unwritten { addr });
        };
        self.count(label, 0)?;
        let (to, from, length) = (self.get(to), self.get(from), self.get(length));
        self.answer_copy_unwritten(to, from, length)?;
        let stopped = self.access_memory(op)?.is_none();
        Ok(self.go_on_unless(stopped))
    }

    /// The operations for which one answer is enough.
    fn finish(&mut self, op: Op, label: &Label, value: Value) -> Result<(), Fault> {
        match op {
            Op::Free { .. } | Op::Drain { .. } => {}
            Op::Join { handle } => {
                let child = self.threads.with_handle(self.get(handle))?;
                self.give_up(child);
            }
            Op::Claim { .. } if value != 0 => return Err(Fault::NotJoinable),
            Op::Claim { .. } => {}
            Op::Returned { dst, .. } => self.set(dst, value),
            Op::Alloc { dst, .. } => self.answer_alloc(dst, label),
            Op::Spawn { dst, .. } => self.answer_spawn(dst, label),
            Op::Lock { mutex, kind, .. } => {
                self.take(self.get(mutex), kind, value)?;
            }
            Op::TryLock { dst, mutex, kind, .. } => {
                let is_taken = self.take(self.get(mutex), kind, value)?;
                self.set(dst, u64::from(is_taken));
            }
            Op::Peek { dst, .. } => self.set(dst, value),
            Op::Unlock { mutex, .. } => self.let_go(self.get(mutex)),
            _ => unreachable!("{op:?} does not issue {label:?}"),
        }
        Ok(())
    }

    /// One piece of a load or store is done. Returns `None` if there is another one.
    fn answer_piece(&mut self, op: Op, label: &Label, value: Value) -> Result<Option<()>, Fault> {
        match op {
            Op::Load { dst, addr, size, order, .. } => {
                self.take_piece(label, value);
                if self.state.partial.progress < u64::from(size) {
                    return self.load_piece(self.get(addr), size, order).map(|()| None);
                }
                self.set(dst, self.state.partial.value);
            }
            Op::Store { addr, value, size, order, .. } => {
                self.take_piece(label, 0);
                if self.state.partial.progress < u64::from(size) {
                    return self.store_piece(self.get(addr), size, order, self.get(value)).map(|()| None);
                }
            }
            _ => unreachable!("{op:?} is not made in pieces"),
        }
        Ok(Some(()))
    }

    /// Counts the effects that make an iteration not idle. A read-modify-write that writes back what it has read
    /// changes nothing.
    fn count(&mut self, label: &Label, value: Value) -> Result<(), Fault> {
        if self.vm.code.forgets {
            self.publish_by(label);
        }
        match *label {
            Label::Read { access, rmw, .. } if !label.is_merge() => {
                self.state.counts.n_reads += 1;
                let changes =
                    rmw.write_after(access.part(), value).is_some_and(|(written, _)| written != value);
                self.count_write(label, value, changes)?;
            }
            Label::Read { .. }
            | Label::Write { .. }
            | Label::Alloc { .. }
            | Label::Free { .. }
            | Label::Spawn { .. } => self.count_write(label, value, true)?,
            Label::Join { .. } => self.state.children.n_joined += 1,
            Label::Begin | Label::End | Label::Fence { .. } => {}
        }
        Ok(())
    }

    /// Counts a label that may write, and seems to change something or not.
    #[inline]
    fn count_write(&mut self, label: &Label, value: Value, changes: bool) -> Result<(), Fault> {
        let changes = match self.unchanged.compares {
            true => self.changes(label, value)? && changes,
            false => changes,
        };
        self.state.counts.n_writes += u32::from(changes);
        Ok(())
    }

    /// Counts an operation on a lock. One that waits is the last thing that its thread does.
    fn count_lock(&mut self, label: &Label) {
        self.state.counts.n_reads += u32::from(label.is_read());
        self.state.counts.n_locks += 1;
    }

    fn answer_alloc(&mut self, dst: Index, label: &Label) {
        let Label::Alloc { addr, size, .. } = *label else {
            unreachable!("an allocation's label is {label:?}")
        };
        self.occupy(addr, size);
        self.set(dst, addr.0);
    }

    fn answer_spawn(&mut self, dst: Index, label: &Label) {
        let Label::Spawn { child, drains } = *label else { unreachable!("a spawn's label is {label:?}") };
        self.state.children.n_created += 1;
        // A helper thread that only makes a choice for this one need not be joined.
        self.state.children.n_joined += u32::from(!drains);
        self.set(dst, self.threads.region(child).handle());
    }

    /// A piece of an access is done; a piece that was read is added to the partial value.
    pub fn take_piece(&mut self, label: &Label, value: Value) {
        let size = label.access().map_or(0, |access| access.part().size);
        if self.state.partial.progress < 8 {
            self.state.partial.value |= value << (8 * self.state.partial.progress);
        }
        self.state.partial.progress += u64::from(size);
    }
}
