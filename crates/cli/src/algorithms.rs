//! The exploration algorithms: which models each supports, and `atropos algorithms`.

use crate::exit::Exit;
use crate::models::Model;
use crate::output;
use anyhow::{Result, bail};

/// The algorithms that `CLI.md` names. Those that [`Algorithm::parse`] does not know are to come.
const NAMES: [&str; 6] = ["trust", "rcmc", "tracer", "source-dpor", "optimal-dpor", "rvf"];

/// An algorithm, as it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    Trust,
    Rcmc,
    Tracer,
}

impl Algorithm {
    const ALL: [Algorithm; 3] = [Algorithm::Trust, Algorithm::Rcmc, Algorithm::Tracer];

    /// The algorithm of that name.
    ///
    /// # Errors
    /// When there is none, or it does not support `model`.
    pub fn parse(name: &str, model: &Model) -> Result<Algorithm> {
        let Some(algorithm) = Self::ALL.into_iter().find(|algorithm| algorithm.name() == name) else {
            if NAMES.contains(&name) {
                bail!("the algorithm {name} is not in this build yet; {}", supported_pairs());
            }
            bail!("unknown algorithm `{name}`: the algorithms are {}", NAMES.join(", "));
        };
        let is_custom = matches!(model, Model::Custom(_)) && algorithm == Algorithm::Trust;
        if !is_custom && !algorithm.models().contains(model) {
            bail!("{name} does not work with the model {}; {}", model.name(), supported_pairs());
        }
        Ok(algorithm)
    }

    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Trust => "trust",
            Algorithm::Rcmc => "rcmc",
            Algorithm::Tracer => "tracer",
        }
    }

    /// The built-in models that it supports.
    pub fn models(self) -> &'static [Model] {
        match self {
            Algorithm::Trust => &[Model::Sc, Model::Tso, Model::Pso, Model::Ra, Model::Sra, Model::Rc11],
            Algorithm::Rcmc => &[Model::Rc11, Model::Wrc11],
            Algorithm::Tracer => &[Model::Ra],
        }
    }

    fn models_in_words(self, separator: &str) -> String {
        self.models().iter().map(Model::name).collect::<Vec<_>>().join(separator)
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
    let models = Algorithm::Trust.models_in_words(" ");
    output::print(&format!(
        "trust  visits every execution exactly once and stores none of them\n\
         \x20      up to rf: {models}\n\
         \x20      up to co: {models} FILE.cat\n\
         rcmc   visits every execution, some of them again where there are read-modify-writes; stores a fingerprint\n\
         \x20      of each there; asks for the sc axiom at the end only; one worker; the only one for wrc11\n\
         \x20      up to rf: wrc11\n\
         \x20      up to co: rc11\n\
         tracer visits every execution exactly once, and never tries an inconsistent one; stores what is still to\n\
         \x20      be done, which may be much; one worker; prefer it where trust meets many dead ends\n\
         \x20      up to rf: ra\n"
    ));
    Ok(Exit::Verified)
}
