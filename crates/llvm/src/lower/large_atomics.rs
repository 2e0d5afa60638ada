//! Atomic objects that are too large for an instruction, of an odd size, or not aligned. Compilers call
//! `__atomic_load` and similar functions for them.
//!
//! Each call is one access to the whole object, with the order that the call names: no lock is involved that could
//! order more. Values go through private memory, where unwritten bytes become zeroes: padding is not part of a value,
//! and two values that differ only in unwritten padding are equal.

use std::rc::Rc;

use atropos_event::{Gap, GapKind, RmwOp};
use atropos_vm::check::LARGE_LIMIT;
use atropos_vm::instr::CasOrders;
use atropos_vm::ir::{SlotKind, StackSlot};
use atropos_vm::{Instr, Operand, Reg, Width};

use super::function::Code;
use super::memory::{read_order, write_order};
use crate::ast::Order;

/// The orders, by their numbers in calls.
const ORDERS: [Order; 6] =
    [Order::Relaxed, Order::Acquire, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

impl Code<'_, '_> {
    pub(crate) fn large_atomic(
        &mut self,
        result: Option<&Rc<str>>,
        name: &str,
        args: &[Operand],
    ) -> Result<Option<()>, Gap> {
        match (name, args) {
            ("__atomic_load", &[size, object, to, order]) => {
                let (size, value) = (large_size(size)?, self.code.fresh());
                self.with_order(order, &mut |code, order| {
                    let order = read_order(order);
                    code.code.push(Instr::Load { dst: value, size, order, addr: object });
                })?;
                self.unpack(to, size, value);
            }
            ("__atomic_store", &[size, object, from, order]) => {
                let size = large_size(size)?;
                let value = self.pack(from, size);
                self.with_order(order, &mut |code, order| {
                    code.code.store(write_order(order), size, object, value);
                })?;
            }
            ("__atomic_exchange", &[size, object, from, to, order]) => {
                let size = large_size(size)?;
                let (operand, old) = (self.pack(from, size).into(), self.code.fresh());
                self.with_order(order, &mut |code, order| {
                    let (op, dst) = (RmwOp::Exchange, Some(old));
                    let (read_order, write_order) = (read_order(order), write_order(order));
                    let addr = object;
                    code.code.push(Instr::Rmw { op, dst, size, read_order, write_order, addr, operand });
                })?;
                self.unpack(to, size, old);
            }
            ("__atomic_compare_exchange", &[size, object, expected, desired, success, failure]) => {
                let size = large_size(size)?;
                let done = self.compare_exchange(size, [object, expected, desired], [success, failure])?;
                self.assign(result, done)?;
            }
            (name, &[addr, low, high, order]) => {
                let Some(op) = update_of_16(name) else { return Ok(None) };
                let (operand, old) = (self.pack_words([low, high]).into(), self.code.fresh());
                self.with_order(order, &mut |code, order| {
                    let (dst, size) = (Some(old), 16);
                    let (read_order, write_order) = (read_order(order), write_order(order));
                    code.code.push(Instr::Rmw { op, dst, size, read_order, write_order, addr, operand });
                })?;
                self.assign_wide(result, old);
            }
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    fn compare_exchange(
        &mut self,
        size: u8,
        [addr, expected_at, desired_at]: [Operand; 3],
        [success, failure]: [Operand; 2],
    ) -> Result<Reg, Gap> {
        let [expected, desired] = [expected_at, desired_at].map(|at| self.pack(at, size).into());
        let (old, done) = (self.code.fresh(), self.code.fresh());
        let mut done_for_failure = Ok(());
        self.with_order(success, &mut |code, success| {
            done_for_failure = code.with_order(failure, &mut |code, failure| {
                let orders = CasOrders {
                    read: read_order(success),
                    write: write_order(success),
                    failure: read_order(failure),
                };
                let (old, success) = (Some(old), Some(done));
                code.code.push(Instr::Cas { old, success, size, orders, addr, expected, desired });
            });
        })?;
        done_for_failure?;
        let out = self.code.fresh_target();
        self.code.jump_if(done, out);
        self.unpack(expected_at, size, old);
        self.code.place(out);
        Ok(done)
    }

    /// Emits code for the order in an argument, or for all orders if it is not a constant.
    fn with_order(&mut self, order: Operand, make: &mut dyn FnMut(&mut Self, Order)) -> Result<(), Gap> {
        if let Operand::Const(order) = order {
            let order = ORDERS.get(order as usize).ok_or(GapKind::UnknownOrder)?;
            make(self, *order);
            return Ok(());
        }
        let targets = ORDERS.map(|_| self.code.fresh_target());
        let (otherwise, out) = (self.code.fresh_target(), self.code.fresh_target());
        let cases = (0..).zip(targets).collect();
        self.code.push(Instr::Switch { value: order, width: Width::I32, cases, default: otherwise });
        for (order, target) in ORDERS.into_iter().zip(targets) {
            self.code.place(target);
            make(self, order);
            self.code.jump(out);
        }
        self.code.place(otherwise);
        self.code.push(Instr::unsupported(GapKind::UnknownOrder));
        self.code.place(out);
        Ok(())
    }

    /// The value at `from`.
    fn pack(&mut self, from: Operand, size: u8) -> Reg {
        let (slot, dst) = (self.large_slot(size), self.code.fresh());
        self.code.push(Instr::Copy { to: slot, from, length: Operand::Const(u64::from(size)) });
        self.code.push(Instr::Pack { dst, size, from: slot });
        dst
    }

    fn unpack(&mut self, to: Operand, size: u8, value: Reg) {
        let slot = self.large_slot(size);
        self.code.push(Instr::Unpack { to: slot, size, value: value.into() });
        self.code.push(Instr::Copy { to, from: slot, length: Operand::Const(u64::from(size)) });
    }

    pub(crate) fn large_slot(&mut self, size: u8) -> Operand {
        Operand::Slot(self.code.slot(StackSlot::new("atomic value", u64::from(size), SlotKind::Fresh)))
    }
}

/// The update of 16 bytes that a function makes, which clang up to 16 calls where the machine may have no such instruction.
fn update_of_16(name: &str) -> Option<RmwOp> {
    Some(match name.strip_prefix("__atomic_fetch_")?.strip_suffix("_16")? {
        "add" => RmwOp::Add,
        "sub" => RmwOp::Sub,
        "and" => RmwOp::And,
        "or" => RmwOp::Or,
        "xor" => RmwOp::Xor,
        "nand" => RmwOp::Nand,
        _ => return None,
    })
}

fn large_size(size: Operand) -> Result<u8, Gap> {
    let Operand::Const(size) = size else {
        return Err(GapKind::UnknownAtomicSize.into());
    };
    u8::try_from(size)
        .ok()
        .filter(|size| (1..=LARGE_LIMIT).contains(size))
        .ok_or_else(|| Gap::from(GapKind::AtomicSize).with([size, u64::from(LARGE_LIMIT)]))
}
