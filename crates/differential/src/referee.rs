//! What the oracle demands of every algorithm on one program: the same classes of executions, none twice, and the same
//! kinds of violations.
//!
//! | algorithm | classes |
//! |---|---|
//! | TruSt | `(rf, co)`, and `rf` |
//! | source- and optimal-DPOR | `(rf, co)`; where accesses have several sizes, what is read; optimal-DPOR wastes no trace |
//! | Tracer | `rf` |
//! | RCMC | `(rf, co)`; under WRC11 `rf` |
//! | RVF-SMC | value histories, as sets; no more traces than classes, and each trace an execution |
//!
//! RVF-SMC may refuse programs that free memory. All kinds of misused memory count as one: an algorithm must find some
//! kind if there is one, and none if there is none.
//!
//! Models are enumerated together if one of them accepts whatever the others accept; that one alone decides which partial
//! executions the oracle extends. RC11 accepts whatever RC11 with C11's release sequences accepts, RA whatever SRA does,
//! and PSO whatever TSO and SC do.
//!
//! All algorithms search again without executions that can only end blocked, and all but RVF-SMC also in another order of
//! threads; they must find the same otherwise. The seed of a program decides what else varies. Even seeds run on the
//! virtual machine, odd ones by re-execution. TruSt and Tracer explore some programs with two workers. Two of four seeds
//! ignore the orders of accesses on machines. RVF-SMC also runs without some of its heuristics.

use crate::agree::{complain, explore_all};
use crate::algorithm::{Algorithm, AlgorithmRun, caught, models_of};
use crate::{SearchSettings, by_bytes, machine};
use atropos_cat::Model;
use atropos_event::{Label, Mapping, Program, Replayed, ViolationKind};
use atropos_explore::rvf::Heuristics;
use atropos_graph::Canonical;
use atropos_testkit::oracle::{
    Enumeration, EnumerationConfig, ReadHistory, Refused, enumerate_all, rf_projection,
};
use atropos_testkit::values::{class, history};
use atropos_testkit::{Ast, Explored, UpTo, compare, compare_violations, shrink, violations_of};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Models that share an enumeration, the most permissive first. A model that accepts much more than the others would
/// make programs too large for them.
const GROUPS: [&[&str]; 3] = [&["wrc11"], &["rc11", "ra", "rc11-c11", "sra"], &["pso", "tso", "sc"]];
/// For these models, the model that accepts whatever they accept.
const IMPLIED: [(&str, &str); 4] = [("rc11-c11", "rc11"), ("sra", "ra"), ("tso", "pso"), ("sc", "pso")];

/// The maximum number of states of the machine by bytes.
const MOST_STATES: usize = 400_000;

/// Compares algorithms with the oracle.
pub struct Referee {
    groups: Vec<Group>,
    /// Programs with more partial executions are too large.
    pub limit: usize,
    pub variants: Variants,
}

/// In how many ways an algorithm searches a program under one model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variants {
    /// In every way.
    All,
    /// In one way, in turn: many programs matter more than many ways.
    One,
}

struct Group {
    models: Vec<Model>,
    algorithms: Vec<Algorithm>,
}

/// The result of a comparison without differences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompareResult {
    pub algorithm: Algorithm,
    pub model: &'static str,
    pub agreement: Agreement,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// The oracle and the algorithm found this many executions.
    Agreed { n_executions: usize },
    /// The program has too many executions for the oracle.
    TooLarge,
    /// The algorithm refuses such programs.
    Refused,
}

impl Referee {
    /// Compares these algorithms under those of their models that are among `models`.
    ///
    /// # Panics
    /// If a name is not that of a built-in model.
    pub fn new(algorithms: &[Algorithm], models: &[&str]) -> Self {
        let builtin =
            |name: &&str| Model::builtin(name).unwrap_or_else(|| panic!("no built-in model {name}"));
        let is_needed = |name: &&&str| {
            models.contains(name) && algorithms.iter().any(|&algorithm| models_of(algorithm).contains(name))
        };
        let group = |names: &[&'static str]| Group {
            models: names.iter().filter(is_needed).map(builtin).collect(),
            algorithms: algorithms.to_vec(),
        };
        let groups = GROUPS.into_iter().map(group).filter(|group| !group.models.is_empty());
        Referee { groups: groups.collect(), limit: 20_000, variants: Variants::All }
    }

