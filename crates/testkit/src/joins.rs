//! Joins by threads other than the creator: which are possible, and how to generate them.
//!
//! A thread *knows* the threads that are certain to be created before: those its creator knew when it created it,
//! those it has created itself, and those that a thread it has joined knew in the end. Only a known thread can be
//! joined, so every join waits for a thread that exists; and each is joined at most once.

use crate::ast::{Ast, Stmt};
use crate::rng::Rng;

/// A set of threads.
type Known = Vec<usize>;

impl Ast {
    /// Whether every thread is joined at most once, and only by a thread that knows it.
    pub fn has_sound_joins(&self) -> bool {
        let mut joined = Vec::new();
        (0..self.threads.len()).all(|thread| self.known_at_end(thread, &mut joined).is_some())
            && (1..self.threads.len()).all(|thread| self.n_joins(thread) <= 1)
    }

    /// The threads that a thread knows in the end; `None` if it joins an unknown one.
    fn known_at_end(&self, thread: usize, open: &mut Vec<usize>) -> Option<Known> {
        if open.contains(&thread) {
            return None;
        }
        open.push(thread);
        let known = self.known_at_start(thread, open);
        let known = known.and_then(|known| self.walk(&self.threads[thread], known, None, open));
        open.pop();
        known.map(|(known, _)| known)
    }

    fn known_at_start(&self, thread: usize, open: &mut Vec<usize>) -> Option<Known> {
        let Some(parent) = self.parent(thread) else { return Some(Known::new()) };
        let known = self.known_at_start(parent, open)?;
        Some(self.walk(&self.threads[parent], known, Some(thread), open)?.0)
    }

    /// Follows a body up to the creation of `until`; returns whether it found that.
    fn walk(
        &self,
        body: &[Stmt],
        mut known: Known,
        until: Option<usize>,
        open: &mut Vec<usize>,
    ) -> Option<(Known, bool)> {
        for stmt in body {
            match stmt {
                Stmt::Spawn(child) if Some(*child) == until => return Some((known, true)),
                Stmt::Spawn(child) => known.push(*child),
                Stmt::Join(other) if !known.contains(other) => return None,
                Stmt::Join(other) => known.extend(self.known_at_end(*other, open)?),
                Stmt::If(_, body) | Stmt::Locked(_, body) => {
                    let (inner, is_met) = self.walk(body, known, until, open)?;
                    if is_met {
                        return Some((inner, true));
                    }
                    known = inner;
                }
                _ => {}
            }
        }
        Some((known, false))
    }

    fn n_joins(&self, thread: usize) -> usize {
        fn count(body: &[Stmt], thread: usize) -> usize {
            let of_stmt = |stmt: &Stmt| match stmt {
                Stmt::Join(other) => usize::from(*other == thread),
                Stmt::If(_, body) | Stmt::Locked(_, body) => count(body, thread),
                _ => 0,
            };
            body.iter().map(of_stmt).sum()
        }
        self.threads.iter().map(|body| count(body, thread)).sum()
    }

    /// Whether a thread joins a thread that another one created.
    #[cfg(test)]
    pub(crate) fn has_foreign_join(&self) -> bool {
        let joins = |thread: usize, other: usize| self.threads[thread].contains(&Stmt::Join(other));
        let all = 0..self.threads.len();
        all.clone()
            .any(|thread| all.clone().any(|other| joins(thread, other) && self.parent(other) != Some(thread)))
    }
}

/// Makes a thread join one that it did not create, if a few tries find a place: an elder sibling, or the child of a
/// thread that is joined before.
pub(crate) fn make_foreign(rng: &mut Rng, ast: &mut Ast) {
    if ast.threads.len() < 3 {
        return;
    }
    for _ in 0..8 {
        let joined = rng.between(1, ast.threads.len() - 1);
        let by = rng.below(ast.threads.len());
        let mut changed = ast.clone();
        changed.threads.iter_mut().for_each(|body| body.retain(|stmt| *stmt != Stmt::Join(joined)));
        let body = &mut changed.threads[by];
        let at = if rng.chance(50) { body.len() } else { rng.between(0, body.len()) };
        body.insert(at, Stmt::Join(joined));
        if changed.parent(joined) != Some(by) && changed.has_sound_joins() {
            *ast = changed;
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_needs_a_thread_that_is_known() {
        let is_sound = |text: &str| text.parse::<Ast>().expect("a program").has_sound_joins();
        for sound in [
            "spawn 1; join 1 || x := 1",
            "spawn 1; spawn 2; join 2 || x := 1 || join 1",
            "spawn 1; join 1; join 2 || spawn 2 || x := 1",
            "spawn 1; spawn 2 || x := 1 || spawn 3 || join 1",
            "spawn 1; spawn 3; join 3; join 2 || spawn 2 || x := 1 || join 1",
        ] {
            assert!(is_sound(sound), "{sound}");
        }
        for unsound in [
            "spawn 1; spawn 2 || join 2 || x := 1",
            "spawn 1; join 2; join 1 || spawn 2 || x := 1",
            "spawn 1; join 1; join 1 || x := 1",
            "spawn 1 || join 1",
            "spawn 1 || spawn 2 || join 1",
            "spawn 1; spawn 2; join 1 || x := 1 || join 1",
        ] {
            assert!(!is_sound(unsound), "{unsound}");
        }
    }
}
