//! Functions of `math.h`, and the intrinsics that compute the same.
//!
//! `isnan` and similar functions become `llvm.is.fpclass`. A name ends in `f` for `float` and in `l` for
//! `long double`. Errors do not set `errno`.

use atropos_event::{Gap, GapKind};
use std::rc::Rc;

use atropos_vm::instr::{ConvertOp, Float, FloatBinaryOp, FloatUnaryOp};
use atropos_vm::{Instr, Operand, Width};

use super::arithmetic::format_of;
use super::function::Code;
use crate::ast::Call;
use crate::layout;

const UNARY: [(&str, FloatUnaryOp); 26] = [
    ("fabs", FloatUnaryOp::Absolute),
    ("sqrt", FloatUnaryOp::SquareRoot),
    ("floor", FloatUnaryOp::Floor),
    ("ceil", FloatUnaryOp::Ceiling),
    ("trunc", FloatUnaryOp::Truncate),
    ("round", FloatUnaryOp::Round),
    ("roundeven", FloatUnaryOp::RoundTiesEven),
    ("rint", FloatUnaryOp::RoundTiesEven),
    ("nearbyint", FloatUnaryOp::RoundTiesEven),
    ("sin", FloatUnaryOp::Sine),
    ("cos", FloatUnaryOp::Cosine),
    ("tan", FloatUnaryOp::Tangent),
    ("asin", FloatUnaryOp::ArcSine),
    ("acos", FloatUnaryOp::ArcCosine),
    ("atan", FloatUnaryOp::ArcTangent),
    ("sinh", FloatUnaryOp::HyperbolicSine),
    ("cosh", FloatUnaryOp::HyperbolicCosine),
    ("tanh", FloatUnaryOp::HyperbolicTangent),
    ("exp", FloatUnaryOp::Exponential),
    ("exp2", FloatUnaryOp::Exponential2),
    ("expm1", FloatUnaryOp::ExponentialMinus1),
    ("log", FloatUnaryOp::Logarithm),
    ("log2", FloatUnaryOp::Logarithm2),
    ("log10", FloatUnaryOp::Logarithm10),
    ("log1p", FloatUnaryOp::Logarithm1Plus),
    ("cbrt", FloatUnaryOp::CubeRoot),
];

const BINARY: [(&str, FloatBinaryOp); 12] = [
    ("minnum", FloatBinaryOp::Min),
    ("fmin", FloatBinaryOp::Min),
    ("maxnum", FloatBinaryOp::Max),
    ("fmax", FloatBinaryOp::Max),
    ("copysign", FloatBinaryOp::CopySign),
    ("fmod", FloatBinaryOp::Rem),
    ("pow", FloatBinaryOp::Power),
    ("atan2", FloatBinaryOp::ArcTangent2),
    ("hypot", FloatBinaryOp::Hypotenuse),
    ("remainder", FloatBinaryOp::Remainder),
    ("drem", FloatBinaryOp::Remainder),
    ("nextafter", FloatBinaryOp::NextAfter),
];

/// Rounding to an integer of 64 bits.
const TO_INTEGER: [(&str, FloatUnaryOp); 4] = [
    ("lround", FloatUnaryOp::Round),
    ("llround", FloatUnaryOp::Round),
    ("lrint", FloatUnaryOp::RoundTiesEven),
    ("llrint", FloatUnaryOp::RoundTiesEven),
];

fn find<T: Copy>(table: &[(&str, T)], name: &str, format: Float) -> Option<T> {
    let entry = |name: &str| table.iter().find(|(known, _)| *known == name).map(|&(_, op)| op);
    let suffix = if format == Float::F32 { 'f' } else { 'l' };
    entry(name).or_else(|| entry(name.strip_suffix(suffix)?))
}

impl Code<'_, '_> {
    /// Returns whether `name`, of a function or of an intrinsic with its types, is one of these.
    pub(crate) fn math_function(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        call: &Call,
        args: &[Operand],
    ) -> Result<Option<()>, Gap> {
        let name = name.split('.').next().unwrap_or_default();
        if let Some(()) = self.half_function(result, name, call, args)? {
            return Ok(Some(()));
        }
        // Operations on complex numbers are functions.
        if layout::leaves(&call.result)?.len() > 1 {
            return Ok(None);
        }
        let Some(Ok(format)) = call.args.first().map(|arg| format_of(&arg.value.ty)) else { return Ok(None) };
        let dst = self.dst(result)?;
        if let Some(op) = find(&UNARY, name, format) {
            self.code.push(Instr::FloatUnary { op, format, dst, value: args[0] });
        } else if let (Some(op), Some(&right)) = (find(&BINARY, name, format), args.get(1)) {
            self.code.push(Instr::FloatBinary { op, format, dst, left: args[0], right });
        } else if let Some(op) = find(&TO_INTEGER, name, format) {
            let whole = self.code.fresh();
            self.code.push(Instr::FloatUnary { op, format, dst: whole, value: args[0] });
            let (op, width, value) = (ConvertOp::FloatToSigned, Width::I64, whole.into());
            self.code.push(Instr::Convert { op, format, width, dst, value });
        } else if name == "is" {
            let class = format!("is class {}", format.name());
            self.call_runtime(result, &class, args.to_vec())?;
        } else if let (true, &[left, right, addend]) = (["fma", "fmaf", "fmal"].contains(&name), args) {
            self.code.push(Instr::Fused { format, dst, left, right, addend });
        } else if name == "powi" {
            self.call_runtime(result, &format!("power {}", format.name()), args.to_vec())?;
        } else if name == "fmuladd" {
            let product = self.code.fresh();
            let &[left, right, addend] = args else {
                return Err(GapKind::NumberOfArguments.of(name).with([args.len() as u64]));
            };
            self.code.push(Instr::FloatBinary { op: FloatBinaryOp::Mul, format, dst: product, left, right });
            let left = Operand::Reg(product);
            self.code.push(Instr::FloatBinary { op: FloatBinaryOp::Add, format, dst, left, right: addend });
        } else {
            return Ok(None);
        }
        Ok(Some(()))
    }
}
