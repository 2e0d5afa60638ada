//! What an event does. One enum for every front-end, graph and model; matches over it are exhaustive.
//!
//! A read-modify-write is two events linked by `rmw`: a [`Label::Read`] that carries the operation, and, if the value
//! read makes the operation succeed, the exclusive [`Label::Write`] right after it. The thread issues only the read;
//! the explorer adds the write. So whether a CAS succeeds is a property of the graph, and may change when its read is
//! revisited.
//!
//! A store to a part of a cell ([`Access`]) is two events as well, because the new value of the cell depends on the
//! old one: [`Rmw::Merge`].

use crate::access::{Access, Addr, Value};
use crate::id::ThreadId;
use crate::ordering::{FenceOrder, ReadOrder, WriteOrder};
use crate::wide;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Label {
    /// The first event of every thread but the main one; synchronises with its [`Label::Spawn`].
    Begin,
    /// The last event of a thread that ran to its end.
    End,
    Read {
        access: Access,
        order: ReadOrder,
        rmw: Rmw,
    },
    Write {
        access: Access,
        order: WriteOrder,
        value: Value,
        /// The second half of a read-modify-write; its read is the event before it.
        exclusive: bool,
    },
    Fence {
        order: FenceOrder,
    },
    Spawn {
        child: ThreadId,
        /// Whether the parent's store buffers are empty afterwards. They are, unless the library creates a helper
        /// thread that the program does not know of.
        drains: bool,
    },
    /// Enabled once the child's [`Label::End`] is in the graph, and synchronises with it.
    Join {
        child: ThreadId,
    },
    /// Allocates the bytes `addr .. addr + size`, uninitialised. Addresses are never used twice.
    Alloc {
        addr: Addr,
        size: u64,
        kind: AllocKind,
    },
    /// Frees the object that starts at `addr`.
    Free {
        addr: Addr,
        kind: AllocKind,
    },
}

/// The kind of an object, which decides how its misuse is reported.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AllocKind {
    Heap,
    Stack,
}

/// What a read does besides reading.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rmw {
    None,
    /// Always writes `op(value read, operand)`, with order `write_order`.
    Fetch {
        op: RmwOp,
        operand: Value,
        write_order: WriteOrder,
    },
    /// Writes `desired` with order `write_order` if the value read is `expected`; otherwise it is a plain
    /// read of order `failure_order`.
    Cas {
        expected: Value,
        desired: Value,
        write_order: WriteOrder,
        failure_order: ReadOrder,
    },
    /// A plain or atomic store of `value` to a part of a cell. It is not a locked instruction: the two halves are one
    /// step of memory, taken when the store reaches it.
    Merge {
        value: Value,
        write_order: WriteOrder,
    },
}

/// The operations of atomic read-modify-writes; signedness is that of the access's width.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RmwOp {
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
    Max,
    Min,
    UnsignedMax,
    UnsignedMin,
    /// Adds 1, but from the operand on it starts again at 0.
    UnsignedIncrementWrap,
    /// Subtracts 1, but 0 and everything above the operand becomes the operand.
    UnsignedDecrementWrap,
    /// Subtracts the operand if that leaves no negative number.
    UnsignedSubtractIf,
    /// Subtracts the operand, and stops at 0.
    UnsignedSubtractSaturating,
    /// The next six read both numbers as floating-point numbers of four or eight bytes.
    FloatAdd,
    FloatSub,
    /// The larger number; if one of them is NaN, the other one.
    FloatMax,
    FloatMin,
    /// The larger number; NaN if one of them is NaN. Zeroes have a sign.
    FloatMaximum,
    FloatMinimum,
}

/// What an operation makes of two unsigned numbers of the same type; `$signed` reads one as a signed number.
macro_rules! updated {
    ($op:expr, $old:expr, $operand:expr, $signed:expr) => {{
        let (old, operand, signed) = ($old, $operand, $signed);
        match $op {
            RmwOp::Exchange => operand,
            RmwOp::Add => old.wrapping_add(operand),
            RmwOp::Sub => old.wrapping_sub(operand),
            RmwOp::And => old & operand,
            RmwOp::Or => old | operand,
            RmwOp::Xor => old ^ operand,
            RmwOp::Nand => !(old & operand),
            RmwOp::Max if signed(old) >= signed(operand) => old,
            RmwOp::Min if signed(old) <= signed(operand) => old,
            RmwOp::Max | RmwOp::Min => operand,
            RmwOp::UnsignedMax => old.max(operand),
            RmwOp::UnsignedMin => old.min(operand),
            RmwOp::UnsignedIncrementWrap if old >= operand => 0,
            RmwOp::UnsignedIncrementWrap => old + 1,
            RmwOp::UnsignedDecrementWrap if old == 0 || old > operand => operand,
            RmwOp::UnsignedDecrementWrap => old - 1,
            RmwOp::UnsignedSubtractIf => old.checked_sub(operand).unwrap_or(old),
            RmwOp::UnsignedSubtractSaturating => old.saturating_sub(operand),
            RmwOp::FloatAdd
            | RmwOp::FloatSub
            | RmwOp::FloatMax
            | RmwOp::FloatMin
            | RmwOp::FloatMaximum
            | RmwOp::FloatMinimum => unreachable!("floating-point numbers are no integers"),
        }
    }};
}

