//! All algorithms behind one function: program, algorithm and model in, all executions out.

use crate::{Collect, has_races};
use atropos_dpor::Buffers;
use atropos_event::{Label, Mapping, Program, Rmw};
use atropos_explore::{Config, Control};
use atropos_graph::Canonical;
use atropos_model::ReleaseSequences;
use atropos_rcmc::{Strong, Weak};
use atropos_rvf::Heuristics;
use atropos_testkit::Explored;
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

/// What `search` answers, or what it says when it panics.
pub(crate) fn caught<T>(search: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(search)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_string()));
        format!("a panic: {}", text.unwrap_or_default())
    })
}

fn config(model: &str) -> Config {
    Config { keep_going: true, detect_races: has_races(model), abandon_doomed: false, ..Config::default() }
}

/// What one of the DPORs visits. That optimal-DPOR wastes a trace is a complaint.
pub(crate) fn dpor<P: Program>(program: &P, algorithm: Algorithm, model: &str, mapping: Mapping) -> Explored {
    let buffers = match model {
        "sc" => Buffers::None,
        "tso" => Buffers::PerThread,
        "pso" => Buffers::PerLocation,
        _ => panic!("no machine for {model}"),
    };
    let is_optimal = algorithm == Algorithm::OptimalDpor;
    let how = if is_optimal { atropos_dpor::Algorithm::Optimal } else { atropos_dpor::Algorithm::Source };
    let control = Control::default();
    let observer = || Collect::new(true);
    let search = atropos_dpor::explore(program, (how, buffers, mapping), config(model), &control, observer);
    let mut found = search.observer.found;
    if is_optimal && search.sleep_set_blocked > 0 {
        found.complaints.push(format!("{} wasted traces", search.sleep_set_blocked));
    }
    found
}

/// What Tracer visits.
pub(crate) fn tracer<P: Program>(program: &P) -> Explored {
    let control = Control::default();
    let mut search = atropos_tracer::explore(program, config("ra"), &control, || Collect::new(false));
    search.observers.remove(0).found
}

/// What RCMC visits. That it meets executions again without read-modify-writes is a complaint.
pub(crate) fn rcmc<P: Program>(program: &P, model: &str) -> Explored {
    let (config, control) = (config(model), Control::default());
    let (c20, c11) = (ReleaseSequences::Cpp20, ReleaseSequences::C11);
    let collect = |with_co| move || Collect::new(with_co);
    let mut search = match model {
        "rc11" => atropos_rcmc::explore::<_, Strong, _>(program, c20, config, &control, collect(true)),
        "rc11-c11" => atropos_rcmc::explore::<_, Strong, _>(program, c11, config, &control, collect(true)),
        "wrc11" => atropos_rcmc::explore::<_, Weak, _>(program, c20, config, &control, collect(false)),
        _ => panic!("RCMC does not work for {model}"),
    };
    let mut found = search.observers.remove(0).found;
    let n_again = search.stats.duplicates;
    if n_again > 0 && !found.complete.iter().chain(&found.blocked).any(has_rmw) {
        found.complaints.push(format!("{n_again} executions are met again without read-modify-writes"));
    }
    found
}

fn has_rmw(execution: &Canonical) -> bool {
    let is_rmw = |label| matches!(label, Label::Read { rmw: Rmw::Fetch { .. } | Rmw::Cas { .. }, .. });
    execution.events().any(|(_, event)| is_rmw(event.label))
}

/// What RVF-SMC visits.
pub(crate) fn rvf<P: Program>(program: &P, heuristics: Heuristics) -> Explored {
    let control = Control::default();
    let observer = || Collect::new(true);
    let mut search = atropos_rvf::explore(program, heuristics, config("sc"), &control, observer);
    search.observers.remove(0).found
}
