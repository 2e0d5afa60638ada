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
    Dpor(atropos_dpor::Algorithm),
}

impl Algorithm {
    /// The algorithm of that name.
    ///
    /// # Errors
    /// When there is none, or it does not support `model`.
    pub fn parse(name: &str, model: &Model) -> Result<Algorithm> {
        let algorithm = match name {
            "trust" => Algorithm::Trust,
            "source-dpor" => Algorithm::Dpor(atropos_dpor::Algorithm::Source),
            "optimal-dpor" => Algorithm::Dpor(atropos_dpor::Algorithm::Optimal),
            _ if NAMES.contains(&name) => {
                bail!("the algorithm {name} is not in this build yet; {}", supported_pairs())
            }
            _ => bail!("unknown algorithm `{name}`: the algorithms are {}", NAMES.join(", ")),
        };
        if matches!(algorithm, Algorithm::Dpor(_)) && !DPOR_MODELS.contains(model) {
            bail!("{name} does not support the model {}; {}", model.name(), supported_pairs());
        }
        Ok(algorithm)
    }
}

/// The models whose machines the DPOR algorithms run.
const DPOR_MODELS: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];

/// The pairs of algorithm and model that work, as a clause.
pub fn supported_pairs() -> String {
    let models = Model::BUILTIN.map(|model| model.name()).join(", ");
    let machines = DPOR_MODELS.map(|model| model.name()).join(", ");
    format!(
        "what works is: trust with {models}; and, up to co only, with FILE.cat; \
         source-dpor and optimal-dpor with {machines}"
    )
}

/// `atropos algorithms`.
pub fn list() -> Result<Exit> {
    let models = Model::BUILTIN.map(|model| model.name()).join(" ");
    let machines = DPOR_MODELS.map(|model| model.name()).join(" ");
    output::print(&format!(
        "trust  visits every execution exactly once and stores none of them\n\
         \x20      up to rf: {models}\n\
         \x20      up to co: {models} FILE.cat\n\
         source-dpor\n\
         \x20      runs the machine and reverses races; visits every execution once, but some traces are begun in vain\n\
         \x20      (counted as blocked); one worker; prefer it on machines where few traces are wasted\n\
         \x20      up to co: {machines}\n\
         optimal-dpor\n\
         \x20      the same with whole sequences planned ahead, which costs time and memory; no trace is wasted; one worker\n\
         \x20      up to co: {machines}\n"
    ));
    Ok(Exit::Verified)
}
