//! Intrinsics on integers of more than 128 bits ([`super::huge`]).

use std::rc::Rc;

use atropos_event::{Gap, GapKind};
use atropos_vm::instr::{BinaryOp, CompareOp, UnaryOp};
use atropos_vm::{Instr, Operand, Width};

use super::function::Code;
use super::huge::Above;
use crate::ast::{Call, Type};
use crate::layout::{self, is_huge};

impl Code<'_, '_> {
    /// An intrinsic on integers of more than 64 bits.
    pub(crate) fn large_intrinsic(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        call: &Call,
    ) -> Result<(), Gap> {
        match call.args.first().is_some_and(|arg| is_huge(&arg.value.ty)) {
            true => self.huge_intrinsic(result, name, call),
            false => self.wide_intrinsic(result, name, call),
        }
    }

    fn huge_intrinsic(&mut self, result: Option<&Rc<str>>, name: &str, call: &Call) -> Result<(), Gap> {
        let kind = name.split('.').next().unwrap_or(name);
        let is_signed = kind.starts_with('s') || kind == "abs";
        let above = if is_signed { Above::Sign } else { Above::Zeroes };
        let mut args = Vec::new();
        for arg in call.args.iter().filter(|arg| is_huge(&arg.value.ty)) {
            args.push(self.huge_words(&arg.value, above)?);
        }
        let ty = &call.args[0].value.ty;
        let bits = layout::bits_of(ty).unwrap_or(0);
        if name.contains(".with.overflow.") || name.contains(".sat.") {
            return self.huge_overflow(result, name, &args, bits, above);
        }
        let words = match (kind, &args[..]) {
            ("expect", [value, ..]) => value.clone(),
            ("abs", [value]) => {
                let sign = self.above(value, above);
                self.negated_if(sign, value.clone())
            }
            ("smax", [a, b]) => self.chosen(CompareOp::SignedGreater, a, b),
            ("smin", [a, b]) => self.chosen(CompareOp::SignedLess, a, b),
            ("umax", [a, b]) => self.chosen(CompareOp::UnsignedGreater, a, b),
            ("umin", [a, b]) => self.chosen(CompareOp::UnsignedLess, a, b),
            ("ctpop", [value]) => self.number_of_ones(value),
            ("bswap", [value]) => {
                // The bytes of whole words, without those that were above.
                let unused = Operand::Const(64 * value.len() as u64 - u64::from(bits));
                let turned: Vec<Operand> =
                    value.iter().rev().map(|&word| self.unary(UnaryOp::SwapBytes, word)).collect();
                self.shifted(false, &turned, Operand::Const(0), unused)
            }
            ("ctlz", [value, ..]) => self.number_of_zeroes(UnaryOp::LeadingZeros, value, bits),
            ("cttz", [value, ..]) => self.number_of_zeroes(UnaryOp::TrailingZeros, value, bits),
            ("fshl" | "fshr", [a, b, by]) => self.funnel(kind == "fshl", [a, b], by[0], bits),
            _ => return Err(GapKind::WideInstruction.of(format!("llvm.{name}"))),
        };
        self.assign_huge(result, ty, words)
    }

    /// The first one if the comparison holds, else the second one.
    fn chosen(&mut self, predicate: CompareOp, a: &[Operand], b: &[Operand]) -> Vec<Operand> {
        let condition = self.huge_compare(predicate, a, b);
        let mut choose = |(&then, &otherwise)| {
            let dst = self.code.fresh();
            self.code.push(Instr::Select { dst, condition, then, otherwise });
            Operand::Reg(dst)
        };
        a.iter().zip(b).map(&mut choose).collect()
    }

    fn number_of_ones(&mut self, words: &[Operand]) -> Vec<Operand> {
        let mut sum = Operand::Const(0);
        for &word in words {
            let ones = self.unary(UnaryOp::CountOnes, word);
            sum = self.compute(BinaryOp::Add, Width::I64, sum, ones);
        }
        words.iter().enumerate().map(|(nth, _)| if nth == 0 { sum } else { Operand::Const(0) }).collect()
    }

