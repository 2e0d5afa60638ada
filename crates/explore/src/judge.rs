//! What is wrong with an access: misuse of memory, and races.

use crate::{Config, Report, memory, race};
use atropos_event::Program;
use atropos_graph::{Graph, Slot};
use atropos_model::MemoryModel;

/// What is wrong with the access at `added`, the last event of its thread, in the order in which it is told. Nothing,
/// as a rule.
pub fn access<P: Program, M: MemoryModel>(
    program: &P,
    model: &M,
    graph: &Graph,
    added: Slot,
    config: &Config,
) -> Option<[Option<Report>; 2]> {
    let misuse = memory::judge(graph, added, || model.past(graph, added));
    let race = match config.detect_races {
        true => race::judge(program, graph, added, |slot| model.hb(graph, slot)),
        false => None,
    };
    (misuse.is_some() || race.is_some()).then(|| memory::in_order(misuse, race))
}
