//! The exploration algorithms: which models each supports, and `atropos algorithms`.

use crate::exit::Exit;
use crate::models::Model;
use crate::output;
use anyhow::{Result, bail};
use atropos_explore::catalogue::Algorithm;

/// # Errors
/// If the algorithm does not support `model`.
pub fn check_model(algorithm: Algorithm, model: &Model) -> Result<()> {
    let is_supported = match model {
        Model::Builtin(model) => algorithm.models().contains(model),
        Model::Custom(_) => algorithm == Algorithm::Trust,
    };
    if !is_supported {
        bail!("{} does not support the model {}; {}", algorithm.name(), model.name(), supported_pairs());
    }
    Ok(())
}

/// What the algorithm guarantees, and when to prefer it.
fn about(algorithm: Algorithm) -> &'static [&'static str] {
    match algorithm {
        Algorithm::Trust => {
            &["visits every execution exactly once and stores none of them; any number of workers"]
        }
        Algorithm::Rcmc => &[
            "visits every execution, some more than once if the program has read-modify-writes (it then stores",
            "a fingerprint of each); checks the sc axiom only at the end; one worker; the only one for wrc11",
        ],
        Algorithm::Tracer => &[
            "visits every execution exactly once and never tries an inconsistent one; memory grows with the",
            "pending schedules; any number of workers; prefer it when trust reports many dead ends",
        ],
        Algorithm::SourceDpor => &[
            "runs the store-buffer machine and reverses races; visits every execution once, but also starts",
            "traces that turn out to be redundant (counted as blocked); one worker",
        ],
        Algorithm::OptimalDpor => &[
            "like source-dpor, but plans whole sequences ahead, so that no trace is redundant; planning costs",
            "time and memory; one worker",
        ],
        Algorithm::Rvf => &[
            "visits each combination of values that threads can see, at most once for each causal order of",
            "the reads; prefer it when few different values are written often; one worker",
        ],
    }
}

/// The equivalences of the algorithm, each with its models.
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

/// The supported pairs of algorithm and model, as a clause.
pub fn supported_pairs() -> String {
    let others: String = Algorithm::ALL[1..]
        .iter()
        .map(|algorithm| format!("; {} with {}", algorithm.name(), models_in_words(*algorithm, ", ")))
        .collect();
    let models = models_in_words(Algorithm::Trust, ", ");
    format!("supported are: trust with {models}; trust up to co with FILE.cat{others}")
}

/// What `--algorithm auto` does.
const AUTO: &str = "\
auto
       trust up to rf; from 4,096 executions on, trust up to co if random descents suggest that this is
       faster, or rvf under sc if it comes to its end after far fewer executions; prefer it when nothing is
       known of a program that takes long; what is chosen depends on the program and the options alone
";

/// `atropos algorithms`.
pub fn list() -> Result<Exit> {
    let mut text = String::new();
    for algorithm in Algorithm::ALL {
        text += &format!("{}\n", algorithm.name());
        about(algorithm).iter().for_each(|line| text += &format!("       {line}\n"));
        let scope = scope(algorithm).into_iter();
        scope.for_each(|(up_to, models)| text += &format!("       up to {up_to}: {models}\n"));
    }
    text += AUTO;
    output::print(&text)?;
    Ok(Exit::Verified)
}
