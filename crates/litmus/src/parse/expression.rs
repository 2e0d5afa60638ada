//! Expressions of the C dialect, by precedence climbing.

use super::{Parsed, Parser};
use crate::ast::c::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::lexer::Token;
use atropos_event::Fault;

impl Parser {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            let start = parser.span();
            let condition = parser.binary(0)?;
            if !parser.eat("?") {
                return Ok(condition);
            }
            let then = parser.expression()?;
            parser.expect(":")?;
            let otherwise = parser.expression()?;
            let kind = ExprKind::Choice(Box::new([condition, then, otherwise]));
            Ok(Expr { kind, span: parser.span_since(start) })
        })
    }

    /// Operators that bind more tightly than `strength`, which is below theirs.
    fn binary(&mut self, strength: u8) -> Parsed<Expr> {
        const MAX_OPERATORS: u32 = 1024;
        let start = self.span();
        let mut left = self.unary()?;
        for _ in 0..MAX_OPERATORS {
            let Some(op) = self.binary_operator().filter(|op| op.strength() > strength) else {
                return Ok(left);
            };
            self.advance();
            let right = self.nested(|parser| parser.binary(op.strength()))?;
            let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
            left = Expr { kind, span: self.span_since(start) };
        }
        Err(self.expected(&format!("an expression of fewer than {MAX_OPERATORS} operators")))
    }

    fn binary_operator(&self) -> Option<BinaryOp> {
        let Token::Symbol(symbol) = self.peek() else { return None };
        BinaryOp::TABLE.into_iter().find(|(_, text, _)| text == symbol).map(|(op, ..)| op)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let op = match self.peek() {
            Token::Symbol("-") => Some(UnaryOp::Negate),
            Token::Symbol("~") => Some(UnaryOp::Complement),
            Token::Symbol("!") => Some(UnaryOp::Not),
            Token::Symbol("+" | "*" | "&") => None,
            _ => return self.primary(),
        };
        let symbol = self.advance();
        let operand = self.nested(Self::unary)?;
        let kind = match (op, symbol) {
            // The sign of a literal is part of it, so that it prints as written.
            (Some(UnaryOp::Negate), _) if matches!(operand.kind, ExprKind::Int(_)) => {
                let ExprKind::Int(value) = operand.kind else { unreachable!("matched above") };
                ExprKind::Int(value.wrapping_neg())
            }
            (Some(op), _) => ExprKind::Unary(op, Box::new(operand)),
            (None, Token::Symbol("*")) => ExprKind::Load { pointer: Box::new(operand), order: None },
            (None, Token::Symbol("&")) => return self.address_of(operand),
            (None, _) => operand.kind,
        };
        Ok(Expr { kind, span: self.span_since(start) })
    }

    /// `&*p` is `p`; other addresses are allowed only as the second argument of a compare-exchange.
    fn address_of(&self, operand: Expr) -> Parsed<Expr> {
        match operand.kind {
            ExprKind::Load { pointer, order: None } => Ok(*pointer),
            _ => Err(Fault::new(
                operand.span,
                "the address of a local can only be the expected value of a compare-exchange",
            )),
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.peek().clone() {
            Token::Number(value) => {
                self.advance();
                ExprKind::Int(value as i64)
            }
            Token::Ident(name) if *self.peek_at(1) == Token::Symbol("(") => self.call_expression(&name)?,
            Token::Ident(name) => {
                self.advance();
                match name.as_str() {
                    "true" => ExprKind::Int(1),
                    "false" | "NULL" => ExprKind::Int(0),
                    _ => ExprKind::Name(name),
                }
            }
            Token::Symbol("(") => return self.parenthesised_or_cast(),
            _ => return Err(self.expected("an expression")),
        };
        if self.is_at("[") || self.is_at("->") || self.is_at(".") {
            return Err(Fault::new(self.span(), "arrays and structures are not supported in litmus tests"));
        }
        Ok(Expr { kind, span: self.span_since(start) })
    }

    fn parenthesised_or_cast(&mut self) -> Parsed<Expr> {
        let start = self.span();
        self.advance();
        if self.is_at_type() {
            return Err(Fault::new(start.to(self.span()), "casts are not supported in litmus tests"));
        }
        let inner = self.expression()?;
        self.expect(")")?;
        Ok(Expr { span: self.span_since(start), ..inner })
    }
}
