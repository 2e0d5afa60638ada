//! x86-64: the instructions that are known, in the syntax of GCC (source first).
//!
//! Loads acquire and stores release, as all accesses of this processor do; [`super::x86_memory`] has the updates.

use atropos_event::{AbortCause, FenceOrder, RmwOp};
use atropos_vm::instr::{BinaryOp, CastOp, UnaryOp};
use atropos_vm::{Failure, Instr, Operand, Width};

use super::flags::Flags;
use super::text::Statement;
use super::{Machine, OperandAt};

#[derive(Clone, Copy)]
enum Operation {
    Move,
    Address,
    Exchange,
    ExchangeAdd,
    CompareExchange,
    /// With the update of memory that does the same.
    Compute(BinaryOp, RmwOp),
    /// Adds or subtracts one; the carry flag stays as it was, so nothing may ask for it.
    Count(RmwOp),
    Negate,
    Not,
    Compare,
    Test,
    /// Tests a bit; the update, if any, changes it.
    Bit(Option<RmwOp>),
    ScanForward,
    ScanReverse,
    Unary(UnaryOp),
    Shift(BinaryOp),
    AddCarry,
    SubtractBorrow,
}

/// The instructions whose operands have a width, by their names without it.
const OPERATIONS: [(&str, Operation); 35] = [
    ("mov", Operation::Move),
    ("movabs", Operation::Move),
    ("lea", Operation::Address),
    ("xchg", Operation::Exchange),
    ("xadd", Operation::ExchangeAdd),
    ("cmpxchg", Operation::CompareExchange),
    ("add", Operation::Compute(BinaryOp::Add, RmwOp::Add)),
    ("sub", Operation::Compute(BinaryOp::Sub, RmwOp::Sub)),
    ("and", Operation::Compute(BinaryOp::And, RmwOp::And)),
    ("or", Operation::Compute(BinaryOp::Or, RmwOp::Or)),
    ("xor", Operation::Compute(BinaryOp::Xor, RmwOp::Xor)),
    ("inc", Operation::Count(RmwOp::Add)),
    ("dec", Operation::Count(RmwOp::Sub)),
    ("neg", Operation::Negate),
    ("not", Operation::Not),
    ("cmp", Operation::Compare),
    ("test", Operation::Test),
    ("bt", Operation::Bit(None)),
    ("bts", Operation::Bit(Some(RmwOp::Or))),
    ("btr", Operation::Bit(Some(RmwOp::And))),
    ("btc", Operation::Bit(Some(RmwOp::Xor))),
    ("bsf", Operation::ScanForward),
    ("bsr", Operation::ScanReverse),
    ("rep bsf", Operation::Unary(UnaryOp::TrailingZeros)),
    ("tzcnt", Operation::Unary(UnaryOp::TrailingZeros)),
    ("rep bsr", Operation::Unary(UnaryOp::LeadingZeros)),
    ("lzcnt", Operation::Unary(UnaryOp::LeadingZeros)),
    ("popcnt", Operation::Unary(UnaryOp::CountOnes)),
    ("bswap", Operation::Unary(UnaryOp::SwapBytes)),
    ("shl", Operation::Shift(BinaryOp::ShiftLeft)),
    ("sal", Operation::Shift(BinaryOp::ShiftLeft)),
    ("shr", Operation::Shift(BinaryOp::LogicalShiftRight)),
    ("sar", Operation::Shift(BinaryOp::ArithmeticShiftRight)),
    ("adc", Operation::AddCarry),
    ("sbb", Operation::SubtractBorrow),
];

/// The registers, by the names of their 64, 32, 16 and 8 bits.
const REGISTERS: [[&str; 4]; 16] = [
    ["rax", "eax", "ax", "al"],
    ["rbx", "ebx", "bx", "bl"],
    ["rcx", "ecx", "cx", "cl"],
    ["rdx", "edx", "dx", "dl"],
    ["rsi", "esi", "si", "sil"],
    ["rdi", "edi", "di", "dil"],
    ["rbp", "ebp", "bp", "bpl"],
    ["rsp", "esp", "sp", "spl"],
    ["r8", "r8d", "r8w", "r8b"],
    ["r9", "r9d", "r9w", "r9b"],
    ["r10", "r10d", "r10w", "r10b"],
    ["r11", "r11d", "r11w", "r11b"],
    ["r12", "r12d", "r12w", "r12b"],
    ["r13", "r13d", "r13w", "r13b"],
    ["r14", "r14d", "r14w", "r14b"],
    ["r15", "r15d", "r15w", "r15b"],
];
const WIDTHS: [Width; 4] = [Width::I64, Width::I32, Width::I16, Width::I8];

