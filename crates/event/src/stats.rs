//! What an exploration counts.

use std::ops::AddAssign;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Complete executions: every thread ran to its end.
    pub executions: u64,
    /// Executions that ended with a thread that is blocked or has failed.
    pub blocked: u64,
    /// Executions visited again, by algorithms that do so; not among the others.
    pub duplicates: u64,
    /// Of the blocked ones, those where a loop bound blocked a thread.
    pub bounded: u64,
    /// Of the blocked ones, traces abandoned because every possible next step was explored elsewhere.
    pub wasted: u64,
    /// Events added, over all executions.
    pub events: u64,
    /// Additions that turned out inconsistent.
    pub dead: u64,
    /// Alternatives left out because those of a twin stand for them.
    pub mirrored: u64,
    /// Updates of counters whose order with those of other threads is left open.
    pub counted: u64,
    /// Arrivals at barriers whose order with those of other threads is fixed because nothing can tell it.
    pub gathered: u64,
    /// Sections of mutexes whose order with those of other threads is left open.
    pub parted: u64,
    /// Backward revisits.
    pub revisits: u64,
    /// The largest graph.
    pub largest: u64,
}

impl AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.executions += other.executions;
        self.blocked += other.blocked;
        self.duplicates += other.duplicates;
        self.bounded += other.bounded;
        self.wasted += other.wasted;
        self.events += other.events;
        self.dead += other.dead;
        self.mirrored += other.mirrored;
        self.counted += other.counted;
        self.gathered += other.gathered;
        self.parted += other.parted;
        self.revisits += other.revisits;
        self.largest = self.largest.max(other.largest);
    }
}
