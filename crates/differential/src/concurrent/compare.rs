//! Explores programs at every level of optimisation.

use super::generate::{entry, generate, outcome};
use crate::algorithm::{Algorithm, AlgorithmRun, caught};
use crate::conformance::compile::scratch;
use crate::sequential::compare::FLAGS;
use atropos_event::{Label, Program as _, ViolationKind};
use atropos_llvm::{Loaded, SourceFiles, compile};
use atropos_testkit::UpTo;
use atropos_vm::{Buffering, Config, Vm};
use std::collections::BTreeSet;
use std::ops::Range;

/// The models, in turn.
const MODELS: [&str; 5] = ["rc11", "sc", "tso", "ra", "pso"];

/// Everything that a program may do.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Behaviour {
    outcomes: BTreeSet<u64>,
    violations: BTreeSet<ViolationKind>,
}

/// Compares the programs of these seeds at these levels with the first of them.
///
/// # Errors
/// The first program that differs, or why they could not be compared.
pub fn compare(seeds: Range<u64>, levels: &[&str]) -> Result<(), String> {
    let file = scratch("concurrent.c");
    std::fs::write(&file, generate(seeds.clone())).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut first: Vec<Behaviour> = Vec::new();
    for level in levels {
        let flags = FLAGS.into_iter().chain(["-g0", level]).map(str::to_string).collect();
        let options = compile::CompileOptions { flags, ..compile::CompileOptions::default() };
        let ir = compile::compile(&file, &options, &compile::Job::default())
            .map_err(|diagnostic| diagnostic.to_string())?;
        for seed in seeds.clone() {
            let found =
                explore(&ir, seed).map_err(|complaint| format!("program {seed} at {level}: {complaint}"))?;
            match first.get((seed - seeds.start) as usize) {
                None => first.push(found),
                Some(expected) if *expected == found => {}
                Some(expected) => {
                    return Err(format!(
                        "program {seed} at {level}: {found:?}, but at {}: {expected:?}",
                        levels[0]
                    ));
                }
            }
        }
    }
    std::fs::remove_file(&file).map_err(|error| format!("{}: {error}", file.display()))
}

fn explore(ir: &str, seed: u64) -> Result<Behaviour, String> {
    let texts = vec![("concurrent.ll".to_string(), without_others(ir, seed))];
    let loaded = atropos_llvm::load(texts, &entry(seed), &Default::default(), &SourceFiles::none());
    let Loaded { module, entry, .. } = loaded.map_err(|diagnostics| diagnostics.to_string())?;
    let model = MODELS[(seed % MODELS.len() as u64) as usize];
    let buffering = if matches!(model, "tso" | "pso") { Buffering::Ordered } else { Buffering::None };
    let config = Config { claims: true, buffering, entry, ..Config::default() };
    let vm = Vm::new(module, config).map_err(|problems| format!("{problems:?}"))?;
    let search = AlgorithmRun { equivalence: UpTo::Rf, ..AlgorithmRun::new(Algorithm::Trust, model) };
    let explored = caught(|| search.run(&vm))?;
    if let Some(refused) = explored.refused {
        return Err(refused);
    }
    if let Some(complaint) = explored.complaints.first() {
        return Err(complaint.clone());
    }
    let name = outcome(seed);
    let mut outcomes = BTreeSet::new();
    for execution in explored.complete.iter().filter(|execution| execution.is_complete()) {
        let written = execution.events().filter_map(|(_, event)| match event.label {
            Label::Write { access, .. } if vm.name_of(access.addr) == name => Some(event.value),
            _ => None,
        });
        outcomes.insert(written.last().ok_or("an execution without an outcome")?);
    }
    Ok(Behaviour { outcomes, violations: explored.violations })
}

/// The text without the functions and variables of other programs: reading them would take longer than everything else.
/// Their constants stay, because optimisers keep only one of several that are equal.
fn without_others(ir: &str, seed: u64) -> String {
    let (mut text, mut is_left_out) = (String::with_capacity(ir.len() / 4), false);
    for line in ir.split_inclusive('\n') {
        let is_definition = line.starts_with("define ");
        if is_definition || line.starts_with('@') {
            let is_constant = line.starts_with('@') && line.contains(" constant ");
            is_left_out = !is_constant && owner(line).is_some_and(|owner| owner != seed);
        }
        if !is_left_out {
            text.push_str(line);
        }
        // A variable has one line, a function ends with a bracket.
        is_left_out &= is_definition || !(line.starts_with('@') || line.starts_with('}'));
    }
    text
}

/// The program to which the first symbol of a line belongs, if its name tells: `@p12_x0`.
fn owner(line: &str) -> Option<u64> {
    let (_, symbol) = line.split_once('@')?;
    symbol.strip_prefix('p')?.split_once('_')?.0.parse().ok()
}
