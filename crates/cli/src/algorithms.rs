//! The exploration algorithms: which models each supports, and `atropos algorithms`.

use crate::exit::Exit;
use crate::models::Model;
use crate::output;
use anyhow::{Result, bail};
use atropos_explore::catalogue::Algorithm;

/// # Errors
/// When the algorithm does not support `model`.
pub fn check_model(algorithm: Algorithm, model: &Model) -> Result<()> {
    let is_supported = match model {
        Model::Builtin(model) => algorithm.models().contains(model),
        Model::Custom(_) => algorithm == Algorithm::Trust,
    };
    if !is_supported {
        bail!("{} does not work with the model {}; {}", algorithm.name(), model.name(), supported_pairs());
    }
    Ok(())
}

/// What it guarantees, and when to prefer it.
fn about(algorithm: Algorithm) -> &'static [&'static str] {
    match algorithm {
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
fn scope(algorithm: Algorithm) -> Vec<(&'static str, String)> {
    let models = models_in_words(algorithm, " ");
    match algorithm {
        Algorithm::Trust => vec![("rf", models.clone()), ("co", format!("{models} FILE.cat"))],
        Algorithm::Rcmc => vec![("rf", "wrc11".into()), ("co", "rc11".into())],
        Algorithm::Tracer => vec![("rf", models)],
        Algorithm::SourceDpor | Algorithm::OptimalDpor => vec![("co", models)],
        Algorithm::Rvf => vec![("values", models)],
    }
}

fn models_in_words(algorithm: Algorithm, separator: &str) -> String {
    algorithm.models().iter().map(|model| model.name()).collect::<Vec<_>>().join(separator)
}

/// The pairs of algorithm and model that work, as a clause.
pub fn supported_pairs() -> String {
    let others: String = Algorithm::ALL[1..]
        .iter()
        .map(|algorithm| format!("; {} with {}", algorithm.name(), models_in_words(*algorithm, ", ")))
        .collect();
    let models = models_in_words(Algorithm::Trust, ", ");
    format!("what works is: trust with {models}; and, up to co only, with FILE.cat{others}")
}

/// `atropos algorithms`.
pub fn list() -> Result<Exit> {
    let mut text = String::new();
    for algorithm in Algorithm::ALL {
        text += &format!("{}\n", algorithm.name());
        about(algorithm).iter().for_each(|line| text += &format!("       {line}\n"));
        let scope = scope(algorithm).into_iter();
        scope.for_each(|(up_to, models)| text += &format!("       up to {up_to}: {models}\n"));
    }
    output::print(&text)?;
    Ok(Exit::Verified)
}
