//! Bounds of objects whose size is known here: variables, on the stack and global.
//!
//! An address computed from that of a variable must stay inside the variable, however far the next object is. The VM
//! does not know what an address was computed from, so a check before each access through an index compares it with
//! the bounds of the variable. Scalars and fields need no check.

use atropos_event::Gap;
use std::rc::Rc;

use atropos_vm::instr::{BinaryOp, CompareOp};
use atropos_vm::{Failure, Operand, Width};

use super::function::Code;
use crate::ast::{Type, Typed, Value};
use crate::layout;
use crate::program::Symbol;

/// The variable that an address was computed from: its address, size and name.
#[derive(Clone)]
pub(crate) struct Inside {
    base: Operand,
    size: u64,
    name: String,
}

impl Code<'_, '_> {
    /// Records what the address `result` was computed from, if it must stay inside it.
    pub(crate) fn note_inside(&mut self, result: Option<&Rc<str>>, args: &[Typed]) {
        let has_index = args[1..].iter().any(|index| !matches!(index.value, Value::Int(_) | Value::Zero));
        let object = match &args[0].value {
            Value::Local(name) if self.locals.inside.contains_key(name) => {
                self.locals.inside.get(name).cloned()
            }
            _ if !has_index => None,
            Value::Local(name) => self.locals.sizes.get(name).map(|&size| {
                let variable = self.locals.debug.get(name).map_or(&**name, |variable| &variable.name);
                Inside { base: self.locals.values[name][0], size, name: variable.to_string() }
            }),
            Value::Global(name) => self.global_object(name),
            _ => None,
        };
        if let (Some(result), Some(object)) = (result, object) {
            self.locals.inside.insert(result.clone(), object);
        }
    }

    fn global_object(&mut self, name: &Rc<str>) -> Option<Inside> {
        let Symbol::Global(key) = self.all.program.resolve(self.key.0, name) else { return None };
        let global = self.all.program.global(&key);
        let size = layout::size_of(&global.ty).ok()?;
        if global.thread_local {
            return None;
        }
        let base = self.all.symbol(self.key.0, name).ok()?;
        Some(Inside { base, size, name: name.to_string() })
    }

    /// Fails if an access of this type at `addr`, the value of the pointer `ptr`, leaves the variable that it was
    /// computed from.
    pub(crate) fn check_bounds(&mut self, ptr: &Value, addr: Operand, ty: &Type) -> Result<(), Gap> {
        let Value::Local(name) = ptr else { return Ok(()) };
        let Some(Inside { base, size, name }) = self.locals.inside.get(name).cloned() else { return Ok(()) };
        let bytes = layout::extent_of(ty)?;
        let offset = self.compute(BinaryOp::Sub, Width::I64, addr, base);
        let good = self.code.fresh_target();
        if bytes <= size {
            let is_inside = self.code.compare(CompareOp::UnsignedLessEqual, Width::I64, offset, size - bytes);
            self.code.jump_if(is_inside, good);
        }
        self.code.fail(Failure::OutOfBounds { object: name, size, access: bytes });
        self.code.place(good);
        Ok(())
    }
}
