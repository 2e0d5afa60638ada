//! Tiny programs as modules of the virtual machine: a global per variable, a function per thread.

use crate::ast::{Ast, Expr, Register, Stmt, Test, Var};
use atropos_vm::instr::{BinaryOp, CasOrders, CompareOp};
use atropos_vm::{
    Function, FunctionBuilder, FunctionId, Global, GlobalId, Instr, Module, ModuleBuilder, Operand, Reg,
    Width,
};

const SIZE: u8 = 4;

/// The module of a program; its entry function is `main`.
pub fn lower(ast: &Ast) -> Module {
    let mut module = ModuleBuilder::new();
    let vars = Var::NAMES.map(|name| module.global(Global::zeroed(name, SIZE, 1)));
    let name = |thread: usize| if thread == 0 { "main".to_string() } else { format!("thread{thread}") };
    let functions: Vec<_> = (0..ast.threads.len()).map(|thread| module.declare(&name(thread))).collect();
    for (thread, body) in ast.threads.iter().enumerate() {
        let function = Lowering::new(&name(thread), &vars, &functions).finish(body);
        module.define(functions[thread], function);
    }
    module.finish()
}

/// One function on its way.
struct Lowering<'a> {
    code: FunctionBuilder,
    vars: &'a [GlobalId],
    functions: &'a [FunctionId],
    /// The machine's register for each of ours, made when first used.
    registers: Vec<Option<Reg>>,
    /// The handles of spawned threads.
    handles: Vec<Option<Reg>>,
}

impl<'a> Lowering<'a> {
    fn new(name: &str, vars: &'a [GlobalId], functions: &'a [FunctionId]) -> Self {
        Lowering {
            code: FunctionBuilder::new(name),
            vars,
            functions,
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

    fn addr(&self, var: Var) -> Operand {
        self.vars[usize::from(var.0)].into()
    }

    fn lower_body(&mut self, body: &[Stmt]) {
        body.iter().for_each(|stmt| self.lower_stmt(stmt));
    }

    fn lower_stmt(&mut self, stmt: &Stmt) {
        match *stmt {
            Stmt::Load { to, var, order } => {
                let (dst, addr) = (self.register(to), self.addr(var));
                self.code.push(Instr::Load { dst, size: SIZE, order, addr });
            }
            Stmt::Store { var, value, order } => {
                let value = self.lower_expr(value);
                self.code.store(order, SIZE, self.addr(var), value);
            }
            Stmt::Fetch { to, op, var, operand, orders: (read_order, write_order) } => {
                let (dst, addr, operand) = (Some(self.register(to)), self.addr(var), operand.into());
                self.code.push(Instr::Rmw { op, dst, size: SIZE, read_order, write_order, addr, operand });
            }
            Stmt::Cas { to, var, expected, desired, orders: (read, write, failure) } => {
                let (old, addr) = (Some(self.register(to)), self.addr(var));
                let orders = CasOrders { read, write, failure };
                let (expected, desired) = (expected.into(), desired.into());
                self.code.push(Instr::Cas {
                    old,
                    success: None,
                    size: SIZE,
                    orders,
                    addr,
                    expected,
                    desired,
                });
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
                self.code.lock(self.addr(mutex));
                self.lower_body(body);
                self.code.unlock(self.addr(mutex));
            }
            Stmt::Spawn(thread) => self.handles[thread] = Some(self.code.spawn(self.functions[thread], &[])),
            Stmt::Join(thread) => {
                let handle = self.handles[thread].expect("a thread is joined by the one that spawned it");
                self.code.join(handle);
            }
        }
    }

    fn lower_expr(&mut self, expr: Expr) -> Operand {
        match expr {
            Expr::Const(value) => value.into(),
            Expr::Sum(register, value) => {
                let left = self.register(register);
                self.code.binary(BinaryOp::Add, Width::I32, left, value).into()
            }
        }
    }

    fn lower_test(&mut self, test: Test) -> Reg {
        let op = if test.is_equal { CompareOp::Equal } else { CompareOp::NotEqual };
        let left = self.register(test.register);
        self.code.compare(op, Width::I32, left, test.value)
    }
}
