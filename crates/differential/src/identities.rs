//! What the algorithms demand of each other on one program [ALGORITHMS §H]. No oracle takes part, so programs may be
//! larger than one can handle.
//!
//! | model | identity |
//! |---|---|
//! | SC, TSO, PSO | source-DPOR = optimal-DPOR = TruSt up to `co` |
//! | TSO, PSO, with accesses of several sizes | source-DPOR = optimal-DPOR, with all histories of TruSt |
//! | RA | Tracer = TruSt up to `rf` |
//! | RC11, with either release sequences | RCMC = TruSt up to `co` |
//! | WRC11 | RCMC finds what TruSt finds up to `rf` under RC11, and perhaps more |
//! | SC | RVF-SMC shows the value histories of TruSt; its traces ≤ classes ≤ executions up to `rf` ≤ up to `co` |
//! | all | exchanging the creation of two threads changes no number |
//!
//! All identities are about sets of executions, complete and blocked, and about the kinds of violations. Histories hold
//! the value of every read, so they include the final states that a main thread reads after its joins.

use crate::agree::{complain, represented};
use crate::algorithm::{Algorithm, AlgorithmRun, caught, models_of};
use crate::referee::has_buffers;
use crate::{by_bytes, machine};
use atropos_event::{Mapping, Program, Replayed, ViolationKind};
use atropos_graph::Canonical;
use atropos_testkit::values::{class, history};
use atropos_testkit::{Ast, Explored, Stmt, UpTo, shrink};
use std::collections::BTreeSet;

/// Checks all identities on the program of a seed. Returns the number of executions up to `co`, over all models.
///
/// # Errors
/// The identity that does not hold, and the shrunk program.
pub fn check(seed: u64, ast: &Ast) -> Result<usize, String> {
    let judge = |ast: &Ast| caught(|| judge(seed, ast)).unwrap_or_else(Err);
    let mut complaint = match judge(ast) {
        Ok(n_executions) => return Ok(n_executions),
        Err(complaint) => complaint,
    };
    let shrunk = shrink(ast.clone(), |smaller| match judge(smaller) {
        Ok(_) => false,
        Err(text) => {
            complaint = text;
            true
        }
    });
    Err(format!("seed {seed}:\n{ast}\n\nshrunk to:\n{shrunk}\n\n{complaint}"))
}

fn judge(seed: u64, ast: &Ast) -> Result<usize, String> {
    let program = |ast: Ast| -> Box<dyn Program> {
        if seed.is_multiple_of(2) { Box::new(machine(&ast)) } else { Box::new(Replayed(ast)) }
    };
    let exchanged = with_exchanged_threads(ast).map(program);
    judge_program(seed, &*program(ast.clone()), exchanged.as_deref())
}

fn judge_program(seed: u64, program: &dyn Program, exchanged: Option<&dyn Program>) -> Result<usize, String> {
    let mapping = if seed / 2 % 2 == 1 { Mapping::Raw } else { Mapping::Compiled };
    let mut n_executions = 0;
    for model in ["sc", "tso", "pso", "ra", "rc11", "rc11-c11"] {
        let trust = AlgorithmRun { mapping, ..AlgorithmRun::new(Algorithm::Trust, model) };
        let by_co = trust.run(program);
        let by_rf = AlgorithmRun { equivalence: UpTo::Rf, ..trust }.run(program);
        n_executions += by_co.complete.len() + by_co.blocked.len();
        let has_parts = by_bytes::have_part_stores(by_co.complete.iter().chain(&by_co.blocked));
        for algorithm in Algorithm::ALL {
            if !models_of(algorithm).contains(&model) || algorithm == Algorithm::Trust {
                continue;
            }
            let found = AlgorithmRun { algorithm, ..trust }.run(program);
            let complaint = match algorithm {
                Algorithm::Rvf => complain_of_values(&by_co, &by_rf, &found),
                Algorithm::Tracer => complain_of_sets(&by_rf, &found),
                _ if has_parts && has_buffers(algorithm, model) => {
                    let source = AlgorithmRun { algorithm: Algorithm::SourceDpor, ..trust }.run(program);
                    complain_of_sets(&source, &found).or_else(|| complain_of_parts(&by_co, &found))
                }
                _ => complain_of_sets(&by_co, &found),
            };
            if let Some(complaint) = complaint {
                return Err(format!("{} and TruSt under {model}: {complaint}", algorithm.name()));
            }
        }
        if model == "rc11" {
            let weak = AlgorithmRun::new(Algorithm::Rcmc, "wrc11").run(program);
            for (strong, weak) in [(&by_rf.complete, &weak.complete), (&by_rf.blocked, &weak.blocked)] {
                let weak: BTreeSet<_> = weak.iter().collect();
                if let Some(missing) = strong.iter().find(|execution| !weak.contains(execution)) {
                    return Err(format!("an execution of RC11 is none of WRC11:\n{missing}"));
                }
            }
        }
        if let Some(exchanged) = exchanged {
            complain_of_numbers(program, exchanged, trust)?;
        }
    }
    Ok(n_executions)
}

