//! Structs in registers: hidden parameters and arguments ([`crate::passing`]).

use atropos_event::{Gap, ReadOrder, WriteOrder};
use atropos_vm::ir::{SlotKind, StackSlot};
use atropos_vm::{Operand, Reg, SlotId};

use super::function::Code;
use crate::ast::{Call, FunctionType, Type, Typed, Value};
use crate::layout;
use crate::passing::{AWAITED, is_part};
use crate::program::Key;

impl Code<'_, '_> {
    /// Where a value that is only copied or passed on is.
    pub(crate) fn carried_in(&self, value: &Value) -> Option<SlotId> {
        match value {
            Value::Local(name) => self.frame.carried_in.get(name).copied(),
            _ => None,
        }
    }

    /// Puts the parameters that are parts of structs where they are carried.
    pub(crate) fn take_parts(&mut self) -> Result<(), Gap> {
        for (name, at) in self.frame.parts.clone() {
            let ty = self.locals.types[&name].clone();
            let slot = self.code.slot(StackSlot::new("carried", layout::size_of(&ty)?, SlotKind::Fresh));
            let (known, done) = (self.code.fresh_target(), self.code.fresh_target());
            self.code.jump_if(at, known);
            let value = Typed { ty: ty.clone(), value: Value::Local(name.clone()) };
            self.put(&value, slot.into(), None)?;
            self.code.jump(done);
            self.code.place(known);
            self.copy(&ty, slot.into(), at.into())?;
            self.code.place(done);
            self.frame.carried_in.insert(name, slot);
        }
        Ok(())
    }

    /// Adds the places of parts of structs to the arguments of a call of `key`, or through a pointer. The result is to
    /// be carried in `result`.
    pub(crate) fn hidden_arguments(
        &mut self,
        args: &mut Vec<Operand>,
        call: &Call,
        result: Option<SlotId>,
        key: Option<&Key>,
    ) -> Result<(), Gap> {
        let passing = key.and_then(|key| self.all.passing.get(key));
        if let Some(key) = key {
            if passing.is_none() {
                return Ok(());
            }
            let n_visible = n_visible(&self.all.program.function(key).ty)?;
            // The program may declare the function differently. Too few arguments are refused elsewhere.
            args.truncate(n_visible);
            if args.len() < n_visible {
                return Ok(());
            }
        }
        let (n_visible, takes) =
            (args.len(), |nth| passing.is_none_or(|passing| passing.params.contains(&nth)));
        let places = call.args.iter().enumerate().map(|(nth, arg)| {
            let slot = self.carried_in(&arg.value.value).filter(|_| takes(nth));
            slot.map_or(Operand::Const(0), Operand::Slot)
        });
        let places: Vec<_> = places.collect();
        args.push(self.place_of_result(call, result));
        args.extend(places);
        while args.len() > n_visible && args.last() == Some(&Operand::Const(0)) {
            args.pop();
        }
        Ok(())
    }

    /// Where a function puts its result, if that is one register: nowhere if the caller uses it.
    fn place_of_result(&mut self, call: &Call, result: Option<SlotId>) -> Operand {
        let Some(slot) = result.filter(|_| is_part(&call.result)) else { return Operand::Const(0) };
        let mark = self.at(slot.into(), AWAITED);
        self.code.store(WriteOrder::NotAtomic, 8, mark, Operand::Const(1));
        slot.into()
    }

    /// Puts the result of a call through a pointer where it is carried, unless the function has done so.
    pub(crate) fn fill_result(&mut self, ty: &Type, result: Reg, slot: SlotId) -> Result<(), Gap> {
        let (mark, done) = (self.at(slot.into(), AWAITED), self.code.fresh_target());
        let is_awaited = self.code.load(ReadOrder::NotAtomic, 8, mark);
        self.code.jump_unless(is_awaited, done);
        self.store_scalar(ty, slot.into(), result.into(), WriteOrder::NotAtomic)?;
        self.code.store(WriteOrder::NotAtomic, 8, mark, Operand::Const(0));
        self.code.place(done);
        Ok(())
    }

    /// Returns a result in one register where the caller wants it, if it does.
    pub(crate) fn return_part(&mut self, value: &Typed) -> Result<(), Gap> {
        let Some(at) = self.frame.part_at else { return Ok(()) };
        let is_used = self.code.fresh_target();
        self.code.jump_unless(at, is_used);
        self.put(value, at.into(), None)?;
        let mark = self.at(at.into(), AWAITED);
        self.code.store(WriteOrder::NotAtomic, 8, mark, Operand::Const(0));
        self.push_return(Some(Operand::Const(0)));
        self.code.place(is_used);
        Ok(())
    }

    /// Loads a value that is carried; an unwritten byte is an error.
    pub(crate) fn use_parts(&mut self, value: &Typed, slot: SlotId) -> Result<Vec<Operand>, Gap> {
        let mut values = Vec::new();
        for leaf in layout::leaves(&value.ty)? {
            let (at, dst) = (self.at(slot.into(), leaf.offset), self.code.fresh());
            self.load_scalar(dst, &leaf.ty, at, ReadOrder::NotAtomic)?;
            values.push(Operand::Reg(dst));
        }
        Ok(values)
    }

    /// Loads a value that is carried; unwritten bytes become zeroes.
    pub(crate) fn load_parts(&mut self, value: &Typed, slot: SlotId) -> Result<Vec<Operand>, Gap> {
        let mut values = Vec::new();
        for leaf in layout::leaves(&value.ty)? {
            let at = self.at(slot.into(), leaf.offset);
            let at = self.move_scalar(&leaf.ty, at)?;
            let dst = self.code.fresh();
            self.load_scalar(dst, &leaf.ty, at, ReadOrder::NotAtomic)?;
            values.push(Operand::Reg(dst));
        }
        Ok(values)
    }
}

/// The number of parameters that are not hidden.
fn n_visible(ty: &FunctionType) -> Result<usize, Gap> {
    let mut n = usize::from(ty.variadic) + usize::from(layout::leaves(&ty.result)?.len() > 1);
    for param in &ty.params {
        n += layout::leaves(param)?.len();
    }
    Ok(n)
}
