//! Symmetry against searches without it: the same executions up to which of several identical threads does what.

use crate::reduced::compare_both;
use crate::{SearchSettings, agree, machine};
use atropos_event::{EventId, Label, ThreadId};
use atropos_graph::{Canonical, CanonicalThread};
use atropos_testkit::{Ast, Explored, Stmt, UpTo};
use std::collections::BTreeSet;

/// How many executions there are without symmetry, up to renaming, and with symmetry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sizes {
    pub all: usize,
    pub orbits: usize,
    pub visited: usize,
}

/// Compares the searches of a program up to one equivalence under one model, in the ways that `seed` selects.
///
/// # Errors
/// What is lost, or should not be there.
pub fn compare(ast: &Ast, model: &str, equivalence: UpTo, seed: u64) -> Result<Sizes, String> {
    let program = machine(ast);
    let search = SearchSettings { repeats_unseen: false, ..SearchSettings::new(model, equivalence) };
    let whole = search.run(&program);
    let jobs = if seed.is_multiple_of(16) { 2 } else { 1 };
    let search = SearchSettings { symmetry: true, jobs, validate: seed.is_multiple_of(8), ..search };
    let [doomed, shuffled] = agree::variants(search, seed);
    let way = [search, doomed, shuffled][(seed % 3) as usize];
    let reduced = SearchSettings { repeats_unseen: seed.is_multiple_of(5), ..way }.run(&program);
    judge(ast, &whole, &reduced, way.abandon_doomed).map_err(|complaint| format!("{way:?}: {complaint}"))
}

fn judge(ast: &Ast, whole: &Explored, reduced: &Explored, may_leave_doomed: bool) -> Result<Sizes, String> {
    let orbits = |list: &[Canonical]| -> BTreeSet<Canonical> {
        list.iter().map(|execution| representative(ast, execution)).collect()
    };
    for (name, all, found) in
        [("complete", &whole.complete, &reduced.complete), ("blocked", &whole.blocked, &reduced.blocked)]
    {
        let (wanted, met) = (orbits(all), orbits(found));
        let may_be_left = name == "blocked" && may_leave_doomed;
        if let Some(missing) = wanted.difference(&met).next().filter(|_| !may_be_left) {
            return Err(format!("a {name} execution of {} is lost:\n{missing}", wanted.len()));
        }
        if let Some(extra) = met.difference(&wanted).next() {
            return Err(format!("a {name} execution is not one of the program:\n{extra}"));
        }
        let known: BTreeSet<_> = all.iter().collect();
        if !found.iter().all(|execution| known.contains(execution)) || found.len() > all.len() {
            return Err(format!("{} {name} executions instead of {}", found.len(), all.len()));
        }
        let distinct: BTreeSet<_> = found.iter().collect();
        if distinct.len() < found.len() {
            return Err(format!("a {name} execution is visited twice"));
        }
    }
    let kinds = |found: &Explored| -> BTreeSet<_> {
        found.violations.iter().map(|&kind| agree::represented(kind)).collect()
    };
    if kinds(whole) != kinds(reduced) {
        return Err(format!("violations {:?} instead of {:?}", reduced.violations, whole.violations));
    }
    let (all, visited) = (whole.complete.len(), reduced.complete.len());
    Ok(Sizes { all, orbits: orbits(&whole.complete).len(), visited })
}

/// The same up to co and up to rf. Shrinks a program that fails.
///
/// # Errors
/// The program, the shrunk program, and the difference there.
pub fn compare_program(seed: u64, ast: &Ast, model: &str) -> Result<[Sizes; 2], String> {
    compare_both("symmetry", (seed, ast, model), |ast, equivalence| compare(ast, model, equivalence, seed))
}

/// The least of the executions that differ from this one only in the names of identical threads.
pub fn representative(ast: &Ast, execution: &Canonical) -> Canonical {
    let mut execution = execution.clone().without_reasons();
    forget_joins(&mut execution);
    let mut renamings: Vec<Vec<usize>> = vec![(0..execution.threads.len()).collect()];
    for class in classes(ast, &execution) {
        let orders = permutations(&class);
        let renamed = |renaming: &Vec<usize>, order: &Vec<usize>| {
            let mut renaming = renaming.clone();
            class.iter().zip(order).for_each(|(&from, &to)| renaming[from] = to);
            renaming
        };
        renamings = renamings
            .iter()
            .flat_map(|renaming| orders.iter().map(move |order| renamed(renaming, order)))
            .collect();
    }
    renamings.iter().map(|renaming| rename(&execution, renaming)).min().expect("the identity")
}

/// Forgets which thread a join waited for last, and the last joins of threads that are not over.
fn forget_joins(execution: &mut Canonical) {
    for thread in &mut execution.threads {
        while let Some(Label::Join { .. }) = thread.events.last().map(|event| event.label) {
            thread.events.pop();
        }
        for event in &mut thread.events {
            if let Label::Join { .. } = event.label {
                event.source = None;
            }
        }
    }
}

/// The threads that run the same and are created one right after the other, by their numbers.
fn classes(ast: &Ast, execution: &Canonical) -> Vec<Vec<usize>> {
    let body = |thread: ThreadId| {
        let key = execution.threads[thread.index()].key;
        (0..ast.threads.len()).find(|&index| ast.key(index) == key).map(|index| &ast.threads[index])
    };
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for thread in &execution.threads {
        let mut last: Option<ThreadId> = None;
        for event in &thread.events {
            let Label::Spawn { child, .. } = event.label else {
                last = None;
                continue;
            };
            if let Some(last) = last
                && body(last) == body(child)
                && body(child).is_some_and(|body| is_anonymous(body))
            {
                match classes.iter_mut().find(|class| class.contains(&last.index())) {
                    Some(class) => class.push(child.index()),
                    None => classes.push(vec![last.index(), child.index()]),
                }
            }
            last = Some(child);
        }
    }
    classes
}

fn is_anonymous(body: &[Stmt]) -> bool {
    body.iter().all(|stmt| match stmt {
        Stmt::New { .. } | Stmt::Spawn(_) | Stmt::Join(_) => false,
        Stmt::If(_, body) | Stmt::Locked(_, body) => is_anonymous(body),
        _ => true,
    })
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, &first) in items.iter().enumerate() {
        let rest: Vec<usize> = [&items[..index], &items[index + 1..]].concat();
        all.extend(permutations(&rest).into_iter().map(|order| [vec![first], order].concat()));
    }
    all
}

/// The execution in which thread `renaming[i]` does what thread `i` did.
fn rename(execution: &Canonical, renaming: &[usize]) -> Canonical {
    let renamed = |id: EventId| EventId::new(ThreadId::new(renaming[id.thread().index()]), id.index());
    let mut threads: Vec<CanonicalThread> = execution.threads.clone();
    for (from, &to) in renaming.iter().enumerate() {
        let (mut events, begin) =
            (execution.threads[from].events.clone(), execution.threads[to].events.first());
        events.iter_mut().for_each(|event| event.source = event.source.map(renamed));
        if let (Some(mine), Some(begin)) = (events.first_mut(), begin)
            && mine.label == Label::Begin
        {
            *mine = *begin;
        }
        threads[to].events = events;
        threads[to].status = execution.threads[from].status;
    }
    let co =
        execution.co.iter().map(|(access, writes)| (*access, writes.iter().map(|&id| renamed(id)).collect()));
    Canonical { threads, co: co.collect() }
}
