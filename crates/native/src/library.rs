//! What the library knows about a thread.

use crate::local::Locals;
use crate::quiet::{Probe, Quiet};
use crate::thread::Known;
use atropos_event::{Position, ThreadId};

/// What the library knows about a thread.
#[derive(Default)]
pub(crate) struct Library {
    pub known: Option<&'static Known>,
    pub locals: Option<&'static Locals>,
    /// How often it has looked at a clock.
    pub n_looks: u64,
    /// Whether it has come to its end: its thread-local variables are gone.
    pub is_ending: bool,
    /// The data whose destructors are running, and what these have done: see [`crate::quiet`].
    pub probes: Vec<Probe>,
    pub quiet: Quiet,
    /// Where the thread has last dropped an owner, by the place of the counts.
    pub quiet_drops: Vec<(usize, Position)>,
    /// What it has dropped: see [`crate::counts`].
    pub drops: Vec<Drops>,
    /// The threads whose end it has waited for, and those that these have waited for.
    pub joined: Vec<ThreadId>,
}

/// How often a thread has dropped owners of the same data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Drops {
    pub addr: usize,
    pub n_all: u64,
    /// The latest ones, and those of threads that have ended before them, which no event has counted yet.
    pub n_skipped: u64,
}

/// Moments are copied often, into room that is there already.
impl Clone for Library {
    fn clone(&self) -> Self {
        let mut copy = Library::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        let Library { known, locals, n_looks, is_ending, probes, quiet, quiet_drops, drops, joined } = other;
        (self.known, self.locals) = (*known, *locals);
        (self.n_looks, self.is_ending) = (*n_looks, *is_ending);
        self.probes.clone_from(probes);
        self.quiet.clone_from(quiet);
        self.quiet_drops.clone_from(quiet_drops);
        self.drops.clone_from(drops);
        self.joined.clone_from(joined);
    }
}

impl Library {
    /// Everything begins anew.
    pub fn clear(&mut self) {
        (self.known, self.locals, self.n_looks, self.is_ending) = (None, None, 0, false);
        self.probes.clear();
        self.quiet.clear();
        self.quiet_drops.clear();
        self.drops.clear();
        self.joined.clear();
    }

    pub fn drops_at(&mut self, addr: usize) -> &mut Drops {
        let known = self.drops.iter().position(|drops| drops.addr == addr);
        let index = known.unwrap_or_else(|| {
            self.drops.push(Drops { addr, n_all: 0, n_skipped: 0 });
            self.drops.len() - 1
        });
        &mut self.drops[index]
    }
}
