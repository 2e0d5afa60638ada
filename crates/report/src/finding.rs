//! A violation that has been checked twice and can be shown.

use crate::names::Names;
use crate::recheck::{IsLate, Recheck, Specification, is_race, recheck};
use crate::replay::{Replay, replay};
use crate::trace::{Blame, NameThread, Trace};
use crate::witness::Witness;
use atropos_event::{Label, Program, Run, SourceLocation, Step, Violation, ViolationKind};
use atropos_graph::Slot;
use atropos_model::structure::structure;

/// One violation, as shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// [`ViolationKind::name`], [`Finding::CONDITION`] or [`Finding::ROBUSTNESS`].
    pub kind: String,
    pub message: String,
    pub location: Option<SourceLocation>,
    /// The execution that leads there; `None` when the point is that there is none.
    pub trace: Option<Trace>,
    pub recheck: Recheck,
    /// How often it was met; other executions with the same violation are not shown.
    pub count: u64,
}

impl Finding {
    /// The kind of a litmus test's condition that does not hold.
    pub const CONDITION: &'static str = "condition";
    /// The kind of an execution that sequential consistency does not have, where they are looked for.
    pub const ROBUSTNESS: &'static str = "robustness";
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
    is_late: IsLate<'_>,
) -> Result<Finding, String> {
    let mut replayed = replay(program, witness)?;
    confirm_failure(&mut replayed, witness, violation)?;
    let checked = recheck(&mut replayed, specification, witness.tracks_co, is_late)?;
    if violation.kind == ViolationKind::Race && checked == Recheck::Confirmed {
        confirm_race(&replayed, witness, specification)?;
    }
    if violation.kind == ViolationKind::Flag && checked == Recheck::Confirmed {
        confirm_flag(&replayed, violation, specification)?;
    }
    let waiting = matches!(violation.kind, ViolationKind::Deadlock | ViolationKind::NonTermination);
    let trace = show(program, &replayed.witness(witness, checked), name_thread, waiting)?;
    Ok(Finding {
        kind: violation.kind.name().to_string(),
        message: in_words(program, &replayed, witness, &violation.message),
        location: guilty_location(&trace),
        trace: Some(trace),
        recheck: checked,
        count: 1,
    })
}

/// The message, with dynamic objects called as in the trace.
fn in_words<P: Program>(
    program: &P,
    replay: &Replay<P::Run<'_>>,
    witness: &Witness,
    message: &str,
) -> String {
    let graph = &replay.graph;
    let guilty = witness.guilty.iter().map(|&event| replay.slot(witness.graph.slot_of(event)));
    let thread = witness.thread.and_then(|thread| replay.thread(thread));
    let last = thread.and_then(|thread| graph.last_of(thread));
    let events: Vec<_> = guilty.chain(last).map(|slot| graph.event(slot)).collect();
    Names::of(program, graph, &replay.places).translate(message, &events)
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
    is_late: IsLate<'_>,
) -> Result<(Trace, Recheck), String> {
    let mut replayed = replay(program, witness)?;
    let checked = recheck(&mut replayed, specification, witness.tracks_co, is_late)?;
    let trace = show(program, &replayed.witness(witness, checked), name_thread, false)?;
    Ok((trace, checked))
}

/// Replays what has been checked, now that a coherence order is known, and reads the trace off it: with that
/// order, events may be shown as an interleaving. `waiting` says whether threads that wait are to blame.
fn show<P: Program>(
    program: &P,
    witness: &Witness,
    name_thread: NameThread<'_>,
    waiting: bool,
) -> Result<Trace, String> {
    let mut replay = replay(program, witness)?;
    let slots = witness.guilty.iter().map(|&event| replay.slot(witness.graph.slot_of(event)));
    let blame = Blame {
        events: slots.map(|slot| replay.graph.event(slot).id).collect(),
        thread: witness.thread.and_then(|thread| replay.thread(thread)),
        waiting,
        shows_co: witness.tracks_co,
    };
    Ok(Trace::of(&mut replay, program, name_thread, &blame))
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
        Step::Do(Label::Join { child }) if waits && !replay.graph.has_ended(child) => Ok(()),
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

fn confirm_flag<R: Run>(
    replay: &Replay<R>,
    violation: &Violation,
    Specification { model, mapping }: Specification<'_>,
) -> Result<(), String> {
    let raised = model.flags(&structure(&replay.graph, mapping)).map_err(|error| error.to_string())?;
    match raised.into_iter().any(|name| Violation::flag(name) == *violation) {
        true => Ok(()),
        false => Err(format!("{} does not raise the flag", model.name)),
    }
}

/// Where the last guilty event stands, or the thread that is stuck.
fn guilty_location(trace: &Trace) -> Option<SourceLocation> {
    let stuck = trace.threads.iter().filter_map(|thread| thread.stop.as_ref());
    let stuck = stuck.filter(|stop| stop.is_guilty).map(|stop| &stop.place);
    let events = trace.events.iter().filter(|event| event.is_guilty).map(|event| &event.place);
    events.chain(stuck).filter_map(|place| place.source.clone()).next_back()
}
