//! What the caller decides about an exploration, and how it is stopped.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Fixed for one exploration.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Go on after a violation.
    pub keep_going: bool,
    /// Report data races on plain accesses.
    pub detect_races: bool,
    /// Stop after this many executions, complete and blocked together.
    pub max_executions: Option<u64>,
    /// Leave executions that can only end blocked.
    pub abandon_doomed: bool,
    pub thread_order: ThreadOrder,
    /// Validate the graph after every step: slow, for tests and for hunting bugs in Atropos itself.
    pub validate: bool,
}

/// In which order threads move. The executions are the same in every order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ThreadOrder {
    /// By name, until the search learns that another order is cheaper.
    #[default]
    Learned,
    /// As if by chance, from a seed: for tests.
    Shuffled(u64),
}

impl Default for Config {
    fn default() -> Self {
        Config {
            keep_going: false,
            detect_races: true,
            max_executions: None,
            abandon_doomed: true,
            thread_order: ThreadOrder::Learned,
            validate: false,
        }
    }
}

/// Shared between the workers of an exploration and whoever watches it.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    /// Like `stop`, but the search starts over.
    interrupt: AtomicBool,
    /// Executions explored so far, complete and blocked; workers add to it now and then.
    pub executions: AtomicU64,
}

impl Control {
    /// Asks all workers to stop as soon as they can.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
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

    /// Forgets the executions counted and the interrupt, for a new start.
    pub fn start_over(&self) {
        self.interrupt.store(false, Relaxed);
        self.executions.store(0, Relaxed);
    }
}
