//! Which loops are bounded, and what is reported about loops.
//!
//! A loop is named by the place of the jump that repeats it. Compilers give that jump the place of the statement, such
//! as `for`; the head of the loop may belong to something else, such as the first statement of an endless loop's body.

use std::path::{Component, Path};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use atropos_event::{BoundedLoop, Place};

use crate::code::{Code, LoopCode};
use crate::flow::{self, Loop, successors};
use crate::ir::{Function, FunctionId, Module, Source};
use crate::vm::{Config, Vm};

/// From how many iterations on the loop with the most of them is worth a word.
const MANY: u64 = 256;

/// A bound for the loops at one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopBound {
    /// A path, or the end of one.
    pub file: String,
    pub line: u32,
    /// How many times the loop may repeat.
    pub times: u32,
}

impl LoopBound {
    fn is_at(&self, source: &Source) -> bool {
        source.line == self.line && is_same_file(Path::new(&self.file), Path::new(&source.file))
    }
}

/// Whether one of the paths ends with the other.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let parts = |path: &Path| -> Vec<_> {
        let parts = path.components().filter(|part| *part != Component::CurDir);
        parts.map(|part| part.as_os_str().to_os_string()).collect()
    };
    let (one, other) = (parts(one), parts(other));
    !one.is_empty() && !other.is_empty() && (one.ends_with(&other) || other.ends_with(&one))
}

/// What runs have noted about a loop.
#[derive(Default)]
pub struct LoopNotes {
    /// Whether some run has stopped at its bound.
    bounded: AtomicBool,
    /// How often it was entered once and repeated, if that is often; rounded down.
    longest: AtomicU64,
}

/// Gives each loop its bound.
pub fn settle(code: &mut Code, module: &Module, config: &Config) {
    let loops = code.functions.iter_mut().flat_map(|function| &mut function.loops);
    loops.for_each(|l| l.bound = config.unroll);
    for bound in &config.loop_bounds {
        for (function, index) in loops_at(module, bound) {
            code.functions[function].loops[index].bound = Some(bound.times);
        }
    }
}

/// The loops at a line: those that are named by it, or else the innermost ones around it. Each is a function and the
/// number of the loop in it.
fn loops_at(module: &Module, bound: &LoopBound) -> Vec<(usize, usize)> {
    let (mut named, mut around) = (Vec::new(), Vec::new());
    for (index, function) in module.functions.iter().enumerate() {
        let is_at = |at: usize| {
            function.body[at].source.is_some_and(|source| bound.is_at(&module.sources[source.index()]))
        };
        let statements: Vec<usize> = (0..function.body.len()).filter(|&at| is_at(at)).collect();
        if statements.is_empty() {
            continue;
        }
        let loops = flow::loops(function);
        let is_named = |l: &Loop| name_of(function, module, l).is_some_and(is_at);
        named.extend((0..loops.len()).filter(|&l| is_named(&loops[l])).map(|l| (index, l)));
        for at in statements {
            let containing = (0..loops.len()).filter(|&l| loops[l].contains(at));
            let innermost = containing.min_by_key(|&l| loops[l].n_statements());
            around.extend(innermost.map(|l| (index, l)));
        }
    }
    if named.is_empty() { around } else { named }
}

/// The statement by whose place a loop is named: of those that repeat it, the first one in the text.
fn name_of(function: &Function, module: &Module, l: &Loop) -> Option<usize> {
    let repeats = |at: &usize| l.contains(*at) && successors(function, *at).contains(&l.head);
    let placed = (0..function.body.len()).filter(repeats).filter_map(|at| {
        let source = &module.sources[function.body[at].source?.index()];
        (!source.file.is_empty()).then_some(((source.line, source.column), at))
    });
    placed.min().map(|(_, at)| at)
}

impl Vm {
    /// The bounds that concern no loop of the program.
    pub fn idle_bounds(&self) -> impl Iterator<Item = &LoopBound> {
        self.config.loop_bounds.iter().filter(|bound| loops_at(&self.module, bound).is_empty())
    }

