//! A worker: takes tasks, explores them, and records what became of each.

use super::{Entry, Epoch, Task};
use atropos_explore::Record;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// What a worker sees of the queue and the log.
pub trait WorkerSide: Send {
    /// The right to a task, which another worker gets if this one does not finish it in time.
    type Lease: Send;

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

    /// How long a piece should take.
    fn least_piece(&self) -> Duration;

    /// The part that is being explored is large enough to be split.
    fn open(&self);

    /// How many pieces are wanted of it.
    fn n_wanted(&self) -> usize;

    /// Puts a piece into the queue.
    fn give(&self, piece: Task);
}

/// Explores parts of a search.
pub trait PartExplorer {
    /// Explores a task, and gives pieces of it away if others want them. It may go on with its successors, and returns
    /// what became of the last one.
    fn explore(&mut self, task: &Task, takers: &dyn Takers, successors: &dyn Successors) -> TaskOutcome;
}

/// The tasks after the one that is being explored: a search that goes on with them does not begin anew each time.
pub trait Successors: Sync {
    /// Sends the record of a task. Returns the next one, if there is one with the same lessons, and no limit.
    fn next(&self, record: Record) -> Option<Task>;
}

/// What became of a task.
#[derive(Clone, PartialEq, Debug)]
pub enum TaskOutcome {
    Recorded(Record),
    /// Its record was sent, and the task after it is not for the same search, or there is none.
    Sent,
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
    Worked,
}

/// One turn of a worker: a task, and those that its explorer takes after it. It records each before it takes it out of
/// the queue, so that a death costs the time for one task at most. Calls `count` with the number of executions of each
/// task.
///
/// # Errors
/// If there is no connection: the task is lost to this worker.
pub fn take_turn<S: WorkerSide>(
    side: &mut S,
    explorer: &mut impl PartExplorer,
    count: &(dyn Fn(u64) + Sync),
) -> io::Result<Turn> {
    let takers = Counted { takers: side.takers(), n_given: AtomicUsize::new(0) };
    let desk = Desk { side: Mutex::new(side), tasks: Mutex::default(), takers: &takers, count };
    let Some(mut task) = desk.take()? else { return Ok(Turn::Waited) };
    loop {
        let outcome = explorer.explore(&task, &takers, &desk);
        if let Some(entry) = desk.entry(outcome) {
            desk.finish(entry)?;
        }
        match desk.take_other()? {
            Some(other) => task = other,
            None => return Ok(Turn::Worked),
        }
    }
}

/// What one worker has before it.
struct Desk<'a, S: WorkerSide> {
    side: Mutex<&'a mut S>,
    tasks: Mutex<Tasks<S::Lease>>,
    takers: &'a Counted,
    count: &'a (dyn Fn(u64) + Sync),
}

struct Tasks<L> {
    /// The one that is being explored.
    current: Option<(Task, L)>,
    /// One with other lessons, which is next.
    other: Option<(Task, L)>,
    error: Option<io::Error>,
}

impl<L> Default for Tasks<L> {
    fn default() -> Self {
        Tasks { current: None, other: None, error: None }
    }
}

impl<L> Tasks<L> {
    /// This is the current task.
    fn hold(&mut self, task: Option<(Task, L)>) -> Option<Task> {
        self.current = task;
        self.current.as_ref().map(|(task, _)| task.clone())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics while it holds the lock")
}

impl<S: WorkerSide> Desk<'_, S> {
    /// Takes the next task, to begin a search with it.
    fn take(&self) -> io::Result<Option<Task>> {
        let task = lock(&self.side).next_task()?;
        Ok(lock(&self.tasks).hold(task))
    }

    /// Takes the task that came after the others of a search, but does not belong to it.
    fn take_other(&self) -> io::Result<Option<Task>> {
        let tasks = &mut *lock(&self.tasks);
        let other = tasks.other.take();
        tasks.error.take().map_or(Ok(tasks.hold(other)), Err)
    }

    /// What to append to the log about the current task, if anything.
    fn entry(&self, outcome: TaskOutcome) -> Option<Entry> {
        let tasks = lock(&self.tasks);
        let (task, _) = tasks.current.as_ref()?;
        let epoch = Epoch::of(&task.lessons);
        if let TaskOutcome::Recorded(record) | TaskOutcome::Violation(record) = &outcome {
            (self.count)(record.stats.executions + record.stats.blocked);
        }
        match outcome {
            TaskOutcome::Recorded(record) => {
                Some(Entry::Record { epoch, record, n_offered: self.takers.n_given.swap(0, Relaxed) })
            }
            TaskOutcome::Learned(lessons) => Some(Entry::Start { epoch, lessons }),
            TaskOutcome::Violation(record) => Some(Entry::Violation { epoch, record }),
            TaskOutcome::Refused => Some(Entry::Refused { epoch, part: task.part.clone() }),
            TaskOutcome::Sent | TaskOutcome::Stopped => None,
        }
    }

    fn finish(&self, entry: Entry) -> io::Result<()> {
        let current = lock(&self.tasks).current.take();
        current.map_or(Ok(()), |(_, lease)| lock(&self.side).finish(lease, &entry))
    }

    /// The next task for the same search. Another one waits.
    fn succeed(&self, record: Record) -> io::Result<Option<Task>> {
        let lessons = lock(&self.tasks).current.as_ref().map(|(task, _)| task.lessons.clone());
        if let Some(entry) = self.entry(TaskOutcome::Recorded(record)) {
            self.finish(entry)?;
        }
        let next = lock(&self.side).next_task()?;
        let tasks = &mut *lock(&self.tasks);
        let is_same = |task: &Task| task.executions.is_none() && Some(&task.lessons) == lessons.as_ref();
        if next.as_ref().is_some_and(|(task, _)| is_same(task)) {
            return Ok(tasks.hold(next));
        }
        tasks.other = next;
        Ok(None)
    }
}

impl<S: WorkerSide> Successors for Desk<'_, S> {
    fn next(&self, record: Record) -> Option<Task> {
        self.succeed(record).unwrap_or_else(|error| {
            lock(&self.tasks).error = Some(error);
            None
        })
    }
}

/// Counts the pieces of the current task that are given away.
struct Counted {
    takers: Arc<dyn Takers>,
    n_given: AtomicUsize,
}

impl Takers for Counted {
    fn least(&self) -> Duration {
        self.takers.least()
    }

    fn least_piece(&self) -> Duration {
        self.takers.least_piece()
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
