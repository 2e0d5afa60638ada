//! Intrinsics on integers of 65 to 128 bits, in terms of the operations of [`super::wide`].
//!
//! Integers of less than 128 bits are moved to the top of 128: there, order, overflow and saturation are the same.

use std::rc::Rc;

use atropos_event::{Gap, GapKind};
use atropos_vm::instr::{BinaryOp, CompareOp, UnaryOp};
use atropos_vm::{Instr, Operand, Width};

use super::function::Code;
use super::wide::Words;
use crate::ast::{Call, Operator};
use crate::layout;

const ZERO: Words = [Operand::Const(0), Operand::Const(0)];
/// The least number of a signed type, and the greatest.
const LEAST: Words = [Operand::Const(0), Operand::Const(1 << 63)];
const GREATEST: Words = [Operand::Const(u64::MAX), Operand::Const(u64::MAX >> 1)];
const ALL: Words = [Operand::Const(u64::MAX), Operand::Const(u64::MAX)];

/// A number with one bit.
fn bit(nth: u32) -> Words {
    let number = 1u128 << nth;
    [Operand::Const(number as u64), Operand::Const((number >> 64) as u64)]
}

impl Code<'_, '_> {
    pub(crate) fn wide_intrinsic(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        call: &Call,
    ) -> Result<(), Gap> {
        let (mut words, mut spare) = (Vec::new(), 0);
        for arg in call.args.iter().filter(|arg| layout::is_wide(&arg.value.ty)) {
            words.push(self.words(&arg.value.ty, &arg.value.value)?);
            spare = 128 - layout::bits_of(&arg.value.ty).unwrap_or(128);
        }
        let parts: Vec<&str> = name.split('.').collect();
        if let Some(words) = self.wide_bits(parts[0], &words, spare)? {
            return self.assign_words(result, words);
        }
        self.raise_all(parts[0], &mut words, spare)?;
        let back = |code: &mut Self, words| code.moved(BinaryOp::LogicalShiftRight, words, spare);
        match (parts[0], parts.get(1).copied(), &words[..]) {
            ("abs", _, &[value]) => {
                let is_negative = self.wide_compare(CompareOp::SignedLess, value, ZERO);
                let negated = self.wide(BinaryOp::Sub, ZERO, value)?;
                let words = self.either(is_negative, negated, value);
                let words = back(self, words)?;
                self.assign_words(result, words)
            }
            ("smax" | "smin" | "umax" | "umin", _, &[a, b]) => {
                let op = match parts[0] {
                    "smax" => CompareOp::SignedGreater,
                    "smin" => CompareOp::SignedLess,
                    "umax" => CompareOp::UnsignedGreater,
                    _ => CompareOp::UnsignedLess,
                };
                let is_first = self.wide_compare(op, a, b);
                let words = self.either(is_first, a, b);
                let words = back(self, words)?;
                self.assign_words(result, words)
            }
            (op, Some("with"), &[a, b]) => {
                let (value, overflows) = self.wide_overflowing(op, a, b)?;
                let value = back(self, value)?;
                let leaves = [value[0], value[1], overflows];
                let dsts = self.dsts(result);
                dsts.into_iter().zip(leaves).for_each(|(dst, leaf)| self.code.assign(dst, leaf));
                Ok(())
            }
            (op @ ("sadd" | "ssub" | "uadd" | "usub"), Some("sat"), &[a, b]) => {
                let (value, overflows) = self.wide_overflowing(op, a, b)?;
                let bound = match op {
                    "uadd" => ALL,
                    "usub" => ZERO,
                    _ => {
                        let is_negative = self.wide_compare(CompareOp::SignedLess, a, ZERO);
                        self.either(is_negative, LEAST, GREATEST)
                    }
                };
                let words = self.either(overflows, bound, value);
                let words = back(self, words)?;
                self.assign_words(result, words)
            }
            ("scmp" | "ucmp", _, &[a, b]) => {
                let [greater, less] = match parts[0] {
                    "scmp" => [CompareOp::SignedGreater, CompareOp::SignedLess],
                    _ => [CompareOp::UnsignedGreater, CompareOp::UnsignedLess],
                };
                let [greater, less] = [greater, less].map(|op| self.wide_compare(op, a, b));
                let width = super::values::width_of(&call.result)?;
                let order = self.compute(BinaryOp::Sub, width, greater, less);
                self.assign(result, order)
            }
            _ => Err(GapKind::Intrinsic.of(name)),
        }
    }

