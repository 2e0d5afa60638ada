//! What the parts of an object are called: `.slots[2].value`.

use std::fmt::Write;
use std::sync::Arc;

/// How an object is made up, as far as names go.
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

/// A part of a struct. One without a name is transparent: its own fields are named as if they stood in its place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    pub name: String,
    pub offset: u64,
    pub size: u64,
    pub shape: Shape,
}

/// An object with a name; the name is empty where the program has none for it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Named {
    pub name: String,
    pub shape: Shape,
}

impl Shape {
    /// The name of the part at `offset`, to be put behind the name of the object.
    pub fn path(&self, offset: u64) -> String {
        let mut path = String::new();
        self.describe(offset, &mut path).expect("writing to a string");
        path
    }

    fn describe(&self, offset: u64, path: &mut String) -> std::fmt::Result {
        match self {
            Shape::Array { element, stride, count }
                if *stride > 0 && (*count == 0 || offset / stride < *count) =>
            {
                write!(path, "[{}]", offset / stride)?;
                return element.describe(offset % stride, path);
            }
            Shape::Struct(fields) => {
                let holds = |field: &&Field| (field.offset..field.offset + field.size).contains(&offset);
                if let Some(field) = fields.iter().find(holds) {
                    if !field.name.is_empty() {
                        write!(path, ".{}", field.name)?;
                    }
                    return field.shape.describe(offset - field.offset, path);
                }
            }
            Shape::Scalar | Shape::Array { .. } => {}
        }
        if offset == 0 { Ok(()) } else { write!(path, "+{offset}") }
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
    fn an_array_of_unknown_length_has_every_index() {
        let array = Shape::Array { element: Arc::new(Shape::Scalar), stride: 4, count: 0 };
        assert_eq!(array.path(400), "[100]");
        let short = Shape::Array { element: Arc::new(Shape::Scalar), stride: 4, count: 2 };
        assert_eq!(short.path(8), "+8");
    }
}
