//! Operands: local values, constants and constant expressions.

use atropos_event::{Gap, GapKind};
use std::rc::Rc;

use atropos_vm::instr::CompareOp;

use super::lexer::{TokenKind, unescape};
use super::parser::{LineColumn, Parsed, Parser};
use crate::ast::{ByVal, Cast, Half, Operator, Type, Typed, Value};
use crate::layout;

/// Whether a word begins a value; any other word between a type and its value is an attribute.
fn begins_value(word: &str) -> bool {
    const WORDS: [&str; 15] = [
        "null",
        "undef",
        "poison",
        "zeroinitializer",
        "true",
        "false",
        "none",
        "getelementptr",
        "icmp",
        "select",
        "asm",
        "splat",
        "blockaddress",
        "dso_local_equivalent",
        "no_cfi",
    ];
    WORDS.contains(&word)
        || Cast::from_name(word).is_some()
        || matches!(Operator::from_name(word), Some(Operator::Int(_)))
}

/// The attributes of an argument that matter.
pub(crate) struct Attributes {
    pub byval: Option<ByVal>,
    pub noundef: bool,
    /// The type in `elementtype(...)`.
    pub element: Option<Type>,
}

/// The address of a block: a number made of its name, never zero. Programs keep the differences between such addresses in
/// four bytes.
pub(crate) fn block_address(name: &str) -> u64 {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = || name.bytes().fold(0xcbf2_9ce4_8422_2325, fold) >> 35 | NAMED;
    let number = name.parse().ok().filter(|&number| number < NAMED);
    // Not an address of memory.
    number.unwrap_or_else(hash) | 1 << 63
}

/// Addresses of blocks with numbers are below, those with names above.
const NAMED: u64 = 1 << 29;

