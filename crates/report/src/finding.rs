//! A violation that has been checked twice and can be shown.

use crate::arrange::Finals;
use crate::axioms::{self, is_interleaving};
use crate::label::EventKind;
use crate::misuse;
use crate::names::Names;
use crate::operands::operands;
use crate::recheck::{IsLate, Recheck, Specification, recheck};
use crate::replay::{Replay, replay, replay_part};
use crate::trace::{Blame, Trace};
use crate::unordered::{missing_link, synchronisation, unordered};
use crate::waiting::awaited;
use crate::witness::Witness;
use crate::words;
use atropos_cat::bridge::structure;
use atropos_event::{Label, Program, Run, SourceLocation, Step, Violation, ViolationKind};
use atropos_graph::{Graph, Slot};
use std::fmt;

/// The kinds of findings, with the names that scripts see ([`FindingKind::name`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FindingKind {
    Violation(ViolationKind),
    /// The condition of a litmus test does not hold.
    Condition,
    /// An execution that is not sequentially consistent, with `--check-robustness`.
    Robustness,
}

impl FindingKind {
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Violation(kind) => kind.name(),
            FindingKind::Condition => "condition",
            FindingKind::Robustness => "robustness",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is wrong, in words and for scripts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Description {
    pub kind: FindingKind,
    pub message: String,
    pub operands: serde_json::Value,
}

/// What is wrong with a set of executions, none of which goes wrong by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// A litmus test expects this many of its executions to satisfy its condition.
    Condition { expected: Expected, condition: String },
    /// Some executions of the model are not sequentially consistent.
    NotRobust { model: String },
}

/// How many executions are expected to satisfy a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    Some,
    None,
    All,
}

/// One violation to show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub description: Description,
    pub location: Option<SourceLocation>,
    /// The execution that leads there; `None` if there is none to show.
    pub trace: Option<Trace>,
    pub recheck: Recheck,
    /// The number of executions that have it; only one of them is shown.
    pub count: u64,
}

impl Description {
    /// Describes a violation of `program`, without looking at the execution of `witness`.
    pub fn of(program: &dyn Program, witness: &Witness, violation: &Violation) -> Description {
        Description::with(&Names::of_program(program), witness, violation)
    }

    fn with(names: &Names<'_>, witness: &Witness, violation: &Violation) -> Description {
        Description {
            kind: FindingKind::Violation(violation.kind()),
            message: words::sentence(violation, names),
            operands: operands(violation, names, &|thread| witness.rank(thread)),
        }
    }

    pub fn of_flaw(flaw: &Flaw) -> Description {
        let (kind, operands) = match flaw {
            Flaw::Condition { expected, condition } => {
                let expected = match expected {
                    Expected::Some => "some",
                    Expected::None => "none",
                    Expected::All => "all",
                };
                (FindingKind::Condition, serde_json::json!({ "expected": expected, "condition": condition }))
            }
            Flaw::NotRobust { model } => (FindingKind::Robustness, serde_json::json!({ "model": model })),
        };
        Description { kind, message: words::flaw_sentence(flaw), operands }
    }
}

/// How to check and show a violation.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub specification: Specification<'a>,
    pub is_late: IsLate<'a>,
}

/// Checks a violation independently, and prepares it for the report.
///
/// # Errors
/// The check disagrees with the exploration: a bug in Atropos.
pub fn investigate(
    program: &dyn Program,
    witness: &Witness,
    violation: &Violation,
    context: Context<'_>,
) -> Result<Finding, String> {
    let smaller =
        essential(witness, violation).map(|is_essential| replay_part(program, witness, &is_essential));
    let confirmed = smaller.and_then(|part| judge(program, witness, violation, context, part.ok()?).ok());
    confirmed.map_or_else(|| judge(program, witness, violation, context, replay(program, witness)?), Ok)
}

/// The events that lead to the violation: those before the guilty ones in `porf`, without which the model allows the
/// execution as well. `None` if all events may matter.
pub(crate) fn essential<'w>(
    witness: &'w Witness,
    violation: &Violation,
) -> Option<impl Fn(Slot) -> bool + 'w> {
    match violation.kind() {
        ViolationKind::Deadlock
        | ViolationKind::NonTermination
        | ViolationKind::Leak
        | ViolationKind::Flag => return None,
        _ => {}
    }
    let graph = &witness.graph;
    let mut ends: Vec<Slot> = witness.guilty.iter().map(|&event| graph.slot_of(event)).collect();
    if ends.is_empty() {
        ends.extend(graph.last_of(witness.thread?));
    }
    let leads_there = move |slot| ends.iter().any(|&end| slot == end || graph.is_in(graph.porf(end), slot));
    Some(move |slot: Slot| {
        let is_second_half = matches!(graph.event(slot).label, Label::Write { exclusive: true, .. });
        leads_there(slot) || is_second_half && graph.po_before(slot).is_some_and(&leads_there)
    })
}