/// What an operation makes of two floating-point numbers of the same type.
macro_rules! updated_float {
    ($op:expr, $old:expr, $operand:expr) => {{
        let (old, operand) = ($old, $operand);
        let is_more = old > operand || old == operand && operand.is_sign_negative();
        match $op {
            RmwOp::FloatAdd => old + operand,
            RmwOp::FloatSub => old - operand,
            RmwOp::FloatMax => old.max(operand),
            RmwOp::FloatMin => old.min(operand),
            _ if old.is_nan() || operand.is_nan() => old + operand,
            RmwOp::FloatMaximum => {
                if is_more {
                    old
                } else {
                    operand
                }
            }
            _ => {
                if is_more {
                    operand
                } else {
                    old
                }
            }
        }
    }};
}

impl RmwOp {
    pub const ALL: [RmwOp; 21] = [
        RmwOp::Exchange,
        RmwOp::Add,
        RmwOp::Sub,
        RmwOp::And,
        RmwOp::Or,
        RmwOp::Xor,
        RmwOp::Nand,
        RmwOp::Max,
        RmwOp::Min,
        RmwOp::UnsignedMax,
        RmwOp::UnsignedMin,
        RmwOp::UnsignedIncrementWrap,
        RmwOp::UnsignedDecrementWrap,
        RmwOp::UnsignedSubtractIf,
        RmwOp::UnsignedSubtractSaturating,
        RmwOp::FloatAdd,
        RmwOp::FloatSub,
        RmwOp::FloatMax,
        RmwOp::FloatMin,
        RmwOp::FloatMaximum,
        RmwOp::FloatMinimum,
    ];

    /// Whether it works on floating-point numbers, which have four or eight bytes.
    pub fn is_float(self) -> bool {
        self >= RmwOp::FloatAdd
    }

    /// The name used in text forms.
    pub fn name(self) -> &'static str {
        match self {
            RmwOp::Exchange => "xchg",
            RmwOp::Add => "add",
            RmwOp::Sub => "sub",
            RmwOp::And => "and",
            RmwOp::Or => "or",
            RmwOp::Xor => "xor",
            RmwOp::Nand => "nand",
            RmwOp::Max => "max",
            RmwOp::Min => "min",
            RmwOp::UnsignedMax => "umax",
            RmwOp::UnsignedMin => "umin",
            RmwOp::UnsignedIncrementWrap => "uinc_wrap",
            RmwOp::UnsignedDecrementWrap => "udec_wrap",
            RmwOp::UnsignedSubtractIf => "usub_cond",
            RmwOp::UnsignedSubtractSaturating => "usub_sat",
            RmwOp::FloatAdd => "fadd",
            RmwOp::FloatSub => "fsub",
            RmwOp::FloatMax => "fmax",
            RmwOp::FloatMin => "fmin",
            RmwOp::FloatMaximum => "fmaximum",
            RmwOp::FloatMinimum => "fminimum",
        }
    }

    /// The new value of the bytes of `access`, which held `old`. The operation works on the part of the access.
    pub fn apply(self, access: Access, old: Value, operand: Value) -> Value {
        if access.is_whole() {
            return self.apply_whole(access, old, operand);
        }
        access.merge(old, self.apply_whole(access.part(), access.narrow(old), operand))
    }

    fn apply_whole(self, access: Access, old: Value, operand: Value) -> Value {
        if access.is_wide() {
            return self.apply_wide(old, operand);
        }
        let operand = access.truncate(operand);
        if self.is_float() {
            return self.apply_float(access, old, operand);
        }
        access.truncate(updated!(self, old, operand, |value| access.signed(value)))
    }

    #[cold]
    fn apply_float(self, access: Access, old: Value, operand: Value) -> Value {
        match access.size {
            4 => {
                let [old, operand] = [old, operand].map(|value| f32::from_bits(value as u32));
                updated_float!(self, old, operand).to_bits().into()
            }
            _ => {
                let [old, operand] = [old, operand].map(f64::from_bits);
                updated_float!(self, old, operand).to_bits()
            }
        }
    }

    /// The same for 16 bytes; larger objects can only be exchanged.
    #[cold]
    fn apply_wide(self, old: Value, operand: Value) -> Value {
        if self == RmwOp::Exchange {
            return operand;
        }
        let [old, operand] = [old, operand].map(|value| {
            let mut bytes = [0; 16];
            bytes.copy_from_slice(&wide::bytes(value, 16));
            u128::from_le_bytes(bytes)
        });
        let new: u128 = updated!(self, old, operand, |value: u128| value as i128);
        wide::number(&new.to_le_bytes())
    }
}

