//! The exploration algorithms: which models each supports, and `atropos algorithms`.

use crate::exit::Exit;
use crate::models::Model;
use crate::output;
use anyhow::{Result, bail};
use std::str::FromStr;

/// An algorithm, as the command line names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    #[default]
    Trust,
    Rcmc,
    Tracer,
    SourceDpor,
    OptimalDpor,
    Rvf,
}

impl Algorithm {
    const ALL: [Algorithm; 6] = [
        Algorithm::Trust,
        Algorithm::Rcmc,
        Algorithm::Tracer,
        Algorithm::SourceDpor,
        Algorithm::OptimalDpor,
        Algorithm::Rvf,
    ];

    /// # Errors
    /// When the algorithm does not support `model`.
    pub fn check_model(self, model: &Model) -> Result<()> {
        let is_custom = matches!(model, Model::Custom(_)) && self == Algorithm::Trust;
        if !is_custom && !self.models().contains(model) {
            bail!("{} does not work with the model {}; {}", self.name(), model.name(), supported_pairs());
        }
        Ok(())
    }

    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Trust => "trust",
            Algorithm::Rcmc => "rcmc",
            Algorithm::Tracer => "tracer",
            Algorithm::SourceDpor => "source-dpor",
            Algorithm::OptimalDpor => "optimal-dpor",
            Algorithm::Rvf => "rvf",
        }
    }

    /// Whether parts of its search can be done by several workers.
    pub fn is_parallel(self) -> bool {
        match self {
            Algorithm::Trust | Algorithm::Tracer => true,
            Algorithm::Rcmc | Algorithm::SourceDpor | Algorithm::OptimalDpor | Algorithm::Rvf => false,
        }
    }

    /// Whether its executions are runs of a machine, whose memory and store buffers hold bytes.
    pub fn runs_the_machine(self) -> bool {
        matches!(self, Algorithm::SourceDpor | Algorithm::OptimalDpor)
    }

    /// The built-in models that it supports.
    pub fn models(self) -> &'static [Model] {
        match self {
            Algorithm::Trust => &[Model::Sc, Model::Tso, Model::Pso, Model::Ra, Model::Sra, Model::Rc11],
            Algorithm::Rcmc => &[Model::Rc11, Model::Wrc11],
            Algorithm::Tracer => &[Model::Ra],
            Algorithm::SourceDpor | Algorithm::OptimalDpor => &[Model::Sc, Model::Tso, Model::Pso],
            Algorithm::Rvf => &[Model::Sc],
        }
    }

    /// What it guarantees, and when to prefer it.
    fn about(self) -> &'static [&'static str] {
        match self {
            Algorithm::Trust => {
                &["visits every execution exactly once and stores none of them; any number of workers"]
            }
            Algorithm::Rcmc => &[
                "visits every execution, some of them again where there are read-modify-writes; stores a fingerprint",
                "of each there; asks for the sc axiom at the end only; one worker; the only one for wrc11",
            ],
            Algorithm::Tracer => &[
                "visits every execution exactly once, and never tries an inconsistent one; stores what is still to",
                "be done, which may be much; prefer it where trust meets many dead ends",
            ],
            Algorithm::SourceDpor => &[
                "runs the machine and reverses races; visits every execution once, but some traces are begun in vain",
                "(counted as blocked); one worker; prefer it on machines where few traces are wasted",
            ],
            Algorithm::OptimalDpor => &[
                "the same with whole sequences planned ahead, which costs time and memory; no trace is wasted;",
                "one worker",
            ],
            Algorithm::Rvf => &[
                "visits every combination of values that threads can see, each at most once per class of executions",
                "whose reads are causally ordered alike; good where few values are written often; one worker",
            ],
        }
    }

    /// Up to what it tells executions apart, with the models for each.
    fn scope(self) -> Vec<(&'static str, String)> {
        let models = self.models_in_words(" ");
        match self {
            Algorithm::Trust => vec![("rf", models.clone()), ("co", format!("{models} FILE.cat"))],
            Algorithm::Rcmc => vec![("rf", "wrc11".into()), ("co", "rc11".into())],
            Algorithm::Tracer => vec![("rf", models)],
            Algorithm::SourceDpor | Algorithm::OptimalDpor => vec![("co", models)],
            Algorithm::Rvf => vec![("values", models)],
        }
    }

    fn models_in_words(self, separator: &str) -> String {
        self.models().iter().map(Model::name).collect::<Vec<_>>().join(separator)
    }
}

impl FromStr for Algorithm {
    type Err = String;

    fn from_str(text: &str) -> Result<Algorithm, String> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Algorithm::name).join(", ");
            format!("unknown algorithm: the algorithms are {names}")
        })
    }
}

/// The pairs of algorithm and model that work, as a clause.
pub fn supported_pairs() -> String {
    let others: String = Algorithm::ALL[1..]
        .iter()
        .map(|algorithm| format!("; {} with {}", algorithm.name(), algorithm.models_in_words(", ")))
        .collect();
    let models = Algorithm::Trust.models_in_words(", ");
    format!("what works is: trust with {models}; and, up to co only, with FILE.cat{others}")
}

/// `atropos algorithms`.
pub fn list() -> Result<Exit> {
    let mut text = String::new();
    for algorithm in Algorithm::ALL {
        text += &format!("{}\n", algorithm.name());
        algorithm.about().iter().for_each(|line| text += &format!("       {line}\n"));
        let scope = algorithm.scope().into_iter();
        scope.for_each(|(up_to, models)| text += &format!("       up to {up_to}: {models}\n"));
    }
    output::print(&text)?;
    Ok(Exit::Verified)
}
