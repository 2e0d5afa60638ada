//! The cursor over tokens that all readers share, and types.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::lexer::{self, Token, TokenKind};
use super::locals::LocalNames;
use super::typed_pointers::Views;
use crate::Volatile;
use crate::ast::{FunctionType, Half, OtherType, Struct, Type};
use atropos_event::Diagnostic;

/// The named types of a module: their text until first use, their meaning from then on.
#[derive(Default)]
pub(crate) struct NamedTypes {
    pub texts: HashMap<String, (String, u32)>,
    known: RefCell<HashMap<String, Type>>,
    /// The nesting depth of the current type, across definitions.
    depth: Cell<u32>,
}

/// The maximum nesting of types and constants; clang refuses brackets in C that nest deeper than 256.
const MAX_DEPTH: u32 = 300;

pub(crate) struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    file: &'t str,
    types: &'t NamedTypes,
    /// The nesting depth of the current value.
    depth: u32,
    volatile: Volatile,
    /// Where control goes after `callbr`, inline assembly that may jump to labels of C. Assembly that does is not
    /// modelled, so it is a call, followed by a jump to this block.
    pub(super) next_block: Option<Rc<str>>,
    /// Local addresses that are cast to pointers to structs.
    pub(super) views: Views,
}

/// Line and column.
pub(crate) type LineColumn = (u32, u32);

pub(crate) type Parsed<T> = Result<T, Diagnostic>;

impl<'t> Parser<'t> {
    /// Reads `text`, which starts at `line` of `file`.
    pub(crate) fn new(file: &'t str, text: &'t str, line: u32, types: &'t NamedTypes) -> Parsed<Parser<'t>> {
        Ok(Parser {
            tokens: lexer::tokens(file, text, line)?,
            at: 0,
            file,
            types,
            depth: 0,
            volatile: Volatile::Plain,
            next_block: None,
            views: Views::default(),
        })
    }

    pub(crate) fn with_volatile(self, volatile: Volatile) -> Parser<'t> {
        Parser { volatile, ..self }
    }

    pub(crate) fn volatile(&self) -> Volatile {
        self.volatile
    }

    pub(crate) fn peek(&self) -> Token<'t> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(crate) fn peek_behind(&self) -> Token<'t> {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    pub(crate) fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at += 1;
        token
    }

    pub(crate) fn complain<T>(&self, message: impl Into<String>) -> Parsed<T> {
        self.complain_at(self.place(), message)
    }

    pub(crate) fn complain_at<T>(&self, (line, column): LineColumn, message: impl Into<String>) -> Parsed<T> {
        Err(Diagnostic::error(message).at_line(self.file, line, column))
    }

    pub(crate) fn place(&self) -> LineColumn {
        let Token { line, column, .. } = self.peek();
        (line, column)
    }