impl Rmw {
    /// The exclusive write that follows a read of `value`: its value and order, or `None` for a plain read or a CAS
    /// that fails.
    #[inline]
    pub fn write_after(self, access: Access, value: Value) -> Option<(Value, WriteOrder)> {
        match self {
            Rmw::None => None,
            Rmw::Fetch { op, operand, write_order } => Some((op.apply(access, value, operand), write_order)),
            Rmw::Cas { desired, write_order, .. } => {
                self.writes_after(access, value).then(|| (access.merge(value, desired), write_order))
            }
            Rmw::Merge { value: part, write_order } => Some((access.merge(value, part), write_order)),
        }
    }

    /// Whether an exclusive write follows a read of `value`.
    #[inline]
    pub fn writes_after(self, access: Access, value: Value) -> bool {
        match self {
            Rmw::None => false,
            Rmw::Fetch { .. } | Rmw::Merge { .. } => true,
            Rmw::Cas { expected, .. } => access.narrow(value) == access.part().truncate(expected),
        }
    }
}

impl Label {
    /// The bytes that it reads or writes. An event without any has one outcome only.
    pub fn access(&self) -> Option<Access> {
        match *self {
            Label::Read { access, .. } | Label::Write { access, .. } => Some(access),
            Label::Begin
            | Label::End
            | Label::Fence { .. }
            | Label::Spawn { .. }
            | Label::Join { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => None,
        }
    }

    /// The thread that this event creates.
    pub fn created(&self) -> Option<ThreadId> {
        match *self {
            Label::Spawn { child, .. } => Some(child),
            _ => None,
        }
    }

    /// The write of a read-modify-write that reads `value`; `None` for a plain read and for a CAS that fails.
    pub fn exclusive_write(&self, value: Value) -> Option<Label> {
        let Label::Read { access, rmw, .. } = *self else { return None };
        let (value, order) = rmw.write_after(access, value)?;
        Some(Label::Write { access, order, value, exclusive: true })
    }

    pub fn is_read(&self) -> bool {
        matches!(self, Label::Read { .. })
    }

    pub fn is_write(&self) -> bool {
        matches!(self, Label::Write { .. })
    }

    /// The first half of a store to a part of a cell, which is not a read of the program.
    pub fn is_merge(&self) -> bool {
        matches!(self, Label::Read { rmw: Rmw::Merge { .. }, .. })
    }

    /// The bytes that the program itself reads or writes here. The first half of a merging store has none.
    pub fn bytes(&self) -> Option<Access> {
        self.access().filter(|_| !self.is_merge()).map(Access::part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_respect_the_width_of_the_access() {
        let byte = Access::new(0, 1);
        assert_eq!(RmwOp::Add.apply(byte, 0xff, 1), 0);
        let (wide_access, number) = (Access::new(0x10, 16), |n: u128| wide::number(&n.to_le_bytes()));
        let (most, one) = (number(u64::MAX.into()), number(1));
        assert_eq!(RmwOp::Add.apply(wide_access, most, one), number(1 << 64));
        assert_eq!(RmwOp::Max.apply(wide_access, number(u128::MAX), one), one, "all ones is negative");
        assert_eq!(RmwOp::UnsignedMax.apply(wide_access, number(u128::MAX), one), number(u128::MAX));
        assert_eq!(RmwOp::Max.apply(byte, 0x80, 1), 1, "0x80 is negative as a signed byte");
        assert_eq!(RmwOp::UnsignedMax.apply(byte, 0x80, 1), 0x80);
        assert_eq!(RmwOp::Nand.apply(byte, 0b11, 0b01), 0xfe);
    }

    #[test]
    fn operations_on_floating_point_numbers_have_the_width_of_the_access() {
        let double = |op: RmwOp, old: f64, operand: f64| {
            f64::from_bits(op.apply(Access::new(0, 8), old.to_bits(), operand.to_bits()))
        };
        let single = |op: RmwOp, old: f32, operand: f32| {
            f32::from_bits(op.apply(Access::new(0, 4), old.to_bits().into(), operand.to_bits().into()) as u32)
        };
        assert_eq!(double(RmwOp::FloatAdd, 0.1, 0.2), 0.1 + 0.2);
        assert_eq!(single(RmwOp::FloatSub, 0.5, 0.75), -0.25);
        assert_eq!(double(RmwOp::FloatMax, f64::NAN, 1.0), 1.0);
        assert_eq!(single(RmwOp::FloatMin, 2.0, f32::NAN), 2.0);
        assert!(double(RmwOp::FloatMaximum, f64::NAN, 1.0).is_nan());
        assert!(single(RmwOp::FloatMinimum, 1.0, f32::NAN).is_nan());
        assert_eq!(double(RmwOp::FloatMaximum, 3.0, 2.0), 3.0);
        assert_eq!(double(RmwOp::FloatMinimum, 3.0, 2.0), 2.0);
        assert!(double(RmwOp::FloatMaximum, -0.0, 0.0).is_sign_positive());
        assert!(double(RmwOp::FloatMinimum, 0.0, -0.0).is_sign_negative());
    }

    /// The examples are those of the definitions in LLVM's reference: the result for each old value.
    #[test]
    fn conditional_operations_are_unsigned_and_leave_what_does_not_fit() {
        let byte = Access::new(0, 1);
        let table = [
            (RmwOp::UnsignedIncrementWrap, 2, [(0, 1), (1, 2), (2, 0), (3, 0), (0xff, 0)]),
            (RmwOp::UnsignedDecrementWrap, 2, [(0, 2), (1, 0), (2, 1), (3, 2), (0xff, 2)]),
            (RmwOp::UnsignedSubtractIf, 2, [(0, 0), (1, 1), (2, 0), (3, 1), (0xff, 0xfd)]),
            (RmwOp::UnsignedSubtractSaturating, 2, [(0, 0), (1, 0), (2, 0), (3, 1), (0xff, 0xfd)]),
            (RmwOp::UnsignedIncrementWrap, 0xff, [(0, 1), (1, 2), (0x7f, 0x80), (0xfe, 0xff), (0xff, 0)]),
            (RmwOp::UnsignedDecrementWrap, 0, [(0, 0), (1, 0), (2, 0), (0x80, 0), (0xff, 0)]),
            (RmwOp::UnsignedSubtractIf, 0x180, [(0, 0), (0x7f, 0x7f), (0x80, 0), (0x81, 1), (0xff, 0x7f)]),
        ];
        for (op, operand, rows) in table {
            for (old, new) in rows {
                assert_eq!(op.apply(byte, old, operand), new, "{} of {old} and {operand}", op.name());
            }
        }
        let part = Access::new(1, 1).within(Access::new(0, 4));
        assert_eq!(RmwOp::UnsignedSubtractIf.apply(part, 0x1122_0144, 2), 0x1122_0144);
    }

    #[test]
    fn operations_on_a_part_leave_the_rest_alone() {
        let access = Access::new(1, 1).within(Access::new(0, 4));
        assert_eq!(RmwOp::Add.apply(access, 0x1122_ff44, 2), 0x1122_0144);
        let write_order = WriteOrder::Relaxed;
        let (expected, desired, failure_order) = (0xff, 0x101, ReadOrder::Relaxed);
        let cas = Rmw::Cas { expected, desired, write_order, failure_order };
        assert_eq!(cas.write_after(access, 0x1122_ff44), Some((0x1122_0144, write_order)));
        assert_eq!(cas.write_after(access, 0xff), None);
        assert_eq!(
            Rmw::Merge { value: 7, write_order }.write_after(access, 0x1122_3344),
            Some((0x1122_0744, write_order))
        );
    }

    #[test]
    fn a_cas_writes_only_when_it_reads_what_it_expects() {
        let access = Access::new(0, 4);
        let cas = Rmw::Cas {
            expected: 1,
            desired: 2,
            write_order: WriteOrder::Release,
            failure_order: ReadOrder::Relaxed,
        };
        assert_eq!(cas.write_after(access, 1), Some((2, WriteOrder::Release)));
        assert_eq!(cas.write_after(access, 0), None);
    }
}
