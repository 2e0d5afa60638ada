//! AArch64: the instructions that are known.
//!
//! Plain loads and stores are relaxed, `ldapr` acquires, `ldar` and `stlr` are sequentially consistent, which is what
//! compilers use them for. A loop of an exclusive load and an exclusive store is one atomic update: the store always
//! succeeds here, and a comparison between the two makes it a compare-and-swap. `dmb ishst` is a release fence, which
//! orders a little more than the processor does.

use atropos_event::{FenceOrder, ReadOrder, RmwOp, WriteOrder};
use atropos_vm::instr::{BinaryOp, CasOrders, CompareOp, UnaryOp};
use atropos_vm::{Instr, Operand, Reg, Width};

use super::flags::Flags;
use super::text::{self, Statement};
use super::{Cell, Machine, OperandAt};

/// What happened since an exclusive load.
pub(super) struct Linked {
    cell: Cell,
    width: Width,
    order: ReadOrder,
    /// The register for the value that was loaded.
    loaded: Reg,
    /// A register that holds `loaded op operand`.
    computed: Option<(Reg, BinaryOp, Operand)>,
    /// The value that was compared with, and the label for the case that it differs.
    compared: Option<(Operand, Option<String>)>,
}

const COMPUTATIONS: [(&str, BinaryOp, Option<RmwOp>); 9] = [
    ("add", BinaryOp::Add, Some(RmwOp::Add)),
    ("sub", BinaryOp::Sub, Some(RmwOp::Sub)),
    ("and", BinaryOp::And, Some(RmwOp::And)),
    ("orr", BinaryOp::Or, Some(RmwOp::Or)),
    ("eor", BinaryOp::Xor, Some(RmwOp::Xor)),
    ("lsl", BinaryOp::ShiftLeft, None),
    ("lsr", BinaryOp::LogicalShiftRight, None),
    ("asr", BinaryOp::ArithmeticShiftRight, None),
    ("mul", BinaryOp::Mul, None),
];

/// The updates of memory, by their names without `ld` or `st`. `clr` clears the bits of its operand.
const UPDATES: [(&str, RmwOp); 8] = [
    ("add", RmwOp::Add),
    ("set", RmwOp::Or),
    ("clr", RmwOp::And),
    ("eor", RmwOp::Xor),
    ("smax", RmwOp::Max),
    ("smin", RmwOp::Min),
    ("umax", RmwOp::UnsignedMax),
    ("umin", RmwOp::UnsignedMin),
];

const NAMES: [[&str; 2]; 31] = [
    ["x0", "w0"],
    ["x1", "w1"],
    ["x2", "w2"],
    ["x3", "w3"],
    ["x4", "w4"],
    ["x5", "w5"],
    ["x6", "w6"],
    ["x7", "w7"],
    ["x8", "w8"],
    ["x9", "w9"],
    ["x10", "w10"],
    ["x11", "w11"],
    ["x12", "w12"],
    ["x13", "w13"],
    ["x14", "w14"],
    ["x15", "w15"],
    ["x16", "w16"],
    ["x17", "w17"],
    ["x18", "w18"],
    ["x19", "w19"],
    ["x20", "w20"],
    ["x21", "w21"],
    ["x22", "w22"],
    ["x23", "w23"],
    ["x24", "w24"],
    ["x25", "w25"],
    ["x26", "w26"],
    ["x27", "w27"],
    ["x28", "w28"],
    ["x29", "w29"],
    ["x30", "w30"],
];

pub(super) fn register(name: &str) -> Option<(&'static str, Width)> {
    let names = NAMES.iter().find(|names| names.contains(&name))?;
    Some((names[0], if names[0] == name { Width::I64 } else { Width::I32 }))
}

/// The width that a letter like that of `${0:w}` stands for.
pub(super) fn letter_width(letter: char) -> Option<Width> {
    match letter {
        'w' => Some(Width::I32),
        'x' => Some(Width::I64),
        _ => None,
    }
}

