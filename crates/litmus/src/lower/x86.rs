//! Threads of the X86 dialect.
//!
//! Memory accesses are those of hardware and never race: they are relaxed atomic accesses. A locked instruction, and
//! an exchange with memory, is one sequentially consistent read-modify-write; any other instruction on memory loads
//! and stores in two steps. `MFENCE` is a sequentially consistent fence, and `LFENCE` does nothing. `SFENCE` orders
//! stores, which TSO does anyway: it does nothing either, and tests that have one are refused for pso.
//!
//! Registers hold 64 bits; writing 32 of them clears the others, as on the processor. The flags are the two numbers
//! last compared, sign-extended; a result counts as compared with 0, so the jumps for less and greater are right
//! unless the operation before them overflowed.

mod operands;

use super::code::CodeBuilder;
use super::locations::operand_width;
use super::{Context, Registers};
use crate::ast;
use crate::ast::types::{Base, Type};
use crate::ast::x86::{Instruction, Jump, Mnemonic, Operand, Register, Thread, Width};
use crate::condition::Constant;
use atropos_event::{FenceOrder, ReadOrder, RmwOp, WriteOrder};
use atropos_vm::instr::{BinaryOp, CasOrders, CastOp, CompareOp, Instr};
use atropos_vm::{self as vm, Reg, Target};
use operands::{register_of, truncate, vm_width};
use std::collections::BTreeMap;

pub(crate) fn lower_threads(context: &mut Context<'_>, threads: &[Thread]) -> Vec<(CodeBuilder, Registers)> {
    let lower = |(number, thread): (usize, &Thread)| {
        let mut code = CodeBuilder::new(&format!("P{number}"));
        for index in 0..Register::COUNT as u8 {
            code.builder.register(&Register { index, width: Width::Quad }.to_string());
        }
        let flags = thread
            .uses_flags()
            .then(|| Flags { left: code.builder.register("left"), right: code.builder.register("right") });
        let mut lowering = ThreadLowering { context, code, flags, labels: BTreeMap::new() };
        lowering.set_initial_registers(number);
        lowering.thread(thread);
        (lowering.code, Registers::new())
    };
    threads.iter().enumerate().map(lower).collect()
}

/// The place of the part of a register that `name` denotes.
pub(crate) fn observed_register(name: &str) -> Option<(Reg, Type)> {
    let register = Register::from_word(name)?;
    let base = if register.width == Width::Quad { Base::Long } else { Base::Int };
    Some((register_of(register), Type { base, ..Type::INT }))
}

pub(crate) fn has_store_fence(code: &ast::Code) -> bool {
    match code {
        ast::Code::C(_) => false,
        ast::Code::X86 { threads, .. } => {
            let instructions = threads.iter().flat_map(|thread| thread.instructions());
            instructions.into_iter().any(|instruction| instruction.mnemonic == Mnemonic::Sfence)
        }
    }
}

impl Thread {
    fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.lines.iter().filter_map(|line| line.instruction.as_ref())
    }

    fn uses_flags(&self) -> bool {
        let is_conditional = |mnemonic| matches!(mnemonic, Mnemonic::Jump(jump) if jump != Jump::Always);
        self.instructions().any(|instruction| is_conditional(instruction.mnemonic))
    }
}

#[derive(Clone, Copy)]
struct Flags {
    left: Reg,
    right: Reg,
}

struct ThreadLowering<'thread, 'test> {
    context: &'thread mut Context<'test>,
    code: CodeBuilder,
    /// The registers of the flags, only for threads that use them.
    flags: Option<Flags>,
    labels: BTreeMap<String, Target>,
}

impl ThreadLowering<'_, '_> {
    fn set_initial_registers(&mut self, number: usize) {
        for (name, value, _, span) in self.context.initial_registers(number) {
            let Some(register) = Register::from_word(&name) else {
                self.context.complain(span, format!("`{name}` is not a register of X86"));
                continue;
            };
            let value = match value {
                Constant::Int(value) => vm::Operand::Const(truncate(value, register.width)),
                Constant::Address(location) => match self.context.locations.get(&location) {
                    Some(location) => vm::Operand::Global(location.global),
                    None => continue,
                },
            };
            self.code.builder.assign(register_of(register), value);
        }
    }

    fn thread(&mut self, thread: &Thread) {
        for label in thread.lines.iter().flat_map(|line| &line.labels) {
            let target = self.code.builder.target(label);
            self.labels.insert(label.clone(), target);
        }
        for line in &thread.lines {
            for label in &line.labels {
                self.code.builder.place(self.labels[label]);
            }
            if let Some(instruction) = &line.instruction {
                let source = self.context.sources.place(instruction.span, instruction.to_string());
                let source = self.context.module.source(source);
                self.code.builder.at(Some(source));
                self.instruction(instruction);
                self.code.release_temporaries();
            }
        }
        // Each repetition of a label has its own target, and every target needs a place.
        self.place_repeated_labels(thread);
    }

