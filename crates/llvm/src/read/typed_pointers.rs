//! Casts between pointers of different types, which LLVM IR had up to clang 14.
//!
//! Such a cast changes nothing, so its operand takes its place: what is found out about an address does not depend on
//! the version of the compiler.

use std::collections::HashMap;
use std::rc::Rc;

use crate::ast::{Block, Cast, Instr, Op, Type, Value};
use crate::operands::each_value_mut;

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
