//! Operations: the right-hand side of `=`, and operands.

use std::str::FromStr;

use atropos_event::{AllocKind, Fault, ReadOrder, RmwOp, Span, WriteOrder};

use crate::instr::{
    BinaryOp, CasOrders, CastOp, CompareOp, ConvertOp, Float, FloatBinaryOp, FloatCompareOp, FloatUnaryOp,
    Instr, LockKind, UnaryOp,
};
use crate::ir::{Operand, Reg, Width};
use crate::text::lexer::Token;
use crate::text::parser::{Parse, Parser, Scope};

/// The name of an instruction with its parts: `cas.acqrel.rlx.i32`.
pub(super) struct Mnemonic {
    span: Span,
    parts: Vec<String>,
    used: usize,
}

impl Mnemonic {
    pub fn new(span: Span, written: &str) -> Self {
        Mnemonic { span, parts: written.split('.').map(String::from).collect(), used: 1 }
    }

    pub fn head(&self) -> &str {
        &self.parts[0]
    }

    fn next(&self) -> Option<&str> {
        self.parts.get(self.used).map(String::as_str)
    }

    pub fn lock_kind(&mut self) -> LockKind {
        if self.take("spin") { LockKind::Spin } else { LockKind::Mutex }
    }

    fn wrong<T>(&self, what: &str) -> Parse<T> {
        let written = self.parts.join(".");
        Err(Fault::new(
            self.span,
            match self.next() {
                Some(part) => format!("expected {what} in `{written}`, found `{part}`"),
                None => format!("expected {what} at the end of `{written}`"),
            },
        ))
    }

    /// The next part, if `read` understands it.
    pub fn part<T>(&mut self, what: &str, read: impl FnOnce(&str) -> Option<T>) -> Parse<T> {
        match self.next().and_then(read) {
            Some(value) => {
                self.used += 1;
                Ok(value)
            }
            None => self.wrong(what),
        }
    }

    pub fn take(&mut self, part: &str) -> bool {
        let found = self.next() == Some(part);
        self.used += usize::from(found);
        found
    }

    pub fn width(&mut self) -> Parse<Width> {
        self.part("a width from i1 to i64", |part| {
            part.strip_prefix('i').and_then(|bits| bits.parse().ok()).and_then(Width::new)
        })
    }

    pub fn size(&mut self) -> Parse<u8> {
        self.part("i8, i16, i32 or i64, or more bytes", |part| {
            let bits: u16 = part.strip_prefix('i')?.parse().ok()?;
            u8::try_from(bits / 8).ok().filter(|_| bits.is_multiple_of(8) && bits != 0)
        })
    }

    fn float(&mut self) -> Parse<Float> {
        self.part("f32 or f64", Float::from_name)
    }

    pub fn order<T: FromStr>(&mut self, what: &str) -> Parse<T> {
        self.part(what, |part| part.parse().ok())
    }

    /// An order, or none if the size follows: a plain access.
    fn read_order(&mut self) -> Parse<ReadOrder> {
        match self.next() {
            Some(part) if part.starts_with('i') => Ok(ReadOrder::NotAtomic),
            _ => self.order("an order of reads (rlx, acq, sc) or a size"),
        }
    }

    pub fn write_order(&mut self) -> Parse<WriteOrder> {
        match self.next() {
            Some(part) if part.starts_with('i') => Ok(WriteOrder::NotAtomic),
            _ => self.order("an order of writes (rlx, rel, sc) or a size"),
        }
    }

    /// The order of a read-modify-write, as the orders of its halves.
    fn order_pair(&mut self) -> Parse<(ReadOrder, WriteOrder)> {
        self.part("an order (rlx, acq, rel, acqrel, sc)", |part| match part {
            "rlx" => Some((ReadOrder::Relaxed, WriteOrder::Relaxed)),
            "acq" => Some((ReadOrder::Acquire, WriteOrder::Relaxed)),
            "rel" => Some((ReadOrder::Relaxed, WriteOrder::Release)),
            "acqrel" => Some((ReadOrder::Acquire, WriteOrder::Release)),
            "sc" => Some((ReadOrder::SeqCst, WriteOrder::SeqCst)),
            _ => {
                let (read, write) = part.split_once('_')?;
                Some((read.parse().ok()?, write.parse().ok()?))
            }
        })
    }

