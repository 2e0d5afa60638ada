//! Vectors that are only moved ([`crate::carried`]): they stay in memory, which records what is written.

use std::rc::Rc;

use atropos_event::{Gap, GapKind, ReadOrder};
use atropos_vm::instr::CompareOp;
use atropos_vm::{Operand, SlotId};

use super::function::Code;
use super::values::width_of;
use super::vectors::elements_of;
use crate::ast::{Op, Type, Typed, Value};
use crate::layout;

impl Code<'_, '_> {
    /// Puts the result of an operation, which only moves elements, into `to`.
    pub(super) fn move_elements(&mut self, to: SlotId, op: &Op) -> Result<(), Gap> {
        match op {
            Op::Cast { value, .. } => self.put(value, to.into(), None),
            Op::InsertElement { vector, element, index } => {
                self.put(vector, to.into(), None)?;
                self.at_element(&vector.ty, index, |code, offset| {
                    let at = code.at(to.into(), offset);
                    code.put(element, at, None)
                })
            }
            Op::ShuffleVector { left, right, mask } => {
                let right = Typed { ty: left.ty.clone(), value: right.clone() };
                let (n, element) = elements_of(&left.ty)?;
                let size = layout::size_of(&element)?;
                for (nth, from) in self.elements(mask)?.into_iter().enumerate() {
                    let [Operand::Const(from)] = from[..] else { return Err(GapKind::NotConstant.into()) };
                    let from = from as usize;
                    let (vector, from) = if from < n { (left, from) } else { (&right, from - n) };
                    let at = self.at(to.into(), nth as u64 * size);
                    self.move_element(vector, from, at)?;
                }
                Ok(())
            }
            _ => Err(GapKind::WrongType.into()),
        }
    }

    /// Copies one element of a vector to `to`.
    fn move_element(&mut self, vector: &Typed, nth: usize, to: Operand) -> Result<(), Gap> {
        let (n, element) = elements_of(&vector.ty)?;
        if nth >= n {
            return Err(GapKind::NoSuchElement.into());
        }
        if let Some(slot) = self.carried_in(&vector.value) {
            let from = self.at(slot.into(), nth as u64 * layout::size_of(&element)?);
            return self.copy(&element, to, from);
        }
        let shadow = Typed { ty: vector.ty.clone(), value: self.shadow(&vector.value) };
        let ([value], [shadow]) = (&self.elements(vector)?[nth][..], &self.elements(&shadow)?[nth][..])
        else {
            return Err(GapKind::WrongType.into());
        };
        self.put_leaf(&element, to, *value, *shadow)
    }

    /// Takes an element out of a vector that is in `from`: only this one must be written.
    pub(super) fn take_element(
        &mut self,
        result: Option<&Rc<str>>,
        ty: &Type,
        from: SlotId,
        index: &Typed,
    ) -> Result<(), Gap> {
        let (dst, (_, element)) = (self.dst(result)?, elements_of(ty)?);
        if !matches!(index.value, Value::Int(_)) {
            self.code.assign(dst, 0u64);
        }
        self.at_element(ty, index, |code, offset| {
            let at = code.at(from.into(), offset);
            code.load_scalar(dst, &element, at, ReadOrder::NotAtomic)
        })
    }

    /// Does something with the offset of an element whose number may not be known yet; nothing if there is none.
    fn at_element(
        &mut self,
        ty: &Type,
        index: &Typed,
        act: impl Fn(&mut Self, u64) -> Result<(), Gap>,
    ) -> Result<(), Gap> {
        let (n, element) = elements_of(ty)?;
        let (n, size) = (n as u64, layout::size_of(&element)?);
        if let Value::Int(nth) = index.value {
            return if nth < n { act(self, nth * size) } else { Err(GapKind::NoSuchElement.into()) };
        }
        let (width, index) = (width_of(&index.ty)?, self.operand(index)?);
        let done = self.code.fresh_target();
        for nth in 0..n {
            let other = self.code.fresh_target();
            let is_this = self.code.compare(CompareOp::Equal, width, index, nth);
            self.code.jump_unless(is_this, other);
            act(self, nth * size)?;
            self.code.jump(done);
            self.code.place(other);
        }
        self.code.place(done);
        Ok(())
    }
}
