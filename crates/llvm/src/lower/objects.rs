//! The structure of heap objects: the type that `new` creates, or that of the pointer that first holds their address.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use atropos_event::shape::{Field, Shape};

use super::function::Code;
use crate::ast::{Block, Call, Instr, Op, Type, Typed, Value};
use crate::layout::offset_of;
use crate::program::Symbol;
use crate::read::TypeNumber;
use crate::rust_names;

/// Functions that return a new object, and the number of the argument with its size.
const ALLOCATORS: [(&str, usize); 6] =
    [("malloc", 0), ("calloc", 1), ("realloc", 1), ("aligned_alloc", 1), ("_Znwm", 0), ("_Znam", 0)];

/// The function of Rust's library that makes room for a value: its path, a part of its mangled name, and the parameter
/// of its caller that has the value.
const BOX: (&str, &str, &str) = ("alloc::boxed::box_new_uninit", "14box_new_uninit", "x");

/// The path of the functions that make room for all objects in Rust.
const ALLOCATION: &str = "alloc::alloc::";

/// Precedes each object in programs that call `realloc`.
const HEADER: u64 = 16;

/// Pointers lead to pointers at most this often.
const DEPTH: u32 = 8;

/// Whether a function is a part of Rust's allocation of objects: the place of its caller says more.
pub(crate) fn is_inside_allocation(function: &str) -> bool {
    let may_be = function.contains("5alloc") && (function.contains(BOX.1) || function.contains("6Global"));
    may_be && rust_names::path(function).is_some_and(|path| path == BOX.0 || path.starts_with(ALLOCATION))
}

/// The instructions of a function by their results.
type Definitions<'b> = HashMap<&'b str, &'b Op>;

impl Code<'_, '_> {
    /// Records, at the place of each call that allocates, what is known about the object.
    pub(crate) fn describe_objects(&mut self, blocks: &[Block]) {
        let instrs = || blocks.iter().flat_map(|block| &block.instrs);
        let definitions: Definitions<'_> =
            instrs().filter_map(|instr| Some((&**instr.result.as_ref()?, &instr.op))).collect();
        for instr in instrs() {
            let (Op::Call(call) | Op::Invoke { call, .. }, Some(result)) = (&instr.op, &instr.result) else {
                continue;
            };
            let shape = match allocator(call) {
                Some(size_at) => {
                    let ty = self.object_type(instr, blocks, &definitions, result);
                    let metadata = |module: usize| &self.all.program.modules[module].metadata;
                    let object = ty.and_then(|(module, ty)| metadata(module).object_of(ty));
                    self.object_shape(object, call, size_at)
                }
                None => self.shape_in_rust(call),
            };
            if let Some(shape) = shape
                && let Some(source) = self.all.source(self.key.0, instr.location)
            {
                self.all.module.sources[source.index()].object = Some(shape);
            }
        }
    }

    /// The type of the object whose address is `result`, with its module.
    fn object_type(
        &self,
        instr: &Instr,
        blocks: &[Block],
        definitions: &Definitions<'_>,
        result: &Rc<str>,
    ) -> Option<(usize, TypeNumber)> {
        if let Some(created) = instr.creates {
            return Some((self.key.0, TypeNumber(created)));
        }
        let stored = blocks.iter().flat_map(|block| &block.instrs).find_map(|instr| match &instr.op {
            Op::Store { value, ptr, .. } if value.value == Value::Local(result.clone()) => Some(ptr),
            _ => None,
        })?;
        self.pointee(stored, definitions, DEPTH)
    }

    /// The type that the pointer in memory at `place` points to.
    fn pointee(
        &self,
        place: &Value,
        definitions: &Definitions<'_>,
        depth: u32,
    ) -> Option<(usize, TypeNumber)> {
        let (module, ty, offset) = self.memory_at(place, definitions, depth)?;
        Some((module, self.all.program.modules[module].metadata.target_at(ty, offset)?))
    }

