//! The exploration algorithms: which models each supports, and `atropos algorithms`.

use crate::exit::Exit;
use crate::models::Model;
use crate::output;
use anyhow::{Result, bail};

/// The algorithms that `CLI.md` names.
const NAMES: [&str; 6] = ["trust", "rcmc", "tracer", "source-dpor", "optimal-dpor", "rvf"];

/// Those beside trust that are here, and the models they work with. The others are to come.
const OTHERS: &[(&str, &[&str])] = &[("rvf", &["sc"])];

/// Refuses what is not there, and pairs that do not work.
pub fn check_available(name: &str, model: &Model) -> Result<()> {
    let models = OTHERS.iter().find(|(known, _)| *known == name).map(|(_, models)| *models);
    match NAMES.iter().position(|known| *known == name) {
        Some(0) => Ok(()),
        Some(_) => match models {
            Some(models) if models.contains(&model.name().as_str()) => Ok(()),
            Some(_) => bail!("{name} does not work with {}; {}", model.name(), supported_pairs()),
            None => bail!("the algorithm {name} is not in this build yet; {}", supported_pairs()),
        },
        None => bail!("unknown algorithm `{name}`: the algorithms are {}", NAMES.join(", ")),
    }
}

/// The pairs of algorithm and model that work, as a clause.
pub fn supported_pairs() -> String {
    let models = Model::BUILTIN.map(|model| model.name()).join(", ");
    let others = OTHERS.iter().map(|(name, models)| format!("; {name} with {}", models.join(", ")));
    let others: String = others.collect();
    format!("what works is: trust with {models}; and, up to co only, with FILE.cat{others}")
}

/// `atropos algorithms`.
pub fn list() -> Result<Exit> {
    let models = Model::BUILTIN.map(|model| model.name()).join(" ");
    output::print(&format!(
        "trust  visits every execution exactly once and stores none of them\n\
         \x20      up to rf: {models}\n\
         \x20      up to co: {models} FILE.cat\n\
         rvf    visits every combination of values that threads can see, each at most once per class of executions\n\
         \x20      whose reads are causally ordered alike; good where few values are written often; one worker\n\
         \x20      up to values: sc\n"
    ));
    Ok(Exit::Verified)
}
