//! Source-DPOR and optimal-DPOR on machines with store buffers [Nidhugg §3, §4].
//!
//! A *trace* is a sequence of steps of processes: threads, and for each buffer an *updater* that moves stores to
//! memory. Traces that order all conflicting steps alike are the same execution. The *chronological* happens-before
//! relation of [`trace`] says which steps conflict; under it, traces correspond one to one to execution graphs with
//! `rf` and `co`, on TSO and PSO machines as on SC ones. A search runs one trace to its end, finds *races*
//! (neighbours in happens-before that could have the other order), and plans traces that reverse them.
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
//! [`sleep`], [`source`], [`optimal`], [`wakeup`], [`mutex`], [`parts`] (accesses of several sizes), then [`record`]
//! and [`outcome`] (what observers see).
//!
//! The search is sequential: plans are made in nodes above the current one, so a part of the search is not closed
//! until everything before it is done.

mod enabled;
mod explorer;
mod journal;
mod machine;
mod mutex;
mod optimal;
mod outcome;
mod parts;
mod process;
mod record;
mod sleep;
mod source;
mod step;
mod trace;
mod wakeup;

pub use atropos_model::Buffers;
pub use explorer::DporWorker;

use crate::driver::Strategy;
use crate::host::Host;
use crate::pool::Pool;
use atropos_event::{Mapping, Run};
use machine::Machine;

/// How races are reversed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DporVariant {
    Source,
    Optimal,
}

/// DPOR on the machine with such buffers.
#[derive(Clone, Copy, Debug)]
pub struct Dpor {
    pub variant: DporVariant,
    pub buffers: Buffers,
    pub mapping: Mapping,
}

impl<R: Run> Strategy<R> for Dpor {
    const NAME: &'static str = "dpor";

    type Part = ();
    type Worker<'a>
        = DporWorker<'a, R>
    where
        R: 'a;

    fn start<'a>(&'a self, host: Host<'a, R>, _pool: Option<&'a Pool<()>>) -> DporWorker<'a, R> {
        DporWorker::new(host, self.variant, Machine::new(self.buffers, self.mapping))
    }
}
