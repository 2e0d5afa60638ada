//! Integers of more than 128 bits: values of one leaf for each 64 bits, the low word first. Clang makes them of adjacent
//! bit-fields and of `_BitInt`, optimisers of structs.
//!
//! As with [`super::wide`], memory and registers may hold anything in the bits above an integer; every operation clears
//! them in its operands and its result, or copies the sign there. Products and quotients are computed by `huge.vm`.

use std::rc::Rc;

use atropos_event::{Gap, GapKind, ReadOrder, WriteOrder};
use atropos_vm::arith::{signed, truncate};
use atropos_vm::instr::{BinaryOp, CastOp, CompareOp};
use atropos_vm::{Instr, Operand, Target, Width};

use super::function::Code;
use super::values::width_of;
use super::wide::unsigned;
use crate::ast::{Cast, Op, Operator, Type, Typed, Value};
use crate::layout::{self, is_huge};

/// Whether an instruction works on huge integers or makes one.
pub(crate) fn is_huge_operation(op: &Op) -> bool {
    match op {
        Op::Binary { left, .. } | Op::Icmp { left, .. } => is_huge(&left.ty),
        Op::Cast { value, to, .. } => is_huge(&value.ty) || is_huge(to),
        _ => false,
    }
}

/// What is in the bits above an integer.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Above {
    Zeroes,
    Sign,
}

impl Code<'_, '_> {
    pub(crate) fn huge_operation(&mut self, result: Option<&Rc<str>>, op: &Op) -> Result<(), Gap> {
        match op {
            Op::Binary { op, left, right } => {
                let Operator::Int(op) = *op else { return Err(GapKind::WideInstruction.of(op.name())) };
                let right = Typed { ty: left.ty.clone(), value: right.clone() };
                let words = self.huge_binary(op, left, &right)?;
                self.assign_huge(result, &left.ty, words)
            }
            Op::Icmp { predicate, left, right } => {
                let is_signed = unsigned(*predicate) != *predicate;
                let above = if is_signed { Above::Sign } else { Above::Zeroes };
                let right = Typed { ty: left.ty.clone(), value: right.clone() };
                let (a, b) = (self.huge_words(left, above)?, self.huge_words(&right, above)?);
                let holds = self.huge_compare(*predicate, &a, &b);
                self.assign(result, holds)
            }
            Op::Cast {
                op: op @ (Cast::ZeroExtend | Cast::SignExtend | Cast::Truncate | Cast::Bits),
                value,
                to,
            } => {
                let above = if *op == Cast::SignExtend { Above::Sign } else { Above::Zeroes };
                let words = self.huge_words(value, above)?;
                let fill = self.above(&words, above);
                let n = layout::leaves(to)?.len();
                let words = (0..n).map(|nth| words.get(nth).copied().unwrap_or(fill)).collect();
                self.assign_huge(result, to, words)
            }
            Op::Cast { op, .. } => Err(GapKind::WideInstruction.of(op.name())),
            _ => unreachable!("not about huge integers: {op:?}"),
        }
    }

    /// The words of an integer of any width.
    pub(super) fn huge_words(&mut self, value: &Typed, above: Above) -> Result<Vec<Operand>, Gap> {
        let Type::Int(bits) = value.ty else { return Err(GapKind::WrongType.into()) };
        let words = self.operands(&value.ty, &value.value)?;
        self.with_above(words, bits, above)
    }

    /// Replaces what is in the bits above an integer.
    pub(super) fn with_above(
        &mut self,
        mut words: Vec<Operand>,
        bits: u32,
        above: Above,
    ) -> Result<Vec<Operand>, Gap> {
        let width = top_width(bits)?;
        if let Some(top) = words.last_mut().filter(|_| width < Width::I64) {
            *top = match (above, *top) {
                (Above::Zeroes, Operand::Const(top)) => Operand::Const(truncate(width, top)),
                (Above::Sign, Operand::Const(top)) => Operand::Const(signed(width, top) as u64),
                (Above::Zeroes, top) => self.code.cast(CastOp::ZeroExtend, width, Width::I64, top).into(),
                (Above::Sign, top) => self.code.cast(CastOp::SignExtend, width, Width::I64, top).into(),
            };
        }
        Ok(words)
    }

