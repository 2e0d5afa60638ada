//! Programs whose threads lock a mutex to access data of their own.

use crate::ast::{Ast, Expr, Register, Stmt, Test, Var};
use crate::rng::Rng;
use atropos_event::{ReadOrder, RmwOp, WriteOrder};

/// The program whose threads also have sections of a mutex, most of which access a variable of their own. Half of the time
/// the main thread does nothing else while others run.
pub fn section(seed: u64, mut ast: Ast) -> Ast {
    let mut rng = Rng::new(seed);
    if rng.chance(50) {
        ast.threads.iter_mut().for_each(without_threads);
        ast = Ast::parallel(ast.threads);
    }
    let shared_percent = rng.pick(&[0, 10, 30]);
    for _ in 0..rng.between(2, 4) {
        let first = usize::from(ast.threads.len() > 1 && rng.chance(90));
        let thread = rng.between(first, ast.threads.len() - 1);
        let is_shared = rng.chance(shared_percent);
        let var = if is_shared { Var(3) } else { [Var(3), Var(4), Var(5)][thread % 3] };
        let order = rng.pick_weighted(&[(3, 0), (2, 1), (1, 2)]);
        let mut body: Vec<Stmt> = (0..rng.between(0, 2)).map(|_| access(&mut rng, var, order)).collect();
        if rng.chance(8) {
            let register = Register(Register::LIMIT as u8 - 2);
            let test = Test { register, is_equal: rng.chance(50), value: 0 };
            body.push(Stmt::Assume(test));
        }
        let mutex = if rng.chance(85) { Var::MUTEX } else { Var(7) };
        let body_of = &mut ast.threads[thread];
        body_of.insert(rng.below(body_of.len() + 1), Stmt::Locked(mutex, body));
    }
    if rng.chance(20) {
        let thread = rng.below(ast.threads.len());
        let stmt = access(&mut rng, [Var(3), Var(4), Var(5)][thread % 3], 1);
        let body = &mut ast.threads[thread];
        body.insert(rng.below(body.len() + 1), stmt);
    }
    if rng.chance(6) {
        let thread = rng.below(ast.threads.len());
        let to = Register(Register::LIMIT as u8 - 1);
        let body = &mut ast.threads[thread];
        let look = Stmt::Load { to, var: Var::MUTEX, order: ReadOrder::Relaxed };
        body.insert(rng.below(body.len() + 1), look);
    }
    ast
}

/// Removes what creates and joins threads, also in sections.
fn without_threads(body: &mut Vec<Stmt>) {
    body.retain(|stmt| !matches!(stmt, Stmt::Spawn(_) | Stmt::Join(_)));
    for stmt in body {
        if let Stmt::If(_, body) | Stmt::Locked(_, body) = stmt {
            without_threads(body);
        }
    }
}

/// An access to `var`: plain, relaxed or with any order.
fn access(rng: &mut Rng, var: Var, order: usize) -> Stmt {
    let to = Register(Register::LIMIT as u8 - 2);
    let read = [ReadOrder::NotAtomic, ReadOrder::Relaxed, ReadOrder::Acquire][order];
    let write = [WriteOrder::NotAtomic, WriteOrder::Relaxed, WriteOrder::Release][order];
    match rng.below(4) {
        0 => Stmt::Load { to, var, order: read },
        1 if order > 0 => Stmt::Fetch { to, op: RmwOp::Add, var, operand: 1, orders: (read, write) },
        2 => Stmt::Store { var, value: Expr::Sum(to, 1), order: write },
        _ => Stmt::Store { var, value: Expr::Const(1 + rng.below(2) as u64), order: write },
    }
}
