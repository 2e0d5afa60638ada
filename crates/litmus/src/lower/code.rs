//! The code of one thread: a function builder, and temporaries that live within one statement.
//!
//! Statements reuse them, because the machine copies all registers at each event.

use crate::ast::types::{Base, Type};
use atropos_vm::instr::{BinaryOp, CastOp, CompareOp, Instr};
use atropos_vm::{FunctionBuilder, Operand, Reg, Width};

/// A value and its type; its register holds it zero-extended from the width of the type.
#[derive(Clone, Copy, Debug)]
pub struct Typed {
    pub operand: Operand,
    pub ty: Type,
}

impl Typed {
    pub fn int(value: i64) -> Typed {
        let base = if i32::try_from(value).is_ok() { Base::Int } else { Base::Long };
        let ty = Type { base, ..Type::INT };
        Typed { operand: Operand::Const(width(ty).truncate(value)), ty }
    }
}

pub struct CodeBuilder {
    pub builder: FunctionBuilder,
    temporaries: Vec<Reg>,
    n_in_use: usize,
}

impl CodeBuilder {
    pub fn new(name: &str) -> Self {
        CodeBuilder { builder: FunctionBuilder::new(name), temporaries: Vec::new(), n_in_use: 0 }
    }

    /// A register that is free until the next [`CodeBuilder::release_temporaries`].
    pub fn temporary(&mut self) -> Reg {
        if self.n_in_use == self.temporaries.len() {
            let name = format!("t{}", self.n_in_use);
            let register = self.builder.register(&name);
            self.temporaries.push(register);
        }
        self.n_in_use += 1;
        self.temporaries[self.n_in_use - 1]
    }

    pub(crate) fn release_temporaries(&mut self) {
        self.n_in_use = 0;
    }

    pub fn binary(&mut self, op: BinaryOp, width: Width, left: Operand, right: Operand) -> Operand {
        let dst = self.temporary();
        self.builder.push(Instr::Binary { op, width, dst, left, right });
        Operand::Reg(dst)
    }

    pub fn compare(&mut self, op: CompareOp, width: Width, left: Operand, right: Operand) -> Operand {
        let dst = self.temporary();
        self.builder.push(Instr::Compare { op, width, dst, left, right });
        Operand::Reg(dst)
    }

    /// Converts `value` to type `to`, as C does.
    pub fn convert(&mut self, value: Typed, to: Type) -> Operand {
        if to.base == Base::Bool && !to.is_pointer() {
            if value.ty.base == Base::Bool && !value.ty.is_pointer() {
                return value.operand;
            }
            return self.compare(CompareOp::NotEqual, width(value.ty), value.operand, Operand::Const(0));
        }
        let (from_width, to_width) = (width(value.ty), width(to));
        let op = match from_width.cmp(&to_width) {
            std::cmp::Ordering::Equal => return value.operand,
            std::cmp::Ordering::Greater => CastOp::Truncate,
            std::cmp::Ordering::Less if value.ty.is_signed() => CastOp::SignExtend,
            std::cmp::Ordering::Less => return value.operand,
        };
        if let Operand::Const(bits) = value.operand {
            return Operand::Const(to_width.truncate(value.ty.interpret(bits)));
        }
        let dst = self.temporary();
        self.builder.push(Instr::Cast { op, from: from_width, to: to_width, dst, value: value.operand });
        Operand::Reg(dst)
    }
}

/// The width of the values of a type.
pub fn width(ty: Type) -> Width {
    match ty.size() {
        1 => Width::I8,
        2 => Width::I16,
        4 => Width::I32,
        _ => Width::I64,
    }
}

trait Truncate {
    fn truncate(self, value: i64) -> u64;
}

impl Truncate for Width {
    /// The lowest bits of `value`.
    fn truncate(self, value: i64) -> u64 {
        value as u64 & (u64::MAX >> (64 - self.bits()))
    }
}
