//! Expressions of every scalar type, without undefined behaviour: divisors are not zero, shifts are shorter than the
//! operand, floating-point numbers fit the integers that they become. Signed arithmetic wraps (`-fwrapv`).

use super::generate::{FunctionWriter, Variable};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    I128,
    U128,
    Float,
    Double,
}

/// The types of variables, frequent ones several times.
pub(super) const SCALARS: [Scalar; 17] = [
    Scalar::Bool,
    Scalar::I8,
    Scalar::U8,
    Scalar::I16,
    Scalar::U16,
    Scalar::I32,
    Scalar::I32,
    Scalar::U32,
    Scalar::U32,
    Scalar::I64,
    Scalar::I64,
    Scalar::U64,
    Scalar::U64,
    Scalar::I128,
    Scalar::U128,
    Scalar::Float,
    Scalar::Double,
];

impl Scalar {
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "_Bool",
            Scalar::I8 => "i8",
            Scalar::U8 => "u8",
            Scalar::I16 => "i16",
            Scalar::U16 => "u16",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
            Scalar::I64 => "i64",
            Scalar::U64 => "u64",
            Scalar::I128 => "i128",
            Scalar::U128 => "u128",
            Scalar::Float => "float",
            Scalar::Double => "double",
        }
    }

    pub fn bytes(self) -> usize {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::Float => 4,
            Scalar::I64 | Scalar::U64 | Scalar::Double => 8,
            Scalar::I128 | Scalar::U128 => 16,
        }
    }

    pub fn is_integer(self) -> bool {
        !self.is_float() && self != Scalar::Bool
    }

    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Float | Scalar::Double)
    }

    /// The number that stands for a value in the result of a function.
    pub fn hash(self, value: &str) -> String {
        match self {
            Scalar::Float => format!("hash_float({value})"),
            Scalar::Double => format!("hash_double({value})"),
            Scalar::I128 | Scalar::U128 => format!("(u64)({value}) ^ (u64)((u128)({value}) >> 64)"),
            _ => format!("(u64)({value})"),
        }
    }

    /// A value of another type as one of this type.
    pub fn from(self, other: Scalar, value: &str) -> String {
        match (self, other) {
            (to, from) if to == from => value.to_string(),
            (to, Scalar::Float | Scalar::Double) if !to.is_float() => {
                format!("(({})whole({value}))", to.name())
            }
            (to, _) => format!("(({})({value}))", to.name()),
        }
    }
}

