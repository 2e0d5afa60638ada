//! A violation that has been checked twice and can be shown.

use crate::recheck::{Recheck, Specification, is_race, recheck};
use crate::replay::{Replay, replay};
use crate::trace::{Blame, NameThread, Trace};
use crate::witness::Witness;
use atropos_event::{Program, Run, SourceLocation, Step, Violation, ViolationKind};
use atropos_graph::Slot;

/// One violation, as shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// [`ViolationKind::name`], or `condition` for a litmus test's expectation.
    pub kind: String,
    pub message: String,
    pub location: Option<SourceLocation>,
    /// The execution that leads there; `None` when the point is that there is none.
    pub trace: Option<Trace>,
    pub recheck: Recheck,
    /// How often it was met; other executions with the same violation are not shown.
    pub count: u64,
}

/// Checks a violation independently, and makes what is shown of it.
///
/// # Errors
/// Where the check disagrees with the exploration: a bug in Atropos.
pub fn investigate<P: Program>(
    program: &P,
    witness: &Witness,
    violation: &Violation,
    specification: Specification<'_>,
    name_thread: NameThread<'_>,
) -> Result<Finding, String> {
    let mut replay = replay(program, witness)?;
    confirm_failure(&mut replay, witness, violation)?;
    let checked = recheck(&mut replay, specification, witness.tracks_co)?;
    if violation.kind == ViolationKind::Race {
        confirm_race(&replay, witness, specification)?;
    }
    let trace = show(&mut replay, program, witness, name_thread, violation.kind, checked);
    Ok(Finding {
        kind: violation.kind.name().to_string(),
        message: violation.message.clone(),
        location: guilty_location(&trace),
        trace: Some(trace),
        recheck: checked,
        count: 1,
    })
}

/// An execution in which nothing goes wrong, but which should not be there: of a litmus test whose condition
/// does not hold.
///
/// # Errors
/// As for [`investigate`].
pub fn investigate_execution<P: Program>(
    program: &P,
    witness: &Witness,
    specification: Specification<'_>,
    name_thread: NameThread<'_>,
) -> Result<(Trace, Recheck), String> {
    let mut replay = replay(program, witness)?;
    let checked = recheck(&mut replay, specification, witness.tracks_co)?;
    let shows_co = witness.tracks_co || checked == Recheck::Confirmed;
    let blame = Blame { shows_co, ..Blame::default() };
    Ok((Trace::of(&mut replay, program, name_thread, &blame), checked))
}

fn show<R: Run>(
    replay: &mut Replay<R>,
    program: &impl Program,
    witness: &Witness,
    name_thread: NameThread<'_>,
    kind: ViolationKind,
    checked: Recheck,
) -> Trace {
    let slots = witness.guilty.iter().map(|&event| replay.slot(witness.graph.slot_of(event)));
    let blame = Blame {
        events: slots.map(|slot| replay.graph.event(slot).id).collect(),
        thread: witness.thread.and_then(|thread| replay.thread(thread)),
        waiting: matches!(kind, ViolationKind::Deadlock | ViolationKind::NonTermination),
        shows_co: witness.tracks_co || checked == Recheck::Confirmed,
    };
    Trace::of(replay, program, name_thread, &blame)
}

/// A thread that is said to fail by itself must do so in the replay, and in the same way.
fn confirm_failure<R: Run>(
    replay: &mut Replay<R>,
    witness: &Witness,
    violation: &Violation,
) -> Result<(), String> {
    let Some(thread) = witness.thread.filter(|_| witness.guilty.is_empty()) else { return Ok(()) };
    let Some(thread) = replay.thread(thread) else {
        return Err("the guilty thread does not exist".to_string());
    };
    let waits = matches!(violation.kind, ViolationKind::Deadlock | ViolationKind::NonTermination);
    match replay.run.pending(thread) {
        Step::Failed if !waits => {
            let again = replay.run.violation(thread);
            if again == *violation { Ok(()) } else { Err(format!("the thread fails with {again:?}")) }
        }
        Step::Blocked(_) if waits => Ok(()),
        step => Err(format!("the guilty thread does not go wrong again: {step:?}")),
    }
}

fn confirm_race<R: Run>(
    replay: &Replay<R>,
    witness: &Witness,
    specification: Specification<'_>,
) -> Result<(), String> {
    let [first, second] = witness.guilty[..] else { return Err("a race is between two events".to_string()) };
    let [first, second]: [Slot; 2] = [first, second].map(|event| replay.slot(witness.graph.slot_of(event)));
    match is_race(&replay.graph, specification, first, second) {
        Some(false) => Err(format!("the accesses are ordered by hb of {}", specification.model.name)),
        Some(true) | None => Ok(()),
    }
}

/// Where the last guilty event stands, or the thread that is stuck.
fn guilty_location(trace: &Trace) -> Option<SourceLocation> {
    let stuck = trace.threads.iter().filter_map(|thread| thread.stop.as_ref());
    let stuck = stuck.filter(|stop| stop.is_guilty).map(|stop| &stop.place);
    let events = trace.events.iter().filter(|event| event.is_guilty).map(|event| &event.place);
    events.chain(stuck).filter_map(|place| place.source.clone()).next_back()
}
