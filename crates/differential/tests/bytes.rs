//! Accesses of several sizes on machines with store buffers: the searches that run the machine, against the machine whose
//! memory is bytes.

use atropos_cat::Model;
use atropos_cat::bridge::structure;
use atropos_check::robustness::is_sequentially_consistent;
use atropos_differential::algorithm::{Algorithm, AlgorithmRun, caught};
use atropos_differential::by_bytes;
use atropos_event::{Mapping, Refusal, Replayed};
use atropos_explore::dpor::{self, Buffers, Dpor};
use atropos_explore::{Config, Control, Ending, Execution, Observer, Report, search};
use atropos_graph::{Canonical, Graph};
use atropos_testkit::oracle::{MachineKind, ReadHistory, history_of, run_bytes};
use atropos_testkit::{Ast, ProgramShape, Style, generate, shrink};
use std::collections::BTreeSet;

const LIMIT: usize = 100_000;

/// Compares both searches with the machine; answers whether the program was small enough.
fn compare(ast: &Ast, model: &str, mapping: Mapping) -> Result<bool, String> {
    let program = Replayed(ast.clone());
    let expected = caught(|| by_bytes::expected_histories(&program, (model, mapping), LIMIT))?;
    let Some(expected) = expected else { return Ok(false) };
    for algorithm in [Algorithm::SourceDpor, Algorithm::OptimalDpor] {
        let task = AlgorithmRun { mapping, ..AlgorithmRun::new(algorithm, model) };
        let compared = caught(|| by_bytes::compare(&expected, &task.run(&program))).unwrap_or_else(Err);
        compared.map_err(|complaint| format!("{}: {complaint}", algorithm.name()))?;
    }
    Ok(true)
}

fn check_seeds(seeds: std::ops::Range<u64>, shape: &ProgramShape, model: &str) -> usize {
    let check = |&seed: &u64| {
        let ast = generate(seed, shape);
        let mapping = if seed.is_multiple_of(2) { Mapping::Compiled } else { Mapping::Raw };
        compare(&ast, model, mapping).unwrap_or_else(|mut complaint| {
            let shrunk = shrink(ast, |ast| match compare(ast, model, mapping) {
                Ok(_) => false,
                Err(other) => {
                    complaint = other;
                    true
                }
            });
            panic!("{model}, {mapping:?}, seed {seed}:\n{shrunk}\n{complaint}");
        })
    };
    seeds.filter(check).count()
}

#[test]
fn programs_with_parts_have_the_histories_of_the_machine_by_bytes() {
    let shape = ProgramShape { max_instructions: 7, ..ProgramShape::of(Style::Parts) };
    for model in ["tso", "pso"] {
        let n_checked = check_seeds(0..400, &shape, model);
        assert!(n_checked > 300, "{model}: {n_checked}");
    }
}

/// Keeps all executions.
#[derive(Default)]
struct Keep(Vec<(Graph, ReadHistory)>);

impl Observer for Keep {
    fn execution(&mut self, _: Ending, Execution { graph, run }: Execution<'_>) {
        let canonical = Canonical::of(graph, |thread| run.key(thread), true);
        self.0.push((graph.clone(), history_of(&canonical)));
    }

    fn violation(&mut self, _: Report, _: Execution<'_>) {}

    fn refused(&mut self, refusal: Refusal) {
        panic!("refused: {refusal:?}");
    }
}

fn executions(ast: &Ast, buffers: Buffers, mapping: Mapping) -> Vec<(Graph, ReadHistory)> {
    let (program, config) = (Replayed(ast.clone()), Config { keep_going: true, ..Config::default() });
    let dpor = Dpor { variant: dpor::DporVariant::Source, buffers, mapping };
    search(&program, &dpor, config, &Control::default(), 1, Keep::default).observers.remove(0).0
}

/// The executions of PSO that a weaker question lets pass have the histories of the stronger machine; and each machine's
/// executions satisfy its own file.
fn compare_files(ast: &Ast, mapping: Mapping) -> Option<()> {
    let allows = |model: &str, graph: &Graph| {
        Model::builtin(model).unwrap().is_consistent(&structure(graph, mapping)).unwrap()
    };
    let by_bytes = |machine: MachineKind| run_bytes(&Replayed(ast.clone()), machine, mapping, LIMIT).ok();
    let (on_tso, on_sc) = (by_bytes(MachineKind::Tso)?, by_bytes(MachineKind::Sc)?);
    let (tso, pso) =
        (executions(ast, Buffers::PerThread, mapping), executions(ast, Buffers::PerLocation, mapping));
    assert!(tso.iter().all(|(graph, _)| allows("tso", graph)), "tso.cat, {mapping:?}:\n{ast}");
    assert!(pso.iter().all(|(graph, _)| allows("pso", graph)), "pso.cat, {mapping:?}:\n{ast}");
    let chosen = |is_wanted: &dyn Fn(&Graph) -> bool| -> BTreeSet<ReadHistory> {
        let wanted = pso.iter().filter(|(graph, _)| is_wanted(graph));
        wanted.map(|(_, history)| history.clone()).collect()
    };
    assert_eq!(chosen(&|graph| allows("tso", graph)), on_tso, "tso.cat, {mapping:?}:\n{ast}");
    assert_eq!(chosen(&is_sequentially_consistent), on_sc, "robustness, {mapping:?}:\n{ast}");
    Some(())
}

#[test]
fn the_files_say_by_pieces_what_the_machines_do() {
    let shape = ProgramShape { max_instructions: 6, ..ProgramShape::of(Style::Parts) };
    let n_checked = (0..150).filter(|&seed| {
        let mapping = if seed % 2 == 0 { Mapping::Compiled } else { Mapping::Raw };
        compare_files(&generate(seed, &shape), mapping).is_some()
    });
    assert!(n_checked.count() > 120);
}