    /// The type of the variable or object that an address is in, and its offset there. All elements of an
    /// array count as the first one.
    fn memory_at(
        &self,
        address: &Value,
        definitions: &Definitions<'_>,
        depth: u32,
    ) -> Option<(usize, TypeNumber, u64)> {
        let depth = depth.checked_sub(1)?;
        match address {
            Value::Local(name) => {
                if let Some(variable) = self.locals.debug.get(name) {
                    return Some((self.key.0, variable.ty(), 0));
                }
                match definitions.get(&**name)? {
                    Op::Load { ptr, .. } => {
                        let (module, ty) = self.pointee(ptr, definitions, depth)?;
                        Some((module, ty, 0))
                    }
                    Op::Gep { base, args } => {
                        let (module, ty, offset) =
                            self.memory_at(&args.first()?.value, definitions, depth)?;
                        Some((module, ty, offset + within(base, args.get(2..).unwrap_or_default())?))
                    }
                    _ => None,
                }
            }
            Value::Global(name) => {
                let Symbol::Global(key) = self.all.program.resolve(self.key.0, name) else { return None };
                let metadata = &self.all.program.modules[key.0].metadata;
                let variable = metadata.variable(self.all.program.global(&key).debug?)?;
                Some((key.0, variable.ty(), 0))
            }
            Value::Gep { base, args } => {
                let (module, ty, offset) = self.memory_at(&args.first()?.value, definitions, depth)?;
                Some((module, ty, offset + within(base, args.get(2..).unwrap_or_default())?))
            }
            _ => None,
        }
    }

    /// The structure of what a call allocates: an object of this structure and size, or several.
    fn object_shape(&self, object: Option<(Shape, u64)>, call: &Call, size_at: usize) -> Option<Shape> {
        let constant = |at: usize| match call.args.get(at).map(|arg| &arg.value.value) {
            Some(Value::Int(value)) => Some(*value),
            _ => None,
        };
        let is_calloc = matches!(&call.callee, Value::Global(name) if &**name == "calloc");
        let shape = object.map(|(element, stride)| {
            let is_single = constant(size_at) == Some(stride) && (!is_calloc || constant(0) == Some(1));
            if is_single { element } else { Shape::Array { element: Arc::new(element), stride, count: 0 } }
        });
        if !self.all.runtime.has_sizes {
            return shape;
        }
        let has_header = matches!(&call.callee, Value::Global(name) if name.ends_with("lloc") && &**name != "aligned_alloc");
        has_header.then(|| behind_header(shape))
    }

    /// The structure of what Rust's library allocates: the value that it moves to the heap, or something unknown.
    fn shape_in_rust(&self, call: &Call) -> Option<Shape> {
        let Value::Global(name) = &call.callee else { return None };
        if self.is_inside_allocation || !is_inside_allocation(name) {
            return None;
        }
        let value =
            self.locals.debug.values().find(|variable| name.contains(BOX.1) && variable.name == BOX.2);
        let metadata = &self.all.program.modules[self.key.0].metadata;
        // Rust knows the sizes of its objects, so they have no headers.
        value.and_then(|value| Some(metadata.object_of(value.ty())?.0))
    }
}

/// An object behind its header, which has no name.
fn behind_header(shape: Option<Shape>) -> Shape {
    let shape = shape.unwrap_or(Shape::Scalar);
    Shape::Struct([Field { name: String::new(), offset: HEADER, size: u64::MAX / 2, shape }].into())
}

/// The offset of a part of a type, in the first element of each array.
fn within(base: &Type, indices: &[Typed]) -> Option<u64> {
    let (mut ty, mut offset) = (base, 0);
    for index in indices {
        ty = match (ty, &index.value) {
            (Type::Struct(fields), Value::Int(nth)) => {
                let nth = usize::try_from(*nth).ok()?;
                offset += offset_of(fields, nth).ok()?;
                fields.fields.get(nth)?
            }
            (Type::Array(_, element), _) => element,
            _ => return None,
        };
    }
    Some(offset)
}

fn allocator(call: &Call) -> Option<usize> {
    let Value::Global(name) = &call.callee else { return None };
    ALLOCATORS.iter().find(|(known, _)| *known == &**name).map(|&(_, size_at)| size_at)
}
