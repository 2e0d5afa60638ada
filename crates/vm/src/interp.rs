//! The interpreter: runs one thread from the answer to a label up to its next step.
//!
//! An operation that needs an event stops the loop with its label; the program counter stays on it, and the
//! answer is taken up by [`crate::answer`]. Everything else runs to its end here.

use atropos_event::{Access, BlockReason, Label, ReadOrder, Rmw, Step, ThreadId, Value, WriteOrder};

use crate::answer::Progress;
use crate::arith;
use crate::code::{CONST, FunctionCode, Index, Op};
use crate::fault::Fault;
use crate::float;
use crate::globals::function_at;
use crate::instr::AwaitReason;
use crate::layout::Region;
use crate::private::Pages;
use crate::run::State;
use crate::threads::Threads;
use crate::vm::Vm;

/// A thread while it runs. Its words are the topmost ones of the arena.
pub(crate) struct Thread<'run, 'program> {
    pub vm: &'program Vm,
    pub words: &'run mut Vec<u64>,
    pub pages: &'run mut Pages,
    pub threads: &'run mut Threads,
    pub boundaries: &'run [u64],
    pub id: ThreadId,
    pub start: usize,
    pub state: &'run mut State,
    /// Where the next step goes.
    pub step: &'run mut Step,
}

/// The value of an operand.
#[inline(always)]
fn fetch(words: &[u64], consts: &[u64], base: usize, index: Index) -> u64 {
    if index < CONST { words[base + usize::from(index)] } else { consts[usize::from(index - CONST)] }
}

