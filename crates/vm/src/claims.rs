//! Whether joins and detaches must be recorded in shared memory.
//!
//! A thread knows by itself which of its children it has joined or detached. If another thread may do so too, each
//! join and each detach claims a word beside the child's return value ([`crate::layout::ThreadRegion::claim_slot`]), and
//! the second one fails. Most programs join only in `main` and are spared the events.

use std::collections::HashSet;

use crate::instr::Instr;
use crate::ir::{Module, Operand, Symbol};

/// Whether a thread is detached somewhere, or joined in code that a thread other than the main one may run: a
/// function whose address is taken, or one that such a function calls.
pub fn are_needed(module: &Module) -> bool {
    let instrs = || module.functions.iter().flat_map(|function| &function.body).map(|s| &s.instr);
    if instrs().any(|instr| matches!(instr, Instr::Detach { .. })) {
        return true;
    }
    let mut open = taken_functions(module);
    let mut reached = HashSet::new();
    while let Some(index) = open.pop() {
        if !reached.insert(index) {
            continue;
        }
        for statement in &module.functions[index].body {
            match &statement.instr {
                Instr::Join { .. } => return true,
                Instr::Call { function: Operand::Function(id), .. } => open.push(id.index()),
                _ => {}
            }
        }
    }
    false
}

/// The functions whose address is taken somewhere.
pub fn taken_functions(module: &Module) -> Vec<usize> {
    let relocations = module.globals.iter().flat_map(|global| &global.relocations);
    let in_globals = relocations.filter_map(|relocation| match relocation.target {
        Symbol::Function(id) => Some(id.index()),
        Symbol::Global(_) => None,
    });
    let mut found: Vec<usize> = in_globals.collect();
    let statements = module.functions.iter().flat_map(|function| &function.body);
    statements.for_each(|statement| taken(&statement.instr, &mut found));
    found
}

/// The functions whose address an instruction takes.
fn taken(instr: &Instr, found: &mut Vec<usize>) {
    let called = match instr {
        Instr::Call { function, .. } => Some(*function),
        _ => None,
    };
    let mut n_called = 0;
    instr.visit_operands(&mut |operand| {
        if let Operand::Function(id) = operand {
            // The first occurrence is the call itself.
            let is_callee = n_called == 0 && called == Some(operand);
            n_called += u32::from(is_callee);
            if !is_callee {
                found.push(id.index());
            }
        }
    });
}
