//! Integers of 65 to 128 bits: values of two leaves, the low word first. Short operations are computed in place, the
//! others by `wide.vm`.
//!
//! Integers of less than 128 bits are computed as integers of 128 bits. Memory may hold anything in the bits above them,
//! and so may registers; every operation clears them in its operands and its result, or copies the sign there.

use std::rc::Rc;

use atropos_event::{Gap, GapKind, ReadOrder};
use atropos_vm::instr::{BinaryOp, CastOp, CompareOp, ConvertOp, Float};
use atropos_vm::{Instr, Operand, Target, Width};

use super::arithmetic::format_of;
use super::function::Code;
use super::values::width_of;
use crate::ast::{Cast, Half, Op, Operator, Type, Typed, Value};
use crate::layout::{self, is_wide};

pub(super) type Words = [Operand; 2];

/// Whether an instruction works on wide integers or makes one.
pub(crate) fn is_wide_operation(op: &Op) -> bool {
    match op {
        Op::Binary { left, .. } | Op::Icmp { left, .. } => is_wide(&left.ty),
        Op::Cast { value, to, .. } => is_wide(&value.ty) || is_wide(to),
        _ => false,
    }
}

impl Code<'_, '_> {
    pub(crate) fn wide_operation(&mut self, result: Option<&Rc<str>>, op: &Op) -> Result<(), Gap> {
        match op {
            Op::Binary { op, left, right } => {
                let (mut a, mut b) = (self.words(&left.ty, &left.value)?, self.words(&left.ty, right)?);
                if matches!(op, Operator::Int(BinaryOp::SignedDiv | BinaryOp::SignedRem)) {
                    b = self.with_sign(&left.ty, b)?;
                }
                if matches!(
                    op,
                    Operator::Int(BinaryOp::SignedDiv | BinaryOp::SignedRem | BinaryOp::ArithmeticShiftRight)
                ) {
                    a = self.with_sign(&left.ty, a)?;
                }
                let words = self.wide_binary(*op, a, b)?;
                let words = self.without_sign(&left.ty, words)?;
                self.assign_words(result, words)
            }
            Op::Icmp { predicate, left, right } => {
                let (mut a, mut b) = (self.words(&left.ty, &left.value)?, self.words(&left.ty, right)?);
                if unsigned(*predicate) != *predicate {
                    (a, b) = (self.with_sign(&left.ty, a)?, self.with_sign(&left.ty, b)?);
                }
                let holds = self.wide_compare(*predicate, a, b);
                self.assign(result, holds)
            }
            Op::Cast { op, value, to } if is_wide(to) => {
                let words = match is_wide(&value.ty) {
                    true => self.resize(*op, value)?,
                    false => self.widen(*op, value)?,
                };
                let words = self.without_sign(to, words)?;
                self.assign_words(result, words)
            }
            Op::Cast { op, value, to } => {
                let narrow = self.narrow(*op, value, to)?;
                self.assign(result, narrow)
            }
            _ => unreachable!("not about wide integers: {op:?}"),
        }
    }

    /// The sign in the bits above an integer.
    fn with_sign(&mut self, ty: &Type, [low, high]: Words) -> Result<Words, Gap> {
        match high_width(ty)? {
            Width::I64 => Ok([low, high]),
            width => Ok([low, self.code.cast(CastOp::SignExtend, width, Width::I64, high).into()]),
        }
    }

    /// Zeroes in the bits above an integer.
    fn without_sign(&mut self, ty: &Type, [low, high]: Words) -> Result<Words, Gap> {
        match high_width(ty)? {
            Width::I64 => Ok([low, high]),
            width => Ok([low, self.code.cast(CastOp::Truncate, Width::I64, width, high).into()]),
        }
    }

    /// Between wide integers.
    fn resize(&mut self, op: Cast, value: &Typed) -> Result<Words, Gap> {
        let words = self.words(&value.ty, &value.value)?;
        match op {
            Cast::ZeroExtend | Cast::Truncate | Cast::Bits => Ok(words),
            Cast::SignExtend => self.with_sign(&value.ty, words),
            _ => Err(GapKind::WideInstruction.of(op.name())),
        }
    }

    pub(super) fn words(&mut self, ty: &Type, value: &Value) -> Result<Words, Gap> {
        let leaves = self.operands(ty, value)?;
        let words = leaves.try_into().map_err(|_| Gap::from(GapKind::WrongType))?;
        match value {
            Value::Local(_) => self.without_sign(ty, words),
            _ => Ok(words),
        }
    }

    pub(super) fn assign_words(&mut self, result: Option<&Rc<str>>, words: Words) -> Result<(), Gap> {
        let dsts = self.dsts(result);
        // An operand may be the result of the previous iteration.
        let copies = words.map(|word| {
            let copy = self.code.fresh();
            self.code.assign(copy, word);
            copy
        });
        dsts.into_iter().zip(copies).for_each(|(dst, word)| self.code.assign(dst, word));
        Ok(())
    }

