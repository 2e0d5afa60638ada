//! Structs in registers: hidden parameters and arguments ([`crate::passing`]).

use atropos_event::{Gap, ReadOrder};
use atropos_vm::ir::{SlotKind, StackSlot};
use atropos_vm::{FunctionBuilder, FunctionId, Instr, Operand, SlotId};

use super::Lowering;
use super::function::Code;
use crate::ast::{Call, FunctionType, Typed, Value};
use crate::layout;
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

    /// Adds the places of parts of structs to the arguments of a call; the result is to be carried in `result`.
    pub(crate) fn hidden_arguments(
        &mut self,
        args: &mut Vec<Operand>,
        call: &Call,
        result: Option<SlotId>,
        key: Option<&Key>,
    ) -> Result<(), Gap> {
        let Some(key) = key else { return Ok(()) };
        let Some(passing) = self.all.passing.get(key) else { return Ok(()) };
        let n_visible = n_visible(&self.all.program.function(key).ty)?;
        // The program may declare the function differently. Too few arguments are refused elsewhere.
        args.truncate(n_visible);
        if args.len() < n_visible {
            return Ok(());
        }
        let place = |slot: Option<SlotId>| slot.map_or(Operand::Const(0), Operand::Slot);
        if passing.result {
            args.push(place(result));
        }
        for &nth in &passing.params {
            args.push(place(call.args.get(nth).and_then(|arg| self.carried_in(&arg.value.value))));
        }
        Ok(())
    }

    /// Puts a result in one register where the caller wants it, if it does.
    pub(crate) fn return_part(&mut self, value: &Typed) -> Result<(), Gap> {
        let Some(at) = self.frame.part_at else { return Ok(()) };
        let done = self.code.fresh_target();
        self.code.jump_unless(at, done);
        self.put(value, at.into(), None)?;
        self.code.place(done);
        Ok(())
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

impl Lowering<'_> {
    /// The function that a pointer to `key` points to.
    pub(crate) fn pointed_to(&mut self, key: &Key) -> Result<FunctionId, Gap> {
        let function = self.functions[key];
        let Some(passing) = self.passing.get_mut(key) else { return Ok(function) };
        if let Some(plain) = passing.plain {
            return Ok(plain);
        }
        let mut code = FunctionBuilder::new(&key.1);
        let n_visible = n_visible(&self.program.function(key).ty)?;
        let mut args: Vec<Operand> = (0..n_visible).map(|_| code.param("p").into()).collect();
        let n_hidden = usize::from(passing.result) + passing.params.len();
        args.extend(vec![Operand::Const(0); n_hidden]);
        let value = code.call(function, &args).into();
        code.push(Instr::Return { value: Some(value) });
        self.module.functions.push(code.finish());
        let plain = FunctionId(self.module.functions.len() as u32 - 1);
        passing.plain = Some(plain);
        Ok(plain)
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
