//! The second half of the independent check: compares the replayed graph with the model's specification.
//!
//! The cat file judges a small graph. That takes the cube of the number of events, so a large graph is judged by the
//! same axioms on sparse relations, in linear time ([`crate::axioms`]). Up to `rf` the graph has no coherence order.
//! Those of [`crate::arrange`] are tried first. Then a search adds events one by one, each write at every place of
//! its location's order until the prefix is accepted. Models are prefix-closed and allow a write to come last, so
//! there is little backtracking. If this exceeds [`MOST_WORK`], the graph counts as not checked, and the report says
//! so.

use crate::arrange::{self, CoherenceOrders, Finals};
use crate::axioms::{self, AxiomClocks};
use crate::misuse::IsBefore;
use crate::replay::Replay;
use atropos_cat::Model;
use atropos_cat::bridge::{Numbering, structure};
use atropos_event::Mapping;
use atropos_graph::{Event, Graph, LocId, Outcome};

/// The limit of the evaluation: a second or two. The cat file takes n³ for a graph of n events.
const MOST_WORK: u64 = 20_000_000_000;
/// The maximum cost at which the cat file is used although there is a faster way.
const WORK_FOR_CAT: u64 = 1_000_000_000;
/// The cost of one event for the faster way.
const WORK_PER_EVENT: u64 = 200;
/// The number of clock entries that fit into memory.
const MOST_ENTRIES: usize = 250_000_000;

/// What an execution must satisfy.
#[derive(Clone, Copy, Debug)]
pub struct Specification<'a> {
    pub model: &'a Model,
    pub mapping: Mapping,
}

/// Returns whether time is up: then slow steps are left out.
pub type IsLate<'a> = &'a dyn Fn() -> bool;

/// How far a violation has been checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recheck {
    /// It was replayed and judged again, and the model allows the execution.
    Confirmed,
    /// It was replayed and judged again; checking the execution against the model would take too long.
    ReplayedOnly,
    /// A limit was hit before it was checked again.
    CutShort,
}

/// Checks that the replayed graph is consistent, with the writes of `finals` the last ones of their locations. If
/// coherence is not tracked, gives the graph a suitable order, if it finds one.
///
/// # Errors
/// What the specification objects to.
pub fn recheck(
    replay: &mut Replay<'_>,
    specification: Specification<'_>,
    tracks_co: bool,
    finals: &Finals,
    is_late: IsLate<'_>,
) -> Result<Recheck, String> {
    let graph = &mut replay.graph;
    let answer = if tracks_co {
        if !arrange::are_last(graph, finals) {
            return Err("a value that is waited for is not the last one".to_string());
        }
        specification.judge(graph)?
    } else {
        specification.arrange(graph, finals, is_late)?
    };
    match answer {
        Answer::Consistent => Ok(Recheck::Confirmed),
        Answer::GaveUp if is_late() => Ok(Recheck::CutShort),
        Answer::GaveUp => Ok(Recheck::ReplayedOnly),
        Answer::Violates(axiom) => {
            Err(format!("the execution violates the axiom `{axiom}` of {}", specification.model.name))
        }
    }
}

enum Answer {
    Consistent,
    /// The axiom that the last attempt violated.
    Violates(String),
    GaveUp,
}