    /// Makes all comparisons on one program.
    ///
    /// # Errors
    /// The first difference, and the shrunk program.
    pub fn check(&self, seed: u64, ast: &Ast) -> Result<Vec<CompareResult>, String> {
        let mut outcomes = Vec::new();
        for group in &self.groups {
            match self.judge(group, seed, ast) {
                Ok(more) => outcomes.extend(more),
                Err(found) => return Err(self.explain(seed, ast, found)),
            }
        }
        Ok(outcomes)
    }

    fn explain(&self, seed: u64, ast: &Ast, found: DifferenceFound) -> String {
        let DifferenceFound { algorithm, model, mut complaint } = found;
        let alone = Referee::new(&[algorithm], &[model]);
        let alone = Referee { limit: self.limit, ..alone };
        let shrunk = shrink(ast.clone(), |ast| match alone.judge(&alone.groups[0], seed, ast) {
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

    fn judge(&self, group: &Group, seed: u64, ast: &Ast) -> Result<Vec<CompareResult>, DifferenceFound> {
        if seed.is_multiple_of(2) {
            self.judge_program(group, seed, &machine(ast))
        } else {
            self.judge_program(group, seed, &Replayed(ast.clone()))
        }
    }

    fn judge_program(
        &self,
        group: &Group,
        seed: u64,
        program: &dyn Program,
    ) -> Result<Vec<CompareResult>, DifferenceFound> {
        let models: Vec<_> = group.models.iter().collect();
        let config = EnumerationConfig {
            limit: self.limit,
            mapping: mapping_of(seed),
            with_co: models[0].name != "wrc11",
            n_deciding: group.n_deciding(),
            ..EnumerationConfig::default()
        };
        let expected = match enumerate_all(program, &models, config) {
            Ok(expected) => expected.into_iter().map(Some).collect(),
            Err(Refused::TooLarge { .. }) => vec![None; models.len()],
            Err(refused) => panic!("the oracle refuses a generated program: {refused}"),
        };
        let mut outcomes = Vec::new();
        for (index, (model, expected)) in models.iter().zip(&expected).enumerate() {
            let by_bytes = OnceCell::new();
            for &algorithm in &group.algorithms {
                let Some(model) = models_of(algorithm).into_iter().find(|name| *name == model.name) else {
                    continue;
                };
                let turn = seed / PERIOD + index as u64;
                let task = Comparison { algorithm, model, seed, variants: self.variants, turn };
                let agreement = expected.as_ref().map_or(Ok(Agreement::TooLarge), |expected| {
                    caught(|| task.judge(program, expected, &by_bytes)).unwrap_or_else(Err)
                });
                let agreement =
                    agreement.map_err(|complaint| DifferenceFound { algorithm, model, complaint })?;
                outcomes.push(CompareResult { algorithm, model, agreement });
            }
        }
        Ok(outcomes)
    }
}

/// The period after which the variation by seeds repeats.
pub const PERIOD: u64 = 12;

/// A difference.
struct DifferenceFound {
    algorithm: Algorithm,
    model: &'static str,
    complaint: String,
}

fn mapping_of(seed: u64) -> Mapping {
    if seed / 2 % 2 == 1 { Mapping::Raw } else { Mapping::Compiled }
}

impl Group {
    /// How many of the models, from the first on, accept whatever the others accept.
    fn n_deciding(&self) -> usize {
        let is_here = |name: &str| self.models.iter().any(|model| model.name == name);
        let is_implied =
            |model: &Model| IMPLIED.iter().any(|&(strong, weak)| model.name == strong && is_here(weak));
        self.models.iter().position(is_implied).unwrap_or(self.models.len())
    }
}

/// What the machine by bytes does under a model, once it is asked; `None` if it has too many states.
type ByBytes = OnceCell<Option<BTreeSet<ReadHistory>>>;

/// One comparison.
#[derive(Clone, Copy)]
struct Comparison {
    algorithm: Algorithm,
    model: &'static str,
    seed: u64,
    variants: Variants,
    /// Selects the variant, if there is only one.
    turn: u64,
}

impl Comparison {
    /// Compares with the expected executions; an error is the difference.
    fn judge(
        self,
        program: &dyn Program,
        expected: &Enumeration,
        by_bytes: &ByBytes,
    ) -> Result<Agreement, String> {
        let Comparison { algorithm, model, seed, .. } = self;
        let (mapping, jobs) = (mapping_of(seed), self.n_workers());
        match algorithm {
            Algorithm::Trust => {
                for equivalence in [UpTo::Co, UpTo::Rf] {
                    let search = SearchSettings { jobs, mapping, ..SearchSettings::new(model, equivalence) };
                    let explored = match self.variants {
                        Variants::All => explore_all(program, search, seed),
                        Variants::One => self.explore_once(program, search, seed),
                    };
                    self.compare(expected, explored, equivalence)?;
                }
            }
            Algorithm::SourceDpor | Algorithm::OptimalDpor | Algorithm::Tracer | Algorithm::Rcmc => {
                let has_co = algorithm != Algorithm::Tracer && model != "wrc11";
                let equivalence = if has_co { UpTo::Co } else { UpTo::Rf };
                let task = AlgorithmRun { mapping, jobs, ..AlgorithmRun::new(algorithm, model) };
                let explored = match self.variants {
                    Variants::All => with_variants(program, task, seed),
                    Variants::One => self.search_once(program, task),
                };
                let mut all = expected.complete.iter().chain(&expected.blocked);
                if has_buffers(algorithm, model) && by_bytes::have_part_stores(&mut all) {
                    let run = || by_bytes::expected_histories(program, (model, mapping), MOST_STATES);
                    let Some(expected) = by_bytes.get_or_init(run) else { return Ok(Agreement::TooLarge) };
                    by_bytes::compare(expected, &explored)?;
                    let n_executions = explored.complete.len() + explored.blocked.len();
                    return Ok(Agreement::Agreed { n_executions });
                }
                self.compare(expected, explored, equivalence)?;
            }
            Algorithm::Rvf => {
                let (all, some) = (Heuristics::default(), some_heuristics(seed));
                let ways = [(all, true), (some, true), (all, false), (some, false)];
                let ways = match self.variants {
                    Variants::All => &ways[..],
                    Variants::One => &ways[self.turn as usize % ways.len()..][..1],
                };
                for &(heuristics, is_patient) in ways {
                    let mut task = AlgorithmRun { heuristics, ..AlgorithmRun::new(algorithm, model) };
                    task.config.abandon_doomed = !is_patient;
                    let explored = task.run(program);
                    if explored.refused.is_some() && frees(expected) {
                        return Ok(Agreement::Refused);
                    }
                    compare_values(expected, &explored, is_patient).map_err(|complaint| {
                        format!("with {heuristics:?}, patient: {is_patient}: {complaint}")
                    })?;
                }
            }
        }
        Ok(Agreement::Agreed { n_executions: expected.complete.len() + expected.blocked.len() })
    }

    /// Every third program has two workers; if there is only one variant, in one of four turns: starting threads
    /// takes longer than most searches.
    fn n_workers(self) -> usize {
        let has_turn = self.variants == Variants::All || self.turn.is_multiple_of(4);
        if self.seed.is_multiple_of(3) && self.algorithm.is_parallel() && has_turn { 2 } else { 1 }
    }

    fn explore_once(self, program: &dyn Program, search: SearchSettings<'_>, seed: u64) -> Explored {
        let turn = self.turn + u64::from(search.equivalence == UpTo::Rf);
        let [doomed, shuffled] = crate::agree::variants(search, seed);
        let way = [search, doomed, shuffled][turn as usize % 3];
        let explored = SearchSettings { repeats_unseen: turn.is_multiple_of(7), ..way }.run(program);
        Explored { may_leave_doomed: way.abandon_doomed, ..explored }
    }

    fn search_once(self, program: &dyn Program, task: AlgorithmRun<'_>) -> Explored {
        let [doomed, shuffled] = task.variants(self.seed);
        let way = [task, doomed, shuffled][(self.turn + self.algorithm as u64) as usize % 3];
        Explored { may_leave_doomed: way.config.abandon_doomed, ..way.run(program) }
    }

    fn compare(self, expected: &Enumeration, explored: Explored, up_to: UpTo) -> Result<(), String> {
        let mut explored = explored;
        let mut violations = violations_of(expected);
        if self.model == "wrc11" {
            // Whether a thread waits forever depends on the coherence order, and this model has none.
            explored.violations.remove(&ViolationKind::Deadlock);
            violations.remove(&ViolationKind::Deadlock);
        }
        let compared = compare(expected, &violations, explored, up_to);
        compared.map_err(|difference| format!("up to {up_to:?}: {difference}"))
    }
}

/// All executions; the complaints list what other searches by the same algorithm find differently.
fn with_variants(program: &dyn Program, task: AlgorithmRun<'_>, seed: u64) -> Explored {
    let mut whole = task.run(program);
    for variant in task.variants(seed) {
        let found = variant.run(program);
        if let Some(complaint) = complain(&whole, &found, variant.config.abandon_doomed) {
            whole.complaints.push(format!("{variant:?}: {complaint}"));
        }
    }
    whole
}

/// Whether the algorithm runs a machine with store buffers.
pub(crate) fn has_buffers(algorithm: Algorithm, model: &str) -> bool {
    matches!(algorithm, Algorithm::SourceDpor | Algorithm::OptimalDpor) && model != "sc"
}

/// Each combination in turn.
fn some_heuristics(seed: u64) -> Heuristics {
    let is_on = |bit: u64| (seed / 2) >> bit & 1 == 1;
    Heuristics { signals: is_on(0), greedy: is_on(1), closure: is_on(2), guide: is_on(3) }
}

/// Whether some execution frees memory.
fn frees(expected: &Enumeration) -> bool {
    let executions = expected.complete.iter().chain(&expected.blocked);
    let is_free = |label| matches!(label, Label::Free { .. });
    executions.into_iter().any(|execution| execution.events().any(|(_, event)| is_free(event.label)))
}

/// Requires that the traces show every value history; blocked ones only if the search keeps all blocked executions.
fn compare_values(expected: &Enumeration, explored: &Explored, is_patient: bool) -> Result<(), String> {
    for (name, expected, found) in [
        ("complete", &expected.complete, &explored.complete),
        ("blocked", &expected.blocked, &explored.blocked),
    ] {
        let wanted: BTreeSet<_> = expected.iter().map(history).collect();
        let met: BTreeSet<_> = found.iter().map(history).collect();
        let may_be_left = name == "blocked" && !is_patient;
        if let Some(missing) = wanted.difference(&met).next().filter(|_| !may_be_left) {
            return Err(format!("a {name} history is missing: {missing:?}"));
        }
        if let Some(extra) = met.difference(&wanted).next() {
            return Err(format!("a {name} history is not allowed: {extra:?}"));
        }
        let known: BTreeSet<_> = expected.iter().cloned().map(Canonical::without_reasons).collect();
        if let Some(extra) = found.iter().find(|execution| !known.contains(execution)) {
            return Err(format!("a {name} execution is inconsistent:\n{extra}"));
        }
    }
    let all: BTreeSet<_> = expected.complete.union(&expected.blocked).cloned().collect();
    let n_classes = all.iter().map(class).collect::<BTreeSet<_>>().len();
    let (n_rf, n_traces) = (rf_projection(&all).len(), explored.complete.len() + explored.blocked.len());
    if !(n_traces <= n_classes && n_classes <= n_rf && n_rf <= all.len()) {
        return Err(format!("{n_traces} traces, {n_classes} classes, {n_rf} rf, {} co", all.len()));
    }
    compare_violations(expected, &violations_of(expected), explored)
        .map_err(|complaints| complaints.join("\n"))
}
