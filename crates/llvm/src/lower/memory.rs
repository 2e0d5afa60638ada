//! Stack objects, loads and stores, atomics, fences, and address arithmetic.
//!
//! Volatile accesses are plain ones, unless the reader has made them atomic. A scalar that memory has no access for (`i24`, as bit-fields have them) is
//! moved in pieces.

use std::rc::Rc;

use atropos_event::{FenceOrder, Gap, GapKind, ReadOrder, WriteOrder};
use atropos_vm::instr::{BinaryOp, CasOrders};
use atropos_vm::{Failure, Instr, Operand, Reg, Width};

use super::function::Code;
use super::rust::Unseen;
use super::values::width_of;
use crate::ast::{Op, Order, Type, Typed, Value};
use crate::layout;

impl Code<'_, '_> {
    pub(crate) fn memory(&mut self, result: Option<&Rc<str>>, op: &Op) -> Result<(), Gap> {
        if let Some(()) = self.wide_atomic(result, op)? {
            return Ok(());
        }
        match op {
            Op::Alloca { ty, count, align } => self.alloca(result, ty, count.as_ref(), *align),
            Op::Load { ty, ptr, order } => self.load(result, ty, ptr, *order),
            Op::Store { value, ptr, order } => self.store(value, ptr, *order),
            Op::Fence { order, single_thread } => {
                if !single_thread {
                    self.fence(*order);
                }
                Ok(())
            }
            Op::CmpXchg { ptr, expected, desired, success, failure } => {
                let size = atomic_size(&expected.ty)?;
                let [old, success_dst] = self.dsts(result)[..] else {
                    return Err(GapKind::WrongType.into());
                };
                let orders = CasOrders {
                    read: read_order(*success),
                    write: write_order(*success),
                    failure: read_order(*failure),
                };
                let addr = self.operand_of(&Type::Ptr, ptr)?;
                self.check_bounds(ptr, addr, &expected.ty)?;
                let (expected, desired) = (self.operand(expected)?, self.operand_of(&expected.ty, desired)?);
                let (old, success) = (Some(old), Some(success_dst));
                self.code.push(Instr::Cas { old, success, size, orders, addr, expected, desired });
                self.await_lock(ptr, success_dst);
                Ok(())
            }
            // There is always another owner.
            Op::Rmw { operand, .. }
                if self.locals.unseen == Some(Unseen::HandleCounts) && operand.ty == Type::Int(64) =>
            {
                self.assign(result, 2u64)
            }
            Op::Rmw { op, ptr, operand, order } => {
                let (size, addr) = (atomic_size(&operand.ty)?, self.operand_of(&Type::Ptr, ptr)?);
                self.check_bounds(ptr, addr, &operand.ty)?;
                let (dst, operand) = (Some(self.dst(result)?), self.operand(operand)?);
                let (read_order, write_order) = (read_order(*order), write_order(*order));
                let op = *op;
                self.code.push(Instr::Rmw { op, dst, size, read_order, write_order, addr, operand });
                Ok(())
            }
            Op::Gep { base, args } => {
                let dst = self.dst(result)?;
                self.note_inside(result, args);
                self.gep(dst, base, args)
            }
            _ => unreachable!("not about memory: {op:?}"),
        }
    }

    pub(crate) fn fence(&mut self, order: Order) {
        self.code.fence(match order {
            Order::Acquire => FenceOrder::Acquire,
            Order::Release => FenceOrder::Release,
            Order::Relaxed | Order::AcqRel => FenceOrder::AcqRel,
            Order::SeqCst => FenceOrder::SeqCst,
        });
    }

    /// Objects of the first block already have slots; others are created when control reaches them.
    fn alloca(
        &mut self,
        result: Option<&Rc<str>>,
        ty: &Type,
        count: Option<&Typed>,
        align: u64,
    ) -> Result<(), Gap> {
        let Some(name) = result else { return Ok(()) };
        let has_place = matches!(self.locals.values.get(name).map(Vec::as_slice), Some([Operand::Slot(_)]));
        if has_place || self.locals.variables.contains_key(name) {
            return Ok(());
        }
        let element = layout::size_of(ty)?;
        let size = match count {
            Some(count) => {
                let count = self.operand(count)?;
                self.compute(BinaryOp::Mul, Width::I64, count, element)
            }
            None => Operand::Const(element),
        };
        self.allocate_dynamic(result, size, align)
    }

