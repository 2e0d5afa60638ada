//! What the search of a worker records: the part of a task, and then those of the tasks that come after it.

use super::{Successors, Takers, Task, TaskOutcome};
use atropos_check::{Check, Collector, Finds};
use atropos_event::Stats;
use atropos_explore::{Budget, Ledger, Record, Resumed, SearchResult};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// The ledger of a worker, which explores one part of a search at a time.
pub struct Parts<'a> {
    resumed: Resumed,
    current: Mutex<Current>,
    counter: Option<Counter<'a>>,
    successors: Option<&'a dyn Successors>,
    result: Mutex<Option<TaskOutcome>>,
}

/// The part that is being explored.
struct Current {
    part: String,
    budget: Budget,
}

/// Where pieces of a part are given away.
struct Counter<'a> {
    takers: &'a dyn Takers,
    /// How long the part may take, and how long it is explored before it is split, in microseconds.
    time_us: AtomicU64,
    least_us: AtomicU64,
    is_open: AtomicBool,
    /// How long the part was explored at the last look, and when it was last split, in microseconds.
    elapsed_us: AtomicU64,
    split_us: AtomicU64,
}

impl Counter<'_> {
    /// A part begins, which may take so long.
    fn begin(&self, time: Duration) {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.time_us.store(micros(time), Relaxed);
        self.least_us.store(micros(self.takers.least()), Relaxed);
        self.is_open.store(false, Relaxed);
        self.elapsed_us.store(0, Relaxed);
        self.split_us.store(0, Relaxed);
    }

    /// How much time is left for the part, in microseconds.
    fn left_us(&self) -> u64 {
        self.time_us.load(Relaxed).saturating_sub(self.elapsed_us.load(Relaxed))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics while it holds the lock")
}

impl<'a> Parts<'a> {
    pub fn new(lessons: &str, part: &str, budget: Budget) -> Parts<'a> {
        let (lessons, parts) = (lessons.to_string(), vec![part.to_string()]);
        let (findings, notes) = (String::new(), String::new());
        let known = Vec::new();
        let resumed = Resumed { lessons, parts, stats: Stats::default(), findings, notes, known };
        let current = Mutex::new(Current { part: part.to_string(), budget });
        Parts { resumed, current, counter: None, successors: None, result: Mutex::default() }
    }

    /// The part of a task, of which others may want pieces. A limit is for the whole task, so one with a limit is not
    /// split before its end.
    pub fn of(task: &Task, takers: &'a dyn Takers) -> Parts<'a> {
        let part = Parts::new(&task.lessons, &task.part, task.budget());
        if task.executions.is_some() { part } else { part.with(takers) }
    }

    /// The same part, and those of its successors, unless it has a limit.
    pub fn then(self, successors: &'a dyn Successors) -> Parts<'a> {
        Parts { successors: Some(successors), ..self }
    }

    /// The same part with others that may want pieces.
    pub fn with(self, takers: &'a dyn Takers) -> Parts<'a> {
        let counter = Counter {
            takers,
            time_us: AtomicU64::new(0),
            least_us: AtomicU64::new(0),
            is_open: AtomicBool::new(false),
            elapsed_us: AtomicU64::new(0),
            split_us: AtomicU64::new(0),
        };
        counter.begin(self.budget().time);
        Parts { counter: Some(counter), ..self }
    }

    pub fn resumed(&self) -> &Resumed {
        &self.resumed
    }

    /// The record of the part or the lessons with which the search has to start over, unless the exploration was
    /// stopped.
    pub fn into_outcome(self) -> Option<TaskOutcome> {
        self.take_outcome()
    }

    fn take_outcome(&self) -> Option<TaskOutcome> {
        lock(&self.result).take()
    }

    /// What became of the last part, after the exploration of `check` with this ledger has ended, but for a stop from
    /// outside.
    pub fn conclude(
        &self,
        check: &Check<'_>,
        finds: &Finds,
        search: SearchResult<Collector<'_>>,
    ) -> TaskOutcome {
        // What observers have found counts while they exist.
        let (refusal, findings) = check.unfinished(finds);
        let stats = search.stats;
        drop(search);
        match self.take_outcome() {
            Some(outcome) => outcome,
            None if refusal.is_some() => TaskOutcome::Refused,
            // Nothing else stops it.
            None => {
                let (part, findings) = (lock(&self.current).part.clone(), findings.to_string());
                let notes = check.program.notes();
                TaskOutcome::Violation(Record { part, stats, findings, notes, ..Record::default() })
            }
        }
    }

    fn set(&self, outcome: TaskOutcome) {
        *lock(&self.result) = Some(outcome);
    }
}

impl Ledger for Parts<'_> {
    fn budget(&self) -> Budget {
        lock(&self.current).budget
    }

    fn look(&self, elapsed: Duration) {
        let Some(counter) = &self.counter else { return };
        let us = elapsed.as_micros() as u64;
        counter.elapsed_us.store(us, Relaxed);
        let since_split_us = us.saturating_sub(counter.split_us.load(Relaxed));
        let least_us = counter.least_us.load(Relaxed);
        // A piece has the time that is left for this part: so long what was not recorded may be lost, and no longer.
        let is_open = since_split_us >= least_us && counter.left_us() >= least_us;
        if is_open && !counter.is_open.swap(is_open, Relaxed) {
            counter.takers.open();
        }
        counter.is_open.store(is_open, Relaxed);
    }

    fn n_wanted(&self) -> usize {
        let counter = self.counter.as_ref().filter(|counter| counter.is_open.load(Relaxed));
        counter.map_or(0, |counter| counter.takers.n_wanted())
    }

    fn least_piece(&self) -> Duration {
        self.counter.as_ref().map_or(Duration::ZERO, |counter| counter.takers.least_piece())
    }

    fn keep_pieces(&self) {
        // To look for one takes time, so it is not done again before the next look.
        if let Some(counter) = &self.counter {
            counter.is_open.store(false, Relaxed);
        }
    }

    fn give_piece(&self, piece: &str) {
        let Some(counter) = &self.counter else { return };
        let elapsed_us = counter.elapsed_us.load(Relaxed);
        // Several pieces count as if they were split off one after the other.
        let next_us = counter.split_us.load(Relaxed) + counter.least_us.load(Relaxed);
        counter.split_us.store(elapsed_us.max(next_us), Relaxed);
        counter.is_open.store(false, Relaxed);
        counter.takers.give(Task {
            lessons: self.resumed.lessons.clone(),
            part: piece.to_string(),
            time_ms: (counter.left_us() / 1000).max(1),
            executions: None,
        });
    }

    fn resume(&self) -> Resumed {
        self.resumed.clone()
    }

    fn start_over(&self, lessons: &str) {
        self.set(TaskOutcome::Learned(lessons.to_string()));
    }

    fn record(&self, record: Record) {
        self.set(TaskOutcome::Recorded(record));
    }

    fn next_part(&self) -> Option<String> {
        let (successors, counter) = (self.successors?, self.counter.as_ref()?);
        let Some(TaskOutcome::Recorded(record)) = self.take_outcome() else { return None };
        let Some(task) = successors.next(record) else {
            self.set(TaskOutcome::Sent);
            return None;
        };
        counter.begin(task.budget().time);
        *lock(&self.current) = Current { part: task.part.clone(), budget: task.budget() };
        Some(task.part)
    }
}
