//! The C types of locations and locals.

use std::fmt;

/// An integer type, or a pointer if `pointers > 0`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    pub base: Base,
    pub atomic: bool,
    pub volatile: bool,
    pub pointers: u8,
}

/// The integer types of a 64-bit Unix; `char` is signed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    Void,
    Bool,
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
}

impl Type {
    pub const INT: Type = Type { base: Base::Int, atomic: false, volatile: false, pointers: 0 };
    pub(crate) const ATOMIC_INT: Type = Type { base: Base::Int, atomic: true, volatile: false, pointers: 0 };

    pub(crate) fn pointer_to(self) -> Type {
        Type { pointers: self.pointers + 1, ..self }
    }

    /// The type that the pointer points to; `None` if it is not a pointer.
    pub fn pointee(self) -> Option<Type> {
        self.pointers.checked_sub(1).map(|pointers| Type { pointers, ..self })
    }

    pub fn is_pointer(self) -> bool {
        self.pointers > 0
    }

    /// The size of a value in bytes.
    pub fn size(self) -> u8 {
        match self.base {
            _ if self.is_pointer() => 8,
            Base::Void | Base::Bool | Base::Char | Base::UChar => 1,
            Base::Short | Base::UShort => 2,
            Base::Int | Base::UInt => 4,
            Base::Long | Base::ULong => 8,
        }
    }

    pub fn is_signed(self) -> bool {
        !self.is_pointer() && matches!(self.base, Base::Char | Base::Short | Base::Int | Base::Long)
    }

    /// The mathematical value of the lowest `self.size()` bytes of `bits`.
    pub fn interpret(self, bits: u64) -> i64 {
        let unused = 64 - 8 * u32::from(self.size());
        if self.is_signed() {
            ((bits << unused) as i64) >> unused
        } else {
            ((bits << unused) >> unused) as i64
        }
    }
}

/// Names of base types that are single words; the parser combines `unsigned` and the like.
const BASES: [(&str, Base); 30] = [
    ("void", Base::Void),
    ("bool", Base::Bool),
    ("_Bool", Base::Bool),
    ("char", Base::Char),
    ("schar", Base::Char),
    ("int8_t", Base::Char),
    ("uchar", Base::UChar),
    ("uint8_t", Base::UChar),
    ("short", Base::Short),
    ("int16_t", Base::Short),
    ("ushort", Base::UShort),
    ("uint16_t", Base::UShort),
    ("int", Base::Int),
    ("int32_t", Base::Int),
    ("uint", Base::UInt),
    ("uint32_t", Base::UInt),
    ("long", Base::Long),
    ("int64_t", Base::Long),
    ("llong", Base::Long),
    ("intptr_t", Base::Long),
    ("intmax_t", Base::Long),
    ("ptrdiff_t", Base::Long),
    ("ssize_t", Base::Long),
    ("ulong", Base::ULong),
    ("uint64_t", Base::ULong),
    ("ullong", Base::ULong),
    ("uintptr_t", Base::ULong),
    ("uintmax_t", Base::ULong),
    ("size_t", Base::ULong),
    ("signed", Base::Int),
];

impl Base {
    /// The unsigned type of the same width.
    pub fn unsigned(self) -> Base {
        match self {
            Base::Char => Base::UChar,
            Base::Short => Base::UShort,
            Base::Int => Base::UInt,
            Base::Long => Base::ULong,
            Base::Void | Base::Bool | Base::UChar | Base::UShort | Base::UInt | Base::ULong => self,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Base::Void => "void",
            Base::Bool => "bool",
            Base::Char => "char",
            Base::UChar => "unsigned char",
            Base::Short => "short",
            Base::UShort => "unsigned short",
            Base::Int => "int",
            Base::UInt => "unsigned int",
            Base::Long => "long",
            Base::ULong => "unsigned long",
        }
    }

    fn atomic_name(self) -> &'static str {
        match self {
            Base::Void => "_Atomic void",
            Base::Bool => "atomic_bool",
            Base::Char => "atomic_char",
            Base::UChar => "atomic_uchar",
            Base::Short => "atomic_short",
            Base::UShort => "atomic_ushort",
            Base::Int => "atomic_int",
            Base::UInt => "atomic_uint",
            Base::Long => "atomic_long",
            Base::ULong => "atomic_ulong",
        }
    }
}

/// A word that is a type by itself: its base, and whether it is atomic.
pub(crate) fn type_word(word: &str) -> Option<(Base, bool)> {
    let find = |name: &str| BASES.iter().find(|(known, _)| *known == name).map(|&(_, base)| base);
    if let Some(base) = find(word) {
        let is_abbreviation =
            matches!(word, "schar" | "uchar" | "ushort" | "uint" | "ulong" | "llong" | "ullong");
        return (!is_abbreviation).then_some((base, false));
    }
    find(word.strip_prefix("atomic_")?).map(|base| (base, true))
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.volatile {
            f.write_str("volatile ")?;
        }
        f.write_str(if self.atomic { self.base.atomic_name() } else { self.base.name() })?;
        f.write_str(&"*".repeat(usize::from(self.pointers)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomic_type_names_are_those_of_stdatomic() {
        assert_eq!(type_word("atomic_uchar"), Some((Base::UChar, true)));
        assert_eq!(type_word("atomic_uint64_t"), Some((Base::ULong, true)));
        assert_eq!(type_word("uchar"), None);
        assert_eq!(type_word("atomic_load"), None);
    }

    #[test]
    fn values_are_read_at_the_width_of_their_type() {
        assert_eq!(Type::INT.interpret(0xffff_ffff), -1);
        assert_eq!(Type { base: Base::UChar, ..Type::INT }.interpret(0x1ff), 255);
    }
}
