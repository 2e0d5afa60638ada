//! Programs whose threads meet at a barrier.
//!
//! In their text, a thread that waits at the barrier adds to [`Var::BARRIER`]. [`lower_meetings`] makes calls of these
//! statements.

use crate::ast::{Ast, Expr, Register, Stmt, Var};
use crate::lower::lower_with;
use crate::rng::Rng;
use atropos_event::{ReadOrder, RmwOp, WriteOrder};
use atropos_vm::instr::{AwaitReason, BinaryOp, CompareOp};
use atropos_vm::{Function, FunctionBuilder, GlobalId, Instr, Module, Width};

/// The program whose threads also wait at a barrier, once or twice. Most of the time as many threads do as it waits for, and
/// nothing else looks at the barrier.
pub fn meet(seed: u64, mut ast: Ast) -> Ast {
    let mut rng = Rng::new(seed);
    let unused = Register(Register::LIMIT as u8 - 1);
    let (n_rounds, opens) = (rng.pick_weighted(&[(6, 1), (3, 2)]), rng.chance(40));
    let (first, operand) = (usize::from(rng.chance(80)), if rng.chance(10) { 2 } else { 1 });
    for thread in first..ast.threads.len() {
        for _ in 0..n_rounds {
            let to = if rng.chance(4) { Register(0) } else { unused };
            if rng.chance(95) {
                insert(&mut rng, &mut ast, thread, arrival(to, operand, opens));
            }
        }
    }
    let var = Var::BARRIER;
    let order = if rng.chance(50) { ReadOrder::Acquire } else { ReadOrder::Relaxed };
    if rng.chance(30) {
        ast.threads[0].push(Stmt::Load { to: Register(1), var, order });
    }
    if rng.chance(8) {
        let thread = rng.below(ast.threads.len());
        insert(&mut rng, &mut ast, thread, Stmt::Load { to: Register(1), var, order });
    }
    if rng.chance(8) {
        let store = Stmt::Store { var, value: Expr::Const(0), order: WriteOrder::Relaxed };
        ast.threads[0].insert(0, store);
    }
    ast
}

fn arrival(to: Register, operand: u64, opens: bool) -> Stmt {
    let write_order = if opens { WriteOrder::Relaxed } else { WriteOrder::Release };
    let orders = (ReadOrder::Acquire, write_order);
    Stmt::Fetch { to, op: RmwOp::Add, var: Var::BARRIER, operand, orders }
}

fn insert(rng: &mut Rng, ast: &mut Ast, thread: usize, stmt: Stmt) {
    let body = &mut ast.threads[thread];
    body.insert(rng.below(body.len() + 1), stmt);
}

/// The operands and orders of the additions to the barrier, nested ones too.
fn collect_arrivals(body: &[Stmt], arrivals: &mut Vec<(u64, WriteOrder)>) {
    for stmt in body {
        match stmt {
            Stmt::Fetch { var: Var::BARRIER, operand, orders, .. } => arrivals.push((*operand, orders.1)),
            Stmt::If(_, body) | Stmt::Locked(_, body) => collect_arrivals(body, arrivals),
            _ => {}
        }
    }
}

/// How threads wait at the barrier of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BarrierKind {
    /// The number of threads that it waits for.
    pub size: u64,
    /// The last thread of a round stores to the barrier, which lets the others go on.
    pub opens: bool,
}

impl BarrierKind {
    /// The number of arrivals in all rounds, from the value of the barrier.
    pub fn n_arrivals(self, value: u64) -> u64 {
        if self.opens { (value >> 8) * self.size + (value & 255) } else { value }
    }
}

/// The module of a program in which additions to [`Var::BARRIER`] are calls of a function that waits. It waits for the
/// threads that call it, or for one less if an operand is 2. The last thread of a round stores if a write is relaxed.
pub fn lower_meetings(ast: &Ast) -> (Module, BarrierKind) {
    let arrivals = |body: &Vec<Stmt>| {
        let mut arrivals = Vec::new();
        collect_arrivals(body, &mut arrivals);
        arrivals
    };
    let lists: Vec<_> = ast.threads.iter().map(arrivals).filter(|list| !list.is_empty()).collect();
    let is_small = lists.iter().flatten().any(|&(operand, _)| operand > 1);
    let opens = lists.iter().flatten().any(|&(_, order)| order == WriteOrder::Relaxed);
    let size = (lists.len() as u64).saturating_sub(u64::from(is_small)).max(1);
    let meet = |barrier| if opens { opening(barrier, size) } else { waiting(barrier, size) };
    (lower_with(ast, Some(&meet), false), BarrierKind { size, opens })
}

/// The function that waits until the last thread has stored the number of the next round, as in
/// `crates/llvm/src/runtime/waits.vm`. The lower eight bits are the number of arrivals in this round.
fn opening(barrier: GlobalId, size: u64) -> Function {
    let (width, mut code) = (Width::I32, FunctionBuilder::new("meet"));
    let (acquire, release) = (ReadOrder::Acquire, WriteOrder::Release);
    let before = code.rmw(RmwOp::Add, (acquire, release), 4, barrier, 1);
    let arrived = code.binary(BinaryOp::And, width, before, 255);
    let is_early = code.compare(CompareOp::UnsignedLess, width, arrived, size);
    code.assert(is_early, "as many threads arrive as are expected");
    let round = code.binary(BinaryOp::LogicalShiftRight, width, before, 8);
    let next = code.binary(BinaryOp::Add, width, round, 1);
    let is_last = code.compare(CompareOp::Equal, width, arrived, size - 1);
    let last = code.fresh_target();
    code.jump_if(is_last, last);
    let now = code.load(acquire, 4, barrier);
    let now = code.binary(BinaryOp::LogicalShiftRight, width, now, 8);
    let is_in_time = code.compare(CompareOp::UnsignedLessEqual, width, now, next);
    code.assume(is_in_time);
    let condition = code.compare(CompareOp::Equal, width, now, next).into();
    code.push(Instr::Await { condition, reason: AwaitReason::Round, reads: 1 });
    code.ret(0);
    code.place(last);
    let next = code.binary(BinaryOp::ShiftLeft, width, next, 8);
    code.store(release, 4, barrier, next);
    code.ret(1);
    code.finish()
}

/// The function that waits, as in `crates/llvm/src/runtime/barrier.vm`.
fn waiting(barrier: GlobalId, size: u64) -> Function {
    let (width, mut code) = (Width::I32, FunctionBuilder::new("meet"));
    let (acquire, release) = (ReadOrder::Acquire, WriteOrder::Release);
    let before = code.rmw(RmwOp::Add, (acquire, release), 4, barrier, 1);
    let round = code.binary(BinaryOp::UnsignedDiv, width, before, size);
    let round = code.binary(BinaryOp::Add, width, round, 1);
    let goal = code.binary(BinaryOp::Mul, width, round, size);
    let mine = code.binary(BinaryOp::Add, width, before, 1);
    let is_last = code.compare(CompareOp::Equal, width, mine, goal);
    let last = code.fresh_target();
    code.jump_if(is_last, last);
    let now = code.load(acquire, 4, barrier);
    let is_in_time = code.compare(CompareOp::UnsignedLessEqual, width, now, goal);
    code.assume(is_in_time);
    let is_complete = code.compare(CompareOp::Equal, width, now, goal);
    let condition = is_complete.into();
    code.push(Instr::Await { condition, reason: AwaitReason::Round, reads: 1 });
    code.ret(0);
    code.place(last);
    code.ret(1);
    code.finish()
}
