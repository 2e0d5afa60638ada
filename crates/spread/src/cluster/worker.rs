//! A worker: takes a task, explores it, and records what became of it.

use super::{Entry, Epoch, Task, Wanted};
use atropos_check::{Check, Collector, Finds};
use atropos_event::Stats;
use atropos_explore::{Budget, Demand, Ledger, Record, Resumed, SearchResult, key_of};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// What a worker sees of the queue and the log.
pub trait WorkerSide {
    /// The right to a task, which another worker gets if this one does not finish it in time.
    type Lease;

    /// A task from the queue. Waits for a while if there is none.
    ///
    /// # Errors
    /// If there is no connection; the same for the others.
    fn next_task(&mut self) -> io::Result<Option<(Task, Self::Lease)>>;

    /// Whether another worker had the task before, and has lost it.
    fn was_held(&self, lease: &Self::Lease) -> bool;

    /// Whether no other worker has got the task meanwhile, as far as this worker knows.
    fn is_held(&self, lease: &Self::Lease) -> bool;

    /// Appends to the log, one entry after the other. It need not be kept when this returns.
    ///
    /// # Errors
    /// See above.
    fn append(&mut self, entry: &Entry) -> io::Result<()>;

    /// Takes the task out of the queue when all entries are kept.
    ///
    /// # Errors
    /// See above.
    fn finish(&mut self, lease: Self::Lease) -> io::Result<()>;

    /// What the leader said last.
    fn wanted(&self) -> Arc<Wanted>;
}

/// Explores parts of a search.
pub trait PartExplorer {
    fn explore(&mut self, task: &Task, wanted: &Wanted) -> TaskOutcome;
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
/// at most. If pieces of it were wanted, it goes on with the rest.
///
/// # Errors
/// If there is no connection: the task is lost to this worker.
pub fn take_turn<S: WorkerSide>(side: &mut S, explorer: &mut impl PartExplorer) -> io::Result<Turn> {
    let Some((mut task, lease)) = side.next_task()? else { return Ok(Turn::Waited) };
    let (epoch, wanted) = (Epoch::of(&task.lessons), side.wanted());
    if side.was_held(&lease) {
        side.append(&Entry::Again { epoch, part: task.part })?;
        side.finish(lease)?;
        return Ok(Turn::Worked(0));
    }
    let mut n_executions = 0;
    loop {
        let start = Instant::now();
        let outcome = explorer.explore(&task, &wanted);
        if let TaskOutcome::Recorded(record) | TaskOutcome::Violation(record) = &outcome {
            n_executions += record.stats.executions + record.stats.blocked;
        }
        task.time_ms = task.time_ms.saturating_sub(start.elapsed().as_millis() as u64);
        let (entry, kept) = match outcome {
            TaskOutcome::Recorded(record) => {
                // A limit is for the whole task, and a part with a key may be another worker's.
                let may_keep = task.time_ms > 0 && task.executions.is_none() && side.is_held(&lease);
                let kept = record.rest.last().filter(|part| may_keep && key_of(part).is_none()).cloned();
                (Entry::Record { epoch: epoch.clone(), record, keeps: kept.is_some() }, kept)
            }
            TaskOutcome::Learned(lessons) => (Entry::Start { epoch: epoch.clone(), lessons }, None),
            TaskOutcome::Violation(record) => (Entry::Violation { epoch: epoch.clone(), record }, None),
            TaskOutcome::Refused => (Entry::Refused { epoch: epoch.clone(), part: task.part.clone() }, None),
            TaskOutcome::Stopped => return Ok(Turn::Worked(0)),
        };
        side.append(&entry)?;
        match kept {
            Some(part) => task.part = part,
            None => break,
        }
    }
    side.finish(lease)?;
    Ok(Turn::Worked(n_executions))
}

/// The ledger of one part of a search, which is explored by itself.
#[derive(Debug)]
pub struct OnePart<'a> {
    resumed: Resumed,
    budget: Budget,
    wanted: Option<&'a Wanted>,
    result: Mutex<Option<TaskOutcome>>,
}

impl<'a> OnePart<'a> {
    pub fn new(lessons: &str, part: &str, budget: Budget) -> OnePart<'a> {
        let (lessons, parts) = (lessons.to_string(), vec![part.to_string()]);
        let (findings, notes) = (String::new(), String::new());
        let known = Vec::new();
        let resumed = Resumed { lessons, parts, stats: Stats::default(), findings, notes, known };
        OnePart { resumed, budget, wanted: None, result: Mutex::default() }
    }

    /// The part of a task, of which others may want pieces.
    pub fn of(task: &Task, wanted: &'a Wanted) -> OnePart<'a> {
        let part = OnePart::new(&task.lessons, &task.part, task.budget());
        OnePart { wanted: Some(wanted), ..part }
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

    fn demand(&self) -> Option<Demand<'_>> {
        self.wanted.map(Wanted::demand)
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
