//! Results that no thread uses.
//!
//! The result of an operation is used if something depends on it other than registers that nothing depends on. Without
//! optimisation, a compiler stores every result and loads it again, so this looks through copies and arithmetic. A result
//! may also be returned: then it depends on the callers of the function whether it is used.

use crate::flow::successors;
use crate::instr::{AwaitReason, BinaryOp, Instr};
use crate::ir::{Function, Operand, Reg};
use crate::run::VmRun;
use atropos_event::bits::BitSet;
use atropos_event::{BarrierStep, Position, ThreadId};

/// What becomes of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    Unused,
    /// The function returns it, or what it has computed from it, and does nothing else with it.
    Returned,
    Used,
}

/// For each statement of a function that is a read-modify-write or a call: what becomes of its result.
pub fn fates(function: &Function) -> Vec<Fate> {
    let n = function.body.len();
    let next: Vec<_> = (0..n).map(|at| successors(function, at)).collect();
    let mut before = vec![Needs::new(function.registers.len()); n];
    let mut now = Needs::new(function.registers.len());
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..n).rev() {
            now.set_to_union(&next[at], &before);
            now.pass(&function.body[at].instr);
            if now != before[at] {
                changed = true;
                before[at].clone_from(&now);
            }
        }
    }
    let fate = |at: usize| {
        let (Instr::Rmw { dst, .. } | Instr::Call { dst, .. }) = function.body[at].instr else {
            return Fate::Used;
        };
        let Some(Reg(dst)) = dst else { return Fate::Unused };
        let any =
            |of: fn(&Needs) -> &BitSet| next[at].iter().any(|&next| of(&before[next]).contains(dst as usize));
        match () {
            () if any(|needs| &needs.used) => Fate::Used,
            () if any(|needs| &needs.returned) => Fate::Returned,
            () => Fate::Unused,
        }
    };
    (0..n).map(fate).collect()
}

/// The registers whose values are used, or returned, on some path from a statement.
#[derive(Clone, PartialEq)]
struct Needs {
    used: BitSet,
    returned: BitSet,
}

impl Needs {
    fn new(n_registers: usize) -> Needs {
        Needs { used: BitSet::new(n_registers), returned: BitSet::new(n_registers) }
    }

    fn set_to_union(&mut self, next: &[usize], before: &[Needs]) {
        self.used.clear();
        self.returned.clear();
        for &next in next {
            self.used.union(&before[next].used);
            self.returned.union(&before[next].returned);
        }
    }

    /// From what is needed after an instruction to what is needed before it.
    fn pass(&mut self, instr: &Instr) {
        let (mut is_used, mut is_returned) = (false, false);
        instr.visit_results(&mut |Reg(reg)| {
            is_used |= self.used.contains(reg as usize);
            is_returned |= self.returned.contains(reg as usize);
            self.used.remove(reg as usize);
            self.returned.remove(reg as usize);
        });
        match instr {
            Instr::Return { .. } => is_returned = true,
            _ if only_computes(instr) => {}
            _ => is_used = true,
        }
        instr.visit_operands(&mut |operand| {
            if let Operand::Reg(Reg(reg)) = operand {
                if is_used {
                    self.used.insert(reg as usize);
                }
                if is_returned {
                    self.returned.insert(reg as usize);
                }
            }
        });
    }
}

/// Whether an instruction does nothing but compute its result, and never fails.
fn only_computes(instr: &Instr) -> bool {
    match instr {
        Instr::Move { .. }
        | Instr::Unary { .. }
        | Instr::Compare { .. }
        | Instr::Cast { .. }
        | Instr::Select { .. }
        | Instr::Address { .. } => true,
        Instr::Binary { op, .. } => {
            matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
        }
        _ => false,
    }
}