impl Parser<'_> {
    pub(crate) fn typed(&mut self) -> Parsed<Typed> {
        let ty = self.ty()?;
        let value = self.value(&ty)?;
        Ok(Typed { ty, value })
    }

    /// Reads the attributes before a value.
    pub(crate) fn attributes(&mut self) -> Parsed<Attributes> {
        let (mut byval, mut align, mut noundef, mut element) = (None, 0, false, None);
        while self.peek().kind == TokenKind::Word && !begins_value(self.peek().text) {
            let name = self.next().text;
            noundef |= name == "noundef";
            if name == "byval" && self.accept("(") {
                byval = Some(self.ty()?);
                self.expect(")")?;
            } else if name == "elementtype" && self.accept("(") {
                element = Some(self.ty()?);
                self.expect(")")?;
            } else if name == "align" {
                let is_call = self.accept("(");
                align = self.alignment()?;
                if is_call {
                    self.expect(")")?;
                }
            } else {
                self.skip_parentheses()?;
            }
        }
        Ok(Attributes { byval: byval.map(|ty| ByVal { ty, align }), noundef, element })
    }

    pub(crate) fn value(&mut self, ty: &Type) -> Parsed<Value> {
        self.nested(|parser| parser.value_inside(ty))
    }

    fn value_inside(&mut self, ty: &Type) -> Parsed<Value> {
        let place = self.place();
        let token = self.next();
        Ok(match (token.kind, token.text) {
            (TokenKind::Local, name) => Value::Local(name.into()),
            (TokenKind::Global, name) => Value::Global(name.into()),
            (TokenKind::Number, text) => return self.literal(ty, text),
            (TokenKind::Bytes, text) => Value::Bytes(unescape(text).into()),
            (TokenKind::Word, "null") => Value::Null,
            (TokenKind::Word, "true") => Value::Int(1),
            (TokenKind::Word, "false") => Value::Int(0),
            (TokenKind::Word, "undef" | "poison") => Value::Undef,
            (TokenKind::Word, "zeroinitializer" | "none") => Value::Zero,
            (TokenKind::Word, "dso_local_equivalent" | "no_cfi") => self.value(ty)?,
            (TokenKind::Word, "asm") => self.asm()?,
            (TokenKind::Word, "getelementptr") => self.constant_gep()?,
            (TokenKind::Word, "splat") => self.splat(ty)?,
            (TokenKind::Punctuation, "{") => self.aggregate("}")?,
            (TokenKind::Punctuation, "[") => self.aggregate("]")?,
            (TokenKind::Punctuation, "<") if self.accept("{") => {
                let value = self.aggregate("}")?;
                self.expect(">")?;
                value
            }
            (TokenKind::Punctuation, "<") => self.aggregate(">")?,
            (TokenKind::Word, "blockaddress") => {
                self.expect("(")?;
                self.expect_kind(TokenKind::Global, "a function")?;
                self.expect(",")?;
                let block = self.expect_kind(TokenKind::Local, "a label")?;
                self.expect(")")?;
                Value::Int(block_address(block))
            }
            (TokenKind::Meta, _) => {
                self.skip_parentheses()?;
                Value::Other(GapKind::Constant.of("metadata").into())
            }
            (TokenKind::Word, word) => return self.constant_expression(word, place),
            _ => return self.complain_at(place, format!("expected a value, found `{}`", token.text)),
        })
    }

    /// A constant computed by the operation `name`.
    fn constant_expression(&mut self, name: &str, place: LineColumn) -> Parsed<Value> {
        if let Some(op) = Cast::from_name(name) {
            self.expect("(")?;
            let value = Box::new(self.typed()?);
            self.expect("to")?;
            let to = self.ty()?;
            self.expect(")")?;
            // Between pointers of different types, up to clang 14.
            if op == Cast::Bits && value.ty == Type::Ptr && to == Type::Ptr {
                return Ok(value.value);
            }
            return Ok(Value::Cast { op, value, to });
        }
        if let Some(Operator::Int(op)) = Operator::from_name(name) {
            while matches!(self.peek().text, "nuw" | "nsw" | "exact" | "disjoint") {
                self.next();
            }
            let (left, right) = self.constant_operands()?;
            return Ok(Value::Binary { op, left, right });
        }
        if name == "icmp" {
            let op = self.word("a predicate of `icmp`", CompareOp::from_name)?;
            let (left, right) = self.constant_operands()?;
            return Ok(Value::Compare { op, left, right });
        }
        if name == "select" {
            self.expect("(")?;
            let condition = self.typed()?;
            self.expect(",")?;
            let then = self.typed()?;
            self.expect(",")?;
            let otherwise = self.typed()?;
            self.expect(")")?;
            return Ok(Value::Select(Box::new([condition, then, otherwise])));
        }
        self.complain_at(place, format!("expected a value, found `{name}`"))
    }

    fn constant_operands(&mut self) -> Parsed<(Box<Typed>, Box<Typed>)> {
        self.expect("(")?;
        let left = Box::new(self.typed()?);
        self.expect(",")?;
        let right = Box::new(self.typed()?);
        self.expect(")")?;
        Ok((left, right))
    }

    fn aggregate(&mut self, end: &str) -> Parsed<Value> {
        let mut elements = Vec::new();
        while !self.accept(end) {
            elements.push(self.typed()?);
            if !self.peek().is(end) {
                self.expect(",")?;
            }
        }
        Ok(Value::Aggregate(elements))
    }

    /// `splat (i32 1)`: all elements are the same.
    fn splat(&mut self, ty: &Type) -> Parsed<Value> {
        self.expect("(")?;
        let element = self.typed()?;
        self.expect(")")?;
        match ty {
            Type::Vector(length, _) if *length <= layout::MAX_LEAVES as u64 => {
                Ok(Value::Aggregate(vec![element; *length as usize]))
            }
            _ => Ok(Value::Other(Gap::from(GapKind::VectorConstant).into())),
        }
    }

    fn asm(&mut self) -> Parsed<Value> {
        while self.peek().kind == TokenKind::Word {
            self.next();
        }
        let template = unescape(self.expect_kind(TokenKind::String, "the text of inline assembly")?);
        self.expect(",")?;
        let constraints = unescape(self.expect_kind(TokenKind::String, "its constraints")?);
        Ok(Value::Asm { template: template.into(), constraints: constraints.into() })
    }

    fn constant_gep(&mut self) -> Parsed<Value> {
        self.skip_gep_flags()?;
        self.expect("(")?;
        let base = self.ty()?;
        let mut args = Vec::new();
        while self.accept(",") {
            self.accept("inrange");
            args.push(self.typed()?);
        }
        self.expect(")")?;
        if args.is_empty() {
            return self.complain("an address without a base");
        }
        Ok(Value::Gep { base, args })
    }

    pub(crate) fn skip_gep_flags(&mut self) -> Parsed<()> {
        while matches!(self.peek().text, "inbounds" | "nuw" | "nusw" | "inrange") {
            let is_range = self.next().is("inrange");
            if is_range {
                self.skip_parentheses()?;
            }
        }
        Ok(())
    }

    fn literal(&mut self, ty: &Type, text: &str) -> Parsed<Value> {
        match ty {
            Type::Float | Type::Double => {
                let number = match text.strip_prefix("0x") {
                    Some(hex) => u64::from_str_radix(hex, 16).ok().map(f64::from_bits),
                    None => text.parse().ok(),
                };
                number.map_or_else(
                    || self.complain(format!("`{text}` is not a number")),
                    |n| Ok(Value::Float(n)),
                )
            }
            Type::Half(half) => match half_bits(*half, text) {
                Some(bits) => Ok(Value::Int(bits)),
                None => self.complain(format!("`{text}` is not a number of 16 bits")),
            },
            Type::Int(bits) if layout::is_huge(ty) => match huge_words(*bits, text) {
                Some(words) => Ok(Value::Huge(words.into())),
                None => self.complain(format!("`{text}` is not a number")),
            },
            Type::Int(bits) => match text.parse::<i128>() {
                Ok(number) if *bits > 64 => Ok(Value::Wide(number as u128)),
                Ok(number) => Ok(Value::Int(number as u64)),
                Err(_) => Ok(Value::Other(Gap::from(GapKind::LargeConstant).into())),
            },
            _ => Ok(Value::Other(GapKind::Constant.of(text).into())),
        }
    }
}

