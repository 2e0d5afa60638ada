//! Tiny programs as modules of the virtual machine: a global per variable, a function for each thing that threads do.

use crate::ast::{Ast, Expr, Register, Stmt, Test, Var};
use atropos_event::{ReadOrder, RmwOp, WriteOrder};
use atropos_vm::instr::{AwaitReason, BinaryOp, CasOrders, CompareOp};
use atropos_vm::layout::ThreadRegion;
use atropos_vm::{
    Function, FunctionBuilder, FunctionId, Global, GlobalId, Instr, Module, ModuleBuilder, Operand, Reg,
    Width,
};

/// The size in bytes of the objects that registers point to.
const SIZE: u8 = 4;

/// The module of a program; its entry function is `main`.
pub fn lower(ast: &Ast) -> Module {
    lower_with(ast, None, false)
}

/// The same with mutexes as in Rust: an exchange unlocks them.
pub fn lower_exchanging(ast: &Ast) -> Module {
    lower_with(ast, None, true)
}

/// The module; what is added to [`Var::BARRIER`] becomes calls of the function that `meet` makes, if it is there.
pub(crate) fn lower_with(ast: &Ast, meet: Option<&dyn Fn(GlobalId) -> Function>, exchanges: bool) -> Module {
    let mut module = ModuleBuilder::new();
    let var = |number: usize| Var(number as u8);
    let vars: Vec<_> = (0..Var::NAMES.len())
        .map(|number| module.global(Global::zeroed(Var::NAMES[number], var(number).size(), 1)))
        .collect();
    let meet = meet.map(|meet| module.add(meet(vars[usize::from(Var::BARRIER.0)])));
    let name = |thread: usize| if thread == 0 { "main".to_string() } else { format!("thread{thread}") };
    // Threads that do the same run the same function.
    let first = |thread: usize| ast.threads.iter().position(|body| *body == ast.threads[thread]);
    let mut functions: Vec<FunctionId> = Vec::new();
    for thread in 0..ast.threads.len() {
        let known = first(thread).filter(|&first| 0 < first && first < thread);
        functions.push(known.map_or_else(|| module.declare(&name(thread)), |first| functions[first]));
    }
    for (thread, body) in ast.threads.iter().enumerate() {
        if !functions[..thread].contains(&functions[thread]) {
            let function =
                Lowering { meet, exchanges, ..Lowering::new(ast, &name(thread), &vars, &functions) }
                    .finish(body);
            module.define(functions[thread], function);
        }
    }
    module.finish()
}

/// A function under construction.
struct Lowering<'a> {
    ast: &'a Ast,
    code: FunctionBuilder,
    vars: &'a [GlobalId],
    functions: &'a [FunctionId],
    /// The function in which threads wait at a barrier.
    meet: Option<FunctionId>,
    /// Mutexes are unlocked by exchanges.
    exchanges: bool,
    /// The machine's register for each of ours, created on first use.
    registers: Vec<Option<Reg>>,
    /// The handles of the threads spawned here.
    handles: Vec<Option<Reg>>,
}

impl<'a> Lowering<'a> {
    fn new(ast: &'a Ast, name: &str, vars: &'a [GlobalId], functions: &'a [FunctionId]) -> Self {
        Lowering {
            ast,
            code: FunctionBuilder::new(name),
            vars,
            functions,
            meet: None,
            exchanges: false,
            registers: vec![None; Register::LIMIT],
            handles: vec![None; functions.len()],
        }
    }

    fn finish(mut self, body: &[Stmt]) -> Function {
        self.lower_body(body);
        self.code.finish()
    }

    fn register(&mut self, register: Register) -> Reg {
        *self.registers[register.index()].get_or_insert_with(|| self.code.register(&register.to_string()))
    }

    fn addr(&mut self, var: Var) -> Operand {
        let (whole, offset) = var.whole();
        let start = self.vars[usize::from(whole.0)];
        if whole == var { start.into() } else { self.code.address(start, 0, 1, i64::from(offset)).into() }
    }

    fn lower_body(&mut self, body: &[Stmt]) {
        body.iter().for_each(|stmt| self.lower_stmt(stmt));
    }

