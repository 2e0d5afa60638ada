//! Global variables: their bytes, and the addresses among them.

use atropos_event::{Gap, GapKind};
use atropos_vm::instr::BinaryOp;
use atropos_vm::ir::{Relocation, Symbol as Target};
use atropos_vm::{Global, GlobalId, Operand};

use super::Lowering;
use super::values::width_of;
use crate::ast::{Type, Typed, Value};
use crate::layout;
use crate::program::Key;

/// The content of a global under construction.
struct Content {
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

/// The maximum number of initial bytes.
const BYTES_LIMIT: u64 = 1 << 28;

impl Lowering<'_> {
    /// The VM's global for a definition, created on first use.
    pub(crate) fn global(&mut self, key: &Key) -> Result<GlobalId, Gap> {
        if let Some(&id) = self.globals.get(key) {
            return Ok(id);
        }
        let global = self.program.global(key).clone();
        let size = layout::size_of(&global.ty)?;
        let (element, count) = shape(&global.ty, size);
        let id = GlobalId(self.module.globals.len() as u32);
        self.globals.insert(key.clone(), id);
        let metadata = &self.program.modules[key.0].metadata;
        let variable = global.debug.and_then(|number| metadata.variable(number));
        let shape = variable.as_ref().map(|variable| metadata.shape_of(variable));
        let name = variable.as_ref().map_or(&*global.name, |variable| &variable.name);
        self.module.globals.push(Global {
            constant: global.constant,
            thread_local: global.thread_local,
            escapes: global.thread_local && self.escapes.thread_locals,
            align: global.align,
            shape,
            ..Global::zeroed(name, element, count)
        });
        let initialiser = global.initialiser.filter(|value| !matches!(value, Value::Zero | Value::Undef));
        if let Some(value) = initialiser {
            if size > BYTES_LIMIT {
                return Err(GapKind::VariableTooBig.of(&*global.name));
            }
            let mut content = Content { bytes: vec![0; size as usize], relocations: Vec::new() };
            self.fill(key.0, &mut content, 0, &Typed { ty: global.ty, value })?;
            self.module.globals[id.index()].bytes = content.bytes;
            self.module.globals[id.index()].relocations = content.relocations;
        }
        Ok(id)
    }

    fn fill(&mut self, module: usize, content: &mut Content, at: u64, typed: &Typed) -> Result<(), Gap> {
        match (&typed.value, &typed.ty) {
            (Value::Zero | Value::Undef | Value::Null, _) => {}
            (Value::Bytes(bytes), _) => put(content, at, bytes),
            (Value::Int(number), ty) => {
                let bytes = width_of(ty)?.bits().div_ceil(8) as usize;
                put(content, at, &number.to_le_bytes()[..bytes]);
            }
            (Value::Wide(number), Type::Int(bits @ 65..=128)) => {
                let unused = 128 - bits;
                let number = *number << unused >> unused;
                put(content, at, &number.to_le_bytes()[..bits.div_ceil(8) as usize]);
            }
            (Value::Huge(words), Type::Int(bits)) => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                put(content, at, &bytes[..bits.div_ceil(8) as usize]);
            }
            (Value::Float(number), Type::Float) => put(content, at, &(*number as f32).to_le_bytes()),
            (Value::Float(number), _) => put(content, at, &number.to_le_bytes()),
            (Value::Aggregate(elements), Type::Array(_, element)) => {
                let size = layout::size_of(element)?;
                for (nth, element) in (0..).zip(elements) {
                    self.fill(module, content, at + nth * size, element)?;
                }
            }
            (Value::Aggregate(elements), ty @ Type::Vector(..)) if !layout::is_packed(ty) => {
                let size = layout::extent_of(ty)? / (elements.len() as u64).max(1);
                for (nth, element) in (0..).zip(elements) {
                    self.fill(module, content, at + nth * size, element)?;
                }
            }
            (Value::Aggregate(elements), Type::Struct(fields)) => {
                for (nth, element) in elements.iter().enumerate() {
                    self.fill(module, content, at + layout::offset_of(fields, nth)?, element)?;
                }
            }
            (value, ty) => {
                let (symbol, offset) = self.constant_address(module, value)?;
                // Differences of addresses may be shorter than addresses.
                let bytes = layout::size_of(ty)?.min(8) as usize;
                if symbol.is_some() && bytes < 8 {
                    return Err(GapKind::InitialValue.into());
                }
                put(content, at, &offset.to_le_bytes()[..bytes]);
                content.relocations.extend(symbol.map(|target| Relocation { offset: at, target }));
            }
        }
        Ok(())
    }

    /// A constant expression as an address and an offset to it.
    fn constant_address(&mut self, module: usize, value: &Value) -> Result<(Option<Target>, i64), Gap> {
        match value {
            Value::Null | Value::Zero | Value::Undef => Ok((None, 0)),
            Value::Int(number) => Ok((None, *number as i64)),
            Value::Global(name) => match self.symbol(module, name)? {
                Operand::Global(id) => Ok((Some(Target::Global(id)), 0)),
                Operand::Function(id) => Ok((Some(Target::Function(id)), 0)),
                Operand::Const(address) => Ok((None, address as i64)),
                _ => Err(GapKind::InitialValue.into()),
            },
            Value::Cast { value, .. } => self.constant_address(module, &value.value),
            Value::Gep { base, args } => {
                let (symbol, mut offset) = self.constant_address(module, &args[0].value)?;
                let mut ty = Type::Array(0, base.clone().into());
                for index in &args[1..] {
                    let Value::Int(nth) = index.value else {
                        return Err(GapKind::InitialValue.into());
                    };
                    let nth = atropos_vm::arith::signed(width_of(&index.ty)?, nth);
                    let (element, add) = match &ty {
                        Type::Struct(fields) => {
                            let field = fields.fields.get(nth as usize).ok_or(GapKind::NoSuchElement)?;
                            (field.clone(), layout::offset_of(fields, nth as usize)? as i64)
                        }
                        Type::Array(_, element) => {
                            ((**element).clone(), nth.wrapping_mul(layout::size_of(element)? as i64))
                        }
                        Type::Vector(_, element) => {
                            ((**element).clone(), nth.wrapping_mul(layout::distance_of(element)? as i64))
                        }
                        _ => return Err(GapKind::NoSuchElement.into()),
                    };
                    offset = offset.wrapping_add(add);
                    ty = element;
                }
                Ok((symbol, offset))
            }
            Value::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), left, right } => {
                let (symbol, left) = self.constant_address(module, &left.value)?;
                match self.constant_address(module, &right.value)? {
                    (None, right) if *op == BinaryOp::Add => Ok((symbol, left.wrapping_add(right))),
                    (None, right) => Ok((symbol, left.wrapping_sub(right))),
                    _ => Err(GapKind::InitialValue.into()),
                }
            }
            Value::Other(gap) => Err((**gap).clone()),
            _ => Err(GapKind::InitialValue.into()),
        }
    }
}

fn put(content: &mut Content, at: u64, bytes: &[u8]) {
    let at = at as usize;
    if let Some(place) = content.bytes.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

/// The names of the parts of an object: elements of an array of scalars by index, others by offset.
fn shape(ty: &Type, size: u64) -> (u8, u64) {
    let scalar = |ty: &Type| layout::size_of(ty).ok().filter(|_| layout::bits_of(ty).is_some());
    let element = match ty {
        Type::Array(_, element) => scalar(element),
        ty => scalar(ty),
    };
    match element {
        Some(element @ (1 | 2 | 4 | 8)) => (element as u8, size / element),
        _ => (1, size),
    }
}
