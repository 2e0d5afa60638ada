//! Integer and floating-point arithmetic, comparisons and casts.

use atropos_event::{Gap, GapKind};
use atropos_vm::instr::{BinaryOp, CastOp, ConvertOp, Float, FloatUnaryOp};
use atropos_vm::{Instr, Operand, Reg, Width};

use super::function::Code;
use super::half::is_half_operation;
use super::values::width_of;
use crate::ast::{Cast, FloatPredicate, Op, Operator, Type, Typed, Value};

impl Code<'_, '_> {
    pub(crate) fn arithmetic(&mut self, dst: Reg, op: &Op) -> Result<(), Gap> {
        match op {
            op if is_half_operation(op) => self.half_operation(dst, op)?,
            Op::Binary { op, left, right } => {
                let ty = &left.ty;
                let (left, right) = (self.operand(left)?, self.operand_of(ty, right)?);
                self.code.push(match *op {
                    Operator::Int(op) => Instr::Binary { op, width: width_of(ty)?, dst, left, right },
                    Operator::Float(op) => {
                        Instr::FloatBinary { op, format: format_of(ty)?, dst, left, right }
                    }
                });
            }
            Op::FNeg(value) => {
                let (format, value) = (format_of(&value.ty)?, self.operand(value)?);
                self.code.push(Instr::FloatUnary { op: FloatUnaryOp::Negate, format, dst, value });
            }
            Op::Icmp { predicate, left, right } => {
                let (op, width) = (*predicate, width_of(&left.ty)?);
                let (left, right) = (self.operand(left)?, self.operand_of(&left.ty, right)?);
                self.code.push(Instr::Compare { op, width, dst, left, right });
            }
            Op::Fcmp { predicate, left, right } => self.compare_floats(dst, *predicate, left, right)?,
            Op::Cast { op, value, to } => self.cast(dst, *op, value, to)?,
            _ => unreachable!("not arithmetic: {op:?}"),
        }
        Ok(())
    }

    fn compare_floats(
        &mut self,
        dst: Reg,
        predicate: FloatPredicate,
        left: &Typed,
        right: &Value,
    ) -> Result<(), Gap> {
        let format = format_of(&left.ty)?;
        let (left, right) = (self.operand(left)?, self.operand_of(&left.ty, right)?);
        match predicate {
            FloatPredicate::Compare(op) => {
                self.code.push(Instr::FloatCompare { op, format, dst, left, right });
            }
            FloatPredicate::Constant(holds) => self.code.assign(dst, u64::from(holds)),
        }
        Ok(())
    }

    fn cast(&mut self, dst: Reg, op: Cast, value: &Typed, to: &Type) -> Result<(), Gap> {
        let operand = self.operand(value)?;
        let from = &value.ty;
        let convert = |op: ConvertOp, int: &Type, float: &Type| -> Result<Instr, Gap> {
            Ok(Instr::Convert { op, format: format_of(float)?, width: width_of(int)?, dst, value: operand })
        };
        let integer = |op: CastOp| -> Result<Instr, Gap> {
            Ok(Instr::Cast { op, from: width_of(from)?, to: width_of(to)?, dst, value: operand })
        };
        let instr = match op {
            Cast::Truncate => integer(CastOp::Truncate)?,
            Cast::ZeroExtend => integer(CastOp::ZeroExtend)?,
            Cast::SignExtend => integer(CastOp::SignExtend)?,
            Cast::PointerToInt | Cast::IntToPointer if width_of(from)? > width_of(to)? => {
                integer(CastOp::Truncate)?
            }
            Cast::PointerToInt | Cast::IntToPointer => integer(CastOp::ZeroExtend)?,
            Cast::Convert(op @ (ConvertOp::FloatToSigned | ConvertOp::FloatToUnsigned)) => {
                convert(op, to, from)?
            }
            Cast::Convert(op @ (ConvertOp::SignedToFloat | ConvertOp::UnsignedToFloat)) => {
                convert(op, from, to)?
            }
            Cast::FloatTruncate | Cast::FloatExtend => {
                format_of(from)?;
                Instr::FloatResize { to: format_of(to)?, dst, value: operand }
            }
            Cast::Bits | Cast::AddressSpace => {
                width_of(from)?;
                width_of(to)?;
                Instr::Move { dst, value: operand }
            }
        };
        self.code.push(instr);
        Ok(())
    }

    /// `a op b` at a width, into a fresh register.
    pub(crate) fn compute(
        &mut self,
        op: BinaryOp,
        width: Width,
        left: impl Into<Operand>,
        right: impl Into<Operand>,
    ) -> Operand {
        Operand::Reg(self.code.binary(op, width, left, right))
    }
}

pub(crate) fn format_of(ty: &Type) -> Result<Float, Gap> {
    match ty {
        Type::Float => Ok(Float::F32),
        Type::Double => Ok(Float::F64),
        Type::Other(name) => Err(GapKind::Type.of(name.to_string())),
        _ => Err(GapKind::WrongType.into()),
    }
}
