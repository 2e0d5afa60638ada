//! A limit on executions is exact on many machines, whatever workers do at the same time.

use super::{Subject, Wishes};
use atropos_explore::catalogue::{Equivalence, ModelName};
use atropos_spread::cluster::{
    End, Entry, Leader, LeaderSide, News, NumberedEntry, Pace, PartExplorer, Successors, Sum, Takers, Task,
    TaskOutcome, WorkerSide, take_turn,
};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

const CROWD: &str = "\
global x: i32 = 0
fn worker(i) {
  store.rlx.i32 x, i
  r = load.rlx.i32 x
  return
}
threads worker(1), worker(2), worker(3), worker(4)
";

/// A queue and a log that lose nothing.
#[derive(Default)]
struct Office {
    queue: VecDeque<Task>,
    /// Tasks in the hands of workers, which append their entries late and in another order.
    unsent: Vec<Entry>,
    log: Vec<Entry>,
}

impl Office {
    fn send_all(&mut self) {
        while let Some(entry) = self.unsent.pop() {
            self.log.push(entry);
        }
    }
}

impl WorkerSide for Office {
    type Lease = ();

    fn next_task(&mut self) -> io::Result<Option<(Task, ())>> {
        Ok(self.queue.pop_front().map(|task| (task, ())))
    }

    fn takers(&self) -> Arc<dyn Takers> {
        Arc::new(Wishes::default())
    }

    fn finish(&mut self, (): (), entry: &Entry) -> io::Result<()> {
        self.unsent.push(entry.clone());
        Ok(())
    }
}

impl LeaderSide for Office {
    fn next_entries(&mut self, after: u64, _: Duration) -> io::Result<Option<Vec<NumberedEntry>>> {
        let new = self.log.iter().enumerate().skip(after as usize);
        Ok(Some(new.map(|(nth, entry)| (nth as u64 + 1, 1, Some(entry.clone()))).collect()))
    }

    fn tell(&mut self, _: &News) -> io::Result<()> {
        Ok(())
    }

    fn offer(&mut self, tasks: &[Task]) -> io::Result<()> {
        self.queue.extend(tasks.iter().cloned());
        Ok(())
    }

    fn withdraw_all(&mut self) -> io::Result<()> {
        self.queue.clear();
        Ok(())
    }

    fn n_offered(&mut self) -> io::Result<usize> {
        Ok(self.queue.len())
    }

    fn keep_sum(&mut self, _: &Sum, _: u64) -> io::Result<()> {
        Ok(())
    }
}

/// Explores at most five executions of a task.
struct Impatient(Subject);

impl PartExplorer for Impatient {
    fn explore(&mut self, task: &Task, _: &dyn Takers, _: &dyn Successors) -> TaskOutcome {
        let mut budget = task.budget();
        budget.executions = budget.executions.min(5);
        self.0.explore(&task.lessons, &task.part, budget)
    }
}

/// The executions that a leader counts with four workers, and whether it has seen all.
fn counted(most: Option<u64>) -> (u64, bool) {
    let subject = Subject { program: CROWD, model: ModelName::Rc11, equivalence: Equivalence::Co };
    let (mut office, mut explorer) = (Office::default(), Impatient(subject));
    let pace = Pace { elapsed: Duration::ZERO, n_workers: 4, record: Duration::ZERO };
    let mut leader = Leader::new(None).at_most(most);
    leader.start(&mut office, pace).expect("a connection");
    while leader.end().is_none() && !leader.has_enough() {
        for _ in 0..4 {
            take_turn(&mut office, &mut explorer, &|_| ()).expect("a connection");
        }
        office.send_all();
        leader.step(&mut office, pace, Duration::ZERO).expect("a connection");
    }
    let stats = leader.stats();
    (stats.executions + stats.blocked, leader.end() == Some(End::Done))
}

#[test]
fn as_many_executions_are_counted_as_asked_for() {
    let (all, is_done) = counted(None);
    assert!(is_done && all > 50, "{all}");
    for most in [1, 2, 7, 23, 50, all - 1] {
        assert_eq!(counted(Some(most)), (most, false));
    }
    assert_eq!(counted(Some(all + 1)), (all, true));
}
