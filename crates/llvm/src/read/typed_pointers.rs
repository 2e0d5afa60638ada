//! Casts between pointers of different types, which LLVM IR had up to clang 14.
//!
//! Such a cast changes nothing, so its operand takes its place: what is found out about an address does not depend on
//! the version of the compiler.
//!
//! The optimiser of these versions makes one integer of a local struct of the same size that it loads or stores as a
//! whole, and casts its address wherever it is a struct. Here it is a struct again: what may be done with its unwritten
//! parts ([`crate::unwritten`]) depends on that.

use std::collections::HashMap;
use std::rc::Rc;

use super::lexer::TokenKind;
use super::parser::Parser;
use crate::ast::{Block, Cast, Instr, Op, Type, Typed, Value};
use crate::layout;
use crate::operands::each_value_mut;

/// Local addresses and the structs that casts make them point to.
#[derive(Default)]
pub(super) struct Views(HashMap<Rc<str>, Type>);

impl Parser<'_> {
    /// Remembers a cast of a local address to a pointer to a struct, whose name comes next.
    pub(super) fn note_view(&mut self, op: Cast, value: &Typed) {
        let token = self.peek();
        if let (Cast::Bits, Type::Ptr, Value::Local(name)) = (op, &value.ty, &value.value)
            && token.kind == TokenKind::Local
            && let Ok(ty @ Type::Struct(_)) = self.named(token.text)
        {
            self.views.0.insert(name.clone(), ty);
        }
    }
}

impl Views {
    /// Makes structs of local integers that were structs.
    pub(super) fn restore(&self, blocks: &mut [Block]) {
        for instr in blocks.iter_mut().flat_map(|block| &mut block.instrs) {
            if let (Op::Alloca { ty: ty @ Type::Int(_), count: None, .. }, Some(name)) =
                (&mut instr.op, &instr.result)
                && let Some(view) = self.0.get(name)
                && layout::size_of(view) == layout::size_of(ty)
            {
                *ty = view.clone();
            }
        }
    }
}

/// Removes all such casts from a function.
pub(super) fn remove_casts(blocks: &mut [Block]) {
    let mut operands: HashMap<Rc<str>, Value> = HashMap::new();
    for block in &mut *blocks {
        block.instrs.retain_mut(|instr| {
            let Some(operand) = operand_of_cast(instr) else { return true };
            operands.extend(instr.result.take().map(|result| (result, operand)));
            false
        });
    }
    if operands.is_empty() {
        return;
    }
    for instr in blocks.iter_mut().flat_map(|block| &mut block.instrs) {
        each_value_mut(&mut instr.op, &mut |value| {
            // In code that is never reached, a cast may be its own operand.
            for _ in 0..operands.len() {
                let Value::Local(name) = &*value else { break };
                let Some(operand) = operands.get(name) else { break };
                *value = operand.clone();
            }
        });
    }
}

fn operand_of_cast(instr: &Instr) -> Option<Value> {
    match &instr.op {
        Op::Cast { op: Cast::Bits, value, to: Type::Ptr } if value.ty == Type::Ptr => {
            Some(value.value.clone())
        }
        _ => None,
    }
}