    /// Counts the zeroes before the first one, from the top or from the bottom.
    fn number_of_zeroes(&mut self, op: UnaryOp, words: &[Operand], bits: u32) -> Vec<Operand> {
        let n = words.len() as u64;
        let unused = 64 * n - u64::from(bits);
        let mut found = Operand::Const(bits.into());
        for nth in 0..n {
            // The last word that is looked at decides.
            let word = match op {
                UnaryOp::LeadingZeros => words[nth as usize],
                _ => words[(n - 1 - nth) as usize],
            };
            let here = self.unary(op, word);
            let then = self.compute(BinaryOp::Add, Width::I64, here, 64 * (n - 1 - nth));
            let then = match op {
                UnaryOp::LeadingZeros => self.compute(BinaryOp::Sub, Width::I64, then, unused),
                _ => then,
            };
            let (dst, condition) =
                (self.code.fresh(), self.code.compare(CompareOp::NotEqual, Width::I64, word, 0u64));
            self.code.push(Instr::Select { dst, condition: condition.into(), then, otherwise: found });
            found = dst.into();
        }
        words.iter().enumerate().map(|(nth, _)| if nth == 0 { found } else { Operand::Const(0) }).collect()
    }

    /// The high words of two numbers side by side that are shifted to the left, or the low words of them shifted to the
    /// right.
    fn funnel(&mut self, is_left: bool, [a, b]: [&Vec<Operand>; 2], by: Operand, bits: u32) -> Vec<Operand> {
        let size = Operand::Const(bits.into());
        let by = match by {
            Operand::Const(by) => Operand::Const(by % u64::from(bits)),
            by => self.compute(BinaryOp::UnsignedRem, Width::I64, by, size),
        };
        let rest = match by {
            Operand::Const(by) => Operand::Const(u64::from(bits) - by),
            by => self.compute(BinaryOp::Sub, Width::I64, size, by),
        };
        let (left, right) = if is_left { (by, rest) } else { (rest, by) };
        // A shift by all bits leaves nothing; the words above them hold what is cut off.
        let a = self.shifted(true, a, Operand::Const(0), left);
        let b = self.shifted(false, b, Operand::Const(0), right);
        a.into_iter().zip(b).map(|(a, b)| self.compute(BinaryOp::Or, Width::I64, a, b)).collect()
    }

    /// Sums, differences and products, with whether they are too large for the type, or with the nearest number of it.
    fn huge_overflow(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        args: &[Vec<Operand>],
        bits: u32,
        above: Above,
    ) -> Result<(), Gap> {
        let ([a, b], Some(operation)) = (args, name.get(1..4)) else {
            return Err(GapKind::WideInstruction.of(format!("llvm.{name}")));
        };
        let n = a.len();
        let all = if operation == "mul" { 2 * n } else { n + 1 };
        let (a, b) = (self.extended_words(a, above, all), self.extended_words(b, above, all));
        let exact = match operation {
            "add" => self.huge_sum(BinaryOp::Add, &a, &b),
            "sub" => self.huge_sum(BinaryOp::Sub, &a, &b),
            "mul" => self.huge_product(&a, &b)?,
            _ => return Err(GapKind::WideInstruction.of(format!("llvm.{name}"))),
        };
        let kept = self.with_above(exact[..n].to_vec(), bits, above)?;
        let extended = self.extended_words(&kept, above, all);
        let overflows = self.huge_compare(CompareOp::NotEqual, &exact, &extended);
        if !name.contains(".sat.") {
            let dsts = self.dsts(result);
            for (&dst, word) in dsts.iter().zip(kept.into_iter().chain([overflows])) {
                self.code.assign(dst, word);
            }
            return Ok(());
        }
        // The sign of the exact number says on which side it is: a word of zeroes or of ones.
        let sign = self.above(&exact, Above::Sign);
        let flip = if above == Above::Sign || operation == "sub" { sign } else { Operand::Const(0) };
        let unused = 64 * n as u32 - bits + u32::from(above == Above::Sign);
        let mut nearest = vec![Operand::Const(u64::MAX); n];
        nearest[n - 1] = Operand::Const(u64::MAX.checked_shr(unused).unwrap_or(0));
        let mut words = Vec::new();
        for (then, otherwise) in nearest.into_iter().zip(kept) {
            let then = self.compute(BinaryOp::Xor, Width::I64, then, flip);
            let dst = self.code.fresh();
            self.code.push(Instr::Select { dst, condition: overflows, then, otherwise });
            words.push(dst.into());
        }
        self.assign_huge(result, &Type::Int(bits), words)
    }

    /// The words of a number, and as many of those above it as are wanted.
    fn extended_words(&mut self, words: &[Operand], above: Above, n: usize) -> Vec<Operand> {
        let fill = self.above(words, above);
        (0..n).map(|nth| words.get(nth).copied().unwrap_or(fill)).collect()
    }

    fn unary(&mut self, op: UnaryOp, value: Operand) -> Operand {
        let dst = self.code.fresh();
        self.code.push(Instr::Unary { op, width: Width::I64, dst, value });
        dst.into()
    }
}