    /// Operations on the bits of a number, which has zeroes in the `spare` bits above it.
    fn wide_bits(&mut self, name: &str, words: &[Words], spare: u32) -> Result<Option<Words>, Gap> {
        Ok(Some(match (name, words) {
            ("expect", &[value, ..]) => value,
            ("ctpop" | "ctlz" | "cttz", &[value]) => {
                // One more bit behind the last, so that there are not more zeroes than bits.
                let value = match (name, spare) {
                    ("ctpop", _) | (_, 0) => value,
                    ("cttz", _) => self.wide(BinaryOp::Or, value, bit(128 - spare))?,
                    _ => {
                        let raised = self.raise(value, spare)?;
                        self.wide(BinaryOp::Or, raised, bit(spare - 1))?
                    }
                };
                [self.wide_count(name, value), Operand::Const(0)]
            }
            ("bswap" | "bitreverse", &[value]) => {
                let op = if name == "bswap" { UnaryOp::SwapBytes } else { UnaryOp::ReverseBits };
                let words = [value[1], value[0]].map(|word| self.word(op, word));
                self.moved(BinaryOp::LogicalShiftRight, words, spare)?
            }
            ("fshl" | "fshr", &[high, low, by]) if spare == 0 => {
                self.wide_funnel(name == "fshl", high, low, by)?
            }
            ("fshl" | "fshr", &[high, low, by]) => {
                let bits = [Operand::Const(u64::from(128 - spare)), Operand::Const(0)];
                let by = self.wide(BinaryOp::UnsignedRem, by, bits)?;
                let rest = self.wide(BinaryOp::Sub, bits, by)?;
                let (up, down) = if name == "fshl" { (by, rest) } else { (rest, by) };
                let high = self.wide(BinaryOp::ShiftLeft, high, up)?;
                let low = self.wide(BinaryOp::LogicalShiftRight, low, down)?;
                let both = self.wide(BinaryOp::Or, high, low)?;
                let raised = self.raise(both, spare)?;
                self.moved(BinaryOp::LogicalShiftRight, raised, spare)?
            }
            _ => return Ok(None),
        }))
    }

    /// Moves the operands up. Of two factors, one at the top is enough for the product to be there.
    fn raise_all(&mut self, name: &str, words: &mut [Words], spare: u32) -> Result<(), Gap> {
        let n_raised = if name.ends_with("mul") { 1 } else { words.len() };
        for value in &mut words[..n_raised] {
            *value = self.raise(*value, spare)?;
        }
        if let ("smul", [_, factor]) = (name, words) {
            let raised = self.raise(*factor, spare)?;
            *factor = self.moved(BinaryOp::ArithmeticShiftRight, raised, spare)?;
        }
        Ok(())
    }

    /// Moves a number up, to where it has `spare` bits below it.
    fn raise(&mut self, words: Words, spare: u32) -> Result<Words, Gap> {
        self.moved(BinaryOp::ShiftLeft, words, spare)
    }

    /// Moves a number by `spare` bits.
    fn moved(&mut self, op: BinaryOp, words: Words, spare: u32) -> Result<Words, Gap> {
        match spare {
            0 => Ok(words),
            _ => self.wide(op, words, [Operand::Const(spare.into()), Operand::Const(0)]),
        }
    }

    fn wide(&mut self, op: BinaryOp, a: Words, b: Words) -> Result<Words, Gap> {
        self.wide_binary(Operator::Int(op), a, b)
    }

    fn word(&mut self, op: UnaryOp, value: Operand) -> Operand {
        let dst = self.code.fresh();
        self.code.push(Instr::Unary { op, width: Width::I64, dst, value });
        dst.into()
    }

    fn either(&mut self, condition: Operand, then: Words, otherwise: Words) -> Words {
        [0, 1].map(|nth| {
            let dst = self.code.fresh();
            self.code.push(Instr::Select { dst, condition, then: then[nth], otherwise: otherwise[nth] });
            dst.into()
        })
    }

