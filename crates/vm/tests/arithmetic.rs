//! Compares integer and floating-point semantics with Rust's own, at all of Rust's widths and some others.

mod common;

use atropos_vm::Width;
use atropos_vm::arith::{self, NoQuotient};
use atropos_vm::float;
use atropos_vm::instr::{
    BinaryOp, CastOp, CompareOp, ConvertOp, Float, FloatBinaryOp, FloatCompareOp, FloatUnaryOp, UnaryOp,
};
use common::{Rng, result_of};

const ROUNDS: usize = 20_000;

/// Checks the integer operations with two operands at one of Rust's widths.
macro_rules! check_width {
    ($test:ident, $unsigned:ty, $signed:ty) => {
        #[test]
        fn $test() {
            let width = Width::new(<$unsigned>::BITS).unwrap();
            let mut rng = Rng(0x5eed);
            for _ in 0..ROUNDS {
                let (left, right) = (rng.operand(), rng.operand());
                let (a, b) = (left as $unsigned, right as $unsigned);
                let (sa, sb) = (a as $signed, b as $signed);
                let amount = b as u64;
                let fits = amount < u64::from(<$unsigned>::BITS);
                let check = |op: BinaryOp, expected: $unsigned| {
                    let actual = arith::binary(op, width, left, right);
                    assert_eq!(actual, Ok(expected as u64), "{} {left:#x} {right:#x}", op.name());
                };
                check(BinaryOp::Add, a.wrapping_add(b));
                check(BinaryOp::Sub, a.wrapping_sub(b));
                check(BinaryOp::Mul, a.wrapping_mul(b));
                check(BinaryOp::And, a & b);
                check(BinaryOp::Or, a | b);
                check(BinaryOp::Xor, a ^ b);
                check(BinaryOp::ShiftLeft, if fits { a << amount } else { 0 });
                check(BinaryOp::LogicalShiftRight, if fits { a >> amount } else { 0 });
                let filled = if sa < 0 { <$unsigned>::MAX } else { 0 };
                let shifted = if fits { (sa >> amount) as $unsigned } else { filled };
                check(BinaryOp::ArithmeticShiftRight, shifted);
                check(BinaryOp::UnsignedAddOverflows, a.checked_add(b).is_none() as $unsigned);
                check(BinaryOp::UnsignedSubOverflows, a.checked_sub(b).is_none() as $unsigned);
                check(BinaryOp::UnsignedMulOverflows, a.checked_mul(b).is_none() as $unsigned);
                check(BinaryOp::SignedAddOverflows, sa.checked_add(sb).is_none() as $unsigned);
                check(BinaryOp::SignedSubOverflows, sa.checked_sub(sb).is_none() as $unsigned);
                check(BinaryOp::SignedMulOverflows, sa.checked_mul(sb).is_none() as $unsigned);
                if b == 0 {
                    let divisions = [
                        BinaryOp::UnsignedDiv,
                        BinaryOp::SignedDiv,
                        BinaryOp::UnsignedRem,
                        BinaryOp::SignedRem,
                    ];
                    for op in divisions {
                        assert_eq!(arith::binary(op, width, left, right), Err(NoQuotient::ByZero));
                    }
                } else {
                    check(BinaryOp::UnsignedDiv, a / b);
                    check(BinaryOp::UnsignedRem, a % b);
                    if let (Some(quotient), Some(rest)) = (sa.checked_div(sb), sa.checked_rem(sb)) {
                        check(BinaryOp::SignedDiv, quotient as $unsigned);
                        check(BinaryOp::SignedRem, rest as $unsigned);
                    } else {
                        for op in [BinaryOp::SignedDiv, BinaryOp::SignedRem] {
                            assert_eq!(arith::binary(op, width, left, right), Err(NoQuotient::Overflow));
                        }
                    }
                }
            }
        }
    };
}

