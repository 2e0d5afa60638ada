//! The structure of heap objects, as far as the variable that first holds their address shows it.

use std::rc::Rc;
use std::sync::Arc;

use atropos_event::shape::{Field, Shape};

use super::function::Code;
use crate::ast::{Block, Call, Op, Value};
use crate::program::Symbol;

/// Functions that return a new object, and the number of the argument with its size.
const ALLOCATORS: [(&str, usize); 6] =
    [("malloc", 0), ("calloc", 1), ("realloc", 1), ("aligned_alloc", 1), ("_Znwm", 0), ("_Znam", 0)];

/// Precedes each object in programs that call `realloc`.
const HEADER: u64 = 16;

impl Code<'_, '_> {
    /// Records, at the place of each call that allocates, what is known about the object.
    pub(crate) fn describe_objects(&mut self, blocks: &[Block]) {
        for instr in blocks.iter().flat_map(|block| &block.instrs) {
            let (Op::Call(call) | Op::Invoke { call, .. }, Some(result)) = (&instr.op, &instr.result) else {
                continue;
            };
            if let Some(size_at) = allocator(call)
                && let Some(shape) = self.object_shape(blocks, result, call, size_at)
                && let Some(source) = self.all.source(self.key.0, instr.location)
            {
                self.all.module.sources[source.index()].object = Some(shape);
            }
        }
    }

    fn object_shape(&self, blocks: &[Block], result: &Rc<str>, call: &Call, size_at: usize) -> Option<Shape> {
        let metadata = &self.all.program.modules[self.key.0].metadata;
        let stored = blocks.iter().flat_map(|block| &block.instrs).find_map(|instr| match &instr.op {
            Op::Store { value, ptr, .. } if value.value == Value::Local(result.clone()) => Some(ptr),
            _ => None,
        })?;
        let pointee = match stored {
            Value::Local(name) => metadata.pointee_of(self.locals.debug.get(name)?),
            Value::Global(name) => {
                let Symbol::Global(key) = self.all.program.resolve(self.key.0, name) else { return None };
                let metadata = &self.all.program.modules[key.0].metadata;
                metadata.pointee_of(&metadata.variable(self.all.program.global(&key).debug?)?)
            }
            _ => None,
        };
        let (element, stride) = pointee?;
        let is_single = matches!(call.args.get(size_at).map(|arg| &arg.value.value), Some(Value::Int(size)) if *size == stride)
            && !matches!(&call.callee, Value::Global(name) if &**name == "calloc");
        let shape =
            if is_single { element } else { Shape::Array { element: Arc::new(element), stride, count: 0 } };
        if !self.all.runtime.has_sizes {
            return Some(shape);
        }
        if !matches!(&call.callee, Value::Global(name) if name.ends_with("lloc") && &**name != "aligned_alloc")
        {
            return None;
        }
        let behind = Field { name: String::new(), offset: HEADER, size: u64::MAX / 2, shape };
        Some(Shape::Struct([behind].into()))
    }
}

fn allocator(call: &Call) -> Option<usize> {
    let Value::Global(name) = &call.callee else { return None };
    ALLOCATORS.iter().find(|(known, _)| *known == &**name).map(|&(_, size_at)| size_at)
}
