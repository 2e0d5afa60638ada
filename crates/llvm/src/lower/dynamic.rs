//! Stack objects created while a function runs: arrays of variable length and `alloca`.
//!
//! They live until the stack is restored (`llvm.stackrestore`, at the end of the block of an array), or until the
//! function returns. A function that creates any keeps a list of them in private memory: their number, then their
//! addresses. `llvm.stacksave` is that number.

use std::rc::Rc;

use atropos_event::{AllocKind, Gap, GapKind, ReadOrder};
use atropos_vm::ir::{SlotKind, StackSlot};
use atropos_vm::{Instr, Operand};

use super::function::Code;
use crate::ast::{Block, Op};

/// The maximum number of such objects in one call of a function; `stack.vm` refuses more.
const LIMIT: u64 = 1000;

impl Code<'_, '_> {
    /// Makes room for the list, if the function creates such objects.
    pub(crate) fn prepare_dynamic(&mut self, blocks: &[Block]) {
        let is_dynamic = |nth: usize, op: &Op| match op {
            Op::Alloca { count, .. } => nth > 0 || count.is_some(),
            _ => false,
        };
        let mut blocks = blocks.iter().enumerate();
        if blocks.any(|(nth, block)| block.instrs.iter().any(|instr| is_dynamic(nth, &instr.op))) {
            self.frame.dynamic =
                Some(self.code.slot(StackSlot::new("stack objects", 8 * (LIMIT + 1), SlotKind::List)));
        }
    }

    pub(crate) fn allocate_dynamic(
        &mut self,
        result: Option<&Rc<str>>,
        size: Operand,
        align: u64,
    ) -> Result<(), Gap> {
        let list = self.frame.dynamic.ok_or(GapKind::WrongPlace)?;
        let dst = self.dst(result)?;
        self.code.push(Instr::Alloc {
            dst,
            size,
            align: align.into(),
            kind: AllocKind::Stack,
            zeroed: false,
        });
        self.call_runtime(None, "keep stack object", vec![list.into(), dst.into()])
    }

    pub(crate) fn save_stack(&mut self, result: Option<&Rc<str>>) -> Result<(), Gap> {
        match self.frame.dynamic {
            Some(list) => {
                let dst = self.dst(result)?;
                self.code.push(Instr::Load { dst, size: 8, order: ReadOrder::NotAtomic, addr: list.into() });
                Ok(())
            }
            None => self.assign(result, 0u64),
        }
    }

    /// Frees all objects but the first `n_kept` ones.
    pub(crate) fn restore_stack(&mut self, n_kept: Operand) -> Result<(), Gap> {
        match self.frame.dynamic {
            Some(list) => self.call_runtime(None, "free stack objects", vec![list.into(), n_kept]),
            None => Ok(()),
        }
    }

    /// Leaves the function.
    pub(crate) fn push_return(&mut self, value: Option<Operand>) {
        self.restore_stack(Operand::Const(0)).expect("a call without a result");
        self.end_activation();
        if is_section(&self.key.1) {
            self.code.push(Instr::LeaveSection);
        }
        self.code.push(Instr::Return { value });
    }
}

/// Whether a whole function is one atomic section. In C++ its arguments follow its name.
pub(crate) fn is_section(name: &str) -> bool {
    name.split_once("__VERIFIER_atomic_").is_some_and(|(before, after)| {
        let is_mangled = before.starts_with("_Z");
        (before.is_empty() || is_mangled) && !["begin", "end", "beginv", "endv"].contains(&after)
    })
}
