//! The exploration algorithms: which models each supports, and `atropos algorithms`.

use crate::exit::Exit;
use crate::models::Model;
use crate::output;
use anyhow::{Result, bail};

/// The algorithms that `CLI.md` names. All but the first are to come.
const NAMES: [&str; 6] = ["trust", "rcmc", "tracer", "source-dpor", "optimal-dpor", "rvf"];

/// Refuses what is not there.
pub fn check_available(name: &str) -> Result<()> {
    match NAMES.iter().position(|known| *known == name) {
        Some(0) => Ok(()),
        Some(_) => bail!("the algorithm {name} is not in this build yet; {}", supported_pairs()),
        None => bail!("unknown algorithm `{name}`: the algorithms are {}", NAMES.join(", ")),
    }
}

/// The pairs of algorithm and model that work, as a clause.
pub fn supported_pairs() -> String {
    let models = Model::BUILTIN.map(|model| model.name()).join(", ");
    format!("what works is: trust with {models}; and, up to co only, with FILE.cat")
}

/// `atropos algorithms`.
pub fn list() -> Result<Exit> {
    let models = Model::BUILTIN.map(|model| model.name()).join(" ");
    output::print(&format!(
        "trust  visits every execution exactly once and stores none of them\n\
         \x20      up to rf: {models}\n\
         \x20      up to co: {models} FILE.cat\n"
    ));
    Ok(Exit::Verified)
}