/// The words of a decimal number of many bits, the low one first.
fn huge_words(bits: u32, text: &str) -> Option<Vec<u64>> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let mut words = vec![0u64; bits.div_ceil(64) as usize];
    for digit in digits.chars() {
        let mut carry = u128::from(digit.to_digit(10)?);
        for word in &mut words {
            let sum = u128::from(*word) * 10 + carry;
            (*word, carry) = (sum as u64, sum >> 64);
        }
    }
    if is_negative {
        let mut carry = true;
        for word in &mut words {
            (*word, carry) = (!*word).overflowing_add(u64::from(carry));
        }
    }
    let unused = 64 * words.len() as u32 - bits;
    if let Some(top) = words.last_mut() {
        *top = *top << unused >> unused;
    }
    Some(words)
}

/// The bits of a number of 16 bits: `0xH3C00`, `0xR3F80`, or a decimal number that is exactly one of these.
fn half_bits(half: Half, text: &str) -> Option<u64> {
    if let Some(bits) = text.strip_prefix("0xH").or_else(|| text.strip_prefix("0xR")) {
        return u64::from_str_radix(bits, 16).ok();
    }
    let number: f64 = text.parse().ok()?;
    let bits = number.to_bits();
    // The digits that are kept, and what the exponent starts with.
    let (digits, bias, most) = match half {
        Half::Standard => (10, 15, 30),
        Half::Upper => (7, 127, 254),
    };
    let (sign, exponent) = (bits >> 63 << 15, (bits >> 52 & 0x7ff) as i64 - 1023 + bias);
    let fraction = bits & ((1 << 52) - 1);
    match fraction.trailing_zeros() >= 52 - digits {
        true if number == 0.0 => Some(sign),
        true if (1..=most).contains(&exponent) => {
            Some(sign | (exponent as u64) << digits | fraction >> (52 - digits))
        }
        _ => None,
    }
}

/// The type of the element that `indices` lead to.
pub(crate) fn element_type(ty: &Type, indices: &[u32]) -> Option<Type> {
    indices.iter().try_fold(ty.clone(), |ty, &index| match ty {
        Type::Struct(fields) => fields.fields.get(index as usize).cloned(),
        Type::Array(_, element) => Some(Rc::unwrap_or_clone(element)),
        _ => None,
    })
}
