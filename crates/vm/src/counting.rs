//! Loops that count: no iteration looks like an earlier one, so they need not be compared.
//!
//! If every iteration adds the same small number to a register, and nothing else in the loop assigns it, the register
//! differs at any two arrivals at the turning point, where it is alive because the next addition reads it. It has at
//! least 32 bits, and no run is long enough to make it overflow so often that a value comes back.

use crate::flow::{Loop, successors};
use crate::instr::{BinaryOp, Instr};
use crate::ir::{Function, Operand, Reg};

/// The largest number that a loop may count by: the value of a register comes back after 2^28 iterations at least.
const LARGEST_STEP: u64 = 16;

/// How many statements may be between the register and its next value, besides the last one.
const MOST_COPIES: usize = 4;

/// Whether a register counts the iterations of the loop; `live` are the registers that are alive at its turning point.
pub fn counts(function: &Function, l: &Loop, mut live: impl Iterator<Item = Reg>) -> bool {
    live.any(|reg| {
        let mut assignments = assignments(function, reg).filter(|&at| l.contains(at));
        match (assignments.next(), assignments.next()) {
            (Some(at), None) => is_passed(function, l, at, l.head) && is_step(function, l, at, reg),
            _ => false,
        }
    })
}

/// The statements that assign a register.
fn assignments(function: &Function, reg: Reg) -> impl Iterator<Item = usize> + '_ {
    let assigns = move |instr: &Instr| {
        let mut is_result = false;
        instr.visit_results(&mut |result| is_result |= result == reg);
        is_result
    };
    let body = function.body.iter().enumerate();
    body.filter(move |(_, statement)| assigns(&statement.instr)).map(|(at, _)| at)
}

/// Whether the value that the statement assigns is that of `reg` in the same iteration, plus a number once, through
/// copies in registers that are assigned nowhere else.
fn is_step(function: &Function, l: &Loop, mut at: usize, reg: Reg) -> bool {
    let mut has_step = false;
    for _ in 0..=MOST_COPIES {
        let from = match function.body[at].instr {
            Instr::Move { value, .. } => value,
            Instr::Binary {
                op: BinaryOp::Add | BinaryOp::Sub,
                width,
                left,
                right: Operand::Const(step),
                ..
            } => {
                let unused = 64 - width.bits();
                let distance = step.min(step.wrapping_neg() << unused >> unused);
                if has_step || width.bits() < 32 || !(1..=LARGEST_STEP).contains(&distance) {
                    return false;
                }
                has_step = true;
                left
            }
            _ => return false,
        };
        if from == Operand::Reg(reg) {
            return has_step;
        }
        let Operand::Reg(from) = from else { return false };
        let mut sources = assignments(function, from);
        match (sources.next(), sources.next()) {
            (Some(source), None) if at != l.head && is_passed(function, l, source, at) => at = source,
            _ => return false,
        }
    }
    false
}

/// Whether every way from the head of the loop to the statement `end` passes the statement `point`.
fn is_passed(function: &Function, l: &Loop, point: usize, end: usize) -> bool {
    let mut is_seen = vec![false; function.body.len()];
    let mut open = vec![l.head];
    while let Some(at) = open.pop() {
        if at == point || std::mem::replace(&mut is_seen[at], true) {
            continue;
        }
        for next in successors(function, at) {
            if next == end {
                return false;
            }
            if l.contains(next) {
                open.push(next);
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::{Liveness, loops};

    /// Whether the only loop of a function with this body counts.
    fn is_counted(body: &str) -> bool {
        let text = format!("global x: i32\nfn main() {{ {body} }}");
        let module = crate::text::parse("counting.vm", &text).expect("it is well-formed");
        let function = &module.functions[0];
        let all = loops(function);
        let [l] = &all[..] else { panic!("{} loops", all.len()) };
        counts(function, l, Liveness::of(function).before(l.head))
    }

    #[test]
    fn a_register_that_grows_counts() {
        assert!(is_counted("n = 0; head: n = add.i32 n, 1; c = sub.i32 n, 9; if c goto head"));
        assert!(is_counted("n = 0; head: r = load.i32 x; a = n; b = sub.i64 a, 2; n = b; if r goto head"));
        assert!(is_counted("n = 9; head: n = add.i32 n, 4294967295; if n goto head"));
    }

    #[test]
    fn other_registers_do_not() {
        for body in [
            "n = 0; head: n = add.i16 n, 1; if n goto head",
            "n = 0; head: n = add.i32 n, 2147483648; if n goto head",
            "n = 0; head: n = add.i32 n, 0; if n goto head",
            "n = 0; head: n = mul.i32 n, 3; if n goto head",
            "n = 0; head: m = add.i32 n, 1; n = sub.i32 m, 1; if n goto head",
            "n = 0; head: n = add.i32 n, 1; r = load.i32 x; if not r goto on; n = 0; on: if n goto head",
            "n = 0; head: r = load.i32 x; if not r goto on; n = add.i32 n, 1; on: s = add.i32 n, r; if s goto head",
            "n = 0; m = 0; head: r = load.i32 x; if not r goto on; m = add.i32 n, 1; on: n = m; if r goto head",
            "n = 0; m = 7; head: r = load.i32 x; n = m; m = add.i32 n, 1; if r goto head",
        ] {
            assert!(!is_counted(body), "{body}");
        }
    }
}
