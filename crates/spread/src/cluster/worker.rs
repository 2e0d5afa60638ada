//! A worker: takes a task, explores it, and records what became of it.

use super::{Entry, Epoch, Task};
use atropos_check::{Check, Collector, Finds};
use atropos_event::Stats;
use atropos_explore::{Budget, Ledger, Record, Resumed, SearchResult};
use std::io;
use std::sync::Mutex;

/// What a worker sees of the queue and the log.
pub trait WorkerSide {
    /// The right to a task, which another worker gets if this one does not finish it in time.
    type Lease;

    /// A task from the queue. Waits for a while if there is none.
    ///
    /// # Errors
    /// If there is no connection; the same for the others.
    fn next_task(&mut self) -> io::Result<Option<(Task, Self::Lease)>>;

    /// Appends to the log. When it returns, the entry is kept.
    ///
    /// # Errors
    /// See above.
    fn append(&mut self, entry: &Entry) -> io::Result<()>;

    /// Takes the task out of the queue.
    ///
    /// # Errors
    /// See above.
    fn finish(&mut self, lease: Self::Lease) -> io::Result<()>;
}

/// Explores parts of a search.
pub trait PartExplorer {
    fn explore(&mut self, task: &Task) -> TaskOutcome;
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
    let (epoch, part) = (Epoch::of(&task.lessons), task.part.clone());
    let outcome = explorer.explore(&task);
    let n_executions = match &outcome {
        TaskOutcome::Recorded(record) | TaskOutcome::Violation(record) => {
            record.stats.executions + record.stats.blocked
        }
        TaskOutcome::Learned(_) | TaskOutcome::Refused | TaskOutcome::Stopped => 0,
    };
    let entry = match outcome {
        TaskOutcome::Recorded(record) => Entry::Record { epoch, record },
        TaskOutcome::Learned(lessons) => Entry::Start { epoch, lessons },
        TaskOutcome::Violation(record) => Entry::Violation { epoch, record },
        TaskOutcome::Refused => Entry::Refused { epoch, part },
        TaskOutcome::Stopped => return Ok(Turn::Worked(0)),
    };
    side.append(&entry)?;
    side.finish(lease)?;
    Ok(Turn::Worked(n_executions))
}

/// The ledger of one part of a search, which is explored by itself.
#[derive(Debug)]
pub struct OnePart {
    resumed: Resumed,
    budget: Budget,
    result: Mutex<Option<TaskOutcome>>,
}

impl OnePart {
    pub fn new(lessons: &str, part: &str, budget: Budget) -> OnePart {
        let (lessons, parts) = (lessons.to_string(), vec![part.to_string()]);
        let (findings, notes) = (String::new(), String::new());
        let known = Vec::new();
        let resumed = Resumed { lessons, parts, stats: Stats::default(), findings, notes, known };
        OnePart { resumed, budget, result: Mutex::default() }
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

impl Ledger for OnePart {
    fn budget(&self) -> Budget {
        self.budget
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
