//! Inline assembly of known instructions, for x86-64 ([`x86`]) and AArch64 ([`aarch64`]).
//!
//! An `asm` statement becomes the VM code of its instructions. Its operands are registers of the VM, constants or
//! memory, as the constraints say [LLVM, "Inline Asm Constraint String"]; machine registers that the text names
//! itself are registers of the VM too. Accesses to memory operands are atomic, with the orders that the processor
//! gives them. A statement with an instruction that is not in the tables is refused with its text.

mod aarch64;
mod flags;
mod text;
mod x86;
mod x86_memory;

use std::collections::HashMap;
use std::rc::Rc;

use atropos_event::{FenceOrder, Gap, GapKind, ReadOrder, WriteOrder};
use atropos_vm::arith::truncate;
use atropos_vm::instr::{BinaryOp, CastOp};
use atropos_vm::{Operand, Reg, Width};

use super::function::Code;
use super::values::width_of;
use crate::ast::{Call, Type};
use crate::layout;
use flags::Flags;
use text::{Syntax, TextAddress};

/// Where an operand is.
#[derive(Clone, Copy, Debug)]
enum OperandAt {
    Register(Reg, Width),
    /// A number, and the width of the register that holds it, if any.
    Constant(u64, Option<Width>),
    Memory(Cell),
    /// Memory of the thread's own stack that no operand names.
    Stack,
}

impl OperandAt {
    fn width(&self) -> Option<Width> {
        match self {
            OperandAt::Register(_, width) => Some(*width),
            OperandAt::Memory(cell) => cell.width,
            OperandAt::Constant(_, width) => *width,
            OperandAt::Stack => None,
        }
    }
}

/// A memory operand.
#[derive(Clone, Copy, Debug)]
struct Cell {
    addr: Operand,
    /// What the type of the operand says.
    width: Option<Width>,
    /// An operand that may as well be in a register is the thread's own: plain accesses do.
    is_atomic: bool,
}

/// A result of the statement.
enum Output {
    Value(Reg, Width),
    /// Whether a condition holds after the last instruction, by its name.
    Condition(String),
}

/// The state of a statement while it is lowered.
struct Machine<'m, 'l, 'p> {
    code: &'m mut Code<'l, 'p>,
    syntax: Syntax,
    operands: Vec<OperandAt>,
    outputs: Vec<Output>,
    /// The machine registers that the statement uses by name.
    registers: HashMap<&'static str, Reg>,
    flags: Option<Flags>,
    linked: Option<aarch64::Linked>,
}

impl Code<'_, '_> {
    pub(super) fn assembly(
        &mut self,
        result: Option<&Rc<str>>,
        call: &Call,
        template: &[u8],
        constraints: &[u8],
    ) -> Result<(), Gap> {
        let template = String::from_utf8_lossy(template);
        let triple = &self.all.program.modules[self.key.0].triple;
        let is_arm = ["aarch64", "arm64"].iter().any(|name| triple.starts_with(name));
        let syntax = if is_arm { Syntax::Arm } else { Syntax::Att };
        let refused = || {
            let text: Vec<&str> = template.split_whitespace().collect();
            GapKind::Assembly.of(text.join(" "))
        };
        let statements = text::statements(&template, syntax).ok_or_else(refused)?;
        let mut machine = Machine {
            code: self,
            syntax,
            operands: Vec::new(),
            outputs: Vec::new(),
            registers: HashMap::new(),
            flags: None,
            linked: None,
        };
        machine.take_operands(call, &String::from_utf8_lossy(constraints))?;
        let done = match syntax {
            Syntax::Att => statements.iter().try_for_each(|statement| machine.x86(statement)),
            Syntax::Arm => machine.aarch64(&statements),
        };
        done.and_then(|()| machine.finish(result)).ok_or_else(refused)
    }
}

