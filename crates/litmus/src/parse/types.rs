//! C types in many forms: `int`, `unsigned long long`, `volatile int*`, `atomic_int*`, `_Atomic(int) *`.

use super::{Parsed, Parser};
use crate::ast::types::{Base, Type, type_word};
use crate::lexer::Token;
use atropos_event::Fault;

/// Words that may precede or form a type besides those of [`type_word`].
const QUALIFIERS: [&str; 6] = ["const", "volatile", "register", "static", "_Atomic", "unsigned"];

impl Parser {
    pub(super) fn is_at_type(&self) -> bool {
        matches!(self.peek(), Token::Ident(word)
            if QUALIFIERS.contains(&word.as_str()) || type_word(word).is_some())
    }

    /// A base type and the stars after it.
    pub(super) fn pointer_type(&mut self) -> Parsed<Type> {
        let mut ty = self.base_type()?;
        loop {
            if self.is_at("*") {
                self.star(&mut ty)?;
            } else if !(self.eat_word("const") || self.eat_word("restrict") || self.eat_word("volatile")) {
                return Ok(ty);
            }
        }
    }

    /// `*`, which makes `ty` a pointer to the former `ty`.
    pub(super) fn star(&mut self, ty: &mut Type) -> Parsed<()> {
        const MAX_POINTERS: u8 = 8;
        let span = self.expect("*")?;
        if ty.pointers == MAX_POINTERS {
            return Err(Fault::new(span, format!("a pointer of more than {MAX_POINTERS} levels")));
        }
        *ty = ty.pointer_to();
        Ok(())
    }

    fn base_type(&mut self) -> Parsed<Type> {
        let start = self.span();
        let (mut base, mut unsigned) = (None, false);
        let (mut atomic, mut volatile) = (false, false);
        while self.is_at_type() {
            let word = self.ident("a type")?;
            match word.as_str() {
                "const" | "register" | "static" => {}
                "volatile" => volatile = true,
                "unsigned" => unsigned = true,
                "_Atomic" => {
                    atomic = true;
                    if self.eat("(") {
                        base = Some(self.nested(Self::base_type)?.base);
                        self.expect(")")?;
                    }
                }
                word => {
                    let Some((found, is_atomic)) = type_word(word) else { break };
                    atomic |= is_atomic;
                    base = Some(combine(base, found));
                }
            }
        }
        let base = match (base, unsigned) {
            (Some(base), false) => base,
            (Some(base), true) => base.unsigned(),
            (None, true) => Base::UInt,
            (None, false) => {
                return Err(Fault::new(self.span_since(start), "expected a type"));
            }
        };
        Ok(Type { base, atomic, volatile, pointers: 0 })
    }
}

/// `long long` and `long int` are `long`, `short int` is `short`.
fn combine(before: Option<Base>, found: Base) -> Base {
    match (before, found) {
        (Some(base @ (Base::Long | Base::Short | Base::Char)), Base::Int) => base,
        (_, found) => found,
    }
}