/// The orders that the letters behind the name of an update stand for, and the width of the access, if they say it.
fn update_suffix(suffix: &str) -> Option<((ReadOrder, WriteOrder), Option<Width>)> {
    let (orders, width) = match suffix.strip_suffix(['b', 'h']) {
        Some(orders) if suffix.ends_with('b') => (orders, Some(Width::I8)),
        Some(orders) => (orders, Some(Width::I16)),
        None => (suffix, None),
    };
    let orders = match orders {
        "" => (ReadOrder::Relaxed, WriteOrder::Relaxed),
        "a" => (ReadOrder::Acquire, WriteOrder::Relaxed),
        "l" => (ReadOrder::Relaxed, WriteOrder::Release),
        "al" => (ReadOrder::SeqCst, WriteOrder::SeqCst),
        _ => return None,
    };
    Some((orders, width))
}

/// The width of a load or store, by the letter behind its name.
fn access_width(suffix: &str, place: OperandAt) -> Option<Width> {
    match suffix {
        "b" => Some(Width::I8),
        "h" => Some(Width::I16),
        "" => place.width(),
        _ => None,
    }
}

impl Machine<'_, '_, '_> {
    pub(super) fn aarch64(&mut self, statements: &[Statement]) -> Option<()> {
        let mut ends = Vec::new();
        let done = statements.iter().try_for_each(|statement| {
            for label in &statement.labels {
                for (_, target) in ends.extract_if(.., |(known, _)| known == label) {
                    self.code.code.place(target);
                }
            }
            self.arm_statement(statement, &mut ends)
        });
        let is_complete = ends.is_empty() && self.linked.is_none();
        ends.into_iter().for_each(|(_, target)| self.code.code.place(target));
        done.filter(|()| is_complete)
    }

    fn arm_statement(
        &mut self,
        statement: &Statement,
        ends: &mut Vec<(String, atropos_vm::Target)>,
    ) -> Option<()> {
        let name = statement.mnemonic.as_str();
        match name {
            "nop" | "yield" | "wfe" | "wfi" | "sev" | "sevl" | "isb" | "prfm" | "hint" | "bti" | "clrex" => {}
            "dmb" | "dsb" => {
                let [text::Operand::Word(kind)] = &statement.operands[..] else { return None };
                self.fence(match kind.as_str() {
                    "ish" | "sy" | "osh" | "nsh" => FenceOrder::SeqCst,
                    "ishld" | "ld" | "oshld" | "nshld" => FenceOrder::Acquire,
                    "ishst" | "st" | "oshst" | "nshst" => FenceOrder::Release,
                    _ => return None,
                });
            }
            "mrs" => {
                let [to, text::Operand::Word(source)] = &statement.operands[..] else { return None };
                if source != "cntvct_el0" {
                    return None;
                }
                let (to, now) = (self.place(to)?, self.code.call_library("time stamp", Vec::new()));
                self.set(to, Width::I64, now.into())?;
            }
            "cbnz" | "b.ne" if self.linked.is_some() => self.leave_if_different(statement)?,
            // An exclusive store never fails here.
            "cbnz" => {
                let [text::Operand::Argument(..) | text::Operand::Register(_), text::Operand::Word(to)] =
                    &statement.operands[..]
                else {
                    return None;
                };
                return to.ends_with('b').then_some(());
            }
            _ if name.starts_with("stx") || name.starts_with("stlx") => {
                self.store_exclusive(statement, ends)?
            }
            _ if name.starts_with("ldx") || name.starts_with("ldax") => self.load_exclusive(statement)?,
            _ => self.arm_operation(statement)?,
        }
        Some(())
    }

    fn arm_places(&mut self, statement: &Statement) -> Option<Vec<OperandAt>> {
        statement.operands.iter().map(|operand| self.place(operand)).collect()
    }

    fn arm_operation(&mut self, statement: &Statement) -> Option<()> {
        let name = statement.mnemonic.as_str();
        if let Some(condition) = match name {
            "cset" => Some(1),
            "csel" => Some(3),
            _ => None,
        } {
            return self.conditional(statement, condition);
        }
        let places = self.arm_places(statement)?;
        let first = *places.first()?;
        let width = first.width().unwrap_or(Width::I64);
        match (name, &places[..]) {
            ("mov", &[to, from]) => {
                let value = self.get(from, width)?;
                self.set(to, width, value)
            }
            ("mvn", &[to, from]) => {
                let value = self.get(from, width)?;
                let value = self.code.compute(BinaryOp::Xor, width, value, u64::MAX >> (64 - width.bits()));
                self.set(to, width, value)
            }
            ("cmp" | "subs", &[left, right]) | ("subs", &[_, left, right]) => {
                self.compare(left, right, width)
            }
            ("tst", &[left, right]) => {
                let (left, right) = (self.get(left, width)?, self.get(right, width)?);
                let value = self.code.compute(BinaryOp::And, width, left, right);
                self.flags = Some(Flags::Logical { width, value });
                Some(())
            }
            ("clz" | "rbit" | "rev", &[to, from]) => {
                let op = match name {
                    "clz" => UnaryOp::LeadingZeros,
                    "rbit" => UnaryOp::ReverseBits,
                    _ => UnaryOp::SwapBytes,
                };
                let (value, dst) = (self.get(from, width)?, self.code.code.fresh());
                self.code.code.push(Instr::Unary { op, width, dst, value });
                self.set(to, width, dst.into())
            }
            (_, &[to, left, right]) if COMPUTATIONS.iter().any(|(known, ..)| *known == name) => {
                self.arm_compute(name, to, left, right, width)
            }
            (_, &[_, OperandAt::Memory(cell)]) if self.arm_access(name, first, cell).is_some() => Some(()),
            _ => self.arm_update(name, &places),
        }
    }

    /// A load or a store.
    fn arm_access(&mut self, name: &str, place: OperandAt, cell: Cell) -> Option<()> {
        let loads = [("ldapr", ReadOrder::Acquire), ("ldar", ReadOrder::SeqCst), ("ldr", ReadOrder::Relaxed)];
        for (known, order) in loads {
            if let Some(width) = name.strip_prefix(known).and_then(|suffix| access_width(suffix, place)) {
                let value = self.load(cell, width, order)?;
                // The rest of the register becomes zero.
                return self.set(place, width.max(Width::I32), value);
            }
        }
        for (known, order) in [("stlr", WriteOrder::SeqCst), ("str", WriteOrder::Relaxed)] {
            if let Some(suffix) = name.strip_prefix(known) {
                // The zero register has the width of the operand.
                let width = access_width(suffix, place).or(cell.width)?;
                let value = self.get(place, width)?;
                return self.store(cell, width, order, value);
            }
        }
        None
    }

    /// `ldadd`, `swp`, `cas` and their relatives.
    fn arm_update(&mut self, name: &str, places: &[OperandAt]) -> Option<()> {
        if let ("cas", suffix) = name.split_at_checked(3)?
            && let &[expected, desired, OperandAt::Memory(cell)] = places
        {
            let ((read, write), width) = update_suffix(suffix)?;
            let width = width.or_else(|| expected.width().or(desired.width()))?;
            let orders = CasOrders { read, write, failure: read };
            let (old_value, new) = (self.get(expected, width)?, self.get(desired, width)?);
            let (old, _) = self.code.code.cas(orders, width.bytes()?, cell.addr, old_value, new);
            return self.set(expected, width.max(Width::I32), old.into());
        }
        let (update, suffix, operand, to, cell) = match (name.split_at_checked(3)?, places) {
            (("swp", suffix), &[operand, to, OperandAt::Memory(cell)]) => {
                (RmwOp::Exchange, suffix, operand, Some(to), cell)
            }
            _ => {
                let rest = name.strip_prefix("ld").or(name.strip_prefix("st"))?;
                let (known, update) = UPDATES.iter().find(|(known, _)| rest.starts_with(known))?;
                let suffix = &rest[known.len()..];
                match (name.starts_with("ld"), places) {
                    (true, &[operand, to, OperandAt::Memory(cell)]) => {
                        (*update, suffix, operand, Some(to), cell)
                    }
                    (false, &[operand, OperandAt::Memory(cell)]) => (*update, suffix, operand, None, cell),
                    _ => return None,
                }
            }
        };
        let (orders, width) = update_suffix(suffix)?;
        let width = width.or_else(|| operand.width().or(to.and_then(|to| to.width())))?;
        let mut value = self.get(operand, width)?;
        if update == RmwOp::And {
            value = self.code.compute(BinaryOp::Xor, width, value, u64::MAX >> (64 - width.bits()));
        }
        let old = self.code.code.rmw(update, orders, width.bytes()?, cell.addr, value);
        match to {
            Some(OperandAt::Constant(..)) | None => Some(()),
            Some(to) => self.set(to, width.max(Width::I32), old.into()),
        }
    }

    fn compare(&mut self, left: OperandAt, right: OperandAt, width: Width) -> Option<()> {
        let (value, expected) = (self.get(left, width)?, self.get(right, width)?);
        let expected = self.copy(expected);
        if let (Some(linked), OperandAt::Register(reg, _)) = (&mut self.linked, left)
            && linked.loaded == reg
        {
            linked.compared = Some((expected, None));
            return Some(());
        }
        let value = self.copy(value);
        self.flags = Some(Flags::Difference { width, left: value, right: expected, says_carry: true });
        Some(())
    }

    /// `cset` and `csel`: the last operand is the name of a condition.
    fn conditional(&mut self, statement: &Statement, nth: usize) -> Option<()> {
        let Some(text::Operand::Word(condition)) = statement.operands.get(nth) else { return None };
        let condition = self.condition(condition)?;
        let to = self.place(&statement.operands[0])?;
        let width = to.width()?;
        if nth == 1 {
            return self.set(to, width, condition);
        }
        let [then, otherwise] = [1, 2].map(|nth| self.place(&statement.operands[nth]));
        let (then, otherwise) = (self.get(then?, width)?, self.get(otherwise?, width)?);
        let dst = self.code.code.fresh();
        self.code.code.push(Instr::Select { dst, condition, then, otherwise });
        self.set(to, width, dst.into())
    }

    fn arm_compute(
        &mut self,
        name: &str,
        to: OperandAt,
        left: OperandAt,
        right: OperandAt,
        width: Width,
    ) -> Option<()> {
        let &(_, op, update) = COMPUTATIONS.iter().find(|(known, ..)| *known == name)?;
        let operand = self.get(right, width)?;
        if let (Some(linked), OperandAt::Register(reg, _), OperandAt::Register(to, _)) =
            (&self.linked, left, to)
            && linked.loaded == reg
        {
            // Only what memory can do in one step: the value is not known before the store.
            update?;
            if linked.computed.is_some() || to == reg {
                return None;
            }
            let operand = self.copy(operand);
            self.linked.as_mut()?.computed = Some((to, op, operand));
            return Some(());
        }
        let value = self.get(left, width)?;
        let value = self.code.compute(op, width, value, operand);
        self.set(to, width, value)
    }

    fn load_exclusive(&mut self, statement: &Statement) -> Option<()> {
        let [to @ OperandAt::Register(loaded, _), OperandAt::Memory(cell)] = self.arm_places(statement)?[..]
        else {
            return None;
        };
        let name = &statement.mnemonic;
        let (order, suffix) = match name.strip_prefix("ldax") {
            Some(suffix) => (ReadOrder::Acquire, suffix),
            None => (ReadOrder::Relaxed, &name["ldx".len()..]),
        };
        let width = access_width(suffix.strip_prefix('r')?, to)?;
        if self.linked.is_some() {
            return None;
        }
        self.linked = Some(Linked { cell, width, order, loaded, computed: None, compared: None });
        Some(())
    }

    /// A jump out of the loop if the value that was loaded is not the expected one.
    fn leave_if_different(&mut self, statement: &Statement) -> Option<()> {
        let (tested, to) = match &statement.operands[..] {
            [text::Operand::Word(to)] if statement.mnemonic == "b.ne" => (None, to),
            [tested, text::Operand::Word(to)] => (Some(self.place(tested)?), to),
            _ => return None,
        };
        let end = Some(to.strip_suffix('f')?.to_string());
        let linked = self.linked.as_mut()?;
        match (tested, linked.computed.take(), &mut linked.compared) {
            (None, None, Some((_, label @ None))) => *label = end,
            // `cbnz old`: compared with zero.
            (Some(OperandAt::Register(reg, _)), None, compared @ None) if reg == linked.loaded => {
                *compared = Some((Operand::Const(0), end));
            }
            // `eor tmp, old, expected; cbnz tmp`
            (Some(OperandAt::Register(reg, _)), Some((to, BinaryOp::Xor, expected)), compared @ None)
                if reg == to =>
            {
                *compared = Some((expected, end));
            }
            _ => return None,
        }
        Some(())
    }

    /// The store at the end of the loop makes the update.
    fn store_exclusive(
        &mut self,
        statement: &Statement,
        ends: &mut Vec<(String, atropos_vm::Target)>,
    ) -> Option<()> {
        let [status, value, OperandAt::Memory(_)] = self.arm_places(statement)?[..] else { return None };
        let Linked { cell, width, order, loaded, computed, compared } = self.linked.take()?;
        let is_release = statement.mnemonic.starts_with("stlx");
        let (read, write) = match (order, is_release) {
            (ReadOrder::Acquire, true) => (ReadOrder::SeqCst, WriteOrder::SeqCst),
            (read, true) => (read, WriteOrder::Release),
            (read, false) => (read, WriteOrder::Relaxed),
        };
        let size = width.bytes()?;
        let loaded = OperandAt::Register(loaded, width);
        let full = width.max(Width::I32);
        match (computed, compared) {
            (None, Some((expected, Some(label)))) => {
                let desired = self.get(value, width)?;
                let orders = CasOrders { read, write, failure: read };
                let (old, success) = self.code.code.cas(orders, size, cell.addr, expected, desired);
                self.set(loaded, full, old.into())?;
                self.flags =
                    Some(Flags::Difference { width, left: old.into(), right: expected, says_carry: true });
                // Where the loop was left, the status register is what the comparison made it.
                let failed = self.code.code.compare(CompareOp::Equal, Width::I64, success, 0u64);
                self.set(status, Width::I32, failed.into())?;
                let target = self.code.code.fresh_target();
                self.code.code.jump_unless(success, target);
                ends.push((label, target));
            }
            (Some((to, op, operand)), None) => {
                if !matches!(value, OperandAt::Register(reg, _) if reg == to) {
                    return None;
                }
                let (_, _, update) = COMPUTATIONS.iter().find(|(_, known, _)| *known == op)?;
                let old = self.code.code.rmw((*update)?, (read, write), size, cell.addr, operand);
                let new = self.code.compute(op, width, old, operand);
                self.set(loaded, full, old.into())?;
                self.set(OperandAt::Register(to, width), full, new)?;
                self.set(status, Width::I32, Operand::Const(0))?;
            }
            (None, None) => {
                let value = self.get(value, width)?;
                let old = self.code.code.rmw(RmwOp::Exchange, (read, write), size, cell.addr, value);
                self.set(loaded, full, old.into())?;
                self.set(status, Width::I32, Operand::Const(0))?;
            }
            _ => return None,
        }
        Some(())
    }
}