    fn lower_stmt(&mut self, stmt: &Stmt) {
        match *stmt {
            Stmt::Load { to, var, order } => {
                let (dst, addr) = (self.register(to), self.addr(var));
                self.code.push(Instr::Load { dst, size: var.size(), order, addr });
            }
            Stmt::Store { var, value, order } => {
                let width = if var.is_pointer() { Width::I64 } else { Width::I32 };
                let value = self.lower_expr(value, width);
                let addr = self.addr(var);
                self.code.store(order, var.size(), addr, value);
            }
            Stmt::Fetch { to, op, var, operand, orders: (read_order, write_order) } => {
                if let Some(meet) = self.meet.filter(|_| var == Var::BARRIER) {
                    let (to, result) = (self.register(to), self.code.call(meet, &[]));
                    return self.code.assign(to, result);
                }
                let (dst, addr, operand) = (Some(self.register(to)), self.addr(var), operand.into());
                let size = var.size();
                self.code.push(Instr::Rmw { op, dst, size, read_order, write_order, addr, operand });
            }
            Stmt::Cas { to, var, expected, desired, orders: (read, write, failure) } => {
                let (old, addr) = (Some(self.register(to)), self.addr(var));
                let orders = CasOrders { read, write, failure };
                let (expected, desired, size, success) = (expected.into(), desired.into(), var.size(), None);
                self.code.push(Instr::Cas { old, success, size, orders, addr, expected, desired });
            }
            Stmt::LoadAt { to, at, order } => self.load_at(to, at, order),
            Stmt::StoreAt { at, value, order } => self.store_at(at, value, order),
            Stmt::New { to } => {
                let (to, object) = (self.register(to), self.code.malloc(u64::from(SIZE)));
                self.code.assign(to, object);
            }
            Stmt::Free(at) => {
                let addr = self.register(at);
                self.code.free(addr);
            }
            Stmt::Fence(order) => self.code.fence(order),
            Stmt::Assume(test) => {
                let condition = self.lower_test(test);
                self.code.assume(condition);
            }
            Stmt::Assert(test) => {
                let condition = self.lower_test(test);
                self.code.assert(condition, &test.to_string());
            }
            Stmt::If(test, ref body) => {
                let condition = self.lower_test(test);
                let end = self.code.fresh_target();
                self.code.jump_unless(condition, end);
                self.lower_body(body);
                self.code.place(end);
            }
            Stmt::Locked(mutex, ref body) => {
                let addr = self.addr(mutex);
                self.lock(addr);
                self.lower_body(body);
                self.unlock(addr);
            }
            Stmt::Spawn(thread) => self.handles[thread] = Some(self.code.spawn(self.functions[thread], &[])),
            Stmt::Join(thread) => {
                let handle = self.handles[thread].map_or_else(|| self.foreign_handle(thread), Operand::from);
                self.code.join(handle);
            }
        }
    }

    fn lock(&mut self, addr: Operand) {
        if !self.exchanges {
            return self.code.lock(addr);
        }
        let (read, write, failure) = (ReadOrder::Acquire, WriteOrder::Relaxed, ReadOrder::Relaxed);
        let (_, taken) = self.code.cas(CasOrders { read, write, failure }, 4, addr, 0, 1);
        self.code.push(Instr::Await { condition: taken.into(), reason: AwaitReason::Lock, reads: 1 });
    }

    fn unlock(&mut self, addr: Operand) {
        if !self.exchanges {
            return self.code.unlock(addr);
        }
        self.code.rmw(RmwOp::Exchange, (ReadOrder::Relaxed, WriteOrder::Release), 4, addr, 0);
    }

    /// The handle of a thread that another one has spawned: it is a function of the thread's name.
    fn foreign_handle(&self, thread: usize) -> Operand {
        let region = ThreadRegion::of_key(self.ast.key(thread)).expect("a short path of creations");
        region.handle().into()
    }

    fn load_at(&mut self, to: Register, at: Register, order: ReadOrder) {
        let (dst, addr) = (self.register(to), self.register(at).into());
        self.unless_null(at, |code| code.push(Instr::Load { dst, size: SIZE, order, addr }));
    }

    fn store_at(&mut self, at: Register, value: Expr, order: WriteOrder) {
        let (addr, value) = (self.register(at), self.lower_expr(value, Width::I32));
        self.unless_null(at, |code| code.store(order, SIZE, addr, value));
    }

    fn unless_null(&mut self, at: Register, act: impl FnOnce(&mut FunctionBuilder)) {
        let addr = self.register(at);
        let end = self.code.fresh_target();
        self.code.jump_unless(addr, end);
        act(&mut self.code);
        self.code.place(end);
    }

    fn lower_expr(&mut self, expr: Expr, width: Width) -> Operand {
        match expr {
            Expr::Const(value) => value.into(),
            Expr::Sum(register, value) => {
                let left = self.register(register);
                self.code.binary(BinaryOp::Add, width, left, value).into()
            }
            Expr::Address(var) => self.addr(var),
        }
    }

    fn lower_test(&mut self, test: Test) -> Reg {
        let op = if test.is_equal { CompareOp::Equal } else { CompareOp::NotEqual };
        let left = self.register(test.register);
        self.code.compare(op, Width::I32, left, test.value)
    }
}
