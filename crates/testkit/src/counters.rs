//! Programs whose threads update counters.

use crate::ast::{Ast, Expr, Register, Stmt, Var};
use crate::rng::Rng;
use atropos_event::{ReadOrder, RmwOp, WriteOrder};

/// The program whose threads also update one or two variables of their own and ignore the results. Most of the time only
/// the main thread looks at them, and half of the time it joins the others before.
pub fn count(seed: u64, mut ast: Ast) -> Ast {
    let mut rng = Rng::new(seed);
    if rng.chance(50) && !ast.threads.iter().any(|body| spawns_in_section(body)) {
        let is_about_threads = |stmt: &Stmt| matches!(stmt, Stmt::Spawn(_) | Stmt::Join(_));
        ast.threads.iter_mut().for_each(|body| body.retain(|stmt| !is_about_threads(stmt)));
        ast = Ast::parallel(ast.threads);
    }
    let to = Register(Register::LIMIT as u8 - 1);
    let counters = [Var(5), Var(7)];
    for _ in 0..rng.between(3, 5) {
        let op = rng.pick_weighted(&[(6, RmwOp::Add), (3, RmwOp::Sub), (1, RmwOp::Xor)]);
        let (var, operand) = (counters[usize::from(rng.chance(20))], rng.below(4) as u64);
        let update = Stmt::Fetch { to, op, var, operand, orders: orders(&mut rng) };
        let first = usize::from(ast.threads.len() > 1 && rng.chance(90));
        let thread = rng.between(first, ast.threads.len() - 1);
        insert(&mut rng, &mut ast, thread, update);
    }
    let (var, order) = (counters[0], ReadOrder::Relaxed);
    if rng.chance(70) {
        ast.threads[0].push(Stmt::Load { to, var, order });
    }
    if rng.chance(15) {
        let thread = rng.below(ast.threads.len());
        insert(&mut rng, &mut ast, thread, Stmt::Load { to, var, order });
    }
    if rng.chance(15) {
        let store = Stmt::Store { var, value: Expr::Const(2), order: WriteOrder::Relaxed };
        ast.threads[0].insert(0, store);
    }
    ast
}

fn spawns_in_section(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::Locked(_, body) => {
            body.iter().any(|stmt| matches!(stmt, Stmt::Spawn(_) | Stmt::Join(_))) || spawns_in_section(body)
        }
        _ => false,
    })
}

fn orders(rng: &mut Rng) -> (ReadOrder, WriteOrder) {
    match rng.below(6) {
        0 => (ReadOrder::Acquire, WriteOrder::Relaxed),
        1 => (ReadOrder::Relaxed, WriteOrder::Release),
        2 if rng.chance(30) => (ReadOrder::SeqCst, WriteOrder::SeqCst),
        _ => (ReadOrder::Relaxed, WriteOrder::Relaxed),
    }
}

fn insert(rng: &mut Rng, ast: &mut Ast, thread: usize, stmt: Stmt) {
    let body = &mut ast.threads[thread];
    body.insert(rng.below(body.len() + 1), stmt);
}
