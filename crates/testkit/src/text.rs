//! The text form of tiny programs: printing and parsing are inverse to each other.
//!
//! Threads are separated by `||`, the main one first; statements by `;`:
//!
//! ```text
//! spawn 1; r0 := x acq; if r0 == 1 { y := r0 + 1 rlx }; join 1 ||
//! x := 1 rel; r0 := add x 1 acq rel; r1 := cas x 0 1 acq rel rlx; fence sc; lock m { x := 2 na };
//! assume r1 != 0; assert r0 == 1 ||
//! r0 := new; [r0] := 1; p := r0 rel; r1 := q; r2 := [r1] acq; free r1; q := &x; x.hi := 1
//! ```
//!
//! Omitted orders are relaxed (for fences: sequentially consistent).

use crate::ast::{Ast, Expr, Register, Stmt, Test, Var};
use atropos_event::{FenceOrder, ReadOrder, RmwOp, Value, WriteOrder};
use std::fmt;
use std::str::FromStr;

impl fmt::Display for Ast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, body) in self.threads.iter().enumerate() {
            f.write_str(if index > 0 { " ||\n" } else { "" })?;
            write_body(f, body)?;
        }
        Ok(())
    }
}

fn write_body(f: &mut fmt::Formatter<'_>, body: &[Stmt]) -> fmt::Result {
    for (index, stmt) in body.iter().enumerate() {
        f.write_str(if index > 0 { "; " } else { "" })?;
        write_stmt(f, stmt)?;
    }
    Ok(())
}

fn write_block(f: &mut fmt::Formatter<'_>, body: &[Stmt]) -> fmt::Result {
    f.write_str(" { ")?;
    write_body(f, body)?;
    f.write_str(" }")
}

fn write_stmt(f: &mut fmt::Formatter<'_>, stmt: &Stmt) -> fmt::Result {
    match stmt {
        Stmt::Load { to, var, order } => write!(f, "{to} := {var} {order}"),
        Stmt::Store { var, value, order } => write!(f, "{var} := {value} {order}"),
        Stmt::Fetch { to, op, var, operand, orders: (read, write) } => {
            write!(f, "{to} := {} {var} {operand} {read} {write}", op.name())
        }
        Stmt::Cas { to, var, expected, desired, orders: (read, write, failure) } => {
            write!(f, "{to} := cas {var} {expected} {desired} {read} {write} {failure}")
        }
        Stmt::LoadAt { to, at, order } => write!(f, "{to} := [{at}] {order}"),
        Stmt::StoreAt { at, value, order } => write!(f, "[{at}] := {value} {order}"),
        Stmt::New { to } => write!(f, "{to} := new"),
        Stmt::Free(at) => write!(f, "free {at}"),
        Stmt::Fence(order) => write!(f, "fence {order}"),
        Stmt::Assume(test) => write!(f, "assume {test}"),
        Stmt::Assert(test) => write!(f, "assert {test}"),
        Stmt::If(test, body) => {
            write!(f, "if {test}")?;
            write_block(f, body)
        }
        Stmt::Locked(mutex, body) => {
            write!(f, "lock {mutex}")?;
            write_block(f, body)
        }
        Stmt::Spawn(thread) => write!(f, "spawn {thread}"),
        Stmt::Join(thread) => write!(f, "join {thread}"),
    }
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Const(value) => write!(f, "{value}"),
            Expr::Sum(register, value) => write!(f, "{register} + {value}"),
            Expr::Address(var) => write!(f, "&{var}"),
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.register, if self.is_equal { "==" } else { "!=" }, self.value)
    }
}

impl FromStr for Ast {
    type Err = String;

    fn from_str(text: &str) -> Result<Ast, String> {
        let mut parser = Parser::new(text);
        let mut threads = vec![parser.body()?];
        while parser.take("||") {
            threads.push(parser.body()?);
        }
        match parser.peek() {
            None => Ok(Ast { threads }),
            Some(token) => Err(format!("unexpected `{token}`")),
        }
    }
}

struct Parser<'text> {
    tokens: std::iter::Peekable<std::vec::IntoIter<&'text str>>,
}

impl<'text> Parser<'text> {
    fn new(text: &'text str) -> Self {
        let mut tokens = Vec::new();
        for word in text.split_whitespace() {
            // `;` and braces may touch a word.
            let mut rest = word;
            while let Some(at) = rest.find([';', '{', '}']) {
                tokens.extend([&rest[..at], &rest[at..at + 1]].into_iter().filter(|token| !token.is_empty()));
                rest = &rest[at + 1..];
            }
            tokens.extend((!rest.is_empty()).then_some(rest));
        }
        Parser { tokens: tokens.into_iter().peekable() }
    }

