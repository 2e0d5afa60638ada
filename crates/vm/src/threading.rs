//! Jumps to a branch whose condition is known there go where the branch goes.
//!
//! Front-ends make `a && b` a variable that is 0 on one way and `b` on the other, and branch on it where both ways
//! meet. A loop with such a condition looks as if it could repeat on both ways. Jumps are changed in place, and no
//! statement moves.

use crate::instr::Instr;
use crate::ir::{Function, Operand, Reg, Target};

/// Redirects the jumps of a function.
pub fn thread_jumps(function: &mut Function) {
    let mut is_target = vec![false; function.body.len() + 1];
    function.targets.iter().for_each(|target| is_target[target.at as usize] = true);
    for at in 0..function.body.len() {
        if let Instr::Jump { to } = function.body[at].instr
            && let Some(further) = beyond(function, &is_target, at, to)
        {
            function.body[at].instr = Instr::Jump { to: further };
        }
    }
}

/// Where the branch at `to` leads after the jump at `jump`, if it is known.
fn beyond(function: &Function, is_target: &[bool], jump: usize, to: Target) -> Option<Target> {
    let branch = function.targets[to.index()].at as usize;
    let &Instr::Branch { condition: Operand::Reg(condition), when, to: taken } =
        &function.body.get(branch)?.instr
    else {
        return None;
    };
    let value = assigned_before(function, is_target, jump, condition)?;
    if (value != 0) == when {
        return Some(taken);
    }
    match function.body.get(branch + 1)?.instr {
        Instr::Jump { to } => Some(to),
        _ => None,
    }
}

/// The constant that the moves right before a jump assign to a register.
fn assigned_before(function: &Function, is_target: &[bool], jump: usize, reg: Reg) -> Option<u64> {
    let mut at = jump;
    while at > 0 && !is_target[at] {
        at -= 1;
        match function.body[at].instr {
            Instr::Move { dst, value: Operand::Const(value) } if dst == reg => return Some(value),
            Instr::Move { dst, .. } if dst != reg => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::text;

    #[test]
    fn a_jump_with_a_known_condition_skips_the_branch() {
        let code = "fn main() {\n a = 1\n if a goto both\n c = 0\n goto meet\nboth: c = a\n goto meet\n\
                    meet: if c goto yes\n goto no\nyes: b = 2\n goto no\nno: return\n}\n";
        let after = text::print(&text::parse("t.vm", code).unwrap());
        assert_eq!(after.matches("goto meet").count(), 1, "{after}");
        assert!(after.contains("c = 0\n  goto no"), "{after}");
    }
}