impl Machine<'_, '_, '_> {
    /// Gives each operand of the statement a place.
    fn take_operands(&mut self, call: &Call, constraints: &str) -> Result<(), Gap> {
        let is_given = |constraint: &&str| !constraint.is_empty() && !constraint.starts_with('~');
        let constraints: Vec<&str> = constraints.split(',').filter(is_given).collect();
        let mut args = call.args.iter();
        let is_direct = |constraint: &&&str| constraint.starts_with('=') && !constraint.contains('*');
        let n_direct = constraints.iter().filter(is_direct).count();
        for constraint in constraints {
            // A label of C: no instruction of the tables jumps there.
            if constraint.starts_with('!') {
                continue;
            }
            let is_output = constraint.starts_with('=');
            let is_indirect = constraint.contains('*');
            let class = constraint.trim_start_matches(['=', '*', '&', '%']);
            if is_output && !is_indirect {
                let ty = output_type(&call.result, self.outputs.len(), n_direct)?;
                self.take_output(class, &ty)?;
                continue;
            }
            let arg = args.next().ok_or(GapKind::WrongType)?;
            let value = self.code.operand(&arg.value)?;
            let place = if is_indirect {
                let size = arg.element.as_ref().and_then(|ty| layout::size_of(ty).ok());
                let width = size.and_then(|size| Width::new(8 * u32::try_from(size).ok()?));
                let is_atomic = class.chars().all(|letter| "moVQA*|".contains(letter));
                OperandAt::Memory(Cell { addr: value, width, is_atomic })
            } else {
                self.take_input(class, value, &arg.value.ty)?
            };
            self.operands.push(place);
        }
        Ok(())
    }

    fn take_output(&mut self, class: &str, ty: &Type) -> Result<(), Gap> {
        if let Some(condition) = class.strip_prefix("{@cc") {
            self.outputs.push(Output::Condition(condition.trim_end_matches('}').to_string()));
            self.operands.push(OperandAt::Constant(0, None));
            return Ok(());
        }
        let width = width_of(ty)?;
        let reg = match self.fixed(class)? {
            Some(reg) => reg,
            None => self.fresh(0u64),
        };
        self.outputs.push(Output::Value(reg, width));
        self.operands.push(OperandAt::Register(reg, width));
        Ok(())
    }

    fn take_input(&mut self, class: &str, value: Operand, ty: &Type) -> Result<OperandAt, Gap> {
        let width = width_of(ty)?;
        if let Ok(nth) = class.parse::<usize>() {
            return match self.operands.get(nth) {
                Some(&place @ OperandAt::Register(reg, _)) => {
                    self.code.code.assign(reg, value);
                    Ok(place)
                }
                _ => Err(GapKind::WrongType.into()),
            };
        }
        if let Some(reg) = self.fixed(class)? {
            self.code.code.assign(reg, value);
            return Ok(OperandAt::Register(reg, width));
        }
        Ok(match value {
            Operand::Const(number) => OperandAt::Constant(number, Some(width)),
            _ => OperandAt::Register(self.fresh(value), width),
        })
    }

    /// The register that a constraint like `{ax}` names.
    fn fixed(&mut self, class: &str) -> Result<Option<Reg>, Gap> {
        let Some(name) = class.strip_prefix('{').and_then(|name| name.strip_suffix('}')) else {
            return Ok(None);
        };
        match self.register_named(name) {
            Some((reg, _)) => Ok(Some(reg)),
            None => Err(GapKind::Assembly.of(format!("{{{name}}}"))),
        }
    }

    fn register_named(&mut self, name: &str) -> Option<(Reg, Width)> {
        let (name, width) = match self.syntax {
            Syntax::Att => x86::register(name)?,
            Syntax::Arm => aarch64::register(name)?,
        };
        if let Some(&reg) = self.registers.get(name) {
            return Some((reg, width));
        }
        let reg = self.fresh(0u64);
        self.registers.insert(name, reg);
        Some((reg, width))
    }

    /// Gives the results of the statement their values.
    fn finish(&mut self, result: Option<&Rc<str>>) -> Option<()> {
        let dsts = self.code.dsts(result);
        let outputs = std::mem::take(&mut self.outputs);
        if dsts.len() < outputs.len() && result.is_some() {
            return None;
        }
        for (output, dst) in outputs.iter().zip(dsts) {
            let value = match output {
                Output::Value(reg, width) => self.get(OperandAt::Register(*reg, *width), *width)?,
                Output::Condition(name) => self.condition(name)?,
            };
            self.code.code.assign(dst, value);
        }
        Some(())
    }

    fn fresh(&mut self, value: impl Into<Operand>) -> Reg {
        let reg = self.code.code.fresh();
        self.code.code.assign(reg, value);
        reg
    }

    /// The place that an operand of an instruction names. `width` comes with a letter of its own, if any.
    fn place(&mut self, operand: &text::Operand) -> Option<OperandAt> {
        match operand {
            text::Operand::Argument(nth, letter) => {
                let place = *self.operands.get(*nth)?;
                let Some(letter) = letter else { return Some(place) };
                match (self.syntax, letter, place) {
                    (Syntax::Att, 'a', OperandAt::Register(reg, _)) => {
                        Some(OperandAt::Memory(Cell { addr: reg.into(), width: None, is_atomic: true }))
                    }
                    (Syntax::Att, 'c' | 'P', OperandAt::Constant(..)) => Some(place),
                    (Syntax::Att, 'n', OperandAt::Constant(number, _)) => {
                        Some(OperandAt::Constant(number.wrapping_neg(), None))
                    }
                    (_, _, OperandAt::Register(reg, _)) => {
                        let width = match self.syntax {
                            Syntax::Att => x86::letter_width(*letter)?,
                            Syntax::Arm => aarch64::letter_width(*letter)?,
                        };
                        Some(OperandAt::Register(reg, width))
                    }
                    (_, _, OperandAt::Constant(number, _)) => {
                        let width = match self.syntax {
                            Syntax::Att => x86::letter_width(*letter),
                            Syntax::Arm => aarch64::letter_width(*letter),
                        };
                        Some(OperandAt::Constant(number, width))
                    }
                    _ => None,
                }
            }
            text::Operand::Immediate(number) => Some(OperandAt::Constant(*number as u64, None)),
            text::Operand::Register(name) if name == "wzr" => Some(OperandAt::Constant(0, Some(Width::I32))),
            text::Operand::Register(name) if name == "xzr" => Some(OperandAt::Constant(0, Some(Width::I64))),
            text::Operand::Register(name) => {
                let (reg, width) = self.register_named(name)?;
                Some(OperandAt::Register(reg, width))
            }
            text::Operand::Address(memory) => self.memory(memory),
            text::Operand::Own(place) => {
                let OperandAt::Memory(cell) = self.place(place)? else { return None };
                let block = self.code.call_library("thread block", Vec::new());
                let addr = self.code.code.address(block, cell.addr, 1, 0).into();
                Some(OperandAt::Memory(Cell { addr, ..cell }))
            }
            text::Operand::Word(_) => None,
        }
    }

    fn memory(&mut self, memory: &TextAddress) -> Option<OperandAt> {
        if let Some(text::Operand::Register(name)) = memory.base.as_deref()
            && ["rsp", "rbp", "sp"].contains(&name.as_str())
        {
            return Some(OperandAt::Stack);
        }
        let mut cell = Cell { addr: Operand::Const(0), width: None, is_atomic: true };
        match memory.base.as_deref().map(|base| self.place(base)) {
            Some(Some(OperandAt::Memory(inner))) => cell = Cell { width: None, ..inner },
            Some(Some(place)) => cell.addr = self.get(place, Width::I64)?,
            Some(None) => return None,
            None => {}
        }
        let index = match &memory.index {
            Some(index) => {
                let place = self.place(index)?;
                self.get(place, Width::I64)?
            }
            None => Operand::Const(0),
        };
        if memory.index.is_some() || memory.offset != 0 {
            cell.addr = self.code.code.address(cell.addr, index, memory.scale, memory.offset).into();
        }
        Some(OperandAt::Memory(cell))
    }

    /// The value of a place.
    fn get(&mut self, place: OperandAt, width: Width) -> Option<Operand> {
        match place {
            OperandAt::Constant(number, _) => Some(Operand::Const(truncate(width, number))),
            OperandAt::Register(reg, _) if width == Width::I64 => Some(reg.into()),
            OperandAt::Register(reg, _) => {
                Some(self.code.code.cast(CastOp::Truncate, Width::I64, width, reg).into())
            }
            OperandAt::Memory(cell) => {
                let order = if cell.is_atomic { ReadOrder::Acquire } else { ReadOrder::NotAtomic };
                self.load(cell, width, order)
            }
            OperandAt::Stack => None,
        }
    }

    fn load(&mut self, cell: Cell, width: Width, order: ReadOrder) -> Option<Operand> {
        Some(self.code.code.load(order, width.bytes()?, cell.addr).into())
    }

    fn set(&mut self, place: OperandAt, width: Width, value: Operand) -> Option<()> {
        match place {
            OperandAt::Register(reg, _) if width >= Width::I32 => self.code.code.assign(reg, value),
            // The other bits of the register stay.
            OperandAt::Register(reg, _) => {
                let mask = truncate(width, u64::MAX);
                let rest = self.code.compute(BinaryOp::And, Width::I64, reg, !mask);
                let all = self.code.compute(BinaryOp::Or, Width::I64, rest, value);
                self.code.code.assign(reg, all);
            }
            OperandAt::Memory(cell) => {
                let order = if cell.is_atomic { WriteOrder::Release } else { WriteOrder::NotAtomic };
                self.store(cell, width, order, value)?;
            }
            OperandAt::Constant(..) | OperandAt::Stack => return None,
        }
        Some(())
    }

    fn store(&mut self, cell: Cell, width: Width, order: WriteOrder, value: Operand) -> Option<()> {
        self.code.code.store(order, width.bytes()?, cell.addr, value);
        Some(())
    }

    fn fence(&mut self, order: FenceOrder) {
        self.code.code.fence(order);
    }

    /// Copies a value, so that assigning to the register that holds it does not change it.
    fn copy(&mut self, value: Operand) -> Operand {
        match value {
            Operand::Reg(_) => self.fresh(value).into(),
            _ => value,
        }
    }
}

/// The type of one of the results: several are a struct.
fn output_type(result: &Type, nth: usize, n: usize) -> Result<Type, Gap> {
    match result {
        Type::Struct(fields) if n > 1 => fields.fields.get(nth).cloned(),
        _ if n == 1 => Some(result.clone()),
        _ => None,
    }
    .ok_or_else(|| GapKind::WrongType.into())
}
