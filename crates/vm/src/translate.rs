//! One instruction at a time: the part of the compiler that knows them all.

use atropos_event::{FenceOrder, WriteOrder};

use crate::arith;
use crate::code::{Op, SwitchCode, Test};
use crate::compile::Compiler;
use crate::failure::Failure;
use crate::instr::{BinaryOp, Instr, LockKind};
use crate::ir::{Operand, Target, Width};
use crate::vm::Buffering;

impl Compiler<'_> {
    pub(crate) fn instr(&mut self, instr: &Instr) {
        match instr {
            Instr::Load { .. }
            | Instr::Store { .. }
            | Instr::Rmw { .. }
            | Instr::Cas { .. }
            | Instr::Fence { .. }
            | Instr::Alloc { .. }
            | Instr::Free { .. }
            | Instr::Copy { .. }
            | Instr::Fill { .. }
            | Instr::CompareBytes { .. }
            | Instr::Lock { .. }
            | Instr::TryLock { .. }
            | Instr::Unlock { .. }
            | Instr::Hold { .. }
            | Instr::LetGo { .. }
            | Instr::Holds { .. }
            | Instr::Peek { .. } => self.memory(instr),
            Instr::Spawn { .. }
            | Instr::Offered { .. }
            | Instr::Join { .. }
            | Instr::Detach { .. }
            | Instr::Current { .. }
            | Instr::NextChild { .. } => self.thread(instr),
            Instr::Jump { .. }
            | Instr::Branch { .. }
            | Instr::Switch { .. }
            | Instr::Call { .. }
            | Instr::Return { .. }
            | Instr::ExitThread { .. }
            | Instr::Halt
            | Instr::EnterSection
            | Instr::LeaveSection
            | Instr::Word { .. }
            | Instr::SetWord { .. }
            | Instr::Pack { .. }
            | Instr::Unwritten { .. }
            | Instr::Unpack { .. }
            | Instr::Format { .. }
            | Instr::ParseFloat { .. }
            | Instr::Print { .. }
            | Instr::Assume { .. }
            | Instr::Assert { .. }
            | Instr::Fail { .. }
            | Instr::Await { .. }
            | Instr::Unsupported { .. } => self.control(instr),
            _ => self.value(instr),
        }
    }

    fn value(&mut self, instr: &Instr) {
        let op = match *instr {
            Instr::Move { dst, value } => Op::Move { value: self.operand(value), dst: self.result(dst) },
            Instr::Binary { op, width, dst, left, right } => {
                let (left, right, dst) = (self.operand(left), self.operand(right), self.result(dst));
                match op {
                    BinaryOp::Add => Op::Add { width, dst, left, right },
                    BinaryOp::Sub => Op::Sub { width, dst, left, right },
                    BinaryOp::Mul => Op::Mul { width, dst, left, right },
                    BinaryOp::And => Op::And { width, dst, left, right },
                    BinaryOp::Or => Op::Or { width, dst, left, right },
                    BinaryOp::Xor => Op::Xor { width, dst, left, right },
                    _ => Op::Binary { op, width, dst, left, right },
                }
            }
            Instr::Unary { op, width, dst, value } => {
                Op::Unary { op, width, value: self.operand(value), dst: self.result(dst) }
            }
            Instr::Compare { op, width, dst, left, right } => {
                let (left, right, dst) = (self.operand(left), self.operand(right), self.result(dst));
                Op::Compare { test: Test::new(op), width, dst, left, right }
            }
            Instr::Cast { op, from, to, dst, value } => {
                Op::Cast { op, from, to, value: self.operand(value), dst: self.result(dst) }
            }
            Instr::Select { dst, condition, then, otherwise } => Op::Select {
                condition: self.operand(condition),
                then: self.operand(then),
                otherwise: self.operand(otherwise),
                dst: self.result(dst),
            },
            Instr::Address { dst, base, index, scale, offset } => Op::Address {
                base: self.operand(base),
                index: self.operand(index),
                scale: self.constant(scale),
                offset: self.constant(offset as u64),
                dst: self.result(dst),
            },
            Instr::FloatBinary { op, format, dst, left, right } => {
                let (left, right, dst) = (self.operand(left), self.operand(right), self.result(dst));
                Op::FloatBinary { op, format, dst, left, right }
            }
            Instr::FloatUnary { op, format, dst, value } => {
                Op::FloatUnary { op, format, value: self.operand(value), dst: self.result(dst) }
            }
            Instr::Fused { format, dst, left, right, addend } => Op::Fused {
                format,
                left: self.operand(left),
                right: self.operand(right),
                addend: self.operand(addend),
                dst: self.result(dst),
            },
            Instr::FloatCompare { op, format, dst, left, right } => {
                let (left, right, dst) = (self.operand(left), self.operand(right), self.result(dst));
                Op::FloatCompare { op, format, dst, left, right }
            }
            Instr::Convert { op, format, width, dst, value } => {
                Op::Convert { op, format, width, value: self.operand(value), dst: self.result(dst) }
            }
            Instr::FloatResize { to, dst, value } => {
                Op::FloatResize { to, value: self.operand(value), dst: self.result(dst) }
            }
            _ => unreachable!("not an instruction on values: {instr:?}"),
        };
        self.emit(op);
    }

    /// Makes barriers on private memory, and unlocks of a mutex, drain the store buffers.
    fn drain(&mut self, instr: &Instr) {
        let (addr, size) = match *instr {
            Instr::Rmw { addr, size, .. } | Instr::Cas { addr, size, .. } => (addr, size),
            Instr::Store { addr, size, order: WriteOrder::SeqCst, .. }
                if self.rules.buffering == Buffering::Ordered =>
            {
                (addr, size)
            }
            Instr::Unlock { .. } if self.rules.buffering == Buffering::Fenced => {
                return self.emit(Op::Fence { order: FenceOrder::SeqCst });
            }
            Instr::Lock { mutex, .. }
            | Instr::TryLock { mutex, .. }
            | Instr::Unlock { mutex, kind: LockKind::Mutex } => (mutex, 4),
            _ => return,
        };
        if !self.is_known(addr, size) {
            let addr = self.operand(addr);
            self.emit(Op::Drain { addr, size });
        }
    }

    fn memory(&mut self, instr: &Instr) {
        if self.rules.buffering != Buffering::None {
            self.drain(instr);
        }
        let op = match *instr {
            Instr::Load { dst, size, order, addr } => {
                let known = self.is_known(addr, size);
                Op::Load { addr: self.operand(addr), dst: self.result(dst), size, order, known }
            }
            Instr::Store { size, order, addr, value } => {
                let known = self.is_known(addr, size);
                Op::Store { addr: self.operand(addr), value: self.operand(value), size, order, known }
            }
            Instr::Rmw { op, dst, size, read_order, write_order, addr, operand } => {
                let known = self.is_known(addr, size);
                let (addr, operand) = (self.operand(addr), self.operand(operand));
                let dst = self.optional_result(dst);
                Op::Rmw { op, dst, addr, operand, size, read_order, write_order, known }
            }
            Instr::Cas { old, success, size, orders, addr, expected, desired } => {
                let known = self.is_known(addr, size);
                let (addr, expected) = (self.operand(addr), self.operand(expected));
                let desired = self.operand(desired);
                let (old, success) = (self.optional_result(old), self.optional_result(success));
                Op::Cas { old, success, addr, expected, desired, size, orders, known }
            }
            Instr::Fence { order } => Op::Fence { order },
            Instr::Alloc { dst, size, align, kind, zeroed } => {
                let (size, align) = (self.operand(size), self.operand(align));
                Op::Alloc { dst: self.result(dst), size, align, kind, zeroed }
            }
            Instr::Free { addr, kind } => Op::Free { addr: self.operand(addr), kind },
            Instr::Copy { to, from, length } => {
                let (to, from) = (self.operand(to), self.operand(from));
                Op::Copy { to, from, length: self.operand(length) }
            }
            Instr::Fill { to, byte, length } => {
                let (to, byte) = (self.operand(to), self.operand(byte));
                Op::Fill { to, byte, length: self.operand(length) }
            }
            Instr::CompareBytes { dst, left, right, length } => {
                let (left, right) = (self.operand(left), self.operand(right));
                let (length, dst) = (self.operand(length), self.result(dst));
                Op::CompareBytes { dst, left, right, length }
            }
            Instr::Lock { mutex, kind } => {
                Op::Lock { known: self.is_known(mutex, 4), mutex: self.operand(mutex), kind }
            }
            Instr::TryLock { dst, mutex, kind } => {
                let known = self.is_known(mutex, 4);
                Op::TryLock { mutex: self.operand(mutex), dst: self.result(dst), known, kind }
            }
            Instr::Unlock { mutex, kind } => {
                Op::Unlock { known: self.is_known(mutex, 4), mutex: self.operand(mutex), kind }
            }
            Instr::Hold { object } => Op::Hold { object: self.operand(object) },
            Instr::LetGo { object } => Op::LetGo { object: self.operand(object) },
            Instr::Holds { dst, object } => Op::Holds { object: self.operand(object), dst: self.result(dst) },
            Instr::Peek { dst, size, addr } => {
                Op::Peek { addr: self.operand(addr), dst: self.result(dst), size }
            }
            _ => unreachable!("not an instruction on memory: {instr:?}"),
        };
        self.emit(op);
        let is_mutex = matches!(instr, Instr::Unlock { kind: LockKind::Mutex, .. });
        if self.rules.buffering == Buffering::Fenced && is_mutex {
            self.emit(Op::Fence { order: FenceOrder::SeqCst });
        }
    }

    /// An instruction about another thread, or about the current one.
    fn thread(&mut self, instr: &Instr) {
        let op = match instr {
            Instr::Offered { dst, handle } => {
                Op::Offered { handle: self.operand(*handle), dst: self.result(*dst) }
            }
            Instr::Spawn { dst, function, args, drains } => {
                let dst = self.optional_result(*dst);
                let (args, n_args) = self.args(args);
                Op::Spawn { dst, n_args, function: self.operand(*function), args, drains: *drains }
            }
            Instr::Detach { handle } => {
                let handle = self.operand(*handle);
                self.emit(Op::Detach { handle });
                if !self.rules.has_claims {
                    return;
                }
                Op::Claim { handle }
            }
            Instr::Join { dst, handle } => {
                let handle = self.operand(*handle);
                if self.rules.has_claims {
                    self.emit(Op::Claim { handle });
                }
                self.emit(Op::Join { handle });
                let Some(dst) = *dst else { return };
                Op::Returned { dst: self.result(dst), handle }
            }
            Instr::Current { dst } => Op::Current { dst: self.result(*dst) },
            Instr::NextChild { dst } => Op::NextChild { dst: self.result(*dst) },
            instr => unreachable!("{instr:?} concerns no thread"),
        };
        self.emit(op);
    }

    fn control(&mut self, instr: &Instr) {
        let op = match instr {
            Instr::Jump { to } => Op::Jump { to: self.target(*to) },
            Instr::Branch { condition, when, to } => {
                let (condition, to) = (self.operand(*condition), self.target(*to));
                if self.fuse_comparison(condition, *when, to) {
                    return;
                }
                if *when { Op::JumpIf { condition, to } } else { Op::JumpUnless { condition, to } }
            }
            Instr::Switch { value, width, cases, default } => {
                Op::Switch { value: self.operand(*value), table: self.switch_table(*width, cases, *default) }
            }
            Instr::Call { dst, function, args } => {
                let dst = self.optional_result(*dst);
                let (args, n_args) = self.args(args);
                match *function {
                    Operand::Function(id) => Op::Call { dst, n_args, function: id.0, args },
                    pointer => Op::CallIndirect { dst, n_args, pointer: self.operand(pointer), args },
                }
            }
            Instr::Return { value } => {
                self.free_slots();
                Op::Return { value: self.operand(value.unwrap_or(Operand::Const(0))) }
            }
            Instr::ExitThread { value } => {
                Op::ExitThread { value: self.operand(value.unwrap_or(Operand::Const(0))) }
            }
            Instr::Halt => Op::Halt,
            Instr::EnterSection => Op::EnterSection,
            Instr::LeaveSection => Op::LeaveSection,
            Instr::Word { dst } => Op::Word { dst: self.result(*dst) },
            Instr::SetWord { value } => Op::SetWord { value: self.operand(*value) },
            Instr::Assume { condition } => Op::Assume { condition: self.operand(*condition) },
            Instr::Assert { condition, .. } => Op::Assert { condition: self.operand(*condition) },
            Instr::Fail { failure: Failure::Said { from, length } } => {
                let said = Op::Print { from: self.operand(*from), length: self.operand(*length) };
                self.emit(said);
                Op::Fail { object: self.operand(Operand::Const(0)) }
            }
            Instr::Fail { failure } => {
                Op::Fail { object: self.operand(failure.object().unwrap_or(Operand::Const(0))) }
            }
            Instr::Unsupported { .. } => Op::Unsupported,
            Instr::Await { condition, reason, reads } => {
                Op::Await { condition: self.operand(*condition), reason: *reason, reads: *reads }
            }
            _ => return self.text(instr),
        };
        self.emit(op);
    }

    /// Numbers, texts and values of many bytes.
    fn text(&mut self, instr: &Instr) {
        let op = match instr {
            Instr::Pack { dst, size, from } => {
                let from = self.operand(*from);
                Op::Pack { dst: self.result(*dst), size: *size, from }
            }
            Instr::Unwritten { dst, size, addr } => {
                let addr = self.operand(*addr);
                Op::Unwritten { dst: self.result(*dst), size: *size, addr }
            }
            Instr::Unpack { to, size, value } => {
                Op::Unpack { to: self.operand(*to), size: *size, value: self.operand(*value) }
            }
            Instr::Format { dst, to, value, spec, width, precision } => {
                let [to, value, spec] = [*to, *value, *spec].map(|operand| self.operand(operand));
                let [width, precision] = [*width, *precision].map(|operand| self.operand(operand));
                Op::Format { dst: self.result(*dst), to, value, spec, width, precision }
            }
            Instr::ParseFloat { format, dst, from, length } => {
                let [from, length] = [*from, *length].map(|operand| self.operand(operand));
                Op::ParseFloat { format: *format, dst: self.result(*dst), from, length }
            }
            Instr::Print { from, length } => {
                Op::Print { from: self.operand(*from), length: self.operand(*length) }
            }
            _ => unreachable!("not an instruction on control: {instr:?}"),
        };
        self.emit(op);
    }

    fn switch_table(&mut self, width: Width, cases: &[(u64, Target)], default: Target) -> u32 {
        let mut cases: Vec<(u64, u32)> =
            cases.iter().map(|&(value, to)| (arith::truncate(width, value), self.target(to))).collect();
        // The first of equal cases wins.
        cases.sort_by_key(|&(value, _)| value);
        cases.dedup_by_key(|&mut (value, _)| value);
        let default = self.target(default);
        self.switch(SwitchCode { width, cases, default })
    }
}
