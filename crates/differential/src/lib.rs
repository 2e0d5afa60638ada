//! The explorers behind one function, for the differential tests: from a program, a model and an equivalence to all
//! executions, as often as they were visited.
//!
//! Reading order: this file has one search of TruSt ([`SearchSettings`]), [`agree`] what several searches of a program
//! must agree on. [`algorithm`] has all algorithms, [`referee`] what the oracle demands of them ([`by_bytes`] if
//! accesses have several sizes), and [`identities`] what they demand of each other. [`symmetry`] compares searches with and
//! without symmetry, [`counters`] with and without the order of read-modify-writes, [`barriers`] of arrivals, and [`sections`] of
//! sections of a mutex. [`litmus`] does the same for final
//! states of litmus tests, and [`litmus_table`] makes a table of them. [`conformance`] compares the thread library with
//! its oracle, and [`broken_input`] breaks input files. [`sequential`] compares the C front-end with native runs,
//! [`concurrent`] the levels of optimisation with each other, and [`rust_source`] programs in Rust with the oracle.

pub mod agree;
pub mod algorithm;
pub mod barriers;
pub mod broken_input;
pub mod by_bytes;
pub mod concurrent;
pub mod conformance;
pub mod counters;
pub mod given;
pub mod identities;
pub mod litmus;
pub mod litmus_table;
mod reduced;
pub mod referee;
pub mod rust_source;
pub mod sections;
pub mod sequential;
pub mod symmetry;

use algorithm::{Algorithm, model_named};
use atropos_event::{Mapping, Program, Refusal, Step, ThreadId};
use atropos_explore::catalogue::{self, Method, ModelChoice};
use atropos_explore::rvf::Heuristics;
use atropos_explore::{
    Config, Control, Ending, Execution, Observer, Report, SearchResult, Stats, ThreadOrder,
};
use atropos_graph::{Canonical, validate};
use atropos_testkit::{Ast, Explored, UpTo, lower};
use atropos_vm::Vm;

/// The models to compare, the most permissive first.
pub const MODELS: [&str; 7] = ["rc11", "rc11-c11", "ra", "sra", "pso", "tso", "sc"];

/// Whether the model has a notion of races.
pub(crate) fn has_races(model: &str) -> bool {
    !matches!(model, "sc" | "tso" | "pso")
}

/// One way to explore a program.
#[derive(Clone, Copy, Debug)]
pub struct SearchSettings<'a> {
    pub model: &'a str,
    pub equivalence: UpTo,
    pub mapping: Mapping,
    pub jobs: usize,
    pub abandon_doomed: bool,
    pub symmetry: bool,
    pub rmws: bool,
    pub barriers: bool,
    pub locks: bool,
    pub thread_order: ThreadOrder,
    /// Check the graph after every step, not only at the end of executions.
    pub validate: bool,
    /// Search again with an observer that ignores executions.
    pub repeats_unseen: bool,
}

impl<'a> SearchSettings<'a> {
    /// All executions, with one worker.
    pub fn new(model: &'a str, equivalence: UpTo) -> Self {
        SearchSettings {
            model,
            equivalence,
            mapping: Mapping::Compiled,
            jobs: 1,
            abandon_doomed: false,
            symmetry: false,
            rmws: false,
            barriers: false,
            locks: false,
            thread_order: ThreadOrder::Learned,
            validate: false,
            repeats_unseen: true,
        }
    }

    fn config(self) -> Config {
        Config {
            keep_going: true,
            detect_races: has_races(self.model),
            abandon_doomed: self.abandon_doomed,
            symmetry: self.symmetry,
            rmws: self.rmws,
            barriers: self.barriers,
            locks: self.locks,
            thread_order: self.thread_order,
            validate: self.validate,
            ..Config::default()
        }
    }

