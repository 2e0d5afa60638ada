//! All algorithms behind one function: program, algorithm, model and configuration in, all executions out.

use crate::{Collect, Search, has_races};
use atropos_event::{Label, Mapping, Program, Rmw};
use atropos_explore::dpor::{self, Buffers, Dpor};
use atropos_explore::rcmc::{Rcmc, Strong, Weak};
use atropos_explore::rvf::{Heuristics, Rvf};
use atropos_explore::tracer::Tracer;
use atropos_explore::{Config, Control, ThreadOrder, search};
use atropos_graph::Canonical;
use atropos_model::ReleaseSequences;
use atropos_testkit::{Equivalence, Explored};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Algorithm {
    Trust,
    SourceDpor,
    OptimalDpor,
    Tracer,
    Rcmc,
    Rvf,
}

impl Algorithm {
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Trust,
        Algorithm::SourceDpor,
        Algorithm::OptimalDpor,
        Algorithm::Tracer,
        Algorithm::Rcmc,
        Algorithm::Rvf,
    ];

    /// As the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Trust => "trust",
            Algorithm::SourceDpor => "source-dpor",
            Algorithm::OptimalDpor => "optimal-dpor",
            Algorithm::Tracer => "tracer",
            Algorithm::Rcmc => "rcmc",
            Algorithm::Rvf => "rvf",
        }
    }

    /// The models that it works for.
    pub fn models(self) -> &'static [&'static str] {
        match self {
            Algorithm::Trust => &crate::MODELS,
            Algorithm::SourceDpor | Algorithm::OptimalDpor => &["pso", "tso", "sc"],
            Algorithm::Tracer => &["ra"],
            Algorithm::Rcmc => &["wrc11", "rc11", "rc11-c11"],
            Algorithm::Rvf => &["sc"],
        }
    }
}

/// One search by one algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    pub algorithm: Algorithm,
    pub model: &'a str,
    pub mapping: Mapping,
    /// Of TruSt; the others know one each.
    pub equivalence: Equivalence,
    /// Of RVF-SMC.
    pub heuristics: Heuristics,
    pub config: Config,
}

impl<'a> Task<'a> {
    /// All executions, those that can only end blocked too, and all violations.
    pub fn new(algorithm: Algorithm, model: &'a str) -> Self {
        let config = Config {
            keep_going: true,
            detect_races: has_races(model),
            abandon_doomed: false,
            ..Config::default()
        };
        Task {
            algorithm,
            model,
            mapping: Mapping::Compiled,
            equivalence: Equivalence::Co,
            heuristics: Heuristics::default(),
            config,
        }
    }

    /// The same without what can only end blocked, and in another order of threads.
    pub fn variants(self, seed: u64) -> [Self; 2] {
        let impatient = Config { abandon_doomed: true, ..self.config };
        let thread_order = ThreadOrder::Shuffled(seed);
        let shuffled = Config { thread_order, abandon_doomed: seed % 4 < 2, ..self.config };
        [impatient, shuffled].map(|config| Task { config, ..self })
    }

    pub(crate) fn run<P: Program>(self, program: &P) -> Explored {
        match self.algorithm {
            Algorithm::Trust => {
                let Task { model, mapping, equivalence, config, .. } = self;
                let Config { abandon_doomed, thread_order, .. } = config;
                let search =
                    Search { mapping, abandon_doomed, thread_order, ..Search::new(model, equivalence) };
                search.explore(program)
            }
            Algorithm::SourceDpor | Algorithm::OptimalDpor => self.dpor(program),
            Algorithm::Tracer => self.tracer(program),
            Algorithm::Rcmc => self.rcmc(program),
            Algorithm::Rvf => self.rvf(program),
        }
    }

    /// That optimal-DPOR wastes a trace is a complaint.
    fn dpor<P: Program>(self, program: &P) -> Explored {
        let buffers = match self.model {
            "sc" => Buffers::None,
            "tso" => Buffers::PerThread,
            "pso" => Buffers::PerLocation,
            model => panic!("no machine for {model}"),
        };
        let is_optimal = self.algorithm == Algorithm::OptimalDpor;
        let algorithm = if is_optimal { dpor::Algorithm::Optimal } else { dpor::Algorithm::Source };
        let (control, observer) = (Control::default(), || Collect::new(true));
        let dpor = Dpor { algorithm, buffers, mapping: self.mapping };
        let mut search = search(program, &dpor, self.config, &control, 1, observer);
        let mut found = search.observers.remove(0).found;
        if is_optimal && search.stats.wasted > 0 {
            found.complaints.push(format!("{} wasted traces", search.stats.wasted));
        }
        found
    }

    fn tracer<P: Program>(self, program: &P) -> Explored {
        let (control, observer) = (Control::default(), || Collect::new(false));
        let mut search = search(program, &Tracer, self.config, &control, 1, observer);
        search.observers.remove(0).found
    }

    /// That RCMC meets executions again without read-modify-writes is a complaint.
    fn rcmc<P: Program>(self, program: &P) -> Explored {
        let (config, control) = (self.config, Control::default());
        let (c20, c11) = (ReleaseSequences::Cpp20, ReleaseSequences::C11);
        let collect = |with_co| move || Collect::new(with_co);
        let mut search = match self.model {
            "rc11" => search(program, &Rcmc::<Strong>::new(c20), config, &control, 1, collect(true)),
            "rc11-c11" => search(program, &Rcmc::<Strong>::new(c11), config, &control, 1, collect(true)),
            "wrc11" => search(program, &Rcmc::<Weak>::new(c20), config, &control, 1, collect(false)),
            model => panic!("RCMC does not work for {model}"),
        };
        let mut found = search.observers.remove(0).found;
        let n_again = search.stats.duplicates;
        if n_again > 0 && !found.complete.iter().chain(&found.blocked).any(has_rmw) {
            found.complaints.push(format!("{n_again} executions are met again without read-modify-writes"));
        }
        found
    }

    fn rvf<P: Program>(self, program: &P) -> Explored {
        let (control, observer) = (Control::default(), || Collect::new(true));
        let rvf = Rvf { heuristics: self.heuristics };
        let mut search = search(program, &rvf, self.config, &control, 1, observer);
        search.observers.remove(0).found
    }
}

fn has_rmw(execution: &Canonical) -> bool {
    let is_rmw = |label| matches!(label, Label::Read { rmw, .. } if rmw != Rmw::None);
    execution.events().any(|(_, event)| is_rmw(event.label))
}

/// What `search` answers.
///
/// # Errors
/// What it says when it panics.
pub fn caught<T>(search: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(search)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_string()));
        format!("a panic: {}", text.unwrap_or_default())
    })
}