    /// Vec<Operand> like those above an integer.
    pub(super) fn above(&mut self, words: &[Operand], above: Above) -> Operand {
        match (above, words.last()) {
            (Above::Sign, Some(&top)) => self.compute(BinaryOp::ArithmeticShiftRight, Width::I64, top, 63u64),
            _ => Operand::Const(0),
        }
    }

    pub(super) fn assign_huge(
        &mut self,
        result: Option<&Rc<str>>,
        ty: &Type,
        mut words: Vec<Operand>,
    ) -> Result<(), Gap> {
        let Type::Int(bits) = *ty else { return Err(GapKind::WrongType.into()) };
        let width = top_width(bits)?;
        if let Some(top) = words.last_mut().filter(|_| width < Width::I64) {
            *top = self.code.cast(CastOp::Truncate, Width::I64, width, *top).into();
        }
        // An operand may be the result of the previous iteration.
        let copies: Vec<_> = words
            .into_iter()
            .map(|word| {
                let copy = self.code.fresh();
                self.code.assign(copy, word);
                copy
            })
            .collect();
        let dsts = self.dsts(result);
        dsts.into_iter().zip(copies).for_each(|(dst, word)| self.code.assign(dst, word));
        Ok(())
    }

    fn huge_binary(&mut self, op: BinaryOp, left: &Typed, right: &Typed) -> Result<Vec<Operand>, Gap> {
        use BinaryOp::{Add, And, ArithmeticShiftRight, LogicalShiftRight, Mul, Or, ShiftLeft, Sub, Xor};
        match op {
            ShiftLeft | LogicalShiftRight | ArithmeticShiftRight => {
                let above = if op == ArithmeticShiftRight { Above::Sign } else { Above::Zeroes };
                let words = self.huge_words(left, above)?;
                let fill = self.above(&words, above);
                let amount = self.huge_words(right, Above::Zeroes)?[0];
                Ok(self.shifted(op == ShiftLeft, &words, fill, amount))
            }
            And | Or | Xor => {
                let (a, b) = (self.huge_words(left, Above::Zeroes)?, self.huge_words(right, Above::Zeroes)?);
                Ok(a.into_iter().zip(b).map(|(a, b)| self.compute(op, Width::I64, a, b)).collect())
            }
            Add | Sub => {
                let (a, b) = (self.huge_words(left, Above::Zeroes)?, self.huge_words(right, Above::Zeroes)?);
                Ok(self.huge_sum(op, &a, &b))
            }
            Mul => {
                let (a, b) = (self.huge_words(left, Above::Zeroes)?, self.huge_words(right, Above::Zeroes)?);
                self.huge_product(&a, &b)
            }
            BinaryOp::UnsignedDiv | BinaryOp::UnsignedRem | BinaryOp::SignedDiv | BinaryOp::SignedRem => {
                self.huge_quotient(op, left, right)
            }
            _ => Err(GapKind::WideInstruction.of(op.name())),
        }
    }

    pub(super) fn huge_product(&mut self, a: &[Operand], b: &[Operand]) -> Result<Vec<Operand>, Gap> {
        let n = a.len();
        let to = self.put_words(&vec![Operand::Const(0); n]);
        let (a, b) = (self.put_words(a), self.put_words(b));
        self.call_runtime(None, "huge mul", vec![to, a, b, Operand::Const(n as u64)])?;
        Ok(self.take_words(to, n))
    }

    pub(super) fn huge_sum(&mut self, op: BinaryOp, a: &[Operand], b: &[Operand]) -> Vec<Operand> {
        let overflows = match op {
            BinaryOp::Add => BinaryOp::UnsignedAddOverflows,
            _ => BinaryOp::UnsignedSubOverflows,
        };
        let (mut carry, mut sum) = (Operand::Const(0), Vec::new());
        for (&a, &b) in a.iter().zip(b) {
            let part = self.compute(op, Width::I64, a, b);
            let first = self.compute(overflows, Width::I64, a, b);
            sum.push(self.compute(op, Width::I64, part, carry));
            let second = self.compute(overflows, Width::I64, part, carry);
            carry = self.compute(BinaryOp::Or, Width::I64, first, second);
        }
        sum
    }

