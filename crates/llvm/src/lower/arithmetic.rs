//! Integer and floating-point arithmetic, comparisons and casts.

use atropos_vm::instr::{
    BinaryOp, CastOp, CompareOp, ConvertOp, Float, FloatBinaryOp, FloatCompareOp, FloatUnaryOp,
};
use atropos_vm::{Instr, Operand, Reg, Width};

use super::function::Code;
use super::values::width_of;
use crate::ast::{Op, Type, Typed};

impl Code<'_, '_> {
    pub fn arithmetic(&mut self, dst: Reg, op: &Op) -> Result<(), String> {
        match op {
            Op::Binary { op, left, right } => {
                let (l, r) = (self.operand(left)?, self.operand_of(&left.ty, right)?);
                if let Some(op) = BinaryOp::from_name(op) {
                    let width = width_of(&left.ty)?;
                    self.code.push(Instr::Binary { op, width, dst, left: l, right: r });
                } else {
                    let op = FloatBinaryOp::from_name(op).ok_or_else(|| format!("the instruction `{op}`"))?;
                    let format = format_of(&left.ty)?;
                    self.code.push(Instr::FloatBinary { op, format, dst, left: l, right: r });
                }
            }
            Op::FNeg(value) => {
                let (format, value) = (format_of(&value.ty)?, self.operand(value)?);
                self.code.push(Instr::FloatUnary { op: FloatUnaryOp::Negate, format, dst, value });
            }
            Op::Icmp { predicate, left, right } => {
                let op = CompareOp::from_name(predicate).ok_or("an unknown comparison")?;
                let width = width_of(&left.ty)?;
                let (left, right) = (self.operand(left)?, self.operand_of(&left.ty, right)?);
                self.code.push(Instr::Compare { op, width, dst, left, right });
            }
            Op::Fcmp { predicate, left, right } => self.compare_floats(dst, predicate, left, right)?,
            Op::Cast { op, value, to } => self.cast(dst, op, value, to)?,
            _ => unreachable!("not arithmetic: {op:?}"),
        }
        Ok(())
    }

    fn compare_floats(
        &mut self,
        dst: Reg,
        predicate: &str,
        left: &Typed,
        right: &crate::ast::Value,
    ) -> Result<(), String> {
        let format = format_of(&left.ty)?;
        let (left, right) = (self.operand(left)?, self.operand_of(&left.ty, right)?);
        match FloatCompareOp::from_name(&format!("f{predicate}")) {
            Some(op) => self.code.push(Instr::FloatCompare { op, format, dst, left, right }),
            None => self.code.assign(dst, u64::from(predicate == "true")),
        }
        Ok(())
    }

    fn cast(&mut self, dst: Reg, op: &str, value: &Typed, to: &Type) -> Result<(), String> {
        let operand = self.operand(value)?;
        let from = &value.ty;
        let convert = |op: ConvertOp, int: &Type, float: &Type| -> Result<Instr, String> {
            Ok(Instr::Convert { op, format: format_of(float)?, width: width_of(int)?, dst, value: operand })
        };
        let integer = |op: CastOp| -> Result<Instr, String> {
            Ok(Instr::Cast { op, from: width_of(from)?, to: width_of(to)?, dst, value: operand })
        };
        let instr = match op {
            "trunc" => integer(CastOp::Truncate)?,
            "zext" => integer(CastOp::ZeroExtend)?,
            "sext" => integer(CastOp::SignExtend)?,
            "ptrtoint" | "inttoptr" if width_of(from)? > width_of(to)? => integer(CastOp::Truncate)?,
            "ptrtoint" | "inttoptr" => integer(CastOp::ZeroExtend)?,
            "fptosi" => convert(ConvertOp::FloatToSigned, to, from)?,
            "fptoui" => convert(ConvertOp::FloatToUnsigned, to, from)?,
            "sitofp" => convert(ConvertOp::SignedToFloat, from, to)?,
            "uitofp" => convert(ConvertOp::UnsignedToFloat, from, to)?,
            "fptrunc" | "fpext" => {
                format_of(from)?;
                Instr::FloatResize { to: format_of(to)?, dst, value: operand }
            }
            _ => {
                width_of(from)?;
                width_of(to)?;
                Instr::Move { dst, value: operand }
            }
        };
        self.code.push(instr);
        Ok(())
    }

    /// `a op b` at a width, into a fresh register.
    pub fn compute(
        &mut self,
        op: BinaryOp,
        width: Width,
        left: impl Into<Operand>,
        right: impl Into<Operand>,
    ) -> Operand {
        Operand::Reg(self.code.binary(op, width, left, right))
    }
}

pub fn format_of(ty: &Type) -> Result<Float, String> {
    match ty {
        Type::Float => Ok(Float::F32),
        Type::Double => Ok(Float::F64),
        Type::Other(name) => Err(format!("values of type `{name}` are not modelled")),
        _ => Err("not a floating-point type".to_string()),
    }
}
