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
pub(crate) fn have_part_stores<'a>(executions: impl IntoIterator<Item = &'a Canonical>) -> bool {
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

/// The histories on the machine of `model` that works by bytes; `None` if it has more than `limit` states.
///
/// # Panics
/// If there is no such machine, or it rejects the program.
pub fn expected_histories(
    program: &dyn Program,
    (model, mapping): (&str, Mapping),
    limit: usize,
) -> Option<BTreeSet<ReadHistory>> {
    let machine = match model {
        "sc" => MachineKind::Sc,
        "tso" => MachineKind::Tso,
        "pso" => MachineKind::Pso,
        model => panic!("no machine for {model}"),
    };
    match run_bytes(program, machine, mapping, limit) {
        Ok(expected) => Some(expected),
        Err(Refused::TooLarge { .. }) => None,
        Err(refused) => panic!("the machine refuses a program: {refused}"),
    }
}

/// Compares a search with the machine by bytes.
///
/// # Errors
/// The difference.
pub fn compare(expected: &BTreeSet<ReadHistory>, found: &Explored) -> Result<(), String> {
    let found = histories(found)?;
    let extra = found.difference(expected).next().map(|extra| format!("not possible by bytes: {extra:?}"));
    let missing = || expected.difference(&found).next().map(|missing| format!("missing: {missing:?}"));
    extra.or_else(missing).map_or(Ok(()), Err)
}
