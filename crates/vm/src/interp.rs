//! The interpreter: runs one thread from the answer to a label up to its next step.
//!
//! An operation that needs an event stops the loop with its label; the program counter stays on it, and
//! [`crate::answer`] processes the answer. Everything else runs to completion here.

use atropos_event::{
    Access, Addr, AllocKind, BlockReason, FenceOrder, Label, ReadOrder, Rmw, RmwOp, Step, ThreadId, Value,
    WriteOrder,
};

use crate::access::Kind;
use crate::answer::Progress;
use crate::arith::{self, NoQuotient};
use crate::code::{FunctionCode, Index, Op};
use crate::fault::Fault;
use crate::globals::function_at;
use crate::instr::AwaitReason;
use crate::layout::{Part, ThreadRegion};
use crate::mixing::StoredParts;
use crate::overlaps::Overlaps;
use crate::private::{PAGE_WORDS, Pages};
use crate::registers;
use crate::state::State;
use crate::threads::Threads;
use crate::unchanged::Known;
use crate::vm::Vm;

/// A thread while it runs. Its words are the topmost ones of the arena.
pub(crate) struct Thread<'run, 'program> {
    pub vm: &'program Vm,
    pub words: &'run mut Vec<u64>,
    pub pages: &'run mut Pages,
    pub threads: &'run mut Threads,
    pub overlaps: &'run Overlaps,
    pub unchanged: &'run Known,
    pub id: ThreadId,
    pub start: usize,
    pub state: &'run mut State,
    /// The number of backward jumps and calls that are left without a label.
    pub fuel: u64,
    /// Receives the next step.
    pub step: &'run mut Step,
    /// The thread's next position, and what has been printed so far.
    pub position: u32,
    pub output: &'run mut Vec<(u32, String)>,
}

