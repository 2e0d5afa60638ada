//! Makes a failing program small: greedy delta debugging on the syntax tree.
//!
//! While there is a simpler program that still fails, it replaces the program: without a thread, without a statement,
//! with a block in place of its `if` or `lock`, with weaker orders, smaller constants, fewer variables. Every step
//! makes the program smaller in a well-founded measure, so this ends.

use crate::ast::{Ast, Expr, Stmt, Var, collect_spawned};
use crate::random::generate;
use crate::style::{ProgramShape, Style};
use atropos_event::{ReadOrder, WriteOrder};
use std::ops::Range;

/// A program for which `fails` still holds, and which no single step makes smaller without losing that.
pub fn shrink(mut ast: Ast, mut fails: impl FnMut(&Ast) -> bool) -> Ast {
    while let Some(simpler) = simpler_programs(&ast).into_iter().find(|simpler| fails(simpler)) {
        ast = simpler;
    }
    ast
}

/// Asserts that none of the random programs of these styles and seeds fails.
///
/// # Panics
/// If one fails; the message shows it shrunk.
pub fn demand_none_fails(styles: &[Style], seeds: Range<u64>, fails: impl Fn(&Ast) -> bool) {
    for &style in styles {
        for seed in seeds.clone() {
            let program = generate(seed, &ProgramShape::of(style));
            if fails(&program) {
                panic!("{} seed {seed}, shrunk to:\n{}", style.name(), shrink(program, fails));
            }
        }
    }
}

/// All programs that are one step simpler, the largest steps first.
fn simpler_programs(ast: &Ast) -> Vec<Ast> {
    let mut simpler: Vec<_> =
        (1..ast.threads.len()).filter_map(|thread| without_thread(ast, thread)).collect();
    for thread in 0..ast.threads.len() {
        for body in simpler_bodies(&ast.threads[thread]) {
            let mut changed = ast.clone();
            changed.threads[thread] = body;
            simpler.push(changed);
        }
    }
    simpler.retain(Ast::has_sound_joins);
    simpler
}

/// The program without a thread that spawns no other.
fn without_thread(ast: &Ast, dropped: usize) -> Option<Ast> {
    if spawns(&ast.threads[dropped]) {
        return None;
    }
    let mut ast = ast.clone();
    ast.threads.remove(dropped);
    ast.threads.iter_mut().for_each(|body| forget(body, dropped));
    ast.for_each_mut(&mut |stmt| match stmt {
        Stmt::Spawn(thread) | Stmt::Join(thread) if *thread > dropped => *thread -= 1,
        _ => {}
    });
    Some(ast)
}

fn spawns(body: &[Stmt]) -> bool {
    let mut spawned = Vec::new();
    collect_spawned(body, &mut spawned);
    !spawned.is_empty()
}

/// Removes the spawn and join of a thread.
fn forget(body: &mut Vec<Stmt>, dropped: usize) {
    body.retain(|stmt| *stmt != Stmt::Spawn(dropped) && *stmt != Stmt::Join(dropped));
    for stmt in body {
        if let Stmt::Locked(_, inner) = stmt {
            forget(inner, dropped);
        }
    }
}

fn simpler_bodies(body: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut bodies = Vec::new();
    let mut replace = |at: usize, stmts: Vec<Stmt>| {
        let mut changed = body.to_vec();
        changed.splice(at..=at, stmts);
        bodies.push(changed);
    };
    for (at, stmt) in body.iter().enumerate() {
        if !spawns(std::slice::from_ref(stmt)) {
            replace(at, Vec::new());
        }
        if let Stmt::If(_, inner) | Stmt::Locked(_, inner) = stmt {
            replace(at, inner.clone());
        }
    }
    for (at, stmt) in body.iter().enumerate() {
        for simpler in simpler_stmts(stmt) {
            replace(at, vec![simpler]);
        }
    }
    bodies
}

fn simpler_stmts(stmt: &Stmt) -> Vec<Stmt> {
    match stmt {
        Stmt::If(test, body) => simpler_bodies(body).into_iter().map(|body| Stmt::If(*test, body)).collect(),
        Stmt::Locked(mutex, body) => {
            simpler_bodies(body).into_iter().map(|body| Stmt::Locked(*mutex, body)).collect()
        }
        _ => {
            let steps = [only_load, relax, forget_registers, use_first_variable];
            let changed = steps.into_iter().map(|step| {
                let mut changed = stmt.clone();
                step(&mut changed);
                changed
            });
            changed.filter(|changed| changed != stmt).collect()
        }
    }
}

/// Turns a read-modify-write into a load.
fn only_load(stmt: &mut Stmt) {
    if let Stmt::Fetch { to, var, orders: (order, _), .. }
    | Stmt::Cas { to, var, orders: (order, _, _), .. } = stmt
    {
        *stmt = Stmt::Load { to: *to, var: *var, order: *order };
    }
}

fn forget_registers(stmt: &mut Stmt) {
    match stmt {
        Stmt::Store { var, value: value @ Expr::Sum(..), .. } if !var.is_pointer() => *value = Expr::Const(1),
        Stmt::StoreAt { value: value @ Expr::Sum(..), .. } => *value = Expr::Const(1),
        _ => {}
    }
}

fn use_first_variable(stmt: &mut Stmt) {
    if let Stmt::Load { var, .. }
    | Stmt::Store { var, .. }
    | Stmt::Fetch { var, .. }
    | Stmt::Cas { var, .. } = stmt
    {
        *var = if var.is_pointer() { Var::POINTER } else { Var(0) };
    }
}

/// Makes all orders relaxed.
fn relax(stmt: &mut Stmt) {
    match stmt {
        Stmt::Load { order, .. } | Stmt::LoadAt { order, .. } => *order = ReadOrder::Relaxed,
        Stmt::Store { order, .. } | Stmt::StoreAt { order, .. } => *order = WriteOrder::Relaxed,
        Stmt::Fetch { orders, .. } => *orders = (ReadOrder::Relaxed, WriteOrder::Relaxed),
        Stmt::Cas { orders, .. } => *orders = (ReadOrder::Relaxed, WriteOrder::Relaxed, ReadOrder::Relaxed),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_failure_needs_is_left() {
        let ast: Ast =
            "spawn 1; spawn 2; y := 1 sc; join 1; join 2 || r0 := y acq; fence sc; lock m { x := 1 rel } || \
                        r0 := add z 1 acq rel; if r0 == 0 { r1 := y sc; x := r1 + 1 sc }"
                .parse()
                .unwrap();
        let writes_x = |ast: &Ast| {
            ast.threads[1..].iter().any(|body| format!("{body:?}").contains("Store { var: Var(0)"))
        };
        assert_eq!(shrink(ast, writes_x).to_string(), "spawn 1 ||\nx := 1 rlx");
    }

    #[test]
    fn threads_are_renumbered_when_one_goes() {
        let ast: Ast = "spawn 1; spawn 2; join 2 || r0 := x || x := 1".parse().unwrap();
        let stores = |ast: &Ast| ast.to_string().contains("x := 1") && ast.to_string().contains("join");
        assert_eq!(shrink(ast, stores).to_string(), "spawn 1; join 1 ||\nx := 1 rlx");
    }
}