    /// Requires that all parts have been used.
    pub fn finish(&self) -> Parse<()> {
        if self.next().is_some() { self.wrong("nothing more") } else { Ok(()) }
    }
}

impl Parser<'_> {
    pub(super) fn operand(&mut self, scope: &Scope) -> Parse<Operand> {
        match self.peek().clone() {
            Token::Number(_) | Token::Sign('-') => Ok(Operand::Const(self.number("a number")?)),
            Token::Name(name) | Token::Quoted(name) => match self.resolve(scope, &name) {
                Some(operand) => {
                    self.advance();
                    Ok(operand)
                }
                None => Err(Fault::new(self.span(), format!("unknown name `{name}`"))),
            },
            _ => self.expected("an operand"),
        }
    }

    /// Operands with commas between them.
    pub(super) fn operands<const N: usize>(&mut self, scope: &Scope) -> Parse<[Operand; N]> {
        let mut operands = [Operand::Const(0); N];
        for (nth, operand) in operands.iter_mut().enumerate() {
            if nth > 0 {
                self.sign(',')?;
            }
            *operand = self.operand(scope)?;
        }
        Ok(operands)
    }

    /// `(OPERAND, ...)`
    pub(super) fn arguments(&mut self, scope: &mut Scope) -> Parse<Vec<Operand>> {
        let mut args = Vec::new();
        self.sign('(')?;
        while !self.take_sign(')') {
            args.push(self.operand(scope)?);
            if !self.is_sign(')') {
                self.sign(',')?;
            }
        }
        Ok(args)
    }

    /// `NAME(ARGS)` or `*OPERAND(ARGS)`
    fn callee(&mut self, scope: &mut Scope) -> Parse<(Operand, Vec<Operand>)> {
        let indirect = self.take_sign('*');
        let span = self.span();
        let function = self.operand(scope)?;
        if !indirect && !matches!(function, Operand::Function(_)) {
            return Err(Fault::new(
                span,
                "this is not a function; calls through a pointer are written `call *p()`".to_string(),
            ));
        }
        Ok((function, self.arguments(scope)?))
    }

    /// The right-hand side of `=`, or an operation whose result is not used.
    pub(super) fn operation(&mut self, scope: &mut Scope, results: &[Option<Reg>]) -> Parse<Instr> {
        let span = self.span();
        let first = results.first().copied().flatten();
        let Token::Name(written) = self.peek().clone() else {
            let dst = single(span, results)?;
            return Ok(Instr::Move { dst, value: self.operand(scope)? });
        };
        let ends = matches!(self.peek_at(1), Token::LineEnd | Token::End | Token::Sign('}'));
        if ends && self.resolve(scope, &written).is_some() {
            let dst = single(span, results)?;
            return Ok(Instr::Move { dst, value: self.operand(scope)? });
        }
        let mut mnemonic = Mnemonic::new(span, &written);
        self.advance();
        if mnemonic.head() == "cas" {
            return self.cas(scope, mnemonic, results);
        }
        let instr = match mnemonic.head() {
            "rmw" => {
                let op = mnemonic.part("an operation such as add or xchg", rmw_op)?;
                let (read_order, write_order) = mnemonic.order_pair()?;
                let size = mnemonic.size()?;
                let [addr, operand] = self.operands(scope)?;
                Instr::Rmw { op, dst: first, size, read_order, write_order, addr, operand }
            }
            "call" => {
                let (function, args) = self.callee(scope)?;
                Instr::Call { dst: first, function, args }
            }
            "spawn" => {
                let is_weak = |part: &str| (part == "weak").then_some(false);
                let drains = mnemonic.next().is_none() || mnemonic.part("weak, or nothing", is_weak)?;
                let (function, args) = self.callee(scope)?;
                Instr::Spawn { dst: first, function, args, drains }
            }
            "join" => Instr::Join { dst: first, handle: self.operand(scope)? },
            _ => {
                let dst = single(span, results)?;
                match self.value(scope, &mut mnemonic, dst)? {
                    Some(instr) => instr,
                    None => self.arithmetic(scope, &mut mnemonic, dst)?,
                }
            }
        };
        if results.len() > 1 {
            return Err(Fault::new(span, "this has one result"));
        }
        mnemonic.finish()?;
        Ok(instr)
    }

    fn cas(&mut self, scope: &mut Scope, mut mnemonic: Mnemonic, results: &[Option<Reg>]) -> Parse<Instr> {
        let (read, write) = mnemonic.order_pair()?;
        let failure = mnemonic.order("an order of reads (rlx, acq, sc) for failure")?;
        let size = mnemonic.size()?;
        mnemonic.finish()?;
        let [addr, expected, desired] = self.operands(scope)?;
        let (old, success) = match *results {
            [old] => (old, None),
            [old, success] => (old, success),
            _ => {
                return Err(Fault::new(
                    mnemonic.span,
                    "this has two results: the old value, and success".to_string(),
                ));
            }
        };
        let orders = CasOrders { read, write, failure };
        Ok(Instr::Cas { old, success, size, orders, addr, expected, desired })
    }

    /// Operations with a special form.
    fn value(&mut self, scope: &mut Scope, mnemonic: &mut Mnemonic, dst: Reg) -> Parse<Option<Instr>> {
        Ok(Some(match mnemonic.head() {
            "load" => {
                let order = mnemonic.read_order()?;
                let size = mnemonic.size()?;
                Instr::Load { dst, size, order, addr: self.operand(scope)? }
            }
            "addr" => self.address(scope, dst)?,
            "select" => {
                let [condition, then, otherwise] = self.operands(scope)?;
                Instr::Select { dst, condition, then, otherwise }
            }
            "malloc" | "zeroes" | "alloca" => {
                let zeroed = mnemonic.head() == "zeroes";
                let kind = if mnemonic.head() == "alloca" { AllocKind::Stack } else { AllocKind::Heap };
                let size = self.operand(scope)?;
                let align = if self.take_keyword("align") { self.operand(scope)? } else { Operand::Const(0) };
                Instr::Alloc { dst, size, align, kind, zeroed }
            }
            "compare" => {
                let [left, right, length] = self.operands(scope)?;
                Instr::CompareBytes { dst, left, right, length }
            }
            "self" => Instr::Current { dst },
            "next_child" => Instr::NextChild { dst },
            "offered" => Instr::Offered { dst, handle: self.operand(scope)? },
            "word" => Instr::Word { dst },
            "format" => {
                let [to, value, spec, width, precision] = self.operands(scope)?;
                Instr::Format { dst, to, value, spec, width, precision }
            }
            "pack" => {
                let size = mnemonic.size()?;
                Instr::Pack { dst, size, from: self.operand(scope)? }
            }
            "unwritten" => {
                let size = mnemonic.size()?;
                Instr::Unwritten { dst, size, addr: self.operand(scope)? }
            }
            "parse" => {
                let format = mnemonic.float()?;
                let [from, length] = self.operands(scope)?;
                Instr::ParseFloat { format, dst, from, length }
            }
            "trylock" => {
                let kind = mnemonic.lock_kind();
                Instr::TryLock { dst, mutex: self.operand(scope)?, kind }
            }
            "holds" => Instr::Holds { dst, object: self.operand(scope)? },
            "peek" => {
                let size = mnemonic.size()?;
                Instr::Peek { dst, size, addr: self.operand(scope)? }
            }
            "fresize" => {
                let to = mnemonic.float()?;
                Instr::FloatResize { to, dst, value: self.operand(scope)? }
            }
            _ => return Ok(None),
        }))
    }

    /// `BASE [+ INDEX*SCALE] [+ OFFSET]`
    fn address(&mut self, scope: &Scope, dst: Reg) -> Parse<Instr> {
        let base = self.operand(scope)?;
        let (mut index, mut scale, mut offset) = (Operand::Const(0), 1, 0i64);
        while self.is_sign('+') || self.is_sign('-') {
            let span = self.span();
            let negative = self.advance() == Token::Sign('-');
            let term = self.operand(scope)?;
            if self.is_sign('*') || !matches!(term, Operand::Const(_)) {
                if negative || index != Operand::Const(0) || scale != 1 {
                    return Err(Fault::new(span, "an address has one index, which is added"));
                }
                index = term;
                if self.take_sign('*') {
                    scale = self.number("the size of an element")?;
                }
            } else if let Operand::Const(value) = term {
                let value = if negative { value.wrapping_neg() } else { value };
                offset = offset.wrapping_add(value as i64);
            }
        }
        Ok(Instr::Address { dst, base, index, scale, offset })
    }

    /// Operations on values whose names are in tables.
    fn arithmetic(&mut self, scope: &Scope, mnemonic: &mut Mnemonic, dst: Reg) -> Parse<Instr> {
        let name = mnemonic.head().to_string();
        if let Some(op) = BinaryOp::from_name(&name) {
            let width = mnemonic.width()?;
            let [left, right] = self.operands(scope)?;
            return Ok(Instr::Binary { op, width, dst, left, right });
        }
        if let Some(op) = CompareOp::from_name(&name) {
            let width = mnemonic.width()?;
            let [left, right] = self.operands(scope)?;
            return Ok(Instr::Compare { op, width, dst, left, right });
        }
        if let Some(op) = UnaryOp::from_name(&name) {
            let width = mnemonic.width()?;
            return Ok(Instr::Unary { op, width, dst, value: self.operand(scope)? });
        }
        if let Some(op) = CastOp::from_name(&name) {
            let (from, to) = (mnemonic.width()?, mnemonic.width()?);
            return Ok(Instr::Cast { op, from, to, dst, value: self.operand(scope)? });
        }
        if let Some(op) = FloatBinaryOp::from_name(&name) {
            let format = mnemonic.float()?;
            let [left, right] = self.operands(scope)?;
            return Ok(Instr::FloatBinary { op, format, dst, left, right });
        }
        if name == "fma" {
            let format = mnemonic.float()?;
            let [left, right, addend] = self.operands(scope)?;
            return Ok(Instr::Fused { format, dst, left, right, addend });
        }
        if let Some(op) = FloatCompareOp::from_name(&name) {
            let format = mnemonic.float()?;
            let [left, right] = self.operands(scope)?;
            return Ok(Instr::FloatCompare { op, format, dst, left, right });
        }
        if let Some(op) = FloatUnaryOp::from_name(&name) {
            let format = mnemonic.float()?;
            return Ok(Instr::FloatUnary { op, format, dst, value: self.operand(scope)? });
        }
        let Some(op) = ConvertOp::from_name(&name) else {
            return Err(Fault::new(mnemonic.span, format!("unknown operation `{name}`")));
        };
        let (width, format) = match op {
            ConvertOp::SignedToFloat | ConvertOp::UnsignedToFloat => (mnemonic.width()?, mnemonic.float()?),
            ConvertOp::FloatToSigned | ConvertOp::FloatToUnsigned => {
                let format = mnemonic.float()?;
                (mnemonic.width()?, format)
            }
        };
        Ok(Instr::Convert { op, format, width, dst, value: self.operand(scope)? })
    }
}

fn rmw_op(name: &str) -> Option<RmwOp> {
    RmwOp::ALL.into_iter().find(|op| op.name() == name)
}

/// The one register that the result goes to.
fn single(span: Span, results: &[Option<Reg>]) -> Parse<Reg> {
    match *results {
        [Some(reg)] => Ok(reg),
        _ => Err(Fault::new(span, "this has one result, which needs a name")),
    }
}
