//! Debug information about variables: their names and the structure of their types.

use std::sync::Arc;

use atropos_event::shape::{Field, Shape};

use super::metadata::{Metadata, field, quoted, reference, references};

/// Types nest at most this deep; deeper parts have no names.
const DEPTH: u32 = 12;

/// The name of a variable in the source, and its type.
pub(crate) struct Variable {
    pub name: String,
    ty: u32,
}

impl Variable {
    pub(crate) fn ty(&self) -> TypeNumber {
        TypeNumber(self.ty)
    }
}

/// The number of the node of a type.
#[derive(Clone, Copy)]
pub(crate) struct TypeNumber(pub u32);

/// Types of Rust's library around a single value. The value has the name of the whole.
const AROUND: [&str; 9] = [
    "UnsafeCell<",
    "SyncUnsafeCell<",
    "Cell<",
    "ManuallyDrop<",
    "Atomic<",
    "AtomicBool",
    "AtomicI",
    "AtomicU",
    "AtomicPtr<",
];

/// Types that are only around something, and its member: those behind Rust's shared pointers, and C++'s arrays.
const WRAPPERS: [(&str, &str); 3] = [("ArcInner<", "data"), ("RcInner<", "value"), ("array<", "_M_elems")];

impl Metadata {
    /// The variable of a `!dbg` of a global or of a `#dbg_declare`.
    pub(crate) fn variable(&self, number: u32) -> Option<Variable> {
        let mut node = self.node(number)?;
        if node.starts_with("!DIGlobalVariableExpression(") {
            node = self.node(reference(node, "var: ")?)?;
        }
        Some(Variable { name: quoted(node, "name: ")?, ty: reference(node, "type: ")? })
    }

    pub(crate) fn shape_of(&self, variable: &Variable) -> Shape {
        self.shape(variable.ty, DEPTH)
    }

    /// The structure of a type, and its size; `None` for an incomplete type.
    pub(crate) fn object_of(&self, ty: TypeNumber) -> Option<(Shape, u64)> {
        Some((self.shape(ty.0, DEPTH), self.size(ty.0, DEPTH).filter(|&size| size > 0)?))
    }

    /// The type that the pointer at `offset` in a variable or object of type `ty` points to. An array is entered at its
    /// first element.
    pub(crate) fn target_at(&self, ty: TypeNumber, offset: u64) -> Option<TypeNumber> {
        let (mut ty, mut offset) = (ty.0, offset);
        for _ in 0..DEPTH {
            let node = self.node(self.strip(ty, DEPTH)?)?;
            if has_tag(node, "pointer_type") {
                return reference(node, "baseType: ").filter(|_| offset == 0).map(TypeNumber);
            }
            (ty, offset) = if has_tag(node, "array_type") {
                (reference(node, "baseType: ")?, offset)
            } else {
                self.member_at(node, offset)?
            };
        }
        None
    }

    /// The type of the member of a struct that holds `offset`, and the offset there.
    fn member_at(&self, node: &str, offset: u64) -> Option<(u32, u64)> {
        self.elements(node).into_iter().find_map(|number| {
            let member = self.node(number)?;
            let is_part = has_tag(member, "member") || has_tag(member, "inheritance");
            if !is_part || member.contains("DIFlagStaticMember") || member.contains("DIFlagBitField") {
                return None;
            }
            let ty = reference(member, "baseType: ")?;
            let start = bits(member, "offset: ").unwrap_or(0) / 8;
            let end = start + self.size(ty, DEPTH)?;
            (start..end).contains(&offset).then_some((ty, offset - start))
        })
    }

    /// The type without typedefs and qualifiers.
    fn strip(&self, number: u32, depth: u32) -> Option<u32> {
        let node = self.node(number)?;
        let is_other_name = ["typedef", "const_type", "volatile_type", "restrict_type", "atomic_type"]
            .iter()
            .any(|tag| has_tag(node, tag));
        match reference(node, "baseType: ") {
            Some(base) if is_other_name && depth > 0 => self.strip(base, depth - 1),
            _ => Some(number),
        }
    }

    /// In bytes.
    fn size(&self, number: u32, depth: u32) -> Option<u64> {
        let node = self.node(self.strip(number, depth)?)?;
        Some(bits(node, "size: ")? / 8)
    }