/// A register by any of its names: its full name and the width. The stack pointer is none.
pub(super) fn register(name: &str) -> Option<(&'static str, Width)> {
    let names = REGISTERS.iter().find(|names| names.contains(&name))?;
    let nth = names.iter().position(|known| *known == name)?;
    (names[0] != "rsp").then_some((names[0], WIDTHS[nth]))
}

/// The width that a letter like that of `${0:b}` stands for.
pub(super) fn letter_width(letter: char) -> Option<Width> {
    match letter {
        'b' => Some(Width::I8),
        'w' => Some(Width::I16),
        'k' => Some(Width::I32),
        'q' => Some(Width::I64),
        _ => None,
    }
}

/// The width that the last letter of an instruction's name stands for.
fn suffix_width(letter: char) -> Option<Width> {
    match letter {
        'l' => Some(Width::I32),
        'k' => None,
        letter => letter_width(letter),
    }
}

/// An instruction's name without its suffix, and the width that the suffix says.
fn operation(name: &str) -> Option<(Operation, Option<Width>)> {
    let find =
        |name: &str| OPERATIONS.iter().find(|(known, _)| *known == name).map(|(_, operation)| *operation);
    if let Some(operation) = find(name) {
        return Some((operation, None));
    }
    let width = suffix_width(name.chars().last()?)?;
    Some((find(&name[..name.len() - 1])?, Some(width)))
}

