//! The second half of the independent check: the replayed graph against the model's specification.
//!
//! Up to `rf` the graph has no coherence order. Then one is searched for, by adding the events one by one, each
//! write at every place of its location's order until the cat file accepts the prefix. Models are prefix-closed
//! and allow a write to come last, so there is little to take back; still it may take long, and a large graph
//! takes long even with its coherence. Past [`MOST_WORK`] the answer is that the graph was not checked, and the
//! report says so.

use crate::replay::Replay;
use atropos_cat::Model;
use atropos_event::{Mapping, Run};
use atropos_graph::{Event, Graph, LocId, Outcome, Slot};
use atropos_model::structure::{Numbering, structure};

/// How much is evaluated before giving up: a second or two. Evaluating a graph of n events costs n³.
const MOST_WORK: u64 = 20_000_000_000;

/// What an execution has to satisfy.
#[derive(Clone, Copy, Debug)]
pub struct Specification<'a> {
    pub model: &'a Model,
    pub mapping: Mapping,
}

/// Asks whether time is up: then whatever takes long is left out.
pub type IsLate<'a> = &'a dyn Fn() -> bool;

/// How far a violation has been checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recheck {
    /// It was replayed, and the cat file accepts the execution.
    Confirmed,
    /// It was replayed; asking the cat file would take too long.
    ReplayedOnly,
    /// A limit was hit before it was checked once more.
    CutShort,
}

/// Is the replayed graph consistent? Where coherence is not tracked, the graph is given an order that makes it
/// so, if one is found.
///
/// # Errors
/// What the specification says against it.
pub fn recheck<R: Run>(
    replay: &mut Replay<R>,
    specification: Specification<'_>,
    tracks_co: bool,
    is_late: IsLate<'_>,
) -> Result<Recheck, String> {
    let graph = Graph::new(false);
    let mut search = Search { specification, events: &replay.graph, graph, work_left: MOST_WORK, is_late };
    if tracks_co {
        search.graph = replay.graph.clone();
    }
    let answer = if tracks_co { search.judge()? } else { search.extend(0)? };
    match answer {
        Answer::Consistent => {
            replay.graph = search.graph;
            Ok(Recheck::Confirmed)
        }
        Answer::GaveUp if is_late() => Ok(Recheck::CutShort),
        Answer::GaveUp => Ok(Recheck::ReplayedOnly),
        Answer::Violates(axiom) => {
            Err(format!("the execution violates the axiom `{axiom}` of {}", specification.model.name))
        }
    }
}

/// Are the events at `first` and `second` unordered by the specification's `hb`? `None` where it has no `hb`. The
/// graph is small enough to be judged.
pub fn is_race(graph: &Graph, specification: Specification<'_>, first: Slot, second: Slot) -> Option<bool> {
    let hb = specification.model.eval(&structure(graph, specification.mapping), "hb").ok()?;
    let numbering = Numbering::of(graph);
    let [first, second] = [first, second].map(|slot| numbering.number(LocId::NONE, slot));
    Some(!hb.contains(first, second) && !hb.contains(second, first))
}

enum Answer {
    Consistent,
    /// The axiom that the last attempt has failed at.
    Violates(String),
    GaveUp,
}

/// The search for a coherence order.
struct Search<'a> {
    specification: Specification<'a>,
    /// Where the events come from; its own coherence order means nothing.
    events: &'a Graph,
    /// The first events, with a coherence order.
    graph: Graph,
    work_left: u64,
    is_late: IsLate<'a>,
}

impl Search<'_> {
    /// Adds the events from `index` on. Unless the answer is `Consistent`, the graph is as it was.
    fn extend(&mut self, index: usize) -> Result<Answer, String> {
        let Some(event) = self.events.events().get(index).copied() else { return Ok(Answer::Consistent) };
        let loc = match event.label.access() {
            Some(access) => {
                let initial = self.events.location(event.loc).initial;
                self.graph.locate(access, || initial).expect("the same locations as in the replay")
            }
            None => LocId::NONE,
        };
        let last = if event.is_write() { self.graph.location(loc).co.len() } else { 0 };
        let mut answer = Answer::GaveUp;
        for position in (usize::from(event.is_write())..=last).rev() {
            let (co, Event { rf, value, before, .. }) = (position as u32, event);
            self.graph.add(event.id.thread(), event.label, loc, Outcome { rf, co, value, before });
            // A plain write that comes last, and what is no access, keeps any graph consistent.
            let is_safe = !event.is_read() && position == last && !event.exclusive;
            answer = if is_safe { Answer::Consistent } else { self.judge()? };
            if matches!(answer, Answer::Consistent) {
                answer = self.extend(index + 1)?;
            }
            if !matches!(answer, Answer::Violates(_)) {
                return Ok(answer);
            }
            self.graph.pop();
        }
        Ok(answer)
    }

    fn judge(&mut self) -> Result<Answer, String> {
        let work = (self.graph.len() as u64).saturating_pow(3);
        if work > self.work_left || (self.is_late)() {
            return Ok(Answer::GaveUp);
        }
        self.work_left -= work;
        let Specification { model, mapping } = self.specification;
        match model.check(&structure(&self.graph, mapping)) {
            Ok(atropos_cat::Verdict::Consistent) => Ok(Answer::Consistent),
            Ok(atropos_cat::Verdict::Violated(violation)) => Ok(Answer::Violates(violation.axiom)),
            Err(error) => Err(error.to_string()),
        }
    }
}