    fn load(
        &mut self,
        result: Option<&Rc<str>>,
        ty: &Type,
        ptr: &Value,
        order: Option<Order>,
    ) -> Result<(), Gap> {
        if let Some(variable) = self.variable(ptr) {
            self.check_assigned(result, ptr);
            return self.assign(result, variable);
        }
        let addr = self.operand_of(&Type::Ptr, ptr)?;
        self.check_bounds(ptr, addr, ty)?;
        let order = order.map_or(ReadOrder::NotAtomic, read_order);
        if order.is_atomic() {
            atomic_size(ty)?;
        }
        if let Some(name) = result.filter(|name| self.carried.is_carried(name)) {
            return self.take_up(name, ty, addr);
        }
        let leaves = layout::leaves(ty)?;
        let dsts = self.dsts(result);
        for (leaf, dst) in leaves.iter().zip(dsts) {
            let at = self.at(addr, leaf.offset);
            let at = if self.moves(result, ptr, order) { self.move_scalar(&leaf.ty, at)? } else { at };
            self.load_scalar(dst, &leaf.ty, at, order)?;
        }
        Ok(())
    }

    /// Fails if the variable, which is in a register, is read before it is assigned.
    fn check_assigned(&mut self, result: Option<&Rc<str>>, ptr: &Value) {
        let Value::Local(name) = ptr else { return };
        let is_moved = result.is_some_and(|result| self.reads.is_moved(result));
        if let Some(&flag) = self.locals.flags.get(name).filter(|_| !is_moved) {
            let good = self.code.fresh_target();
            self.code.jump_if(flag, good);
            let variable = name.strip_suffix(".addr").unwrap_or(name).to_string();
            self.code.fail(Failure::Uninitialised { variable });
            self.code.place(good);
        }
    }

    /// Whether a load only moves bytes that may never have been written. Globals are always written.
    fn moves(&self, result: Option<&Rc<str>>, ptr: &Value, order: ReadOrder) -> bool {
        let is_moved = result.is_some_and(|result| self.reads.is_moved(result));
        is_moved && !order.is_atomic() && matches!(ptr, Value::Local(_))
    }

    /// Loads a value that is only stored again, together with which of its bytes are written.
    pub(crate) fn take_up(&mut self, name: &Rc<str>, ty: &Type, from: Operand) -> Result<(), Gap> {
        let slot = *self.frame.carried_in.get(name).ok_or(GapKind::WrongPlace)?;
        self.copy(ty, slot.into(), from)
    }

    /// Copies a value in memory without its padding.
    pub(crate) fn copy(&mut self, ty: &Type, to: Operand, from: Operand) -> Result<(), Gap> {
        for leaf in layout::leaves(ty)? {
            let (to, from) = (self.at(to, leaf.offset), self.at(from, leaf.offset));
            let length = Operand::Const(u64::from(width_of(&leaf.ty)?.bits().div_ceil(8)));
            self.code.push(Instr::Copy { to, from, length });
        }
        Ok(())
    }

    /// Copies a scalar, written or not, to where it can be loaded from.
    pub(crate) fn move_scalar(&mut self, ty: &Type, from: Operand) -> Result<Operand, Gap> {
        let bytes = u64::from(width_of(ty)?.bits().div_ceil(8));
        let slot = match self.frame.moved {
            Some(slot) => slot,
            None => self.code.private_slot("moved", 8),
        };
        self.frame.moved = Some(slot);
        let to = Operand::Slot(slot);
        self.code.push(Instr::Copy { to, from, length: Operand::Const(bytes) });
        Ok(to)
    }

    /// The register of a variable that became one.
    pub(crate) fn variable(&self, ptr: &Value) -> Option<Reg> {
        let Value::Local(name) = ptr else { return None };
        self.locals.variables.get(name).copied()
    }

    pub(crate) fn at(&mut self, addr: Operand, offset: u64) -> Operand {
        match offset {
            0 => addr,
            _ => Operand::Reg(self.code.address(addr, 0u64, 1, offset as i64)),
        }
    }

    pub(crate) fn load_scalar(
        &mut self,
        dst: Reg,
        ty: &Type,
        addr: Operand,
        order: ReadOrder,
    ) -> Result<(), Gap> {
        let bytes = u64::from(width_of(ty)?.bits().div_ceil(8));
        if bytes.is_power_of_two() {
            self.code.push(Instr::Load { dst, size: bytes as u8, order, addr });
            return Ok(());
        }
        let mut sum = Operand::Const(0);
        for (offset, size) in pieces(bytes) {
            let at = self.at(addr, offset);
            let piece = self.code.load(order, size, at);
            let piece = self.compute(BinaryOp::ShiftLeft, Width::I64, piece, 8 * offset);
            sum = self.compute(BinaryOp::Or, Width::I64, sum, piece);
        }
        self.code.assign(dst, sum);
        Ok(())
    }

    fn store(&mut self, value: &Typed, ptr: &Value, order: Option<Order>) -> Result<(), Gap> {
        if let Some(variable) = self.variable(ptr) {
            let value = self.operand(value)?;
            self.code.assign(variable, value);
            if let Value::Local(name) = ptr
                && let Some(&flag) = self.locals.flags.get(name)
            {
                self.code.assign(flag, 1u64);
            }
            return Ok(());
        }
        let addr = self.operand_of(&Type::Ptr, ptr)?;
        self.check_bounds(ptr, addr, &value.ty)?;
        self.put(value, addr, order)
    }

