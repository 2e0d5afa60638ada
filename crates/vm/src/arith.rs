//! Integer arithmetic at any width.
//!
//! Operands are shifted to the top of the word where signs and order matter, so the bits above the width have no
//! effect. Results are zero-extended.

use crate::instr::{BinaryOp, CastOp, CompareOp, UnaryOp};
use crate::ir::Width;

/// Why a division has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoQuotient {
    ByZero,
    /// The smallest number divided by -1.
    Overflow,
}

/// The low `width` bits of `value`.
#[inline]
pub fn truncate(width: Width, value: u64) -> u64 {
    value & (u64::MAX >> (64 - width.bits()))
}

/// The low `width` bits of `value` as a signed number.
#[inline]
pub fn signed(width: Width, value: u64) -> i64 {
    let unused = 64 - width.bits();
    ((value << unused) as i64) >> unused
}

#[inline]
pub fn binary(op: BinaryOp, width: Width, left: u64, right: u64) -> Result<u64, NoQuotient> {
    let value = match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Sub => left.wrapping_sub(right),
        BinaryOp::Mul => left.wrapping_mul(right),
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        BinaryOp::Xor => left ^ right,
        BinaryOp::ShiftLeft | BinaryOp::LogicalShiftRight | BinaryOp::ArithmeticShiftRight => {
            shift(op, width, left, right)
        }
        BinaryOp::UnsignedDiv | BinaryOp::SignedDiv | BinaryOp::UnsignedRem | BinaryOp::SignedRem => {
            divide(op, width, left, right)?
        }
        BinaryOp::UnsignedAddOverflows
        | BinaryOp::SignedAddOverflows
        | BinaryOp::UnsignedSubOverflows
        | BinaryOp::SignedSubOverflows
        | BinaryOp::UnsignedMulOverflows
        | BinaryOp::SignedMulOverflows => u64::from(overflows(op, width, left, right)),
    };
    Ok(truncate(width, value))
}

fn shift(op: BinaryOp, width: Width, left: u64, right: u64) -> u64 {
    let amount = truncate(width, right);
    let fits = amount < u64::from(width.bits());
    match op {
        BinaryOp::ShiftLeft if fits => left << amount,
        BinaryOp::LogicalShiftRight if fits => truncate(width, left) >> amount,
        BinaryOp::ArithmeticShiftRight => (signed(width, left) >> amount.min(63)) as u64,
        _ => 0,
    }
}

fn divide(op: BinaryOp, width: Width, left: u64, right: u64) -> Result<u64, NoQuotient> {
    let (unsigned_left, unsigned_right) = (truncate(width, left), truncate(width, right));
    let (signed_left, signed_right) = (signed(width, left), signed(width, right));
    if unsigned_right == 0 {
        return Err(NoQuotient::ByZero);
    }
    let is_signed = matches!(op, BinaryOp::SignedDiv | BinaryOp::SignedRem);
    if is_signed && signed_right == -1 && signed_left == i64::MIN >> (64 - width.bits()) {
        return Err(NoQuotient::Overflow);
    }
    Ok(match op {
        BinaryOp::UnsignedDiv => unsigned_left / unsigned_right,
        BinaryOp::UnsignedRem => unsigned_left % unsigned_right,
        BinaryOp::SignedDiv => signed_left.wrapping_div(signed_right) as u64,
        _ => signed_left.wrapping_rem(signed_right) as u64,
    })
}

/// Whether the exact result, which 128 bits always hold, lies outside the width.
fn overflows(op: BinaryOp, width: Width, left: u64, right: u64) -> bool {
    let unsigned = (i128::from(truncate(width, left)), i128::from(truncate(width, right)));
    let signed = (i128::from(signed(width, left)), i128::from(signed(width, right)));
    let unsigned_range = 0..=i128::from(u64::MAX >> (64 - width.bits()));
    let half = 1i128 << (width.bits() - 1);
    let signed_range = -half..=half - 1;
    match op {
        BinaryOp::UnsignedAddOverflows => !unsigned_range.contains(&(unsigned.0 + unsigned.1)),
        BinaryOp::UnsignedSubOverflows => unsigned.0 < unsigned.1,
        BinaryOp::UnsignedMulOverflows => {
            let product = truncate(width, left) as u128 * truncate(width, right) as u128;
            product >> width.bits() != 0
        }
        BinaryOp::SignedAddOverflows => !signed_range.contains(&(signed.0 + signed.1)),
        BinaryOp::SignedSubOverflows => !signed_range.contains(&(signed.0 - signed.1)),
        _ => !signed_range.contains(&(signed.0 * signed.1)),
    }
}

pub fn unary(op: UnaryOp, width: Width, value: u64) -> u64 {
    let value = truncate(width, value);
    let unused = 64 - width.bits();
    match op {
        UnaryOp::CountOnes => u64::from(value.count_ones()),
        UnaryOp::LeadingZeros => u64::from(value.leading_zeros() - unused),
        UnaryOp::TrailingZeros => u64::from(value.trailing_zeros().min(width.bits())),
        UnaryOp::SwapBytes => value.swap_bytes() >> unused,
        UnaryOp::ReverseBits => value.reverse_bits() >> unused,
    }
}

#[inline]
pub fn compare(op: CompareOp, width: Width, left: u64, right: u64) -> bool {
    let unused = 64 - width.bits();
    let (left, right) = (left << unused, right << unused);
    let (signed_left, signed_right) = (left as i64, right as i64);
    match op {
        CompareOp::Equal => left == right,
        CompareOp::NotEqual => left != right,
        CompareOp::UnsignedLess => left < right,
        CompareOp::UnsignedLessEqual => left <= right,
        CompareOp::UnsignedGreater => left > right,
        CompareOp::UnsignedGreaterEqual => left >= right,
        CompareOp::SignedLess => signed_left < signed_right,
        CompareOp::SignedLessEqual => signed_left <= signed_right,
        CompareOp::SignedGreater => signed_left > signed_right,
        CompareOp::SignedGreaterEqual => signed_left >= signed_right,
    }
}

#[inline]
pub fn cast(op: CastOp, from: Width, to: Width, value: u64) -> u64 {
    match op {
        CastOp::ZeroExtend => truncate(to, truncate(from, value)),
        CastOp::SignExtend => truncate(to, signed(from, value) as u64),
        CastOp::Truncate => truncate(to, value),
    }
}
