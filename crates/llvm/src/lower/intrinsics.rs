//! Functions that the compiler invents: `llvm.*`.

use std::rc::Rc;

use atropos_event::{AbortCause, Gap, GapKind};
use atropos_vm::instr::{BinaryOp, CompareOp, UnaryOp};
use atropos_vm::{Failure, Instr, Operand, Width};

use super::function::Code;
use super::values::width_of;
use crate::ast::{Call, Type};
use crate::layout;

/// Markers without effect on what a program does.
const MARKERS: [&str; 17] = [
    "lifetime.start",
    "lifetime.end",
    "dbg.declare",
    "dbg.value",
    "dbg.label",
    "dbg.assign",
    "pseudoprobe",
    "sideeffect",
    "fake.use",
    "assume",
    "donothing",
    "prefetch",
    "invariant.start",
    "invariant.end",
    "var.annotation",
    "experimental.noalias.scope.decl",
    "x86.sse2.pause",
];

impl Code<'_, '_> {
    pub(crate) fn intrinsic(&mut self, result: Option<&Rc<str>>, name: &str, call: &Call) -> Result<(), Gap> {
        // The types of an intrinsic follow its name.
        let name = name.strip_prefix("llvm.").unwrap_or(name);
        let known =
            |known: &str| name == known || name.strip_prefix(known).is_some_and(|rest| rest.starts_with('.'));
        if MARKERS.iter().any(|marker| known(marker)) {
            return self.assign(result, 0u64);
        }
        if known("eh.typeid.for") {
            let selector = self.type_selector(call)?;
            return self.assign(result, selector);
        }
        if call.args.iter().any(|arg| matches!(arg.value.ty, Type::Vector(..))) {
            return self.vector_intrinsic(result, name, call);
        }
        if call.args.iter().any(|arg| layout::is_large(&arg.value.ty)) {
            return self.large_intrinsic(result, name, call);
        }
        if call.args.len() < fewest_arguments(name) {
            return Err(GapKind::TooFewArguments.of(format!("llvm.{name}")));
        }
        let mut args = Vec::new();
        for arg in &call.args {
            args.push(self.operand(&arg.value)?);
        }
        if let Some(()) = self.bulk(name, &args)? {
            return Ok(());
        }
        if let Some(()) = self.integer_intrinsic(result, name, call, &args)? {
            return Ok(());
        }
        if let Some(()) = self.math_function(result, name, call, &args)? {
            return Ok(());
        }
        match () {
            () if known("expect") || known("expect.with.probability") || known("threadlocal.address") => {
                self.assign(result, args[0])
            }
            () if known("launder.invariant.group")
                || known("strip.invariant.group")
                || known("ptr.annotation") =>
            {
                self.assign(result, args[0])
            }
            // An `__int128` that is passed for `...` looks like two numbers, whose place is not a multiple of 16.
            () if known("ptrmask")
                && self.frame.rest_at.is_some()
                && args[1] == Operand::Const(16u64.wrapping_neg()) =>
            {
                Err(GapKind::AlignedArgument.into())
            }
            () if known("ptrmask") => {
                let masked = self.compute(BinaryOp::And, Width::I64, args[0], args[1]);
                self.assign(result, masked)
            }
            () if known("stacksave") => self.save_stack(result),
            () if known("stackrestore") => self.restore_stack(args[0]),
            () if known("objectsize") => self.assign(result, u64::MAX),
            () if known("is.constant") => self.assign(result, 0u64),
            () if known("trap") || known("debugtrap") || known("ubsantrap") => {
                self.code.fail(Failure::Abort(AbortCause::Trap));
                Ok(())
            }
            () if known("va_start") => self.start_list(args[0]),
            () if known("va_end") => Ok(()),
            () if known("va_copy") => {
                self.code.push(Instr::Copy { to: args[0], from: args[1], length: Operand::Const(24) });
                Ok(())
            }
            () => Err(GapKind::Intrinsic.of(name)),
        }
    }

