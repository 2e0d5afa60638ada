//! Jumps, switches, returns, and the copies for phis.
//!
//! VM registers may be assigned many times, so a phi is its register; each edge into its block assigns it. All
//! phis of a block take their values at once: when there are several, values are read before any is assigned.

use std::rc::Rc;

use atropos_event::{Gap, GapKind, WriteOrder};
use atropos_vm::ir::{SlotKind, StackSlot};
use atropos_vm::{Failure, Instr, Operand, SlotId, Target};

use super::function::Code;
use super::values::width_of;
use crate::ast::{Op, Typed, Value};
use crate::layout;

impl Code<'_, '_> {
    pub(crate) fn terminator(&mut self, op: &Op) -> Result<(), Gap> {
        match op {
            Op::Ret(None) => self.push_return(None),
            Op::Ret(Some(value)) => self.ret(value)?,
            Op::Br(to) => self.go(to)?,
            Op::CondBr { condition, then, otherwise } => {
                let condition = self.operand_of(&crate::ast::Type::Int(1), condition)?;
                let then = self.edge(then)?;
                self.code.jump_if(condition, then);
                let otherwise = self.edge(otherwise)?;
                self.code.jump(otherwise);
            }
            Op::Switch { value, default, cases } if layout::is_large(&value.ty) => {
                let mut lowered = Vec::new();
                for (case, to) in cases {
                    lowered.push((case.clone(), self.edge(to)?));
                }
                let default = self.edge(default)?;
                match layout::is_wide(&value.ty) {
                    true => self.wide_switch(value, &lowered, default)?,
                    false => self.huge_switch(value, &lowered, default)?,
                }
            }
            Op::Switch { value, default, cases } => {
                let (width, operand) = (width_of(&value.ty)?, self.operand(value)?);
                let mut lowered = Vec::new();
                for (case, to) in cases {
                    let Value::Int(case) = case else {
                        return Err(GapKind::NotConstant.into());
                    };
                    lowered.push((atropos_vm::arith::truncate(width, *case), self.edge(to)?));
                }
                let default = self.edge(default)?;
                self.code.push(Instr::Switch { value: operand, width, cases: lowered, default });
            }
            _ => self.code.fail(Failure::Unreachable),
        }
        Ok(())
    }

    fn ret(&mut self, value: &Typed) -> Result<(), Gap> {
        let leaves = layout::leaves(&value.ty)?;
        self.return_part(value)?;
        let carried = self.carried_in(&value.value);
        let values = match carried {
            Some(slot) if self.frame.part_at.is_some() && !self.all.program.is_optimised() => {
                self.use_parts(value, slot)?
            }
            Some(slot) => self.load_parts(value, slot)?,
            None => self.operands(&value.ty, &value.value)?,
        };
        match self.frame.result_at {
            Some(at) => {
                for (nth, value) in values.iter().enumerate() {
                    let addr = self.code.address(at, 0u64, 1, 8 * nth as i64);
                    self.code.store(WriteOrder::NotAtomic, 8, addr, *value);
                }
                if let Some(slot) = carried {
                    self.copy(&value.ty, at.into(), slot.into())?;
                }
                self.push_return(None);
            }
            None if leaves.is_empty() => self.push_return(None),
            None => self.push_return(Some(*values.first().ok_or(GapKind::WrongType)?)),
        }
        Ok(())
    }

    /// Jumps along the edge from the current block.
    pub(crate) fn go(&mut self, to: &Rc<str>) -> Result<(), Gap> {
        let block = self.flow.block.clone();
        self.copies(&block, to)?;
        let target = self.target(to)?;
        self.code.jump(target);
        Ok(())
    }

    fn target(&self, to: &Rc<str>) -> Result<Target, Gap> {
        self.flow.targets.get(to).copied().ok_or_else(|| GapKind::UndefinedBlock.of(&**to))
    }

    /// The target for the edge from the current block: the block itself, if it has no phis.
    pub(crate) fn edge(&mut self, to: &Rc<str>) -> Result<Target, Gap> {
        if !self.flow.phis.contains_key(to) {
            return self.target(to);
        }
        let target = self.code.fresh_target();
        self.flow.edges.push((self.flow.block.clone(), to.clone(), target));
        Ok(target)
    }

    /// Emits the code of edges after the block that they start from.
    pub(crate) fn finish_edges(&mut self) {
        for (from, to, target) in std::mem::take(&mut self.flow.edges) {
            self.code.place(target);
            let done = self.copies(&from, &to).and_then(|()| self.target(&to));
            match done {
                Ok(target) => self.code.jump(target),
                Err(gap) => self.code.push(Instr::unsupported(gap)),
            }
        }
    }

    fn copies(&mut self, from: &Rc<str>, to: &Rc<str>) -> Result<(), Gap> {
        let Some(phis) = self.flow.phis.get(to).cloned() else { return Ok(()) };
        let (mut moves, mut carried) = (Vec::new(), Vec::new());
        for (name, (ty, incoming)) in &phis {
            let value = incoming.iter().find(|(_, block)| block == from);
            let (value, _) = value.ok_or_else(|| GapKind::IncompletePhi.of(&**name))?;
            if let Some(&slot) = self.frame.carried_in.get(name) {
                carried.push((slot, Typed { ty: ty.clone(), value: value.clone() }));
                continue;
            }
            let values = self.operands(ty, value)?;
            moves.extend(self.dsts(Some(name)).into_iter().zip(values));
        }
        self.carry(&carried)?;
        if moves.len() > 1 {
            for (_, value) in &mut moves {
                if let Operand::Reg(_) = value {
                    let copy = self.code.fresh();
                    self.code.assign(copy, *value);
                    *value = Operand::Reg(copy);
                }
            }
        }
        moves.into_iter().for_each(|(dst, value)| self.code.assign(dst, value));
        Ok(())
    }

    /// Puts the values of phis that are carried where the phis keep theirs.
    fn carry(&mut self, carried: &[(SlotId, Typed)]) -> Result<(), Gap> {
        if let [(slot, value)] = carried {
            return self.put(value, (*slot).into(), None);
        }
        let mut copies = Vec::new();
        for (slot, value) in carried {
            let size = layout::size_of(&value.ty)?;
            let copy = self.code.slot(StackSlot::new("carried", size, SlotKind::Fresh));
            self.put(value, copy.into(), None)?;
            copies.push((*slot, copy, size));
        }
        for (slot, copy, size) in copies {
            self.code.push(Instr::Copy { to: slot.into(), from: copy.into(), length: size.into() });
        }
        Ok(())
    }
}
