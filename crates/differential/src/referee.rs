//! What the oracle demands of every algorithm on one program: the same classes of executions, none twice, and the
//! same kinds of violations.
//!
//! | algorithm | classes |
//! |---|---|
//! | TruSt | `(rf, co)`, and `rf` |
//! | source- and optimal-DPOR | `(rf, co)`; optimal-DPOR wastes no trace |
//! | Tracer | `rf` |
//! | RCMC | `(rf, co)`; under WRC11 `rf` |
//! | RVF-SMC | value histories, as sets; no more traces than classes, and each trace an execution |
//!
//! The seed of a program decides what else varies: even seeds run on the virtual machine, odd ones by re-execution;
//! every third is explored by two workers where the algorithm has workers; of four seeds, two ignore the orders of
//! accesses on machines; and RVF-SMC runs twice, once without one of its heuristics.

use crate::agree::explore_all;
use crate::algorithm::{Algorithm, caught, dpor, rcmc, rvf, tracer};
use crate::{Search, Subject, machine};
use atropos_cat::Model;
use atropos_event::{Mapping, Replayed, ViolationKind};
use atropos_graph::Canonical;
use atropos_oracle::{Config, Enumeration, Refused, enumerate_all, rf_projection};
use atropos_rvf::Heuristics;
use atropos_testkit::values::{class, history};
use atropos_testkit::{Ast, Equivalence, Explored, compare_with, shrink, violations_of};
use std::collections::BTreeSet;

/// Models that share an enumeration, the most permissive first. One that accepts much more than another would make
/// programs too large for both.
const GROUPS: [&[&str]; 3] = [&["wrc11"], &["rc11", "rc11-c11", "ra", "sra"], &["pso", "tso", "sc"]];

/// Compares algorithms with the oracle.
pub struct Referee {
    groups: Vec<Group>,
    /// Programs with more partial executions are too large.
    pub limit: usize,
}

struct Group {
    models: Vec<Model>,
    algorithms: Vec<Algorithm>,
}

/// How a comparison went that found no difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub algorithm: Algorithm,
    pub model: &'static str,
    /// The number of executions that the oracle found; none if there are too many.
    pub n_executions: Option<usize>,
}

impl Referee {
    /// Compares these algorithms under those of their models that are among `models`.
    ///
    /// # Panics
    /// If a name is not a built-in model's.
    pub fn new(algorithms: &[Algorithm], models: &[&str]) -> Self {
        let builtin =
            |name: &&str| Model::builtin(name).unwrap_or_else(|| panic!("no built-in model {name}"));
        let is_needed = |name: &&&str| {
            models.contains(name) && algorithms.iter().any(|algorithm| algorithm.models().contains(name))
        };
        let group = |names: &[&'static str]| Group {
            models: names.iter().filter(is_needed).map(builtin).collect(),
            algorithms: algorithms.to_vec(),
        };
        let groups = GROUPS.into_iter().map(group).filter(|group| !group.models.is_empty());
        Referee { groups: groups.collect(), limit: 20_000 }
    }

    /// All comparisons on one program.
    ///
    /// # Errors
    /// The first difference, and the program shrunk as long as it shows one.
    pub fn check(&self, seed: u64, ast: &Ast) -> Result<Vec<Outcome>, String> {
        let mut outcomes = Vec::new();
        for group in &self.groups {
            match group.judge(seed, ast, self.limit) {
                Ok(more) => outcomes.extend(more),
                Err(found) => return Err(self.explain(seed, ast, found)),
            }
        }
        Ok(outcomes)
    }

    fn explain(&self, seed: u64, ast: &Ast, found: Found) -> String {
        let Found { algorithm, model, mut complaint } = found;
        let alone = Referee { limit: self.limit, ..Referee::new(&[algorithm], &[model]) };
        let shrunk = shrink(ast.clone(), |ast| match alone.groups[0].judge(seed, ast, alone.limit) {
            Ok(_) => false,
            Err(found) => {
                complaint = found.complaint;
                true
            }
        });
        let (name, mapping) = (algorithm.name(), mapping_of(seed));
        format!(
            "{name} and the oracle differ under {model} ({mapping:?})\n\nseed {seed}:\n{ast}\n\nshrunk to:\n{shrunk}\n\n{complaint}"
        )
    }
}

/// A difference.
struct Found {
    algorithm: Algorithm,
    model: &'static str,
    complaint: String,
}

fn mapping_of(seed: u64) -> Mapping {
    if seed / 2 % 2 == 1 { Mapping::Raw } else { Mapping::Compiled }
}

impl Group {
    fn judge(&self, seed: u64, ast: &Ast, limit: usize) -> Result<Vec<Outcome>, Found> {
        if seed.is_multiple_of(2) {
            self.judge_program(seed, &machine(ast), limit)
        } else {
            self.judge_program(seed, &Replayed(ast.clone()), limit)
        }
    }