    /// The quotient is rounded towards zero, and the remainder has the sign of the dividend.
    fn huge_quotient(&mut self, op: BinaryOp, left: &Typed, right: &Typed) -> Result<Vec<Operand>, Gap> {
        let is_signed = matches!(op, BinaryOp::SignedDiv | BinaryOp::SignedRem);
        let above = if is_signed { Above::Sign } else { Above::Zeroes };
        let (a, b) = (self.huge_words(left, above)?, self.huge_words(right, above)?);
        let (a_sign, b_sign) = (self.above(&a, above), self.above(&b, above));
        let (a, b) = (self.negated_if(a_sign, a), self.negated_if(b_sign, b));
        let n = a.len();
        let rest = self.put_words(&vec![Operand::Const(0); n]);
        let (a, b) = (self.put_words(&a), self.put_words(&b));
        self.call_runtime(None, "huge divide", vec![a, rest, b, Operand::Const(n as u64)])?;
        Ok(match op {
            BinaryOp::UnsignedDiv | BinaryOp::SignedDiv => {
                let quotient = self.take_words(a, n);
                let sign = self.compute(BinaryOp::Xor, Width::I64, a_sign, b_sign);
                self.negated_if(sign, quotient)
            }
            _ => {
                let rest = self.take_words(rest, n);
                self.negated_if(a_sign, rest)
            }
        })
    }

    /// The negation if `sign` has all bits, the same if it has none.
    pub(super) fn negated_if(&mut self, sign: Operand, words: Vec<Operand>) -> Vec<Operand> {
        if sign == Operand::Const(0) {
            return words;
        }
        let flipped: Vec<Operand> =
            words.into_iter().map(|word| self.compute(BinaryOp::Xor, Width::I64, word, sign)).collect();
        let signs = vec![sign; flipped.len()];
        self.huge_sum(BinaryOp::Sub, &flipped, &signs)
    }

    /// The top word decides; where it is the same, the one below does.
    pub(super) fn huge_compare(&mut self, predicate: CompareOp, a: &[Operand], b: &[Operand]) -> Operand {
        let mut found: Option<Operand> = None;
        for (nth, (&left, &right)) in a.iter().zip(b).enumerate() {
            let here = if nth + 1 == a.len() { predicate } else { unsigned(predicate) };
            let holds = self.code.compare(here, Width::I64, left, right).into();
            found = Some(match found {
                None => holds,
                Some(below) => {
                    let decides = match predicate {
                        CompareOp::NotEqual => holds,
                        _ => self.code.compare(CompareOp::NotEqual, Width::I64, left, right).into(),
                    };
                    let dst = self.code.fresh();
                    let (condition, then, otherwise) = (decides, holds, below);
                    self.code.push(Instr::Select { dst, condition, then, otherwise });
                    dst.into()
                }
            });
        }
        found.unwrap_or(Operand::Const(0))
    }

    pub(super) fn shifted(
        &mut self,
        is_left: bool,
        words: &[Operand],
        fill: Operand,
        amount: Operand,
    ) -> Vec<Operand> {
        match amount {
            Operand::Const(amount) => self.shift_by_constant(is_left, words, fill, amount),
            amount => self.shift_by_variable(is_left, words, fill, amount),
        }
    }

    fn shift_by_constant(
        &mut self,
        is_left: bool,
        words: &[Operand],
        fill: Operand,
        amount: u64,
    ) -> Vec<Operand> {
        let (by, bits) = ((amount / 64).min(words.len() as u64) as i64, amount % 64);
        let word = |nth: i64| match usize::try_from(nth) {
            Err(_) => Operand::Const(0),
            Ok(nth) => words.get(nth).copied().unwrap_or(fill),
        };
        (0..words.len() as i64)
            .map(|nth| match is_left {
                true => self.left_part(word(nth - by), word(nth - by - 1), bits.into()),
                false => self.right_part(word(nth + by), word(nth + by + 1), bits.into()),
            })
            .collect()
    }

