//! Expressions of the C dialect, with C's conversions between integer types.

use super::c::ThreadLowering;
use super::code::{Typed, width};
use crate::ast::c::{BinaryOp, Cas, Expected, Expr, ExprKind, MemoryOrder, UnaryOp};
use crate::ast::types::{Base, Type};
use atropos_event::Span;
use atropos_event::{ReadOrder, RmwOp, WriteOrder};
use atropos_vm::instr::{self, CasOrders, CompareOp, Instr};
use atropos_vm::{Operand, Reg};

impl ThreadLowering<'_, '_> {
    pub fn expr(&mut self, expr: &Expr) -> Typed {
        match &expr.kind {
            ExprKind::Int(value) => Typed::int(*value),
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(BinaryOp::AndThen, left, right) => self.short_circuit(left, right, 0),
            ExprKind::Binary(BinaryOp::OrElse, left, right) => self.short_circuit(left, right, 1),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                self.binary(*op, left, right)
            }
            ExprKind::Choice(parts) => self.choice(parts),
            ExprKind::Load { pointer, order } => self.load(pointer, *order, expr.span),
            ExprKind::Rmw { op, pointer, operand, order } => self.rmw(*op, pointer, operand, *order),
            ExprKind::Cas(cas) => self.cas(cas, expr.span),
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Typed {
        if let Some(&(register, ty)) = self.locals.get(name) {
            return Typed { operand: Operand::Reg(register), ty };
        }
        let parameter = self.thread.parameters.iter().find(|parameter| parameter.name == name);
        match (parameter, self.context.locations.get(name)) {
            (Some(parameter), Some(location)) => {
                Typed { operand: Operand::Global(location.global), ty: parameter.ty }
            }
            _ => {
                self.undeclared(name, span);
                Typed::int(0)
            }
        }
    }

    /// An address and the type of the value there.
    pub fn pointer(&mut self, pointer: &Expr) -> Option<(Operand, Type)> {
        let value = self.expr(pointer);
        let pointee = value.ty.pointee();
        if pointee.is_none_or(|pointee| pointee.base == Base::Void && !pointee.is_pointer()) {
            let message = format!("`{pointer}` has type `{}`, which points to no value", value.ty);
            self.context.complain(pointer.span, message);
            return None;
        }
        Some((value.operand, pointee?))
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr) -> Typed {
        let value = self.expr(operand);
        match op {
            UnaryOp::Negate => self.binary(BinaryOp::Sub, Typed::int(0), value),
            UnaryOp::Complement => self.binary(BinaryOp::Xor, value, Typed::int(-1)),
            UnaryOp::Not => self.binary(BinaryOp::Equal, value, Typed::int(0)),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: Typed, right: Typed) -> Typed {
        let is_sum = matches!(op, BinaryOp::Add | BinaryOp::Sub);
        match (left.ty.pointee(), right.ty.pointee()) {
            (Some(pointee), None) if is_sum => {
                let right = self.scaled(right, pointee);
                self.arithmetic(op, left, right)
            }
            (None, Some(pointee)) if is_sum => {
                let left = self.scaled(left, pointee);
                self.arithmetic(op, left, right)
            }
            _ => self.arithmetic(op, left, right),
        }
    }

    /// A number of elements as a number of bytes. There are no arrays, but tests use `x + (r ^ r)` to make an address
    /// depend on a register.
    fn scaled(&mut self, count: Typed, element: Type) -> Typed {
        let wide = Type { base: Base::Long, ..Type::INT };
        let operand = self.code.convert(count, wide);
        let size = Typed { operand: Operand::Const(u64::from(element.size())), ty: wide };
        self.arithmetic(BinaryOp::Mul, Typed { operand, ty: wide }, size)
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Typed, right: Typed) -> Typed {
        let ty = match op {
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => promoted(left.ty),
            _ => common(left.ty, right.ty),
        };
        let (left, right) = (self.code.convert(left, ty), self.code.convert(right, ty));
        match operation(op, ty.is_signed()) {
            Operation::Binary(op) => Typed { operand: self.code.binary(op, width(ty), left, right), ty },
            Operation::Compare(op) => {
                Typed { operand: self.code.compare(op, width(ty), left, right), ty: Type::INT }
            }
        }
    }

    /// Sets a register that several branches may set.
    fn assign_to(&mut self, to: Reg, value: Typed, ty: Type) {
        let value = self.code.convert(value, ty);
        self.code.builder.assign(to, value);
    }

    /// `left && right` and `left || right`: the value is `decided` if `left` decides it.
    fn short_circuit(&mut self, left: &Expr, right: &Expr, decided: u64) -> Typed {
        let result = self.code.temporary();
        let exit = self.code.builder.fresh_target();
        self.code.builder.assign(result, decided);
        let left = self.expr(left);
        if decided == 0 {
            self.code.builder.jump_unless(left.operand, exit);
        } else {
            self.code.builder.jump_if(left.operand, exit);
        }
        let right = self.expr(right);
        let truth = self.binary(BinaryOp::NotEqual, right, Typed::int(0));
        self.code.builder.assign(result, truth.operand);
        self.code.builder.place(exit);
        Typed { operand: Operand::Reg(result), ty: Type::INT }
    }

    /// The type of a choice is that of its first branch, promoted.
    fn choice(&mut self, parts: &[Expr; 3]) -> Typed {
        let [condition, then, otherwise] = parts;
        let result = self.code.temporary();
        let (else_target, exit) = (self.code.builder.fresh_target(), self.code.builder.fresh_target());
        let condition = self.expr(condition);
        self.code.builder.jump_unless(condition.operand, else_target);
        let then = self.expr(then);
        let ty = promoted(then.ty);
        self.assign_to(result, then, ty);
        self.code.builder.jump(exit);
        self.code.builder.place(else_target);
        let otherwise = self.expr(otherwise);
        self.assign_to(result, otherwise, ty);
        self.code.builder.place(exit);
        Typed { operand: Operand::Reg(result), ty }
    }

    fn load(&mut self, pointer: &Expr, order: Option<MemoryOrder>, span: Span) -> Typed {
        let order = match order {
            None => Some(ReadOrder::NotAtomic),
            Some(order) => read_order(order),
        };
        let Some(order) = order else {
            self.context.complain(span, "a load cannot have a release order");
            return Typed::int(0);
        };
        let Some((addr, ty)) = self.pointer(pointer) else { return Typed::int(0) };
        let dst = self.code.temporary();
        self.code.builder.push(Instr::Load { dst, size: ty.size(), order, addr });
        Typed { operand: Operand::Reg(dst), ty }
    }

    fn rmw(&mut self, op: RmwOp, pointer: &Expr, operand: &Expr, order: MemoryOrder) -> Typed {
        let operand = self.expr(operand);
        let Some((addr, ty)) = self.pointer(pointer) else { return Typed::int(0) };
        let operand = self.code.convert(operand, ty);
        let (read_order, write_order) = rmw_orders(order);
        let dst = self.code.temporary();
        self.code.builder.push(Instr::Rmw {
            op,
            dst: Some(dst),
            size: ty.size(),
            read_order,
            write_order,
            addr,
            operand,
        });
        Typed { operand: Operand::Reg(dst), ty }
    }

    /// A failed compare-exchange stores the value it found in `expected`. So does a successful one, which changes
    /// nothing.
    fn cas(&mut self, cas: &Cas, span: Span) -> Typed {
        let Some(failure) = read_order(cas.failure) else {
            self.context.complain(span, "a compare-exchange cannot have a release order when it fails");
            return Typed::int(0);
        };
        let (read, write) = rmw_orders(cas.success);
        let desired = self.expr(&cas.desired);
        let Some((addr, ty)) = self.pointer(&cas.pointer) else { return Typed::int(0) };
        let Some(place) = self.expected_place(&cas.expected, span) else { return Typed::int(0) };
        let expected = match place {
            ExpectedPlace::Local(register, ty) => Typed { operand: Operand::Reg(register), ty },
            ExpectedPlace::Memory(addr, ty) => {
                let dst = self.code.temporary();
                let order = ReadOrder::NotAtomic;
                self.code.builder.push(Instr::Load { dst, size: ty.size(), order, addr });
                Typed { operand: Operand::Reg(dst), ty }
            }
        };
        let (expected, desired) = (self.code.convert(expected, ty), self.code.convert(desired, ty));
        let (old, success) = (self.code.temporary(), self.code.temporary());
        self.code.builder.push(Instr::Cas {
            old: Some(old),
            success: Some(success),
            size: ty.size(),
            orders: CasOrders { read, write, failure },
            addr,
            expected,
            desired,
        });
        let found = Typed { operand: Operand::Reg(old), ty };
        match place {
            ExpectedPlace::Local(register, ty) => self.assign_to(register, found, ty),
            ExpectedPlace::Memory(addr, ty) => {
                let exit = self.code.builder.fresh_target();
                self.code.builder.jump_if(success, exit);
                let (value, order) = (self.code.convert(found, ty), WriteOrder::NotAtomic);
                self.code.builder.push(Instr::Store { size: ty.size(), order, addr, value });
                self.code.builder.place(exit);
            }
        }
        Typed { operand: Operand::Reg(success), ty: Type::INT }
    }

    fn expected_place(&mut self, expected: &Expected, span: Span) -> Option<ExpectedPlace> {
        match expected {
            Expected::Memory(pointer) => {
                self.pointer(pointer).map(|(addr, ty)| ExpectedPlace::Memory(addr, ty))
            }
            Expected::Local(name) => match self.locals.get(name) {
                Some(&(register, ty)) => Some(ExpectedPlace::Local(register, ty)),
                None => {
                    self.undeclared(name, span);
                    None
                }
            },
        }
    }
}

#[derive(Clone, Copy)]
enum ExpectedPlace {
    Local(Reg, Type),
    Memory(Operand, Type),
}

enum Operation {
    Binary(instr::BinaryOp),
    Compare(CompareOp),
}

fn operation(op: BinaryOp, is_signed: bool) -> Operation {
    use instr::BinaryOp as Vm;
    let arithmetic = Operation::Binary;
    let compare = |signed, unsigned| Operation::Compare(if is_signed { signed } else { unsigned });
    match op {
        BinaryOp::Mul => arithmetic(Vm::Mul),
        BinaryOp::Div => arithmetic(if is_signed { Vm::SignedDiv } else { Vm::UnsignedDiv }),
        BinaryOp::Rem => arithmetic(if is_signed { Vm::SignedRem } else { Vm::UnsignedRem }),
        BinaryOp::Add => arithmetic(Vm::Add),
        BinaryOp::Sub => arithmetic(Vm::Sub),
        BinaryOp::ShiftLeft => arithmetic(Vm::ShiftLeft),
        BinaryOp::ShiftRight => {
            arithmetic(if is_signed { Vm::ArithmeticShiftRight } else { Vm::LogicalShiftRight })
        }
        BinaryOp::And => arithmetic(Vm::And),
        BinaryOp::Xor => arithmetic(Vm::Xor),
        BinaryOp::Or => arithmetic(Vm::Or),
        BinaryOp::Less => compare(CompareOp::SignedLess, CompareOp::UnsignedLess),
        BinaryOp::LessEqual => compare(CompareOp::SignedLessEqual, CompareOp::UnsignedLessEqual),
        BinaryOp::Greater => compare(CompareOp::SignedGreater, CompareOp::UnsignedGreater),
        BinaryOp::GreaterEqual => compare(CompareOp::SignedGreaterEqual, CompareOp::UnsignedGreaterEqual),
        BinaryOp::Equal => Operation::Compare(CompareOp::Equal),
        BinaryOp::NotEqual => Operation::Compare(CompareOp::NotEqual),
        BinaryOp::AndThen | BinaryOp::OrElse => unreachable!("short-circuit operators are lowered to jumps"),
    }
}

/// C's integer promotion: nothing is computed at less than the width of `int`. Pointers stay pointers.
fn promoted(ty: Type) -> Type {
    if ty.size() < 4 { Type::INT } else { ty }
}

/// C's usual arithmetic conversions. A pointer wins over an integer.
fn common(left: Type, right: Type) -> Type {
    let (left, right) = (promoted(left), promoted(right));
    let wins = |ty: Type| (ty.size(), !ty.is_signed(), ty.is_pointer());
    if wins(left) >= wins(right) { left } else { right }
}

fn read_order(order: MemoryOrder) -> Option<ReadOrder> {
    match order {
        MemoryOrder::Relaxed => Some(ReadOrder::Relaxed),
        MemoryOrder::Acquire => Some(ReadOrder::Acquire),
        MemoryOrder::SeqCst => Some(ReadOrder::SeqCst),
        MemoryOrder::Release | MemoryOrder::AcqRel => None,
    }
}

/// The read of a read-modify-write gets the acquire part of its order, the write the release part
/// [RCMC §3.1].
fn rmw_orders(order: MemoryOrder) -> (ReadOrder, WriteOrder) {
    match order {
        MemoryOrder::Relaxed => (ReadOrder::Relaxed, WriteOrder::Relaxed),
        MemoryOrder::Acquire => (ReadOrder::Acquire, WriteOrder::Relaxed),
        MemoryOrder::Release => (ReadOrder::Relaxed, WriteOrder::Release),
        MemoryOrder::AcqRel => (ReadOrder::Acquire, WriteOrder::Release),
        MemoryOrder::SeqCst => (ReadOrder::SeqCst, WriteOrder::SeqCst),
    }
}