impl VmRun<'_> {
    /// Whether the thread at `position` never uses the answer to its step.
    pub(crate) fn is_answer_unused(&self, thread: ThreadId, position: Position) -> bool {
        self.is_unused(thread, position, |function, at| self.vm.fates(function)[at])
    }

    /// What the step at `position` does at a barrier, if no caller uses what the function returns.
    pub(crate) fn step_at_barrier(&self, thread: ThreadId, position: Position) -> Option<BarrierStep> {
        let snapshot = &self.snapshots[position.0 as usize];
        let (waiting, pc) = (snapshot.state.function as usize, snapshot.state.pc as usize);
        if !self.vm.has_rounds[waiting] {
            return None;
        }
        let at = self.vm.code.functions[waiting].origins[pc] as usize;
        let step = match self.vm.module.functions[waiting].body[at].instr {
            Instr::Rmw { .. } => BarrierStep::Arrival,
            Instr::Store { .. } => BarrierStep::Opening,
            Instr::Load { .. } => BarrierStep::Departure,
            _ => return None,
        };
        let is_unused = self.is_unused(thread, position, |function, other| {
            if (function, other) == (waiting, at) { Fate::Returned } else { self.vm.fates(function)[other] }
        });
        is_unused.then_some(step)
    }

    /// Whether a result of the thread at `position` is never used, given its fate in each function.
    fn is_unused(&self, thread: ThreadId, position: Position, fate: impl Fn(usize, usize) -> Fate) -> bool {
        let fate = self.follow_result(position, |function, at| match fate(function, at) {
            Fate::Returned => None,
            fate => Some(fate == Fate::Unused),
        });
        // The exit status of the program is not looked at.
        fate.unwrap_or(thread == ThreadId::MAIN || !self.vm.code.keeps_returns)
    }

    /// What is known about a result of the thread at `position`, for each statement that has it; `None` where the function
    /// returns it, and in the end if the thread does.
    pub(crate) fn follow_result<T>(
        &self,
        position: Position,
        mut known: impl FnMut(usize, usize) -> Option<T>,
    ) -> Option<T> {
        let code = &self.vm.code;
        let snapshot = &self.snapshots[position.0 as usize];
        let words = &self.words[snapshot.words_at..];
        let (mut function, mut pc) = (snapshot.state.function, snapshot.state.pc);
        let mut frame = snapshot.state.frames.top as usize;
        loop {
            let at = code.functions[function as usize].origins[pc as usize];
            let known = known(function as usize, at as usize);
            if known.is_some() || frame == 0 {
                return known;
            }
            let (link, bases) = (words[frame], words[frame + 1]);
            (function, pc) = (link as u32, (link >> 32) as u32);
            frame = (bases >> 32) as usize;
        }
    }
}

/// Whether threads wait in a function until all of a round have arrived.
pub fn has_round(function: &Function) -> bool {
    let is_round = |instr: &Instr| matches!(instr, Instr::Await { reason: AwaitReason::Round, .. });
    function.body.iter().any(|statement| is_round(&statement.instr))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn results_are_used_returned_or_neither() {
        let source = "global x: i32
            fn unused() { a = rmw.add.rlx.i32 x, 1\n b = a\n c = add.i32 b, 1\n return 1 }
            fn returned() { a = rmw.add.rlx.i32 x, 1\n b = add.i32 a, 1\n return b }
            fn stored() { a = rmw.add.rlx.i32 x, 1\n store.rlx.i32 x, a\n return }
            fn divided() { a = rmw.add.rlx.i32 x, 1\n b = udiv.i32 1, a\n return }
            fn sometimes(f) { a = rmw.add.rlx.i32 x, 1\n if f goto other\n return\n other:\n return a }
            fn looped() { a = 0\n again:\n b = rmw.add.rlx.i32 x, 1\n a = add.i32 a, b\n goto again }
            fn calls() { a = call returned()\n return }
            fn main() { return }\n";
        let module = text::parse("test.vm", source).unwrap_or_else(|errors| panic!("{errors}"));
        let found: Vec<_> = module
            .functions
            .iter()
            .map(|function| {
                let is_result =
                    |at: &usize| matches!(function.body[*at].instr, Instr::Rmw { .. } | Instr::Call { .. });
                (0..function.body.len()).find(is_result).map(|at| fates(function)[at])
            })
            .collect();
        let [unused, returned, used] = [Fate::Unused, Fate::Returned, Fate::Used].map(Some);
        assert_eq!(found, [unused, returned, used, used, returned, unused, unused, None]);
    }
}
