//! Floating-point arithmetic: the host's IEEE operations on the bits of a register.

use std::cmp::Ordering;

use crate::arith;
use crate::instr::{ConvertOp, Float, FloatBinaryOp, FloatCompareOp, FloatUnaryOp};
use crate::ir::Width;

/// Runs `$body` with the operands read as numbers of `$format`.
macro_rules! at_format {
    ($format:expr, ($($name:ident = $bits:expr),*) => $body:expr) => {
        match $format {
            Float::F32 => {
                $(let $name = f32::from_bits($bits as u32);)*
                u64::from(f32::to_bits($body))
            }
            Float::F64 => {
                $(let $name = f64::from_bits($bits);)*
                f64::to_bits($body)
            }
        }
    };
}

pub fn binary(op: FloatBinaryOp, format: Float, left: u64, right: u64) -> u64 {
    at_format!(format, (a = left, b = right) => match op {
        FloatBinaryOp::Add => a + b,
        FloatBinaryOp::Sub => a - b,
        FloatBinaryOp::Mul => a * b,
        FloatBinaryOp::Div => a / b,
        FloatBinaryOp::Rem => a % b,
        FloatBinaryOp::Min => a.min(b),
        FloatBinaryOp::Max => a.max(b),
        FloatBinaryOp::CopySign => a.copysign(b),
        FloatBinaryOp::Power => a.powf(b),
        FloatBinaryOp::ArcTangent2 => a.atan2(b),
        FloatBinaryOp::Hypotenuse => a.hypot(b),
        FloatBinaryOp::Remainder => remainder(to_f64(format, left), to_f64(format, right)) as _,
        FloatBinaryOp::NextAfter => match a.partial_cmp(&b) {
            Some(Ordering::Less) => a.next_up(),
            Some(Ordering::Greater) => a.next_down(),
            Some(Ordering::Equal) => b,
            None => a + b,
        },
    })
}

/// The remainder of a division whose quotient is rounded to the nearest integer. It is exact, so that of two `f32` is
/// one.
fn remainder(a: f64, b: f64) -> f64 {
    if b == 0.0 || !a.is_finite() || b.is_nan() {
        return f64::NAN;
    }
    let b = b.abs();
    // With a divisor of more than half of the greatest number, there is nothing to divide twice.
    let rest = if b <= f64::MAX / 2.0 { a.abs() % (b + b) } else { a.abs() };
    // Half of a tiny divisor is not exact, twice a large one is not finite.
    let exceeds = |rest: f64| if b < 1.0 { rest + rest > b } else { rest > 0.5 * b };
    let reaches = |rest: f64| if b < 1.0 { rest + rest >= b } else { rest >= 0.5 * b };
    let rest = match rest {
        rest if exceeds(rest) && reaches(rest - b) => rest - b - b,
        rest if exceeds(rest) => rest - b,
        rest => rest,
    };
    if a.is_sign_negative() { -rest } else { rest }
}

pub fn fused(format: Float, left: u64, right: u64, addend: u64) -> u64 {
    at_format!(format, (a = left, b = right, c = addend) => a.mul_add(b, c))
}

