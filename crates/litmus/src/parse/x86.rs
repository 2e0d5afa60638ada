//! The table of an X86 test: a row of thread names, then rows of instructions.
//!
//! ```text
//! P0          | P1          ;
//! MOV [x],$1  | MOV [y],$1  ;
//! MOV EAX,[y] | MOV EAX,[x] ;
//! ```
//!
//! Both operand orders are accepted. An instruction is AT&T's, source first, if it has a `%` register, a
//! parenthesised address in an `X86_64` test, or an immediate first; otherwise it is Intel's.

use super::init::thread_number;
use super::{Parsed, Parser};
use crate::ast::x86::{Instruction, Line, MemoryOperand, Mnemonic, Mode, Operand, Register, Thread};
use crate::lexer::Token;
use atropos_event::Fault;

/// Names of registers that are too narrow to be supported.
const NARROW: [&str; 16] =
    ["AL", "AH", "BL", "BH", "CL", "CH", "DL", "DH", "AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP"];

/// The order of the operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Intel,
    Att,
}

impl Parser {
    pub(super) fn x86_threads(&mut self, mode: Mode) -> Parsed<Vec<Thread>> {
        let n_threads = self.thread_names()?;
        let mut threads = vec![Thread::default(); n_threads];
        // A cell that holds only `LOCK` is the prefix of the instruction below it.
        let mut locked = vec![false; n_threads];
        while !self.is_at_finals() {
            for (thread, lock) in threads.iter_mut().zip(&mut locked) {
                let line = self.cell(mode, lock)?;
                if line != Line::default() {
                    thread.lines.push(line);
                }
                if self.is_at(";") {
                    break;
                }
                self.expect_bar()?;
            }
            self.expect(";")?;
        }
        match locked.iter().position(|&lock| lock) {
            Some(thread) => {
                Err(Fault::new(self.span(), format!("the last `LOCK` of P{thread} has no instruction")))
            }
            None => Ok(threads),
        }
    }

    fn thread_names(&mut self) -> Parsed<usize> {
        let mut n_threads = 0;
        loop {
            let start = self.span();
            let name = self.ident("a thread `P0`")?;
            if thread_number(&name) != Some(n_threads) {
                return Err(Fault::new(start, format!("expected thread `P{n_threads}`, found `{name}`")));
            }
            n_threads += 1;
            if self.eat(";") {
                return Ok(n_threads as usize);
            }
            self.expect_bar()?;
        }
    }

    /// `|`, or half of a `||` that denotes an empty cell. The bar before a row's `;` may be omitted.
    fn expect_bar(&mut self) -> Parsed<()> {
        if self.is_at("||") {
            self.tokens[self.at].0 = Token::Symbol("|");
            return Ok(());
        }
        if self.eat("|") { Ok(()) } else { Err(self.expected("`|` or `;`")) }
    }

    fn is_at_finals(&self) -> bool {
        match self.peek() {
            Token::Ident(word) => {
                let word = word.as_str();
                let is_label = *self.peek_at(1) == Token::Symbol(":");
                !is_label && matches!(word, "exists" | "forall" | "locations" | "filter" | "not")
            }
            Token::Symbol("~") | Token::End => true,
            _ => false,
        }
    }

    fn cell(&mut self, mode: Mode, lock: &mut bool) -> Parsed<Line> {
        let mut line = Line::default();
        loop {
            match self.peek().clone() {
                Token::Symbol("|" | "||" | ";") => return Ok(line),
                Token::Ident(label) if *self.peek_at(1) == Token::Symbol(":") => {
                    self.advance();
                    self.advance();
                    line.labels.push(label);
                }
                Token::Ident(word) if word.eq_ignore_ascii_case("LOCK") => {
                    self.advance();
                    *lock = true;
                }
                Token::Ident(word) => {
                    line.instruction = Some(self.instruction(&word, mode, std::mem::take(lock))?);
                    return Ok(line);
                }
                _ => return Err(self.expected("an instruction, `|` or `;`")),
            }
        }
    }

    fn instruction(&mut self, word: &str, mode: Mode, lock: bool) -> Parsed<Instruction> {
        let start = self.span();
        let (mnemonic, width) = Mnemonic::from_word(word).ok_or_else(|| {
            Fault::new(start, format!("the instruction `{word}` is not supported in X86 litmus tests"))
        })?;
        self.advance();
        let mut syntax = Syntax::Intel;
        let mut operands = Vec::new();
        while operands.len() < mnemonic.n_operands() {
            if !operands.is_empty() {
                self.expect(",")?;
            }
            let operand = match mnemonic {
                Mnemonic::Jump(_) => Operand::Label(self.ident("a label")?),
                _ => self.operand(mode, &mut syntax)?,
            };
            operands.push(operand);
        }
        let starts_with_immediate = operands.len() == 2 && matches!(operands[0], Operand::Immediate(_));
        if syntax == Syntax::Att || starts_with_immediate {
            operands.reverse();
        }
        Ok(Instruction { mnemonic, lock, width, operands, span: self.span_since(start) })
    }

    /// `$1`, `1`, `EAX`, `%eax`, `[x]`, `(x)`, `[EAX]` or `(%rax)`.
    fn operand(&mut self, mode: Mode, syntax: &mut Syntax) -> Parsed<Operand> {
        match self.peek() {
            Token::Symbol("$") => {
                self.advance();
                Ok(Operand::Immediate(self.integer()?))
            }
            Token::Symbol("-") | Token::Number(_) => {
                let value = self.integer()?;
                if self.is_at("(") || self.is_at("[") {
                    return Err(Fault::new(self.span(), "addresses with a displacement are not supported"));
                }
                Ok(Operand::Immediate(value))
            }
            Token::Symbol("[") => {
                self.advance();
                let memory = self.memory(syntax)?;
                self.expect("]")?;
                Ok(Operand::Memory(memory))
            }
            Token::Symbol("(") => {
                self.advance();
                if mode == Mode::B64 {
                    *syntax = Syntax::Att;
                }
                let memory = self.memory(syntax)?;
                self.expect(")")?;
                Ok(Operand::Memory(memory))
            }
            _ => self
                .register(syntax)?
                .map(Operand::Register)
                .ok_or_else(|| self.expected("an operand: a register, `$n` or `[x]`")),
        }
    }

    fn memory(&mut self, syntax: &mut Syntax) -> Parsed<MemoryOperand> {
        match self.register(syntax)? {
            Some(register) => Ok(MemoryOperand::At(register)),
            None => Ok(MemoryOperand::Location(self.ident("a location or a register")?)),
        }
    }

    /// A register if there is one here. A `%` makes the instruction AT&T's and must be followed by one.
    fn register(&mut self, syntax: &mut Syntax) -> Parsed<Option<Register>> {
        let has_sigil = self.eat("%");
        if has_sigil {
            *syntax = Syntax::Att;
        }
        let Token::Ident(word) = self.peek() else {
            return if has_sigil { Err(self.expected("a register")) } else { Ok(None) };
        };
        if NARROW.contains(&word.to_ascii_uppercase().as_str()) {
            let message = format!("the register `{word}` is not supported: only those of 32 and 64 bits are");
            return Err(Fault::new(self.span(), message));
        }
        let register = Register::from_word(word);
        if register.is_some() {
            self.advance();
        } else if has_sigil {
            return Err(self.expected("a register"));
        }
        Ok(register)
    }
}
