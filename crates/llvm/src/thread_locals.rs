//! Whether a program passes on the address of a thread-local variable.
//!
//! Most programs access thread-locals only by name. In the others, a thread may still have the address of a variable
//! whose thread has ended.

use std::collections::HashSet;
use std::rc::Rc;

use crate::ast::{Call, Instr, Op, Value};
use crate::operands::each_value;
use crate::program::{LinkedProgram, Symbol};

pub(crate) fn escape(program: &LinkedProgram) -> bool {
    program.bodies.iter().any(|(key, blocks)| {
        let instrs: Vec<&Instr> = blocks.iter().flat_map(|block| &block.instrs).collect();
        ThreadLocalUses { program, module: key.0, addresses: HashSet::new() }.gives_away(&instrs)
    })
}

struct ThreadLocalUses<'p> {
    program: &'p LinkedProgram,
    module: usize,
    /// The values that are addresses of thread-locals or of their parts.
    addresses: HashSet<Rc<str>>,
}

impl ThreadLocalUses<'_> {
    fn gives_away(mut self, instrs: &[&Instr]) -> bool {
        let mut n_known = usize::MAX;
        while n_known != self.addresses.len() {
            n_known = self.addresses.len();
            for instr in instrs {
                if let Some(result) = &instr.result
                    && self.is_derived(&instr.op)
                {
                    self.addresses.insert(result.clone());
                }
            }
        }
        instrs.iter().any(|instr| self.lets_go(&instr.op))
    }

    fn is_address(&self, value: &Value) -> bool {
        match value {
            Value::Local(name) => self.addresses.contains(name),
            Value::Global(name) => match self.program.resolve(self.module, name) {
                Symbol::Global(key) => self.program.global(&key).thread_local,
                Symbol::Function(_) | Symbol::Missing(_) => false,
            },
            Value::Gep { args, .. } => args.first().is_some_and(|base| self.is_address(&base.value)),
            _ => false,
        }
    }

    /// Whether the result is an address that this analysis follows.
    fn is_derived(&self, op: &Op) -> bool {
        match op {
            Op::Gep { args, .. } => args.first().is_some_and(|base| self.is_address(&base.value)),
            Op::Call(call) => is_intrinsic(call, "llvm.threadlocal.address") && self.is_passed(call),
            _ => false,
        }
    }

    fn is_passed(&self, call: &Call) -> bool {
        call.args.iter().any(|arg| self.is_address(&arg.value.value))
    }

    /// Whether the operation uses an address in a way that this analysis does not follow.
    fn lets_go(&self, op: &Op) -> bool {
        match op {
            Op::Load { .. } | Op::Gep { .. } | Op::Icmp { .. } => false,
            Op::Store { value, .. } => self.is_address(&value.value),
            Op::CmpXchg { expected, desired, .. } => {
                self.is_address(&expected.value) || self.is_address(desired)
            }
            Op::Rmw { operand, .. } => self.is_address(&operand.value),
            Op::Call(call) if is_intrinsic(call, "llvm.") => false,
            op => {
                let mut found = false;
                each_value(op, &mut |value| found |= self.is_address(value));
                found
            }
        }
    }
}

fn is_intrinsic(call: &Call, start: &str) -> bool {
    matches!(&call.callee, Value::Global(name) if name.starts_with(start))
}
