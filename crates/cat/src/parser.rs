//! Parses tokens into a syntax tree, by recursive descent: one function per production.
//!
//! [`MAX_HEIGHT`] bounds nesting and tree height. No handwritten model comes near it, and no input overflows the
//! stack, here or in any later walk over the tree.

use crate::ast::{
    BinaryOp, Binding, Check, CheckKind, Expr, ExprKind, File, Identifier, PostfixOp, Statement,
};
use crate::lexer::{Keyword, Token, tokenize};
use atropos_event::{Fault, Span};

pub(crate) const MAX_HEIGHT: usize = 200;

pub(crate) fn parse(file: u32, text: &str) -> Result<File, Fault> {
    let mut parser = Parser { tokens: tokenize(file, text)?, at: 0, nesting: 0 };
    parser.file()
}

struct Parser<'t> {
    tokens: Vec<(Token<'t>, Span)>,
    at: usize,
    nesting: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Token<'t> {
        self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The place of the last token consumed.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn advance(&mut self) -> (Token<'t>, Span) {
        let current = self.tokens[self.at];
        // The end of the file is never consumed, so `peek` always has a token.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        current
    }

    fn eat(&mut self, token: Token<'_>) -> bool {
        let is_next = self.peek() == token;
        if is_next {
            self.advance();
        }
        is_next
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        self.eat(Token::Keyword(keyword))
    }

    fn expect(&mut self, token: Token<'_>, what: &str) -> Result<(), Fault> {
        if self.eat(token) { Ok(()) } else { self.unexpected(what) }
    }

    fn unexpected<T>(&self, expected: &str) -> Result<T, Fault> {
        let found = match self.peek() {
            Token::EndOfFile => "the end of the file",
            Token::Keyword(Keyword::Unsupported) => "a construct of herd that is not supported here",
            Token::Keyword(_) => "a keyword",
            Token::Name(_) => "a name",
            Token::Text(_) => "a string",
            _ => "this",
        };
        Fault::err(self.span(), format!("expected {expected}, found {found}"))
    }

    fn identifier(&mut self, what: &str) -> Result<Identifier, Fault> {
        let Token::Name(name) = self.peek() else { return self.unexpected(what) };
        let (_, span) = self.advance();
        Ok(Identifier { name: name.to_string(), span })
    }

    /// `title? statement*`, where a title is a string or, as in herd, a bare word.
    fn file(&mut self) -> Result<File, Fault> {
        let title = match self.peek() {
            Token::Text(title) | Token::Name(title) => {
                self.advance();
                Some(title.to_string())
            }
            _ => None,
        };
        let mut statements = Vec::new();
        while self.peek() != Token::EndOfFile {
            statements.extend(self.opt_statement()?);
        }
        Ok(File { title, statements })
    }

    /// One statement; none for `show` and `unshow`, which concern herd's drawings.
    fn opt_statement(&mut self) -> Result<Option<Statement>, Fault> {
        match self.peek() {
            Token::Keyword(Keyword::Let) => self.definition().map(Some),
            Token::Keyword(Keyword::Include) => self.include().map(Some),
            Token::Keyword(Keyword::Show | Keyword::Unshow) => {
                self.advance();
                self.skip_show()?;
                Ok(None)
            }
            _ => self.check().map(Some),
        }
    }

    fn include(&mut self) -> Result<Statement, Fault> {
        self.advance();
        let Token::Text(name) = self.peek() else { return self.unexpected("a file name in quotes") };
        let (_, span) = self.advance();
        Ok(Statement::Include(Identifier { name: name.to_string(), span }))
    }

    /// `expression (as name)?` separated by commas, all ignored.
    fn skip_show(&mut self) -> Result<(), Fault> {
        loop {
            self.expression()?;
            if self.eat_keyword(Keyword::As) {
                self.identifier("a name after `as`")?;
            }
            if !self.eat(Token::Comma) {
                return Ok(());
            }
        }
    }

    /// `let rec? binding (and binding)*`.
    fn definition(&mut self) -> Result<Statement, Fault> {
        self.advance();
        let is_recursive = self.eat_keyword(Keyword::Rec);
        let mut bindings = vec![self.binding()?];
        while self.eat_keyword(Keyword::And) {
            bindings.push(self.binding()?);
        }
        Ok(Statement::Let { is_recursive, bindings })
    }

    fn binding(&mut self) -> Result<Binding, Fault> {
        let name = self.identifier("a name to define")?;
        let parameters = self.opt_parameters()?;
        self.expect(Token::Equals, "`=`")?;
        Ok(Binding { name, parameters, body: self.expression()? })
    }

    /// `f x = …` or `f(x, y) = …`.
    fn opt_parameters(&mut self) -> Result<Option<Vec<Identifier>>, Fault> {
        if let Token::Name(_) = self.peek() {
            return Ok(Some(vec![self.identifier("a parameter")?]));
        }
        if !self.eat(Token::OpenParen) {
            return Ok(None);
        }
        let mut parameters = vec![self.identifier("a parameter")?];
        while self.eat(Token::Comma) {
            parameters.push(self.identifier("a parameter")?);
        }
        self.expect(Token::CloseParen, "`)` after the parameters")?;
        Ok(Some(parameters))
    }

    /// `flag? ~? (acyclic | irreflexive | empty) expression (as name)?`.
    fn check(&mut self) -> Result<Statement, Fault> {
        let is_flag = self.eat_keyword(Keyword::Flag);
        let is_negated = self.eat(Token::Tilde);
        let kind = match self.peek() {
            Token::Keyword(Keyword::Acyclic) => CheckKind::Acyclic,
            Token::Keyword(Keyword::Irreflexive) => CheckKind::Irreflexive,
            Token::Keyword(Keyword::Empty) => CheckKind::Empty,
            _ if is_flag || is_negated => return self.unexpected("`acyclic`, `irreflexive` or `empty`"),
            _ => return self.unexpected("`let`, `include`, `acyclic`, `irreflexive`, `empty` or `flag`"),
        };
        self.advance();
        let body = self.expression()?;
        let mut name = None;
        if self.eat_keyword(Keyword::As) {
            name = Some(self.identifier("a name after `as`")?.name);
        }
        Ok(Statement::Check(Check { kind, is_negated, is_flag, body, name }))
    }

    fn expression(&mut self) -> Result<Expr, Fault> {
        self.binary(BinaryOp::Union.precedence())
    }

    /// Operators of at least the given precedence, by precedence climbing; all associate to the left.
    fn binary(&mut self, at_least: u8) -> Result<Expr, Fault> {
        let mut left = self.prefix()?;
        while let Some(op) = self.opt_binary_op().filter(|op| op.precedence() >= at_least) {
            self.advance();
            let right = self.binary(op.precedence() + 1)?;
            let (span, height) = (left.span.to(right.span), left.height.max(right.height));
            left = self.node(ExprKind::Binary(op, Box::new(left), Box::new(right)), span, height)?;
        }
        Ok(left)
    }

    fn opt_binary_op(&self) -> Option<BinaryOp> {
        Some(match self.peek() {
            Token::Union => BinaryOp::Union,
            Token::Compose => BinaryOp::Compose,
            Token::Difference => BinaryOp::Difference,
            Token::Intersection => BinaryOp::Intersection,
            Token::Star => BinaryOp::Product,
            _ => return None,
        })
    }

    fn prefix(&mut self) -> Result<Expr, Fault> {
        let start = self.span();
        if !self.eat(Token::Tilde) {
            return self.postfix();
        }
        let inner = self.nested(Parser::prefix)?;
        let (span, height) = (start.to(inner.span), inner.height);
        self.node(ExprKind::Complement(Box::new(inner)), span, height)
    }

    fn postfix(&mut self) -> Result<Expr, Fault> {
        let mut inner = self.primary()?;
        loop {
            let op = match self.peek() {
                Token::Inverse => PostfixOp::Inverse,
                Token::Closure => PostfixOp::Closure,
                Token::StarClosure => PostfixOp::StarClosure,
                Token::Question => PostfixOp::Optional,
                // `r*` is a closure and `S * T` a product: what follows decides, as in herd.
                Token::Star if !self.starts_operand(self.at + 1) => PostfixOp::StarClosure,
                _ => return Ok(inner),
            };
            self.advance();
            let (span, height) = (inner.span.to(self.last_span()), inner.height);
            inner = self.node(ExprKind::Postfix(Box::new(inner), op), span, height)?;
        }
    }

    fn starts_operand(&self, at: usize) -> bool {
        matches!(
            self.tokens[at].0,
            Token::Name(_)
                | Token::OpenParen
                | Token::OpenBracket
                | Token::OpenBrace
                | Token::Zero
                | Token::Underscore
                | Token::Tilde
        )
    }

    fn primary(&mut self) -> Result<Expr, Fault> {
        let start = self.span();
        let leaf = match self.peek() {
            Token::Name(name) => return self.name_or_application(name),
            Token::OpenParen => return self.parenthesised(),
            Token::OpenBracket => {
                self.advance();
                let set = self.nested(Parser::expression)?;
                self.expect(Token::CloseBracket, "an operator or `]`")?;
                let (span, height) = (start.to(self.last_span()), set.height);
                return self.node(ExprKind::Identity(Box::new(set)), span, height);
            }
            Token::OpenBrace => {
                self.advance();
                if self.peek() != Token::CloseBrace {
                    return self.unexpected("`}` (only the empty set can be written with braces)");
                }
                ExprKind::EmptySet
            }
            Token::Zero => ExprKind::EmptyRelation,
            Token::Underscore => ExprKind::Universe,
            _ => return self.unexpected("a set or relation"),
        };
        self.advance();
        self.node(leaf, start.to(self.last_span()), 0)
    }

    fn parenthesised(&mut self) -> Result<Expr, Fault> {
        self.advance();
        let inner = self.nested(Parser::expression)?;
        self.expect(Token::CloseParen, "an operator or `)`")?;
        Ok(inner)
    }

    /// `x`, `f(x, y)` or `f x`. Application binds tightest: `f x^+` is `(f x)^+`.
    fn name_or_application(&mut self, name: &str) -> Result<Expr, Fault> {
        let (_, start) = self.advance();
        let mut arguments = Vec::new();
        if self.eat(Token::OpenParen) {
            arguments.push(self.nested(Parser::expression)?);
            while self.eat(Token::Comma) {
                arguments.push(self.nested(Parser::expression)?);
            }
            self.expect(Token::CloseParen, "an operator, `,` or `)`")?;
        } else if self.starts_operand(self.at) && self.peek() != Token::Tilde {
            arguments.push(self.nested(Parser::primary)?);
        } else {
            return self.node(ExprKind::Name(name.to_string()), start, 0);
        }
        let height = arguments.iter().map(|argument| argument.height).max().unwrap_or(0);
        self.node(ExprKind::Apply(name.to_string(), arguments), start.to(self.last_span()), height)
    }

    fn nested(&mut self, production: fn(&mut Self) -> Result<Expr, Fault>) -> Result<Expr, Fault> {
        if self.nesting == MAX_HEIGHT {
            return Fault::err(self.span(), format!("expressions nest more than {MAX_HEIGHT} deep"));
        }
        self.nesting += 1;
        let result = production(self);
        self.nesting -= 1;
        result
    }

    fn node(&self, kind: ExprKind, span: Span, below: usize) -> Result<Expr, Fault> {
        let height = below + 1;
        if height > MAX_HEIGHT {
            return Fault::err(span, format!("expressions nest more than {MAX_HEIGHT} deep"));
        }
        Ok(Expr { kind, span, height })
    }
}