/// Checks comparisons and conversions at one of Rust's widths.
macro_rules! check_comparisons {
    ($test:ident, $unsigned:ty, $signed:ty) => {
        #[test]
        fn $test() {
            let width = Width::new(<$unsigned>::BITS).unwrap();
            let mut rng = Rng(0x5eed);
            for _ in 0..ROUNDS {
                let (left, right) = (rng.operand(), rng.operand());
                let (a, b) = (left as $unsigned, right as $unsigned);
                let (sa, sb) = (a as $signed, b as $signed);
                let compare = |op| arith::compare(op, width, left, right);
                assert_eq!(compare(CompareOp::Equal), a == b);
                assert_eq!(compare(CompareOp::NotEqual), a != b);
                assert_eq!(compare(CompareOp::UnsignedLess), a < b);
                assert_eq!(compare(CompareOp::UnsignedLessEqual), a <= b);
                assert_eq!(compare(CompareOp::UnsignedGreater), a > b);
                assert_eq!(compare(CompareOp::UnsignedGreaterEqual), a >= b);
                assert_eq!(compare(CompareOp::SignedLess), sa < sb);
                assert_eq!(compare(CompareOp::SignedLessEqual), sa <= sb);
                assert_eq!(compare(CompareOp::SignedGreater), sa > sb);
                assert_eq!(compare(CompareOp::SignedGreaterEqual), sa >= sb);
                let unary = |op| arith::unary(op, width, left);
                assert_eq!(unary(UnaryOp::CountOnes), u64::from(a.count_ones()));
                assert_eq!(unary(UnaryOp::LeadingZeros), u64::from(a.leading_zeros()));
                assert_eq!(unary(UnaryOp::TrailingZeros), u64::from(a.trailing_zeros()));
                assert_eq!(unary(UnaryOp::SwapBytes), a.swap_bytes() as u64);
                assert_eq!(unary(UnaryOp::ReverseBits), a.reverse_bits() as u64);
                assert_eq!(arith::cast(CastOp::ZeroExtend, width, Width::I64, left), a as u64);
                assert_eq!(arith::cast(CastOp::SignExtend, width, Width::I64, left), sa as i64 as u64);
                assert_eq!(arith::cast(CastOp::Truncate, Width::I64, width, left), a as u64);
                let convert = |op, format, value| float::convert(op, format, width, value);
                assert_eq!(convert(ConvertOp::SignedToFloat, Float::F64, left), (sa as f64).to_bits());
                assert_eq!(
                    convert(ConvertOp::UnsignedToFloat, Float::F32, left),
                    u64::from((a as f32).to_bits())
                );
                let number = f64::from_bits(left);
                assert_eq!(
                    convert(ConvertOp::FloatToSigned, Float::F64, left),
                    number as $signed as $unsigned as u64
                );
                assert_eq!(convert(ConvertOp::FloatToUnsigned, Float::F64, left), number as $unsigned as u64);
                let number = f32::from_bits(left as u32);
                assert_eq!(
                    convert(ConvertOp::FloatToSigned, Float::F32, left),
                    number as $signed as $unsigned as u64
                );
            }
        }
    };
}

check_width!(eight_bits, u8, i8);
check_width!(sixteen_bits, u16, i16);
check_width!(thirty_two_bits, u32, i32);
check_width!(sixty_four_bits, u64, i64);
check_comparisons!(comparisons_of_eight_bits, u8, i8);
check_comparisons!(comparisons_of_sixteen_bits, u16, i16);
check_comparisons!(comparisons_of_thirty_two_bits, u32, i32);
check_comparisons!(comparisons_of_sixty_four_bits, u64, i64);

#[test]
fn odd_widths_are_the_low_bits_of_wider_ones() {
    let mut rng = Rng(7);
    for _ in 0..ROUNDS {
        let width = Width::new(1 + rng.below(63) as u32).unwrap();
        let (left, right) = (rng.operand(), rng.operand());
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Xor] {
            let wide = arith::binary(op, Width::I64, left, right).unwrap();
            assert_eq!(arith::binary(op, width, left, right), Ok(arith::truncate(width, wide)));
        }
        let (sa, sb) = (arith::signed(width, left), arith::signed(width, right));
        let is_smallest = sa == i64::MIN >> (64 - width.bits());
        if sb == -1 && is_smallest {
            assert_eq!(arith::binary(BinaryOp::SignedDiv, width, left, right), Err(NoQuotient::Overflow));
        } else if sb != 0 {
            let expected = arith::truncate(width, sa.wrapping_div(sb) as u64);
            assert_eq!(arith::binary(BinaryOp::SignedDiv, width, left, right), Ok(expected));
        }
        assert_eq!(arith::compare(CompareOp::SignedLess, width, left, right), sa < sb);
    }
}

