//! Sizes and offsets on 64-bit little-endian targets, and values as lists of words.
//!
//! A first-class value is a list of *leaves*: the scalars it consists of, each in one register. A scalar is its own
//! only leaf; a `{ i32, i1 }` has two, and so has an `i128` or an `i65`; an `i136` has three. Memory holds leaves at their offsets.

use crate::ast::{OtherType, Struct, Type};
use atropos_event::{Gap, GapKind};

/// A scalar inside a type.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Leaf {
    pub offset: u64,
    pub ty: Type,
}

fn not_modelled(name: &OtherType) -> Gap {
    GapKind::Type.of(name.to_string())
}

pub(crate) fn size_of(ty: &Type) -> Result<u64, Gap> {
    Ok(match ty {
        Type::Int(bits @ 129..) => align_up(bits.div_ceil(8).into(), 16),
        Type::Int(bits) => bits.div_ceil(8).next_power_of_two().into(),
        Type::Half(_) => 2,
        Type::Float => 4,
        Type::Double | Type::Ptr => 8,
        Type::Array(n, element) => size_of(element)?.checked_mul(*n).ok_or(GapKind::ArrayTooBig)?,
        Type::Vector(..) => extent_of(ty)?.next_power_of_two(),
        Type::Struct(fields) => align_up(end_of(fields)?, align_of(ty)?),
        Type::Void | Type::Function(_) => 0,
        Type::Other(OtherType::X86Fp80) => 16,
        Type::Other(name) => return Err(not_modelled(name)),
    })
}

/// The bytes that an access touches: of a vector or an integer, without what rounds up its size.
pub(crate) fn extent_of(ty: &Type) -> Result<u64, Gap> {
    let (n, element) = match ty {
        Type::Vector(n, element) => (*n, element),
        Type::Int(bits) if bits % 8 == 0 || *bits < 64 || is_huge(ty) => return Ok(bits.div_ceil(8).into()),
        _ => return size_of(ty),
    };
    let bits = bits_of(element).ok_or(GapKind::WrongType)?;
    n.checked_mul(bits.into()).map(|bits| bits.div_ceil(8)).ok_or_else(|| GapKind::ArrayTooBig.into())
}

/// The distance of a vector's elements in memory.
pub(crate) fn distance_of(element: &Type) -> Result<u64, Gap> {
    match bits_of(element) {
        Some(bits) if bits % 8 == 0 => Ok(u64::from(bits / 8)),
        _ => Err(GapKind::WrongType.into()),
    }
}

/// Whether this is a vector whose elements share bytes.
pub(crate) fn is_packed(ty: &Type) -> bool {
    matches!(ty, Type::Vector(_, element) if bits_of(element).is_some_and(|bits| bits % 8 != 0))
}

pub(crate) fn align_of(ty: &Type) -> Result<u64, Gap> {
    Ok(match ty {
        Type::Array(_, element) => align_of(element)?,
        Type::Struct(fields) if fields.packed => 1,
        Type::Struct(fields) => fields
            .fields
            .iter()
            .map(align_of)
            .try_fold(1, |most, align| align.map(|align| most.max(align)))?,
        Type::Vector(..) => size_of(ty)?.max(1),
        _ => size_of(ty)?.clamp(1, 16),
    })
}

fn end_of(fields: &Struct) -> Result<u64, Gap> {
    match fields.fields.len() {
        0 => Ok(0),
        n => Ok(offset_of(fields, n - 1)? + size_of(&fields.fields[n - 1])?),
    }
}

/// The offset of a field of a struct.
pub(crate) fn offset_of(fields: &Struct, index: usize) -> Result<u64, Gap> {
    let mut at = 0;
    for (nth, field) in fields.fields.iter().enumerate().take(index + 1) {
        let align = if fields.packed { 1 } else { align_of(field)? };
        at = align_up(at, align);
        if nth < index {
            at += size_of(field)?;
        }
    }
    Ok(at)
}

/// The maximum number of leaves of a value; clang keeps bigger ones in memory.
pub(crate) const MAX_LEAVES: usize = 1024;

