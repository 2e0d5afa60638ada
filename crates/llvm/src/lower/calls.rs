//! Calls of the program's own functions and through pointers.
//!
//! The callee leaves a result of several leaves in private memory of the caller, whose address is the first argument.
//! Arguments for `...` are in such memory too, one after the other, aligned to eight bytes or more; `va_start` makes
//! a list of the System V ABI that has used up its registers and continues there.

use std::rc::Rc;

use atropos_event::{Gap, GapKind, ReadOrder, WriteOrder};
use atropos_vm::ir::{SlotKind, StackSlot};
use atropos_vm::{Instr, Operand};

use super::function::Code;
use super::vectors::is_vector;
use crate::ast::{Arg, ByVal, Call, Type, Value};
use crate::layout;
use crate::program::{Key, Symbol};

impl Code<'_, '_> {
    pub(crate) fn call(&mut self, result: Option<&Rc<str>>, call: &Call) -> Result<(), Gap> {
        match &call.callee {
            Value::Asm { template, constraints } => self.assembly(result, call, template, constraints),
            Value::Global(name) => match self.all.program.resolve(self.key.0, name) {
                Symbol::Function(key) => {
                    if self.take_lock(result, call, &key)? || self.unseen_call(result, call, &key)? {
                        return Ok(());
                    }
                    let function = Operand::Function(self.all.functions[&key]);
                    self.call_function(result, call, function, Some(&key))?;
                    self.give_first_block(result, &key)
                }
                Symbol::Missing(name) if name.starts_with("llvm.") => self.intrinsic(result, &name, call),
                Symbol::Missing(name) if self.all.calls_null(self.key.0, &name) => {
                    self.call_function(result, call, Operand::Const(0), None)
                }
                Symbol::Missing(name) => self.library(result, &name, call),
                Symbol::Global(_) => Err(GapKind::CalledVariable.of(&**name)),
            },
            pointer => {
                let function = self.operand_of(&Type::Ptr, pointer)?;
                self.call_function(result, call, function, None)
            }
        }
    }

    pub(crate) fn call_function(
        &mut self,
        result: Option<&Rc<str>>,
        call: &Call,
        function: Operand,
        key: Option<&Key>,
    ) -> Result<(), Gap> {
        let (variadic, n_fixed) = key.map_or((call.variadic, call.n_fixed), |key| {
            let ty = &self.all.program.function(key).ty;
            (ty.variadic, if ty.variadic { ty.params.len() } else { call.args.len() })
        });
        let mut args = Vec::new();
        let leaves = layout::leaves(&call.result)?;
        let carried = result.and_then(|name| self.frame.carried_in.get(name).copied());
        let result_at = (leaves.len() > 1)
            .then(|| carried.unwrap_or_else(|| self.code.private_slot("result", 8 * leaves.len() as u64)));
        args.extend(result_at.map(Operand::Slot));
        for (index, arg) in call.args.iter().enumerate().take(n_fixed) {
            let escapes = key.is_none_or(|key| self.all.escapes.param_escapes(key, index));
            args.extend(self.argument(arg, escapes, key)?);
        }
        if variadic {
            args.push(self.rest(&call.args[n_fixed.min(call.args.len())..])?);
        }
        let is_pointer = !matches!(function, Operand::Function(_));
        if is_pointer || key.is_some() {
            self.hidden_arguments(&mut args, call, carried, key)?;
        }
        let dst = if leaves.len() == 1 && result.is_some() { Some(self.dst(result)?) } else { None };
        self.code.push(Instr::Call { dst, function, args });
        if let (true, Some(dst), Some(slot)) = (is_pointer, dst, carried) {
            self.fill_result(&call.result, dst, slot)?;
        }
        if let Some(slot) = result_at {
            for (nth, dst) in self.dsts(result).into_iter().enumerate() {
                let addr = self.at(Operand::Slot(slot), 8 * nth as u64);
                self.code.push(Instr::Load { dst, size: 8, order: ReadOrder::NotAtomic, addr });
            }
        }
        Ok(())
    }

    /// The leaves of an argument; an object passed by value is copied first.
    fn argument(&mut self, arg: &Arg, escapes: bool, key: Option<&Key>) -> Result<Vec<Operand>, Gap> {
        match (self.carried_in(&arg.value.value), key) {
            (Some(_), Some(_)) => return Ok(vec![Operand::Const(0)]),
            (Some(slot), None) => return self.load_parts(&arg.value, slot),
            (None, _) => {}
        }
        let values = self.operands(&arg.value.ty, &arg.value.value)?;
        let Some(ByVal { ty, align }) = &arg.byval else { return Ok(values) };
        let size = layout::size_of(ty)?;
        let kind = if escapes { SlotKind::Shared } else { SlotKind::Fresh };
        let slot = self.code.slot(StackSlot { align: *align, ..StackSlot::new("copy", size, kind) });
        self.code.push(Instr::Copy {
            to: Operand::Slot(slot),
            from: values[0],
            length: Operand::Const(size),
        });
        Ok(vec![Operand::Slot(slot)])
    }

    /// Puts arguments for `...` into memory and returns their address.
    pub(crate) fn rest(&mut self, args: &[Arg]) -> Result<Operand, Gap> {
        let (mut at, mut places, mut most) = (0, Vec::new(), 0);
        for arg in args {
            let (size, align) = match &arg.byval {
                Some(ByVal { ty, align }) => (layout::align_up(layout::size_of(ty)?, 8), *align),
                None if layout::is_wide(&arg.value.ty) => (16, 16),
                None if is_vector(&arg.value.ty) => {
                    (layout::align_up(layout::size_of(&arg.value.ty)?, 8), layout::align_of(&arg.value.ty)?)
                }
                None if layout::is_huge(&arg.value.ty) => (layout::size_of(&arg.value.ty)?, 16),
                None => (8 * layout::leaves(&arg.value.ty)?.len() as u64, 8),
            };
            at = layout::align_up(at, align.max(8));
            most = most.max(align);
            places.push(at);
            at += size;
        }
        let slot = StackSlot { align: most, ..StackSlot::new("rest", at.max(8), SlotKind::Private) };
        let slot = Operand::Slot(self.code.slot(slot));
        for (arg, at) in args.iter().zip(places) {
            let values = self.operands(&arg.value.ty, &arg.value.value)?;
            let to = self.at(slot, at);
            match &arg.byval {
                Some(ByVal { ty, .. }) => {
                    let length = Operand::Const(layout::size_of(ty)?);
                    self.code.push(Instr::Copy { to, from: values[0], length });
                }
                None if is_vector(&arg.value.ty) => self.put(&arg.value, to, None)?,
                None => {
                    for (nth, value) in values.into_iter().enumerate() {
                        let to = self.at(to, 8 * nth as u64);
                        self.code.store(WriteOrder::NotAtomic, 8, to, value);
                    }
                }
            }
        }
        Ok(slot)
    }

    /// `va_start`: both kinds of registers are used up, so everything is in the overflow area.
    pub(crate) fn start_list(&mut self, list: Operand) -> Result<(), Gap> {
        let rest = self.frame.rest_at.ok_or(GapKind::WrongPlace)?;
        if !self.all.program.modules[self.key.0].triple.starts_with("x86_64") {
            return Err(GapKind::VariableArguments.into());
        }
        let fields: [(u64, u8, Operand); 3] =
            [(0, 4, Operand::Const(48)), (4, 4, Operand::Const(176)), (8, 8, Operand::Reg(rest))];
        for (offset, size, value) in fields {
            let at = self.at(list, offset);
            self.code.store(WriteOrder::NotAtomic, size, at, value);
        }
        Ok(())
    }
}
