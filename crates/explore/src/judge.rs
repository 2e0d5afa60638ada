//! Errors of an access: misuse of memory, and races.

use crate::{Config, Report, memory, race};
use atropos_graph::{Graph, Slot};
use atropos_model::MemoryModel;

/// The errors of the access at `added`, the last event of its thread, in reporting order; usually `None`.
pub fn access<M: MemoryModel>(
    model: &M,
    graph: &Graph,
    added: Slot,
    config: &Config,
) -> Option<[Option<Report>; 2]> {
    let misuse = memory::judge(graph, added, || model.past(graph, added));
    let race = match config.detect_races {
        true => race::judge(graph, added, |slot| model.hb(graph, slot)),
        false => None,
    };
    (misuse.is_some() || race.is_some()).then(|| memory::in_order(misuse, race))
}
