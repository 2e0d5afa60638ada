//! Floating-point numbers of 16 bits, `half` and `bfloat`: they are computed as `float` and rounded.
//!
//! A `float` has more than twice the digits of either, so that rounding a sum, product, quotient or root twice is
//! rounding it once. `half.vm` rounds.

use std::rc::Rc;

use atropos_event::{Gap, GapKind};
use atropos_vm::instr::{BinaryOp, ConvertOp, Float};
use atropos_vm::{Instr, Operand, Reg, Width};

use super::arithmetic::format_of;
use super::function::Code;
use super::values::width_of;
use crate::ast::{Arg, Call, Cast, FloatPredicate, Half, Op, Operator, Type, Typed, Value};

/// Whether an instruction computes with such numbers; moving their bits is no computation.
pub(super) fn is_half_operation(op: &Op) -> bool {
    let is_half = |ty: &Type| matches!(ty, Type::Half(_));
    match op {
        Op::Binary { left, .. } | Op::FNeg(left) | Op::Fcmp { left, .. } => is_half(&left.ty),
        Op::Cast { op: Cast::Bits, .. } => false,
        Op::Cast { value, to, .. } => is_half(&value.ty) || is_half(to),
        _ => false,
    }
}

impl Code<'_, '_> {
    pub(super) fn half_operation(&mut self, dst: Reg, op: &Op) -> Result<(), Gap> {
        match op {
            Op::Binary { op: Operator::Float(op), left, right } => {
                let half = half_of(&left.ty)?;
                let (left, right) = (self.operand(left)?, self.operand_of(&left.ty, right)?);
                let (left, right) = (self.extended(half, left), self.extended(half, right));
                let sum = self.code.fresh();
                self.code.push(Instr::FloatBinary { op: *op, format: Float::F32, dst: sum, left, right });
                let rounded = self.rounded(half, Float::F32, sum.into());
                self.code.assign(dst, rounded);
            }
            Op::FNeg(value) => {
                let value = self.operand(value)?;
                let negative = self.compute(BinaryOp::Xor, Width::I64, value, 0x8000u64);
                self.code.assign(dst, negative);
            }
            Op::Fcmp { predicate, left, right } => {
                let half = half_of(&left.ty)?;
                let (left, right) = (self.operand(left)?, self.operand_of(&left.ty, right)?);
                let (left, right) = (self.extended(half, left), self.extended(half, right));
                match *predicate {
                    FloatPredicate::Compare(op) => {
                        self.code.push(Instr::FloatCompare { op, format: Float::F32, dst, left, right });
                    }
                    FloatPredicate::Constant(holds) => self.code.assign(dst, u64::from(holds)),
                }
            }
            Op::Cast { op, value, to } => {
                let result = self.half_cast(*op, value, to)?;
                self.code.assign(dst, result);
            }
            _ => return Err(GapKind::WrongType.into()),
        }
        Ok(())
    }

    fn half_cast(&mut self, op: Cast, value: &Typed, to: &Type) -> Result<Operand, Gap> {
        let operand = self.operand(value)?;
        match (op, &value.ty, to) {
            (Cast::FloatExtend, &Type::Half(half), to) => {
                let extended = self.extended(half, operand);
                Ok(self.resized(Float::F32, format_of(to)?, extended))
            }
            (Cast::FloatTruncate, from, &Type::Half(half)) => {
                Ok(self.rounded(half, format_of(from)?, operand))
            }
            (
                Cast::Convert(op @ (ConvertOp::FloatToSigned | ConvertOp::FloatToUnsigned)),
                &Type::Half(half),
                to,
            ) => {
                let (value, width, dst) = (self.extended(half, operand), width_of(to)?, self.code.fresh());
                self.code.push(Instr::Convert { op, format: Float::F32, width, dst, value });
                Ok(dst.into())
            }
            // A `double` holds every integer of 53 bits exactly, and larger ones are infinite as `half`.
            (Cast::Convert(op), from, &Type::Half(half))
                if half == Half::Standard || width_of(from)?.bits() <= 53 =>
            {
                let (width, dst) = (width_of(from)?, self.code.fresh());
                self.code.push(Instr::Convert { op, format: Float::F64, width, dst, value: operand });
                Ok(self.rounded(half, Float::F64, dst.into()))
            }
            _ => Err(GapKind::Type.of("bfloat")),
        }
    }

    /// Functions of mathematics with one or two such numbers.
    pub(super) fn half_function(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        call: &Call,
        args: &[Operand],
    ) -> Result<Option<()>, Gap> {
        let (Type::Half(half), 1 | 2) = (&call.result, args.len()) else { return Ok(None) };
        if call.args.iter().any(|arg| arg.value.ty != call.result) {
            return Ok(None);
        }
        let wide: Vec<Operand> = args.iter().map(|&arg| self.extended(*half, arg)).collect();
        let names: [Rc<str>; 2] = ["\0half operand", "\0half result"].map(Rc::from);
        let arg = Arg {
            value: Typed { ty: Type::Float, value: Value::Local(names[0].clone()) },
            byval: None,
            noundef: false,
            element: None,
        };
        let found = self.code.fresh();
        self.locals.values.insert(names[1].clone(), vec![found.into()]);
        let call = Call { result: Type::Float, args: vec![arg; args.len()], ..call.clone() };
        if self.math_function(Some(&names[1]), name, &call, &wide)?.is_none() {
            return Ok(None);
        }
        let rounded = self.rounded(*half, Float::F32, found.into());
        self.assign(result, rounded).map(Some)
    }

    /// The number as a `float`.
    pub(super) fn extended(&mut self, half: Half, value: Operand) -> Operand {
        match half {
            Half::Standard => self.call_library("half extend", vec![value]).into(),
            Half::Upper => self.compute(BinaryOp::ShiftLeft, Width::I64, value, 16u64),
        }
    }

    /// The nearest number of 16 bits.
    pub(super) fn rounded(&mut self, half: Half, from: Float, value: Operand) -> Operand {
        let value = self.resized(from, Float::F64, value);
        let name = match half {
            Half::Standard => "half round",
            Half::Upper => "bfloat round",
        };
        self.call_library(name, vec![value]).into()
    }

    pub(super) fn resized(&mut self, from: Float, to: Float, value: Operand) -> Operand {
        if from == to {
            return value;
        }
        let dst = self.code.fresh();
        self.code.push(Instr::FloatResize { to, dst, value });
        dst.into()
    }
}

fn half_of(ty: &Type) -> Result<Half, Gap> {
    match ty {
        Type::Half(half) => Ok(*half),
        _ => Err(GapKind::WrongType.into()),
    }
}