    /// Takes the words of the result from memory: it has those of the number, and as many to shift in.
    fn shift_by_variable(
        &mut self,
        is_left: bool,
        words: &[Operand],
        fill: Operand,
        amount: Operand,
    ) -> Vec<Operand> {
        let n = words.len();
        let more = vec![fill; n + 1];
        let all = if is_left { [&more, words].concat() } else { [words, &more].concat() };
        let memory = self.put_words(&all);
        let by = self.compute(BinaryOp::LogicalShiftRight, Width::I64, amount, 6u64);
        // More than all bits are not defined; there is no memory for them.
        let fits = self.code.compare(CompareOp::UnsignedLess, Width::I64, by, n as u64).into();
        let dst = self.code.fresh();
        self.code.push(Instr::Select { dst, condition: fits, then: by, otherwise: Operand::Const(n as u64) });
        let bits = self.compute(BinaryOp::And, Width::I64, amount, 63u64);
        let start = match is_left {
            true => {
                let back = self.compute(BinaryOp::Sub, Width::I64, n as u64, dst);
                Operand::Reg(self.code.address(memory, back, 8, 0))
            }
            false => Operand::Reg(self.code.address(memory, dst, 8, 0)),
        };
        let moved = self.take_words(start, n + 1);
        moved
            .windows(2)
            .map(|pair| match is_left {
                true => self.left_part(pair[1], pair[0], bits),
                false => self.right_part(pair[0], pair[1], bits),
            })
            .collect()
    }

    /// A word of a number that is shifted to the left by less than 64 bits.
    fn left_part(&mut self, word: Operand, below: Operand, bits: Operand) -> Operand {
        self.joined([(BinaryOp::ShiftLeft, word), (BinaryOp::LogicalShiftRight, below)], bits)
    }

    /// A word of a number that is shifted to the right by less than 64 bits.
    fn right_part(&mut self, word: Operand, above: Operand, bits: Operand) -> Operand {
        self.joined([(BinaryOp::LogicalShiftRight, word), (BinaryOp::ShiftLeft, above)], bits)
    }

    /// The first word shifted by `bits`, and the second one by what remains of 64.
    fn joined(&mut self, [(to, word), (back, next)]: [(BinaryOp, Operand); 2], bits: Operand) -> Operand {
        if bits == Operand::Const(0) {
            return word;
        }
        let moved = self.compute(to, Width::I64, word, bits);
        if next == Operand::Const(0) {
            return moved;
        }
        // In two steps, because no word can be shifted by 64.
        let rest = match bits {
            Operand::Const(bits) => Operand::Const(63 - bits),
            bits => self.compute(BinaryOp::Sub, Width::I64, 63u64, bits),
        };
        let next = self.compute(back, Width::I64, next, 1u64);
        let next = self.compute(back, Width::I64, next, rest);
        self.compute(BinaryOp::Or, Width::I64, moved, next)
    }

    /// Stores words in private memory.
    fn put_words(&mut self, words: &[Operand]) -> Operand {
        let slot = Operand::Slot(self.code.private_slot("words", 8 * words.len() as u64));
        for (nth, &word) in words.iter().enumerate() {
            let at = self.at(slot, 8 * nth as u64);
            self.code.store(WriteOrder::NotAtomic, 8, at, word);
        }
        slot
    }

    fn take_words(&mut self, from: Operand, n: usize) -> Vec<Operand> {
        let load = |nth| {
            let at = self.at(from, 8 * nth as u64);
            Operand::Reg(self.code.load(ReadOrder::NotAtomic, 8, at))
        };
        (0..n).map(load).collect()
    }

    /// A `switch`: one comparison after the other.
    pub(crate) fn huge_switch(
        &mut self,
        value: &Typed,
        cases: &[(Value, Target)],
        default: Target,
    ) -> Result<(), Gap> {
        let words = self.huge_words(value, Above::Zeroes)?;
        for (case, to) in cases {
            let case = Typed { ty: value.ty.clone(), value: case.clone() };
            let case = self.huge_words(&case, Above::Zeroes)?;
            let same = self.huge_compare(CompareOp::Equal, &words, &case);
            self.code.jump_if(same, *to);
        }
        self.code.jump(default);
        Ok(())
    }
}

/// The width of the top word of an integer.
fn top_width(bits: u32) -> Result<Width, Gap> {
    width_of(&Type::Int((bits - 1) % 64 + 1))
}
