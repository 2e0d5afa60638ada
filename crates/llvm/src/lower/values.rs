//! Operands: the value of an LLVM operand.

use atropos_event::{Gap, GapKind};
use std::rc::Rc;

use atropos_vm::instr::CastOp;
use atropos_vm::{Instr, Operand, Reg, Width};

use super::function::Code;
use super::vectors::{elements_of, is_vector};
use crate::ast::{Cast, Type, Typed, Value};
use crate::layout;

impl Code<'_, '_> {
    /// The register of a result that is one scalar.
    pub(crate) fn dst(&mut self, result: Option<&Rc<str>>) -> Result<Reg, Gap> {
        match result.and_then(|name| self.locals.values.get(name)).map(Vec::as_slice) {
            Some([Operand::Reg(reg)]) => Ok(*reg),
            Some(_) => Err(GapKind::WrongType.into()),
            None => Ok(self.code.fresh()),
        }
    }

    /// The registers of a result.
    pub(crate) fn dsts(&mut self, result: Option<&Rc<str>>) -> Vec<Reg> {
        let found = result.and_then(|name| self.locals.values.get(name)).into_iter().flatten();
        found.filter_map(|operand| if let Operand::Reg(reg) = operand { Some(*reg) } else { None }).collect()
    }

    pub(crate) fn operand(&mut self, typed: &Typed) -> Result<Operand, Gap> {
        self.operand_of(&typed.ty, &typed.value)
    }

    /// A scalar.
    pub(crate) fn operand_of(&mut self, ty: &Type, value: &Value) -> Result<Operand, Gap> {
        match self.operands(ty, value)?[..] {
            [operand] => Ok(operand),
            _ => Err(GapKind::WrongType.into()),
        }
    }

    /// All leaves of a value.
    pub(crate) fn operands(&mut self, ty: &Type, value: &Value) -> Result<Vec<Operand>, Gap> {
        match value {
            Value::Local(name) => {
                layout::leaves(ty)?;
                let found = self.locals.values.get(name).cloned();
                found.ok_or_else(|| GapKind::UndefinedValue.of(&**name))
            }
            Value::Global(name) => Ok(vec![self.all.symbol(self.key.0, name)?]),
            Value::Int(number) => {
                let width = width_of(ty)?;
                Ok(vec![Operand::Const(atropos_vm::arith::truncate(width, *number))])
            }
            Value::Wide(number) => {
                layout::leaves(ty)?;
                let unused = 128 - layout::bits_of(ty).unwrap_or(128);
                let number = *number << unused >> unused;
                Ok([number as u64, (number >> 64) as u64].map(Operand::Const).to_vec())
            }
            Value::Huge(words) => Ok(words.iter().map(|&word| Operand::Const(word)).collect()),
            Value::Float(number) if *ty == Type::Float => {
                Ok(vec![Operand::Const((*number as f32).to_bits().into())])
            }
            Value::Float(number) => Ok(vec![Operand::Const(number.to_bits())]),
            Value::Null => Ok(vec![Operand::Const(0)]),
            Value::Undef | Value::Zero => Ok(layout::leaves(ty)?.iter().map(|_| Operand::Const(0)).collect()),
            Value::Aggregate(elements) => {
                let mut leaves = Vec::new();
                for element in elements {
                    leaves.extend(self.operands(&element.ty, &element.value)?);
                }
                Ok(leaves)
            }
            Value::Gep { base, args } if is_vector(ty) => self.addresses(elements_of(ty)?.0, base, args),
            Value::Gep { base, args } => {
                let dst = self.code.fresh();
                self.gep(dst, base, args)?;
                Ok(vec![Operand::Reg(dst)])
            }
            Value::Cast { op, value, to } => self.constant_cast(*op, value, to),
            Value::Binary { op, left, right } => {
                let (width, left, right) = (width_of(&left.ty)?, self.operand(left)?, self.operand(right)?);
                Ok(vec![Operand::Reg(self.code.binary(*op, width, left, right))])
            }
            Value::Compare { op, left, right } => {
                let (width, left, right) = (width_of(&left.ty)?, self.operand(left)?, self.operand(right)?);
                Ok(vec![Operand::Reg(self.code.compare(*op, width, left, right))])
            }
            Value::Select(parts) => {
                let [condition, then, otherwise] = &**parts;
                let condition = self.operand(condition)?;
                let (then, otherwise) = (self.operand(then)?, self.operand(otherwise)?);
                let dst = self.code.fresh();
                self.code.push(Instr::Select { dst, condition, then, otherwise });
                Ok(vec![Operand::Reg(dst)])
            }
            Value::Bytes(_) | Value::Asm { .. } => Err(GapKind::WrongType.into()),
            Value::Other(gap) => Err((**gap).clone()),
        }
    }

    fn constant_cast(&mut self, op: Cast, value: &Typed, to: &Type) -> Result<Vec<Operand>, Gap> {
        let from = self.operand(value)?;
        let cast = match op {
            Cast::ZeroExtend => CastOp::ZeroExtend,
            Cast::SignExtend => CastOp::SignExtend,
            Cast::Truncate | Cast::PointerToInt => CastOp::Truncate,
            Cast::Bits | Cast::AddressSpace | Cast::IntToPointer => return Ok(vec![from]),
            Cast::FloatTruncate | Cast::FloatExtend | Cast::Convert(_) => {
                return Err(GapKind::ConstantExpression.of(op.name()));
            }
        };
        let dst = self.code.fresh();
        self.code.push(Instr::Cast {
            op: cast,
            from: width_of(&value.ty)?,
            to: width_of(to)?,
            dst,
            value: from,
        });
        Ok(vec![Operand::Reg(dst)])
    }

    /// Gives a result of one scalar its value.
    pub(crate) fn assign(&mut self, result: Option<&Rc<str>>, value: impl Into<Operand>) -> Result<(), Gap> {
        if result.is_some() {
            let dst = self.dst(result)?;
            self.code.assign(dst, value);
        }
        Ok(())
    }
}

/// The width of computations with a scalar.
pub(crate) fn width_of(ty: &Type) -> Result<Width, Gap> {
    let bits = layout::bits_of(ty);
    bits.and_then(Width::new).ok_or_else(|| match ty {
        Type::Int(bits) => Gap::from(GapKind::Integer).with([u64::from(*bits)]),
        Type::Other(name) => GapKind::Type.of(name.to_string()),
        _ => GapKind::WrongType.into(),
    })
}
