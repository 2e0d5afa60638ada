//! Globals: their types, alignment and initial values.

use crate::ir::{Global, Relocation};
use crate::text::lexer::Token;
use crate::text::parser::{Parse, Parser};
use atropos_event::Fault;

/// Initial bytes that one text can give to one global.
const BYTES_LIMIT: usize = 1 << 24;

impl Parser<'_> {
    /// `align BYTES`, if it comes next; zero otherwise.
    pub(super) fn alignment(&mut self) -> Parse<u64> {
        if self.take_keyword("align") { self.number("an alignment in bytes") } else { Ok(0) }
    }

    /// `[const] [thread_local] global NAME: TYPE [align BYTES] [= VALUES] [at OFFSET: &NAME]...`
    pub(super) fn global(&mut self) -> Parse<()> {
        let constant = self.take_keyword("const");
        let thread_local = self.take_keyword("thread_local");
        self.keyword("global")?;
        let name = self.name("the name of a global")?;
        self.sign(':')?;
        let (element, count) = self.global_type()?;
        let align = self.alignment()?;
        let mut global = Global { constant, thread_local, align, ..Global::zeroed(&name, element, count) };
        if self.take_sign('=') {
            self.initial_values(&mut global)?;
        }
        while self.take_keyword("at") {
            let offset = self.number("the offset of an address")?;
            self.sign(':')?;
            self.sign('&')?;
            let target = self.symbol()?;
            global.relocations.push(Relocation { offset, target });
        }
        self.module.global(global);
        self.statement_end()
    }

    /// `i32` or `[i32; 16]`: the size of an element, and how many there are.
    fn global_type(&mut self) -> Parse<(u8, u64)> {
        if !self.take_sign('[') {
            return Ok((self.element()?, 1));
        }
        let element = self.element()?;
        if *self.peek() != Token::LineEnd {
            return self.expected("`;`");
        }
        self.advance();
        let count = self.number("the number of elements")?;
        self.sign(']')?;
        Ok((element, count))
    }

    fn element(&mut self) -> Parse<u8> {
        let size = match self.peek() {
            Token::Name(name) => match name.as_str() {
                "i8" => 1,
                "i16" => 2,
                "i32" | "f32" => 4,
                "i64" | "f64" | "ptr" => 8,
                _ => return self.expected("a type: `i8`, `i16`, `i32`, `i64`, `f32`, `f64` or `ptr`"),
            },
            _ => return self.expected("a type"),
        };
        self.advance();
        Ok(size)
    }

    fn initial_values(&mut self, global: &mut Global) -> Parse<()> {
        if !self.take_sign('{') {
            return self.initial_value(global);
        }
        loop {
            self.skip_line_ends();
            if self.take_sign('}') {
                return Ok(());
            }
            self.initial_value(global)?;
            self.skip_line_ends();
            if !self.take_sign(',') {
                return self.sign('}');
            }
        }
    }

    /// A number, or `&NAME [+ NUMBER]` in a global of eight-byte elements.
    fn initial_value(&mut self, global: &mut Global) -> Parse<()> {
        let span = self.span();
        let offset = global.bytes.len() as u64;
        let value = if self.take_sign('&') {
            if global.element != 8 {
                return Err(Fault::new(span, "an address needs elements of eight bytes"));
            }
            let target = self.symbol()?;
            global.relocations.push(Relocation { offset, target });
            let more = self.is_sign('-') || self.take_sign('+');
            if more { self.number("a number")? } else { 0 }
        } else {
            self.number("an initial value")?
        };
        if offset >= global.size() || offset as usize > BYTES_LIMIT {
            return Err(Fault::new(span, "more initial values than elements"));
        }
        global.bytes.extend_from_slice(&value.to_le_bytes()[..usize::from(global.element)]);
        Ok(())
    }
}
