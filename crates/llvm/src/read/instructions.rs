//! Instructions and blocks.

use std::rc::Rc;

use atropos_vm::instr::CompareOp;

use super::lexer::TokenKind;
use super::locals::{LocalNames, has_result, is_terminator};
use super::parser::{LineColumn, Parsed, Parser};
use super::values::block_address;
use crate::Volatile;
use crate::ast::{
    self, Block, Cast, Clause, FloatPredicate, Instr, NotModelled, Op, Operator, Order, Type, Typed, Value,
};

/// Words between an instruction's name and its operands that do not change its meaning here.
const FLAGS: [&str; 21] = [
    "nuw", "nsw", "exact", "disjoint", "nneg", "samesign", "fast", "nnan", "ninf", "nsz", "arcp", "contract",
    "afn", "reassoc", "volatile", "weak", "inbounds", "nusw", "tail", "musttail", "notail",
];

/// The block that a computed jump goes to if its address is not that of a block in its list. No name in LLVM IR
/// contains a zero byte.
const NOWHERE: &str = "\0nowhere";

/// What follows the operands of an instruction, as far as it matters.
#[derive(Default)]
pub(crate) struct Trailer {
    /// The number of the `!DILocation`.
    pub location: Option<u32>,
    /// Zero if it is not written.
    pub align: u64,
    /// The value must be initialised.
    pub noundef: bool,
    /// The access has a type.
    pub has_type: bool,
    /// The number of the type that a `new` creates.
    pub creates: Option<u32>,
}

/// Makes a plain load or store a relaxed atomic one, if a machine has such an access.
fn make_relaxed(op: &mut Op, align: u64) {
    let (ty, order) = match op {
        Op::Load { ty, order, .. } => (&*ty, order),
        Op::Store { value, order, .. } => (&value.ty, order),
        _ => return,
    };
    let bytes = match ty {
        Type::Int(bits @ (8 | 16 | 32 | 64)) => u64::from(bits / 8),
        Type::Half(_) => 2,
        Type::Float => 4,
        Type::Double | Type::Ptr => 8,
        _ => return,
    };
    if align >= bytes {
        *order = order.or(Some(Order::Relaxed));
    }
}

