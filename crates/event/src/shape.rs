//! The names of the parts of an object: `.slots[2].value`.

use std::fmt::Write;
use std::sync::Arc;

/// The structure of an object, as far as names need it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    Scalar,
    /// Elements that start `stride` bytes apart; a `count` of 0 stands for an unknown number.
    Array {
        element: Arc<Shape>,
        stride: u64,
        count: u64,
    },
    /// Fields in the order of their offsets; those of a union overlap.
    Struct(Arc<[Field]>),
}

/// A part of a struct. One without a name is transparent: its fields are named as if they were in its place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    pub name: String,
    pub offset: u64,
    pub size: u64,
    pub shape: Shape,
}

/// An object with a name, which is empty if the program has none for it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Named {
    pub name: String,
    pub shape: Shape,
}

impl Shape {
    /// The name of the part at `offset`, to append to the name of the object. If several fields of a union begin
    /// there, the first one counts.
    pub fn path(&self, offset: u64) -> String {
        self.path_of(offset, 0)
    }

    /// The same for an access of `size` bytes: among overlapping fields, one of that size is preferred.
    pub fn path_of(&self, offset: u64, size: u64) -> String {
        let mut path = String::new();
        self.describe(offset, size, &mut path).expect("writing to a string");
        path
    }

    /// Whether there is a scalar of `size` bytes at `offset`. The shape itself has `own` bytes.
    fn fits(&self, own: u64, offset: u64, size: u64) -> bool {
        match self {
            Shape::Scalar => (offset, own) == (0, size),
            Shape::Array { element, stride, .. } => {
                *stride > 0 && element.fits(*stride, offset % stride, size)
            }
            Shape::Struct(fields) => fields.iter().any(|field| field.fits(offset, size)),
        }
    }

    fn describe(&self, offset: u64, size: u64, path: &mut String) -> std::fmt::Result {
        match self {
            Shape::Array { element, stride, count }
                if *stride > 0 && (*count == 0 || offset / stride < *count) =>
            {
                write!(path, "[{}]", offset / stride)?;
                return element.describe(offset % stride, size, path);
            }
            Shape::Struct(fields) => {
                let mut here = fields.iter().filter(|field| field.holds(offset));
                let fitting = here.clone().find(|field| field.fits(offset, size));
                if let Some(field) = fitting.or_else(|| here.next()) {
                    if !field.name.is_empty() {
                        write!(path, ".{}", field.name)?;
                    }
                    return field.shape.describe(offset - field.offset, size, path);
                }
            }
            Shape::Scalar | Shape::Array { .. } => {}
        }
        if offset == 0 { Ok(()) } else { write!(path, "+{offset}") }
    }
}

impl Field {
    fn holds(&self, offset: u64) -> bool {
        (self.offset..self.offset + self.size).contains(&offset)
    }

    fn fits(&self, offset: u64, size: u64) -> bool {
        self.holds(offset) && self.shape.fits(self.size, offset - self.offset, size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, offset: u64, size: u64, shape: Shape) -> Field {
        Field { name: name.to_string(), offset, size, shape }
    }

    #[test]
    fn parts_are_called_as_in_c() {
        let slot = [field("key", 0, 4, Shape::Scalar), field("value", 4, 4, Shape::Scalar)];
        let slots = Shape::Array { element: Arc::new(Shape::Struct(slot.into())), stride: 8, count: 4 };
        let inner = [field("low", 0, 2, Shape::Scalar)];
        let queue = [
            field("slots", 0, 32, slots),
            field("", 32, 4, Shape::Struct(inner.into())),
            field("n", 40, 4, Shape::Scalar),
        ];
        let queue = Shape::Struct(queue.into());
        let paths: Vec<String> = [0, 20, 21, 32, 36, 40, 44].map(|offset| queue.path(offset)).to_vec();
        assert_eq!(
            paths,
            [".slots[0].key", ".slots[2].value", ".slots[2].value+1", ".low", "+36", ".n", "+44"]
        );
    }

    #[test]
    fn of_overlapping_fields_the_one_of_the_right_size_is_named() {
        let parts = [field("locked", 0, 1, Shape::Scalar), field("tail", 2, 2, Shape::Scalar)];
        let lock = Shape::Struct(
            [field("value", 0, 4, Shape::Scalar), field("", 0, 4, Shape::Struct(parts.into()))].into(),
        );
        let paths = [(0, 4), (0, 1), (2, 2), (0, 2)].map(|(offset, size)| lock.path_of(offset, size));
        assert_eq!(paths, [".value", ".locked", ".tail", ".value"]);
    }

    #[test]
    fn an_array_of_unknown_length_has_every_index() {
        let array = Shape::Array { element: Arc::new(Shape::Scalar), stride: 4, count: 0 };
        assert_eq!(array.path(400), "[100]");
        let short = Shape::Array { element: Arc::new(Shape::Scalar), stride: 4, count: 2 };
        assert_eq!(short.path(8), "+8");
    }
}
