//! What an operation does with the answer to its label.

use atropos_event::{BlockReason, Label, Rmw, Step, Value};

use crate::access::Reached;
use crate::code::{Index, Op};
use crate::fault::Fault;
use crate::interp::Thread;

impl Thread<'_, '_> {
    /// Takes up the answer to `label`. Returns the thread's next step if the operation has one more, or
    /// nothing if the thread goes on with the next operation.
    #[inline]
    pub fn answer(&mut self, label: Label, value: Value) -> Result<Option<Step>, Fault> {
        self.count(&label, value);
        match self.function().ops[self.state.pc as usize] {
            Op::Load { dst, size, .. } if is_whole(&label, size) => self.set(dst, value),
            Op::Store { size, .. } if is_whole(&label, size) => {}
            Op::Rmw { dst, .. } | Op::Returned { dst, .. } => self.set(dst, value),
            Op::Cas { old, success, .. } => {
                self.set(old, value);
                self.set(success, u64::from(succeeds(&label, value)));
            }
            Op::Fence { .. } | Op::Free { .. } | Op::Join { .. } => {}
            Op::Alloc { dst, .. } => self.answer_alloc(dst, &label),
            op => return self.answer_rarely(op, label, value),
        }
        self.state.pc += 1;
        Ok(None)
    }

    fn answer_rarely(&mut self, op: Op, label: Label, value: Value) -> Result<Option<Step>, Fault> {
        let next = match op {
            Op::Load { .. } | Op::Store { .. } => self.answer_piece(op, &label, value)?,
            Op::Copy { to, from, length } => {
                self.answer_copy(&label, value)?;
                self.copy(self.get(to), self.get(from), self.get(length))?
            }
            Op::Fill { to, byte, length } => {
                self.take_piece(&label, 0);
                self.fill(self.get(to), self.get(byte), self.get(length))?
            }
            Op::CompareBytes { dst, left, right, length } => {
                let (left, right, length) = (self.get(left), self.get(right), self.get(length));
                match self.answer_compare(&label, value, (left, right, length))? {
                    Reached::Value(order) => {
                        self.set(dst, order);
                        None
                    }
                    Reached::Event(label) => Some(label),
                }
            }
            Op::Spawn { dst, .. } => {
                let Label::Spawn { child } = label else { unreachable!("a spawn's label is {label:?}") };
                self.set(dst, self.threads.region(child).handle());
                self.state.n_children += 1;
                None
            }
            Op::Return { value } | Op::ExitThread { value } => {
                return Ok(Some(self.answer_end(&label, value)));
            }
            Op::Lock { mutex, .. } => {
                if value != 0 {
                    return Ok(Some(Step::Blocked(BlockReason::Lock { reads: 1 })));
                }
                self.hold(self.get(mutex))?;
                None
            }
            Op::TryLock { dst, mutex, .. } => {
                if value == 0 {
                    self.hold(self.get(mutex))?;
                }
                self.set(dst, u64::from(value == 0));
                None
            }
            Op::Unlock { mutex, .. } => {
                self.let_go(self.get(mutex));
                None
            }
            _ => unreachable!("{op:?} does not issue {label:?}"),
        };
        if let Some(label) = next {
            return Ok(Some(Step::Do(label)));
        }
        self.state.progress = 0;
        self.state.partial = 0;
        self.state.pc += 1;
        Ok(None)
    }

    /// One piece of a load or store is done.
    fn answer_piece(&mut self, op: Op, label: &Label, value: Value) -> Result<Option<Label>, Fault> {
        match op {
            Op::Load { dst, addr, size, order, .. } => {
                self.take_piece(label, value);
                if self.state.progress < u64::from(size) {
                    return self.load_piece(self.get(addr), size, order).map(Some);
                }
                self.set(dst, self.state.partial);
            }
            Op::Store { addr, value, size, order, .. } => {
                self.take_piece(label, 0);
                if self.state.progress < u64::from(size) {
                    return self.store_piece(self.get(addr), size, order, self.get(value)).map(Some);
                }
            }
            _ => unreachable!("{op:?} is not made in pieces"),
        }
        Ok(None)
    }

    /// Counts what idle iterations are recognised by.
    fn count(&mut self, label: &Label, value: Value) {
        match label {
            Label::Read { rmw, .. } => {
                self.state.n_reads += 1;
                let writes = match rmw {
                    Rmw::None => false,
                    Rmw::Fetch { .. } => true,
                    Rmw::Cas { .. } => succeeds(label, value),
                };
                self.state.n_writes += u32::from(writes);
            }
            Label::Write { .. } | Label::Alloc { .. } | Label::Free { .. } | Label::Spawn { .. } => {
                self.state.n_writes += 1
            }
            Label::Begin | Label::End | Label::Fence { .. } | Label::Join { .. } => {}
        }
    }

    fn answer_alloc(&mut self, dst: Index, label: &Label) {
        let Label::Alloc { addr, size, .. } = *label else {
            unreachable!("an allocation's label is {label:?}")
        };
        self.occupy(addr, size);
        self.set(dst, addr.0);
    }

    fn answer_end(&mut self, label: &Label, value: Index) -> Step {
        if *label == Label::End {
            return Step::Finished;
        }
        self.state.progress = 1;
        self.end(self.get(value))
    }

    /// A piece of an access is done; a read one is added to the value in hand.
    pub fn take_piece(&mut self, label: &Label, value: Value) {
        let size = label.access().map_or(0, |access| access.size);
        if self.state.progress < 8 {
            self.state.partial |= value << (8 * self.state.progress);
        }
        self.state.progress += u64::from(size);
    }
}

fn is_whole(label: &Label, size: u8) -> bool {
    label.access().is_some_and(|access| access.size == size)
}

/// Whether the read-modify-write of `label` also writes when it reads `value`.
fn succeeds(label: &Label, value: Value) -> bool {
    let Label::Read { access, rmw, .. } = *label else { return false };
    rmw.write_after(access, value).is_some()
}
