//! Statements: labels, slots, control flow, and everything without a result.

use atropos_event::{AllocKind, Fault, FenceOrder};

use crate::instr::{AwaitReason, Instr};
use crate::ir::{Operand, Reg, SlotKind, StackSlot, Target};
use crate::text::lexer::Token;
use crate::text::operations::Mnemonic;
use crate::text::parser::{Parse, Parser, Scope};

impl Parser<'_> {
    pub(super) fn statement(&mut self, scope: &mut Scope) -> Parse<()> {
        let span = self.span();
        let is_name = matches!(self.peek(), Token::Name(_) | Token::Quoted(_));
        match self.peek_at(1) {
            Token::Sign(':') if is_name => {
                let name = self.name("a label")?;
                self.sign(':')?;
                let target = scope.targets.get(&name).copied();
                scope.code.place(target.ok_or(Fault::new(span, format!("`{name}` is not a label")))?);
                return Ok(());
            }
            Token::Sign('=' | ',') if is_name => self.assignment(scope)?,
            _ if SlotKind::ALL.iter().any(|kind| self.is_keyword(kind.name())) => self.slot(scope)?,
            _ => {
                let instr = self.command(scope)?;
                scope.code.push(instr);
            }
        }
        self.statement_end()
    }

    /// `private NAME: SIZE [align BYTES]`, or `fresh` or `shared` instead of `private`
    fn slot(&mut self, scope: &mut Scope) -> Parse<()> {
        let kind = SlotKind::ALL.into_iter().find(|kind| self.is_keyword(kind.name()));
        let kind = kind.expect("the caller has seen the keyword");
        self.advance();
        let span = self.span();
        let name = self.name("the name of a stack object")?;
        self.sign(':')?;
        let size = self.number("a size in bytes")?;
        let align = self.alignment()?;
        self.declare_local(scope, &name, span, |code| {
            Operand::Slot(code.slot(StackSlot { align, ..StackSlot::new(&name, size, kind) }))
        })
    }

    /// `NAME, NAME = OPERATION`
    fn assignment(&mut self, scope: &mut Scope) -> Parse<()> {
        let mut results: Vec<Option<Reg>> = Vec::new();
        loop {
            let span = self.span();
            let blank = self.take_keyword("_");
            let result = if blank {
                None
            } else {
                let name = self.name("a register")?;
                match scope.names.get(&name) {
                    Some(&Operand::Reg(reg)) => Some(reg),
                    _ => return Err(Fault::new(span, format!("`{name}` is not a register"))),
                }
            };
            results.push(result);
            if !self.take_sign(',') {
                break;
            }
        }
        self.sign('=')?;
        let instr = self.operation(scope, &results)?;
        scope.code.push(instr);
        Ok(())
    }

    /// An instruction without a result.
    fn command(&mut self, scope: &mut Scope) -> Parse<Instr> {
        let span = self.span();
        let Token::Name(written) = self.peek().clone() else { return self.expected("a statement") };
        let mnemonic = Mnemonic::new(span, &written);
        match mnemonic.head() {
            "goto" | "if" | "switch" | "return" | "exit" | "halt" | "section" => self.jump(scope, mnemonic),
            "store" | "free" | "unalloca" | "fence" | "copy" | "fill" | "lock" | "unlock" | "hold"
            | "let_go" | "word" | "print" | "unpack" => self.memory_command(scope, mnemonic),
            "detach" => {
                self.advance();
                Ok(Instr::Detach { handle: self.operand(scope)? })
            }
            "assume" | "assert" | "fail" | "unsupported" | "wait" => self.checking_command(scope, mnemonic),
            "rmw" | "cas" | "call" | "spawn" | "join" => self.operation(scope, &[None]),
            _ => self.expected("a statement"),
        }
    }

    fn jump(&mut self, scope: &mut Scope, mut mnemonic: Mnemonic) -> Parse<Instr> {
        self.advance();
        let instr = match mnemonic.head() {
            "goto" => Instr::Jump { to: self.target(scope)? },
            "if" => {
                let when = !self.take_keyword("not");
                let condition = self.operand(scope)?;
                self.keyword("goto")?;
                Instr::Branch { condition, when, to: self.target(scope)? }
            }
            "switch" => {
                let width = mnemonic.width()?;
                let value = self.operand(scope)?;
                let (cases, default) = self.cases(scope)?;
                Instr::Switch { value, width, cases, default }
            }
            "halt" => Instr::Halt,
            "section" => mnemonic.part("enter or leave", |part| match part {
                "enter" => Some(Instr::EnterSection),
                "leave" => Some(Instr::LeaveSection),
                _ => None,
            })?,
            "return" => Instr::Return { value: self.optional_operand(scope)? },
            _ => Instr::ExitThread { value: self.optional_operand(scope)? },
        };
        mnemonic.finish()?;
        Ok(instr)
    }

    /// `{ VALUE: LABEL, ... else: LABEL }`
    fn cases(&mut self, scope: &mut Scope) -> Parse<(Vec<(u64, Target)>, Target)> {
        self.sign('{')?;
        let mut cases = Vec::new();
        loop {
            self.skip_line_ends();
            if self.take_keyword("else") {
                self.sign(':')?;
                let default = self.target(scope)?;
                self.take_sign(',');
                self.skip_line_ends();
                self.sign('}')?;
                return Ok((cases, default));
            }
            let value = self.number("a value or `else`")?;
            self.sign(':')?;
            cases.push((value, self.target(scope)?));
            self.sign(',')?;
        }
    }

    fn target(&mut self, scope: &Scope) -> Parse<Target> {
        let span = self.span();
        let name = self.name("a label")?;
        scope
            .targets
            .get(&name)
            .copied()
            .ok_or_else(|| Fault::new(span, format!("there is no label `{name}`")))
    }

    fn memory_command(&mut self, scope: &mut Scope, mut mnemonic: Mnemonic) -> Parse<Instr> {
        self.advance();
        let instr = match mnemonic.head() {
            "store" => {
                let order = mnemonic.write_order()?;
                let size = mnemonic.size()?;
                let [addr, value] = self.operands(scope)?;
                Instr::Store { size, order, addr, value }
            }
            "free" => Instr::Free { addr: self.operand(scope)?, kind: AllocKind::Heap },
            "unalloca" => Instr::Free { addr: self.operand(scope)?, kind: AllocKind::Stack },
            "fence" => {
                let order: FenceOrder = mnemonic.order("acq, rel, acqrel or sc")?;
                Instr::Fence { order }
            }
            "copy" => {
                let [to, from, length] = self.operands(scope)?;
                Instr::Copy { to, from, length }
            }
            "fill" => {
                let [to, byte, length] = self.operands(scope)?;
                Instr::Fill { to, byte, length }
            }
            "word" => Instr::SetWord { value: self.operand(scope)? },
            "print" => {
                let [from, length] = self.operands(scope)?;
                Instr::Print { from, length }
            }
            "unpack" => {
                let size = mnemonic.size()?;
                let [to, value] = self.operands(scope)?;
                Instr::Unpack { to, size, value }
            }
            "hold" => Instr::Hold { object: self.operand(scope)? },
            "let_go" => Instr::LetGo { object: self.operand(scope)? },
            "lock" => Instr::Lock { kind: mnemonic.lock_kind(), mutex: self.operand(scope)? },
            _ => Instr::Unlock { kind: mnemonic.lock_kind(), mutex: self.operand(scope)? },
        };
        mnemonic.finish()?;
        Ok(instr)
    }

    fn checking_command(&mut self, scope: &mut Scope, mut mnemonic: Mnemonic) -> Parse<Instr> {
        self.advance();
        let instr = match mnemonic.head() {
            "assume" => Instr::Assume { condition: self.operand(scope)? },
            "assert" => {
                let condition = self.operand(scope)?;
                let message = if self.take_sign(',') { self.text()? } else { String::new() };
                Instr::Assert { condition, message }
            }
            "fail" => Instr::Fail { failure: self.failure(scope)? },
            "wait" => {
                let reason = match () {
                    () if mnemonic.take("lock") => AwaitReason::Lock,
                    () if mnemonic.take("round") => AwaitReason::Round,
                    () => AwaitReason::Wait,
                };
                let condition = self.operand(scope)?;
                self.sign(',')?;
                let span = self.span();
                let reads = self.number("the number of reads it depends on")?;
                let reads = u32::try_from(reads).map_err(|_| Fault::new(span, "too many reads"))?;
                Instr::Await { condition, reason, reads }
            }
            _ => Instr::unsupported(self.gap()?),
        };
        mnemonic.finish()?;
        Ok(instr)
    }

    pub(super) fn text(&mut self) -> Parse<String> {
        match self.peek() {
            Token::Text(_) => match self.advance() {
                Token::Text(text) => Ok(text),
                _ => unreachable!("just seen"),
            },
            _ => self.expected("a message in double quotes"),
        }
    }

    fn optional_operand(&mut self, scope: &Scope) -> Parse<Option<Operand>> {
        match self.peek() {
            Token::LineEnd | Token::End | Token::Sign('}') => Ok(None),
            _ => self.operand(scope).map(Some),
        }
    }
}