    /// All executions of `program` and their violations; races only if the model has them.
    ///
    /// # Panics
    /// If a graph is malformed, or there is no such model.
    pub fn run(self, program: &dyn Program) -> Explored {
        let config = self.config();
        let with_co = self.equivalence == UpTo::Co;
        let (all, stats) = self.observed(program, config, || Collect::new(with_co));
        let n_visited = (all.complete.len() as u64, all.blocked.len() as u64);
        assert_eq!(n_visited, (stats.executions, stats.blocked), "what is counted was seen");
        if !self.repeats_unseen {
            return all;
        }
        let (unseen, stats) = self.observed(program, config, || Collect::looking_away(with_co));
        assert_eq!(n_visited, (stats.executions, stats.blocked), "what is not looked at is counted");
        assert_eq!((&unseen.violations, unseen.n_reports), (&all.violations, all.n_reports), "and judged");
        all
    }

    fn observed(
        self,
        program: &dyn Program,
        config: Config,
        observer: impl Fn() -> Collect + Sync,
    ) -> (Explored, Stats) {
        let search = self.explore(program, config, observer);
        (Collect::merge(search.observers), search.stats)
    }

    fn explore<O: Observer + Send>(
        self,
        program: &dyn Program,
        config: Config,
        observer: impl Fn() -> O + Sync,
    ) -> SearchResult<O> {
        let (model, release_sequences) = model_named(self.model);
        let equivalence = match self.equivalence {
            UpTo::Co => catalogue::Equivalence::Co,
            UpTo::Rf => catalogue::Equivalence::Rf,
        };
        let method = Method {
            algorithm: Algorithm::Trust,
            model: ModelChoice::Builtin(model),
            mapping: self.mapping,
            release_sequences,
            equivalence,
            heuristics: Heuristics::default(),
        };
        method.explore(program, config, &Control::default(), self.jobs, observer)
    }
}

/// The machine that runs a tiny program.
///
/// # Panics
/// If the program cannot be lowered.
pub fn machine(ast: &Ast) -> Vm {
    Vm::new(lower(ast), atropos_vm::Config::default()).expect("a tiny program lowers")
}

/// Collects every execution, and checks that its graph is well-formed.
#[derive(Debug)]
struct Collect {
    found: Explored,
    with_co: bool,
    looks: bool,
}

impl Collect {
    fn new(with_co: bool) -> Self {
        Collect { found: Explored::default(), with_co, looks: true }
    }

    /// Collects violations, but no executions.
    fn looking_away(with_co: bool) -> Self {
        Collect { looks: false, ..Collect::new(with_co) }
    }

    /// What all workers have found.
    fn merge(observers: Vec<Collect>) -> Explored {
        let mut all = Explored::default();
        for Collect { found, .. } in observers {
            all.complete.extend(found.complete);
            all.blocked.extend(found.blocked);
            all.violations.extend(found.violations);
            all.first_violations.extend(found.first_violations);
            all.n_reports += found.n_reports;
            all.refused = all.refused.or(found.refused);
        }
        all
    }
}

impl Observer for Collect {
    fn looks_at_executions(&self) -> bool {
        self.looks
    }

    fn execution(&mut self, ending: Ending, execution: Execution<'_>) {
        if !self.looks {
            return;
        }
        if let Err(broken) = validate(execution.graph) {
            panic!("a malformed graph: {broken:?}");
        }
        let run = execution.run;
        let canonical = Canonical::of(execution.graph, |thread| run.key(thread), self.with_co);
        match ending {
            Ending::Complete => self.found.complete.push(canonical),
            Ending::Blocked => self.found.blocked.push(canonical),
        }
    }

    fn violation(&mut self, report: Report, execution: Execution<'_>) {
        let Execution { graph, run } = execution;
        let kind = report.violation.kind();
        let mut others = (0..graph.n_threads()).map(ThreadId::new);
        let has_failed = |thread: ThreadId| {
            thread != report.thread && !graph.thread(thread).is_empty() && run.pending(thread) == Step::Failed
        };
        if !others.any(has_failed) {
            self.found.first_violations.insert(kind);
        }
        self.found.violations.insert(kind);
        self.found.n_reports += 1;
    }

    fn refused(&mut self, refusal: Refusal) {
        self.found.refused = Some(format!("{refusal:?}"));
    }
}
