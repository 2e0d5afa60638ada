//! Operands of X86 instructions: reading and writing registers and memory.

use super::ThreadLowering;
use crate::ast::x86::{Instruction, MemoryOperand, Mnemonic, Operand, Register, Width};
use atropos_event::{ReadOrder, RmwOp, WriteOrder};
use atropos_vm::instr::{CastOp, Instr};
use atropos_vm::{self as vm, Reg};

impl ThreadLowering<'_, '_> {
    /// At most one operand is in memory, and the first one can be written.
    pub(super) fn check_operands(&mut self, instruction: &Instruction) -> bool {
        let n_memory =
            instruction.operands.iter().filter(|operand| matches!(operand, Operand::Memory(_))).count();
        let complaint = match instruction.operands.first() {
            _ if n_memory > 1 => "an instruction can have only one operand in memory",
            Some(Operand::Immediate(_)) => "an immediate cannot be the destination",
            // Both operands are written.
            _ if matches!(instruction.mnemonic, Mnemonic::Xadd | Mnemonic::Xchg)
                && matches!(instruction.operands.get(1), Some(Operand::Immediate(_))) =>
            {
                "an immediate cannot be exchanged"
            }
            _ => return true,
        };
        self.context.complain(instruction.span, complaint);
        false
    }

    /// One atomic read-modify-write of memory; returns the old value.
    pub(super) fn locked(
        &mut self,
        op: RmwOp,
        width: Width,
        memory: &Operand,
        operand: vm::Operand,
    ) -> vm::Operand {
        let Operand::Memory(memory) = memory else { unreachable!("only memory is locked") };
        let (dst, addr) = (self.code.temporary(), self.address(memory));
        self.code.builder.push(Instr::Rmw {
            op,
            dst: Some(dst),
            size: width.bytes(),
            read_order: ReadOrder::SeqCst,
            write_order: WriteOrder::SeqCst,
            addr,
            operand,
        });
        vm::Operand::Reg(dst)
    }

    pub(super) fn read(&mut self, operand: &Operand, width: Width) -> vm::Operand {
        match operand {
            Operand::Register(register) => vm::Operand::Reg(register_of(*register)),
            Operand::Immediate(value) => vm::Operand::Const(truncate(*value, width)),
            Operand::Memory(memory) => {
                let (dst, addr) = (self.code.temporary(), self.address(memory));
                let (size, order) = (width.bytes(), ReadOrder::Relaxed);
                self.code.builder.push(Instr::Load { dst, size, order, addr });
                vm::Operand::Reg(dst)
            }
            Operand::Label(_) => unreachable!("labels are operands of jumps only"),
        }
    }

    /// The value of `operand` now, which later writes to a register do not change.
    pub(super) fn copy(&mut self, operand: &Operand, width: Width) -> vm::Operand {
        let value = self.read(operand, width);
        if !matches!(operand, Operand::Register(_)) {
            return value;
        }
        let copy = self.code.temporary();
        self.code.builder.assign(copy, value);
        vm::Operand::Reg(copy)
    }

    pub(super) fn write(&mut self, to: &Operand, width: Width, value: vm::Operand) {
        match to {
            Operand::Register(register) => {
                let dst = register_of(*register);
                match width {
                    Width::Quad => self.code.builder.assign(dst, value),
                    Width::Double => {
                        let (from, to) = (vm::Width::I32, vm::Width::I64);
                        self.code.builder.push(Instr::Cast { op: CastOp::ZeroExtend, from, to, dst, value });
                    }
                }
            }
            Operand::Memory(memory) => {
                let addr = self.address(memory);
                let (size, order) = (width.bytes(), WriteOrder::Relaxed);
                self.code.builder.push(Instr::Store { size, order, addr, value });
            }
            Operand::Immediate(_) | Operand::Label(_) => unreachable!("check_operands refuses these"),
        }
    }

    pub(super) fn address(&self, memory: &MemoryOperand) -> vm::Operand {
        match memory {
            MemoryOperand::At(register) => vm::Operand::Reg(register_of(*register)),
            MemoryOperand::Location(name) => match self.context.locations.get(name) {
                Some(location) => vm::Operand::Global(location.global),
                None => unreachable!("every operand's location was collected"),
            },
        }
    }

    /// The width of an instruction without registers: that of its location.
    pub(super) fn width_of_memory(&self, instruction: &Instruction) -> Width {
        let of_operand = |operand: &Operand| match operand {
            Operand::Memory(MemoryOperand::Location(name)) => self.context.locations.get(name),
            _ => None,
        };
        match instruction.operands.iter().find_map(of_operand) {
            Some(location) if location.ty.size() == 8 => Width::Quad,
            _ => Width::Double,
        }
    }
}

/// The virtual register for `register`, the same in all threads.
pub(super) fn register_of(register: Register) -> Reg {
    Reg(u32::from(register.index))
}

pub(super) fn vm_width(width: Width) -> vm::Width {
    match width {
        Width::Double => vm::Width::I32,
        Width::Quad => vm::Width::I64,
    }
}

pub(super) fn truncate(value: i64, width: Width) -> u64 {
    match width {
        Width::Double => u64::from(value as u32),
        Width::Quad => value as u64,
    }
}
