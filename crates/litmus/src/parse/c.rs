//! Threads and statements of the C dialect.

use super::init::thread_number;
use super::{Parsed, Parser};
use crate::ast::c::{BinaryOp, Expr, ExprKind, Parameter, Statement, StatementKind, Thread};
use crate::lexer::Token;
use atropos_event::{Fault, Span};

/// Statements of C that litmus tests do not have.
const UNSUPPORTED_STATEMENTS: [&str; 8] =
    ["goto", "switch", "return", "break", "continue", "struct", "typedef", "union"];

impl Parser {
    pub(super) fn c_threads(&mut self) -> Parsed<Vec<Thread>> {
        let mut threads = Vec::new();
        while self.is_at_thread() {
            let body_start = self.at;
            match self.c_thread(threads.len() as u64) {
                Ok(thread) => threads.push(thread),
                Err(complaint) => {
                    self.complaints.push(complaint);
                    self.skip_thread(body_start);
                    threads.push(Thread { parameters: Vec::new(), body: Vec::new(), span: self.span() });
                }
            }
        }
        if threads.is_empty() { Err(self.expected("a thread `P0 (...) { ... }`")) } else { Ok(threads) }
    }

    fn is_at_thread(&self) -> bool {
        match (self.peek(), self.peek_at(1)) {
            (Token::Ident(name), Token::Symbol("(")) => thread_number(name).is_some(),
            (Token::Ident(void), Token::Ident(name)) => void == "void" && thread_number(name).is_some(),
            _ => false,
        }
    }

    /// Skips the thread whose head is at token `start`.
    fn skip_thread(&mut self, start: usize) {
        let mut depth = 0u32;
        self.at = start;
        loop {
            match self.advance() {
                Token::Symbol("{") => depth += 1,
                Token::Symbol("}") if depth <= 1 => return,
                Token::Symbol("}") => depth -= 1,
                Token::End => return,
                _ => {}
            }
        }
    }

    fn c_thread(&mut self, expected_number: u64) -> Parsed<Thread> {
        self.eat_word("void");
        let start = self.span();
        let name = self.ident("a thread")?;
        if thread_number(&name) != Some(expected_number) {
            return Err(Fault::new(start, format!("expected thread `P{expected_number}`, found `{name}`")));
        }
        self.expect("(")?;
        let parameters = self.parameters()?;
        let span = self.span_since(start);
        Ok(Thread { parameters, body: self.block()?, span })
    }

    fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        let mut parameters = Vec::new();
        if self.is_at_word("void") && *self.peek_at(1) == Token::Symbol(")") {
            self.advance();
        }
        while !self.eat(")") {
            let start = self.span();
            if !self.is_at_type() {
                return Err(self.expected("a parameter such as `atomic_int* x`"));
            }
            let ty = self.pointer_type()?;
            let name = self.ident("the name of a parameter")?;
            parameters.push(Parameter { ty, name, span: self.span_since(start) });
            if !self.is_at(")") {
                self.expect(",")?;
            }
        }
        Ok(parameters)
    }

    /// `{ ... }`.
    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.expect("{")?;
        let mut statements = Vec::new();
        while !self.eat("}") {
            self.nested(|parser| parser.statement(&mut statements))?;
        }
        Ok(statements)
    }

    /// The statements of a block, or a single statement.
    fn body(&mut self) -> Parsed<Vec<Statement>> {
        if self.is_at("{") {
            return self.block();
        }
        let mut statements = Vec::new();
        self.nested(|parser| parser.statement(&mut statements))?;
        Ok(statements)
    }

    /// Adds the next statement: nothing for `;`, several statements for `int a, b;`.
    fn statement(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        let start = self.span();
        if self.eat(";") {
            return Ok(());
        }
        if self.is_at("{") {
            let block = StatementKind::Block(self.block()?);
            into.push(self.finish_statement(start, block));
            return Ok(());
        }
        if let Token::Ident(word) = self.peek() {
            let word = word.clone();
            match word.as_str() {
                "if" => return self.if_statement(into),
                "while" => return self.while_statement(into),
                "do" => return self.do_statement(into),
                "for" => return self.for_statement(into),
                word if UNSUPPORTED_STATEMENTS.contains(&word) => {
                    return Err(Fault::new(start, format!("`{word}` is not supported in litmus tests")));
                }
                _ if self.is_at_type() => return self.declaration(into),
                _ => {}
            }
        }
        let simple = self.simple_statement()?;
        self.expect(";")?;
        into.extend(simple);
        Ok(())
    }

    fn finish_statement(&self, start: Span, kind: StatementKind) -> Statement {
        Statement { kind, span: self.span_since(start) }
    }

    fn if_statement(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        let start = self.span();
        self.advance();
        let condition = self.parenthesised()?;
        let span = self.span_since(start);
        let then = self.body()?;
        let otherwise = if self.eat_word("else") { self.body()? } else { Vec::new() };
        into.push(Statement { kind: StatementKind::If { condition, then, otherwise }, span });
        Ok(())
    }

    fn while_statement(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        let start = self.span();
        self.advance();
        let condition = self.parenthesised()?;
        let span = self.span_since(start);
        let body = self.body()?;
        into.push(Statement { kind: StatementKind::While { condition, body }, span });
        Ok(())
    }

    fn do_statement(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        self.advance();
        let body = self.body()?;
        let start = self.span();
        if !self.eat_word("while") {
            return Err(self.expected("`while` after the body of `do`"));
        }
        let condition = self.parenthesised()?;
        self.expect(";")?;
        into.push(self.finish_statement(start, StatementKind::DoWhile { body, condition }));
        Ok(())
    }

    /// `for (first; condition; step) body` is `{ first; while (condition) { body step } }`.
    fn for_statement(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        let start = self.span();
        self.advance();
        self.expect("(")?;
        let mut block = Vec::new();
        self.nested(|parser| parser.statement(&mut block))?;
        let condition = if self.is_at(";") { Expr::int(1) } else { self.expression()? };
        self.expect(";")?;
        let step = if self.is_at(")") { None } else { self.simple_statement()? };
        self.expect(")")?;
        let span = self.span_since(start);
        let mut body = self.body()?;
        body.extend(step);
        block.push(Statement { kind: StatementKind::While { condition, body }, span });
        into.push(Statement { kind: StatementKind::Block(block), span });
        Ok(())
    }

    fn parenthesised(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let expr = self.expression()?;
        self.expect(")")?;
        Ok(expr)
    }

    /// `int a = e, *b;`
    fn declaration(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        let start = self.span();
        let first = self.pointer_type()?;
        let mut ty = first;
        loop {
            let name = self.ident("the name of a local")?;
            if self.is_at("[") {
                return Err(Fault::new(self.span(), "arrays are not supported in litmus tests"));
            }
            let value = if self.eat("=") { Some(self.expression()?) } else { None };
            into.push(self.finish_statement(start, StatementKind::Declare { ty, name, value }));
            if !self.eat(",") {
                break;
            }
            ty = crate::ast::types::Type { pointers: 0, ..first };
            while self.is_at("*") {
                self.star(&mut ty)?;
            }
        }
        self.expect(";")?;
        Ok(())
    }

    /// An assignment or a call; `None` for one without effect.
    fn simple_statement(&mut self) -> Parsed<Option<Statement>> {
        let start = self.span();
        if let Token::Ident(word) = self.peek()
            && *self.peek_at(1) == Token::Symbol("(")
        {
            let word = word.clone();
            if let Some(kind) = self.call_statement(&word)? {
                return Ok(Some(self.finish_statement(start, kind)));
            }
            if word == "atomic_signal_fence" {
                return Ok(None);
            }
        }
        for (symbol, op) in [("++", BinaryOp::Add), ("--", BinaryOp::Sub)] {
            if self.eat(symbol) {
                let name = self.ident("a local")?;
                return Ok(Some(self.update(start, name, op, Expr::int(1))));
            }
        }
        let left = self.expression()?;
        let kind = match left.kind {
            ExprKind::Name(name) => return self.assignment(start, name).map(Some),
            ExprKind::Load { pointer, order: None } if self.eat("=") => {
                StatementKind::Store { pointer: *pointer, value: self.expression()?, order: None }
            }
            ExprKind::Load { order: None, .. } if self.at_compound_assignment().is_some() => {
                let message =
                    "a compound assignment to memory is not supported: write the load and the store";
                return Err(Fault::new(self.span(), message));
            }
            kind => StatementKind::Evaluate(Expr { kind, span: left.span }),
        };
        Ok(Some(self.finish_statement(start, kind)))
    }

    /// The text after the name on the left: `= e`, `+= e`, `++`, or nothing.
    fn assignment(&mut self, start: Span, name: String) -> Parsed<Statement> {
        if self.eat("=") {
            let value = self.expression()?;
            return Ok(self.finish_statement(start, StatementKind::Assign { name, value }));
        }
        for (symbol, op) in [("++", BinaryOp::Add), ("--", BinaryOp::Sub)] {
            if self.eat(symbol) {
                return Ok(self.update(start, name, op, Expr::int(1)));
            }
        }
        if let Some(op) = self.at_compound_assignment() {
            self.advance();
            let value = self.expression()?;
            return Ok(self.update(start, name, op, value));
        }
        let name = Expr { kind: ExprKind::Name(name), span: start };
        Ok(self.finish_statement(start, StatementKind::Evaluate(name)))
    }

    /// `name = name op value`
    fn update(&self, start: Span, name: String, op: BinaryOp, value: Expr) -> Statement {
        let span = self.span_since(start);
        let old = Expr { kind: ExprKind::Name(name.clone()), span };
        let value = Expr { kind: ExprKind::Binary(op, Box::new(old), Box::new(value)), span };
        Statement { kind: StatementKind::Assign { name, value }, span }
    }

    fn at_compound_assignment(&self) -> Option<BinaryOp> {
        let Token::Symbol(symbol) = self.peek() else { return None };
        let operator = symbol.strip_suffix('=')?;
        let assigns = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"].contains(&operator);
        let (op, ..) = BinaryOp::TABLE.into_iter().find(|&(_, text, _)| text == operator)?;
        assigns.then_some(op)
    }
}