    /// The line of the token just read.
    pub(crate) fn line_before(&self) -> u32 {
        self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].line
    }

    pub(crate) fn accept(&mut self, text: &str) -> bool {
        let found = self.peek().is(text);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.accept(text) {
            return Ok(());
        }
        self.complain(format!("expected `{text}`, found `{}`", self.peek().text))
    }

    pub(crate) fn expect_kind(&mut self, kind: TokenKind, what: &str) -> Parsed<&'t str> {
        if self.peek().kind == kind {
            return Ok(self.next().text);
        }
        self.complain(format!("expected {what}, found `{}`", self.peek().text))
    }

    pub(crate) fn number(&mut self) -> Parsed<u64> {
        let text = self.expect_kind(TokenKind::Number, "a number")?;
        text.parse().or_else(|_| self.complain(format!("`{text}` is not a number that fits here")))
    }

    /// Skips `( ... )` with everything in it, if it comes next.
    pub(crate) fn skip_parentheses(&mut self) -> Parsed<()> {
        self.skip_group("(", ")")
    }

    pub(crate) fn skip_braces(&mut self) -> Parsed<()> {
        self.skip_group("{", "}")
    }

    pub(crate) fn skip_group(&mut self, open: &str, close: &str) -> Parsed<()> {
        if !self.accept(open) {
            return Ok(());
        }
        let mut depth = 1;
        while depth > 0 {
            let token = self.next();
            match token.kind {
                TokenKind::End => return self.complain(format!("`{open}` is not closed")),
                _ if token.is(open) => depth += 1,
                _ if token.is(close) => depth -= 1,
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads a part of a value that may contain values itself.
    pub(crate) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return self.complain(format!("constants are nested more than {MAX_DEPTH} deep"));
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    /// The parameters of a function: their types and names, and whether more arguments may follow.
    pub(crate) fn parameters(&mut self) -> Parsed<(Vec<Type>, Vec<Rc<str>>, bool)> {
        self.expect("(")?;
        let (mut params, mut names, mut variadic) = (Vec::new(), Vec::new(), false);
        let mut locals = LocalNames::default();
        while !self.accept(")") {
            if self.accept("...") {
                variadic = true;
                continue;
            }
            params.push(self.ty()?);
            self.attributes()?;
            let token = self.peek();
            let name = (token.kind == TokenKind::Local).then_some(token.text);
            names.push(locals.define(name).or_else(|message| self.complain(message))?);
            if name.is_some() {
                self.next();
            }
            if !self.peek().is(")") {
                self.expect(",")?;
            }
        }
        Ok((params, names, variadic))
    }

    /// Skips attributes and markers up to where a type starts.
    pub(crate) fn skip_to_type(&mut self) -> Parsed<()> {
        while !self.at_type() {
            let token = self.next();
            match token.kind {
                TokenKind::Word => self.skip_parentheses()?,
                TokenKind::Number | TokenKind::Attribute | TokenKind::String => {}
                _ if token.is("=") => {}
                _ => {
                    self.at -= 1;
                    return self.complain(format!("expected a type, found `{}`", token.text));
                }
            }
        }
        Ok(())
    }

    pub(crate) fn at_type(&self) -> bool {
        let token = self.peek();
        match token.kind {
            TokenKind::Word => is_type_word(token.text),
            TokenKind::Local => true,
            TokenKind::Punctuation => matches!(token.text, "{" | "[" | "<"),
            _ => false,
        }
    }

    pub(crate) fn ty(&mut self) -> Parsed<Type> {
        let depth = self.types.depth.get();
        if depth >= MAX_DEPTH {
            return self
                .complain(format!("types are nested more than {MAX_DEPTH} deep, or one contains itself"));
        }
        self.types.depth.set(depth + 1);
        let ty = self.type_inside();
        self.types.depth.set(depth);
        ty
    }

    fn type_inside(&mut self) -> Parsed<Type> {
        let mut ty = self.simple_type()?;
        let mut n_functions = 0;
        loop {
            if self.peek().is("(") {
                ty = self.function_type(ty)?;
                n_functions += 1;
                if n_functions > MAX_DEPTH {
                    return self.complain("a function cannot return a function");
                }
            } else if self.at_star() {
                // Up to clang 14, pointers have types.
                self.accept("addrspace");
                self.skip_parentheses()?;
                self.expect("*")?;
                ty = Type::Ptr;
            } else {
                return Ok(ty);
            }
        }
    }

    /// Whether the type that was just read is that of what a pointer points to.
    fn at_star(&self) -> bool {
        self.peek().is("*") || self.peek().is("addrspace")
    }

    fn function_type(&mut self, result: Type) -> Parsed<Type> {
        self.expect("(")?;
        let (mut params, mut variadic) = (Vec::new(), false);
        while !self.accept(")") {
            if self.accept("...") {
                variadic = true;
            } else {
                params.push(self.ty()?);
            }
            if !self.peek().is(")") {
                self.expect(",")?;
            }
        }
        Ok(Type::Function(Rc::new(FunctionType { result, params, variadic })))
    }

    fn simple_type(&mut self) -> Parsed<Type> {
        let token = self.next();
        Ok(match (token.kind, token.text) {
            // What a pointer points to may contain the pointer.
            (TokenKind::Local, _) if self.at_star() => Type::Void,
            (TokenKind::Local, name) => return self.named(name),
            (_, "void") => Type::Void,
            (_, "float") => Type::Float,
            (_, "double") => Type::Double,
            (_, "half") => Type::Half(Half::Standard),
            (_, "bfloat") => Type::Half(Half::Upper),
            (_, "ptr") => {
                if self.accept("addrspace") {
                    self.skip_parentheses()?;
                }
                Type::Ptr
            }
            (_, "{") => self.fields(false)?,
            (_, "[") => {
                let length = self.number()?;
                self.expect("x")?;
                let element = self.ty()?;
                self.expect("]")?;
                Type::Array(length, Rc::new(element))
            }
            (_, "<") if self.accept("{") => {
                let ty = self.fields(true)?;
                self.expect(">")?;
                ty
            }
            (_, "<") => {
                let is_scalable = self.accept("vscale");
                if is_scalable {
                    self.expect("x")?;
                }
                let length = self.number()?;
                self.expect("x")?;
                let element = self.ty()?;
                self.expect(">")?;
                match is_scalable {
                    true => Type::Other(OtherType::ScalableVector),
                    false => Type::Vector(length, Rc::new(element)),
                }
            }
            (TokenKind::Word, text) if is_type_word(text) => match text[1..].parse() {
                Ok(bits) if text.starts_with('i') => Type::Int(bits),
                _ => {
                    self.skip_parentheses()?;
                    Type::Other(match text {
                        "x86_fp80" => OtherType::X86Fp80,
                        "metadata" => OtherType::Metadata,
                        _ => OtherType::Word(text.into()),
                    })
                }
            },
            _ => {
                self.at -= 1;
                return self.complain(format!("expected a type, found `{}`", token.text));
            }
        })
    }

    fn fields(&mut self, packed: bool) -> Parsed<Type> {
        let mut fields = Vec::new();
        while !self.accept("}") {
            fields.push(self.ty()?);
            if !self.peek().is("}") {
                self.expect(",")?;
            }
        }
        Ok(Type::Struct(Rc::new(Struct { fields, packed })))
    }

    pub(super) fn named(&self, name: &str) -> Parsed<Type> {
        if let Some(known) = self.types.known.borrow().get(name) {
            return Ok(known.clone());
        }
        let Some((text, line)) = self.types.texts.get(name) else {
            return self.complain(format!("the type `%{name}` is not defined"));
        };
        let ty = match text.as_str() {
            "opaque" => Type::Other(OtherType::Opaque(name.into())),
            text => Parser::new(self.file, text, *line, self.types)?.ty()?,
        };
        self.types.known.borrow_mut().insert(name.to_string(), ty.clone());
        Ok(ty)
    }
}

fn is_type_word(text: &str) -> bool {
    let is_int = text.strip_prefix('i').is_some_and(|bits| bits.parse::<u32>().is_ok());
    let words = ["void", "float", "double", "ptr", "half", "bfloat", "fp128", "x86_fp80", "ppc_fp128"];
    is_int || words.contains(&text) || ["label", "metadata", "token", "x86_amx", "target"].contains(&text)
}