pub(crate) fn leaves(ty: &Type) -> Result<Vec<Leaf>, Gap> {
    let mut found = Vec::new();
    collect(ty, 0, &mut found)?;
    Ok(found)
}

fn collect(ty: &Type, offset: u64, found: &mut Vec<Leaf>) -> Result<(), Gap> {
    match ty {
        Type::Void => {}
        Type::Struct(fields) => {
            for (nth, field) in fields.fields.iter().enumerate() {
                collect(field, offset + offset_of(fields, nth)?, found)?;
            }
        }
        Type::Array(n, element) => {
            let size = size_of(element)?;
            for nth in 0..*n {
                if found.len() > MAX_LEAVES {
                    return Err(GapKind::ArrayValue.into());
                }
                collect(element, offset + nth * size, found)?;
            }
        }
        // The elements of a packed vector have no places of their own: no access uses these.
        Type::Vector(n, element) => {
            let bits = bits_of(element).ok_or(GapKind::WrongType)?;
            for nth in 0..*n {
                if found.len() > MAX_LEAVES {
                    return Err(GapKind::ArrayValue.into());
                }
                collect(element, offset + nth * u64::from(bits) / 8, found)?;
            }
        }
        Type::Int(bits) if is_wide(ty) => {
            // What lies above an integer of odd bits belongs to it.
            let high = if bits % 8 == 0 { bits - 64 } else { 64 };
            let words = [(0, 64), (8, high)];
            found.extend(words.map(|(at, bits)| Leaf { offset: offset + at, ty: Type::Int(bits) }));
        }
        Type::Int(bits) if is_huge(ty) => {
            for nth in 0..u64::from(bits.div_ceil(64)) {
                let bits = (bits - 64 * nth as u32).min(64);
                found.push(Leaf { offset: offset + 8 * nth, ty: Type::Int(bits) });
            }
        }
        Type::Int(bits) if *bits > 64 => return Err(Gap::from(GapKind::Integer).with([u64::from(*bits)])),
        Type::Other(name) => return Err(not_modelled(name)),
        scalar => found.push(Leaf { offset, ty: scalar.clone() }),
    }
    Ok(())
}

/// Which leaves of `ty` the element at `indices` has: the first one and how many.
pub(crate) fn leaf_range(ty: &Type, indices: &[u32]) -> Result<(usize, usize), Gap> {
    let Some((&index, rest)) = indices.split_first() else { return Ok((0, leaves(ty)?.len())) };
    let (before, element) = match ty {
        Type::Struct(fields) => {
            let mut before = 0;
            for field in &fields.fields[..(index as usize).min(fields.fields.len())] {
                before += leaves(field)?.len();
            }
            (before, fields.fields.get(index as usize).cloned().ok_or(GapKind::NoSuchElement)?)
        }
        Type::Array(_, element) => (leaves(element)?.len() * index as usize, (**element).clone()),
        _ => return Err(GapKind::NoSuchElement.into()),
    };
    let (first, n) = leaf_range(&element, rest)?;
    Ok((before + first, n))
}

/// Whether this is an integer of 65 to 128 bits, which has two leaves.
pub(crate) fn is_wide(ty: &Type) -> bool {
    matches!(ty, Type::Int(65..=128))
}

/// Whether this is an integer of more than 128 bits that has leaves.
pub(crate) fn is_huge(ty: &Type) -> bool {
    matches!(ty, Type::Int(bits @ 129..) if bits.div_ceil(64) as usize <= MAX_LEAVES)
}

/// Whether this is an integer of more than 64 bits that has leaves.
pub(crate) fn is_large(ty: &Type) -> bool {
    is_wide(ty) || is_huge(ty)
}

pub(crate) fn align_up(offset: u64, align: u64) -> u64 {
    offset.div_ceil(align) * align
}

/// The width of a scalar in bits.
pub(crate) fn bits_of(ty: &Type) -> Option<u32> {
    match ty {
        Type::Int(bits) => Some(*bits),
        Type::Ptr | Type::Double => Some(64),
        Type::Float => Some(32),
        Type::Half(_) => Some(16),
        _ => None,
    }
}
