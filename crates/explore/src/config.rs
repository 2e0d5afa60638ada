//! What the caller decides about an exploration, and how it is stopped.

use atropos_event::{EventId, RefusalReason, ThreadKey};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// How many events a worker adds before it checks whether to stop: executions may be long.
pub const EVENTS_BETWEEN_LOOKS: u64 = 4096;

/// A thread with an event of this index is refused. A step may add a few events before it ends.
pub const LONGEST_THREAD: usize = EventId::INDEX_LIMIT - 16;

/// Why a program with such a thread is refused.
pub fn thread_too_long(thread: ThreadKey) -> RefusalReason {
    RefusalReason::ThreadTooLong { thread, most: LONGEST_THREAD }
}

/// Fixed for one exploration.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Continue after a violation.
    pub keep_going: bool,
    /// Report data races on plain accesses.
    pub detect_races: bool,
    /// Stop after this many executions, complete and blocked together.
    pub max_executions: Option<u64>,
    /// Abandon executions that can only end blocked.
    pub abandon_doomed: bool,
    /// Explore one of the executions that differ only in which of several identical threads does what. For TruSt.
    pub symmetry: bool,
    /// Leave the order of read-modify-writes open that nothing can tell apart. For TruSt.
    pub rmws: bool,
    /// Stop when a write has several places in the coherence order: see [`Control::has_choice_of_place`]. For TruSt.
    pub stop_at_places: bool,
    /// Let threads arrive at a barrier in a fixed order, which nothing can tell apart from others. For TruSt.
    pub barriers: bool,
    /// Leave the order of sections of a mutex open that touch nothing in common. For TruSt.
    pub locks: bool,
    /// Let reads see the latest write first, and older ones afterwards. For TruSt.
    pub latest_first: bool,
    pub thread_order: ThreadOrder,
    /// Validate the graph before every step, or whenever the algorithm draws one: slow, for tests and for finding
    /// bugs in Atropos itself.
    pub validate: bool,
}

/// The order in which threads move. The executions are the same in every order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ThreadOrder {
    /// By name, until the search learns that another order is cheaper.
    #[default]
    Learned,
    /// Pseudo-random, from a seed (tests only).
    Shuffled(u64),
}

impl Default for Config {
    fn default() -> Self {
        Config {
            keep_going: false,
            detect_races: true,
            max_executions: None,
            abandon_doomed: true,
            symmetry: false,
            rmws: false,
            stop_at_places: false,
            barriers: false,
            locks: false,
            latest_first: false,
            thread_order: ThreadOrder::Learned,
            validate: false,
        }
    }
}

/// Shared between the workers of an exploration and its observer.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    /// Like `stop`, but the search starts over.
    interrupt: AtomicBool,
    /// Executions explored so far, complete and blocked; workers add to it from time to time.
    executions: AtomicU64,
    /// How many of them an earlier process has explored.
    inherited: AtomicU64,
    has_choice_of_place: AtomicBool,
}

impl Control {
    /// Asks all workers to stop as soon as they can.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether some write has had several places in the coherence order, and [`Config::stop_at_places`] has stopped the
    /// search. If none had, coherence follows from reads-from, and the search up to `co` has visited every execution up
    /// to `rf` once [ALGORITHMS §C.4].
    pub fn has_choice_of_place(&self) -> bool {
        self.has_choice_of_place.load(Relaxed)
    }

    pub(crate) fn note_choice_of_place(&self) {
        self.has_choice_of_place.store(true, Relaxed);
        self.stop();
    }

    /// Asks all workers to stop so that the search can start over.
    pub(crate) fn interrupt(&self) {
        self.interrupt.store(true, Relaxed);
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Relaxed)
    }

    pub(crate) fn must_pause(&self) -> bool {
        self.is_stopped() || self.is_interrupted()
    }

    /// Executions explored so far, complete and blocked, as far as the workers have reported them.
    pub fn executions(&self) -> u64 {
        self.executions.load(Relaxed)
    }

    /// How many of these an earlier process has explored.
    pub fn inherited(&self) -> u64 {
        self.inherited.load(Relaxed)
    }

    pub(crate) fn inherit(&self, n_executions: u64) {
        self.inherited.store(n_executions, Relaxed);
        self.count(n_executions);
    }

    pub(crate) fn count(&self, n_executions: u64) {
        self.executions.fetch_add(n_executions, Relaxed);
    }

    /// Counts one execution unless `most` are counted already; the last one stops the search.
    pub(crate) fn admit(&self, most: u64) -> bool {
        let next = |counted: u64| (counted < most).then_some(counted + 1);
        let counted = self.executions.fetch_update(Relaxed, Relaxed, next);
        if counted.is_err() || counted == Ok(most - 1) {
            self.stop();
        }
        counted.is_ok()
    }

    /// Resets the count of executions and the interrupt, for a new start.
    pub fn start_over(&self) {
        self.interrupt.store(false, Relaxed);
        self.executions.store(0, Relaxed);
        self.inherited.store(0, Relaxed);
    }
}
