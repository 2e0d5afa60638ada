//! A worker: takes a task, explores it, and records what became of it.

use super::{Entry, Epoch, Task};
use atropos_check::{Check, Collector, Finds};
use atropos_event::Stats;
use atropos_explore::{Budget, Ledger, Record, Resumed, SearchResult};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a worker sees of the queue and the log.
pub trait WorkerSide {
    /// The right to a task, which another worker gets if this one does not finish it in time.
    type Lease;

    /// A task from the queue. Waits for a while if there is none.
    ///
    /// # Errors
    /// If there is no connection; the same for the others.
    fn next_task(&mut self) -> io::Result<Option<(Task, Self::Lease)>>;

    /// The workers that may want pieces of the task.
    fn takers(&self) -> Arc<dyn Takers>;

    /// Appends an entry to the log, when all pieces that were given away are in the queue; and when it is kept, takes
    /// the task out of the queue. None of it need have happened when this returns.
    ///
    /// # Errors
    /// See above.
    fn finish(&mut self, lease: Self::Lease, entry: &Entry) -> io::Result<()>;
}

/// Workers without a task, which want pieces of what others explore.
pub trait Takers: Send + Sync {
    /// How long a part is explored before it is split, and between two times.
    fn least(&self) -> Duration;

    /// The part that is being explored is large enough to be split.
    fn open(&self);

    /// How many pieces are wanted of it.
    fn n_wanted(&self) -> usize;

    /// Puts a piece into the queue.
    fn give(&self, piece: Task);
}

/// Explores parts of a search.
pub trait PartExplorer {
    /// Explores a task, and gives pieces of it away if others want them.
    fn explore(&mut self, task: &Task, takers: &dyn Takers) -> TaskOutcome;
}

/// What became of a task.
#[derive(Clone, PartialEq, Debug)]
pub enum TaskOutcome {
    Recorded(Record),
    /// The search must start over with these lessons.
    Learned(String),
    /// A violation has ended the exploration, which was like this until then.
    Violation(Record),
    /// The program cannot be checked.
    Refused,
    /// The exploration was stopped from outside.
    Stopped,
}

/// What a worker did in one turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// There was no task.
    Waited,
    /// This many executions were explored.
    Worked(u64),
}

/// One turn of a worker. It records the task before it takes it out of the queue, so that a death costs the time for it
/// at most.
///
/// # Errors
/// If there is no connection: the task is lost to this worker.
pub fn take_turn<S: WorkerSide>(side: &mut S, explorer: &mut impl PartExplorer) -> io::Result<Turn> {
    let Some((task, lease)) = side.next_task()? else { return Ok(Turn::Waited) };
    let takers = Counted { takers: side.takers(), n_given: AtomicUsize::new(0) };
    let outcome = explorer.explore(&task, &takers);
    let epoch = Epoch::of(&task.lessons);
    let mut n_executions = 0;
    if let TaskOutcome::Recorded(record) | TaskOutcome::Violation(record) = &outcome {
        n_executions += record.stats.executions + record.stats.blocked;
    }
    let entry = match outcome {
        TaskOutcome::Recorded(record) => {
            Entry::Record { epoch, record, n_offered: takers.n_given.into_inner() }
        }
        TaskOutcome::Learned(lessons) => Entry::Start { epoch, lessons },
        TaskOutcome::Violation(record) => Entry::Violation { epoch, record },
        TaskOutcome::Refused => Entry::Refused { epoch, part: task.part },
        TaskOutcome::Stopped => return Ok(Turn::Worked(0)),
    };
    side.finish(lease, &entry)?;
    Ok(Turn::Worked(n_executions))
}

/// Counts the pieces that are given away.
struct Counted {
    takers: Arc<dyn Takers>,
    n_given: AtomicUsize,
}

impl Takers for Counted {
    fn least(&self) -> Duration {
        self.takers.least()
    }

    fn open(&self) {
        self.takers.open();
    }

    fn n_wanted(&self) -> usize {
        self.takers.n_wanted()
    }

    fn give(&self, piece: Task) {
        self.n_given.fetch_add(1, Relaxed);
        self.takers.give(piece);
    }
}