impl<'program> Thread<'_, 'program> {
    /// Processes the answer to the pending step and continues.
    #[inline]
    pub fn proceed(&mut self, pending: &Step, value: Value) -> Result<(), Fault> {
        let Step::Do(label) = pending else { panic!("thread {} has no pending label: {pending:?}", self.id) };
        let is_part = self.overlaps.has_cells();
        let value = if is_part { label.access().map_or(value, |access| access.narrow(value)) } else { value };
        if matches!(label, Label::Begin) || self.answer(label, value)? == Progress::Done {
            return self.run();
        }
        Ok(())
    }

    /// The same for a read of memory that was never written.
    pub fn proceed_unwritten(&mut self, pending: &Step) -> Result<(), Fault> {
        let Step::Do(label) = pending else { panic!("thread {} has no pending label: {pending:?}", self.id) };
        match self.answer_unwritten(label)? {
            Progress::Done => self.run(),
            Progress::Stopped => Ok(()),
        }
    }

    /// The operation at the program counter needs this event.
    #[inline]
    pub fn perform(&mut self, label: Label) -> Progress {
        *self.step = Step::Do(label);
        Progress::Stopped
    }

    pub fn block(&mut self, reason: BlockReason) -> Progress {
        *self.step = Step::Blocked(reason);
        Progress::Stopped
    }

    pub fn region(&self) -> ThreadRegion {
        self.threads.region(self.id)
    }

    pub fn function(&self) -> &'program FunctionCode {
        &self.vm.code.functions[self.state.function as usize]
    }

    pub fn base(&self) -> usize {
        self.start + self.state.frames.top as usize
    }

    pub fn get(&self, index: Index) -> u64 {
        registers::fetch(&self.words[self.base()..], &self.function().consts, index)
    }

    pub fn set(&mut self, index: Index, value: u64) {
        let base = self.base();
        self.words[base + usize::from(index)] = value;
    }

    /// Runs up to the next step.
    pub fn run(&mut self) -> Result<(), Fault> {
        loop {
            let (code, base) = (self.function(), self.base());
            let stop = registers::run(
                code,
                &mut self.words[base..],
                self.state.pc as usize,
                self.overlaps.is_empty().then_some(&mut *self.step),
            );
            self.state.pc = stop.pc as u32;
            if stop.issued || self.special(code.ops[stop.pc])? == Progress::Stopped {
                return Ok(());
            }
        }
    }

    /// An operation that needs more than the registers of its frame.
    #[inline(never)]
    fn special(&mut self, op: Op) -> Result<Progress, Fault> {
        match op {
            Op::LoopEnter { index } => {
                self.enter_loop(&self.function().loops[index as usize]);
                self.state.pc += 2;
                return Ok(Progress::Done);
            }
            Op::LoopRepeat { index } => {
                self.use_fuel()?;
                if let Some(reason) = self.repeat_loop(&self.function().loops[index as usize])? {
                    return Ok(self.block(reason));
                }
            }
            Op::LoopTurn { index } => {
                if let Some(reason) = self.turn_loop(&self.function().loops[index as usize])? {
                    return Ok(self.block(reason));
                }
            }
            Op::Forget { .. } | Op::Mirror { .. } => self.note_access(op),
            Op::Call { .. } | Op::CallIndirect { .. } => {
                self.use_fuel()?;
                self.call(op)?;
                return Ok(Progress::Done);
            }
            Op::Return { value } if self.state.frames.depth > 1 => {
                self.leave(self.get(value));
                return Ok(Progress::Done);
            }
            Op::Return { .. } | Op::ExitThread { .. } => return Ok(self.end(op)),
            Op::Halt if self.id != ThreadId::MAIN => return Ok(self.block(BlockReason::Exit)),
            Op::Halt => return Ok(self.perform(Label::End)),
            Op::EnterSection | Op::LeaveSection => return self.touch_section(op),
            Op::Word { dst } => self.set(dst, self.state.word),
            Op::SetWord { value } => self.state.word = self.get(value),
            Op::Pack { dst, size, from } => {
                let value = self.pack(self.get(from), size)?;
                self.set(dst, value);
            }
            Op::Unwritten { dst, size, addr } => {
                self.set(dst, u64::from(self.is_unwritten(self.get(addr), size)?));
            }
            Op::Unpack { to, size, value } => {
                self.unpack(self.get(to), size, self.get(value))?;
            }
            Op::Format { .. } | Op::ParseFloat { .. } | Op::Print { .. } => self.show(op)?,
            Op::PrivateAddress { .. }
            | Op::ThreadLocalAddress { .. }
            | Op::Current { .. }
            | Op::NextChild { .. }
            | Op::Offered { .. }
            | Op::Detach { .. } => self.ask_for_place(op)?,
            Op::Spawn { .. } | Op::Join { .. } | Op::Claim { .. } | Op::Returned { .. } => {
                return self.ask_for_thread(op);
            }
            Op::Assume { .. } | Op::Assert { .. } | Op::Fail { .. } | Op::Unsupported | Op::Await { .. } => {
                if self.test(op)? == Progress::Stopped {
                    return Ok(Progress::Stopped);
                }
            }
            Op::Fence { .. } | Op::Drain { .. } => return self.drain(op),
            Op::Binary { op, width, left, right, .. } => {
                return Err(no_quotient(arith::binary(op, width, self.get(left), self.get(right))));
            }
            _ => {
                if self.access_memory(op)?.is_none() {
                    return Ok(Progress::Stopped);
                }
            }
        }
        self.state.pc += 1;
        Ok(Progress::Done)
    }

    /// A fence, or an access that drains the store buffer although its object is private.
    fn drain(&mut self, op: Op) -> Result<Progress, Fault> {
        let order = match op {
            Op::Fence { order } => order,
            Op::Drain { addr, size } => {
                let kind = match self.kind_of(self.get(addr), u64::from(size)) {
                    Err(Fault::OthersThreadLocal { .. }) => Kind::Shared,
                    kind => kind?,
                };
                if !matches!(kind, Kind::Private | Kind::Fresh) {
                    self.state.pc += 1;
                    return Ok(Progress::Done);
                }
                FenceOrder::SeqCst
            }
            op => unreachable!("{op:?} drains nothing"),
        };
        if order == FenceOrder::SeqCst {
            self.state.stored_parts = StoredParts::default();
        }
        Ok(self.perform(Label::Fence { order }))
    }

    /// An operation without an event that concerns threads or their memory.
    fn ask_for_place(&mut self, op: Op) -> Result<(), Fault> {
        match op {
            Op::PrivateAddress { dst, offset } => self.set(dst, self.private_address(self.get(offset))),
            Op::ThreadLocalAddress { dst, offset } => {
                self.set(dst, self.region().thread_local(self.get(offset)));
            }
            Op::Current { dst } => self.set(dst, self.region().handle()),
            Op::NextChild { dst } => {
                let child = self.threads.child(self.id, self.state.children.n_created)?;
                self.set(dst, self.threads.region(child).handle());
            }
            Op::Offered { dst, handle } => {
                let thread = self.threads.with_handle(self.get(handle))?;
                self.set(dst, self.threads.region(thread).offer_slot());
            }
            Op::Detach { handle } => {
                let child = self.threads.with_handle(self.get(handle))?;
                self.check_joinable(child)?;
                self.give_up(child);
            }
            op => unreachable!("{op:?} is about no thread"),
        }
        Ok(())
    }

    /// An operation whose event concerns another thread.
    fn ask_for_thread(&mut self, op: Op) -> Result<Progress, Fault> {
        let label = match op {
            Op::Spawn { n_args, function, drains, .. } => {
                self.callee(self.get(function), n_args)?;
                Label::Spawn { child: self.threads.child(self.id, self.state.children.n_created)?, drains }
            }
            Op::Join { handle } => {
                let child = self.threads.with_handle(self.get(handle))?;
                self.check_joinable(child)?;
                if child == self.id {
                    return Err(Fault::JoinsItself);
                }
                Label::Join { child }
            }
            Op::Claim { handle } => self.claim(self.threads.with_handle(self.get(handle))?),
            Op::Returned { handle, .. } => {
                let child = self.threads.with_handle(self.get(handle))?;
                let access = Access::new(self.threads.region(child).return_slot(), 8);
                Label::Read { access, order: ReadOrder::NotAtomic, rmw: Rmw::None }
            }
            op => unreachable!("{op:?} is about no thread"),
        };
        Ok(self.perform(label))
    }

    /// Records that a thread was joined or detached, and reads whether it was before.
    fn claim(&self, child: ThreadId) -> Label {
        let access = Access::new(self.threads.region(child).claim_slot(), 8);
        let (op, write_order) = (RmwOp::Exchange, WriteOrder::Relaxed);
        Label::Read { access, order: ReadOrder::Relaxed, rmw: Rmw::Fetch { op, operand: 1, write_order } }
    }

    /// The number of a child of this thread, if its state is tracked.
    fn child_number(&self, child: ThreadId) -> Option<usize> {
        self.threads.number_of(self.id, child).filter(|&nth| nth < 64 * PAGE_WORDS)
    }

    fn check_joinable(&self, child: ThreadId) -> Result<(), Fault> {
        let is_gone = match self.child_number(child) {
            Some(nth) => self.pages.word(self.state.children.gone, nth / 64) >> (nth % 64) & 1 == 1,
            None => self.is_held(self.joined(child)),
        };
        if is_gone { Err(Fault::NotJoinable) } else { Ok(()) }
    }

    /// From now on, `child` must not be joined.
    pub fn give_up(&mut self, child: ThreadId) {
        if let Some(nth) = self.child_number(child) {
            let word = self.pages.word(self.state.children.gone, nth / 64) | 1 << (nth % 64);
            self.state.children.gone = self.pages.set_word(self.state.children.gone, nth / 64, word);
        } else if !self.is_held(self.joined(child)) {
            self.hold_if_fits(self.joined(child));
        }
    }

    /// The word that a thread holds when it has joined or detached a thread that it did not create.
    fn joined(&self, thread: ThreadId) -> u64 {
        1 << 63 | self.threads.region(thread).handle()
    }

    /// Counts the backward jumps and calls without a label.
    fn use_fuel(&mut self) -> Result<(), Fault> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Fault::NoLabelInSight)?;
        Ok(())
    }

    /// An operation that checks something.
    fn test(&mut self, op: Op) -> Result<Progress, Fault> {
        match op {
            Op::Assume { condition } if self.get(condition) == 0 => Ok(self.block(BlockReason::Assume)),
            Op::Assert { condition } if self.get(condition) == 0 => Err(Fault::Assertion),
            Op::Fail { object } => Err(Fault::Failure { object: self.get(object) }),
            Op::Unsupported => Err(Fault::Declared),
            Op::Await { condition, reason, reads } if self.get(condition) == 0 => {
                Ok(self.block(match reason {
                    AwaitReason::Lock => BlockReason::Lock { reads },
                    AwaitReason::Wait | AwaitReason::Round => BlockReason::Wait { reads },
                }))
            }
            _ => Ok(Progress::Done),
        }
    }

    /// An operation on memory. Returns `None` if its event must be performed first.
    pub fn touch_memory(&mut self, op: Op) -> Result<Option<()>, Fault> {
        let done = match op {
            Op::Load { dst, addr, size, order, .. } => {
                self.load(self.get(addr), size, order)?.map(|value| self.set(dst, value))
            }
            Op::Store { addr, value, size, order, .. } => {
                self.store(self.get(addr), size, order, self.get(value))?.map(drop)
            }
            Op::Rmw { op, dst, addr, operand, size, read_order: order, write_order, .. } => {
                let access = Access::new(self.get(addr), size);
                let operand = access.truncate(self.get(operand));
                let rmw = Rmw::Fetch { op, operand, write_order };
                self.modify(access, order, rmw)?.map(|value| self.set(dst, value))
            }
            Op::Cas { old, success, addr, expected, desired, size, orders, .. } => {
                let access = Access::new(self.get(addr), size);
                let expected = access.truncate(self.get(expected));
                let rmw = Rmw::Cas {
                    expected,
                    desired: access.truncate(self.get(desired)),
                    write_order: orders.write,
                    failure_order: orders.failure,
                };
                self.modify(access, orders.read, rmw)?.map(|value| {
                    self.set(old, value);
                    self.set(success, u64::from(value == expected));
                })
            }
            Op::Alloc { size, align, kind, zeroed, .. } => {
                let (size, align) = (self.get(size), self.get(align));
                let addr = self.place_object(size, align, zeroed)?;
                self.perform(Label::Alloc { addr, size, kind });
                None
            }
            Op::Free { addr, kind } => match self.get(addr) {
                0 => Some(()),
                addr if kind == AllocKind::Heap && !is_allocated(addr) => {
                    return Err(Fault::NotAllocated { addr });
                }
                addr => {
                    self.perform(Label::Free { addr: Addr(addr), kind });
                    None
                }
            },
            Op::Copy { to, from, length } => {
                self.copy(self.get(to), self.get(from), self.get(length))?.map(drop)
            }
            Op::Fill { to, byte, length } => {
                self.fill(self.get(to), self.get(byte), self.get(length))?.map(drop)
            }
            Op::CompareBytes { dst, left, right, length } => {
                let order = self.compare_bytes(self.get(left), self.get(right), self.get(length))?;
                order.map(|order| self.set(dst, order))
            }
            Op::Lock { .. } | Op::TryLock { .. } | Op::Unlock { .. } => self.touch_mutex(op)?,
            Op::Hold { .. } | Op::LetGo { .. } | Op::Holds { .. } => Some(self.touch_held(op)?),
            Op::Peek { dst, addr, size } => {
                self.peek(self.get(addr), size)?.map(|value| self.set(dst, value))
            }
            op => unreachable!("{op:?} needs registers only"),
        };
        Ok(done)
    }

    /// The function at an address, if it accepts this many arguments.
    pub fn callee(&self, pointer: u64, n_args: u16) -> Result<u32, Fault> {
        let functions = &self.vm.code.functions;
        let function = function_at(pointer, functions.len()).ok_or(Fault::NotAFunction { addr: pointer })?;
        if usize::from(n_args) < functions[function as usize].n_required {
            return Err(Fault::MissingArguments);
        }
        Ok(function)
    }
}

/// Why an operation has no result.
fn no_quotient(result: Result<u64, NoQuotient>) -> Fault {
    match result {
        Err(NoQuotient::Overflow) => Fault::QuotientOverflows,
        Err(NoQuotient::ByZero) | Ok(_) => Fault::DividedByZero,
    }
}

/// Whether an allocation may have returned `addr`: variables and functions are elsewhere.
fn is_allocated(addr: u64) -> bool {
    ThreadRegion::of_addr(addr)
        .is_some_and(|region| matches!(region.part(addr), Part::Heap(_) | Part::Zeroes(_)))
}