impl Specification<'_> {
    /// The happens-before relation by which races and the use of memory are judged, handed to `ask`; `None` if it would
    /// take too long to compute.
    pub(crate) fn with_hb<T>(self, graph: &Graph, ask: impl FnOnce(IsBefore<'_>) -> T) -> Option<T> {
        if let Some(clocks) = self.clocks(graph) {
            return Some(ask(&|first, second| clocks.contains(second, graph.event(first).id)));
        }
        if cat_work(graph) > MOST_WORK || axioms::happens_before(&self.model.name).is_some() {
            return None;
        }
        let (structure, numbering) = (structure(graph, self.mapping), Numbering::of(graph));
        let hb = self.model.eval(&structure, "hb").or_else(|_| self.model.eval(&structure, "porf")).ok()?;
        Some(ask(&|first, second| {
            let [first, second] = [first, second].map(|slot| numbering.number(LocId::NONE, slot));
            hb.contains(first, second)
        }))
    }

    /// Whether the cat file can judge a graph of this size.
    pub(crate) fn may_ask_cat(self, graph: &Graph) -> bool {
        cat_work(graph) <= MOST_WORK
    }

    fn clocks(self, graph: &Graph) -> Option<AxiomClocks> {
        let relation = axioms::happens_before(&self.model.name)?;
        if !fits(graph) {
            return None;
        }
        let order = axioms::porf_order(graph)?;
        let order: Vec<u32> = order.into_iter().map(|slot| slot.index() as u32).collect();
        Some(AxiomClocks::of(graph, relation, &order))
    }

    /// Whether the graph is consistent with its present order.
    fn judge(self, graph: &Graph) -> Result<Answer, String> {
        let quick = self.judge_quickly(graph);
        if cat_work(graph) <= if quick.is_some() { WORK_FOR_CAT } else { MOST_WORK } {
            return self.ask_cat(graph);
        }
        Ok(quick.unwrap_or(Answer::GaveUp))
    }

    /// Like [`Specification::judge`], in linear time; `None` for unknown models.
    fn judge_quickly(self, graph: &Graph) -> Option<Answer> {
        if !fits(graph) {
            return Some(Answer::GaveUp);
        }
        match axioms::violated(graph, &self.model.name, self.mapping) {
            Ok(None) => Some(Answer::Consistent),
            Ok(Some(axiom)) => Some(Answer::Violates(axiom.to_string())),
            Err(axioms::NotKnown) => None,
        }
    }

    fn ask_cat(self, graph: &Graph) -> Result<Answer, String> {
        match self.model.check(&structure(graph, self.mapping)) {
            Ok(atropos_cat::Consistency::Consistent) => Ok(Answer::Consistent),
            Ok(atropos_cat::Consistency::Violated(violation)) => Ok(Answer::Violates(violation.axiom)),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Gives the graph a coherence order that makes it consistent.
    fn arrange(self, graph: &mut Graph, finals: &Finals, is_late: IsLate<'_>) -> Result<Answer, String> {
        if let Some(arranged) = self.arrange_quickly(graph, finals, is_late)? {
            *graph = arranged;
            return Ok(Answer::Consistent);
        }
        let mut search = CoherenceSearch::new(self, graph, finals, is_late);
        let answer = match search.run()? {
            Answer::Consistent => self.judge(&search.graph)?,
            answer => return Ok(answer),
        };
        *graph = search.graph;
        Ok(answer)
    }

    /// The graph with the first of the simple orders that makes it consistent. An interleaving is the easiest to read.
    fn arrange_quickly(
        self,
        graph: &Graph,
        finals: &Finals,
        is_late: IsLate<'_>,
    ) -> Result<Option<Graph>, String> {
        let clocks = self.clocks(graph);
        let as_added = || {
            let locs = (0..graph.locations().len()).map(LocId::new);
            Some(locs.map(|loc| (loc, graph.location(loc).co.clone())).collect())
        };
        let forced = || arrange::forced(graph, clocks.as_ref()?, finals);
        let interleaved = || arrange::interleaved(graph, finals);
        let ideas: [&dyn Fn() -> Option<CoherenceOrders>; 3] = [&interleaved, &as_added, &forced];
        let mut arranged = graph.clone();
        for idea in ideas {
            if is_late() {
                break;
            }
            for (loc, order) in idea().into_iter().flatten() {
                arranged.set_co(loc, &order);
            }
            if arrange::are_last(&arranged, finals)
                && matches!(self.judge_quickly(&arranged), None | Some(Answer::Consistent))
                && matches!(self.judge(&arranged)?, Answer::Consistent)
            {
                return Ok(Some(arranged));
            }
        }
        Ok(None)
    }
}

fn cat_work(graph: &Graph) -> u64 {
    (graph.len() as u64).saturating_pow(3)
}

/// Whether clocks of all events fit into memory.
fn fits(graph: &Graph) -> bool {
    graph.len().saturating_mul(graph.n_threads()) <= MOST_ENTRIES
}

/// The search for a coherence order.
struct CoherenceSearch<'a> {
    specification: Specification<'a>,
    finals: &'a Finals,
    /// The events by slot; their own coherence order has no meaning.
    events: Vec<Event>,
    initial: Vec<atropos_event::Initial>,
    /// The first events, with a coherence order.
    graph: Graph,
    work_left: u64,
    is_late: IsLate<'a>,
    /// The axiom that the last attempt violated.
    axiom: String,
}

/// The search takes too long.
struct GaveUp;

impl<'a> CoherenceSearch<'a> {
    fn new(specification: Specification<'a>, graph: &Graph, finals: &'a Finals, is_late: IsLate<'a>) -> Self {
        CoherenceSearch {
            specification,
            finals,
            events: graph.events().to_vec(),
            initial: graph.locations().iter().map(|location| location.initial).collect(),
            graph: Graph::new(false),
            work_left: MOST_WORK,
            is_late,
            axiom: "progress".to_string(),
        }
    }

    /// Adds all events, each write at the last accepted place; if there is none, goes back to the previous write.
    fn run(&mut self) -> Result<Answer, String> {
        let mut places: Vec<u32> = Vec::new();
        let mut highest = None;
        loop {
            let placed = match self.events.get(places.len()).copied() {
                Some(event) => match self.place(event, highest)? {
                    Ok(placed) => placed,
                    Err(GaveUp) => return Ok(Answer::GaveUp),
                },
                None if arrange::are_last(&self.graph, self.finals) => return Ok(Answer::Consistent),
                None => None,
            };
            highest = None;
            if let Some(place) = placed {
                places.push(place);
                continue;
            }
            while highest.is_none() {
                let Some(place) = places.pop() else { return Ok(Answer::Violates(self.axiom.clone())) };
                self.graph.pop();
                highest = (place > 1).then(|| place - 1);
            }
        }
    }

    /// Adds an event; a write gets the highest accepted place, `highest` or below.
    fn place(&mut self, event: Event, highest: Option<u32>) -> Result<Result<Option<u32>, GaveUp>, String> {
        let loc = match event.label.access() {
            Some(access) => {
                let initial = self.initial[event.loc.index()];
                self.graph.locate(access, || initial).expect("the same locations as in the replay")
            }
            None => LocId::NONE,
        };
        let (lowest, last) =
            if event.is_write() { (1, self.graph.location(loc).co.len() as u32) } else { (0, 0) };
        for co in (lowest..=highest.unwrap_or(last).min(last)).rev() {
            let Event { rf, value, before, .. } = event;
            self.graph.add(event.id.thread(), event.label, loc, Outcome { rf, co, value, before });
            // A plain write that comes last, or an event without an access, keeps any graph consistent.
            let is_safe = !event.is_read() && co == last && !event.exclusive;
            match if is_safe { Answer::Consistent } else { self.judge()? } {
                Answer::Consistent => return Ok(Ok(Some(co))),
                Answer::Violates(axiom) => self.axiom = axiom,
                Answer::GaveUp => return Ok(Err(GaveUp)),
            }
            self.graph.pop();
        }
        Ok(Ok(None))
    }

    fn judge(&mut self) -> Result<Answer, String> {
        let is_quick = axioms::is_known(&self.specification.model.name);
        let work = if is_quick { WORK_PER_EVENT * self.graph.len() as u64 } else { cat_work(&self.graph) };
        if work > self.work_left || (self.is_late)() {
            return Ok(Answer::GaveUp);
        }
        self.work_left -= work;
        match self.specification.judge_quickly(&self.graph) {
            Some(answer) => Ok(answer),
            None => self.specification.ask_cat(&self.graph),
        }
    }
}
