//! The second half of the independent check: the replayed graph against the model's specification.
//!
//! Up to `rf` the graph has no coherence order, and the cat file is asked about every one that agrees with
//! program order, until one is consistent. There may be very many; past [`MOST_ORDERS`] the answer is that the
//! graph was not checked, and the report says so.

use crate::replay::Replay;
use atropos_cat::Model;
use atropos_event::{Label, Mapping, Run};
use atropos_graph::{Graph, LocId, Slot};
use atropos_model::structure::{Numbering, structure};

/// How many coherence orders are tried before giving up.
const MOST_ORDERS: usize = 2_000;

/// What an execution has to satisfy.
#[derive(Clone, Copy, Debug)]
pub struct Specification<'a> {
    pub model: &'a Model,
    pub mapping: Mapping,
}

/// How far a violation has been checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recheck {
    /// It was replayed, and the cat file accepts the execution.
    Confirmed,
    /// It was replayed; there are too many coherence orders to ask the cat file about.
    ReplayedOnly,
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
) -> Result<Recheck, String> {
    if tracks_co {
        return match first_violated(&replay.graph, specification)? {
            None => Ok(Recheck::Confirmed),
            Some(axiom) => {
                Err(format!("the execution violates the axiom `{axiom}` of {}", specification.model.name))
            }
        };
    }
    let mut search = Orders { graph: replay.graph.clone(), specification, n_left: MOST_ORDERS };
    let writes: Vec<Slot> =
        (0..replay.graph.len()).map(Slot::new).filter(|&slot| replay.graph.event(slot).is_write()).collect();
    match search.place(&writes)? {
        Found::Consistent => {
            replay.graph = search.graph;
            Ok(Recheck::Confirmed)
        }
        Found::GaveUp => Ok(Recheck::ReplayedOnly),
        Found::Nothing => Err(format!(
            "no coherence order makes the execution consistent with {}",
            specification.model.name
        )),
    }
}

fn first_violated(graph: &Graph, specification: Specification<'_>) -> Result<Option<String>, String> {
    let structure = structure(graph, specification.mapping);
    match specification.model.check(&structure) {
        Ok(atropos_cat::Verdict::Consistent) => Ok(None),
        Ok(atropos_cat::Verdict::Violated(violation)) => Ok(Some(violation.axiom)),
        Err(error) => Err(error.to_string()),
    }
}

/// Are the events at `first` and `second` unordered by the specification's `hb`? `None` where it has no `hb`.
pub fn is_race(graph: &Graph, specification: Specification<'_>, first: Slot, second: Slot) -> Option<bool> {
    let hb = specification.model.eval(&structure(graph, specification.mapping), "hb").ok()?;
    let numbering = Numbering::of(graph);
    let [first, second] = [first, second].map(|slot| numbering.number(LocId::NONE, slot));
    Some(!hb.contains(first, second) && !hb.contains(second, first))
}

enum Found {
    Consistent,
    Nothing,
    GaveUp,
}

/// The search for a coherence order. Writes are numbered in the total order; each in turn is tried at every
/// place among those before it, starting with the last, so that the first order tried is the total order.
struct Orders<'a> {
    graph: Graph,
    specification: Specification<'a>,
    n_left: usize,
}

impl Orders<'_> {
    fn place(&mut self, writes: &[Slot]) -> Result<Found, String> {
        let Some((&write, rest)) = writes.split_first() else { return self.judge() };
        let event = *self.graph.event(write);
        let home = self.graph.co_position(write);
        for position in (1..=home).rev() {
            self.graph.place(write, position);
            let found = if self.keeps_atomicity(write) { self.place(rest)? } else { Found::Nothing };
            if !matches!(found, Found::Nothing) {
                return Ok(found);
            }
            let earlier = self.graph.location(event.loc).co[position - 1];
            if !earlier.is_init() && self.graph.event(earlier).id.thread() == event.id.thread() {
                break;
            }
        }
        self.graph.place(write, home);
        Ok(Found::Nothing)
    }

    /// Does each exclusive write stand right behind its source, as far as `write` is concerned?
    fn keeps_atomicity(&self, write: Slot) -> bool {
        let position = self.graph.co_position(write);
        let follows_source =
            self.exclusive_source(write).is_none_or(|source| self.graph.co_position(source) + 1 == position);
        let next = self.graph.location(self.graph.event(write).loc).co.get(position + 1).copied();
        let separates = next.is_some_and(|next| next < write && self.exclusive_source(next).is_some());
        follows_source && !separates
    }

    /// What the read of an exclusive write reads from.
    fn exclusive_source(&self, write: Slot) -> Option<Slot> {
        let Label::Write { exclusive: true, .. } = self.graph.event(write).label else { return None };
        self.graph.po_before(write).map(|read| self.graph.event(read).rf)
    }

    fn judge(&mut self) -> Result<Found, String> {
        if self.n_left == 0 {
            return Ok(Found::GaveUp);
        }
        self.n_left -= 1;
        Ok(match first_violated(&self.graph, self.specification)? {
            None => Found::Consistent,
            Some(_) => Found::Nothing,
        })
    }
}
