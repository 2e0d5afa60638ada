//! RVF-SMC: stateless model checking under sequential consistency, up to the values that reads see [RVF-SMC].
//!
//! Two executions are the same if every thread sees the same values and reads are causally ordered alike; the sources
//! of the values do not matter. So the search gives values to reads. For the next read it groups the writes that it
//! could read from by their value, and asks for each group whether some interleaving makes the read see one of them,
//! without disturbing the reads that already have values. That question is NP-hard, and [`verify`] answers it.
//! [`visit`] is the search, Algorithm 2 of the paper.
//!
//! *Guarantees.* Every sequence of values that a thread can see is explored, so every failed assertion and every
//! deadlock is found. At most one trace per class of the equivalence is explored, often fewer; how many depends on
//! the order of threads. Memory is polynomial: nothing about finished traces is kept.
//!
//! *Not here.* Data races, and the use of memory that another thread frees, are properties of `rf`, which this
//! equivalence forgets. Races are not detected; a program that frees what another thread accesses is refused unless
//! the access is seen to be wrong. The search is sequential: what it explores after one subtree depends on the
//! signals from it.
//!
//! Deviations from the paper:
//! 1. Read-modify-writes, compare-and-swaps and locks, which it leaves out, follow [ALGORITHMS §G.3]: an exclusive
//!    read and its write are one node. They send their own signals [ALGORITHMS §G.4], and no thread is made to wait
//!    for a mutex that others will release ([`mutexes`]).
//! 2. Visible writes are judged by the closure that has been found so far, not by program order alone.
//! 3. The auxiliary trace is tried with the new read inserted at every place, not only at its end, and before the
//!    closure is asked. The order is closed where a read is to be given values, and before a search.

mod causal;
mod closure;
mod explorer;
mod extend;
mod good;
mod instance;
mod journal;
mod mutexes;
mod order;
mod outcome;
mod report;
mod sources;
mod states;
mod threads;
mod traces;
mod verify;
mod visit;

pub use explorer::RvfWorker;

use crate::driver::Strategy;
use crate::host::Host;
use crate::pool::Pool;
use atropos_event::Run;

/// RVF-SMC, under sequential consistency.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rvf {
    pub heuristics: Heuristics,
}

impl<R: Run> Strategy<R> for Rvf {
    const NAME: &'static str = "rvf";

    type Part = ();
    type Worker<'a>
        = RvfWorker<'a, R>
    where
        R: 'a;

    fn start<'a>(&'a self, host: Host<'a, R>, _pool: Option<&'a Pool<()>>) -> RvfWorker<'a, R> {
        RvfWorker::new(host, self.heuristics)
    }
}

/// Settings that speed up the search and do not change what it finds, for ablations [RVF-SMC §4.2, §5, Fig. 11].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heuristics {
    /// Backtrack signals: other reads are tried at a node only if a new source has appeared for the first one.
    pub signals: bool,
    /// `VerifySC` places harmless reads and writes without trying anything else.
    pub greedy: bool,
    /// What every witness has in common is computed before one is searched for.
    pub closure: bool,
    /// The current trace is tried first, and guides the search for others.
    pub guide: bool,
}

impl Default for Heuristics {
    fn default() -> Self {
        Heuristics { signals: true, greedy: true, closure: true, guide: true }
    }
}

impl Heuristics {
    /// Their names, as the command line calls them.
    pub const NAMES: [&str; 4] = ["signals", "greedy", "closure", "guide"];

    /// All but the one named `name`, if there is one.
    pub fn without(mut self, name: &str) -> Option<Self> {
        match name {
            "signals" => self.signals = false,
            "greedy" => self.greedy = false,
            "closure" => self.closure = false,
            "guide" => self.guide = false,
            _ => return None,
        }
        Some(self)
    }
}
