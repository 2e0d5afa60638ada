//! Programs whose threads update counters.

use crate::ast::{Ast, Expr, Register, Stmt, Test, Var};
use crate::rng::Rng;
use atropos_event::{FenceOrder, ReadOrder, RmwOp, WriteOrder};

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

/// The program whose threads also take and give up references to something, and ask whether they had the last one. Most
/// of the time there are as many as are given up, and the last owner accesses what the others have accessed before.
pub fn own(seed: u64, mut ast: Ast) -> Ast {
    let mut rng = Rng::new(seed);
    if rng.chance(70) && !ast.threads.iter().any(|body| spawns_in_section(body)) {
        let is_about_threads = |stmt: &Stmt| matches!(stmt, Stmt::Spawn(_) | Stmt::Join(_));
        ast.threads.iter_mut().for_each(|body| body.retain(|stmt| !is_about_threads(stmt)));
        ast = Ast::parallel(ast.threads);
    }
    let (asked, ignored) = (Register(Register::LIMIT as u8 - 1), Register(Register::LIMIT as u8 - 2));
    let (var, data) = (Var(5), Var(7));
    let n_threads = ast.threads.len();
    let (mut n_owners, mut n_taken) = (0, 0);
    let style = rng.below(3);
    for thread in 0..n_threads {
        if thread == 0 && n_threads > 1 && rng.chance(60) || rng.chance(15) {
            continue;
        }
        for _ in 0..if rng.chance(12) { 2 } else { 1 } {
            let orders = match style {
                0 => (ReadOrder::Acquire, WriteOrder::Release),
                1 => (ReadOrder::Relaxed, WriteOrder::Release),
                _ => orders(&mut rng),
            };
            let mut last = Vec::new();
            if style == 1 && rng.chance(80) {
                last.push(Stmt::Fence(FenceOrder::Acquire));
            }
            let order = if rng.chance(70) { WriteOrder::NotAtomic } else { WriteOrder::Relaxed };
            last.push(Stmt::Store { var: data, value: Expr::Const(thread as u64), order });
            if rng.chance(25) {
                last.push(Stmt::Load { to: ignored, var, order: ReadOrder::Relaxed });
            }
            let test = Test { register: asked, is_equal: rng.chance(95), value: u64::from(rng.chance(97)) };
            let op = if rng.chance(97) { RmwOp::Sub } else { RmwOp::Add };
            let give_up = Stmt::Fetch { to: asked, op, var, operand: 1, orders };
            let mut piece = vec![give_up, Stmt::If(test, last)];
            if rng.chance(40) {
                let order = if rng.chance(70) { ReadOrder::NotAtomic } else { ReadOrder::Relaxed };
                piece.insert(0, Stmt::Load { to: ignored, var: data, order });
            }
            if rng.chance(20) {
                let orders = (ReadOrder::Relaxed, WriteOrder::Relaxed);
                piece.insert(0, Stmt::Fetch { to: ignored, op: RmwOp::Add, var, operand: 1, orders });
                n_taken += 1;
            }
            let body = &mut ast.threads[thread];
            let mut at = rng.below(body.len() + 1);
            for stmt in piece {
                body.insert(at, stmt);
                at += 1 + if rng.chance(20) { rng.below(body.len() - at) } else { 0 };
            }
            n_owners += 1;
        }
    }
    let first = match rng.below(10) {
        0 => rng.below(4) as u64,
        1 => n_owners + 1,
        _ => (n_owners - n_taken.min(n_owners)).max(1),
    };
    let order = if rng.chance(80) { WriteOrder::NotAtomic } else { WriteOrder::Relaxed };
    ast.threads[0].insert(0, Stmt::Store { var, value: Expr::Const(first), order });
    if rng.chance(10) {
        let thread = rng.below(n_threads);
        insert(&mut rng, &mut ast, thread, Stmt::Load { to: ignored, var, order: ReadOrder::Relaxed });
    }
    if rng.chance(25) {
        let test = Test { register: ignored, is_equal: rng.chance(30), value: 0 };
        ast.threads[0].push(Stmt::Load { to: ignored, var: data, order: ReadOrder::Relaxed });
        ast.threads[0].push(Stmt::Assert(test));
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