    fn bulk(&mut self, name: &str, args: &[Operand]) -> Result<Option<()>, Gap> {
        let kind = name.split('.').next().unwrap_or_default();
        match kind {
            "memcpy" | "memmove" => {
                self.code.push(Instr::Copy { to: args[0], from: args[1], length: args[2] });
            }
            "memset" => self.code.push(Instr::Fill { to: args[0], byte: args[1], length: args[2] }),
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    fn integer_intrinsic(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        call: &Call,
        args: &[Operand],
    ) -> Result<Option<()>, Gap> {
        let parts: Vec<&str> = name.split('.').collect();
        let unary = match parts[0] {
            "ctpop" => Some(UnaryOp::CountOnes),
            "ctlz" => Some(UnaryOp::LeadingZeros),
            "cttz" => Some(UnaryOp::TrailingZeros),
            "bswap" => Some(UnaryOp::SwapBytes),
            "bitreverse" => Some(UnaryOp::ReverseBits),
            _ => None,
        };
        if let Some(op) = unary {
            let (dst, width) = (self.dst(result)?, width_of(&call.args[0].value.ty)?);
            self.code.push(Instr::Unary { op, width, dst, value: args[0] });
            return Ok(Some(()));
        }
        let choice = match parts[0] {
            "smax" => Some(CompareOp::SignedGreater),
            "smin" => Some(CompareOp::SignedLess),
            "umax" => Some(CompareOp::UnsignedGreater),
            "umin" => Some(CompareOp::UnsignedLess),
            _ => None,
        };
        if let Some(op) = choice {
            let (dst, width) = (self.dst(result)?, width_of(&call.result)?);
            let condition = Operand::Reg(self.code.compare(op, width, args[0], args[1]));
            self.code.push(Instr::Select { dst, condition, then: args[0], otherwise: args[1] });
            return Ok(Some(()));
        }
        match (parts[0], parts.get(1).copied()) {
            ("abs", _) => {
                let (dst, width) = (self.dst(result)?, width_of(&call.result)?);
                let condition = Operand::Reg(self.code.compare(CompareOp::SignedLess, width, args[0], 0u64));
                let then = self.compute(BinaryOp::Sub, width, 0u64, args[0]);
                self.code.push(Instr::Select { dst, condition, then, otherwise: args[0] });
            }
            (op, Some("with")) => self.overflowing(result, op, call, args)?,
            (op @ ("sadd" | "ssub" | "sshl" | "uadd" | "usub" | "ushl"), Some("sat")) => {
                self.saturating(result, op, call, args)?;
            }
            ("scmp" | "ucmp", _) => self.three_way(result, parts[0], call, args)?,
            ("fshl" | "fshr", _) => self.funnel_shift(result, parts[0], call, args)?,
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    /// `{u,s}{add,sub,mul}.with.overflow`: the result, and whether it does not fit.
    fn overflowing(
        &mut self,
        result: Option<&Rc<str>>,
        op: &str,
        call: &Call,
        args: &[Operand],
    ) -> Result<(), Gap> {
        let plain = op.get(1..).and_then(BinaryOp::from_name);
        let overflows = BinaryOp::from_name(&format!("{op}o"));
        let (Some(plain), Some(overflows), Some(first)) = (plain, overflows, call.args.first()) else {
            return Err(GapKind::Intrinsic.of(format!("{op}.with.overflow")));
        };
        let width = width_of(&first.value.ty)?;
        if let [value, flag] = self.dsts(result)[..] {
            self.code.push(Instr::Binary { op: plain, width, dst: value, left: args[0], right: args[1] });
            self.code.push(Instr::Binary { op: overflows, width, dst: flag, left: args[0], right: args[1] });
        }
        Ok(())
    }

    /// `{u,s}{add,sub,shl}.sat`: the result, or the bound that it passes.
    fn saturating(
        &mut self,
        result: Option<&Rc<str>>,
        op: &str,
        call: &Call,
        args: &[Operand],
    ) -> Result<(), Gap> {
        let (width, is_signed) = (width_of(&call.result)?, op.starts_with('s'));
        let (all, most) = (u64::MAX >> (64 - width.bits()), (u64::MAX >> (64 - width.bits())) >> 1);
        let plain = match &op[1..] {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            _ => BinaryOp::ShiftLeft,
        };
        let value = self.compute(plain, width, args[0], args[1]);
        let overflows: Operand = match BinaryOp::from_name(&format!("{op}o")) {
            Some(overflows) => self.compute(overflows, width, args[0], args[1]),
            // A shift overflows if shifting back does not give the operand.
            None => {
                let back =
                    if is_signed { BinaryOp::ArithmeticShiftRight } else { BinaryOp::LogicalShiftRight };
                let back = self.compute(back, width, value, args[1]);
                self.code.compare(CompareOp::NotEqual, width, back, args[0]).into()
            }
        };
        // The sign of the exact result is that of the first operand, except for zero.
        let bound = match (is_signed, op) {
            (true, _) => {
                let is_negative = self.code.compare(CompareOp::SignedLess, width, args[0], 0u64);
                self.compute(BinaryOp::Add, width, is_negative, most)
            }
            (false, "usub") => Operand::Const(0),
            (false, _) => Operand::Const(all),
        };
        let dst = self.dst(result)?;
        self.code.push(Instr::Select { dst, condition: overflows, then: bound, otherwise: value });
        Ok(())
    }

    /// `scmp` and `ucmp`: -1, 0 or 1.
    fn three_way(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        call: &Call,
        args: &[Operand],
    ) -> Result<(), Gap> {
        let (width, to) = (width_of(&call.args[0].value.ty)?, width_of(&call.result)?);
        let [greater, less] = match name {
            "scmp" => [CompareOp::SignedGreater, CompareOp::SignedLess],
            _ => [CompareOp::UnsignedGreater, CompareOp::UnsignedLess],
        };
        let [greater, less] = [greater, less].map(|op| self.code.compare(op, width, args[0], args[1]));
        let order = self.compute(BinaryOp::Sub, to, greater, less);
        self.assign(result, order)
    }

    fn funnel_shift(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        call: &Call,
        args: &[Operand],
    ) -> Result<(), Gap> {
        let width = width_of(&call.result)?;
        let bits = u64::from(width.bits());
        let amount = self.compute(BinaryOp::UnsignedRem, width, args[2], bits);
        let opposite = self.compute(BinaryOp::Sub, width, bits, amount);
        let (left, right) = if name == "fshl" { (amount, opposite) } else { (opposite, amount) };
        let high = self.compute(BinaryOp::ShiftLeft, width, args[0], left);
        let low = self.compute(BinaryOp::LogicalShiftRight, width, args[1], right);
        let value = self.compute(BinaryOp::Or, width, high, low);
        self.assign(result, value)
    }
}

/// How many arguments an intrinsic has at least; one that is not modelled may have none.
fn fewest_arguments(name: &str) -> usize {
    match name.split('.').next().unwrap_or_default() {
        "memcpy" | "memmove" | "memset" | "fshl" | "fshr" => 3,
        "va_copy" | "ptrmask" | "smax" | "smin" | "umax" | "umin" => 2,
        "sadd" | "ssub" | "smul" | "uadd" | "usub" | "umul" | "sshl" | "ushl" | "scmp" | "ucmp" => 2,
        "ctpop" | "ctlz" | "cttz" | "bswap" | "bitreverse" | "abs" => 1,
        "expect" | "threadlocal" | "launder" | "strip" | "ptr" | "stackrestore" | "va_start" => 1,
        _ => 0,
    }
}
