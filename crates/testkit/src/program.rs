//! Tiny programs as [`Program`](atropos_event::Program)s, by re-execution, without the virtual machine.
//!
//! `Replayed(ast)` can be checked directly. The lowered form ([`crate::lower`]) must have the same executions,
//! which is a test of the machine.

use crate::ast::{Ast, Expr, Register, Stmt, Var};
use atropos_event::{
    Access, Addr, AllocKind, Assertion, BlockReason, FenceOrder, Initial, Label, ReadOrder, Reexecutable,
    Rmw, Step, ThreadId, ThreadKey, Value, Violation, WriteOrder,
};
use std::ops::ControlFlow;

const BASE: u64 = 0x1000;
const STRIDE: u64 = 16;
/// Where objects are allocated: each thread has its own part, so addresses depend only on its own past.
const HEAP: u64 = 0x10_0000;
const PART: u64 = 0x1000;
const OBJECT: u64 = 64;

/// The location of a variable. A variable that has parts is always a cell.
pub fn access_of(var: Var) -> Access {
    let (whole, offset) = var.whole();
    let start = BASE + STRIDE * u64::from(whole.0);
    Access::new(start + u64::from(offset), var.size()).within(Access::new(start, whole.size()))
}

impl Reexecutable for Ast {
    fn step(&self, thread: ThreadId, answers: &[Value]) -> Step {
        let next_object = HEAP + PART * thread.index() as u64;
        let mut activation = Activation { answers, registers: [0; Register::LIMIT], next_object };
        let ControlFlow::Break(step) = activation.run_thread(thread, &self.threads[thread.index()]);
        step
    }

    fn key(&self, thread: ThreadId) -> ThreadKey {
        Ast::key(self, thread.index())
    }

    fn initial(&self, access: Access) -> Initial {
        if access.addr.0 < HEAP { Initial::Value(0) } else { Initial::Uninitialised }
    }

    fn name_of(&self, addr: Addr) -> String {
        let var = Var::NAMES.get(((addr.0 - BASE) / STRIDE) as usize).filter(|_| addr.0 < HEAP);
        var.map_or_else(|| addr.to_string(), |name| (*name).to_string())
    }

    fn has_cells(&self) -> bool {
        self.uses_parts()
    }

    fn violation(&self, _thread: ThreadId, _answers: &[Value]) -> Violation {
        Violation::Assertion(Assertion::Message("an assertion failed".to_string()))
    }
}

/// A running thread: the answers that it has not used yet, and its registers.
struct Activation<'answers> {
    answers: &'answers [Value],
    registers: [Value; Register::LIMIT],
    next_object: u64,
}

/// Execution continues with a value or stops at a step.
type Flow<T> = ControlFlow<Step, T>;