#[test]
fn floating_point_is_the_hosts() {
    let mut rng = Rng(11);
    for _ in 0..ROUNDS {
        let (left, right) = (rng.operand(), rng.operand());
        let (a, b) = (f64::from_bits(left), f64::from_bits(right));
        let same = |actual: u64, expected: f64| {
            let actual = f64::from_bits(actual);
            assert!(actual == expected || actual.is_nan() && expected.is_nan(), "{actual} {expected}");
        };
        same(float::binary(FloatBinaryOp::Add, Float::F64, left, right), a + b);
        same(float::binary(FloatBinaryOp::Div, Float::F64, left, right), a / b);
        same(float::binary(FloatBinaryOp::Rem, Float::F64, left, right), a % b);
        let addend = rng.operand();
        same(float::fused(Float::F64, left, right, addend), a.mul_add(b, f64::from_bits(addend)));
        same(float::unary(FloatUnaryOp::SquareRoot, Float::F64, left), a.sqrt());
        let (c, d) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
        let product = f32::from_bits(float::binary(FloatBinaryOp::Mul, Float::F32, left, right) as u32);
        assert!(product == c * d || product.is_nan() && (c * d).is_nan());
        let compare = |op| float::compare(op, Float::F64, left, right);
        assert_eq!(compare(FloatCompareOp::OrderedLess), a < b);
        assert_eq!(compare(FloatCompareOp::UnorderedGreaterEqual), a >= b || a.is_nan() || b.is_nan());
        assert_eq!(compare(FloatCompareOp::OrderedEqual), a == b);
        assert_eq!(compare(FloatCompareOp::UnorderedNotEqual), a != b);
        assert_eq!(compare(FloatCompareOp::Unordered), a.is_nan() || b.is_nan());
        assert_eq!(float::compare(FloatCompareOp::OrderedGreater, Float::F32, left, right), c > d);
        same(float::resize(Float::F64, left), f64::from(c));
    }
}

/// The interpreter uses the same functions, but takes shortcuts for some operations.
#[test]
fn the_interpreter_computes_what_the_operations_say() {
    let mut rng = Rng(23);
    for _ in 0..300 {
        let (left, right) = (rng.operand(), rng.operand());
        let width = Width::new([1, 8, 16, 32, 64][rng.below(5)]).unwrap();
        let op = BinaryOp::ALL[rng.below(BinaryOp::ALL.len())];
        let test = CompareOp::ALL[rng.below(CompareOp::ALL.len())];
        let Ok(expected) = arith::binary(op, width, left, right) else { continue };
        let sum = expected.wrapping_mul(2).wrapping_add(u64::from(arith::compare(test, width, left, right)));
        let source = format!(
            "global result: i64
             fn f(a, b) {{
               x = {}.{width} a, b
               c = {}.{width} a, {right:#x}
               y = mul.i64 x, 2
               z = add.i64 y, c
               return z
             }}
             fn main() {{ r = call f({left:#x}, {right:#x}); store.i64 result, r }}",
            op.name(),
            test.name()
        );
        assert_eq!(result_of(&source), sum, "{source}");
    }
}

#[test]
fn remainders_and_neighbours_are_those_of_c() {
    let binary = |op, a: f64, b: f64| f64::from_bits(float::binary(op, Float::F64, a.to_bits(), b.to_bits()));
    let remainder = |a, b| binary(FloatBinaryOp::Remainder, a, b);
    for (a, b, expected) in [
        (7.0, 4.0, -1.0),
        (5.0, 2.0, 1.0),
        (3.0, 2.0, -1.0),
        (6.0, 4.0, -2.0),
        (2.0, 4.0, 2.0),
        (-7.0, 4.0, 1.0),
        (7.5, -2.0, -0.5),
        (1.0, f64::INFINITY, 1.0),
        (f64::MAX, f64::MAX, 0.0),
        (f64::MAX, f64::MAX / 1.25, f64::MAX - f64::MAX / 1.25),
        (5e-324, 1e-323, 5e-324),
        (1.5e-323, 1e-323, -5e-324),
    ] {
        assert_eq!(remainder(a, b), expected, "{a} {b}");
    }
    assert!(remainder(0.0, 0.0).is_nan() && remainder(f64::INFINITY, 1.0).is_nan());
    let next = |a, b| binary(FloatBinaryOp::NextAfter, a, b);
    assert_eq!(next(1.0, 2.0), 1.0 + f64::EPSILON);
    assert_eq!(next(0.0, -1.0), -5e-324);
    assert_eq!(next(0.0, -0.0).to_bits(), (-0.0f64).to_bits());
    assert!(next(f64::NAN, 1.0).is_nan());
    let third = 1.0f32 / 3.0;
    let fused =
        float::fused(Float::F32, third.to_bits().into(), 3f32.to_bits().into(), (-1f32).to_bits().into());
    assert_eq!(f32::from_bits(fused as u32), third.mul_add(3.0, -1.0));
}
