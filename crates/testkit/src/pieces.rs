//! Programs composed of small pieces of code around one subject, in every combination that matters to an explorer
//! that treats that subject specially. Children may be created inside a critical section.

use crate::ast::{Ast, Stmt};
use crate::rng::Rng;
use crate::style::{ProgramShape, Style};

/// Threads communicate out of a critical section, into it and beside it; sections nest in both orders; mutexes are
/// tried, read, set and reset by other means.
const SECTIONS: [&str; 34] = [
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

/// Read-modify-writes that compete for one variable, in chains, in release sequences, between fences, in and around
/// critical sections, followed by an assumption.
const UPDATES: [&str; 36] = [
    "r0 := add x 1",
    "r0 := add x 1 acq rel",
    "r0 := add x 1 acq; assume r0 == 1",
    "r0 := add x 1; assume r0 != 0; y := 1",
    "r0 := add x 1; assume r0 == 2",
    "r0 := cas x 0 1",
    "r0 := cas x 1 2 acq rel",
    "r0 := cas x 1 1; if r0 == 1 { y := 1 }",
    "r0 := cas x 0 1 acq rel; r1 := cas x 1 0 acq rel",
    "r0 := xchg x 2",
    "r0 := xchg x 1 acq rel; r1 := y",
    "r0 := nand x 1",
    "r0 := max x 2 acq",
    "r0 := add x 0 acq rel",
    "r0 := add x 2; r1 := add x 1",
    "r0 := add y 1; r1 := add x 1",
    "r0 := x; x := r0 + 1",
    "x := 3",
    "r0 := add x 1; x := 3",
    "x := 1 rel; x := 2",
    "x := 1 rel; r0 := add x 1",
    "y := 1 na; x := 1 rel; x := 2 rlx",
    "y := 1; fence rel; x := 1; x := 2",
    "r0 := x acq; r1 := y",
    "r0 := x acq; if r0 == 2 { r1 := y na }",
    "r0 := x; fence acq; if r0 != 0 { r1 := y na }",
    "r0 := x; r1 := x",
    "r0 := add x 1 sc sc; r1 := y sc",
    "y := 1 sc; r0 := add x 1 sc sc",
    "fence sc; r0 := add x 1",
    "x := 1; fence sc; r0 := y",
    "y := 1; fence sc; r0 := x",
    "r0 := add x 1; fence sc; r1 := add y 1",
    "lock m { r0 := add x 1 }; r1 := add x 1",
    "r0 := cas m 0 1 acq; if r0 == 0 { r1 := add x 1; m := 0 rel }",
    "r0 := xchg m 1 acq; assume r0 == 0; r1 := add x 1; m := 0 rel",
];

/// Addresses in variables: of other variables, so that the location of an access depends on a value read; and of
/// objects that are published, used and freed, in time or not.
const POINTERS: [&str; 30] = [
    "p := &x",
    "p := &y rel",
    "q := &x",
    "r0 := p; r1 := [r0]",
    "r0 := p acq; r1 := [r0]",
    "r0 := p; [r0] := 1",
    "r0 := q; [r0] := 2 rel",
    "r0 := p; r1 := [r0]; x := r1 + 1",
    "r0 := p; q := r0 rel",
    "x := 1",
    "y := 2 rel",
    "r0 := add x 1",
    "r0 := x; r1 := y",
    "r0 := new; p := r0 rel",
    "r0 := new; [r0] := 1; p := r0 rel",
    "r0 := new; [r0] := 1; p := r0",
    "r0 := new; [r0] := 1 na; p := r0 rel",
    "r0 := new; p := r0; [r0] := 2",
    "r0 := new; [r0] := 1; free r0",
    "r0 := new; [r0] := 1; p := r0 rel; r1 := x acq; if r1 == 1 { free r0 }",
    "r0 := new; [r0] := 1; p := r0 rel; free r0",
    "r0 := new; r1 := [r0]",
    "r0 := p acq; r1 := [r0] na; x := 1 rel",
    "r0 := p acq; r1 := [r0]; x := 1",
    "r0 := p acq; free r0",
    "r0 := q acq; free r0",
    "r0 := p acq; r1 := [r0]; free r0",
    "r0 := p acq; [r0] := 2; x := 1 rel",
    "r0 := x acq; if r0 == 1 { r1 := p; free r1 }",
    "lock m { r0 := p; r1 := [r0]; free r0; p := 0 }",
];

/// Variables accessed as a whole and in parts: what merges with what, under which order, and what a thread sees of
/// its own stores; with another variable, so that delays show.
const PARTS: [&str; 40] = [
    "x := 1",
    "x := 258 rel",
    "x := 3 sc",
    "r0 := x",
    "r0 := x acq",
    "r0 := x.b0",
    "r0 := x.hi acq",
    "x.b0 := 1",
    "x.b0 := 1 rel",
    "x.b0 := 2 sc",
    "x.b1 := 2",
    "x.hi := 3",
    "x.lo := 770 rel",
    "r0 := add x 1 acq rel",
    "r0 := add x.b0 255",
    "r0 := max x.b1 128 acq",
    "r0 := xchg x.hi 1 acq rel",
    "r0 := cas x 0 1 acq",
    "r0 := cas x.b0 0 1 acq rel",
    "r0 := cas x.lo 1 256",
    "r0 := cas x 0 1 acq; if r0 == 0 { r1 := y; x.b0 := 0 rel }",
    "x.b0 := 1; r0 := y",
    "x.b1 := 1 sc; r0 := y",
    "x.hi := 1; fence sc; r0 := y",
    "y := 1; r0 := x",
    "y := 1; r0 := x.b0",
    "y := 1; x.b0 := 1",
    "y := 1 na; x.b0 := 1 rel",
    "x.b0 := 1; y := 1",
    "x.b0 := 1; y.hi := 1",
    "r0 := x.b0 acq; r1 := y",
    "r0 := y; r1 := x.b0",
    "r0 := y.b0; x.hi := 1",
    "x.b0 := 1; r0 := x.b0; r1 := y",
    "x.b0 := 1; r0 := x; r1 := y",
    "x := 1; x.b1 := 2; r0 := x",
    "x.b0 := 1; x := 2; r0 := x; r1 := y",
    "x.b1 := 1 na; r0 := x.b0 na",
    "r0 := x.b0; assume r0 == 1; r1 := x.hi na",
    "r0 := x na; x.lo := 1 na",
];

/// Messages sent and received through fences of every order: two fences in a row, fences too early, too late or of
/// the wrong kind, release sequences after a fence, fences around sequentially consistent accesses.
const FENCES: [&str; 36] = [
    "x := 1; fence rel; y := 1",
    "x := 1; fence acqrel; y := 1",
    "x := 1; fence sc; y := 1",
    "x := 1; fence acq; y := 1",
    "x := 1; fence rel; fence acq; y := 1",
    "x := 1; fence acq; fence rel; y := 1",
    "fence rel; x := 1; y := 1",
    "x := 1; fence rel; y := 1; y := 2",
    "x := 1; fence rel; r0 := z; y := 1",
    "x := 1 na; fence rel; y := 1",
    "x := 1; fence rel; r0 := add y 1",
    "x := 1; fence rel; y := 1; r0 := add y 1",
    "x := 1; y := 1 rel",
    "r0 := y; fence acq; r1 := x",
    "r0 := y; fence acqrel; r1 := x",
    "r0 := y; fence sc; r1 := x",
    "r0 := y; fence rel; r1 := x",
    "r0 := y; fence rel; fence acq; r1 := x",
    "r0 := y; fence acq; fence rel; r1 := x",
    "r0 := y; fence acq; fence acq; r1 := x",
    "r0 := y; r1 := z; fence acq; r2 := x",
    "r0 := y; r1 := y; fence acq; r2 := x",
    "r0 := y; fence acq; if r0 == 1 { r1 := x na }",
    "r0 := y acq; r1 := x",
    "r0 := add y 1; fence acq; r1 := x",
    "r0 := y; fence acqrel; z := 1",
    "r0 := z; fence acqrel; y := r0 + 1",
    "r0 := y; fence rel; z := 1",
    "r0 := add y 1",
    "y := 2",
    "x := 1 sc; fence sc; r0 := y",
    "y := 1; fence sc; r0 := x",
    "y := 1 sc; r0 := x sc",
    "x := 2; fence acqrel; r0 := y",
    "r0 := x; fence sc; r1 := y; fence sc; r2 := z",
    "r0 := z sc; fence acq; r1 := x sc",
];

/// The pieces of a style, if it has any.
fn pieces(style: Style) -> Option<&'static [&'static str]> {
    match style {
        Style::Sections => Some(&SECTIONS),
        Style::Updates => Some(&UPDATES),
        Style::Pointers => Some(&POINTERS),
        Style::Parts => Some(&PARTS),
        Style::Fences => Some(&FENCES),
        Style::Mixed | Style::Locks | Style::Buffers | Style::Wide | Style::Races => None,
    }
}