impl Activation<'_> {
    fn run_thread(&mut self, thread: ThreadId, body: &[Stmt]) -> ControlFlow<Step, std::convert::Infallible> {
        if thread != ThreadId::MAIN {
            self.perform(Label::Begin)?;
        }
        self.run(body)?;
        self.perform(Label::End)?;
        ControlFlow::Break(Step::Finished)
    }

    /// Performs an event if its answer is known, and stops there otherwise.
    fn perform(&mut self, label: Label) -> Flow<Value> {
        match self.answers.split_first() {
            Some((&answer, rest)) => {
                self.answers = rest;
                ControlFlow::Continue(answer)
            }
            None => ControlFlow::Break(Step::Do(label)),
        }
    }

    fn run(&mut self, body: &[Stmt]) -> Flow<()> {
        body.iter().try_for_each(|stmt| self.run_stmt(stmt))
    }

    fn run_stmt(&mut self, stmt: &Stmt) -> Flow<()> {
        match *stmt {
            Stmt::Load { to, var, order } => {
                self.registers[to.index()] = self.read(access_of(var), order, Rmw::None)?;
            }
            Stmt::Store { var, value, order } => self.write(access_of(var), order, value)?,
            Stmt::LoadAt { to, at, order } => {
                if let Some(access) = self.pointed(at) {
                    self.registers[to.index()] = self.read(access, order, Rmw::None)?;
                }
            }
            Stmt::StoreAt { at, value, order } => {
                if let Some(access) = self.pointed(at) {
                    self.write(access, order, value)?;
                }
            }
            Stmt::New { to } => {
                let addr = Addr(self.next_object);
                self.next_object += OBJECT;
                self.perform(Label::Alloc { addr, size: 4, kind: AllocKind::Heap })?;
                self.registers[to.index()] = addr.0;
            }
            Stmt::Free(at) => {
                if let Some(Access { addr, .. }) = self.pointed(at) {
                    self.perform(Label::Free { addr, kind: AllocKind::Heap })?;
                }
            }
            Stmt::Fetch { to, op, var, operand, orders: (order, write_order) } => {
                self.registers[to.index()] =
                    self.read(access_of(var), order, Rmw::Fetch { op, operand, write_order })?;
            }
            Stmt::Cas { to, var, expected, desired, orders: (order, write_order, failure_order) } => {
                let rmw = Rmw::Cas { expected, desired, write_order, failure_order };
                self.registers[to.index()] = self.read(access_of(var), order, rmw)?;
            }
            Stmt::Fence(order) => self.fence(order)?,
            Stmt::Assume(test) => {
                if !test.holds(&self.registers) {
                    return ControlFlow::Break(Step::Blocked(BlockReason::Assume));
                }
            }
            Stmt::Assert(test) => {
                if !test.holds(&self.registers) {
                    return ControlFlow::Break(Step::Failed);
                }
            }
            Stmt::If(test, ref body) => {
                if test.holds(&self.registers) {
                    self.run(body)?;
                }
            }
            Stmt::Locked(mutex, ref body) => {
                self.lock(mutex)?;
                self.run(body)?;
                self.write(access_of(mutex), WriteOrder::Release, Expr::Const(0))?;
            }
            Stmt::Spawn(child) => {
                self.perform(Label::Spawn { child: ThreadId::new(child), drains: true })?;
            }
            Stmt::Join(child) => drop(self.perform(Label::Join { child: ThreadId::new(child) })?),
        }
        ControlFlow::Continue(())
    }

    /// The four bytes that a register points to, if it is not 0.
    fn pointed(&self, at: Register) -> Option<Access> {
        let addr = self.registers[at.index()];
        (addr != 0).then(|| Access::new(addr, 4))
    }

    fn read(&mut self, access: Access, order: ReadOrder, rmw: Rmw) -> Flow<Value> {
        self.perform(Label::Read { access, order, rmw }).map_continue(|value| access.narrow(value))
    }

    fn write(&mut self, access: Access, order: WriteOrder, value: Expr) -> Flow<()> {
        let value = access.part().truncate(match value {
            Expr::Const(value) => value,
            Expr::Sum(register, value) => self.registers[register.index()].wrapping_add(value),
            Expr::Address(var) => access_of(var).addr.0,
        });
        if access.is_whole() {
            self.perform(Label::Write { access, order, value, exclusive: false })?;
        } else {
            self.read(access, ReadOrder::NotAtomic, Rmw::Merge { value, write_order: order })?;
        }
        ControlFlow::Continue(())
    }

    fn fence(&mut self, order: FenceOrder) -> Flow<()> {
        self.perform(Label::Fence { order })?;
        ControlFlow::Continue(())
    }

    /// An acquire CAS from 0 to 1 that blocks if it fails.
    fn lock(&mut self, mutex: Var) -> Flow<()> {
        let (write_order, failure_order) = (WriteOrder::Relaxed, ReadOrder::Relaxed);
        let rmw = Rmw::Cas { expected: 0, desired: 1, write_order, failure_order };
        match self.read(access_of(mutex), ReadOrder::Acquire, rmw)? {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(Step::Blocked(BlockReason::Lock { reads: 1 })),
        }
    }
}