    fn peek(&mut self) -> Option<&'text str> {
        self.tokens.peek().copied()
    }

    fn take(&mut self, token: &str) -> bool {
        self.tokens.next_if(|next| *next == token).is_some()
    }

    fn next(&mut self) -> Result<&'text str, String> {
        self.tokens.next().ok_or_else(|| "unexpected end".into())
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        let next = self.next()?;
        if next == token { Ok(()) } else { Err(format!("expected `{token}`, found `{next}`")) }
    }

    /// Statements up to `||`, `}` or the end.
    fn body(&mut self) -> Result<Vec<Stmt>, String> {
        let mut body = Vec::new();
        while !matches!(self.peek(), None | Some("||" | "}")) {
            body.push(self.stmt()?);
            if !self.take(";") {
                break;
            }
        }
        Ok(body)
    }

    fn block(&mut self) -> Result<Vec<Stmt>, String> {
        self.expect("{")?;
        let body = self.body()?;
        self.expect("}")?;
        Ok(body)
    }

    fn stmt(&mut self) -> Result<Stmt, String> {
        Ok(match self.next()? {
            "fence" => Stmt::Fence(self.order(FenceOrder::SeqCst)),
            "free" => Stmt::Free(self.register()?),
            "assume" => Stmt::Assume(self.test()?),
            "assert" => Stmt::Assert(self.test()?),
            "if" => Stmt::If(self.test()?, self.block()?),
            "lock" => Stmt::Locked(self.var()?, self.block()?),
            "spawn" => Stmt::Spawn(self.number()? as usize),
            "join" => Stmt::Join(self.number()? as usize),
            left => {
                self.expect(":=")?;
                if let Some(at) = parse_pointed(left) {
                    let value = self.expr()?;
                    return Ok(Stmt::StoreAt { at, value, order: self.order(WriteOrder::Relaxed) });
                }
                match (parse_var(left), parse_register(left)) {
                    (Some(var), _) => {
                        Stmt::Store { var, value: self.expr()?, order: self.order(WriteOrder::Relaxed) }
                    }
                    (_, Some(to)) => self.read(to)?,
                    _ => return Err(format!("`{left}` is neither a variable nor a register")),
                }
            }
        })
    }

    /// The text after `r0 :=`.
    fn read(&mut self, to: Register) -> Result<Stmt, String> {
        let name = self.next()?;
        if name == "new" {
            return Ok(Stmt::New { to });
        }
        if let Some(at) = parse_pointed(name) {
            return Ok(Stmt::LoadAt { to, at, order: self.order(ReadOrder::Relaxed) });
        }
        if let Some(var) = parse_var(name) {
            return Ok(Stmt::Load { to, var, order: self.order(ReadOrder::Relaxed) });
        }
        let var = self.var()?;
        if name == "cas" {
            let (expected, desired) = (self.number()?, self.number()?);
            let (read, write) = (self.order(ReadOrder::Relaxed), self.order(WriteOrder::Relaxed));
            let orders = (read, write, self.order(ReadOrder::Relaxed));
            return Ok(Stmt::Cas { to, var, expected, desired, orders });
        }
        let op = RmwOp::ALL.into_iter().find(|op| op.name() == name);
        let op = op.ok_or_else(|| format!("`{name}` is neither a variable nor an operation"))?;
        let operand = self.number()?;
        let orders = (self.order(ReadOrder::Relaxed), self.order(WriteOrder::Relaxed));
        Ok(Stmt::Fetch { to, op, var, operand, orders })
    }

    fn expr(&mut self) -> Result<Expr, String> {
        let token = self.next()?;
        if let Some(var) = token.strip_prefix('&').and_then(parse_var) {
            return Ok(Expr::Address(var));
        }
        match parse_register(token) {
            Some(register) => Ok(Expr::Sum(register, if self.take("+") { self.number()? } else { 0 })),
            None => token.parse().map(Expr::Const).map_err(|_| format!("`{token}` is not a value")),
        }
    }

    fn test(&mut self) -> Result<Test, String> {
        let register = self.register()?;
        let is_equal = self.take("==");
        if !is_equal {
            self.expect("!=")?;
        }
        Ok(Test { register, is_equal, value: self.number()? })
    }

    fn register(&mut self) -> Result<Register, String> {
        let token = self.next()?;
        parse_register(token).ok_or_else(|| format!("`{token}` is not a register"))
    }

    fn var(&mut self) -> Result<Var, String> {
        let token = self.next()?;
        parse_var(token).ok_or_else(|| format!("`{token}` is not a variable"))
    }

    fn number(&mut self) -> Result<Value, String> {
        let token = self.next()?;
        token.parse().map_err(|_| format!("`{token}` is not a number"))
    }

    /// An order, or `default` if none follows.
    fn order<O: FromStr>(&mut self, default: O) -> O {
        let order = self.peek().and_then(|token| token.parse().ok());
        if order.is_some() {
            self.tokens.next();
        }
        order.unwrap_or(default)
    }
}

fn parse_var(token: &str) -> Option<Var> {
    Var::named(token)
}

fn parse_register(token: &str) -> Option<Register> {
    let index: u8 = token.strip_prefix('r')?.parse().ok()?;
    (usize::from(index) < Register::LIMIT).then_some(Register(index))
}

/// The register in brackets.
fn parse_pointed(token: &str) -> Option<Register> {
    parse_register(token.strip_prefix('[')?.strip_suffix(']')?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_prints_as_it_was_written() {
        let text = "spawn 1; r0 := x acq; if r0 == 1 { y := r0 + 1 rlx }; join 1 ||\n\
                    x := 1 rel; r0 := add x 1 acq rel; r1 := cas x 0 1 acq rel rlx; fence sc; \
                    lock m { x := 2 na }; assume r1 != 0; assert r0 == 1 ||\n\
                    r0 := new; [r0] := 1 rlx; p := r0 + 0 rel; r2 := [r1] acq; free r1; q := &x sc";
        assert_eq!(text.parse::<Ast>().unwrap().to_string(), text);
    }

    #[test]
    fn orders_may_be_left_out() {
        let ast: Ast = "x := 1; r0 := y; fence".parse().unwrap();
        assert_eq!(ast.to_string(), "x := 1 rlx; r0 := y rlx; fence sc");
    }

    #[test]
    fn errors_name_the_offending_word() {
        for (text, error) in [
            ("x = 1", "expected `:=`, found `=`"),
            ("o := 1", "`o` is neither a variable nor a register"),
            ("r0 := frob x 1", "`frob` is neither a variable nor an operation"),
            ("if r0 < 1 { }", "expected `!=`, found `<`"),
            ("x := 1 } ", "unexpected `}`"),
            ("lock m {", "unexpected end"),
        ] {
            assert_eq!(text.parse::<Ast>(), Err(error.to_string()), "{text}");
        }
    }
}
