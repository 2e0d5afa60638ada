//! Why an execution is not an interleaving of its threads: a cycle of program order, reads-from, coherence and from-read.
//!
//! Every interleaving would have to put each event of the cycle before the next one. Program order and reads-from explain
//! themselves; a reader must know the other steps of the cycle, so the cycle with the fewest of them is shown.

use crate::order::{Edges, interleaved, porf};
use atropos_graph::{Graph, Slot};
use std::collections::VecDeque;

/// The most steps from which a cycle is looked for, to bound the time.
const MOST: usize = 500;

/// The steps of a cycle that are neither program order nor reads-from, from the event that must come first to the other.
/// Empty if there is no cycle. Cycles through `guilty` events are preferred.
pub(crate) fn cycle(graph: &Graph, guilty: &dyn Fn(Slot) -> bool) -> Vec<(usize, usize)> {
    let (plain, all) = (porf(graph), interleaved(graph));
    // The edges of `porf` come first.
    let others = &all[plain.len()..];
    let follows = Follows::of(graph, &plain, others);
    let is_crossing =
        |&&(from, to): &&(Slot, Slot)| graph.event(from).id.thread() != graph.event(to).id.thread();
    let cycles = others.iter().filter(is_crossing).take(MOST).filter_map(|&(from, to)| {
        let path = follows.path(to, from)?;
        let is_guilty = path.iter().any(|&slot| guilty(slot));
        let mut steps = vec![(from, to)];
        steps.extend(path.windows(2).map(|pair| (pair[0], pair[1])).filter(|pair| !follows.is_plain(*pair)));
        Some((!is_guilty, steps.len(), path.len(), steps))
    });
    let best = cycles.min_by_key(|&(is_innocent, n_steps, length, _)| (is_innocent, n_steps, length));
    let steps = best.map(|(.., steps)| steps).unwrap_or_default();
    steps.into_iter().map(|(from, to)| (from.index(), to.index())).collect()
}

/// The edges by their first event; `true` if they explain themselves.
struct Follows(Vec<Vec<(Slot, bool)>>);

impl Follows {
    fn of(graph: &Graph, plain: &Edges, others: &[(Slot, Slot)]) -> Follows {
        let mut follows = vec![Vec::new(); graph.len()];
        let labelled = plain.iter().map(|edge| (edge, true)).chain(others.iter().map(|edge| (edge, false)));
        for (&(from, to), is_plain) in labelled {
            follows[from.index()].push((to, is_plain));
        }
        Follows(follows)
    }

    fn is_plain(&self, (from, to): (Slot, Slot)) -> bool {
        self.0[from.index()].contains(&(to, true))
    }

    /// A path with few edges that need an explanation.
    fn path(&self, from: Slot, to: Slot) -> Option<Vec<Slot>> {
        let mut came_from = vec![None; self.0.len()];
        let mut queue = VecDeque::from([(from, from)]);
        while let Some((slot, before)) = queue.pop_front() {
            if came_from[slot.index()].is_some() {
                continue;
            }
            came_from[slot.index()] = Some(before);
            if slot == to {
                break;
            }
            for &(next, is_plain) in &self.0[slot.index()] {
                if is_plain { queue.push_front((next, slot)) } else { queue.push_back((next, slot)) }
            }
        }
        let mut path = vec![to];
        while *path.last()? != from {
            path.push(came_from[path.last()?.index()]?);
        }
        path.reverse();
        Some(path)
    }
}
