//! Programs in which several threads do the same.

use crate::ast::{Ast, Stmt};
use crate::rng::Rng;

/// The program in which one or two children of the main thread are there several times, created one after the other. Most
/// of the time all copies are joined where the child is.
pub fn repeat(seed: u64, mut ast: Ast, most_threads: usize) -> Ast {
    let mut rng = Rng::new(seed);
    for _ in 0..rng.between(1, 2) {
        let children: Vec<usize> = (1..ast.threads.len()).filter(|&child| can_repeat(&ast, child)).collect();
        if children.is_empty() {
            break;
        }
        let child = rng.pick(&children);
        for _ in 0..rng.between(1, 2) {
            if ast.threads.len() < most_threads {
                copy(&mut rng, &mut ast, child);
            }
        }
    }
    ast
}

/// Whether the main thread creates the child, which has nothing to do with other threads.
fn can_repeat(ast: &Ast, child: usize) -> bool {
    let is_about_threads = |stmt: &Stmt| matches!(stmt, Stmt::Spawn(_) | Stmt::Join(_));
    ast.threads[0].contains(&Stmt::Spawn(child)) && !ast.threads[child].iter().any(is_about_threads)
}

fn copy(rng: &mut Rng, ast: &mut Ast, child: usize) {
    let twin = ast.threads.len();
    ast.threads.push(ast.threads[child].clone());
    let main = &mut ast.threads[0];
    let place = |main: &[Stmt], stmt: &Stmt| main.iter().position(|other| other == stmt);
    if let Some(at) = place(main, &Stmt::Spawn(child)) {
        main.insert(at + 1, Stmt::Spawn(twin));
    }
    if let Some(at) = place(main, &Stmt::Join(child)).filter(|_| rng.chance(85)) {
        main.insert(at + 1, Stmt::Join(twin));
    } else if rng.chance(15) {
        main.push(Stmt::Join(twin));
    }
}