    /// Notes that a thread has stopped at the bound of a loop.
    pub(crate) fn note_bounded(&self, l: &LoopCode) {
        self.loops[l.id as usize].bounded.store(true, Ordering::Relaxed);
        self.note_cut();
    }

    /// The loops whose bound has stopped some run, by number.
    pub(crate) fn bounded_loop_numbers(&self) -> impl Iterator<Item = usize> {
        let notes = self.loops.iter().enumerate();
        notes.filter(|(_, notes)| notes.bounded.load(Ordering::Relaxed)).map(|(id, _)| id)
    }

    /// Takes over what [`Vm::bounded_loop_numbers`] says in another process.
    pub(crate) fn recall_bounded(&self, id: usize) -> Option<()> {
        self.loops.get(id)?.bounded.store(true, Ordering::Relaxed);
        Some(())
    }

    /// Notes that a thread with `n_accesses` has repeated a loop that often since it entered it.
    #[inline]
    pub(crate) fn note_iterations(&self, l: &LoopCode, n_iterations: u64, n_accesses: u64) {
        // Iterations without accesses do not make an execution long.
        if n_iterations >= MANY && n_iterations.is_power_of_two() && n_accesses >= n_iterations {
            self.loops[l.id as usize].longest.fetch_max(n_iterations, Ordering::Relaxed);
        }
    }

    /// The loops that some run has repeated often, by number, and how often at least.
    pub(crate) fn long_loops(&self) -> impl Iterator<Item = (usize, u64)> {
        let longest = self.loops.iter().map(|notes| notes.longest.load(Ordering::Relaxed));
        longest.enumerate().filter(|&(_, n_iterations)| n_iterations > 0)
    }

    /// Takes over what [`Vm::long_loops`] says in another process.
    pub(crate) fn recall_iterations(&self, id: usize, n_iterations: u64) -> Option<()> {
        self.loops.get(id)?.longest.fetch_max(n_iterations, Ordering::Relaxed);
        Some(())
    }

    pub(crate) fn places_of_bounded_loops(&self) -> Vec<BoundedLoop> {
        let numbers: Vec<usize> = self.bounded_loop_numbers().collect();
        let bounded = self.all_loops().filter(|(_, l)| numbers.contains(&(l.id as usize)));
        let described = bounded.filter_map(|(function, l)| {
            Some(BoundedLoop { place: self.place_of_loop(function, l), times: l.bound? })
        });
        described.collect()
    }

    pub(crate) fn place_of_longest_loop(&self) -> Option<(Place, u64)> {
        let (longest, n_iterations) = self.long_loops().max_by_key(|&(id, n)| (n, std::cmp::Reverse(id)))?;
        let (function, l) = self.all_loops().find(|(_, l)| l.id as usize == longest)?;
        Some((self.place_of_loop(function, l), n_iterations))
    }

    fn all_loops(&self) -> impl Iterator<Item = (FunctionId, &LoopCode)> {
        let functions = self.code.functions.iter().enumerate();
        functions.flat_map(|(index, code)| code.loops.iter().map(move |l| (FunctionId(index as u32), l)))
    }

    fn place_of_loop(&self, id: FunctionId, l: &LoopCode) -> Place {
        let function = &self.module.functions[id.index()];
        let named = flow::loops(function).into_iter().find(|found| found.head == l.head as usize);
        let at = named.and_then(|l| name_of(function, &self.module, &l));
        self.place_of(id, at.unwrap_or(l.head as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_be_named_by_the_end_of_its_path() {
        let same = |one: &str, other: &str| is_same_file(Path::new(one), Path::new(other));
        assert!(same("queue.c", "src/queue.c") && same("/home/me/src/queue.c", "src/queue.c"));
        assert!(same("./queue.c", "queue.c") && same("queue.c", "./queue.c"));
        assert!(
            !same("queue.c", "src/my_queue.c") && !same("a/queue.c", "b/queue.c") && !same("", "queue.c")
        );
    }
}