pub fn unary(op: FloatUnaryOp, format: Float, value: u64) -> u64 {
    at_format!(format, (a = value) => match op {
        FloatUnaryOp::Negate => -a,
        FloatUnaryOp::Absolute => a.abs(),
        FloatUnaryOp::SquareRoot => a.sqrt(),
        FloatUnaryOp::Floor => a.floor(),
        FloatUnaryOp::Ceiling => a.ceil(),
        FloatUnaryOp::Truncate => a.trunc(),
        FloatUnaryOp::Round => a.round(),
        FloatUnaryOp::RoundTiesEven => a.round_ties_even(),
        FloatUnaryOp::Sine => a.sin(),
        FloatUnaryOp::Cosine => a.cos(),
        FloatUnaryOp::Tangent => a.tan(),
        FloatUnaryOp::ArcSine => a.asin(),
        FloatUnaryOp::ArcCosine => a.acos(),
        FloatUnaryOp::ArcTangent => a.atan(),
        FloatUnaryOp::HyperbolicSine => a.sinh(),
        FloatUnaryOp::HyperbolicCosine => a.cosh(),
        FloatUnaryOp::HyperbolicTangent => a.tanh(),
        FloatUnaryOp::Exponential => a.exp(),
        FloatUnaryOp::Exponential2 => a.exp2(),
        FloatUnaryOp::ExponentialMinus1 => a.exp_m1(),
        FloatUnaryOp::Logarithm => a.ln(),
        FloatUnaryOp::Logarithm2 => a.log2(),
        FloatUnaryOp::Logarithm10 => a.log10(),
        FloatUnaryOp::Logarithm1Plus => a.ln_1p(),
        FloatUnaryOp::CubeRoot => a.cbrt(),
    })
}

pub fn compare(op: FloatCompareOp, format: Float, left: u64, right: u64) -> bool {
    use Ordering::{Equal, Greater, Less};
    // The conversion from 32 to 64 bits is exact, so one comparison serves both.
    let order = to_f64(format, left).partial_cmp(&to_f64(format, right));
    match op {
        FloatCompareOp::OrderedEqual => order == Some(Equal),
        FloatCompareOp::OrderedNotEqual => matches!(order, Some(Less | Greater)),
        FloatCompareOp::OrderedLess => order == Some(Less),
        FloatCompareOp::OrderedLessEqual => matches!(order, Some(Less | Equal)),
        FloatCompareOp::OrderedGreater => order == Some(Greater),
        FloatCompareOp::OrderedGreaterEqual => matches!(order, Some(Greater | Equal)),
        FloatCompareOp::Ordered => order.is_some(),
        FloatCompareOp::Unordered => order.is_none(),
        FloatCompareOp::UnorderedEqual => matches!(order, None | Some(Equal)),
        FloatCompareOp::UnorderedNotEqual => order != Some(Equal),
        FloatCompareOp::UnorderedLess => matches!(order, None | Some(Less)),
        FloatCompareOp::UnorderedLessEqual => order != Some(Greater),
        FloatCompareOp::UnorderedGreater => matches!(order, None | Some(Greater)),
        FloatCompareOp::UnorderedGreaterEqual => order != Some(Less),
    }
}

pub fn convert(op: ConvertOp, format: Float, width: Width, value: u64) -> u64 {
    let signed = arith::signed(width, value);
    let unsigned = arith::truncate(width, value);
    match (op, format) {
        (ConvertOp::SignedToFloat, Float::F32) => u64::from((signed as f32).to_bits()),
        (ConvertOp::SignedToFloat, Float::F64) => (signed as f64).to_bits(),
        (ConvertOp::UnsignedToFloat, Float::F32) => u64::from((unsigned as f32).to_bits()),
        (ConvertOp::UnsignedToFloat, Float::F64) => (unsigned as f64).to_bits(),
        (ConvertOp::FloatToSigned, _) => {
            let half = 1i128 << (width.bits() - 1);
            let exact = i128::from(to_f64(format, value) as i64).clamp(-half, half - 1);
            arith::truncate(width, exact as u64)
        }
        (ConvertOp::FloatToUnsigned, _) => {
            (to_f64(format, value) as u64).min(u64::MAX >> (64 - width.bits()))
        }
    }
}

pub fn resize(to: Float, value: u64) -> u64 {
    match to {
        Float::F32 => u64::from((f64::from_bits(value) as f32).to_bits()),
        Float::F64 => f64::from(f32::from_bits(value as u32)).to_bits(),
    }
}

fn to_f64(format: Float, bits: u64) -> f64 {
    match format {
        Float::F32 => f64::from(f32::from_bits(bits as u32)),
        Float::F64 => f64::from_bits(bits),
    }
}
