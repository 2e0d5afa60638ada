//! C threads.

use crate::ast::c::{
    BinaryOp, Cas, Expected, Expr, ExprKind, MemoryOrder, Statement, StatementKind, Strength, Thread, UnaryOp,
};
use atropos_event::RmwOp;
use std::fmt::{self, Display, Formatter};

/// How tightly unary operators and calls bind, above all of [`BinaryOp::strength`].
const UNARY: u8 = 11;
const PRIMARY: u8 = 12;

pub(crate) fn write_threads(f: &mut Formatter<'_>, threads: &[Thread]) -> fmt::Result {
    for (number, thread) in threads.iter().enumerate() {
        let parameters: Vec<String> = thread
            .parameters
            .iter()
            .map(|parameter| format!("{} {}", parameter.ty, parameter.name))
            .collect();
        writeln!(f, "P{number} ({}) {{", parameters.join(", "))?;
        write_statements(f, &thread.body, 1)?;
        writeln!(f, "}}\n")?;
    }
    Ok(())
}

fn write_statements(f: &mut Formatter<'_>, statements: &[Statement], depth: usize) -> fmt::Result {
    statements.iter().try_for_each(|statement| write_statement(f, statement, depth))
}

fn write_statement(f: &mut Formatter<'_>, statement: &Statement, depth: usize) -> fmt::Result {
    let indent = "  ".repeat(depth);
    f.write_str(&indent)?;
    match &statement.kind {
        StatementKind::If { condition, then, otherwise } => {
            writeln!(f, "if ({condition}) {{")?;
            write_statements(f, then, depth + 1)?;
            if !otherwise.is_empty() {
                writeln!(f, "{indent}}} else {{")?;
                write_statements(f, otherwise, depth + 1)?;
            }
            writeln!(f, "{indent}}}")
        }
        StatementKind::While { condition, body } => {
            writeln!(f, "while ({condition}) {{")?;
            write_statements(f, body, depth + 1)?;
            writeln!(f, "{indent}}}")
        }
        StatementKind::DoWhile { body, condition } => {
            writeln!(f, "do {{")?;
            write_statements(f, body, depth + 1)?;
            writeln!(f, "{indent}}} while ({condition});")
        }
        StatementKind::Block(body) => {
            writeln!(f, "{{")?;
            write_statements(f, body, depth + 1)?;
            writeln!(f, "{indent}}}")
        }
        StatementKind::Declare { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Store { .. }
        | StatementKind::Fence(_)
        | StatementKind::Evaluate(_) => writeln!(f, "{statement};"),
    }
}

/// The statement on one line: a simple one as written, a compound one by its head.
impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            StatementKind::Declare { ty, name, value: Some(value) } => write!(f, "{ty} {name} = {value}"),
            StatementKind::Declare { ty, name, value: None } => write!(f, "{ty} {name}"),
            StatementKind::Assign { name, value } => write!(f, "{name} = {value}"),
            StatementKind::Store { pointer, value, order: None } => {
                write!(f, "*{} = {value}", Bound(pointer, UNARY))
            }
            StatementKind::Store { pointer, value, order: Some(order) } => {
                write!(f, "atomic_store_explicit({pointer}, {value}, {order})")
            }
            StatementKind::Fence(order) => write!(f, "atomic_thread_fence({order})"),
            StatementKind::Evaluate(expr) => write!(f, "{expr}"),
            StatementKind::If { condition, .. } => write!(f, "if ({condition})"),
            StatementKind::While { condition, .. } | StatementKind::DoWhile { condition, .. } => {
                write!(f, "while ({condition})")
            }
            StatementKind::Block(_) => f.write_str("{ ... }"),
        }
    }
}

/// An expression, in parentheses if it binds less tightly than required.
struct Bound<'expr>(&'expr Expr, u8);

impl Display for Bound<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if strength(self.0) < self.1 { write!(f, "({})", self.0) } else { write!(f, "{}", self.0) }
    }
}

fn strength(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Choice(_) => 0,
        ExprKind::Binary(op, ..) => op.strength(),
        ExprKind::Unary(..) | ExprKind::Load { order: None, .. } => UNARY,
        ExprKind::Int(value) if *value < 0 => UNARY,
        ExprKind::Int(_)
        | ExprKind::Name(_)
        | ExprKind::Load { order: Some(_), .. }
        | ExprKind::Rmw { .. }
        | ExprKind::Cas(_) => PRIMARY,
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Int(value) => write!(f, "{value}"),
            ExprKind::Name(name) => f.write_str(name),
            // Parentheses keep `- -x` from becoming `--x`.
            ExprKind::Unary(op, operand) => write!(f, "{}{}", unary_symbol(*op), Bound(operand, PRIMARY)),
            ExprKind::Binary(op, left, right) => write_binary(f, *op, left, right),
            ExprKind::Choice(parts) => {
                let [condition, then, otherwise] = &**parts;
                write!(f, "{} ? {then} : {otherwise}", Bound(condition, 1))
            }
            ExprKind::Load { pointer, order: None } => write!(f, "*{}", Bound(pointer, UNARY)),
            ExprKind::Load { pointer, order: Some(order) } => {
                write!(f, "atomic_load_explicit({pointer}, {order})")
            }
            ExprKind::Rmw { op, pointer, operand, order } => {
                write!(f, "atomic_{}_explicit({pointer}, {operand}, {order})", rmw_name(*op))
            }
            ExprKind::Cas(cas) => write!(f, "{cas}"),
        }
    }
}

fn write_binary(f: &mut Formatter<'_>, op: BinaryOp, left: &Expr, right: &Expr) -> fmt::Result {
    let (left, right) = (Bound(left, op.strength()), Bound(right, op.strength() + 1));
    write!(f, "{left} {} {right}", op.symbol())
}

impl Display for Cas {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let strength = match self.strength {
            Strength::Strong => "strong",
            Strength::Weak => "weak",
        };
        write!(f, "atomic_compare_exchange_{strength}_explicit({}, ", self.pointer)?;
        match &self.expected {
            Expected::Local(name) => write!(f, "&{name}")?,
            Expected::Memory(pointer) => write!(f, "{pointer}")?,
        }
        write!(f, ", {}, {}, {})", self.desired, self.success, self.failure)
    }
}

impl Display for MemoryOrder {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn unary_symbol(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Negate => "-",
        UnaryOp::Complement => "~",
        UnaryOp::Not => "!",
    }
}

/// # Panics
/// For operations that C does not have; the parser never makes them.
fn rmw_name(op: RmwOp) -> &'static str {
    match op {
        RmwOp::Exchange => "exchange",
        RmwOp::Add => "fetch_add",
        RmwOp::Sub => "fetch_sub",
        RmwOp::And => "fetch_and",
        RmwOp::Or => "fetch_or",
        RmwOp::Xor => "fetch_xor",
        op => panic!("stdatomic.h has no function for `{}`", op.name()),
    }
}