/// The same executions and the same violations.
fn complain_of_sets(trust: &Explored, found: &Explored) -> Option<String> {
    let refused = found.refused.clone();
    refused.or_else(|| found.complaints.first().cloned()).or_else(|| complain(trust, found, false))
}

/// All histories of TruSt, and perhaps more: TruSt makes some loads wait that need not wait on the machine.
fn complain_of_parts(trust: &Explored, found: &Explored) -> Option<String> {
    let (trust, found) = match (by_bytes::histories(trust), by_bytes::histories(found)) {
        (Ok(trust), Ok(found)) => (trust, found),
        (Err(complaint), _) | (_, Err(complaint)) => return Some(complaint),
    };
    trust.difference(&found).next().map(|missing| format!("missing: {missing:?}"))
}

/// The same histories and violations, and no more traces than classes.
fn complain_of_values(by_co: &Explored, by_rf: &Explored, found: &Explored) -> Option<String> {
    if found.refused.is_some() {
        return None;
    }
    for (name, trust, rvf) in
        [("complete", &by_co.complete, &found.complete), ("blocked", &by_co.blocked, &found.blocked)]
    {
        let histories = |list: &[Canonical]| list.iter().map(history).collect::<BTreeSet<_>>();
        if histories(trust) != histories(rvf) {
            return Some(format!("other {name} histories"));
        }
    }
    let n = |found: &Explored| found.complete.len() + found.blocked.len();
    let n_classes = by_co.complete.iter().chain(&by_co.blocked).map(class).collect::<BTreeSet<_>>().len();
    if !(n(found) <= n_classes && n_classes <= n(by_rf) && n(by_rf) <= n(by_co)) {
        return Some(format!(
            "{} traces, {n_classes} classes, {} executions up to rf, {} up to co",
            n(found),
            n(by_rf),
            n(by_co)
        ));
    }
    let kinds = |found: &Explored| -> BTreeSet<ViolationKind> {
        found.violations.iter().map(|&kind| represented(kind)).collect()
    };
    (kinds(by_co) != kinds(found)).then(|| format!("violations {:?}, not {:?}", kinds(found), kinds(by_co)))
}

/// Each algorithm that guarantees it finds as many executions when two threads are exchanged.
fn complain_of_numbers(
    program: &dyn Program,
    exchanged: &dyn Program,
    trust: AlgorithmRun<'_>,
) -> Result<(), String> {
    for algorithm in Algorithm::ALL {
        if !models_of(algorithm).contains(&trust.model) || algorithm == Algorithm::Rvf {
            continue;
        }
        let numbers = |program: &dyn Program| {
            let found = AlgorithmRun { algorithm, ..trust }.run(program);
            (found.complete.len(), found.blocked.len())
        };
        let (before, after) = (numbers(program), numbers(exchanged));
        if before != after {
            let name = algorithm.name();
            return Err(format!("{name}: {before:?} executions, with threads exchanged {after:?}"));
        }
    }
    Ok(())
}

/// The program with the creations of two threads exchanged, if the main thread creates one right after the other.
fn with_exchanged_threads(ast: &Ast) -> Option<Ast> {
    let is_spawn = |stmt: &Stmt| matches!(stmt, Stmt::Spawn(_));
    let at = ast.threads[0].windows(2).position(|pair| pair.iter().all(is_spawn))?;
    let mut ast = ast.clone();
    ast.threads[0].swap(at, at + 1);
    // One may join the other.
    ast.has_sound_joins().then_some(ast)
}