    fn judge_program<P: Subject>(&self, seed: u64, program: &P, limit: usize) -> Result<Vec<Outcome>, Found> {
        let with_co = self.models[0].name != "wrc11";
        let config = Config { limit, mapping: mapping_of(seed), with_co, ..Config::default() };
        let models: Vec<_> = self.models.iter().collect();
        let expected = match enumerate_all(program, &models, config) {
            Ok(expected) => expected.into_iter().map(Some).collect(),
            Err(Refused::TooLarge { .. }) => vec![None; models.len()],
            Err(refused) => panic!("the oracle refuses a generated program: {refused}"),
        };
        let mut outcomes = Vec::new();
        for (model, expected) in models.iter().zip(&expected) {
            for &algorithm in &self.algorithms {
                let Some(&model) = algorithm.models().iter().find(|name| **name == model.name) else {
                    continue;
                };
                let mut n_executions = None;
                if let Some(expected) = expected {
                    let task = Task { algorithm, model, seed };
                    let complaint = caught(|| task.complaint(program, expected)).unwrap_or_else(Some);
                    if let Some(complaint) = complaint {
                        return Err(Found { algorithm, model, complaint });
                    }
                    n_executions = Some(expected.complete.len() + expected.blocked.len());
                }
                outcomes.push(Outcome { algorithm, model, n_executions });
            }
        }
        Ok(outcomes)
    }
}

/// One comparison.
#[derive(Clone, Copy)]
struct Task {
    algorithm: Algorithm,
    model: &'static str,
    seed: u64,
}

impl Task {
    /// What is different from what is expected, if anything.
    fn complaint<P: Subject>(self, program: &P, expected: &Enumeration) -> Option<String> {
        let Task { algorithm, model, seed } = self;
        let mapping = mapping_of(seed);
        match algorithm {
            Algorithm::Trust => [Equivalence::Co, Equivalence::Rf].into_iter().find_map(|equivalence| {
                let jobs = if seed.is_multiple_of(3) { 2 } else { 1 };
                let search = Search { jobs, mapping, ..Search::new(model, equivalence) };
                self.compare(expected, explore_all(program, search, seed), equivalence)
            }),
            Algorithm::SourceDpor | Algorithm::OptimalDpor => {
                self.compare(expected, dpor(program, algorithm, model, mapping), Equivalence::Co)
            }
            Algorithm::Tracer => self.compare(expected, tracer(program), Equivalence::Rf),
            Algorithm::Rcmc => {
                let is_weak = model == "wrc11";
                let equivalence = if is_weak { Equivalence::Rf } else { Equivalence::Co };
                self.compare(expected, rcmc(program, model), equivalence)
            }
            Algorithm::Rvf => {
                let one_off = Heuristics::NAMES[(seed / 2 % 4) as usize];
                let all = Heuristics::default();
                [Some(all), all.without(one_off)].into_iter().flatten().find_map(|heuristics| {
                    let complaint = complaint_by_values(expected, &rvf(program, heuristics))?;
                    Some(format!("with {heuristics:?}: {complaint}"))
                })
            }
        }
    }

    fn compare(self, expected: &Enumeration, explored: Explored, up_to: Equivalence) -> Option<String> {
        let mut explored = explored;
        let mut violations = violations_of(expected);
        if self.model == "wrc11" {
            // Whether a thread waits for ever is a question of coherence order, and this model has none.
            explored.violations.remove(&ViolationKind::Deadlock);
            violations.remove(&ViolationKind::Deadlock);
        }
        let difference = compare_with(expected, &violations, explored, up_to).err()?;
        Some(format!("up to {up_to:?}: {difference}"))
    }
}

/// What is wrong with traces that are to show every value history, if anything.
fn complaint_by_values(expected: &Enumeration, explored: &Explored) -> Option<String> {
    for (name, expected, found) in [
        ("complete", &expected.complete, &explored.complete),
        ("blocked", &expected.blocked, &explored.blocked),
    ] {
        let wanted: BTreeSet<_> = expected.iter().map(history).collect();
        let met: BTreeSet<_> = found.iter().map(history).collect();
        if let Some(missing) = wanted.difference(&met).next() {
            return Some(format!("a {name} history is missing: {missing:?}"));
        }
        if let Some(extra) = met.difference(&wanted).next() {
            return Some(format!("a {name} history is not allowed: {extra:?}"));
        }
        let known: BTreeSet<_> = expected.iter().cloned().map(Canonical::without_reasons).collect();
        if let Some(extra) = found.iter().find(|execution| !known.contains(execution)) {
            return Some(format!("a {name} execution is inconsistent:\n{extra}"));
        }
    }
    let wanted = violations_of(expected);
    if explored.violations != wanted {
        return Some(format!("violations {:?} instead of {wanted:?}", explored.violations));
    }
    let all: BTreeSet<_> = expected.complete.union(&expected.blocked).cloned().collect();
    let n_classes = all.iter().map(class).collect::<BTreeSet<_>>().len();
    let (n_rf, n_traces) = (rf_projection(&all).len(), explored.complete.len() + explored.blocked.len());
    if n_traces <= n_classes && n_classes <= n_rf && n_rf <= all.len() {
        return None;
    }
    Some(format!("{n_traces} traces, {n_classes} classes, {n_rf} rf, {} co", all.len()))
}