    /// How many ones there are, or how many zeroes at one end.
    fn wide_count(&mut self, name: &str, value: Words) -> Operand {
        let (op, [first, second]) = match name {
            "ctpop" => (UnaryOp::CountOnes, value),
            "cttz" => (UnaryOp::TrailingZeros, value),
            _ => (UnaryOp::LeadingZeros, [value[1], value[0]]),
        };
        let [near, far] = [first, second].map(|word| self.word(op, word));
        let sum = self.compute(BinaryOp::Add, Width::I64, near, far);
        if op == UnaryOp::CountOnes {
            return sum;
        }
        // The zeroes of the second word count only if the first one has nothing else.
        let dst = self.code.fresh();
        self.code.push(Instr::Select { dst, condition: first, then: near, otherwise: sum });
        dst.into()
    }

    /// The middle 128 bits of two numbers side by side.
    fn wide_funnel(&mut self, is_left: bool, high: Words, low: Words, by: Words) -> Result<Words, Gap> {
        let amount = self.compute(BinaryOp::And, Width::I64, by[0], 127u64);
        let rest = self.compute(BinaryOp::Sub, Width::I64, 127u64, amount);
        let (one, zero) = ([Operand::Const(1), Operand::Const(0)], Operand::Const(0));
        let (amount, rest) = ([amount, zero], [rest, zero]);
        let (high, low) = if is_left {
            let low = self.wide(BinaryOp::LogicalShiftRight, low, one)?;
            (
                self.wide(BinaryOp::ShiftLeft, high, amount)?,
                self.wide(BinaryOp::LogicalShiftRight, low, rest)?,
            )
        } else {
            let high = self.wide(BinaryOp::ShiftLeft, high, one)?;
            (
                self.wide(BinaryOp::ShiftLeft, high, rest)?,
                self.wide(BinaryOp::LogicalShiftRight, low, amount)?,
            )
        };
        self.wide(BinaryOp::Or, high, low)
    }

    /// The result, and whether the exact one does not fit.
    fn wide_overflowing(&mut self, op: &str, a: Words, b: Words) -> Result<(Words, Operand), Gap> {
        let operator = match op.get(1..).unwrap_or_default() {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            "mul" => BinaryOp::Mul,
            _ => return Err(GapKind::Intrinsic.of(format!("{op}.with.overflow"))),
        };
        let value = self.wide(operator, a, b)?;
        let overflows = match op {
            "uadd" => self.wide_compare(CompareOp::UnsignedLess, value, a),
            "usub" => self.wide_compare(CompareOp::UnsignedLess, a, b),
            "sadd" | "ssub" => {
                // The sign of the result is wrong: for a sum, it differs from those of both operands.
                let other = if op == "sadd" {
                    self.wide(BinaryOp::Xor, value, b)?
                } else {
                    self.wide(BinaryOp::Xor, a, b)?
                };
                let changed = self.wide(BinaryOp::Xor, value, a)?;
                let both = self.wide(BinaryOp::And, other, changed)?;
                self.wide_compare(CompareOp::SignedLess, both, ZERO)
            }
            "umul" => self.product_differs(BinaryOp::UnsignedDiv, value, a, b)?,
            _ => {
                // Division by -1 overflows itself.
                let is_minus_one = self.wide_compare(CompareOp::Equal, b, ALL);
                let divisor = self.either(is_minus_one, [Operand::Const(1), Operand::Const(0)], b);
                let differs = self.product_differs(BinaryOp::SignedDiv, value, a, divisor)?;
                let is_least = self.wide_compare(CompareOp::Equal, a, LEAST);
                self.either(is_minus_one, [is_least, is_least], [differs, differs])[0]
            }
        };
        Ok((value, overflows))
    }

    /// Whether `product / b` is not `a`, unless `b` is zero.
    fn product_differs(&mut self, op: BinaryOp, product: Words, a: Words, b: Words) -> Result<Operand, Gap> {
        let is_zero = self.wide_compare(CompareOp::Equal, b, ZERO);
        let divisor = self.either(is_zero, [Operand::Const(1), Operand::Const(0)], b);
        let quotient = self.wide(op, product, divisor)?;
        let differs = self.wide_compare(CompareOp::NotEqual, quotient, a);
        let is_not_zero = self.compute(BinaryOp::Xor, Width::I64, is_zero, 1u64);
        Ok(self.compute(BinaryOp::And, Width::I64, differs, is_not_zero))
    }
}
