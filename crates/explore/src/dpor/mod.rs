//! Source-DPOR and optimal-DPOR on machines with store buffers [Nidhugg §3, §4].
//!
//! A *trace* is a sequence of steps of processes: threads, and for each buffer an *updater* that moves stores to
//! memory. Traces that order all conflicting steps alike are the same execution; which steps conflict is the
//! *chronological* happens-before relation of [`trace`], under which traces and execution graphs with `rf` and
//! `co` correspond one to one, on TSO and PSO machines as on SC ones. A search runs one trace to its end, finds
//! *races* (neighbours in happens-before that could have come the other way round), and plans traces that reverse
//! them.
//!
//! | | source-DPOR | optimal-DPOR |
//! |---|---|---|
//! | plans | a process to begin with | a whole sequence of steps |
//! | kept in | a backtrack set per prefix ([`source`]) | a wakeup tree per prefix ([`optimal`], [`wakeup`]) |
//! | detects races | at every new step | at the end of a trace |
//! | visits an execution | once | once |
//! | wasted traces | those that end because all processes sleep | none |
//!
//! Reading order: [`process`], [`step`], [`trace`] (the machine and its happens-before), [`explorer`] (the loop),
//! [`sleep`], [`source`], [`optimal`], [`wakeup`], then [`record`] and [`outcome`] (what observers see).
//!
//! The search is sequential: plans are made in nodes above the one being explored, so a part of the search is not
//! closed until all that comes before it is done.

pub mod enabled;
pub mod explorer;
pub mod machine;
pub mod optimal;
pub mod outcome;
pub mod process;
pub mod record;
pub mod sleep;
pub mod source;
pub mod step;
pub mod trace;
pub mod wakeup;

pub use explorer::Explorer;
pub use process::Buffers;

use crate::{Config, Control, Observer, Stats};
use atropos_event::{Mapping, Program};

/// How races are reversed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    Source,
    Optimal,
}

/// What a search came to.
#[derive(Debug)]
pub struct Search<O> {
    /// Sleep-set-blocked traces count as blocked.
    pub stats: Stats,
    /// Traces that were left because all processes that could move were asleep; none for optimal-DPOR.
    pub sleep_set_blocked: u64,
    pub observer: O,
}

/// Explores all executions of `program` on the machine with such buffers. The search starts over, with a fresh
/// observer, when the program breaks its accesses into smaller ones: see [`atropos_event::Run::split`].
pub fn explore<P: Program, O: Observer>(
    program: &P,
    (algorithm, buffers, mapping): (Algorithm, Buffers, Mapping),
    config: Config,
    control: &Control,
    observer: impl Fn() -> O,
) -> Search<O> {
    loop {
        let machine = machine::Machine::new(buffers, mapping);
        let mut observer = observer();
        let mut explorer = Explorer::new(program, algorithm, machine, config, control, &mut observer);
        explorer.explore();
        if explorer.must_restart && !control.is_stopped() {
            control.start_over();
            continue;
        }
        let (stats, sleep_set_blocked) = (explorer.stats, explorer.sleep_set_blocked);
        drop(explorer);
        return Search { stats, sleep_set_blocked, observer };
    }
}
