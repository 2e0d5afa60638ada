//! x86-64: updates of memory. An instruction with a prefix `lock`, and an exchange with memory, is one atomic update
//! between two full fences: nothing moves across it in either direction.

use atropos_event::{FenceOrder, ReadOrder, RmwOp, WriteOrder};
use atropos_vm::instr::{BinaryOp, CasOrders, CastOp, CompareOp};
use atropos_vm::{Operand, Width};

use super::flags::Flags;
use super::text::Statement;
use super::{Cell, Machine, OperandAt};

/// The orders of an update between two fences.
const ORDERS: (ReadOrder, WriteOrder) = (ReadOrder::Acquire, WriteOrder::Release);
const CAS_ORDERS: CasOrders =
    CasOrders { read: ReadOrder::Acquire, write: WriteOrder::Release, failure: ReadOrder::Acquire };

impl Machine<'_, '_, '_> {
    /// Replaces a value by `old op operand` and returns the old one.
    pub(super) fn update(
        &mut self,
        to: OperandAt,
        width: Width,
        update: RmwOp,
        op: BinaryOp,
        operand: Operand,
        is_locked: bool,
    ) -> Option<Operand> {
        let old = match to {
            OperandAt::Memory(cell) if is_locked => self.locked(cell, width, update, operand)?,
            _ if is_locked => return None,
            _ => {
                let old = self.get(to, width)?;
                self.copy(old)
            }
        };
        let value = self.code.compute(op, width, old, operand);
        self.flags = Some(match op {
            BinaryOp::Sub => Flags::Difference { width, left: old, right: operand, says_carry: true },
            BinaryOp::Add => {
                let carry = self.code.compute(BinaryOp::UnsignedAddOverflows, width, old, operand);
                Flags::Result { width, value, carry: Some(carry) }
            }
            _ => Flags::Logical { width, value },
        });
        if !is_locked {
            self.set(to, width, value)?;
        }
        Some(old)
    }

    /// An atomic update between two fences.
    fn locked(&mut self, cell: Cell, width: Width, update: RmwOp, operand: Operand) -> Option<Operand> {
        let size = width.bytes()?;
        self.fence(FenceOrder::SeqCst);
        let old = self.code.code.rmw(update, ORDERS, size, cell.addr, operand);
        self.fence(FenceOrder::SeqCst);
        Some(old.into())
    }

    pub(super) fn exchange(&mut self, one: OperandAt, other: OperandAt, width: Width) -> Option<()> {
        let (cell, place) = match (one, other) {
            (OperandAt::Memory(cell), place) | (place, OperandAt::Memory(cell)) => (cell, place),
            _ => {
                let (left, right) = (self.get(one, width)?, self.get(other, width)?);
                let (left, right) = (self.copy(left), self.copy(right));
                self.set(one, width, right)?;
                return self.set(other, width, left);
            }
        };
        let new = self.get(place, width)?;
        let old = self.locked(cell, width, RmwOp::Exchange, new)?;
        self.set(place, width, old)
    }

    pub(super) fn compare_exchange(&mut self, from: OperandAt, cell: Cell, width: Width) -> Option<()> {
        let size = width.bytes()?;
        let accumulator = OperandAt::Register(self.register_named("rax")?.0, Width::I64);
        let (expected, desired) = (self.get(accumulator, width)?, self.get(from, width)?);
        let expected = self.copy(expected);
        self.fence(FenceOrder::SeqCst);
        let (old, _) = self.code.code.cas(CAS_ORDERS, size, cell.addr, expected, desired);
        self.fence(FenceOrder::SeqCst);
        self.set(accumulator, width, old.into())?;
        self.flags = Some(Flags::Difference { width, left: expected, right: old.into(), says_carry: true });
        Some(())
    }

    /// `cmpxchg8b` and `cmpxchg16b`: both values are in pairs of registers, the high half first.
    pub(super) fn compare_exchange_pair(&mut self, statement: &Statement) -> Option<()> {
        let [OperandAt::Memory(cell)] = self.places(statement)? else { return None };
        if !statement.is_locked {
            return None;
        }
        let is_wide = statement.mnemonic == "cmpxchg16b";
        let names = if is_wide { ["rax", "rdx", "rbx", "rcx"] } else { ["eax", "edx", "ebx", "ecx"] };
        let mut halves = Vec::new();
        for name in names {
            halves.push(self.named(name)?);
        }
        let expected = self.pair([halves[0], halves[1]], is_wide);
        let desired = self.pair([halves[2], halves[3]], is_wide);
        self.fence(FenceOrder::SeqCst);
        let size = if is_wide { 16 } else { 8 };
        let (old, success) = self.code.code.cas(CAS_ORDERS, size, cell.addr, expected, desired);
        self.fence(FenceOrder::SeqCst);
        let [low, high] = if is_wide {
            self.code.unpack_words(old).map(Operand::from)
        } else {
            let high = self.code.compute(BinaryOp::LogicalShiftRight, Width::I64, old, 32u64);
            [self.code.code.cast(CastOp::Truncate, Width::I64, Width::I32, old).into(), high]
        };
        self.set_named(&[(names[0], low), (names[1], high)])?;
        // Only the zero flag changes.
        let differs = self.code.compute(BinaryOp::Xor, Width::I64, success, 1u64);
        self.flags = Some(Flags::Result { width: Width::I64, value: differs, carry: None });
        Some(())
    }

    /// Two halves as one value.
    fn pair(&mut self, [low, high]: [Operand; 2], is_wide: bool) -> Operand {
        if is_wide {
            return self.code.pack_words([low, high]).into();
        }
        let high = self.code.compute(BinaryOp::ShiftLeft, Width::I64, high, 32u64);
        self.code.compute(BinaryOp::Or, Width::I64, high, low)
    }

    /// Tests a bit, and changes it. A bit of memory may be in another word than the one that the operand names.
    pub(super) fn bit(
        &mut self,
        update: Option<RmwOp>,
        bit: OperandAt,
        of: OperandAt,
        width: Width,
        is_locked: bool,
    ) -> Option<()> {
        let nth = self.get(bit, width)?;
        let mut of = of;
        if let (OperandAt::Memory(cell), Operand::Reg(_)) = (&mut of, nth) {
            let log = u64::from(width.bits().ilog2());
            let word = self.code.compute(BinaryOp::ArithmeticShiftRight, width, nth, log);
            let word: Operand = match width {
                Width::I64 => word,
                _ => self.code.code.cast(CastOp::SignExtend, width, Width::I64, word).into(),
            };
            cell.addr = self.code.code.address(cell.addr, word, u64::from(width.bits() / 8), 0).into();
        }
        let nth = self.code.compute(BinaryOp::And, width, nth, u64::from(width.bits()) - 1);
        let one = self.code.compute(BinaryOp::ShiftLeft, width, 1u64, nth);
        let old = match update {
            None if !is_locked => self.get(of, width)?,
            None => return None,
            Some(update) => {
                let op = match update {
                    RmwOp::Or => BinaryOp::Or,
                    RmwOp::And => BinaryOp::And,
                    _ => BinaryOp::Xor,
                };
                let all = u64::MAX >> (64 - width.bits());
                let mask = match update {
                    RmwOp::And => self.code.compute(BinaryOp::Xor, width, one, all),
                    _ => one,
                };
                self.update(of, width, update, op, mask, is_locked)?
            }
        };
        let set = self.code.compute(BinaryOp::And, width, old, one);
        let carry = self.code.code.compare(CompareOp::NotEqual, width, set, 0u64);
        self.flags = Some(Flags::Carry(carry.into()));
        Some(())
    }
}
