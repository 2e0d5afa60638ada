//! `--algorithm auto`: the ways to explore a program among which a check may choose.

use super::{CheckOptions, again};
use crate::args::{CheckArgs, MixedSizes, SearchArgs};
use crate::flags::Settled;
use crate::input::ProgramKind;
use crate::models::Model;
use anyhow::{Result, bail};
use atropos_check::auto::Way;
use atropos_explore::catalogue::{Algorithm, ModelName};
use std::str::FromStr;

/// The algorithm as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AlgorithmChoice {
    /// By a race of several.
    Auto,
    Named(Algorithm),
}

impl FromStr for AlgorithmChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<AlgorithmChoice, String> {
        if text == "auto" {
            return Ok(AlgorithmChoice::Auto);
        }
        text.parse().map(AlgorithmChoice::Named).map_err(|error: String| format!("{error}, auto"))
    }
}

impl SearchArgs {
    /// The algorithm to begin with.
    pub fn first_algorithm(&self, model: &Model) -> Algorithm {
        match self.algorithm {
            Some(AlgorithmChoice::Named(algorithm)) => algorithm,
            Some(AlgorithmChoice::Auto) if *model == Model::Builtin(ModelName::Wrc11) => Algorithm::Rcmc,
            Some(AlgorithmChoice::Auto) | None => Algorithm::default(),
        }
    }
}

/// Why a check cannot choose among several ways, if it cannot: an option, and the rest of the sentence.
fn obstacle(args: &CheckArgs) -> Option<(&'static str, &'static str)> {
    let (search, output) = (&args.search, &args.output);
    let obstacles = [
        (search.equivalence.is_some(), "equivalence", "which belongs to one way of them"),
        (search.reduce.is_some(), "reduce", "because not all of them have the same reductions"),
        (search.check_robustness, "check-robustness", "for which coherence decides"),
        (
            args.limits.max_executions.is_some(),
            "max-executions",
            "because each has other executions to count",
        ),
        (search.checkpoint.is_some(), "checkpoint", "which records one search"),
        (output.print_executions, "print-executions", "because each has other executions to show"),
        (output.dump_graphs.is_some(), "dump-graphs", "because each has other executions to show"),
    ];
    obstacles.into_iter().find(|(is_given, ..)| *is_given).map(|(_, name, reason)| (name, reason))
}

/// The ways after the first one among which a check chooses, each with the command that repeats the check in it. There
/// are none unless `--algorithm auto` asks for them.
///
/// # Errors
/// If that is asked for and impossible.
pub(super) fn choice(
    args: &CheckArgs,
    model: &Model,
    kind: ProgramKind,
    is_served: bool,
) -> Result<Vec<(Way, String)>> {
    if args.search.algorithm != Some(AlgorithmChoice::Auto) {
        return Ok(Vec::new());
    }
    if is_served {
        bail!(
            "--algorithm auto is for `atropos check`: a search that is spread over processes is of one way"
        );
    }
    if let Some((name, reason)) = obstacle(args) {
        bail!("--algorithm auto chooses among several ways and cannot be used with --{name}, {reason}");
    }
    // A litmus test says how many executions end in each state.
    let is_litmus = matches!(kind, ProgramKind::Litmus(_));
    let is_open = args.search.replay.is_none() && !is_litmus;
    let open = if is_open { ways(model) } else { &[] };
    let command = |&way: &Way| {
        let Way { algorithm, equivalence } = way;
        (way, again(args, &Settled { model: model.name(), algorithm, equivalence, replay: None }))
    };
    Ok(open.iter().map(command).collect())
}

/// The ways to explore under a model after the first one.
fn ways(model: &Model) -> &'static [Way] {
    match model {
        Model::Builtin(model) => Way::all(*model).get(1..).unwrap_or_default(),
        Model::Custom(_) => &[],
    }
}

/// Whether a search may start over with another algorithm, because the default one does not explore accesses of several
/// sizes exactly.
pub(super) fn may_change_algorithm(search: &SearchArgs, model: &Model) -> bool {
    let is_named = matches!(search.algorithm, Some(AlgorithmChoice::Named(_)));
    let is_open = !is_named && search.replay.is_none() && search.checkpoint.is_none();
    let has_machine = matches!(model, Model::Builtin(ModelName::Tso | ModelName::Pso));
    is_open && has_machine && search.mixed_sizes == MixedSizes::Exact
}

impl CheckOptions {
    /// The options for each of these ways, with its command.
    pub(super) fn for_ways(&self, ways: Vec<(Way, String)>) -> Vec<(Way, CheckOptions)> {
        ways.into_iter().map(|(way, command)| (way, self.by(way, command))).collect()
    }

    /// The same options with another way to explore.
    pub(super) fn by(&self, way: Way, command: String) -> CheckOptions {
        let mut options = self.clone();
        let Way { algorithm, equivalence } = way;
        let jobs = if algorithm.is_parallel() { options.search.jobs } else { 1 };
        (options.search.algorithm, options.search.equivalence, options.search.jobs) =
            (algorithm, equivalence, jobs);
        let setup = &mut options.output.setup;
        (setup.algorithm, setup.equivalence) = (algorithm.name().to_string(), equivalence.name().to_string());
        (setup.jobs, setup.command) = (jobs, command);
        options
    }
}