impl<'program> Thread<'_, 'program> {
    /// Takes up the answer to the step that was pending and runs on.
    #[inline]
    pub fn proceed(&mut self, pending: &Step, value: Value) -> Result<(), Fault> {
        let Step::Do(label) = pending else { panic!("thread {} has no pending label: {pending:?}", self.id) };
        if matches!(label, Label::Begin) || self.answer(label, value)? == Progress::Done {
            return self.run();
        }
        Ok(())
    }

    /// The operation at the program counter needs this event.
    #[inline]
    pub fn perform(&mut self, label: Label) {
        *self.step = Step::Do(label);
    }

    pub fn block(&mut self, reason: BlockReason) {
        *self.step = Step::Blocked(reason);
    }

    pub fn region(&self) -> Region {
        self.threads.region(self.id)
    }

    pub fn function(&self) -> &'program FunctionCode {
        &self.vm.code.functions[self.state.function as usize]
    }

    pub fn base(&self) -> usize {
        self.start + self.state.frame as usize
    }

    pub fn get(&self, index: Index) -> u64 {
        fetch(self.words, &self.function().consts, self.base(), index)
    }

    pub fn set(&mut self, index: Index, value: u64) {
        let base = self.base();
        self.words[base + usize::from(index)] = value;
    }

    #[expect(clippy::too_many_lines, reason = "one arm per operation; what is long has a function elsewhere")]
    pub fn run(&mut self) -> Result<(), Fault> {
        let mut fuel = self.vm.config.budget;
        let mut code = self.function();
        let mut base = self.base();
        let mut pc = self.state.pc as usize;
        macro_rules! get {
            ($index:expr) => {
                fetch(self.words, &code.consts, base, $index)
            };
        }
        macro_rules! set {
            ($index:expr, $value:expr) => {{
                let value = $value;
                self.words[base + usize::from($index)] = value;
            }};
        }
        let outcome = loop {
            macro_rules! attempt {
                ($result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err(fault) => break Err(fault),
                    }
                };
            }
            macro_rules! perform {
                ($label:expr) => {{
                    self.perform($label);
                    break Ok(());
                }};
            }
            // The result of an access: its value, or nothing if its event is to be performed first.
            macro_rules! reach {
                ($result:expr) => {
                    match attempt!($result) {
                        Some(value) => value,
                        None => break Ok(()),
                    }
                };
            }
            match code.ops[pc] {
                Op::Move { dst, value } => set!(dst, get!(value)),
                Op::Add { width, dst, left, right } => {
                    set!(dst, arith::truncate(width, get!(left).wrapping_add(get!(right))))
                }
                Op::Sub { width, dst, left, right } => {
                    set!(dst, arith::truncate(width, get!(left).wrapping_sub(get!(right))))
                }
                Op::Mul { width, dst, left, right } => {
                    set!(dst, arith::truncate(width, get!(left).wrapping_mul(get!(right))))
                }
                Op::And { width, dst, left, right } => {
                    set!(dst, arith::truncate(width, get!(left) & get!(right)))
                }
                Op::Or { width, dst, left, right } => {
                    set!(dst, arith::truncate(width, get!(left) | get!(right)))
                }
                Op::Xor { width, dst, left, right } => {
                    set!(dst, arith::truncate(width, get!(left) ^ get!(right)))
                }
                Op::Binary { op, width, dst, left, right } => {
                    match arith::binary(op, width, get!(left), get!(right)) {
                        Ok(value) => set!(dst, value),
                        Err(arith::DividedByZero) => break Err(Fault::DividedByZero),
                    }
                }
                Op::Unary { op, width, dst, value } => set!(dst, arith::unary(op, width, get!(value))),
                Op::Compare { test, width, dst, left, right } => {
                    set!(dst, test.apply(width, get!(left), get!(right)))
                }
                Op::CompareJump { test, width, dst, left, right, when, to } => {
                    let result = test.apply(width, get!(left), get!(right));
                    set!(dst, result);
                    if result == u64::from(when) {
                        pc = to as usize;
                        continue;
                    }
                }
                Op::Cast { op, from, to, dst, value } => set!(dst, arith::cast(op, from, to, get!(value))),
                Op::Select { dst, condition, then, otherwise } => {
                    set!(dst, if get!(condition) != 0 { get!(then) } else { get!(otherwise) })
                }
                Op::Address { dst, base: from, index, scale, offset } => {
                    let distance = get!(index).wrapping_mul(get!(scale)).wrapping_add(get!(offset));
                    set!(dst, get!(from).wrapping_add(distance))
                }
                Op::FloatBinary { op, format, dst, left, right } => {
                    set!(dst, float::binary(op, format, get!(left), get!(right)))
                }
                Op::FloatUnary { op, format, dst, value } => set!(dst, float::unary(op, format, get!(value))),
                Op::FloatCompare { op, format, dst, left, right } => {
                    set!(dst, u64::from(float::compare(op, format, get!(left), get!(right))))
                }
                Op::Convert { op, format, width, dst, value } => {
                    set!(dst, float::convert(op, format, width, get!(value)))
                }
                Op::FloatResize { to, dst, value } => set!(dst, float::resize(to, get!(value))),
                Op::PrivateAddress { dst, offset } => set!(dst, self.private_address(get!(offset))),
                Op::ThreadLocalAddress { dst, offset } => {
                    set!(dst, self.region().thread_local(get!(offset)))
                }

                Op::Load { dst, addr, size, order, known } => {
                    let addr = get!(addr);
                    if known && self.boundaries.is_empty() {
                        perform!(Label::Read { access: Access::new(addr, size), order, rmw: Rmw::None });
                    }
                    set!(dst, reach!(self.load(addr, size, order)))
                }
                Op::Store { addr, value, size, order, known } => {
                    let (addr, value) = (get!(addr), get!(value));
                    if known && self.boundaries.is_empty() {
                        let access = Access::new(addr, size);
                        let value = access.truncate(value);
                        perform!(Label::Write { access, order, value, exclusive: false });
                    }
                    reach!(self.store(addr, size, order, value));
                }
                Op::Rmw { op, dst, addr, operand, size, read_order: order, write_order, known } => {
                    let access = Access::new(get!(addr), size);
                    let operand = access.truncate(get!(operand));
                    let rmw = Rmw::Fetch { op, operand, write_order };
                    if known && self.boundaries.is_empty() {
                        perform!(Label::Read { access, order, rmw });
                    }
                    set!(dst, reach!(self.modify(access, order, rmw)))
                }
                Op::Cas { old, success, addr, expected, desired, size, orders, known } => {
                    let access = Access::new(get!(addr), size);
                    let (expected, desired) =
                        (access.truncate(get!(expected)), access.truncate(get!(desired)));
                    let (write_order, failure_order) = (orders.write, orders.failure);
                    let rmw = Rmw::Cas { expected, desired, write_order, failure_order };
                    if known && self.boundaries.is_empty() {
                        perform!(Label::Read { access, order: orders.read, rmw });
                    }
                    let value = reach!(self.modify(access, orders.read, rmw));
                    set!(old, value);
                    set!(success, u64::from(value == expected));
                }
                Op::Fence { order } => perform!(Label::Fence { order }),
                Op::Alloc { dst: _, size, align, kind } => {
                    let (size, align) = (get!(size), get!(align));
                    let addr = attempt!(self.place_object(size, align));
                    perform!(Label::Alloc { addr, size, kind });
                }
                Op::Free { addr, kind } => {
                    let addr = get!(addr);
                    if addr != 0 {
                        perform!(Label::Free { addr: atropos_event::Addr(addr), kind });
                    }
                }
                Op::Copy { to, from, length } => {
                    reach!(self.copy(get!(to), get!(from), get!(length)));
                }
                Op::Fill { to, byte, length } => {
                    reach!(self.fill(get!(to), get!(byte), get!(length)));
                }
                Op::CompareBytes { dst, left, right, length } => {
                    set!(dst, reach!(self.compare_bytes(get!(left), get!(right), get!(length))))
                }

                Op::Jump { to } => {
                    pc = to as usize;
                    continue;
                }
                Op::JumpIf { condition, to } => {
                    if get!(condition) != 0 {
                        pc = to as usize;
                        continue;
                    }
                }
                Op::JumpUnless { condition, to } => {
                    if get!(condition) == 0 {
                        pc = to as usize;
                        continue;
                    }
                }
                Op::Switch { value, table } => {
                    let table = &code.switches[table as usize];
                    let value = arith::truncate(table.width, get!(value));
                    let case = table.cases.binary_search_by_key(&value, |&(value, _)| value);
                    pc = case.map_or(table.default, |at| table.cases[at].1) as usize;
                    continue;
                }
                Op::LoopEnter { index } => {
                    self.enter_loop(&code.loops[index as usize]);
                    pc += 2;
                    continue;
                }
                Op::LoopRepeat { index } => {
                    if fuel == 0 {
                        break Err(Fault::NoLabelInSight);
                    }
                    fuel -= 1;
                    if let Some(reason) = self.repeat_loop(&code.loops[index as usize]) {
                        self.block(reason);
                        break Ok(());
                    }
                }
                Op::Call { .. } | Op::CallIndirect { .. } => {
                    if fuel == 0 {
                        break Err(Fault::NoLabelInSight);
                    }
                    fuel -= 1;
                    self.state.pc = pc as u32;
                    attempt!(self.call(code.ops[pc]));
                    (code, base, pc) = (self.function(), self.base(), 0);
                    continue;
                }
                Op::Return { value } => {
                    let value = get!(value);
                    if self.state.depth == 1 {
                        self.end(value);
                        break Ok(());
                    }
                    self.leave(value);
                    (code, base, pc) = (self.function(), self.base(), self.state.pc as usize);
                    continue;
                }
                Op::ExitThread { value } => {
                    self.end(get!(value));
                    break Ok(());
                }

                Op::Spawn { n_args, function, .. } => {
                    attempt!(self.callee(get!(function), n_args));
                    let child = attempt!(self.threads.child(self.id, self.state.n_children));
                    perform!(Label::Spawn { child });
                }
                Op::Join { handle } => {
                    let child = attempt!(self.threads.with_handle(get!(handle)));
                    perform!(Label::Join { child });
                }
                Op::Returned { dst: _, handle } => {
                    let child = attempt!(self.threads.with_handle(get!(handle)));
                    let access = Access::new(self.threads.region(child).return_slot(), 8);
                    perform!(Label::Read { access, order: ReadOrder::NotAtomic, rmw: Rmw::None });
                }
                Op::Current { dst } => set!(dst, self.region().handle()),

                Op::Assume { condition } => {
                    if get!(condition) == 0 {
                        self.block(BlockReason::Assume);
                        break Ok(());
                    }
                }
                Op::Assert { condition } => {
                    if get!(condition) == 0 {
                        break Err(Fault::Assertion);
                    }
                }
                Op::Fail => break Err(Fault::Failure),
                Op::Unsupported => break Err(Fault::Declared),
                Op::Await { condition, reason, reads } => {
                    if get!(condition) == 0 {
                        self.block(match reason {
                            AwaitReason::Lock => BlockReason::Lock { reads },
                            AwaitReason::Wait => BlockReason::Wait { reads },
                        });
                        break Ok(());
                    }
                }
                Op::Lock { mutex, known } => {
                    let mutex = get!(mutex);
                    if reach!(self.acquire(mutex, known)) != 0 {
                        self.block(BlockReason::Lock { reads: 0 });
                        break Ok(());
                    }
                    attempt!(self.hold(mutex));
                }
                Op::TryLock { dst, mutex, known } => {
                    let mutex = get!(mutex);
                    let value = reach!(self.acquire(mutex, known));
                    if value == 0 {
                        attempt!(self.hold(mutex));
                    }
                    set!(dst, u64::from(value == 0));
                }
                Op::Unlock { mutex, known } => {
                    let mutex = get!(mutex);
                    attempt!(self.check_held(mutex));
                    reach!(self.release(mutex, known));
                    self.let_go(mutex);
                }
            }
            pc += 1;
        };
        self.state.pc = pc as u32;
        outcome
    }

    /// The last events of a thread: it leaves its value where somebody may ask for it, then ends.
    pub fn end(&mut self, value: u64) {
        if self.vm.code.keeps_returns && self.id != ThreadId::MAIN && self.state.progress == 0 {
            let access = Access::new(self.region().return_slot(), 8);
            self.perform(Label::Write { access, order: WriteOrder::NotAtomic, value, exclusive: false });
        } else {
            self.perform(Label::End);
        }
    }

    /// The function that an address names, if it can take this many arguments.
    pub fn callee(&self, pointer: u64, n_args: u16) -> Result<u32, Fault> {
        let functions = &self.vm.code.functions;
        let function = function_at(pointer, functions.len()).ok_or(Fault::NotAFunction { addr: pointer })?;
        if usize::from(n_args) < functions[function as usize].n_params {
            return Err(Fault::MissingArguments);
        }
        Ok(function)
    }
}