    /// Stores a value at an address; one that is carried keeps its unwritten bytes.
    pub(crate) fn put(&mut self, value: &Typed, addr: Operand, order: Option<Order>) -> Result<(), Gap> {
        if let Value::Local(name) = &value.value
            && let Some(&slot) = self.frame.carried_in.get(name)
        {
            return self.copy(&value.ty, addr, slot.into());
        }
        if self.shadow(&value.value) != Value::Zero && order.is_none() {
            return self.put_speculated(value, addr);
        }
        let leaves = layout::leaves(&value.ty)?;
        let values = self.operands(&value.ty, &value.value)?;
        let order = order.map_or(WriteOrder::NotAtomic, write_order);
        if order.is_atomic() {
            atomic_size(&value.ty)?;
        }
        for (leaf, value) in leaves.iter().zip(values) {
            let at = self.at(addr, leaf.offset);
            self.store_scalar(&leaf.ty, at, value, order)?;
        }
        Ok(())
    }

    pub(crate) fn store_scalar(
        &mut self,
        ty: &Type,
        addr: Operand,
        value: Operand,
        order: WriteOrder,
    ) -> Result<(), Gap> {
        let bytes = u64::from(width_of(ty)?.bits().div_ceil(8));
        if bytes.is_power_of_two() {
            self.code.store(order, bytes as u8, addr, value);
            return Ok(());
        }
        for (offset, size) in pieces(bytes) {
            let at = self.at(addr, offset);
            let piece = self.compute(BinaryOp::LogicalShiftRight, Width::I64, value, 8 * offset);
            self.code.store(order, size, at, piece);
        }
        Ok(())
    }

    /// `getelementptr`: adds up the constant part of the offset, and computes the rest.
    pub(crate) fn gep(&mut self, dst: Reg, base: &Type, args: &[Typed]) -> Result<(), Gap> {
        let mut addr = self.operand(&args[0])?;
        let (mut fixed, mut ty) = (0i64, Type::Array(0, Rc::new(base.clone())));
        for index in &args[1..] {
            let (element, scale) = match &ty {
                Type::Struct(fields) => {
                    let Value::Int(nth) = index.value else {
                        return Err(GapKind::NoSuchElement.into());
                    };
                    fixed = fixed.wrapping_add(layout::offset_of(fields, nth as usize)? as i64);
                    (fields.fields.get(nth as usize).cloned().ok_or(GapKind::NoSuchElement)?, 0)
                }
                Type::Array(_, element) => ((**element).clone(), layout::size_of(element)?),
                Type::Vector(_, element) => ((**element).clone(), layout::distance_of(element)?),
                _ => return Err(GapKind::NoSuchElement.into()),
            };
            match (&index.value, scale) {
                (_, 0) | (Value::Zero, _) => {}
                (Value::Int(nth), _) => {
                    let nth = atropos_vm::arith::signed(width_of(&index.ty)?, *nth);
                    fixed = fixed.wrapping_add(nth.wrapping_mul(scale as i64));
                }
                _ => {
                    let (width, mut nth) = (width_of(&index.ty)?, self.operand(index)?);
                    if width < Width::I64 {
                        nth = self
                            .code
                            .cast(atropos_vm::instr::CastOp::SignExtend, width, Width::I64, nth)
                            .into();
                    }
                    addr = Operand::Reg(self.code.address(addr, nth, scale, 0));
                }
            }
            ty = element;
        }
        self.code.push(Instr::Address { dst, base: addr, index: Operand::Const(0), scale: 1, offset: fixed });
        Ok(())
    }
}

/// Offsets and sizes of accesses that cover this many bytes.
fn pieces(bytes: u64) -> Vec<(u64, u8)> {
    let mut at = 0;
    let mut found = Vec::new();
    while at < bytes {
        let size = 1u64 << (bytes - at).min(8).ilog2();
        found.push((at, size as u8));
        at += size;
    }
    found
}

fn atomic_size(ty: &Type) -> Result<u8, Gap> {
    let width = width_of(ty)?;
    width.bytes().ok_or_else(|| GapKind::AtomicWidth.of(width.to_string()))
}

pub(crate) fn read_order(order: Order) -> ReadOrder {
    match order {
        Order::Relaxed | Order::Release => ReadOrder::Relaxed,
        Order::Acquire | Order::AcqRel => ReadOrder::Acquire,
        Order::SeqCst => ReadOrder::SeqCst,
    }
}

pub(crate) fn write_order(order: Order) -> WriteOrder {
    match order {
        Order::Relaxed | Order::Acquire => WriteOrder::Relaxed,
        Order::Release | Order::AcqRel => WriteOrder::Release,
        Order::SeqCst => WriteOrder::SeqCst,
    }
}
