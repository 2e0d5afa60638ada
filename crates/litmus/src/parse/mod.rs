//! Recursive descent over the tokens of a litmus file; each function is one production.
//!
//! An error inside one thread does not hide those in others: the parser records it and continues after the thread's
//! closing brace. Nesting is bounded, so that no input can exhaust the stack.

mod atomics;
mod c;
mod expression;
mod finals;
mod header;
mod init;
mod types;
mod x86;

use crate::ast::{Code, Dialect, Litmus, x86::Mode};
use crate::lexer::{Token, tokenize};
use atropos_event::{Diagnostics, Fault, Span, Texts};
use header::{Header, Language};

/// How deeply expressions, statements and conditions may nest.
const MAX_DEPTH: u32 = 128;

/// The syntax tree of the litmus test `text`; `file` is its name in diagnostics.
pub fn parse(text: &str, file: &str) -> Result<Litmus, Diagnostics> {
    parse_or_complain(text).map_err(|complaints| Texts::of_file(file, text).errors(complaints))
}

/// The dialect of a litmus test, by its first lines.
pub fn dialect(text: &str) -> Option<Dialect> {
    header::parse(text).ok().map(|header| match header.language {
        Language::C => Dialect::C,
        Language::X86 | Language::X86_64 => Dialect::X86,
    })
}

fn parse_or_complain(text: &str) -> Result<Litmus, Vec<Fault>> {
    let header = header::parse(text).map_err(|complaint| vec![complaint])?;
    let tokens = tokenize(text, header.body).map_err(|complaint| vec![complaint])?;
    let mut parser = Parser { tokens, at: 0, depth: 0, complaints: Vec::new() };
    match parser.litmus(header) {
        Ok(litmus) if parser.complaints.is_empty() => Ok(litmus),
        Ok(_) => Err(parser.complaints),
        Err(complaint) => {
            parser.complaints.push(complaint);
            Err(parser.complaints)
        }
    }
}

type Parsed<T> = Result<T, Fault>;

struct Parser {
    /// Never empty: the last token is [`Token::End`].
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: u32,
    /// Mistakes the parser recovered from.
    complaints: Vec<Fault>,
}

impl Parser {
    fn litmus(&mut self, header: Header) -> Parsed<Litmus> {
        let init = self.init_section()?;
        let code = match header.language {
            Language::C => Code::C(self.c_threads()?),
            Language::X86 => Code::X86 { mode: Mode::B32, threads: self.x86_threads(Mode::B32)? },
            Language::X86_64 => Code::X86 { mode: Mode::B64, threads: self.x86_threads(Mode::B64)? },
        };
        let finals = self.finals()?;
        Ok(Litmus {
            name: header.name,
            doc: header.doc,
            info: header.info,
            init,
            code,
            locations: finals.locations,
            filter: finals.filter,
            condition: finals.condition,
        })
    }

    fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// From `start` to the end of the last token taken.
    fn span_since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].1)
    }

    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is_at(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) if *found == symbol)
    }

    fn is_at_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Ident(found) if found == word)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let is_here = self.is_at(symbol);
        if is_here {
            self.advance();
        }
        is_here
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is_here = self.is_at_word(word);
        if is_here {
            self.advance();
        }
        is_here
    }

    fn expect(&mut self, symbol: &'static str) -> Parsed<Span> {
        let span = self.span();
        if self.eat(symbol) { Ok(span) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    fn ident(&mut self, what: &str) -> Parsed<String> {
        match self.peek() {
            Token::Ident(name) => {
                let name = name.clone();
                self.advance();
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// An integer literal with an optional sign. Values from 2^63 on wrap around, as C's do.
    fn integer(&mut self) -> Parsed<i64> {
        let is_negative = self.eat("-");
        match *self.peek() {
            Token::Number(magnitude) => {
                self.advance();
                let value = magnitude as i64;
                Ok(if is_negative { value.wrapping_neg() } else { value })
            }
            _ => Err(self.expected("an integer")),
        }
    }

    fn expected(&self, what: &str) -> Fault {
        Fault::new(self.span(), format!("expected {what}, found {}", self.peek().describe()))
    }

    /// Runs `production` one level deeper.
    fn nested<T>(&mut self, production: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return Err(Fault::new(self.span(), format!("nested more than {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let result = production(self);
        self.depth -= 1;
        result
    }
}
