//! Control and data flow of one function: loops, and which registers are live where.
//!
//! A *loop head* is the target of a retreating edge of a depth-first walk: every cycle has one, even if the graph is
//! irreducible. The *body* of a head is what reaches one of its retreating edges without passing the head. An edge
//! into the head from its body starts another iteration; any other edge enters the loop anew.

use crate::ir::{Function, Operand, Reg};
use atropos_event::bits::BitSet;

/// A loop head (an index into the function's body) and the statements of its loop.
pub struct Loop {
    pub head: usize,
    body: BitSet,
}

impl Loop {
    /// Whether the statement is in the body. If so, its edge to the head, if there is one, starts another iteration.
    pub fn contains(&self, at: usize) -> bool {
        self.body.contains(at)
    }

    /// How many statements the body has.
    pub fn n_statements(&self) -> usize {
        self.body.iter().count()
    }
}

pub fn successors(function: &Function, at: usize) -> Vec<usize> {
    let instr = &function.body[at].instr;
    let mut next = Vec::new();
    if instr.falls_through() {
        next.push(at + 1);
    }
    instr.visit_targets(&mut |target| next.push(function.targets[target.index()].at as usize));
    next
}

/// The loops of `function`, by head.
pub fn loops(function: &Function) -> Vec<Loop> {
    let n = function.body.len();
    let mut predecessors = vec![Vec::new(); n];
    let mut retreating: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut entered = BitSet::new(n);
    let mut on_path = BitSet::new(n);
    let mut path = vec![(0, successors(function, 0))];
    entered.insert(0);
    on_path.insert(0);
    while let Some((at, rest)) = path.last_mut() {
        let at = *at;
        let Some(next) = rest.pop() else {
            on_path.remove(at);
            path.pop();
            continue;
        };
        predecessors[next].push(at);
        if on_path.contains(next) {
            retreating[next].push(at);
        } else if !entered.contains(next) {
            entered.insert(next);
            on_path.insert(next);
            path.push((next, successors(function, next)));
        }
    }
    let heads = (0..n).filter(|&at| !retreating[at].is_empty());
    heads.map(|head| Loop { head, body: loop_body(head, &retreating[head], &predecessors) }).collect()
}

fn loop_body(head: usize, latches: &[usize], predecessors: &[Vec<usize>]) -> BitSet {
    let mut body = BitSet::new(predecessors.len());
    body.insert(head);
    let mut open = latches.to_vec();
    while let Some(at) = open.pop() {
        if !body.contains(at) {
            body.insert(at);
            open.extend(&predecessors[at]);
        }
    }
    body
}

/// The registers live before each statement: those whose value some path from there reads.
pub struct Liveness {
    before: Vec<BitSet>,
}

impl Liveness {
    /// The number of bits that the analysis may need; larger functions are refused.
    pub const LIMIT: usize = 1 << 31;

    /// Backward data flow, repeated until nothing changes.
    pub fn of(function: &Function) -> Liveness {
        let n_registers = function.registers.len();
        let next: Vec<_> = (0..function.body.len()).map(|at| successors(function, at)).collect();
        let mut before = vec![BitSet::new(n_registers); function.body.len()];
        let mut live = BitSet::new(n_registers);
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..function.body.len()).rev() {
                live.clear();
                next[at].iter().for_each(|&next| live.union(&before[next]));
                let instr = &function.body[at].instr;
                instr.visit_results(&mut |Reg(reg)| live.remove(reg as usize));
                instr.visit_operands(&mut |operand| {
                    if let Operand::Reg(Reg(reg)) = operand {
                        live.insert(reg as usize);
                    }
                });
                if live != before[at] {
                    changed = true;
                    before[at].clone_from(&live);
                }
            }
        }
        Liveness { before }
    }

    pub fn before(&self, at: usize) -> impl Iterator<Item = Reg> + '_ {
        self.before[at].iter().map(|reg| Reg(reg as u32))
    }
}