/// A program of two to `max_threads` threads, each made of one or two pieces; `None` if the style has no pieces, and
/// sometimes otherwise.
pub fn generate(rng: &mut Rng, shape: &ProgramShape) -> Option<Ast> {
    let pieces = pieces(shape.style)?;
    if shape.style == Style::Fences && rng.chance(40) {
        return None;
    }
    let n_threads = rng.between(2, shape.max_threads.max(2));
    // Most programs use only a few kinds of pieces, so that threads interact.
    let menu: Vec<&str> = (0..rng.between(2, 5)).map(|_| rng.pick(pieces)).collect();
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
    Some(ast)
}

/// Makes another thread spawn the last one, in the middle of its first section if it has one.
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

    #[test]
    fn all_pieces_are_used_and_programs_are_well_formed() {
        for style in [Style::Sections, Style::Updates, Style::Pointers, Style::Parts, Style::Fences] {
            let shape = ProgramShape::of(style);
            let texts: Vec<String> = (0..500)
                .map(|seed| {
                    let ast = crate::generate(seed, &shape);
                    assert!(ast.n_instructions() <= shape.max_instructions, "{ast}");
                    (1..ast.threads.len()).for_each(|thread| drop(ast.key(thread).path()));
                    assert_eq!(ast.to_string().parse(), Ok(ast.clone()));
                    ast.to_string()
                })
                .collect();
            for piece in pieces(style).into_iter().flatten() {
                let printed = piece.parse::<Ast>().expect("a piece of code").to_string();
                assert!(texts.iter().any(|text| text.contains(&printed)), "{printed}");
            }
        }
    }
}
