//! Threads and statements of the C dialect.

use super::code::{CodeBuilder, Typed};
use super::{Context, Registers};
use crate::ast::c::{self, Expr, MemoryOrder, Statement, StatementKind};
use crate::ast::types::Type;
use crate::condition::Constant;
use atropos_event::Span;
use atropos_event::{FenceOrder, WriteOrder};
use atropos_vm::instr::Instr;
use atropos_vm::{Operand, Reg};

pub(crate) fn lower_threads(
    context: &mut Context<'_>,
    threads: &[c::Thread],
) -> Vec<(CodeBuilder, Registers)> {
    let lower = |(number, thread): (usize, &c::Thread)| {
        let mut lowering = ThreadLowering {
            context,
            thread,
            name: format!("P{number}"),
            code: CodeBuilder::new(&format!("P{number}")),
            locals: Registers::new(),
        };
        lowering.set_initial_registers(number);
        lowering.statements(&thread.body);
        (lowering.code, lowering.locals)
    };
    threads.iter().enumerate().map(lower).collect()
}

/// The lowering of one thread; see `expression.rs` for its other half.
pub struct ThreadLowering<'thread, 'test> {
    pub context: &'thread mut Context<'test>,
    pub thread: &'thread c::Thread,
    pub name: String,
    pub code: CodeBuilder,
    /// The locals declared so far. A name denotes one local in the whole thread, in any block.
    pub locals: Registers,
}

impl ThreadLowering<'_, '_> {
    fn set_initial_registers(&mut self, number: usize) {
        for (name, value, ty, span) in self.context.initial_registers(number) {
            let (operand, default) = match &value {
                Constant::Int(value) => (Typed::int(*value).operand, Typed::int(*value).ty),
                Constant::Address(location) => match self.context.locations.get(location) {
                    Some(location) => (Operand::Global(location.global), location.ty.pointer_to()),
                    None => continue,
                },
            };
            let ty = ty.unwrap_or(default);
            if let Some(register) = self.declare(&name, ty, span) {
                let value = self.code.convert(Typed { operand, ty: default }, ty);
                self.code.builder.assign(register, value);
            }
        }
        self.code.release_temporaries();
    }

    /// The register of the local `name`. Declaring a name again reuses the local.
    fn declare(&mut self, name: &str, ty: Type, span: Span) -> Option<Reg> {
        if self.thread.parameters.iter().any(|parameter| parameter.name == name) {
            self.context.complain(span, format!("`{name}` is already a parameter of {}", self.name));
            return None;
        }
        match self.locals.get(name) {
            Some(&(register, known)) if known.size() == ty.size() && known.is_signed() == ty.is_signed() => {
                self.locals.insert(name.to_owned(), (register, ty));
                Some(register)
            }
            Some(&(_, known)) => {
                self.context.complain(span, format!("`{name}` is already declared as `{known}`"));
                None
            }
            None => {
                let register = self.code.builder.register(name);
                self.locals.insert(name.to_owned(), (register, ty));
                Some(register)
            }
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.mark_source(statement);
            self.statement(statement);
            self.code.release_temporaries();
        }
    }

    /// The following code comes from `statement`.
    fn mark_source(&mut self, statement: &Statement) {
        let source = self.context.sources.place(statement.span, statement.to_string());
        let source = self.context.module.source(source);
        self.code.builder.at(Some(source));
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Declare { ty, name, value } => {
                let value = value.as_ref().map(|value| self.expr(value));
                if let Some(register) = self.declare(name, *ty, statement.span)
                    && let Some(value) = value
                {
                    let value = self.code.convert(value, *ty);
                    self.code.builder.assign(register, value);
                }
            }
            StatementKind::Assign { name, value } => self.assign(name, value, statement.span),
            StatementKind::Store { pointer, value, order } => {
                self.store(pointer, value, *order, statement.span);
            }
            StatementKind::Fence(order) => {
                if let Some(order) = fence_order(*order) {
                    self.code.builder.fence(order);
                }
            }
            StatementKind::Evaluate(expr) => {
                self.expr(expr);
            }
            StatementKind::If { condition, then, otherwise } => self.branch(condition, then, otherwise),
            StatementKind::While { condition, body } => {
                let (head, exit) = (self.code.builder.fresh_target(), self.code.builder.fresh_target());
                self.code.builder.place(head);
                let condition = self.expr(condition);
                self.code.builder.jump_unless(condition.operand, exit);
                self.code.release_temporaries();
                self.statements(body);
                self.code.builder.jump(head);
                self.code.builder.place(exit);
            }
            StatementKind::DoWhile { body, condition } => {
                let head = self.code.builder.fresh_target();
                self.code.builder.place(head);
                self.statements(body);
                self.mark_source(statement);
                let condition = self.expr(condition);
                self.code.builder.jump_if(condition.operand, head);
            }
            StatementKind::Block(body) => self.statements(body),
        }
    }

    fn branch(&mut self, condition: &Expr, then: &[Statement], otherwise: &[Statement]) {
        let (else_target, exit) = (self.code.builder.fresh_target(), self.code.builder.fresh_target());
        let condition = self.expr(condition);
        self.code.builder.jump_unless(condition.operand, else_target);
        self.code.release_temporaries();
        self.statements(then);
        self.code.builder.jump(exit);
        self.code.builder.place(else_target);
        self.statements(otherwise);
        self.code.builder.place(exit);
    }

    fn assign(&mut self, name: &str, value: &Expr, span: Span) {
        let value = self.expr(value);
        match self.locals.get(name) {
            Some(&(register, ty)) => {
                let value = self.code.convert(value, ty);
                self.code.builder.assign(register, value);
            }
            None if self.thread.parameters.iter().any(|parameter| parameter.name == name) => {
                let message = format!("`{name}` is a pointer to a location: write `*{name} = ...`");
                self.context.complain(span, message);
            }
            None => self.undeclared(name, span),
        }
    }

    fn store(&mut self, pointer: &Expr, value: &Expr, order: Option<MemoryOrder>, span: Span) {
        let order = match order {
            None => WriteOrder::NotAtomic,
            Some(MemoryOrder::Relaxed) => WriteOrder::Relaxed,
            Some(MemoryOrder::Release) => WriteOrder::Release,
            Some(MemoryOrder::SeqCst) => WriteOrder::SeqCst,
            Some(order @ (MemoryOrder::Acquire | MemoryOrder::AcqRel)) => {
                self.context.complain(span, format!("a store cannot have the order {order}"));
                return;
            }
        };
        let value = self.expr(value);
        let Some((addr, pointee)) = self.pointer(pointer) else { return };
        let value = self.code.convert(value, pointee);
        self.code.builder.push(Instr::Store { size: pointee.size(), order, addr, value });
    }

    pub fn undeclared(&mut self, name: &str, span: Span) {
        self.context.complain(span, format!("`{name}` is neither a local nor a parameter of {}", self.name));
    }
}

/// A relaxed fence orders nothing and makes no event.
fn fence_order(order: MemoryOrder) -> Option<FenceOrder> {
    match order {
        MemoryOrder::Relaxed => None,
        MemoryOrder::Acquire => Some(FenceOrder::Acquire),
        MemoryOrder::Release => Some(FenceOrder::Release),
        MemoryOrder::AcqRel => Some(FenceOrder::AcqRel),
        MemoryOrder::SeqCst => Some(FenceOrder::SeqCst),
    }
}