impl Parser<'_> {
    /// The blocks of a function with these parameters.
    pub(crate) fn blocks(&mut self, params: &[Rc<str>]) -> Parsed<Vec<Block>> {
        let mut locals = LocalNames::default();
        for param in params {
            self.define(&mut locals, Some(param))?;
        }
        let (mut blocks, mut is_open): (Vec<Block>, bool) = (Vec::new(), false);
        while self.peek().kind != TokenKind::End {
            // Debug records such as `#dbg_declare(...)`.
            if self.peek().kind == TokenKind::Attribute {
                self.next();
                self.skip_parentheses()?;
                continue;
            }
            let is_label =
                matches!(self.peek().kind, TokenKind::Word | TokenKind::Number | TokenKind::String);
            if is_label && self.peek_behind().is(":") {
                if is_open && blocks.last().is_some_and(|block| block.instrs.is_empty()) {
                    return self.complain("a block without instructions");
                }
                let name = self.define(&mut locals, Some(self.peek().text))?;
                self.next();
                self.next();
                blocks.push(Block { name, instrs: Vec::new() });
                is_open = true;
                continue;
            }
            if !is_open {
                let name = self.define(&mut locals, None)?;
                blocks.push(Block { name, instrs: Vec::new() });
            }
            let instr = self.instr(&mut locals)?;
            let jump = self.next_block.take().map(|to| Instr { result: None, op: Op::Br(to), ..instr });
            is_open = jump.is_none() && !is_terminator(&instr.op);
            blocks.last_mut().expect("just added").instrs.extend([Some(instr), jump].into_iter().flatten());
        }
        let jumps_nowhere = |block: &Block| {
            block
                .instrs
                .last()
                .is_some_and(|last| matches!(&last.op, Op::Switch { default, .. } if &**default == NOWHERE))
        };
        if blocks.iter().any(jumps_nowhere) {
            blocks.push(Block { name: NOWHERE.into(), instrs: vec![Instr::made(None, Op::Unreachable)] });
        }
        Ok(blocks)
    }

    /// Defines the name at the cursor.
    fn define(&self, locals: &mut LocalNames, name: Option<&str>) -> Parsed<Rc<str>> {
        locals.define(name).or_else(|message| self.complain(message))
    }

    fn instr(&mut self, locals: &mut LocalNames) -> Parsed<Instr> {
        let mut name = None;
        let place = self.place();
        if self.peek().kind == TokenKind::Local && self.peek_behind().is("=") {
            name = Some(self.next().text);
            self.next();
        }
        while ["tail", "musttail", "notail"].contains(&self.peek().text) && self.peek_behind().is("call") {
            self.next();
        }
        let mnemonic_place = self.place();
        let mnemonic = self.expect_kind(TokenKind::Word, "an instruction")?;
        let mut is_volatile = false;
        while FLAGS.contains(&self.peek().text) && self.peek().kind == TokenKind::Word {
            is_volatile |= self.next().is("volatile");
        }
        let mut op = self.operation(mnemonic, mnemonic_place)?;
        let result = match has_result(&op) {
            true => Some(locals.define(name).or_else(|message| self.complain_at(place, message))?),
            false if name.is_some() => {
                return self.complain_at(place, format!("`{mnemonic}` has no result that could have a name"));
            }
            false => None,
        };
        let Trailer { location, align: written, noundef, has_type, creates } = self.trailer()?;
        if let Op::Alloca { align, .. } = &mut op {
            *align = written;
        }
        if is_volatile && self.volatile() == Volatile::Relaxed {
            make_relaxed(&mut op, written);
        }
        Ok(Instr { result, op, location, noundef, has_type, creates })
    }

    /// What follows the operands or an initial value: alignment, sections and metadata.
    pub(crate) fn trailer(&mut self) -> Parsed<Trailer> {
        let mut trailer = Trailer::default();
        while self.accept(",") {
            let token = self.next();
            match token.kind {
                TokenKind::Meta if self.peek().kind == TokenKind::Meta => {
                    let number = self.next().text.parse().ok();
                    self.skip_parentheses()?;
                    self.skip_braces()?;
                    trailer.location = trailer.location.or(number.filter(|_| token.text == "dbg"));
                    trailer.noundef |= token.text == "noundef";
                    trailer.has_type |= token.text == "tbaa";
                    trailer.creates = trailer.creates.or(number.filter(|_| token.text == "heapallocsite"));
                }
                TokenKind::Meta => {}
                _ if token.is("align") => {
                    trailer.align = self.alignment()?;
                }
                _ => {
                    while matches!(self.peek().kind, TokenKind::Number | TokenKind::String) {
                        self.next();
                    }
                    self.skip_parentheses()?;
                }
            }
        }
        Ok(trailer)
    }

    /// The number after `align`.
    pub(crate) fn alignment(&mut self) -> Parsed<u64> {
        let place = self.place();
        let align = self.number()?;
        match align.is_power_of_two() && align <= 1 << 32 {
            true => Ok(align),
            false => self.complain_at(place, "an alignment must be a power of two, at most 4294967296"),
        }
    }

    fn operation(&mut self, name: &str, place: LineColumn) -> Parsed<Op> {
        Ok(match name {
            "ret" | "br" | "switch" | "indirectbr" | "unreachable" | "invoke" | "callbr" | "landingpad"
            | "resume" => self.control(name)?,
            "alloca" | "load" | "store" | "fence" | "cmpxchg" | "atomicrmw" | "getelementptr" => {
                self.memory(name)?
            }
            "icmp" => {
                let predicate = self.word("a predicate of `icmp`", CompareOp::from_name)?;
                let (left, right) = self.two_operands()?;
                Op::Icmp { predicate, left, right }
            }
            "fcmp" => {
                let predicate = self.word("a predicate of `fcmp`", FloatPredicate::from_name)?;
                let (left, right) = self.two_operands()?;
                Op::Fcmp { predicate, left, right }
            }
            "phi" => self.phi()?,
            "select" => {
                let condition = self.typed()?;
                self.expect(",")?;
                let then = self.typed()?;
                self.expect(",")?;
                Op::Select { condition, then, otherwise: self.typed()? }
            }
            "call" => Op::Call(self.call()?),
            "fneg" => Op::FNeg(self.typed()?),
            "freeze" => Op::Freeze(self.typed()?),
            "extractvalue" => {
                let aggregate = self.typed()?;
                Op::ExtractValue { aggregate, indices: self.indices()? }
            }
            "insertvalue" => {
                let aggregate = self.typed()?;
                self.expect(",")?;
                let element = self.typed()?;
                Op::InsertValue { aggregate, element, indices: self.indices()? }
            }
            "extractelement" | "insertelement" | "shufflevector" => self.vector(name)?,
            _ => return self.named_operation(name, place),
        })
    }

    fn vector(&mut self, name: &str) -> Parsed<Op> {
        if name == "shufflevector" {
            let left = self.typed()?;
            self.expect(",")?;
            let right = self.typed()?.value;
            self.expect(",")?;
            return Ok(Op::ShuffleVector { left, right, mask: self.typed()? });
        }
        let vector = self.typed()?;
        self.expect(",")?;
        let second = self.typed()?;
        if name == "extractelement" {
            return Ok(Op::ExtractElement { vector, index: second });
        }
        self.expect(",")?;
        Ok(Op::InsertElement { vector, element: second, index: self.typed()? })
    }

    /// Operations that differ only in their names.
    fn named_operation(&mut self, name: &str, place: LineColumn) -> Parsed<Op> {
        if let Some(op) = Operator::from_name(name) {
            let (left, right) = self.two_operands()?;
            Ok(Op::Binary { op, left, right })
        } else if let Some(op) = Cast::from_name(name) {
            let value = self.typed()?;
            self.expect("to")?;
            self.note_view(op, &value);
            Ok(Op::Cast { op, value, to: self.ty()? })
        } else if let Some(instruction) = NotModelled::from_name(name) {
            self.skip_operands();
            Ok(Op::NotModelled(instruction))
        } else {
            self.complain_at(place, format!("`{name}` is not an instruction that is known here"))
        }
    }

    fn two_operands(&mut self) -> Parsed<(Typed, Value)> {
        let left = self.typed()?;
        self.expect(",")?;
        let right = self.value(&left.ty)?;
        Ok((left, right))
    }

    /// A word with a meaning.
    pub(crate) fn word<T>(&mut self, what: &str, meaning: impl FnOnce(&str) -> Option<T>) -> Parsed<T> {
        let token = self.peek();
        match meaning(token.text).filter(|_| token.kind == TokenKind::Word) {
            Some(meaning) => {
                self.next();
                Ok(meaning)
            }
            None => self.complain(format!("`{}` is not {what}", token.text)),
        }
    }

    /// Skips the operands of an instruction that is not modelled. They end with its line.
    fn skip_operands(&mut self) {
        let line = self.line_before();
        while self.peek().line == line && !(self.peek().is(",") && self.peek_behind().kind == TokenKind::Meta)
        {
            if self.peek().kind == TokenKind::End {
                break;
            }
            self.next();
        }
    }

    fn indices(&mut self) -> Parsed<Vec<u32>> {
        let mut indices = Vec::new();
        while self.peek().is(",") && self.peek_behind().kind == TokenKind::Number {
            self.next();
            indices.push(self.number()? as u32);
        }
        Ok(indices)
    }

    fn label(&mut self) -> Parsed<Rc<str>> {
        self.expect("label")?;
        Ok(self.expect_kind(TokenKind::Local, "a label")?.into())
    }

    fn control(&mut self, name: &str) -> Parsed<Op> {
        Ok(match name {
            // Up to clang 14, a function may return a pointer of type `void ()*`.
            "ret" if self.peek().is("void") && !self.peek_behind().is("(") => {
                self.next();
                Op::Ret(None)
            }
            "ret" => Op::Ret(Some(self.typed()?)),
            "br" if self.peek().is("label") => Op::Br(self.label()?),
            "br" => {
                let condition = self.typed()?.value;
                self.expect(",")?;
                let then = self.label()?;
                self.expect(",")?;
                Op::CondBr { condition, then, otherwise: self.label()? }
            }
            "switch" => {
                let value = self.typed()?;
                self.expect(",")?;
                let default = self.label()?;
                self.expect("[")?;
                let mut cases = Vec::new();
                while !self.accept("]") {
                    let case = self.typed()?.value;
                    self.expect(",")?;
                    cases.push((case, self.label()?));
                }
                Op::Switch { value, default, cases }
            }
            "indirectbr" => self.computed_jump()?,
            "invoke" => {
                let call = self.call()?;
                self.expect("to")?;
                let normal = self.label()?;
                self.expect("unwind")?;
                let unwind = self.label()?;
                Op::Invoke { call, normal, unwind }
            }
            "callbr" => {
                let call = self.call()?;
                self.expect("to")?;
                self.next_block = Some(self.label()?);
                self.skip_group("[", "]")?;
                Op::Call(call)
            }
            "landingpad" => {
                let (ty, mut cleanup, mut clauses) = (self.ty()?, false, Vec::new());
                loop {
                    if self.accept("cleanup") {
                        cleanup = true;
                    } else if self.accept("catch") {
                        clauses.push(match self.typed()?.value {
                            Value::Global(info) => Clause::Catch(info),
                            Value::Null => Clause::CatchAll,
                            _ => Clause::Filter,
                        });
                    } else if self.accept("filter") {
                        self.typed()?;
                        clauses.push(Clause::Filter);
                    } else {
                        break;
                    }
                }
                Op::LandingPad { ty, cleanup, clauses }
            }
            "resume" => Op::Resume(self.typed()?),
            _ => Op::Unreachable,
        })
    }

    /// A jump to one of several blocks, by its address.
    fn computed_jump(&mut self) -> Parsed<Op> {
        let value = self.typed()?;
        self.expect(",")?;
        self.expect("[")?;
        let mut cases = Vec::new();
        while !self.accept("]") {
            let label = self.label()?;
            if !cases.iter().any(|(_, known)| *known == label) {
                cases.push((Value::Int(block_address(&label)), label));
            }
            if !self.peek().is("]") {
                self.expect(",")?;
            }
        }
        Ok(Op::Switch { value, default: NOWHERE.into(), cases })
    }

    fn memory(&mut self, name: &str) -> Parsed<Op> {
        let is_atomic = self.accept("atomic");
        while FLAGS.contains(&self.peek().text) {
            self.next();
        }
        match name {
            "alloca" => {
                self.accept("inalloca");
                let ty = self.ty()?;
                let mut count = None;
                if self.peek().is(",") && self.peek_behind().text.starts_with('i') {
                    self.next();
                    count = Some(self.typed()?);
                }
                Ok(Op::Alloca { ty, count, align: 0 })
            }
            "load" => {
                let ty = self.ty()?;
                self.expect(",")?;
                let ptr = self.typed()?.value;
                Ok(Op::Load { ty, ptr, order: self.order_if(is_atomic)? })
            }
            "store" => {
                let value = self.typed()?;
                self.expect(",")?;
                let ptr = self.typed()?.value;
                Ok(Op::Store { value, ptr, order: self.order_if(is_atomic)? })
            }
            "fence" => {
                let single_thread = self.is_single_thread()?;
                Ok(Op::Fence { order: self.order()?, single_thread })
            }
            "cmpxchg" => {
                let ptr = self.typed()?.value;
                self.expect(",")?;
                let expected = self.typed()?;
                self.expect(",")?;
                let desired = self.typed()?.value;
                self.is_single_thread()?;
                let success = self.order()?;
                Ok(Op::CmpXchg { ptr, expected, desired, success, failure: self.order()? })
            }
            "atomicrmw" => {
                let op = self.word("an operation of `atomicrmw`", ast::update)?;
                let ptr = self.typed()?.value;
                self.expect(",")?;
                let operand = self.typed()?;
                self.is_single_thread()?;
                Ok(Op::Rmw { op, ptr, operand, order: self.order()? })
            }
            _ => {
                let base = self.ty()?;
                let mut args = Vec::new();
                while self.peek().is(",") && self.peek_behind().kind != TokenKind::Meta {
                    self.next();
                    args.push(self.typed()?);
                }
                if args.is_empty() {
                    return self.complain("an address without a base");
                }
                Ok(Op::Gep { base, args })
            }
        }
    }

    fn is_single_thread(&mut self) -> Parsed<bool> {
        if !self.accept("syncscope") {
            return Ok(false);
        }
        self.expect("(")?;
        let scope = self.expect_kind(TokenKind::String, "a scope")?;
        self.expect(")")?;
        Ok(scope == "singlethread")
    }

    fn order_if(&mut self, is_atomic: bool) -> Parsed<Option<Order>> {
        if !is_atomic {
            return Ok(None);
        }
        self.is_single_thread()?;
        self.order().map(Some)
    }

    fn order(&mut self) -> Parsed<Order> {
        self.word("a memory order", Order::from_name)
    }

    fn phi(&mut self) -> Parsed<Op> {
        let ty = self.ty()?;
        let mut incoming = Vec::new();
        while self.peek().is("[") || (self.peek().is(",") && self.peek_behind().is("[")) {
            self.accept(",");
            self.expect("[")?;
            let value = self.value(&ty)?;
            self.expect(",")?;
            incoming.push((value, self.expect_kind(TokenKind::Local, "a label")?.into()));
            self.expect("]")?;
        }
        Ok(Op::Phi { ty, incoming })
    }
}
