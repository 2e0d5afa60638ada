//! The initial state: `{ x=0; [y]=1; int a=2; atomic_int z; 0:r1=x; int *p=&x; }`.

use super::{Parsed, Parser};
use crate::ast::Init;
use crate::condition::{Constant, Observable};
use crate::lexer::Token;
use atropos_event::Fault;

impl Parser {
    pub(super) fn init_section(&mut self) -> Parsed<Vec<Init>> {
        self.expect("{")?;
        let mut items = Vec::new();
        while !self.is_at("}") {
            if !self.eat(";") {
                items.push(self.init_item()?);
                if !self.is_at("}") {
                    self.expect(";")?;
                }
            }
        }
        self.expect("}")?;
        Ok(items)
    }

    fn init_item(&mut self) -> Parsed<Init> {
        let start = self.span();
        let ty = if self.is_at_type() { Some(self.pointer_type()?) } else { None };
        let target = self.observable("a location or `thread:register`")?;
        if self.is_at("[") {
            return Err(Fault::new(self.span(), "arrays are not supported in litmus tests"));
        }
        let value = if self.eat("=") { self.constant()? } else { Constant::Int(0) };
        Ok(Init { ty, target, value, span: self.span_since(start) })
    }

    /// `x`, `[x]`, `*x`, `0:r1`, `P0:r1` or `0:%rax`.
    pub(super) fn observable(&mut self, what: &str) -> Parsed<Observable> {
        if self.eat("[") {
            let name = self.ident("a location")?;
            self.expect("]")?;
            return Ok(Observable::Location(name));
        }
        if self.eat("*") {
            return Ok(Observable::Location(self.ident("a location")?));
        }
        let (token, next_is_colon) = (self.peek().clone(), matches!(self.peek_at(1), Token::Symbol(":")));
        match token {
            Token::Number(thread) => {
                self.advance();
                self.expect(":")?;
                self.register_of(thread)
            }
            Token::Ident(name) if next_is_colon && thread_number(&name).is_some() => {
                self.advance();
                self.advance();
                self.register_of(thread_number(&name).unwrap_or(0))
            }
            Token::Ident(name) => {
                self.advance();
                Ok(Observable::Location(name))
            }
            _ => Err(self.expected(what)),
        }
    }

    fn register_of(&mut self, thread: u64) -> Parsed<Observable> {
        let thread = usize::try_from(thread).unwrap_or(usize::MAX);
        self.eat("%");
        Ok(Observable::Register { thread, name: self.ident("a register")? })
    }

    /// An integer, or the address of a location: `x` or `&x`.
    pub(super) fn constant(&mut self) -> Parsed<Constant> {
        let has_ampersand = self.eat("&");
        match self.peek() {
            Token::Ident(_) => Ok(Constant::Address(self.ident("a location")?)),
            _ if has_ampersand => Err(self.expected("a location")),
            Token::Number(_) | Token::Symbol("-") => Ok(Constant::Int(self.integer()?)),
            _ => Err(self.expected("an integer or a location")),
        }
    }
}

/// The number of a thread named `P0`, `P1`, ...
pub(crate) fn thread_number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix('P')?;
    digits.starts_with(|c: char| c.is_ascii_digit()).then(|| digits.parse().ok())?
}
