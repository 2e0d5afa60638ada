//! Accesses of several sizes on machines with store buffers: compares a search with a machine whose memory consists of
//! bytes [ALGORITHMS §F.5].
//!
//! Searches that run the machine make one event of a store to a part of a location; the oracle and TruSt make two. So
//! executions are compared by what every thread has read.

use atropos_event::{Mapping, Program};
use atropos_graph::Canonical;
use atropos_testkit::Explored;
use atropos_testkit::oracle::{MachineKind, ReadHistory, Refused, history_of, run_bytes};
use std::collections::BTreeSet;

/// Whether some execution stores to a part of a location.
pub fn have_part_stores<'a>(executions: impl IntoIterator<Item = &'a Canonical>) -> bool {
    executions.into_iter().any(|execution| execution.events().any(|(_, event)| event.label.is_merge()))
}

/// The histories of all executions that a search has found.
///
/// # Errors
/// What is wrong with the search by itself: its complaints, and executions that it has visited twice.
pub fn histories(found: &Explored) -> Result<BTreeSet<ReadHistory>, String> {
    let all: Vec<_> = found.complete.iter().chain(&found.blocked).collect();
    let n_different = all.iter().collect::<BTreeSet<_>>().len();
    let complaint = found.refused.iter().chain(&found.complaints).next();
    match complaint {
        Some(complaint) => Err(complaint.clone()),
        None if n_different < all.len() => {
            Err(format!("{} of {} executions are visited again", all.len() - n_different, all.len()))
        }
        None => Ok(all.into_iter().map(history_of).collect()),
    }
}

/// Compares a search under `model` with the machine by bytes, which enters at most `limit` states. Returns whether that
/// was enough.
///
/// # Errors
/// The difference.
///
/// # Panics
/// If there is no such machine, or it rejects the program.
pub fn compare(
    program: &dyn Program,
    (model, mapping): (&str, Mapping),
    found: &Explored,
    limit: usize,
) -> Result<bool, String> {
    let machine = match model {
        "sc" => MachineKind::Sc,
        "tso" => MachineKind::Tso,
        "pso" => MachineKind::Pso,
        model => panic!("no machine for {model}"),
    };
    let expected = match run_bytes(program, machine, mapping, limit) {
        Ok(expected) => expected,
        Err(Refused::TooLarge { .. }) => return Ok(false),
        Err(refused) => panic!("the machine refuses a program: {refused}"),
    };
    let found = histories(found)?;
    let extra = found.difference(&expected).next().map(|extra| format!("not possible by bytes: {extra:?}"));
    let missing = || expected.difference(&found).next().map(|missing| format!("missing: {missing:?}"));
    extra.or_else(missing).map_or(Ok(true), Err)
}
