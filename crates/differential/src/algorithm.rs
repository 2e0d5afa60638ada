//! All algorithms behind one function, from a program, an algorithm, a model and a configuration to all executions.

use crate::{Collect, SearchSettings, has_races};
use atropos_event::{Label, Mapping, Program, Rmw};
use atropos_explore::catalogue::{self, Method, ModelChoice, ModelName};
use atropos_explore::rvf::Heuristics;
use atropos_explore::{Config, Control, ThreadOrder};
use atropos_graph::Canonical;
use atropos_model::ReleaseSequences;
use atropos_testkit::{Explored, UpTo};
use std::panic::{AssertUnwindSafe, catch_unwind};

pub use atropos_explore::catalogue::Algorithm;

/// The models that an algorithm supports, by the names of the differential tests.
pub fn models_of(algorithm: Algorithm) -> Vec<&'static str> {
    let names = algorithm.models().iter().map(|model| model.name());
    names.flat_map(|name| std::iter::once(name).chain((name == "rc11").then_some("rc11-c11"))).collect()
}

/// A model by its name in the differential tests, which also have a name for RC11 with the release sequences of C11.
///
/// # Panics
/// If there is no such model.
pub(crate) fn model_named(name: &str) -> (ModelName, ReleaseSequences) {
    let (name, release_sequences) = match name {
        "rc11-c11" => ("rc11", ReleaseSequences::C11),
        name => (name, ReleaseSequences::Cpp20),
    };
    let model = ModelName::ALL.into_iter().find(|model| model.name() == name);
    (model.unwrap_or_else(|| panic!("no model {name}")), release_sequences)
}

/// One search by one algorithm.
#[derive(Clone, Copy, Debug)]
pub struct AlgorithmRun<'a> {
    pub algorithm: Algorithm,
    pub model: &'a str,
    pub mapping: Mapping,
    /// For TruSt; each other algorithm has one.
    pub equivalence: UpTo,
    /// For RVF-SMC.
    pub heuristics: Heuristics,
    /// For Tracer; TruSt has [`SearchSettings::jobs`], and the others are sequential.
    pub jobs: usize,
    pub config: Config,
}

impl<'a> AlgorithmRun<'a> {
    /// All executions, including those that can only end blocked, and all violations.
    pub fn new(algorithm: Algorithm, model: &'a str) -> Self {
        let config = Config {
            keep_going: true,
            detect_races: has_races(model),
            abandon_doomed: false,
            ..Config::default()
        };
        AlgorithmRun {
            algorithm,
            model,
            mapping: Mapping::Compiled,
            equivalence: UpTo::Co,
            heuristics: Heuristics::default(),
            jobs: 1,
            config,
        }
    }

    /// The same without executions that can only end blocked, in another order of threads.
    pub fn variants(self, seed: u64) -> [Self; 2] {
        let impatient = Config { abandon_doomed: true, ..self.config };
        let thread_order = ThreadOrder::Shuffled(seed);
        let shuffled = Config { thread_order, abandon_doomed: seed % 4 < 2, ..self.config };
        [impatient, shuffled].map(|config| AlgorithmRun { config, ..self })
    }

    /// What the algorithm visits.
    pub fn run(self, program: &dyn Program) -> Explored {
        match self.algorithm {
            Algorithm::Trust => {
                let AlgorithmRun { model, mapping, equivalence, config, .. } = self;
                let Config { abandon_doomed, thread_order, validate, .. } = config;
                let search = SearchSettings {
                    mapping,
                    abandon_doomed,
                    thread_order,
                    validate,
                    ..SearchSettings::new(model, equivalence)
                };
                search.run(program)
            }
            _ => self.run_other(program),
        }
    }

    /// Complains if optimal-DPOR wastes a trace, or if RCMC visits executions again although there are no
    /// read-modify-writes.
    fn run_other(self, program: &dyn Program) -> Explored {
        let AlgorithmRun { algorithm, mapping, heuristics, jobs, .. } = self;
        let (model, release_sequences) = model_named(self.model);
        let equivalence = algorithm.equivalence(model).expect("TruSt is run elsewhere");
        let model = ModelChoice::Builtin(model);
        let method = Method { algorithm, model, mapping, release_sequences, equivalence, heuristics };
        let observer = || Collect::new(equivalence != catalogue::Equivalence::Rf);
        let search = method.explore(program, self.config, &Control::default(), jobs, observer);
        let mut found = Collect::merge(search.observers);
        let (n_wasted, n_again) = (search.stats.wasted, search.stats.duplicates);
        if algorithm == Algorithm::OptimalDpor && n_wasted > 0 {
            found.complaints.push(format!("{n_wasted} wasted traces"));
        }
        if n_again > 0 && !found.complete.iter().chain(&found.blocked).any(has_rmw) {
            found.complaints.push(format!("{n_again} executions are met again without read-modify-writes"));
        }
        found
    }
}

fn has_rmw(execution: &Canonical) -> bool {
    let is_rmw = |label| matches!(label, Label::Read { rmw, .. } if rmw != Rmw::None);
    execution.events().any(|(_, event)| is_rmw(event.label))
}

/// The result of `search`.
///
/// # Errors
/// The message of its panic.
pub fn caught<T>(search: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(search)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_string()));
        format!("a panic: {}", text.unwrap_or_default())
    })
}