    pub(super) fn wide_binary(&mut self, op: Operator, a: Words, b: Words) -> Result<Words, Gap> {
        let at_64 = |code: &mut Self, op, left, right| code.compute(op, Width::I64, left, right);
        let Operator::Int(op) = op else { return Err(GapKind::WideInstruction.of(op.name())) };
        match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                Ok([at_64(self, op, a[0], b[0]), at_64(self, op, a[1], b[1])])
            }
            BinaryOp::Add | BinaryOp::Sub => {
                let overflows = match op {
                    BinaryOp::Add => BinaryOp::UnsignedAddOverflows,
                    _ => BinaryOp::UnsignedSubOverflows,
                };
                let low = at_64(self, op, a[0], b[0]);
                let carry = at_64(self, overflows, a[0], b[0]);
                let high = at_64(self, op, a[1], b[1]);
                Ok([low, at_64(self, op, high, carry)])
            }
            _ => self.wide_call(&format!("wide {}", op.name()), &[a, b].concat()),
        }
    }

    /// Calls a function of `wide.vm` that returns two words.
    fn wide_call(&mut self, name: &str, args: &[Operand]) -> Result<Words, Gap> {
        let slot = Operand::Slot(self.code.private_slot("wide result", 16));
        self.call_runtime(None, name, [&[slot], args].concat())?;
        let low = self.code.load(ReadOrder::NotAtomic, 8, slot);
        let high_at = self.at(slot, 8);
        let high = self.code.load(ReadOrder::NotAtomic, 8, high_at);
        Ok([low.into(), high.into()])
    }

    pub(super) fn wide_compare(&mut self, predicate: CompareOp, a: Words, b: Words) -> Operand {
        let low = self.code.compare(unsigned(predicate), Width::I64, a[0], b[0]);
        let high = self.code.compare(predicate, Width::I64, a[1], b[1]);
        let decides = match predicate {
            CompareOp::NotEqual => high,
            _ => self.code.compare(CompareOp::NotEqual, Width::I64, a[1], b[1]),
        };
        let dst = self.code.fresh();
        self.code.push(Instr::Select {
            dst,
            condition: decides.into(),
            then: high.into(),
            otherwise: low.into(),
        });
        dst.into()
    }

    fn widen(&mut self, op: Cast, value: &Typed) -> Result<Words, Gap> {
        match op {
            Cast::ZeroExtend => {
                let (from, value) = (width_of(&value.ty)?, self.operand(value)?);
                let low = self.code.cast(CastOp::ZeroExtend, from, Width::I64, value);
                Ok([low.into(), Operand::Const(0)])
            }
            Cast::SignExtend => {
                let (from, value) = (width_of(&value.ty)?, self.operand(value)?);
                let low = self.code.cast(CastOp::SignExtend, from, Width::I64, value);
                let high = self.compute(BinaryOp::ArithmeticShiftRight, Width::I64, low, 63u64);
                Ok([low.into(), high])
            }
            Cast::Convert(ConvertOp::FloatToSigned | ConvertOp::FloatToUnsigned) => {
                let number = self.operand(value)?;
                let value = match value.ty {
                    Type::Half(half) => {
                        let number = self.extended(half, number);
                        self.resized(Float::F32, Float::F64, number)
                    }
                    _ => self.resized(format_of(&value.ty)?, Float::F64, number),
                };
                self.wide_call(&format!("wide {}", op.name()), &[value])
            }
            _ => Err(GapKind::WideInstruction.of(op.name())),
        }
    }

    fn narrow(&mut self, op: Cast, value: &Typed, to: &Type) -> Result<Operand, Gap> {
        let words = self.words(&value.ty, &value.value)?;
        match op {
            Cast::Truncate => {
                Ok(Operand::Reg(self.code.cast(CastOp::Truncate, Width::I64, width_of(to)?, words[0])))
            }
            Cast::Convert(convert @ (ConvertOp::SignedToFloat | ConvertOp::UnsignedToFloat)) => {
                let is_signed = convert == ConvertOp::SignedToFloat;
                let words = if is_signed { self.with_sign(&value.ty, words)? } else { words };
                // What a `double` does not hold exactly is infinite as `half`.
                let half = if let Type::Half(half @ Half::Standard) = to { Some(*half) } else { None };
                let format = half.map_or_else(|| format_of(to), |_| Ok(Float::F64))?;
                let name = format!("wide {} {}", op.name(), format.name());
                let number = self.call_library(&name, words.to_vec()).into();
                Ok(half.map_or(number, |half| self.rounded(half, format, number)))
            }
            _ => Err(GapKind::WideInstruction.of(op.name())),
        }
    }

    /// A `switch`: one comparison after the other.
    pub(crate) fn wide_switch(
        &mut self,
        value: &Typed,
        cases: &[(Value, Target)],
        default: Target,
    ) -> Result<(), Gap> {
        let words = self.words(&value.ty, &value.value)?;
        for (case, to) in cases {
            let case = self.words(&value.ty, case)?;
            let same = self.wide_compare(CompareOp::Equal, words, case);
            self.code.jump_if(same, *to);
        }
        self.code.jump(default);
        Ok(())
    }
}

/// The width of the high word of a wide integer.
fn high_width(ty: &Type) -> Result<Width, Gap> {
    let bits = layout::bits_of(ty).and_then(|bits| Width::new(bits.saturating_sub(64)));
    bits.ok_or_else(|| GapKind::WrongType.into())
}

/// The comparison of low words, which have no sign.
pub(super) fn unsigned(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::SignedLess => CompareOp::UnsignedLess,
        CompareOp::SignedLessEqual => CompareOp::UnsignedLessEqual,
        CompareOp::SignedGreater => CompareOp::UnsignedGreater,
        CompareOp::SignedGreaterEqual => CompareOp::UnsignedGreaterEqual,
        CompareOp::Equal
        | CompareOp::NotEqual
        | CompareOp::UnsignedLess
        | CompareOp::UnsignedLessEqual
        | CompareOp::UnsignedGreater
        | CompareOp::UnsignedGreaterEqual => op,
    }
}
