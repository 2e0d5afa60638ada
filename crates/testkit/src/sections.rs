//! Programs put together from small pieces of code around mutexes: critical sections in every constellation that
//! matters to an explorer which treats mutexes specially.
//!
//! Threads communicate out of a section, into it and beside it; sections are nested in both orders; mutexes are
//! tried, read, set and reset by other means; children are born inside of a section.

use crate::ast::{Ast, Stmt};
use crate::random::Shape;
use crate::rng::Rng;

/// Pieces of threads.
const PIECES: [&str; 34] = [
    "lock m { }",
    "lock m { r0 := x }",
    "lock m { x := 1 }",
    "lock m { r0 := x; x := r0 + 1 }",
    "lock m { x := 1; y := 1 }",
    "lock m { r0 := x; r1 := y }",
    "lock m { x := 2; r0 := y }",
    "lock m { r0 := add x 1 }",
    "lock m { r0 := x; assume r0 == 1 }",
    "lock m { r0 := x; if r0 == 1 { y := 1 } }",
    "lock n { }",
    "lock n { r0 := x }",
    "lock n { x := 1; y := 1 }",
    "lock m { lock n { } }",
    "lock n { lock m { } }",
    "lock m { lock n { x := 1 } }",
    "lock n { lock m { r0 := x } }",
    "lock m { lock n { }; r0 := x }",
    "lock m { x := 1; lock n { }; y := 1 }",
    "lock n { r0 := y; lock m { x := 1 } }",
    "lock m { r0 := x; lock n { r1 := y } }",
    "x := 1",
    "y := 1",
    "r0 := x",
    "r0 := y; x := 1",
    "x := 1; r0 := y",
    "r0 := x; if r0 == 1 { y := 1 }",
    "r0 := x; if r0 == 1 { lock m { y := 1 } }",
    "r0 := add x 1; r1 := y",
    "m := 1; r0 := x; m := 0",
    "m := 0",
    "r0 := m; if r0 == 1 { x := 1 }",
    "r0 := cas m 0 1 acq; if r0 == 0 { r1 := x; m := 0 rel }",
    "r0 := xchg m 1 acq; x := 1; m := 0 rel",
];

/// A program of two to `max_threads` threads, each made of one piece or two.
pub fn generate(rng: &mut Rng, shape: &Shape) -> Ast {
    let n_threads = rng.between(2, shape.max_threads.max(2));
    // Most programs use a few kinds of pieces only, so that threads meet.
    let menu: Vec<&str> = (0..rng.between(2, 5)).map(|_| rng.pick(&PIECES)).collect();
    let mut threads = Vec::new();
    let mut n_instructions = 0;
    for _ in 0..n_threads {
        let mut body = Vec::new();
        for _ in 0..if rng.chance(30) { 2 } else { 1 } {
            let piece: Ast = rng.pick(&menu).parse().expect("a piece of code");
            n_instructions += piece.n_instructions();
            if n_instructions <= shape.max_instructions {
                body.extend(piece.threads.into_iter().flatten());
            }
        }
        threads.push(body);
    }
    let mut ast = Ast::parallel(threads);
    if rng.chance(50) {
        ast.threads[0].retain(|stmt| matches!(stmt, Stmt::Spawn(_)));
    }
    if rng.chance(15) && n_threads > 1 {
        give_birth_inside(rng, &mut ast);
    }
    ast
}

/// Lets the last thread be spawned by another one, in the middle of its first section if it has one.
fn give_birth_inside(rng: &mut Rng, ast: &mut Ast) {
    let child = ast.threads.len() - 1;
    ast.threads[0].retain(|stmt| *stmt != Stmt::Spawn(child) && *stmt != Stmt::Join(child));
    let parent = rng.between(1, child - 1);
    let section = ast.threads[parent].iter_mut().find_map(|stmt| match stmt {
        Stmt::Locked(_, body) => Some(body),
        _ => None,
    });
    match section {
        Some(body) => {
            let at = rng.between(0, body.len());
            body.insert(at, Stmt::Spawn(child));
        }
        None => ast.threads[parent].insert(0, Stmt::Spawn(child)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Style;

    #[test]
    fn all_pieces_are_used_and_programs_are_well_formed() {
        let shape = Shape::of(Style::Sections);
        let texts: Vec<String> = (0..500)
            .map(|seed| {
                let ast = crate::generate(seed, &shape);
                assert!(ast.n_instructions() <= shape.max_instructions, "{ast}");
                (1..ast.threads.len()).for_each(|thread| drop(ast.key(thread).path()));
                assert_eq!(ast.to_string().parse(), Ok(ast.clone()));
                ast.to_string()
            })
            .collect();
        for piece in PIECES {
            let printed = piece.parse::<Ast>().expect("a piece of code").to_string();
            assert!(texts.iter().any(|text| text.contains(&printed)), "{printed}");
        }
    }
}