    fn place_repeated_labels(&mut self, thread: &Thread) {
        let n_labels = thread.lines.iter().map(|line| line.labels.len()).sum::<usize>();
        if n_labels != self.labels.len() {
            let span = thread.instructions().next().map(|instruction| instruction.span).unwrap_or_default();
            self.context.complain(span, "this thread has two labels of the same name");
            for target in 0..n_labels as u32 {
                self.code.builder.place(Target(target));
            }
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let mnemonic = instruction.mnemonic;
        if instruction.lock && !(mnemonic.may_lock() && matches!(instruction.operands[0], Operand::Memory(_)))
        {
            let message = format!("`{}` cannot have a LOCK prefix here", mnemonic.name());
            self.context.complain(instruction.span, message);
            return;
        }
        let width = operand_width(instruction).unwrap_or_else(|| self.width_of_memory(instruction));
        match (mnemonic, instruction.operands.as_slice()) {
            (Mnemonic::Mfence, _) => self.code.builder.fence(FenceOrder::SeqCst),
            (Mnemonic::Lfence | Mnemonic::Sfence | Mnemonic::Nop, _) => {}
            (Mnemonic::Jump(jump), [Operand::Label(label)]) => self.jump(jump, label, instruction),
            (Mnemonic::Mov, [to, from]) => {
                if self.check_operands(instruction) {
                    let value = self.read(from, width);
                    self.write(to, width, value);
                }
            }
            (Mnemonic::Cmp | Mnemonic::Test, [left, right]) => {
                let (left, right) = (self.read(left, width), self.read(right, width));
                if mnemonic == Mnemonic::Cmp {
                    self.set_flags(width, left, right);
                } else {
                    let both = self.code.binary(BinaryOp::And, vm_width(width), left, right);
                    self.set_flags(width, both, vm::Operand::Const(0));
                }
            }
            (Mnemonic::Inc, [to]) => {
                self.arithmetic(instruction, RmwOp::Add, width, (to, &Operand::Immediate(1)))
            }
            (Mnemonic::Dec, [to]) => {
                self.arithmetic(instruction, RmwOp::Sub, width, (to, &Operand::Immediate(1)))
            }
            (Mnemonic::Xchg, [left, right]) => self.exchange(instruction, width, left, right),
            (Mnemonic::Xadd, [to, from]) => self.exchange_add(instruction, width, to, from),
            (Mnemonic::Cmpxchg, [to, from]) => self.compare_exchange(instruction, width, to, from),
            (_, [to, from]) => match arithmetic_operation(mnemonic) {
                Some(op) => self.arithmetic(instruction, op, width, (to, from)),
                None => unreachable!("every mnemonic of two operands has its own case"),
            },
            _ => unreachable!("the parser reads as many operands as the mnemonic has"),
        }
    }

    /// `to := to op from`.
    fn arithmetic(
        &mut self,
        instruction: &Instruction,
        op: RmwOp,
        width: Width,
        operands: (&Operand, &Operand),
    ) {
        if !self.check_operands(instruction) {
            return;
        }
        let (to, from) = operands;
        let operand = self.read(from, width);
        let old = if instruction.lock { self.locked(op, width, to, operand) } else { self.read(to, width) };
        if instruction.lock && self.flags.is_none() {
            return;
        }
        let result = self.code.binary(vm_operation(op), vm_width(width), old, operand);
        if !instruction.lock {
            self.write(to, width, result);
        }
        self.set_flags(width, result, vm::Operand::Const(0));
    }

    /// An exchange with memory is locked with or without the prefix.
    fn exchange(&mut self, instruction: &Instruction, width: Width, left: &Operand, right: &Operand) {
        if !self.check_operands(instruction) {
            return;
        }
        match (left, right) {
            (memory @ Operand::Memory(_), register @ Operand::Register(_))
            | (register @ Operand::Register(_), memory @ Operand::Memory(_)) => {
                let new = self.read(register, width);
                let old = self.locked(RmwOp::Exchange, width, memory, new);
                self.write(register, width, old);
            }
            (Operand::Register(_), Operand::Register(_)) => {
                let (old_left, old_right) = (self.copy(left, width), self.copy(right, width));
                self.write(left, width, old_right);
                self.write(right, width, old_left);
            }
            _ => self.context.complain(instruction.span, "XCHG works on registers and memory only"),
        }
    }

    /// `to, from := to + from, to`.
    fn exchange_add(&mut self, instruction: &Instruction, width: Width, to: &Operand, from: &Operand) {
        if !self.check_operands(instruction) {
            return;
        }
        let operand = self.copy(from, width);
        let old =
            if instruction.lock { self.locked(RmwOp::Add, width, to, operand) } else { self.copy(to, width) };
        let sum = self.code.binary(BinaryOp::Add, vm_width(width), old, operand);
        self.write(from, width, old);
        if !instruction.lock {
            self.write(to, width, sum);
        }
        self.set_flags(width, sum, vm::Operand::Const(0));
    }

    /// If `to` equals EAX then `to := from`; EAX gets the old value of `to`.
    fn compare_exchange(&mut self, instruction: &Instruction, width: Width, to: &Operand, from: &Operand) {
        if !self.check_operands(instruction) {
            return;
        }
        let accumulator = Operand::Register(Register { index: 0, width });
        let (expected, desired) = (self.copy(&accumulator, width), self.read(from, width));
        let old = match to {
            Operand::Memory(memory) if instruction.lock => {
                let (old, addr) = (self.code.temporary(), self.address(memory));
                self.code.builder.push(Instr::Cas {
                    old: Some(old),
                    success: None,
                    size: width.bytes(),
                    orders: CasOrders {
                        read: ReadOrder::SeqCst,
                        write: WriteOrder::SeqCst,
                        failure: ReadOrder::SeqCst,
                    },
                    addr,
                    expected,
                    desired,
                });
                vm::Operand::Reg(old)
            }
            _ => {
                let old = self.copy(to, width);
                let is_equal = self.code.compare(CompareOp::Equal, vm_width(width), old, expected);
                let unequal = self.code.builder.fresh_target();
                self.code.builder.jump_unless(is_equal, unequal);
                self.write(to, width, desired);
                self.code.builder.place(unequal);
                old
            }
        };
        self.write(&accumulator, width, old);
        self.set_flags(width, expected, old);
    }

    fn jump(&mut self, jump: Jump, label: &str, instruction: &Instruction) {
        let Some(&target) = self.labels.get(label) else {
            self.context.complain(instruction.span, format!("this thread has no label `{label}`"));
            return;
        };
        let op = match jump {
            Jump::Always => return self.code.builder.jump(target),
            Jump::Equal => CompareOp::Equal,
            Jump::NotEqual => CompareOp::NotEqual,
            Jump::Less => CompareOp::SignedLess,
            Jump::LessEqual => CompareOp::SignedLessEqual,
            Jump::Greater => CompareOp::SignedGreater,
            Jump::GreaterEqual => CompareOp::SignedGreaterEqual,
        };
        let Some(Flags { left, right }) = self.flags else {
            unreachable!("conditional jumps look at the flags")
        };
        let condition =
            self.code.compare(op, vm::Width::I64, vm::Operand::Reg(left), vm::Operand::Reg(right));
        self.code.builder.jump_if(condition, target);
    }

    fn set_flags(&mut self, width: Width, left: vm::Operand, right: vm::Operand) {
        let Some(flags) = self.flags else { return };
        for (dst, value) in [(flags.left, left), (flags.right, right)] {
            match width {
                Width::Quad => self.code.builder.assign(dst, value),
                Width::Double => {
                    let (from, to) = (vm::Width::I32, vm::Width::I64);
                    self.code.builder.push(Instr::Cast { op: CastOp::SignExtend, from, to, dst, value });
                }
            }
        }
    }
}

impl Mnemonic {
    fn may_lock(self) -> bool {
        arithmetic_operation(self).is_some()
            || matches!(
                self,
                Mnemonic::Inc | Mnemonic::Dec | Mnemonic::Xchg | Mnemonic::Xadd | Mnemonic::Cmpxchg
            )
    }
}

fn arithmetic_operation(mnemonic: Mnemonic) -> Option<RmwOp> {
    match mnemonic {
        Mnemonic::Add => Some(RmwOp::Add),
        Mnemonic::Sub => Some(RmwOp::Sub),
        Mnemonic::And => Some(RmwOp::And),
        Mnemonic::Or => Some(RmwOp::Or),
        Mnemonic::Xor => Some(RmwOp::Xor),
        _ => None,
    }
}

fn vm_operation(op: RmwOp) -> BinaryOp {
    match op {
        RmwOp::Add => BinaryOp::Add,
        RmwOp::Sub => BinaryOp::Sub,
        RmwOp::And => BinaryOp::And,
        RmwOp::Or => BinaryOp::Or,
        RmwOp::Xor => BinaryOp::Xor,
        op => unreachable!("{} is not an arithmetic instruction of X86", op.name()),
    }
}