impl Machine<'_, '_, '_> {
    pub(super) fn x86(&mut self, statement: &Statement) -> Option<()> {
        let name = statement.mnemonic.as_str();
        match name {
            "nop" | "pause" | "cld" | "endbr64" => {}
            _ if name.starts_with("prefetch") => {}
            "mfence" => self.fence(FenceOrder::SeqCst),
            "lfence" => self.fence(FenceOrder::Acquire),
            "sfence" => self.fence(FenceOrder::Release),
            "ud2" | "int3" => self.code.code.fail(Failure::Abort(AbortCause::Trap)),
            "rdtsc" | "rdtscp" => {
                let now = self.code.call_library("time stamp", Vec::new());
                let high = self.code.compute(BinaryOp::LogicalShiftRight, Width::I64, now, 32u64);
                let low = self.code.code.cast(CastOp::Truncate, Width::I64, Width::I32, now).into();
                self.set_named(&[("eax", low), ("edx", high), ("ecx", Operand::Const(0))])?;
            }
            "cpuid" => {
                let zeroes = ["eax", "ebx", "ecx", "edx"].map(|name| (name, Operand::Const(0)));
                self.set_named(&zeroes)?;
            }
            "syscall" => {
                let mut args = Vec::new();
                for name in ["rax", "rdi", "rsi", "rdx", "r10", "r8", "r9"] {
                    args.push(self.named(name)?);
                }
                let result = self.code.call_library("system call", args).into();
                self.set_named(&[("rax", result)])?;
            }
            "cmpxchg8b" | "cmpxchg16b" => self.compare_exchange_pair(statement)?,
            "stosb" | "movsb" if statement.is_repeated => self.repeat(name)?,
            _ if name.starts_with("set") => {
                let holds = self.condition(&name["set".len()..])?;
                let [to] = self.places(statement)?;
                self.set(to, Width::I8, holds)?;
            }
            _ if name.starts_with("cmov") => self.conditional_move(statement, &name["cmov".len()..])?,
            _ if name.starts_with("movz") || name.starts_with("movs") => self.extend(statement)?,
            _ => self.operate(statement)?,
        }
        Some(())
    }

    pub(super) fn named(&mut self, name: &str) -> Option<Operand> {
        let (reg, width) = self.register_named(name)?;
        self.get(OperandAt::Register(reg, width), width)
    }

    pub(super) fn set_named(&mut self, values: &[(&str, Operand)]) -> Option<()> {
        for (name, value) in values {
            let (reg, width) = self.register_named(name)?;
            self.set(OperandAt::Register(reg, width), width, *value)?;
        }
        Some(())
    }

    /// The places of the operands, of which there must be this many.
    pub(super) fn places<const N: usize>(&mut self, statement: &Statement) -> Option<[OperandAt; N]> {
        let mut places = Vec::new();
        for operand in &statement.operands {
            places.push(self.place(operand)?);
        }
        places.try_into().ok()
    }

    fn operate(&mut self, statement: &Statement) -> Option<()> {
        let repeated = format!("rep {}", statement.mnemonic);
        let name = if statement.is_repeated { &repeated } else { &statement.mnemonic };
        let (operation, width) = operation(name)?;
        let mut places = Vec::new();
        for operand in &statement.operands {
            places.push(self.place(operand)?);
        }
        let width = width.or_else(|| places.iter().rev().find_map(|place| place.width()))?;
        width.bytes()?;
        // A locked instruction on the thread's own stack is only a fence.
        if statement.is_locked && matches!(places.last(), Some(OperandAt::Stack)) {
            self.fence(FenceOrder::SeqCst);
            return Some(());
        }
        let is_locked = statement.is_locked;
        match (operation, &places[..]) {
            (Operation::Move, &[from, to]) => {
                let value = self.get(from, width)?;
                self.set(to, width, value)
            }
            (Operation::Address, &[OperandAt::Memory(cell), to]) => self.set(to, width, cell.addr),
            (Operation::Exchange, &[one, other]) => self.exchange(one, other, width),
            (Operation::ExchangeAdd, &[from, to]) => {
                let added = self.get(from, width)?;
                let added = self.copy(added);
                let old = self.update(to, width, RmwOp::Add, BinaryOp::Add, added, is_locked)?;
                self.set(from, width, old)
            }
            (Operation::CompareExchange, &[from, OperandAt::Memory(cell)]) if is_locked => {
                self.compare_exchange(from, cell, width)
            }
            (Operation::Compute(op, update), &[from, to]) => {
                let value = self.get(from, width)?;
                let value = self.copy(value);
                self.update(to, width, update, op, value, is_locked).map(|_| ())
            }
            (Operation::Count(update), &[to]) => {
                let op = if update == RmwOp::Add { BinaryOp::Add } else { BinaryOp::Sub };
                self.update(to, width, update, op, Operand::Const(1), is_locked)?;
                match &mut self.flags {
                    Some(Flags::Result { carry, .. }) => *carry = None,
                    Some(Flags::Difference { says_carry, .. }) => *says_carry = false,
                    _ => {}
                }
                Some(())
            }
            (Operation::Not, &[to]) => {
                let (all, flags) = (u64::MAX >> (64 - width.bits()), self.flags);
                self.update(to, width, RmwOp::Xor, BinaryOp::Xor, Operand::Const(all), is_locked)?;
                self.flags = flags;
                Some(())
            }
            (Operation::Compare, &[right, left]) => {
                let (right, left) = (self.get(right, width)?, self.get(left, width)?);
                let (right, left) = (self.copy(right), self.copy(left));
                self.flags = Some(Flags::Difference { width, left, right, says_carry: true });
                Some(())
            }
            (Operation::Test, &[left, right]) => {
                let (left, right) = (self.get(left, width)?, self.get(right, width)?);
                let value = self.code.compute(BinaryOp::And, width, left, right);
                self.flags = Some(Flags::Logical { width, value });
                Some(())
            }
            (Operation::Bit(update), &[bit, of]) => self.bit(update, bit, of, width, is_locked),
            (operation, places) if !is_locked => self.compute(operation, places, width),
            _ => None,
        }
    }

    /// Operations on registers that memory has no update for.
    fn compute(&mut self, operation: Operation, places: &[OperandAt], width: Width) -> Option<()> {
        let (value, to) = match (operation, places) {
            (Operation::Negate, &[to]) => {
                let value = self.get(to, width)?;
                (self.code.compute(BinaryOp::Sub, width, 0u64, value), to)
            }
            (Operation::ScanForward | Operation::ScanReverse, &[from, to]) => {
                (self.scan(operation, from, to, width)?, to)
            }
            (Operation::Unary(op), &[to]) if op == UnaryOp::SwapBytes => (self.unary(op, to, width)?, to),
            (Operation::Unary(op), &[from, to]) if op != UnaryOp::SwapBytes => {
                (self.unary(op, from, width)?, to)
            }
            (Operation::Shift(op), &[to]) => {
                let value = self.get(to, width)?;
                (self.code.compute(op, width, value, 1u64), to)
            }
            (Operation::Shift(op), &[count, to]) => {
                let (count, value) = (self.get(count, Width::I8)?, self.get(to, width)?);
                let most = if width == Width::I64 { 63u64 } else { 31 };
                let count = self.code.compute(BinaryOp::And, Width::I8, count, most);
                (self.code.compute(op, width, value, count), to)
            }
            (Operation::AddCarry | Operation::SubtractBorrow, &[from, to]) => {
                let op = if matches!(operation, Operation::AddCarry) { BinaryOp::Add } else { BinaryOp::Sub };
                let carry = self.condition("c")?;
                let (right, left) = (self.get(from, width)?, self.get(to, width)?);
                let sum = self.code.compute(op, width, left, right);
                (self.code.compute(op, width, sum, carry), to)
            }
            _ => return None,
        };
        // The scans set their own flags; those of the others are not needed by any known statement.
        if !matches!(operation, Operation::ScanForward | Operation::ScanReverse) {
            self.flags = None;
        }
        self.set(to, width, value)
    }

    fn unary(&mut self, op: UnaryOp, from: OperandAt, width: Width) -> Option<Operand> {
        let (value, dst) = (self.get(from, width)?, self.code.code.fresh());
        self.code.code.push(Instr::Unary { op, width, dst, value });
        Some(dst.into())
    }

    /// The number of the first or last bit that is set; the destination does not change if none is.
    fn scan(
        &mut self,
        operation: Operation,
        from: OperandAt,
        to: OperandAt,
        width: Width,
    ) -> Option<Operand> {
        let value = self.get(from, width)?;
        let value = self.copy(value);
        let nth = match operation {
            Operation::ScanForward => self.unary(UnaryOp::TrailingZeros, from, width)?,
            _ => {
                let zeroes = self.unary(UnaryOp::LeadingZeros, from, width)?;
                self.code.compute(BinaryOp::Sub, width, u64::from(width.bits()) - 1, zeroes)
            }
        };
        let (otherwise, dst) = (self.get(to, width)?, self.code.code.fresh());
        self.code.code.push(Instr::Select { dst, condition: value, then: nth, otherwise });
        self.flags = Some(Flags::Logical { width, value });
        Some(dst.into())
    }

    /// `rep stosb` and `rep movsb`.
    fn repeat(&mut self, name: &str) -> Option<()> {
        let (to, length) = (self.named("rdi")?, self.named("rcx")?);
        let end = self.code.compute(BinaryOp::Add, Width::I64, to, length);
        if name == "stosb" {
            let byte = self.named("al")?;
            self.code.code.push(Instr::Fill { to, byte, length });
        } else {
            let from = self.named("rsi")?;
            let from_end = self.code.compute(BinaryOp::Add, Width::I64, from, length);
            self.code.code.push(Instr::Copy { to, from, length });
            self.set_named(&[("rsi", from_end)])?;
        }
        self.set_named(&[("rdi", end), ("rcx", Operand::Const(0))])
    }

    fn conditional_move(&mut self, statement: &Statement, rest: &str) -> Option<()> {
        let [from, to] = self.places(statement)?;
        let (condition, width) = match self.condition(rest) {
            Some(condition) => (condition, None),
            None => {
                let suffix = rest.chars().last()?;
                let width = suffix_width(suffix)?;
                (self.condition(rest.strip_suffix(suffix)?)?, Some(width))
            }
        };
        let width = width.or_else(|| to.width())?;
        let (then, otherwise, dst) = (self.get(from, width)?, self.get(to, width)?, self.code.code.fresh());
        self.code.code.push(Instr::Select { dst, condition, then, otherwise });
        self.set(to, width, dst.into())
    }

    /// `movzbl`, `movslq` and the like.
    fn extend(&mut self, statement: &Statement) -> Option<()> {
        let name = &statement.mnemonic;
        let op = if name.starts_with("movz") { CastOp::ZeroExtend } else { CastOp::SignExtend };
        let mut letters = name["movz".len()..].chars();
        let [from, to] = self.places(statement)?;
        let from_width = suffix_width(letters.next()?)?;
        let to_width = match letters.next() {
            Some(letter) => suffix_width(letter)?,
            None => to.width()?,
        };
        if from_width >= to_width || letters.next().is_some() {
            return None;
        }
        let value = self.get(from, from_width)?;
        let value = self.code.code.cast(op, from_width, to_width, value).into();
        self.set(to, to_width, value)
    }
}
