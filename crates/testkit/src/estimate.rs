//! An estimate of the number of executions of a program, from its text alone.
//!
//! It considers each variable by itself. The writes have as many coherence orders as respect the program order of each
//! thread, and the reads of a thread see these writes one after the other. The product over all variables is an upper
//! bound for the number of coherent executions, except for accesses through addresses, where the text does not say
//! which variable is meant. The fuzzer does not give programs with a large estimate to an oracle that lists all
//! executions.

use crate::ast::{Ast, Stmt, Var};
use std::collections::BTreeMap;

impl Ast {
    /// The estimate.
    pub fn estimate(&self) -> f64 {
        let mut variables: BTreeMap<Var, Vec<Accesses>> = BTreeMap::new();
        for (thread, body) in self.threads.iter().enumerate() {
            let mut count = |var: Var, is_write: bool| {
                let of_threads = variables.entry(var.whole().0).or_default();
                of_threads.resize(self.threads.len(), Accesses::default());
                let accesses = &mut of_threads[thread];
                *(if is_write { &mut accesses.writes } else { &mut accesses.reads }) += 1;
            };
            count_all(body, &mut count);
        }
        variables.values().map(|threads| estimate_variable(threads)).product()
    }
}

/// The accesses of one thread to one variable.
#[derive(Clone, Copy, Default)]
struct Accesses {
    reads: usize,
    writes: usize,
}

fn count_all(body: &[Stmt], count: &mut impl FnMut(Var, bool)) {
    for stmt in body {
        match *stmt {
            Stmt::Load { var, .. } => count(var, false),
            // Sections come one after the other, so an unlock leaves nothing open.
            Stmt::Store { var, .. } | Stmt::Fetch { var, .. } | Stmt::Cas { var, .. } => count(var, true),
            Stmt::Locked(mutex, ref body) => {
                count(mutex, true);
                count_all(body, count);
            }
            Stmt::If(_, ref body) => count_all(body, count),
            Stmt::LoadAt { .. }
            | Stmt::StoreAt { .. }
            | Stmt::New { .. }
            | Stmt::Free(_)
            | Stmt::Fence(_)
            | Stmt::Assume(_)
            | Stmt::Assert(_)
            | Stmt::Spawn(_)
            | Stmt::Join(_) => {}
        }
    }
}

fn estimate_variable(threads: &[Accesses]) -> f64 {
    let n_writes: usize = threads.iter().map(|accesses| accesses.writes).sum();
    let mut product = 1.0;
    let mut n_placed = 0;
    for &Accesses { reads, writes } in threads {
        n_placed += writes;
        product *= choose(n_placed, writes) * choose(n_writes + reads, reads);
    }
    product
}

/// The number of subsets of `k` out of `n`.
fn choose(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

#[cfg(test)]
mod tests {
    use crate::Ast;

    fn estimate(text: &str) -> f64 {
        text.parse::<Ast>().unwrap().estimate().round()
    }

    #[test]
    fn it_counts_coherence_orders_and_sources() {
        assert_eq!(estimate("x := 1; x := 2 || x := 3"), 3.0);
        assert_eq!(estimate("x := 1 || r0 := x; r1 := x"), 3.0);
        assert_eq!(estimate("x := 1 || y := 1 || r0 := x; r1 := y"), 4.0);
        assert_eq!(estimate("x := 1; r0 := y || y := 1; r0 := x"), 4.0);
        assert_eq!(estimate("x.b0 := 1 || x.hi := 1"), 2.0);
        assert_eq!(estimate("lock m { x := 1 } || lock m { r0 := x }"), 4.0);
    }
}
