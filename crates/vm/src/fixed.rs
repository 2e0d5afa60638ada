//! Operands whose value stays the same during an activation, once it is computed.
//!
//! Front-ends compute the address of a field each time it is used. Two such addresses are the same if they have the
//! same offset from the same root: a global, a parameter that is never assigned, or a register that is assigned once,
//! outside of loops, and not read before.

use crate::flow::{Liveness, Loop};
use crate::instr::Instr;
use crate::ir::{Function, Operand, Reg};

/// What is known about a register.
#[derive(Clone, Copy)]
enum Content {
    Unknown,
    /// Nothing has assigned it yet.
    Unassigned,
    /// It is set once, and the value is that of the operand plus an offset; of itself if it is a root.
    Fixed(Operand, i64),
}

pub struct Fixed {
    registers: Vec<Content>,
}

impl Fixed {
    pub fn of(function: &Function, loops: &[Loop], liveness: &Liveness) -> Fixed {
        let root = |reg: usize| Content::Fixed(Operand::Reg(Reg(reg as u32)), 0);
        let mut registers = vec![Content::Unassigned; function.registers.len()];
        liveness.before(0).for_each(|Reg(reg)| registers[reg as usize] = Content::Unknown);
        (0..function.n_params as usize).for_each(|param| registers[param] = root(param));
        for (at, statement) in function.body.iter().enumerate() {
            let content = match statement.instr {
                Instr::Move { value, .. } => Some((value, 0)),
                Instr::Address { base, index: Operand::Const(index), scale, offset, .. } => {
                    Some((base, offset.wrapping_add(index.wrapping_mul(scale) as i64)))
                }
                _ => None,
            };
            statement.instr.visit_results(&mut |Reg(reg)| {
                let is_repeated = || loops.iter().any(|l| l.contains(at));
                let known = &mut registers[reg as usize];
                *known = match (*known, content) {
                    (Content::Unassigned, Some((from, offset))) => Content::Fixed(from, offset),
                    (Content::Unassigned, None) if !is_repeated() => root(reg as usize),
                    _ => Content::Unknown,
                };
            });
        }
        Fixed { registers }
    }

    /// The root and the offset of an operand whose value does not change.
    pub fn place(&self, operand: Operand) -> Option<(Operand, i64)> {
        let (mut at, mut sum) = (operand, 0i64);
        // A chain of assignments is no longer than that.
        for _ in 0..=self.registers.len() {
            let Operand::Reg(Reg(reg)) = at else { return Some((at, sum)) };
            let Content::Fixed(from, offset) = self.registers[reg as usize] else { return None };
            if from == at {
                return Some((at, sum));
            }
            (at, sum) = (from, sum.wrapping_add(offset));
        }
        None
    }
}