/// The ledger of one part of a search, which is explored by itself.
pub struct OnePart<'a> {
    resumed: Resumed,
    budget: Budget,
    counter: Option<Counter<'a>>,
    result: Mutex<Option<TaskOutcome>>,
}

/// Where pieces of a part are given away.
struct Counter<'a> {
    takers: &'a dyn Takers,
    least: Duration,
    is_open: AtomicBool,
    /// How long the part was explored at the last look, and when it was last split, in microseconds.
    elapsed_us: AtomicU64,
    split_us: AtomicU64,
}

impl<'a> OnePart<'a> {
    pub fn new(lessons: &str, part: &str, budget: Budget) -> OnePart<'a> {
        let (lessons, parts) = (lessons.to_string(), vec![part.to_string()]);
        let (findings, notes) = (String::new(), String::new());
        let known = Vec::new();
        let resumed = Resumed { lessons, parts, stats: Stats::default(), findings, notes, known };
        OnePart { resumed, budget, counter: None, result: Mutex::default() }
    }

    /// The part of a task, of which others may want pieces. A limit is for the whole task, so one with a limit is not
    /// split before its end.
    pub fn of(task: &Task, takers: &'a dyn Takers) -> OnePart<'a> {
        let part = OnePart::new(&task.lessons, &task.part, task.budget());
        if task.executions.is_some() { part } else { part.with(takers) }
    }

    /// The same part with others that may want pieces.
    pub fn with(self, takers: &'a dyn Takers) -> OnePart<'a> {
        let (elapsed_us, split_us) = (AtomicU64::new(0), AtomicU64::new(0));
        let (is_open, least) = (AtomicBool::new(false), takers.least());
        let counter = Counter { takers, least, is_open, elapsed_us, split_us };
        OnePart { counter: Some(counter), ..self }
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
        self.result.lock().expect("nothing panics while it holds the lock").take()
    }

    /// What became of the part, after the exploration of `check` with this ledger has ended, but for a stop from
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
                let (part, findings) = (self.resumed.parts.concat(), findings.to_string());
                let notes = check.program.notes();
                TaskOutcome::Violation(Record { part, stats, findings, notes, ..Record::default() })
            }
        }
    }

    fn set(&self, outcome: TaskOutcome) {
        *self.result.lock().expect("nothing panics while it holds the lock") = Some(outcome);
    }
}

impl Ledger for OnePart<'_> {
    fn budget(&self) -> Budget {
        self.budget
    }

    fn look(&self, elapsed: Duration) {
        let Some(counter) = &self.counter else { return };
        let (us, left) = (elapsed.as_micros() as u64, self.budget.time.saturating_sub(elapsed));
        counter.elapsed_us.store(us, Relaxed);
        let since_split = Duration::from_micros(us.saturating_sub(counter.split_us.load(Relaxed)));
        // A piece has the time that is left for this part: so long what was not recorded may be lost, and no longer.
        let is_open = since_split >= counter.least && left >= counter.least;
        if is_open && !counter.is_open.swap(is_open, Relaxed) {
            counter.takers.open();
        }
        counter.is_open.store(is_open, Relaxed);
    }

    fn n_wanted(&self) -> usize {
        let counter = self.counter.as_ref().filter(|counter| counter.is_open.load(Relaxed));
        counter.map_or(0, |counter| counter.takers.n_wanted())
    }

    fn give_piece(&self, piece: &str) {
        let Some(counter) = &self.counter else { return };
        let elapsed_us = counter.elapsed_us.load(Relaxed);
        // Several pieces count as if they were split off one after the other.
        let next_us = counter.split_us.load(Relaxed) + counter.least.as_micros() as u64;
        counter.split_us.store(elapsed_us.max(next_us), Relaxed);
        counter.is_open.store(false, Relaxed);
        let left = self.budget.time.saturating_sub(Duration::from_micros(elapsed_us));
        counter.takers.give(Task {
            lessons: self.resumed.lessons.clone(),
            part: piece.to_string(),
            time_ms: (left.as_millis() as u64).max(1),
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
}
