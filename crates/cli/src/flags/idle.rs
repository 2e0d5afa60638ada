//! When an option of `atropos check` has no effect, as the rest of a sentence that begins with the option.

use super::CheckRequest;
use crate::args::{Color, Format};
use crate::input::ProgramKind;
use crate::models::Model;
use atropos_explore::catalogue::{Algorithm, Equivalence, ModelName};
use atropos_explore::{Reduction, Reductions};

pub(super) fn never(_: &CheckRequest<'_>) -> Option<String> {
    None
}

pub(super) fn in_replays(asked: &CheckRequest<'_>) -> Option<String> {
    let reason = "has no effect on a replay, which is of one given execution";
    asked.args.search.replay.as_ref().map(|_| reason.to_string())
}

pub(super) fn unless_trust(asked: &CheckRequest<'_>) -> Option<String> {
    if let Some(reason) = in_replays(asked) {
        return Some(reason);
    }
    let name = asked.algorithm.name();
    (asked.algorithm != Algorithm::Trust)
        .then(|| format!("is for trust: {name} has a fixed equivalence for each model"))
}

pub(super) fn unless_rvf(asked: &CheckRequest<'_>) -> Option<String> {
    let name = asked.algorithm.name();
    (asked.algorithm != Algorithm::Rvf).then(|| format!("is for rvf: {name} has no such heuristics"))
}

pub(super) fn under_rvf(asked: &CheckRequest<'_>) -> Option<String> {
    let reason = "is not for rvf, which visits only one of the executions with the same values";
    (asked.algorithm == Algorithm::Rvf).then(|| reason.to_string())
}

pub(super) fn under_language_models(asked: &CheckRequest<'_>) -> Option<String> {
    let name = asked.model.name();
    asked
        .model
        .is_language()
        .then(|| format!("is for sc, tso, pso and FILE.cat: {name} defines what C11's orders mean"))
}

pub(super) fn unless_rc11(asked: &CheckRequest<'_>) -> Option<String> {
    let name = asked.model.name();
    (*asked.model != Model::Builtin(ModelName::Rc11)).then(|| format!("is for rc11, not for {name}"))
}

pub(super) fn unless_buffered_up_to_co(asked: &CheckRequest<'_>) -> Option<String> {
    if !matches!(asked.model, Model::Builtin(ModelName::Tso | ModelName::Pso)) {
        return Some(format!("is for tso and pso, not for {}", asked.model.name()));
    }
    let reason = "needs --equivalence co: coherence decides whether sc allows an execution";
    (asked.args.search.equivalence == Some(Equivalence::Rf)).then(|| reason.to_string())
}

pub(super) fn where_nothing_is_reduced(asked: &CheckRequest<'_>) -> Option<String> {
    let has =
        |reduction| asked.args.search.reduce.as_ref().is_some_and(|given: &Reductions| given.has(reduction));
    let of_trust = [Reduction::Symmetry, Reduction::Rmws, Reduction::Barriers, Reduction::Locks];
    let of_trust = of_trust.into_iter().find(|&reduction| has(reduction));
    let retries = has(Reduction::Await);
    let name = asked.algorithm.name();
    match () {
        () if of_trust.is_none() && !retries => None,
        () if matches!(asked.model, Model::Custom(_)) => {
            Some("must be none for FILE.cat: what is left out might matter to it".to_string())
        }
        () if asked.args.search.check_robustness => {
            Some("must be none with --check-robustness: what is left out might not be robust".to_string())
        }
        () if !retries && asked.algorithm != Algorithm::Trust => of_trust
            .map(|reduction| format!("{} is for trust: {name} has no such reduction", reduction.name())),
        () => None,
    }
}

pub(super) fn in_litmus_tests(asked: &CheckRequest<'_>) -> Option<String> {
    let reason = "has no effect on a litmus test, which has no entry function";
    matches!(asked.kind, ProgramKind::Litmus(_)).then(|| reason.to_string())
}

pub(super) fn unless_c(asked: &CheckRequest<'_>) -> Option<String> {
    let file = asked.args.file.display();
    (asked.kind != ProgramKind::C).then(|| format!("is for C and C++ programs, and {file} is not one"))
}

pub(super) fn several_of_a_sequential_search(asked: &CheckRequest<'_>) -> Option<String> {
    if asked.args.search.jobs.is_some_and(|jobs| jobs > 1)
        && let Some(reason) = in_replays(asked)
    {
        return Some(reason);
    }
    let is_idle = !asked.algorithm.is_parallel() && asked.args.search.jobs.is_some_and(|jobs| jobs > 1);
    is_idle.then(|| format!("must be 1: {} is sequential", asked.algorithm.name()))
}

pub(super) fn unless_in_parts(asked: &CheckRequest<'_>) -> Option<String> {
    let name = asked.algorithm.name();
    let output = &asked.args.output;
    let shown =
        [(output.print_executions, "print-executions"), (output.dump_graphs.is_some(), "dump-graphs")];
    let shown = shown.into_iter().find(|(is_given, _)| *is_given);
    in_replays(asked)
        .or_else(|| {
            shown.map(|(_, other)| format!("cannot be used with --{other}, which shows every execution"))
        })
        .or_else(|| {
            let reason =
                format!("is for trust and tracer: a search of {name} cannot be continued by another process");
            (!asked.algorithm.has_text_parts()).then_some(reason)
        })
}

pub(super) fn unless_replayed(asked: &CheckRequest<'_>) -> Option<String> {
    let is_replay = asked.args.search.replay.is_some();
    (!is_replay)
        .then(|| "needs --replay FILE, which says what to show".to_string())
        .or_else(|| in_json(asked))
}

pub(super) fn unless_memory_is_known(_: &CheckRequest<'_>) -> Option<String> {
    let is_known = crate::resources::rss_mib("self").is_some();
    (!is_known).then(|| "needs Linux: Atropos cannot measure its memory here".to_string())
}

pub(super) fn in_json(asked: &CheckRequest<'_>) -> Option<String> {
    let reason = "needs --format human: with json, the output is one object and nothing else";
    (asked.args.output.format == Format::Json).then(|| reason.to_string())
}

pub(super) fn verbose_in_json(asked: &CheckRequest<'_>) -> Option<String> {
    let reason = "needs --format human: the JSON object already contains everything";
    let is_idle = asked.args.output.format == Format::Json && asked.args.output.verbose == 1;
    is_idle.then(|| reason.to_string())
}

pub(super) fn always_in_json(asked: &CheckRequest<'_>) -> Option<String> {
    let is_idle = asked.args.output.format == Format::Json && asked.args.output.color == Color::Always;
    is_idle.then(|| "always needs --format human".to_string())
}