/// Checks a replayed violation independently, and prepares it for the report.
fn judge(
    program: &dyn Program,
    witness: &Witness,
    violation: &Violation,
    context: Context<'_>,
    mut replayed: Replay<'_>,
) -> Result<Finding, String> {
    let Context { specification, is_late, .. } = context;
    let kind = violation.kind();
    let waits = matches!(kind, ViolationKind::Deadlock | ViolationKind::NonTermination);
    let finals = if waits { awaited(&mut replayed, kind)? } else { Finals::new() };
    if !waits {
        confirm_failure(&mut replayed, witness, violation)?;
    }
    let mut checked = recheck(&mut replayed, specification, witness.tracks_co, &finals, is_late)?;
    if !confirm_guilt(program, &replayed, witness, violation, specification)? && checked == Recheck::Confirmed
    {
        checked = Recheck::ReplayedOnly;
    }
    let shown = replayed.witness(witness, checked);
    let trace = show(program, &shown, specification, waits)?;
    let names = replayed.names(program);
    Ok(Finding {
        description: Description::with(&names, &shown, violation),
        location: guilty_location(&trace),
        trace: Some(trace),
        recheck: checked,
        count: 1,
    })
}

/// An execution in which no thread goes wrong, but which should not exist: `claim` confirms that.
///
/// # Errors
/// As for [`investigate`].
pub fn investigate_execution(
    program: &dyn Program,
    witness: &Witness,
    context: Context<'_>,
    claim: &dyn Fn(&Graph) -> Result<(), String>,
) -> Result<(Trace, Recheck), String> {
    let mut replayed = replay(program, witness)?;
    claim(&replayed.graph)?;
    let Context { specification, is_late, .. } = context;
    let checked = recheck(&mut replayed, specification, witness.tracks_co, &Finals::new(), is_late)?;
    let trace = show(program, &replayed.witness(witness, checked), specification, false)?;
    Ok((trace, checked))
}

/// Requires that the execution is not sequentially consistent.
///
/// # Errors
/// It is.
pub fn is_weak(graph: &Graph) -> Result<(), String> {
    if is_interleaving(graph) { Err("the execution is sequentially consistent".to_string()) } else { Ok(()) }
}

/// Replays the checked execution, now that a coherence order is known, and makes the trace: with that order, events
/// may be shown as an interleaving. `waiting` says whether waiting threads are to blame.
fn show(
    program: &dyn Program,
    witness: &Witness,
    specification: Specification<'_>,
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
    let mut trace = Trace::of(&mut replay, program, &blame);
    if is_language(&specification.model.name) {
        let guilty: Vec<Slot> = blame.events.iter().map(|&event| replay.graph.slot_of(event)).collect();
        specification.with_hb(&replay.graph, |is_before| {
            trace.synchronisation = synchronisation(&replay.graph, is_before);
            if let [first, second] = guilty[..]
                && !is_before(first, second)
                && !is_before(second, first)
            {
                trace.unordered = Some(unordered(&replay.graph, is_before, first, second));
            } else {
                // A read of the cycle does not see a write.
                let missed =
                    trace.cycle.iter().filter(|(read, _)| trace.events[*read].kind == EventKind::Read);
                trace.missing = missed
                    .map(|&(read, write)| (Slot::new(read), Slot::new(write)))
                    .find_map(|(read, write)| missing_link(&replay.graph, is_before, write, read));
            }
        });
    }
    Ok(trace)
}

/// Whether a model is one of a language, whose threads synchronise by what they read.
fn is_language(model: &str) -> bool {
    !matches!(model, "sc" | "tso" | "pso") && axioms::happens_before(model).is_some()
}

/// A thread that fails by itself must do so in the replay, in the same way.
fn confirm_failure(replay: &mut Replay<'_>, witness: &Witness, violation: &Violation) -> Result<(), String> {
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

/// The guilty events must show the violation. Returns `false` if checking that would take too long.
fn confirm_guilt(
    program: &dyn Program,
    replay: &Replay<'_>,
    witness: &Witness,
    violation: &Violation,
    specification: Specification<'_>,
) -> Result<bool, String> {
    let graph = &replay.graph;
    let guilty: Vec<Slot> =
        witness.guilty.iter().map(|&event| replay.slot(witness.graph.slot_of(event))).collect();
    let is_known = axioms::happens_before(&specification.model.name).is_some();
    match violation.kind() {
        ViolationKind::Flag => confirm_flag(graph, violation, specification),
        ViolationKind::Deadlock | ViolationKind::NonTermination => Ok(true),
        _ if guilty.is_empty() && witness.thread.is_none() => Err("nothing shows the violation".to_string()),
        // The thread has failed again.
        _ if guilty.is_empty() => Ok(true),
        ViolationKind::Leak => {
            misuse::judge_leak(graph, guilty[0], &|addr| program.is_global(addr)).map(|()| true)
        }
        ViolationKind::Race if !is_known => confirm_flag(graph, violation, specification),
        kind => {
            let judged =
                specification.with_hb(graph, |is_before| misuse::judge(graph, is_before, kind, &guilty));
            judged.map_or(Ok(false), |judged| judged.map(|()| true))
        }
    }
}

/// The model must raise the flag again. Returns `false` if checking that would take too long.
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
    let is_named = |name: &str| match violation {
        Violation::Flag { name: raised } => name == raised,
        _ => name == "race",
    };
    match raised.into_iter().any(is_named) {
        true => Ok(true),
        false => Err(format!("{} does not raise the flag", model.name)),
    }
}

/// The place of the last guilty event, or of the stuck thread.
fn guilty_location(trace: &Trace) -> Option<SourceLocation> {
    let stuck = trace.threads.iter().filter_map(|thread| thread.stop.as_ref());
    let stuck = stuck.filter(|stop| stop.is_guilty).map(|stop| &stop.place);
    let events = trace.events.iter().filter(|event| event.is_guilty).map(|event| &event.place);
    events.chain(stuck).filter_map(|place| place.source.clone()).next_back()
}
