//! The condition flags: what the last instruction left for those that ask for a condition.

use atropos_vm::instr::{BinaryOp, CompareOp};
use atropos_vm::{Operand, Width};

use super::Machine;
use super::text::Syntax;

#[derive(Clone, Copy, Debug)]
pub(super) enum Flags {
    /// Of `left - right`; some instructions leave the carry flag as it was.
    Difference { width: Width, left: Operand, right: Operand, says_carry: bool },
    /// Of a logical operation with this result.
    Logical { width: Width, value: Operand },
    /// Of another operation: its result, and whether it carried if that is known.
    Result { width: Width, value: Operand, carry: Option<Operand> },
    /// Of an operation that only says whether it carried.
    Carry(Operand),
}

/// The conditions by their names on both machines; `None` where the sense differs.
fn comparison(name: &str, syntax: Syntax) -> Option<CompareOp> {
    Some(match (name, syntax) {
        ("e" | "z", Syntax::Att) | ("eq", Syntax::Arm) => CompareOp::Equal,
        ("ne", _) | ("nz", Syntax::Att) => CompareOp::NotEqual,
        ("b" | "c" | "nae", Syntax::Att) | ("lo" | "cc", Syntax::Arm) => CompareOp::UnsignedLess,
        ("ae" | "nc" | "nb", Syntax::Att) | ("hs" | "cs", Syntax::Arm) => CompareOp::UnsignedGreaterEqual,
        ("be" | "na", Syntax::Att) | ("ls", Syntax::Arm) => CompareOp::UnsignedLessEqual,
        ("a" | "nbe", Syntax::Att) | ("hi", Syntax::Arm) => CompareOp::UnsignedGreater,
        ("l" | "nge", Syntax::Att) | ("lt", Syntax::Arm) => CompareOp::SignedLess,
        ("ge", _) | ("nl", Syntax::Att) => CompareOp::SignedGreaterEqual,
        ("le", _) | ("ng", Syntax::Att) => CompareOp::SignedLessEqual,
        ("g" | "nle", Syntax::Att) | ("gt", Syntax::Arm) => CompareOp::SignedGreater,
        _ => return None,
    })
}

/// Whether the comparison looks at the carry flag.
fn is_unsigned(op: CompareOp) -> bool {
    matches!(
        op,
        CompareOp::UnsignedLess
            | CompareOp::UnsignedLessEqual
            | CompareOp::UnsignedGreater
            | CompareOp::UnsignedGreaterEqual
    )
}

impl Machine<'_, '_, '_> {
    /// Whether a condition holds: 1 or 0.
    pub(super) fn condition(&mut self, name: &str) -> Option<Operand> {
        use CompareOp::{
            Equal, NotEqual, SignedGreaterEqual, SignedLess, UnsignedGreaterEqual, UnsignedLess,
        };
        let flags = self.flags?;
        let sign = match name {
            "s" | "mi" => Some(SignedLess),
            "ns" | "pl" => Some(SignedGreaterEqual),
            _ => None,
        };
        if let Some(op) = sign {
            let (width, value) = match flags {
                Flags::Difference { width, left, right, .. } => {
                    (width, self.code.compute(BinaryOp::Sub, width, left, right))
                }
                Flags::Logical { width, value } | Flags::Result { width, value, .. } => (width, value),
                Flags::Carry(_) => return None,
            };
            return Some(self.code.code.compare(op, width, value, 0u64).into());
        }
        let op = comparison(name, self.syntax)?;
        match (flags, op) {
            (Flags::Difference { says_carry: false, .. }, op) if is_unsigned(op) => None,
            (Flags::Difference { width, left, right, .. }, _) => {
                Some(self.code.code.compare(op, width, left, right).into())
            }
            // Nothing carries and nothing overflows: as if zero had been subtracted.
            (Flags::Logical { width, value }, _) => {
                Some(self.code.code.compare(op, width, value, 0u64).into())
            }
            (Flags::Result { width, value, .. }, Equal | NotEqual) => {
                Some(self.code.code.compare(op, width, value, 0u64).into())
            }
            (Flags::Result { carry: Some(carry), .. } | Flags::Carry(carry), UnsignedLess) => Some(carry),
            (Flags::Result { carry: Some(carry), .. } | Flags::Carry(carry), UnsignedGreaterEqual) => {
                Some(self.code.compute(BinaryOp::Xor, Width::I64, carry, 1u64))
            }
            _ => None,
        }
    }
}
