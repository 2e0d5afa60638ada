//! Syntax trees of cat models, and their text form.
//!
//! `Display` prints with the fewest parentheses that parse back to the same tree; `atropos models` shows axioms this
//! way. Equality ignores spans, so that tests can check the round trip.

use std::fmt;

use atropos_event::Span;

/// Precedence of the binary operators, from the loosest to the tightest [herd, modelParser.mly].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum BinaryOp {
    Union,
    Compose,
    Difference,
    Intersection,
    Product,
}

impl BinaryOp {
    fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Union => "|",
            BinaryOp::Compose => ";",
            BinaryOp::Difference => "\\",
            BinaryOp::Intersection => "&",
            BinaryOp::Product => "*",
        }
    }

    pub fn precedence(self) -> u8 {
        self as u8
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PostfixOp {
    Inverse,
    Closure,
    StarClosure,
    Optional,
}

impl PostfixOp {
    fn symbol(self) -> &'static str {
        match self {
            PostfixOp::Inverse => "^-1",
            PostfixOp::Closure => "^+",
            PostfixOp::StarClosure => "^*",
            PostfixOp::Optional => "?",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// Height of the tree. Bounded by the parser, so that every walk over a tree may recurse.
    pub height: usize,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.kind == other.kind
    }
}

#[derive(PartialEq, Debug)]
pub(crate) enum ExprKind {
    Name(String),
    /// `_`, all events.
    Universe,
    /// `0`.
    EmptyRelation,
    /// `{}`.
    EmptySet,
    /// `[S]`.
    Identity(Box<Expr>),
    Complement(Box<Expr>),
    Postfix(Box<Expr>, PostfixOp),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Apply(String, Vec<Expr>),
}

const COMPLEMENT: u8 = BinaryOp::Product as u8 + 1;
const POSTFIX: u8 = COMPLEMENT + 1;

impl Expr {
    fn precedence(&self) -> u8 {
        match &self.kind {
            ExprKind::Binary(op, ..) => op.precedence(),
            ExprKind::Complement(_) => COMPLEMENT,
            _ => POSTFIX,
        }
    }

    fn print(&self, f: &mut fmt::Formatter<'_>, at_least: u8) -> fmt::Result {
        if self.precedence() < at_least {
            return write!(f, "({self})");
        }
        match &self.kind {
            ExprKind::Name(name) => f.write_str(name),
            ExprKind::Universe => f.write_str("_"),
            ExprKind::EmptyRelation => f.write_str("0"),
            ExprKind::EmptySet => f.write_str("{}"),
            ExprKind::Identity(set) => write!(f, "[{set}]"),
            ExprKind::Complement(inner) => {
                f.write_str("~")?;
                inner.print(f, COMPLEMENT)
            }
            ExprKind::Postfix(inner, op) => {
                inner.print(f, POSTFIX)?;
                f.write_str(op.symbol())
            }
            ExprKind::Binary(op, left, right) => {
                // All binary operators associate to the left.
                left.print(f, op.precedence())?;
                write!(f, " {} ", op.symbol())?;
                right.print(f, op.precedence() + 1)
            }
            ExprKind::Apply(function, arguments) => {
                write!(f, "{function}(")?;
                for (i, argument) in arguments.iter().enumerate() {
                    write!(f, "{}{argument}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(f, 0)
    }
}

/// `name = body` or `name(parameters) = body`.
#[derive(PartialEq, Debug)]
pub(crate) struct Binding {
    pub name: Identifier,
    pub parameters: Option<Vec<Identifier>>,
    pub body: Expr,
}

#[derive(Debug)]
pub(crate) struct Identifier {
    pub name: String,
    pub span: Span,
}

impl PartialEq for Identifier {
    fn eq(&self, other: &Identifier) -> bool {
        self.name == other.name
    }
}

/// What a check demands of its relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckKind {
    Acyclic,
    Irreflexive,
    Empty,
}

impl fmt::Display for CheckKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CheckKind::Acyclic => "acyclic",
            CheckKind::Irreflexive => "irreflexive",
            CheckKind::Empty => "empty",
        })
    }
}

#[derive(PartialEq, Debug)]
pub(crate) struct Check {
    pub kind: CheckKind,
    pub is_negated: bool,
    pub is_flag: bool,
    pub body: Expr,
    pub name: Option<String>,
}

#[derive(PartialEq, Debug)]
pub(crate) enum Statement {
    Let { is_recursive: bool, bindings: Vec<Binding> },
    Check(Check),
    Include(Identifier),
}

/// One model file.
#[derive(PartialEq, Debug)]
pub(crate) struct File {
    pub title: Option<String>,
    pub statements: Vec<Statement>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser;

    /// A random expression of at most the given height, sorts ignored.
    fn random_expr(random: &mut impl FnMut(usize) -> usize, height: usize) -> Expr {
        let kind = if height == 0 {
            match random(4) {
                0 => ExprKind::Universe,
                1 => ExprKind::EmptyRelation,
                2 => ExprKind::EmptySet,
                _ => ExprKind::Name(["po", "po-loc", "W"][random(3)].to_string()),
            }
        } else {
            use {BinaryOp::*, PostfixOp::*};
            let below = |random: &mut _| Box::new(random_expr(random, height - 1));
            match random(6) {
                0 => ExprKind::Identity(below(random)),
                1 => ExprKind::Complement(below(random)),
                2 => ExprKind::Postfix(below(random), [Inverse, Closure, StarClosure, Optional][random(4)]),
                3 => ExprKind::Apply("f".to_string(), (0..=random(3)).map(|_| *below(random)).collect()),
                _ => {
                    let op = [Union, Compose, Difference, Intersection, Product][random(5)];
                    ExprKind::Binary(op, below(random), below(random))
                }
            }
        };
        Expr { kind, span: Span::default(), height: height + 1 }
    }

    #[test]
    fn printed_expressions_parse_back() {
        let mut seed = 7u64;
        let mut random = |bound: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % bound
        };
        for round in 0..5000 {
            let expr = random_expr(&mut random, round % 6);
            let text = format!("empty {expr}");
            let file = parser::parse(0, &text).unwrap_or_else(|fault| panic!("{text}: {}", fault.message));
            let [Statement::Check(check)] = &file.statements[..] else { panic!("{text}") };
            assert_eq!(check.body, expr, "{text}");
        }
    }
}
