//! Results that are only compared with a number, as those of reference counts are.
//!
//! `if (fetch_sub(&count, 1) == 1)` asks whether the count was one; `fetch_add(&count, 1) > LARGEST` asks whether it was
//! larger than it ever is. This looks through copies, additions of constants and returns, like [`crate::unused`].

use crate::arith;
use crate::flow::successors;
use crate::instr::{BinaryOp, CompareOp, Instr};
use crate::ir::{Function, Operand, Reg, Width};
use crate::run::VmRun;
use atropos_event::{AnswerUse, Position};

/// Counts are smaller than that.
const LARGE: u64 = 1 << 20;

/// Functions with more registers times statements are not looked at.
const MOST: usize = 1 << 18;

/// What is needed of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    Nothing,
    /// The result of one comparison.
    Test(Asked),
    /// The function returns it, plus this number.
    Returned(u64),
    Everything,
}

/// A comparison of the sum of a value and `added` with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    op: CompareOp,
    width: Width,
    constant: u64,
    added: u64,
}

impl Need {
    fn join(self, other: Need) -> Need {
        match (self, other) {
            (Need::Nothing, need) | (need, Need::Nothing) => need,
            (one, other) if one == other => one,
            _ => Need::Everything,
        }
    }

    /// What is needed of a value if this is needed of the sum with `more`.
    fn plus(self, more: u64) -> Need {
        match self {
            Need::Test(test) => Need::Test(Asked { added: test.added.wrapping_add(more), ..test }),
            Need::Returned(added) => Need::Returned(added.wrapping_add(more)),
            need => need,
        }
    }
}

impl Asked {
    fn holds(self, value: u64) -> bool {
        arith::compare(self.op, self.width, value.wrapping_add(self.added), self.constant)
    }

    /// What it says about a number from 1 to `LARGE`.
    fn of_count(self) -> AnswerUse {
        // No sum with a small number wraps, so that an inequality changes once.
        if self.width.bits() < 32 || self.added.wrapping_add(1) > 2 {
            return AnswerUse::Any;
        }
        let is_constant = match self.op {
            CompareOp::Equal | CompareOp::NotEqual => {
                let at = arith::truncate(self.width, self.constant.wrapping_sub(self.added));
                !(2..LARGE).contains(&at)
            }
            _ => self.holds(2) == self.holds(LARGE - 1),
        };
        match () {
            () if !is_constant => AnswerUse::Any,
            () if self.holds(1) == self.holds(2) => AnswerUse::Size,
            () => AnswerUse::IsOne,
        }
    }
}

/// For each statement of a function that is a read-modify-write or a call: what is needed of its result.
pub fn needs(function: &Function) -> Vec<Need> {
    let n = function.body.len();
    if n * function.registers.len() > MOST {
        return vec![Need::Everything; n];
    }
    let next: Vec<_> = (0..n).map(|at| successors(function, at)).collect();
    let mut before = vec![vec![Need::Nothing; function.registers.len()]; n];
    let after = |before: &[Vec<Need>], at: usize| {
        let mut now = vec![Need::Nothing; function.registers.len()];
        for &next in &next[at] {
            now.iter_mut().zip(&before[next]).for_each(|(now, &need)| *now = now.join(need));
        }
        now
    };
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..n).rev() {
            let mut now = after(&before, at);
            pass(&function.body[at].instr, &mut now);
            if now != before[at] {
                changed = true;
                before[at] = now;
            }
        }
    }
    let need = |at: usize| match function.body[at].instr {
        Instr::Rmw { dst, .. } | Instr::Call { dst, .. } => {
            dst.map_or(Need::Nothing, |Reg(dst)| after(&before, at)[dst as usize])
        }
        _ => Need::Everything,
    };
    (0..n).map(need).collect()
}

/// From what is needed after an instruction to what is needed before it.
fn pass(instr: &Instr, needs: &mut [Need]) {
    let mut need = Need::Nothing;
    instr.visit_results(&mut |Reg(reg)| {
        need = need.join(std::mem::replace(&mut needs[reg as usize], Need::Nothing));
    });
    let need = match *instr {
        Instr::Return { .. } => Need::Returned(0),
        Instr::Move { .. } => need,
        Instr::Compare { op, width, right: Operand::Const(constant), .. } if need != Need::Nothing => {
            Need::Test(Asked { op, width, constant, added: 0 })
        }
        Instr::Binary { op: BinaryOp::Add, right: Operand::Const(more), width, .. } => {
            need.plus(arith::signed(width, more) as u64)
        }
        Instr::Binary { op: BinaryOp::Sub, right: Operand::Const(less), width, .. } => {
            need.plus((arith::signed(width, less) as u64).wrapping_neg())
        }
        Instr::Compare { .. }
        | Instr::Binary { op: BinaryOp::Add | BinaryOp::Sub, .. }
        | Instr::Unary { .. }
        | Instr::Cast { .. }
        | Instr::Select { .. }
        | Instr::Address { .. }
            if need == Need::Nothing =>
        {
            Need::Nothing
        }
        _ => Need::Everything,
    };
    instr.visit_operands(&mut |operand| {
        if let Operand::Reg(Reg(reg)) = operand {
            needs[reg as usize] = needs[reg as usize].join(need);
        }
    });
}

impl VmRun<'_> {
    /// What the thread at `position` does with the answer to its step.
    pub(crate) fn use_of_answer(&self, position: Position) -> AnswerUse {
        let mut added = 0;
        let found =
            self.follow_result(position, |function, at| match self.vm.needs(function)[at].plus(added) {
                Need::Returned(more) => {
                    added = more;
                    None
                }
                need => Some(need),
            });
        match found {
            Some(Need::Nothing) => AnswerUse::Nothing,
            Some(Need::Test(test)) => test.of_count(),
            _ => AnswerUse::Any,
        }
    }
}
