//! A violation that has been checked twice and can be shown.

use crate::arrange::Finals;
use crate::axioms::{self, is_interleaving};
use crate::misuse;
use crate::names::Names;
use crate::recheck::{IsLate, Recheck, Specification, recheck};
use crate::replay::{Replay, replay};
use crate::trace::{Blame, NameThread, Trace};
use crate::waiting::awaited;
use crate::witness::Witness;
use atropos_event::{Addr, Program, Run, SourceLocation, Step, Violation, ViolationKind};
use atropos_graph::{Graph, Slot};
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

/// What a violation is checked by, and how it is shown.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub specification: Specification<'a>,
    pub name_thread: NameThread<'a>,
    /// Whether the bytes at an address are those of a variable that outlives all threads.
    pub is_root: &'a dyn Fn(Addr) -> bool,
    pub is_late: IsLate<'a>,
}

/// Checks a violation independently, and makes what is shown of it.
///
/// # Errors
/// Where the check disagrees with the exploration: a bug in Atropos.
pub fn investigate<P: Program>(
    program: &P,
    witness: &Witness,
    violation: &Violation,
    context: Context<'_>,
) -> Result<Finding, String> {
    let Context { specification, is_late, .. } = context;
    let mut replayed = replay(program, witness)?;
    let waits = matches!(violation.kind, ViolationKind::Deadlock | ViolationKind::NonTermination);
    let waits = waits && !has_failed(&mut replayed, witness);
    let finals = if waits { awaited(&mut replayed, violation.kind)? } else { Finals::new() };
    if !waits {
        confirm_failure(&mut replayed, witness, violation)?;
    }
    let mut checked = recheck(&mut replayed, specification, witness.tracks_co, &finals, is_late)?;
    if !confirm_guilt(&replayed, witness, violation, context)? && checked == Recheck::Confirmed {
        checked = Recheck::ReplayedOnly;
    }
    let trace = show(program, &replayed.witness(witness, checked), context.name_thread, waits)?;
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

/// An execution in which no thread goes wrong, but which should not be there: that is what `claim` says of it.
///
/// # Errors
/// As for [`investigate`].
pub fn investigate_execution<P: Program>(
    program: &P,
    witness: &Witness,
    context: Context<'_>,
    claim: &dyn Fn(&Graph) -> Result<(), String>,
) -> Result<(Trace, Recheck), String> {
    let mut replayed = replay(program, witness)?;
    claim(&replayed.graph)?;
    let Context { specification, is_late, .. } = context;
    let checked = recheck(&mut replayed, specification, witness.tracks_co, &Finals::new(), is_late)?;
    let trace = show(program, &replayed.witness(witness, checked), context.name_thread, false)?;
    Ok((trace, checked))
}

/// The claim that sequential consistency does not have an execution.
///
/// # Errors
/// When it does.
pub fn is_weak(graph: &Graph) -> Result<(), String> {
    if is_interleaving(graph) { Err("the execution is sequentially consistent".to_string()) } else { Ok(()) }
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

/// Whether the guilty thread fails by itself: a thread that locks a mutex it holds is a deadlock all alone.
fn has_failed<R: Run>(replay: &mut Replay<R>, witness: &Witness) -> bool {
    let thread = witness.thread.and_then(|thread| replay.thread(thread));
    thread.is_some_and(|thread| replay.run.pending(thread) == Step::Failed)
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
    match replay.run.pending(thread) {
        Step::Failed => {
            let again = replay.run.violation(thread);
            if again == *violation { Ok(()) } else { Err(format!("the thread fails with {again:?}")) }
        }
        step => Err(format!("the guilty thread does not go wrong again: {step:?}")),
    }
}

/// The guilty events must show what they are said to show. The answer is `false` if that would take too long to find
/// out.
fn confirm_guilt<R: Run>(
    replay: &Replay<R>,
    witness: &Witness,
    violation: &Violation,
    context: Context<'_>,
) -> Result<bool, String> {
    let graph = &replay.graph;
    let guilty: Vec<Slot> =
        witness.guilty.iter().map(|&event| replay.slot(witness.graph.slot_of(event))).collect();
    let is_known = axioms::happens_before(&context.specification.model.name).is_some();
    match violation.kind {
        ViolationKind::Flag => confirm_flag(graph, violation, context.specification),
        _ if guilty.is_empty() => Ok(true),
        ViolationKind::Leak => misuse::judge_leak(graph, guilty[0], context.is_root).map(|()| true),
        ViolationKind::Race if !is_known => confirm_flag(graph, violation, context.specification),
        kind => {
            let judged = context
                .specification
                .with_hb(graph, |is_before| misuse::judge(graph, is_before, kind, &guilty));
            judged.map_or(Ok(false), |judged| judged.map(|()| true))
        }
    }
}

/// The model must raise the flag again. The answer is `false` if that would take too long to find out.
fn confirm_flag(
    graph: &Graph,
    violation: &Violation,
    specification: Specification<'_>,
) -> Result<bool, String> {
    let Specification { model, mapping } = specification;
    if !specification.may_ask_cat(graph) {
        return Ok(false);
    }
    let raised = model.flags(&structure(graph, mapping)).map_err(|error| error.to_string())?;
    let is_named = |name: &str| match violation.kind {
        ViolationKind::Race => name == "race",
        _ => Violation::flag(name) == *violation,
    };
    match raised.into_iter().any(is_named) {
        true => Ok(true),
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