    fn shape(&self, number: u32, depth: u32) -> Shape {
        let known = || {
            let node = self.node(self.strip(number, depth)?)?;
            let depth = depth.checked_sub(1)?;
            if has_tag(node, "array_type") {
                return self.array(node, depth);
            }
            let is_struct =
                ["structure_type", "class_type", "union_type"].iter().any(|tag| has_tag(node, tag));
            match self.inner(node) {
                Some(inner) => Some(self.shape(inner, depth)),
                None => is_struct.then(|| self.fields(node, depth)).flatten(),
            }
        };
        known().unwrap_or(Shape::Scalar)
    }

    /// The type of the value in a type of Rust's library that is only around it.
    fn inner(&self, node: &str) -> Option<u32> {
        self.rustc_version()?;
        let name = quoted(node, "name: ")?;
        let [member] = self.elements(node)[..] else { return None };
        let ty = reference(self.node(member)?, "baseType: ")?;
        let is_around = AROUND.iter().any(|around| name.starts_with(around))
            && bits(node, "size: ").map(|bits| bits / 8) == self.size(ty, DEPTH);
        is_around.then_some(ty)
    }

    /// An array of arrays is one node with several ranges.
    fn array(&self, node: &str, depth: u32) -> Option<Shape> {
        let element = reference(node, "baseType: ")?;
        let mut stride = self.size(element, DEPTH)?;
        let mut shape = self.shape(element, depth);
        for range in self.elements(node).into_iter().rev() {
            let count = field(self.node(range)?, "count: ").and_then(|text| text.parse().ok()).unwrap_or(0);
            shape = Shape::Array { element: Arc::new(shape), stride, count };
            stride *= count;
        }
        Some(shape)
    }

    fn fields(&self, node: &str, depth: u32) -> Option<Shape> {
        let mut fields: Vec<Field> = Vec::new();
        let outer = quoted(node, "name: ").unwrap_or_default();
        for number in self.elements(node) {
            let Some(member) = self.node(number) else { continue };
            let is_base = has_tag(member, "inheritance");
            if member.contains("DIFlagStaticMember") || !(is_base || has_tag(member, "member")) {
                continue;
            }
            let mut name = quoted(member, "name: ").unwrap_or_default();
            if WRAPPERS.iter().any(|(start, inner)| outer.starts_with(start) && *inner == name) {
                name.clear();
            }
            if let Some(nth) = name.strip_prefix("__").filter(|_| self.rustc_version().is_some()) {
                // A field of a tuple.
                name = nth.to_string();
            }
            // The internals of a library's types are not shown.
            let is_reserved =
                name.starts_with('_') && name[1..].starts_with(|c: char| c == '_' || c.is_ascii_uppercase());
            if is_reserved {
                continue;
            }
            let ty = reference(member, "baseType: ")?;
            if member.contains("DIFlagBitField") {
                add_bit_field(&mut fields, member, name);
                continue;
            }
            let size = bits(member, "size: ").map(|bits| bits / 8).or_else(|| self.size(ty, DEPTH));
            let offset = bits(member, "offset: ").unwrap_or(0) / 8;
            fields.push(Field { name, offset, size: size.unwrap_or(0), shape: self.shape(ty, depth) });
        }
        Some(Shape::Struct(fields.into()))
    }

    fn elements(&self, node: &str) -> Vec<u32> {
        let list = reference(node, "elements: ").and_then(|number| self.node(number));
        references(list.unwrap_or_default()).collect()
    }
}

/// Bit-fields that share their bytes are accessed together: they are one field with all their names.
fn add_bit_field(fields: &mut Vec<Field>, member: &str, name: String) {
    let start = field(member, "extraData: i64 ").and_then(|text| text.parse::<u64>().ok()).unwrap_or(0) / 8;
    let end = (bits(member, "offset: ").unwrap_or(0) + bits(member, "size: ").unwrap_or(0)).div_ceil(8);
    match fields
        .last_mut()
        .filter(|last| last.offset == start && last.shape == Shape::Scalar && !last.name.is_empty())
    {
        Some(last) => {
            last.name = format!("{}|{name}", last.name);
            last.size = last.size.max(end - start);
        }
        None => {
            fields.push(Field { name, offset: start, size: end.saturating_sub(start), shape: Shape::Scalar })
        }
    }
}

fn has_tag(node: &str, tag: &str) -> bool {
    field(node, "tag: ").and_then(|found| found.strip_prefix("DW_TAG_")) == Some(tag)
}

fn bits(node: &str, key: &str) -> Option<u64> {
    field(node, key)?.parse().ok()
}