impl FunctionWriter<'_> {
    pub(super) fn literal(&mut self, ty: Scalar) -> String {
        match ty {
            Scalar::Bool => self.rng.below(2).to_string(),
            Scalar::Float | Scalar::Double => {
                let (whole, part) =
                    (self.rng.below(2000) as i64 - 1000, self.rng.pick(&["0", "5", "25", "125"]));
                let suffix = if ty == Scalar::Float { "f" } else { "" };
                format!("{whole}.{part}{suffix}")
            }
            _ => {
                let bits = 8 * ty.bytes().min(8);
                let number = match self.rng.below(4) {
                    0 => self.rng.below(10) as u64,
                    1 => self.rng.draw(),
                    2 => u64::MAX << self.rng.below(bits),
                    _ => u64::MAX >> (63 - self.rng.below(bits)),
                };
                format!("({})0x{number:x}ull", ty.name())
            }
        }
    }

    pub(super) fn expression(&mut self, ty: Scalar, depth: usize) -> String {
        if depth == 0 || self.rng.chance(15) {
            return self.leaf(ty);
        }
        match self.rng.below(10) {
            0 => self.leaf(ty),
            1 => {
                let other = self.rng.pick(&SCALARS);
                let value = self.expression(other, depth - 1);
                ty.from(other, &value)
            }
            2 => {
                let condition = self.expression(Scalar::Bool, depth - 1);
                let (then, otherwise) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                format!("({condition} ? {then} : {otherwise})")
            }
            3 if ty.is_integer() => self.builtin(ty, depth),
            4 if !self.callees.is_empty() && ty == Scalar::U64 => {
                let nth = self.rng.below(self.callees.len());
                format!("{}()", self.callees[nth])
            }
            5 if ty.is_integer() => {
                let value = self.expression(ty, depth - 1);
                let op = self.rng.pick(&["-", "~", "!"]);
                format!("({})({op}({value}))", ty.name())
            }
            _ => {
                let (left, right) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                self.binary(ty, &left, &right)
            }
        }
    }

    fn leaf(&mut self, ty: Scalar) -> String {
        if self.variables.is_empty() || self.rng.chance(25) {
            return self.literal(ty);
        }
        let nth = self.rng.below(self.variables.len());
        let Variable { name, ty: found, length } = self.variables[nth].clone();
        let value = match length {
            0 => name,
            _ if self.rng.chance(50) => format!("{name}[{}]", self.rng.below(length)),
            _ => format!("{name}[h & {}]", length - 1),
        };
        match self.variables[nth].is_field() {
            // A narrow bit-field becomes an `int`, whatever its type: too short for the shifts of that type.
            true => ty.from(found, &format!("(({})({value}))", found.name())),
            false => ty.from(found, &value),
        }
    }

    pub(super) fn binary(&mut self, ty: Scalar, left: &str, right: &str) -> String {
        let name = ty.name();
        if ty == Scalar::Bool {
            let op = self.rng.pick(&["<", "<=", "==", "!=", ">", "&&", "||"]);
            return format!("({left} {op} {right})");
        }
        if ty.is_float() {
            let op = self.rng.pick(&["+", "-", "*", "/"]);
            return format!("({left} {op} {right})");
        }
        let bits = 8 * ty.bytes();
        match self.rng.below(12) {
            0 | 1 => format!("({name})({left} / nonzero_{name}({right}))"),
            2 => format!("({name})({left} % nonzero_{name}({right}))"),
            3 => format!("({name})({left} << ({right} & {}))", bits - 1),
            4 => format!("({name})({left} >> ({right} & {}))", bits - 1),
            5 => format!("({name})({left} < {right})"),
            6 => format!("({name})({left} > {right} ? {left} : {right})"),
            nth => {
                let op = ["+", "-", "*", "&", "|", "^"][nth % 6];
                format!("({name})({left} {op} {right})")
            }
        }
    }

    fn builtin(&mut self, ty: Scalar, depth: usize) -> String {
        let value = self.expression(Scalar::U64, depth - 1);
        let small = self.expression(Scalar::U32, depth - 1);
        let call = match self.rng.below(20) {
            0 => format!("__builtin_popcountll({value})"),
            1 => format!("__builtin_clzll(({value}) | 1)"),
            2 => format!("__builtin_ctz(({small}) | 0x80000000u)"),
            3 => format!("__builtin_bswap64({value})"),
            4 => format!("__builtin_bswap16((u16)({small}))"),
            5 => format!("__builtin_bitreverse32({small})"),
            6 => format!("__builtin_rotateleft32({small}, ({value}) & 31)"),
            7 => format!("__builtin_rotateleft8((u8)({small}), ({value}) & 7)"),
            8 => format!("__builtin_rotateright64({value}, ({small}) & 63)"),
            9 => format!("__builtin_ffsll({value})"),
            10 => format!("__builtin_parity({small})"),
            11 => format!("__builtin_clrsbl((i64)({value}))"),
            12 => format!("__builtin_expect(({value}) > 9, 1)"),
            13 => format!("({{ u64 k = {value}; if (k == ~k) __builtin_unreachable(); k; }})"),
            14 => format!("({{ u32 k = {small}; __builtin_assume(k / 2 <= k); k >> 1; }})"),
            _ => self.intrinsic(depth),
        };
        format!("({})({call})", ty.name())
    }
}
